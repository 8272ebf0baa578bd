//! DDL transforms, case by case: each script below `tests/fixtures/schema` with what becomes of it
//! (`.out`) and what is said about it (`.notes`).

use crate::support::golden::{assert_golden, fixture};
use crate::support::schema_case::{SchemaCase, schema_cases};
use enginecmp::schema::{Note, Transform, transform, transform_stream};
use std::fmt::Write as _;
use std::io::Read;

fn notes(notes: &[Note]) -> String {
    let mut out = String::new();
    for note in notes {
        let table = note.table.as_ref().map_or_else(String::new, |table| format!(" {table}"));
        let mark = if note.refused { "refused: " } else { "" };
        writeln!(out, "{}{table}: {mark}{}", note.line, note.text).expect("strings take all");
    }
    out
}

fn each(check: impl Fn(&SchemaCase)) {
    let cases = schema_cases();
    assert!(cases.len() >= 100, "{} cases", cases.len());
    cases.iter().for_each(check);
}

#[test]
fn scripts_become_what_was_agreed() {
    each(|case| {
        let result = transform(&case.script, &case.transform);
        assert_golden(&format!("schema/{}.out", case.name), &result.script);
        let said = notes(&result.notes);
        let path = format!("schema/{}.notes", case.name);
        if !said.is_empty() || fixture(&path).exists() {
            assert_golden(&path, &said);
        }
    });
}

#[test]
fn transforming_twice_is_transforming_once() {
    each(|case| {
        // A rewrite is the user's own and may match what it wrote.
        let transform_of = Transform { rewrites: Vec::new(), ..case.transform.clone() };
        let once = transform(&case.script, &transform_of);
        let twice = transform(&once.script, &transform_of);
        assert_eq!(once.script, twice.script, "{}", case.name);
    });
}

#[test]
fn without_a_transform_every_byte_stays() {
    each(|case| {
        let result = transform(&case.script, &Transform::default());
        assert_eq!(result.script, case.script, "{}", case.name);
        assert_eq!(notes(&result.notes), "", "{}", case.name);
    });
}

#[test]
fn a_stream_in_small_pieces_gives_the_same_as_the_whole_text() {
    struct Pieces<'t>(&'t [u8], usize);
    impl Read for Pieces<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let length = self.1.min(self.0.len()).min(into.len());
            let (piece, rest) = self.0.split_at(length);
            into[..length].copy_from_slice(piece);
            self.0 = rest;
            Ok(length)
        }
    }
    each(|case| {
        let whole = transform(&case.script, &case.transform);
        for piece in [1, 7, 4096] {
            let mut out = Vec::new();
            let input = Pieces(case.script.as_bytes(), piece);
            let streamed = transform_stream(input, &mut out, &case.transform).expect("memory");
            assert_eq!(String::from_utf8_lossy(&out), whole.script, "{} by {piece}", case.name);
            assert_eq!(streamed.notes, whole.notes, "{} by {piece}", case.name);
            assert_eq!(streamed.tables, whole.tables, "{} by {piece}", case.name);
            assert_eq!(streamed.engines, whole.engines, "{} by {piece}", case.name);
        }
    });
}
