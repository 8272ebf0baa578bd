//! Journals that nobody wrote: read, resumed, compared and reported.

use crate::support::fuzz::{Target, corpus};
use enginecmp::compare;
use enginecmp::journal::{Done, effective, merge, parse};
use enginecmp::report::{self, Format, Output};
use std::path::Path;

/// Texts that make a mutation interesting.
const DICTIONARY: &[&str] = &[
    "\n",
    "{",
    "}",
    "[",
    "]",
    "[]",
    "{}",
    "null",
    "true",
    "\"\"",
    ",",
    ":",
    "\\u0000",
    "\\ud800",
    "{\"t\":\"end\",\"at\":\"\",\"finished\":0,\"failed\":0,\"interrupted\":false}\n",
    "{\"t\":\"resumed\",\"at\":\"\",\"tool\":\"\",\"again\":[]}\n",
    "{\"t\":\"later\",\"x\":1}\n",
    "\"failure\":null,",
    "\"metrics\":[],",
    "\"v\":1",
    "\u{feff}",
    "\0\0\0\n",
];

/// A journal that is read says the same each time, and whatever it says can be reported.
fn take(bytes: &[u8]) {
    let file = Path::new("fuzz.jsonl");
    let Ok(journal) = parse(file, bytes) else { return };
    let whole = journal.whole_bytes as usize;
    assert!(whole <= bytes.len());
    let again = parse(file, &bytes[..whole]).expect("what is whole stays so");
    assert_eq!(again.records.len(), journal.records.len());
    assert!(again.torn.is_none());
    journal.warnings();
    let done = Done::of(&journal);
    let counted = journal.repetitions().len();
    assert!((done.finished + done.failed) as usize <= counted);
    assert!(effective(&journal.records).len() <= journal.records.len());
    let merged = merge::merge(std::slice::from_ref(&journal), "fuzz", true);
    let comparison = compare::compare(&journal.records);
    for format in Format::ALL {
        report::render(&comparison, *format, Output { width: 100, color: false, whole: false });
    }
    if let Ok(records) = merged {
        compare::compare(&records);
    }
}

pub(crate) fn target() -> Target {
    let mut seeds = corpus("journal", &["jsonl"]);
    for journal in corpus("journals", &["jsonl"]) {
        // The head of a run with some of its repetitions.
        let lines: Vec<&[u8]> = journal.split_inclusive(|byte| *byte == b'\n').collect();
        for count in [8, 16, 24] {
            seeds.push(lines[..count.min(lines.len())].concat());
        }
    }
    Target {
        name: "journal",
        take: Box::new(take),
        corpus: seeds,
        dictionary: DICTIONARY,
        longest: 80,
    }
}
