//! Schema, loading and settling.

use super::Parent::{Engine, Load, Profile, Schema, SqlWorkload, Suite, Workload};
use super::Part::{Keyword, List, One};
use super::{BlockRule, Kind, Repeat, Shape};

pub(super) const ROWS: &[Shape] = &[
    Shape {
        name: "schema",
        block: BlockRule::Required(Schema),
        parents: &[Suite, Engine, Workload, SqlWorkload, Profile],
        doc: "What is changed in the workload's schema, or where another schema is read from.",
        example: "schema { strip foreign_keys; keep foreign_key_indexes }",
        ..Shape::BASE
    },
    Shape {
        name: "from",
        parts: &[List("file", Kind::Text)],
        parents: &[Schema],
        doc: "DDL scripts of your own, in this order; several files are no axis.",
        example: "from \"tables.sql\", \"indexes.sql\"",
        ..Shape::BASE
    },
    Shape {
        name: "strip",
        parts: &[List(
            "what",
            Kind::Words(&["foreign_keys", "secondary_indexes", "fulltext", "spatial"]),
        )],
        parents: &[Schema, Engine],
        repeat: Repeat::Many,
        default: Some("foreign_keys, where an engine of the suite has none"),
        doc: "Leaves out what an engine cannot take, for both sides; lines add up.",
        example: "strip foreign_keys",
        ..Shape::BASE
    },
    Shape {
        name: "keep",
        parts: &[One("what", Kind::Words(&["foreign_key_indexes"]))],
        parents: &[Schema, Engine],
        doc: "Makes the indexes that stripped foreign keys implied.",
        example: "keep foreign_key_indexes",
        ..Shape::BASE
    },
    Shape {
        name: "charset",
        parts: &[One("value", Kind::Name)],
        parents: &[Schema],
        default: Some("that of the collation; latin1, for scripts of your own utf8mb4"),
        doc: "The character set of every table that states none.",
        example: "charset utf8mb4",
        ..Shape::BASE
    },
    Shape {
        name: "collation",
        parts: &[One("value", Kind::Name)],
        parents: &[Schema],
        default: Some("the character set's binary one"),
        doc: "The collation of every table that states none.",
        example: "collation utf8mb4_bin",
        ..Shape::BASE
    },
    Shape {
        name: "add",
        parts: &[One("what", Kind::Words(&["primary_key"]))],
        parents: &[Schema, Engine],
        doc: "Gives every table without a primary key one.",
        example: "add primary_key",
        ..Shape::BASE
    },
    Shape {
        name: "rewrite",
        parts: &[
            One("pattern", Kind::Text),
            Keyword("to"),
            One("text", Kind::Text),
            Keyword("in"),
            One("tables", Kind::Text),
        ],
        parents: &[Schema],
        repeat: Repeat::Many,
        doc: "Replaces what a regular expression finds in the DDL of the tables that are LIKE the name.",
        example: "rewrite \"\"\"DEFAULT CHARSET=\\w+\"\"\" to \"DEFAULT CHARSET=utf8mb4\" in \"order%\"",
        ..Shape::BASE
    },
    Shape {
        name: "load",
        block: BlockRule::Required(Load),
        parents: &[Suite, Profile, Workload],
        doc: "How rows are brought in.",
        example: "load { path bulk; threads 2; indexes after }",
        ..Shape::BASE
    },
    Shape {
        name: "path",
        parts: &[Keyword("bulk")],
        parents: &[Load],
        default: Some("bulk"),
        doc: "The fastest path that is safe for the engine.",
        example: "path bulk",
        ..Shape::BASE
    },
    Shape {
        name: "path",
        parts: &[Keyword("rows"), One("rows", Kind::up_to(100_000))],
        parents: &[Load],
        doc: "Multi-row INSERT of so many rows.",
        example: "path rows 1000",
        ..Shape::BASE
    },
    Shape {
        name: "path",
        parts: &[Keyword("external"), One("tool", Kind::Words(&["tpcc_load", "command"]))],
        parents: &[Load],
        doc: "An outside tool loads, into the tables that the suite states; needs `--allow-external`.",
        example: "path external tpcc_load",
        ..Shape::BASE
    },
    Shape {
        name: "threads",
        parts: &[One("value", Kind::up_to(1024))],
        parents: &[Load],
        default: Some("the processors of the machine"),
        doc: "Connections that load at once.",
        example: "threads 4",
        ..Shape::BASE
    },
    Shape {
        name: "indexes",
        parts: &[One("value", Kind::Words(&["before", "after"]))],
        parents: &[Load],
        default: Some("after"),
        doc: "Whether secondary indexes and keys are made before the rows or after.",
        example: "indexes before",
        ..Shape::BASE
    },
    Shape {
        name: "settle",
        parts: &[One("value", Kind::OneOf(&[Kind::Words(&["full", "none"]), Kind::Duration]))],
        parents: &[Suite, Profile, Workload, SqlWorkload],
        default: Some("full"),
        doc: "How long an engine may work off what a load left behind.",
        example: "settle 30s",
        ..Shape::BASE
    },
];
