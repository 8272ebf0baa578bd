//! Broken suites, each with what is printed about it.

use crate::support::golden::{assert_golden, fixture};
use enginecmp::diagnostic::{Diagnostic, SourceMap, codes, render};
use enginecmp::syntax::shapes::Parent;
use enginecmp::syntax::tree::Statement;
use enginecmp::syntax::{BlockReader, Variables, condition, parse_bytes};
use std::collections::BTreeSet;
use std::fs;

/// The broken suites of one stage: name and bytes.
fn suites(stage: &str) -> Vec<(String, Vec<u8>)> {
    let folder = fixture(&format!("errors/{stage}"));
    let mut found: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "bench"))
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let bytes = fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            (name, bytes)
        })
        .collect();
    if stage == "syntax" {
        // Too large to be kept as a file.
        found.push(("ten_megabytes".to_string(), b"clients 1, ".repeat(1 << 20)));
    }
    found.sort();
    assert!(!found.is_empty(), "no suites in {}", folder.display());
    found
}

/// Everything that the syntax and the shapes find wrong, statement by statement.
fn read_all(
    statements: &[Statement],
    parent: Parent,
    variables: &mut Variables,
    sources: &SourceMap,
    found: &mut Vec<Diagnostic>,
) {
    let mut reader = BlockReader::new(parent);
    for statement in statements {
        let Some(reading) = reader.read(statement, variables, found) else { continue };
        if reading.shape.name == "let" {
            let name = reading.text("name").expect("`let` has a name").to_string();
            variables.define(name, reading.words("value").to_vec());
        }
        if !reading.words("condition").is_empty() {
            let words = reading.words("condition");
            found.extend(condition(words, sources, &|_| None).err());
        }
        if let Some((inside, children)) = reading.inside() {
            read_all(children, inside, variables, sources, found);
        }
    }
}

fn check_syntax(name: &str, bytes: &[u8]) -> (SourceMap, Vec<Diagnostic>) {
    let mut sources = SourceMap::new();
    let (_, tree, mut found) = parse_bytes(&mut sources, name, bytes);
    read_all(&tree.statements, Parent::Suite, &mut Variables::default(), &sources, &mut found);
    (sources, found)
}

#[test]
fn broken_syntax_is_explained() {
    for (name, bytes) in suites("syntax") {
        let (sources, found) = check_syntax(&format!("{name}.bench"), &bytes);
        assert!(!found.is_empty(), "{name} is not wrong");
        let shown = render(&found, &sources, false, 100);
        assert_golden(&format!("errors/syntax/{name}.stderr"), &shown);
    }
}

#[test]
fn every_syntax_code_has_a_broken_suite() {
    let mut missing: BTreeSet<_> =
        codes::all().map(|entry| entry.code).filter(|code| code.starts_with("E01")).collect();
    for (name, bytes) in suites("syntax") {
        for diagnostic in check_syntax(&name, &bytes).1 {
            missing.remove(diagnostic.code);
        }
    }
    assert!(missing.is_empty(), "no suite in errors/syntax shows {missing:?}");
}

#[test]
fn the_wrong_example_of_every_syntax_code_is_wrong_and_the_right_one_is_not() {
    for entry in codes::all().filter(|entry| entry.code.starts_with("E01")) {
        // What is too large has no example that could be printed.
        let wrong = match entry.code {
            codes::TOO_LARGE => b"x ".repeat(4 << 20),
            _ => entry.wrong.as_bytes().to_vec(),
        };
        let (_, found) = check_syntax("t.bench", &wrong);
        assert!(found.iter().any(|d| d.code == entry.code), "{}: {found:?}", entry.code);
        let (_, found) = check_syntax("t.bench", entry.right.as_bytes());
        assert_eq!(found, [], "{}", entry.code);
    }
}
