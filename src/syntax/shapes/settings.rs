//! Settings of servers and of the machine around them: options, portable settings.

use super::Parent::{AxisValue, Engine, Point, Profile, Server, Suite, Variant};
use super::Part::{Keyword, List, Maybe, One};
use super::{Kind, Parent, Repeat, Shape};

/// Where options and portable settings may stand.
const LEVELS: &[Parent] = &[Suite, Server, Engine, Variant, AxisValue, Point, Profile];

/// The same without engines: chosen once for a pair.
const SHARED_LEVELS: &[Parent] = &[Suite, Server, Variant, AxisValue, Point, Profile];

pub(super) const ROWS: &[Shape] = &[
    Shape {
        name: "option",
        parts: &[
            One("name", Kind::OptionName),
            Maybe(&[Keyword("="), List("value", Kind::OptionValue)]),
            Maybe(&[Keyword("by"), Keyword("set_global")]),
        ],
        parents: LEVELS,
        repeat: Repeat::OncePer(&["name"]),
        axis: true,
        doc: "A server option; bare for those without a value; `by set_global` sets it on the running server.",
        example: "option innodb_flush_log_at_trx_commit = 1",
        ..Shape::BASE
    },
    Shape {
        name: "option+",
        parts: &[One("name", Kind::OptionName), Keyword("="), One("value", Kind::OptionValue)],
        parents: LEVELS,
        repeat: Repeat::Many,
        doc: "One more line of an option that may be given several times.",
        example: "option+ plugin_load_add = \"ha_rocksdb\"",
        ..Shape::BASE
    },
    Shape {
        name: "session",
        parts: &[One("name", Kind::OptionName), Keyword("="), List("value", Kind::OptionValue)],
        parents: LEVELS,
        repeat: Repeat::OncePer(&["name"]),
        axis: true,
        doc: "A variable that every client sets on its connection.",
        example: "session sort_buffer_size = 1M",
        ..Shape::BASE
    },
    Shape {
        name: "cache",
        parts: &[List("value", Kind::OneOf(&[Kind::Size, Kind::PercentOf(&["data", "memory"])]))],
        parents: LEVELS,
        axis: true,
        default: Some("128MB for every engine under test"),
        doc: "The engine's cache, whatever its option is called.",
        example: "cache 1GB, 4GB",
        ..Shape::BASE
    },
    Shape {
        name: "io",
        parts: &[List("value", Kind::Words(&["direct", "buffered"]))],
        parents: LEVELS,
        axis: true,
        default: Some("direct where every engine of the suite can, else buffered for all"),
        doc: "Whether the engine reads and writes around the page cache.",
        example: "io direct, buffered",
        ..Shape::BASE
    },
    Shape {
        name: "redo",
        parts: &[List("value", Kind::OneOf(&[Kind::Files, Kind::Size]))],
        parents: LEVELS,
        axis: true,
        default: Some("the release's own default"),
        doc: "The redo log: files x size, or its whole size.",
        example: "redo 2x4GB, 2x8GB",
        ..Shape::BASE
    },
    Shape {
        name: "compression",
        parts: &[List(
            "value",
            Kind::Words(&["none", "lz4", "snappy", "zlib", "zstd", "lzma", "quicklz"]),
        )],
        parents: LEVELS,
        axis: true,
        default: Some("the engine's own default"),
        doc: "How the engine compresses its tables.",
        example: "compression none, zlib",
        ..Shape::BASE
    },
    Shape {
        name: "isolation",
        parts: &[List(
            "value",
            Kind::Words(&["read_uncommitted", "read_committed", "repeatable_read", "serializable"]),
        )],
        parents: SHARED_LEVELS,
        axis: true,
        default: Some("repeatable_read where every engine offers every level, else read_committed"),
        doc: "The isolation level of every client; chosen once for a pair, never by engine.",
        example: "isolation read_committed",
        ..Shape::BASE
    },
    Shape {
        name: "os_cache",
        parts: &[List("value", Kind::Words(&["keep", "drop"]))],
        parents: SHARED_LEVELS,
        axis: true,
        default: Some("keep"),
        doc: "`drop`: all of the operating system's caches are dropped before each repetition.",
        example: "os_cache drop",
        ..Shape::BASE
    },
];
