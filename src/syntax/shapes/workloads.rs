//! Workloads and what their clients do. Parameters that many suites name have rows; all others are
//! known by the workload itself.

use super::Parent::{AxisValue, ExternalWorkload, Load, Point, Profile, SqlWorkload};
use super::Parent::{Suite, Variant, Workload};
use super::Part::{Keyword, List, Maybe, One};
use super::{BlockRule, Kind, Parent, Repeat, Shape};

/// Where a setting of the run may stand.
const RUN: &[Parent] =
    &[Workload, SqlWorkload, ExternalWorkload, Suite, Variant, AxisValue, Point, Profile];

/// Where a parameter of one workload may stand.
const PARAMETER: &[Parent] = &[Workload, Variant, AxisValue, Point, Profile];

/// Where the size of TPC-C's data may stand.
const TPCC_DATA: &[Parent] = &[Workload, ExternalWorkload, Variant, AxisValue, Point, Profile];

/// Clients are threads of ours.
const MAX_CLIENTS: u64 = 100_000;

const DISTRIBUTIONS: Kind =
    Kind::Words(&["uniform", "gaussian", "special_0_4", "special_1_0", "pareto", "zipfian"]);

/// How a parameter of a transaction, or a column of a generated table, is drawn.
const DRAWN: Kind =
    Kind::Words(&["uniform", "zipfian", "pareto", "gaussian", "sequential", "text"]);

const ANY_COUNT: Kind = Kind::Count { min: 0, max: i64::MAX as u64 };

pub(super) const ROWS: &[Shape] = &[
    Shape {
        name: "workload",
        parts: &[One("kind", Kind::Name), Maybe(&[One("name", Kind::Name)])],
        block: BlockRule::Optional(Workload),
        parents: &[Suite, Profile],
        repeat: Repeat::OncePer(&["kind", "name"]),
        doc: "What the clients do; several workloads add up as cells of their own.",
        example: "workload tpcc big { warehouses 100; clients 64 }",
        ..Shape::BASE
    },
    Shape {
        name: "workload",
        parts: &[Keyword("sql"), Maybe(&[One("name", Kind::Name)])],
        block: BlockRule::Required(SqlWorkload),
        parents: &[Suite, Profile],
        repeat: Repeat::OncePer(&["name"]),
        doc: "Transactions of your own over your own schema.",
        example: "workload sql orders { load \"orders.sql\"; clients 8 }",
        ..Shape::BASE
    },
    Shape {
        name: "workload",
        parts: &[Keyword("external"), One("name", Kind::Name)],
        block: BlockRule::Required(ExternalWorkload),
        parents: &[Suite, Profile],
        repeat: Repeat::OncePer(&["name"]),
        doc: "An outside tool is the client; needs `--allow-external`.",
        example: "workload external lua { tool sysbench; script \"my.lua\" }",
        ..Shape::BASE
    },
    Shape {
        name: "mode",
        parts: &[List("value", Kind::Name)],
        parents: PARAMETER,
        axis: true,
        default: Some("spec, what the specification says"),
        doc: "A flavour of the workload; `tpcc_mysql` issues what tpcc-mysql issues.",
        example: "mode tpcc_mysql",
        ..Shape::BASE
    },
    Shape {
        name: "warehouses",
        parts: &[List("value", Kind::POSITIVE)],
        parents: TPCC_DATA,
        axis: true,
        doc: "TPC-C warehouses that are loaded, about 100 MB each; TPC-C must say it.",
        example: "warehouses 100, 200",
        ..Shape::BASE
    },
    Shape {
        name: "active",
        parts: &[List("value", Kind::POSITIVE)],
        parents: PARAMETER,
        axis: true,
        default: Some("all that are loaded"),
        doc: "TPC-C warehouses that transactions use, from the first.",
        example: "active 100",
        ..Shape::BASE
    },
    Shape {
        name: "density",
        parts: &[List("value", Kind::Percent)],
        parents: PARAMETER,
        axis: true,
        default: Some("100%"),
        doc: "Scales the rows for trials; the result is no TPC-C and says so.",
        example: "density 1%",
        ..Shape::BASE
    },
    Shape {
        name: "tables",
        parts: &[List("value", Kind::up_to(10_000))],
        parents: PARAMETER,
        axis: true,
        default: Some("1"),
        doc: "Tables of an OLTP workload.",
        example: "tables 10",
        ..Shape::BASE
    },
    Shape {
        name: "rows",
        parts: &[List("value", Kind::POSITIVE)],
        parents: PARAMETER,
        axis: true,
        default: Some("10k"),
        doc: "Rows of each table.",
        example: "rows 100k",
        ..Shape::BASE
    },
    Shape {
        name: "distribution",
        parts: &[List("value", DISTRIBUTIONS)],
        parents: PARAMETER,
        axis: true,
        doc: "How keys are drawn; an OLTP workload must say it.",
        example: "distribution uniform",
        ..Shape::BASE
    },
    Shape {
        name: "compressible",
        parts: &[List("value", Kind::Percent)],
        parents: PARAMETER,
        axis: true,
        doc: "How far generated text shrinks under zlib.",
        example: "compressible 50%",
        ..Shape::BASE
    },
    Shape {
        name: "requests",
        parts: &[List("value", Kind::POSITIVE)],
        parents: RUN,
        axis: true,
        doc: "Ends a measured phase after so many transactions instead of a time.",
        example: "requests 500k",
        ..Shape::BASE
    },
    Shape {
        name: "clients",
        parts: &[List("value", Kind::up_to(MAX_CLIENTS))],
        parents: RUN,
        axis: true,
        default: Some("1"),
        doc: "Concurrent connections.",
        example: "clients 1..64 double",
        ..Shape::BASE
    },
    Shape {
        name: "warmup",
        parts: &[List("value", Kind::Duration)],
        parents: RUN,
        axis: true,
        default: Some("0s"),
        doc: "Runs so long before measuring.",
        example: "warmup 2m",
        ..Shape::BASE
    },
    Shape {
        name: "measure",
        parts: &[List("value", Kind::Duration)],
        parents: RUN,
        axis: true,
        default: Some("1m"),
        doc: "The length of each measured phase.",
        example: "measure 20m",
        ..Shape::BASE
    },
    Shape {
        name: "rounds",
        parts: &[One("value", Kind::up_to(1000))],
        parents: RUN,
        default: Some("1"),
        doc: "Measured phases inside one repetition; columns of their own, never counted as n.",
        example: "rounds 2",
        ..Shape::BASE
    },
    Shape {
        name: "steady",
        parts: &[One("value", Kind::Percent)],
        parents: RUN,
        doc: "Ends a measured phase early when throughput has come to rest within so much; the second half, which did, counts.",
        example: "steady 2%",
        ..Shape::BASE
    },
    Shape {
        name: "count",
        parts: &[Keyword("last"), One("value", Kind::Duration)],
        parents: RUN,
        default: Some("the whole phase"),
        doc: "Only the end of a measured phase counts.",
        example: "count last 2000s",
        ..Shape::BASE
    },
    Shape {
        name: "rate",
        parts: &[List("value", Kind::OneOf(&[Kind::Rate, Kind::PercentOf(&["max"])]))],
        parents: RUN,
        axis: true,
        default: Some("as fast as the clients can"),
        doc: "Open loop: transactions arrive at this rate, and latency counts from the intended start. A share of `max` is of the lowest maximum among the compared sides, which are measured first.",
        example: "rate 70% of max",
        ..Shape::BASE
    },
    Shape {
        name: "arrival",
        parts: &[List("value", Kind::Words(&["poisson", "constant"]))],
        parents: RUN,
        axis: true,
        default: Some("poisson"),
        doc: "How the transactions of an open loop arrive: with random gaps, or at equal distances.",
        example: "arrival constant",
        ..Shape::BASE
    },
    Shape {
        name: "think",
        parts: &[One("value", Kind::OneOf(&[Kind::Words(&["tpcc", "none"]), Kind::Duration]))],
        parents: RUN,
        default: Some("none"),
        doc: "Time between the transactions of a client; `tpcc`: keying and think times of the standard.",
        example: "think tpcc",
        ..Shape::BASE
    },
    Shape {
        name: "repeat",
        parts: &[One("value", Kind::up_to(1000))],
        parents: &[Suite, Profile, Load],
        default: Some("1"),
        doc: "Repetitions of every cell; in `load`: how often a dataset is loaded, for a verdict on load time.",
        example: "repeat 3",
        ..Shape::BASE
    },
    Shape {
        name: "load",
        parts: &[List("file", Kind::Text)],
        parents: &[SqlWorkload],
        repeat: Repeat::Many,
        doc: "SQL scripts that bring the rows in.",
        example: "load \"data.sql\"",
        ..Shape::BASE
    },
    Shape {
        name: "load",
        parts: &[
            Keyword("csv"),
            One("file", Kind::Text),
            Keyword("into"),
            One("table", Kind::Name),
        ],
        parents: &[SqlWorkload],
        repeat: Repeat::Many,
        doc: "A CSV file that is loaded into a table.",
        example: "load csv \"customers.csv\" into customers",
        ..Shape::BASE
    },
    Shape {
        name: "generate",
        parts: &[
            One("table", Kind::Name),
            Keyword("rows"),
            One("rows", Kind::up_to(1_000_000_000)),
        ],
        parents: &[SqlWorkload],
        repeat: Repeat::OncePer(&["table"]),
        doc: "Fills a table with rows that are made by the types of its columns.",
        example: "generate customers rows 10k",
        ..Shape::BASE
    },
    Shape {
        name: "column",
        parts: &[
            One("column", Kind::DottedName),
            One("distribution", DRAWN),
            Maybe(&[Keyword("of"), List("text", Kind::Text)]),
            Maybe(&[One("low", ANY_COUNT), Keyword("to"), One("high", ANY_COUNT)]),
        ],
        parents: &[SqlWorkload],
        repeat: Repeat::OncePer(&["column"]),
        default: Some("numbers and letters that fit its type"),
        doc: "What a column of a generated table holds.",
        example: "column orders.customer_id zipfian 1 to 10k",
        ..Shape::BASE
    },
    Shape {
        name: "draw",
        parts: &[
            One("name", Kind::Name),
            One("distribution", DRAWN),
            Maybe(&[Keyword("of"), List("text", Kind::Text)]),
            Maybe(&[Keyword("from"), One("column", Kind::DottedName)]),
            Maybe(&[One("low", ANY_COUNT), Keyword("to"), One("high", ANY_COUNT)]),
        ],
        parents: &[SqlWorkload],
        repeat: Repeat::OncePer(&["name"]),
        doc: "A parameter of the transactions, drawn anew for each; used as `:NAME`.",
        example: "draw customer zipfian 1 to 100k",
        ..Shape::BASE
    },
    Shape {
        name: "transaction",
        parts: &[
            One("name", Kind::Name),
            Keyword("weight"),
            One("weight", Kind::up_to(1_000_000)),
            One("sql", Kind::Text),
        ],
        parents: &[SqlWorkload],
        repeat: Repeat::OncePer(&["name"]),
        doc: "A transaction: its share of the mix and its statements.",
        example: "transaction pay weight 45 \"\"\"UPDATE account SET paid = paid + 1 WHERE id = :customer\"\"\"",
        ..Shape::BASE
    },
    Shape {
        name: "tool",
        parts: &[One("value", Kind::Words(&["sysbench", "tpcc_start", "command"]))],
        parents: &[ExternalWorkload],
        doc: "The tool, whose output enginecmp reads.",
        example: "tool sysbench",
        ..Shape::BASE
    },
    Shape {
        name: "script",
        parts: &[One("value", Kind::Text)],
        parents: &[ExternalWorkload],
        doc: "The script that the tool runs.",
        example: "script \"my.lua\"",
        ..Shape::BASE
    },
    Shape {
        name: "argument",
        parts: &[List("value", Kind::Text)],
        parents: &[ExternalWorkload, Load],
        repeat: Repeat::Many,
        doc: "Arguments that the tool gets as they are; no shell reads them.",
        example: "argument \"--tables=10\"",
        ..Shape::BASE
    },
    Shape {
        name: "program",
        parts: &[One("value", Kind::Text)],
        parents: &[ExternalWorkload, Load],
        default: Some("the tool's own name, found on the PATH"),
        doc: "The program of `tool command` or `path external command`, or where another tool lies; no shell starts it.",
        example: "program \"/usr/local/bin/my-bench\"",
        ..Shape::BASE
    },
    Shape {
        name: "prepare",
        parts: &[List("value", Kind::Text)],
        parents: &[ExternalWorkload],
        repeat: Repeat::Many,
        doc: "Arguments with which `tool command` loads its data.",
        example: "prepare \"load\", \"--socket={socket}\"",
        ..Shape::BASE
    },
    Shape {
        name: "output",
        parts: &[One("value", Kind::Words(&["sysbench", "tpcc_start", "go_tpc"]))],
        parents: &[ExternalWorkload],
        doc: "The format of the output of `tool command`.",
        example: "output sysbench",
        ..Shape::BASE
    },
];
