//! What is asked of the results: comparisons, expectations, probes, tables, figures.

use super::Parent::{Profile, SqlWorkload, Suite, Workload};
use super::Part::{Condition, Keyword, List, Maybe, Metric, One, Operator};
use super::{Kind, Repeat, Shape};

pub(super) const ROWS: &[Shape] = &[
    Shape {
        name: "compare",
        parts: &[List("axis", Kind::OptionName), Keyword("against"), List("value", Kind::Any)],
        parents: &[Suite, Profile],
        repeat: Repeat::Many,
        doc: "Every other value of the axis gets its delta against the baseline.",
        example: "compare engine against innodb",
        ..Shape::BASE
    },
    Shape {
        name: "average",
        parts: &[One("value", Kind::Words(&["median", "mean"]))],
        parents: &[Suite, Profile],
        default: Some("median"),
        doc: "What of the repetitions is compared.",
        example: "average mean",
        ..Shape::BASE
    },
    Shape {
        name: "probe",
        parts: &[One("name", Kind::Name), One("sql", Kind::Text), Maybe(&[Keyword("cold")])],
        parents: &[Suite, Profile, Workload, SqlWorkload],
        repeat: Repeat::OncePer(&["name"]),
        doc: "A timed query on a server start of its own; `cold`: after dropping the system's caches.",
        example: "probe count_customer \"select count(*) from customer\" cold",
        ..Shape::BASE
    },
    Shape {
        name: "expect",
        parts: &[
            Metric("metric"),
            Keyword("of"),
            One("subject", Kind::Name),
            Operator("op"),
            One("bound", Kind::Any),
            Maybe(&[Keyword("since"), Keyword("baseline")]),
            Maybe(&[Keyword("where"), Condition("condition")]),
        ],
        parents: &[Suite, Profile],
        repeat: Repeat::Many,
        doc: "What must come out; a signed percentage is a delta, a value with its unit is absolute.",
        example: "expect tpmc of toku >= +10% where warehouses >= 200",
        ..Shape::BASE
    },
    Shape {
        name: "table",
        parts: &[One("rows", Kind::OptionName), Keyword("by"), One("columns", Kind::OptionName)],
        parents: &[Suite, Profile],
        doc: "Shapes the report: this axis down, that one across.",
        example: "table cache by engine",
        ..Shape::BASE
    },
    Shape {
        name: "figure",
        parts: &[
            One("what", Kind::Words(&["throughput", "latency"])),
            Maybe(&[Keyword("every"), One("window", Kind::Duration)]),
        ],
        parents: &[Suite, Profile],
        repeat: Repeat::OncePer(&["what"]),
        doc: "Draws this over time in windows of this length, in place of the recorded seconds.",
        example: "figure throughput every 30s",
        ..Shape::BASE
    },
    Shape {
        name: "collect",
        parts: &[List("command", Kind::Text)],
        parents: &[Suite, Profile],
        repeat: Repeat::Many,
        doc: "Commands that run beside the measured phases of each repetition; needs `--allow-external`. No shell reads them: blanks part arguments, quotes keep blanks. What they say is kept beside the journal.",
        example: "collect \"iostat -x 1\"",
        ..Shape::BASE
    },
];
