//! What a suite declares: servers, engines, variants, axes, points, profiles, names.

use super::Parent::{Axis, AxisValue, Engine, ExternalWorkload, Point, Profile, Server};
use super::Parent::{SqlWorkload, Suite, Variant, Workload};
use super::Part::{Condition, Keyword, List, One};
use super::{BlockRule, Kind, Repeat, Shape};
use crate::model::equality::ALLOWABLE;

pub(super) const ROWS: &[Shape] = &[
    Shape {
        name: "suite",
        parts: &[One("title", Kind::Text)],
        parents: &[Suite],
        default: Some("the file's name"),
        doc: "The title, printed above every table.",
        example: "suite \"TokuDB against InnoDB, TPC-C\"",
        ..Shape::BASE
    },
    Shape {
        name: "include",
        parts: &[One("file", Kind::Text)],
        parents: &[Suite],
        repeat: Repeat::Many,
        doc: "Takes the statements of another file, named relative to this one; each file once.",
        example: "include \"engines.bench\"",
        ..Shape::BASE
    },
    Shape {
        name: "let",
        parts: &[One("name", Kind::Name), List("value", Kind::Any)],
        parents: &[Suite],
        repeat: Repeat::OncePer(&["name"]),
        doc: "Names values; `$NAME` stands for them in the statements below.",
        example: "let sizes 64M, 256M, 1GB",
        ..Shape::BASE
    },
    Shape {
        name: "seed",
        parts: &[One("value", Kind::Count { min: 0, max: u64::MAX })],
        parents: &[Suite, Profile],
        default: Some("1"),
        doc: "The seed of data and order: the same seed gives the same bytes.",
        example: "seed 42",
        ..Shape::BASE
    },
    Shape {
        name: "server",
        parts: &[One("name", Kind::Name)],
        block: BlockRule::Required(Server),
        parents: &[Suite, Profile],
        repeat: Repeat::OncePer(&["name"]),
        default: Some("the found server that has most of the engines"),
        doc: "A release to run; several are values of the axis `server`.",
        example: "server mysql_56 { release \"mysql 5.6\" }",
        ..Shape::BASE
    },
    Shape {
        name: "basedir",
        parts: &[One("folder", Kind::Text)],
        parents: &[Server],
        doc: "The folder in which the server is installed.",
        example: "basedir \"/usr/local/mysql\"",
        ..Shape::BASE
    },
    Shape {
        name: "release",
        parts: &[One("release", Kind::Text)],
        parents: &[Server],
        doc: "Family and release, looked for among the servers of this machine.",
        example: "release \"mysql 5.6\"",
        ..Shape::BASE
    },
    Shape {
        name: "dsn",
        parts: &[One("address", Kind::Text)],
        parents: &[Server],
        doc: "A server that runs already: `mysql://USER@HOST:PORT/DATABASE` or a socket.",
        example: "dsn \"mysql://bench@127.0.0.1:3306/bench\"",
        ..Shape::BASE
    },
    Shape {
        name: "password_env",
        parts: &[One("variable", Kind::Name)],
        parents: &[Server],
        doc: "The environment variable that holds the password; a suite never does.",
        example: "password_env BENCH_PASSWORD",
        ..Shape::BASE
    },
    Shape {
        name: "tls_ca",
        parts: &[One("file", Kind::Text)],
        parents: &[Server],
        doc: "Reaches a server by DSN with TLS; an authority in this file must have signed its certificate, which must be for the host of the DSN.",
        example: "tls_ca \"ca.pem\"",
        ..Shape::BASE
    },
    Shape {
        name: "reuse",
        parts: &[Keyword("data")],
        parents: &[Server],
        doc: "Repetitions on a server by DSN run on the data that an earlier run left there; there is \
              no verdict then.",
        example: "reuse data",
        ..Shape::BASE
    },
    Shape {
        name: "engine",
        parts: &[One("name", Kind::Name)],
        block: BlockRule::Required(Engine),
        parents: &[Suite],
        repeat: Repeat::OncePer(&["name"]),
        doc: "A storage engine with its format and options; a value of the axis `engine`.",
        example: "engine toku { storage TokuDB; compression zlib }",
        ..Shape::BASE
    },
    Shape {
        name: "storage",
        parts: &[One("engine", Kind::Name)],
        parents: &[Engine],
        doc: "The engine's name as the server knows it.",
        example: "storage RocksDB",
        ..Shape::BASE
    },
    Shape {
        name: "row_format",
        parts: &[One("value", Kind::Name)],
        parents: &[Engine],
        default: Some("the engine's own"),
        doc: "The row format of every table.",
        example: "row_format DYNAMIC",
        ..Shape::BASE
    },
    Shape {
        name: "extends",
        parts: &[One("name", Kind::Name)],
        parents: &[
            Engine,
            Server,
            Variant,
            AxisValue,
            Workload,
            SqlWorkload,
            ExternalWorkload,
            Profile,
        ],
        doc: "Begins with the lines of another block of the same kind; later lines win.",
        example: "extends toku",
        ..Shape::BASE
    },
    Shape {
        name: "variant",
        parts: &[One("name", Kind::Name)],
        block: BlockRule::Required(Variant),
        parents: &[Suite],
        repeat: Repeat::OncePer(&["name"]),
        doc: "A named bundle of settings; a value of the axis `variant`.",
        example: "variant big_log { option innodb_log_file_size = 1G }",
        ..Shape::BASE
    },
    Shape {
        name: "axis",
        parts: &[One("name", Kind::Name)],
        block: BlockRule::Required(Axis),
        parents: &[Suite, Profile],
        repeat: Repeat::OncePer(&["name"]),
        doc: "An axis whose values are names for several settings at once.",
        example: "axis redo { small { redo 2x4GB }; large { redo 2x8GB } }",
        ..Shape::BASE
    },
    Shape {
        name: "point",
        block: BlockRule::Required(Point),
        parents: &[Suite, Profile],
        repeat: Repeat::Many,
        doc: "Fixes the axes that it names, instead of multiplying them; several values multiply inside.",
        example: "point { only innodb, toku; warehouses 100; cache 4GB; clients 32, 64 }",
        ..Shape::BASE
    },
    Shape {
        name: "only",
        parts: &[List("engine", Kind::Name)],
        parents: &[Point, Suite, Profile],
        default: Some("every engine"),
        doc: "The engines of this point, or of the whole suite.",
        example: "only innodb, toku",
        ..Shape::BASE
    },
    Shape {
        name: "server",
        parts: &[List("value", Kind::Name)],
        parents: &[Point],
        default: Some("every server"),
        doc: "The servers of this point.",
        example: "server mysql_56",
        ..Shape::BASE
    },
    Shape {
        name: "workload",
        parts: &[List("value", Kind::Name)],
        parents: &[Point],
        default: Some("every workload"),
        doc: "The workloads of this point.",
        example: "workload tpcc",
        ..Shape::BASE
    },
    Shape {
        name: "variant",
        parts: &[List("value", Kind::Name)],
        parents: &[Point],
        default: Some("every variant"),
        doc: "The variants of this point.",
        example: "variant big_log",
        ..Shape::BASE
    },
    Shape {
        name: "where",
        parts: &[Condition("condition")],
        parents: &[Suite, Profile],
        repeat: Repeat::Many,
        doc: "Keeps the cells for which the condition holds; one that lacks a setting is kept.",
        example: "where warehouses >= 200 and not (cache < 4GB)",
        ..Shape::BASE
    },
    Shape {
        name: "profile",
        parts: &[One("name", Kind::Name)],
        block: BlockRule::Required(Profile),
        parents: &[Suite],
        repeat: Repeat::OncePer(&["name"]),
        doc: "A named set of overrides, chosen by `--profile NAME`.",
        example: "profile smoke { warehouses 1; clients 2; measure 3s }",
        ..Shape::BASE
    },
    Shape {
        name: "allow",
        parts: &[
            Keyword("unequal"),
            One("what", Kind::Words(ALLOWABLE)),
            Keyword("because"),
            One("reason", Kind::Text),
        ],
        parents: &[Suite, Profile],
        repeat: Repeat::OncePer(&["what"]),
        doc: "Keeps the delta of sides that differ in something undeclared, and prints the reason.",
        example: "allow unequal durability because \"the question is what it costs\"",
        ..Shape::BASE
    },
    Shape {
        name: "defaults",
        parts: &[One("value", Kind::Words(&["shipped", "levelled"]))],
        parents: &[Suite, Profile],
        doc: "With which defaults servers are compared: their own, or one set for all. `compare server` needs it.",
        example: "defaults levelled",
        ..Shape::BASE
    },
    Shape {
        name: "defaults_file",
        parts: &[One("file", Kind::Text)],
        parents: &[Suite, Server, Profile],
        doc: "An option file of your own; the suite's options win over it.",
        example: "defaults_file \"my.cnf\"",
        ..Shape::BASE
    },
    Shape {
        name: "start",
        parts: &[List("value", Kind::Words(&["cold", "lukewarm", "warm", "hot"]))],
        parents: &[Suite, Variant, AxisValue, Point, Profile, Workload, SqlWorkload],
        axis: true,
        doc: "What is in the caches when the measuring begins: nothing; the server's own; the files in the page cache; what the warm-up leaves. Cold and warm ones have no warm-up.",
        example: "start cold",
        ..Shape::BASE
    },
    Shape {
        name: "dataset",
        parts: &[One("value", Kind::Words(&["shared", "each"]))],
        parents: &[Suite, Profile, Workload, SqlWorkload],
        default: Some("shared"),
        doc: "`each`: loaded and run in one server start, again in each repetition.",
        example: "dataset each",
        ..Shape::BASE
    },
];
