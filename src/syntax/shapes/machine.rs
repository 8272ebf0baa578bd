//! The machine that servers get, and the test of its disk.

use super::Parent::{Disk, Machine, Profile, Suite};
use super::Part::One;
use super::{BlockRule, Kind, Shape};

pub(super) const ROWS: &[Shape] = &[
    Shape {
        name: "machine",
        block: BlockRule::Required(Machine),
        parents: &[Suite, Profile],
        doc: "Limits inside which servers run.",
        example: "machine { memory 2GB; cpus 0..1; client_cpus 2..3 }",
        ..Shape::BASE
    },
    Shape {
        name: "memory",
        parts: &[One("value", Kind::Size)],
        parents: &[Machine],
        doc: "Memory of the server, its share of the page cache included.",
        example: "memory 2GB",
        ..Shape::BASE
    },
    Shape {
        name: "cpus",
        parts: &[One("value", Kind::Processors)],
        parents: &[Machine],
        doc: "Processors of the server.",
        example: "cpus 0..1",
        ..Shape::BASE
    },
    Shape {
        name: "client_cpus",
        parts: &[One("value", Kind::Processors)],
        parents: &[Machine],
        doc: "Processors of the clients.",
        example: "client_cpus 2..3",
        ..Shape::BASE
    },
    Shape {
        name: "disk",
        block: BlockRule::Required(Disk),
        parents: &[Suite, Profile],
        doc: "Tests the disk of the data with fio before and after the suite.",
        example: "disk { block 16k; read 70%; size 2G; jobs 30; time 120s; engine psync; io direct }",
        ..Shape::BASE
    },
    Shape {
        name: "block",
        parts: &[One("value", Kind::Size)],
        parents: &[Disk],
        default: Some("16K"),
        doc: "Bytes of each request.",
        example: "block 16k",
        ..Shape::BASE
    },
    Shape {
        name: "read",
        parts: &[One("value", Kind::Percent)],
        parents: &[Disk],
        default: Some("70%"),
        doc: "The share of reads.",
        example: "read 70%",
        ..Shape::BASE
    },
    Shape {
        name: "size",
        parts: &[One("value", Kind::Size)],
        parents: &[Disk],
        default: Some("2GB"),
        doc: "Bytes of the test's file.",
        example: "size 2G",
        ..Shape::BASE
    },
    Shape {
        name: "jobs",
        parts: &[One("value", Kind::up_to(1024))],
        parents: &[Disk],
        default: Some("30"),
        doc: "Jobs at once.",
        example: "jobs 30",
        ..Shape::BASE
    },
    Shape {
        name: "time",
        parts: &[One("value", Kind::Duration)],
        parents: &[Disk],
        default: Some("120s"),
        doc: "How long it runs.",
        example: "time 120s",
        ..Shape::BASE
    },
    Shape {
        name: "engine",
        parts: &[One("value", Kind::Words(&["psync", "libaio", "io_uring"]))],
        parents: &[Disk],
        default: Some("psync"),
        doc: "How fio issues its requests.",
        example: "engine psync",
        ..Shape::BASE
    },
    Shape {
        name: "io",
        parts: &[One("value", Kind::Words(&["direct", "buffered"]))],
        parents: &[Disk],
        default: Some("direct"),
        doc: "Whether the test goes around the page cache.",
        example: "io direct",
        ..Shape::BASE
    },
];
