//! The language's documentation: made from the table of statements, and true.

use crate::support::case::enginecmp;
use enginecmp::diagnostic::{Diagnostic, SourceMap, codes, render};
use enginecmp::syntax::shapes::{self, PARAMETER, Parent};
use enginecmp::syntax::tree::Statement;
use enginecmp::syntax::{
    BlockReader, Variables, condition, editor, format, parse_bytes, reference,
};
use enginecmp::workload::WorkloadKind;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &str) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What is wrong with statements in `parent`, which is a workload of `kind`; blocks included.
fn wrong(
    statements: &[Statement],
    parent: Parent,
    kind: Option<&WorkloadKind>,
    variables: &mut Variables,
    sources: &SourceMap,
) -> Vec<Diagnostic> {
    let mut reader = BlockReader::new(parent);
    let mut found = Vec::new();
    for statement in statements {
        let Some(reading) = reader.read(statement, variables, &mut found) else { continue };
        let known =
            kind.is_some_and(|kind| kind.parameters.iter().any(|one| one.name == reading.name()));
        if std::ptr::eq(reading.shape, &raw const PARAMETER) && !known {
            let message = format!("`{}` has no row of its own", reading.name());
            found.push(Diagnostic::error(codes::UNKNOWN_STATEMENT, reading.span(), message));
        }
        if reading.shape.name == "let" {
            let name = reading.text("name").expect("`let` has a name").to_string();
            variables.define(name, reading.words("value").to_vec());
        }
        if !reading.words("condition").is_empty() {
            found.extend(condition(reading.words("condition"), sources, &|_| None).err());
        }
        if let Some((inside, children)) = reading.inside() {
            // A workload's own parameters are rows of its kind.
            let kind = (inside == Parent::Workload)
                .then(|| reading.text("kind").and_then(WorkloadKind::find))
                .flatten();
            found.extend(wrong(children, inside, kind, variables, sources));
        }
    }
    found
}

/// Checks that a piece of suite text stands somewhere without an error.
fn check(place: &str, suite: &str) {
    let mut sources = SourceMap::new();
    let (_, tree, errors) = parse_bytes(&mut sources, place, suite.as_bytes());
    assert_eq!(errors, [], "{place}:\n{suite}");
    let tries = Parent::ALL
        .iter()
        .map(|parent| wrong(&tree.statements, *parent, None, &mut Variables::default(), &sources));
    let best = tries.min_by_key(Vec::len).unwrap_or_default();
    assert!(best.is_empty(), "{place}:\n{}", render(&best, &sources, false, 100));
}

#[test]
fn every_suite_in_the_documentation_is_right() {
    let mut pages = vec![root().join("README.md")];
    for folder in ["docs", "docs/workloads"] {
        let docs = fs::read_dir(root().join(folder)).expect("there is documentation");
        pages.extend(docs.map(|entry| entry.expect("a readable folder").path()));
    }
    let is_page = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "md");
    let mut count = 0;
    for page in pages.into_iter().filter(|path| path.exists()).filter(is_page) {
        let text = fs::read_to_string(&page).expect("a page is text");
        for block in text.split("```bench\n").skip(1) {
            let suite = block.split("```").next().unwrap_or_default();
            check(&page.display().to_string(), suite);
            count += 1;
        }
    }
    assert!(count > shapes::all().count(), "every statement has an example");
}

#[test]
fn every_committed_suite_is_canonical() {
    let suites = fs::read_dir(root().join("suites")).expect("there are suites");
    let suites = suites.map(|entry| entry.expect("a readable folder").path());
    let is_suite = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "bench");
    for suite in suites.filter(is_suite) {
        let bytes = fs::read(&suite).unwrap_or_else(|e| panic!("{}: {e}", suite.display()));
        let mut sources = SourceMap::new();
        let (file, tree, errors) = parse_bytes(&mut sources, "suite", &bytes);
        assert_eq!(errors, [], "{}", suite.display());
        assert!(format(&tree) == sources.text(file), "run `enginecmp fmt {}`", suite.display());
    }
}

#[test]
fn every_example_of_a_statement_is_right_with_all_that_is_in_it() {
    for shape in shapes::all() {
        check(shape.name, shape.example);
        check(shape.name, &shape.parents[0].around(shape.example));
    }
}

#[test]
fn the_reference_is_made_from_the_table_of_statements() {
    let page = text("docs/language.md");
    let (_, reference) = page.split_once("-->\n\n").expect("the reference begins with a comment");
    assert!(reference == reference::markdown(), "run scripts/language-docs");
}

#[test]
fn the_editor_grammar_is_made_from_the_table_of_statements() {
    let grammar = text("docs/editors/enginecmp.tmLanguage.json");
    assert!(grammar == editor::textmate(), "run scripts/language-docs");
}

#[test]
fn the_command_tells_about_statements() {
    let one = enginecmp(root(), &["language", "repeat"]);
    assert_eq!(one.code, 0);
    assert!(one.stdout.starts_with("repeat VALUE\n    Repetitions of every cell"), "{one:?}");
    let all = enginecmp(root(), &["language"]);
    for shape in shapes::all() {
        assert!(all.stdout.contains(&format!("  {:<16}{}", shape.name, shape.doc)));
    }
    let none = enginecmp(root(), &["language", "repaet"]);
    assert_eq!((none.code, none.stderr.contains("did you mean `repeat`?")), (2, true));
}
