//! The parser and the formatter on texts of every kind.

use crate::support::case::{enginecmp, with_input};
use enginecmp::diagnostic::{FileId, SourceMap, Span};
use enginecmp::syntax::tree::{Block, File, Statement};
use enginecmp::syntax::{Variables, format, parse_bytes, read_block, shapes};
use proptest::prelude::*;
use std::fs;

fn parse(bytes: &[u8]) -> (File, usize) {
    let mut sources = SourceMap::new();
    let (_, tree, errors) = parse_bytes(&mut sources, "t.bench", bytes);
    (tree, errors.len())
}

/// The tree without what the formatter may change: places, and which blocks stand on one line.
fn essence(mut file: File) -> File {
    fn strip(statements: &mut [Statement]) {
        let nowhere = Span { file: FileId(0), start: 0, end: 0 };
        for statement in statements {
            statement.span = nowhere;
            for word in &mut statement.words {
                word.span = nowhere;
            }
            if let Some(Block { statements, span, inline, .. }) = &mut statement.block {
                (*span, *inline) = (nowhere, true);
                strip(statements);
            }
        }
    }
    strip(&mut file.statements);
    file
}

/// What the formatter promises for a text without errors.
fn check_format(text: &str) -> Result<(), TestCaseError> {
    let (tree, errors) = parse(text.as_bytes());
    if errors > 0 {
        return Ok(());
    }
    let once = format(&tree);
    let (again, errors) = parse(once.as_bytes());
    prop_assert_eq!(errors, 0, "{}", once);
    prop_assert_eq!(&format(&again), &once);
    prop_assert_eq!(essence(again), essence(tree), "{}", once);
    Ok(())
}

/// One piece of suite text: words of every kind, marks, comments, line ends, pieces of strings.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[a-z_]{1,12}( |\\+)?",
        4 => "[+-]?[0-9]{1,4}(GB|m|%|/s|x4G|\\.\\.64)? ",
        2 => "\"([a-z #{};,]|\\\\\"|\\\\\\\\|\\\\n|ä){0,8}\" ?",
        1 => "\"\"\"[a-z\n\"{;#]{0,8}[a-z]\"\"\" ?",
        2 => Just("{".to_string()),
        2 => Just("}\n".to_string()),
        2 => Just("; ".to_string()),
        3 => Just(", ".to_string()),
        1 => Just(",\n".to_string()),
        4 => Just("\n".to_string()),
        1 => Just("\n\n\n".to_string()),
        1 => Just("\r\n".to_string()),
        2 => "#[ #!]?[a-zä ]{0,30}\n",
        1 => Just("$size ".to_string()),
        2 => prop_oneof!["=", ">=", "!=", "\\(", "\\)"],
        1 => "\\PC",
    ]
}

/// A statement that has no errors, so that the formatter is put to work.
fn statement(depth: u32) -> BoxedStrategy<String> {
    let word = prop_oneof!["[a-z]{1,14}", "[0-9]{1,3}", "\"[a-z #;ä]{0,4}\"", "\\$x"];
    let list = prop::collection::vec(word, 1..9).prop_map(|words| words.join(","));
    let simple = ("[a-z]{1,9}", list, "( {0,2}#[ a-z]{0,20}\n|\n|;)")
        .prop_map(|(name, list, end)| format!("{name} {list}{end}"));
    if depth == 0 {
        return simple.boxed();
    }
    let comment = "(\n|# ?[a-z ]{0,9}\n|#\n){0,3}";
    let inner = prop::collection::vec(statement(depth - 1), 0..5);
    let on_lines = ("[a-z]{1,9}", "( # [a-z]{1,9})?\n", inner, comment, "( # [a-z]{1,9})?")
        .prop_map(|(name, beside, inner, last, end)| {
            format!("{name} {{{beside}{}{last}}}{end}\n", inner.concat())
        });
    let on_one = ("[a-z]{1,9}", prop::collection::vec("[a-z]{1,9} [0-9]{1,9}", 0..4))
        .prop_map(|(name, inner)| format!("{name} {{ {} }}\n", inner.join("; ")));
    prop_oneof![
        4 => simple,
        2 => on_one,
        1 => on_lines,
        1 => comment.prop_map(String::from),
    ]
    .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_the_parser_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let (tree, _) = parse(&bytes);
        format(&tree);
    }

    #[test]
    fn no_pieces_make_anything_panic(pieces in prop::collection::vec(piece(), 0..80)) {
        let text = pieces.concat();
        let (tree, _) = parse(text.as_bytes());
        format(&tree);
        for parent in shapes::Parent::ALL {
            read_block(&tree.statements, *parent, &Variables::default());
        }
        check_format(&text)?;
    }

    #[test]
    fn formatting_keeps_the_meaning_and_is_done_once(
        statements in prop::collection::vec(statement(2), 0..12)
    ) {
        check_format(&format!("{}a 1", statements.concat()))?;
    }
}

#[test]
fn the_strategy_of_statements_makes_texts_without_errors() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..50 {
        let text = statement(2).new_tree(&mut runner).expect("a statement").current();
        assert_eq!(parse(format!("{text}a 1").as_bytes()).1, 0, "{text}");
    }
}

#[test]
fn every_prefix_of_a_suite_is_read_without_a_panic() {
    let text = "suite \"a\\\"b\" # c\nengine x { storage InnoDB; option a = \"\"\"raw\n\"\"\" }\n\
                point { only x, y; clients 1..64 double }\nwhere (a >= 5% of data) and not b != 'c'\n";
    for end in 0..=text.len() {
        let (tree, _) = parse(&text.as_bytes()[..end]);
        let (_, _) = read_block(&tree.statements, shapes::Parent::Suite, &Variables::default());
        format(&tree);
    }
}

#[test]
fn fmt_writes_files_anew_and_leaves_canonical_ones_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.bench");
    fs::write(&path, "\u{FEFF}repeat   3;seed 1\r\n\n\n\n# end").expect("a suite");
    let first = enginecmp(folder.path(), &["fmt", "a.bench"]);
    assert_eq!((first.code, first.stderr.as_str()), (0, "formatted a.bench\n"), "{first:?}");
    assert_eq!(fs::read_to_string(&path).expect("a suite"), "repeat 3\nseed   1\n\n# end\n");
    let written = fs::metadata(&path).and_then(|data| data.modified()).expect("a time");
    let second = enginecmp(folder.path(), &["fmt", "a.bench"]);
    assert_eq!((second.code, second.stderr.as_str()), (0, ""));
    assert_eq!(fs::metadata(&path).and_then(|data| data.modified()).expect("a time"), written);
}

#[test]
fn fmt_check_prints_what_would_change_and_writes_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("good.bench"), "repeat 3\n").expect("a suite");
    fs::write(folder.path().join("bad.bench"), "repeat  3\nseed 1\n").expect("a suite");
    let good = enginecmp(folder.path(), &["fmt", "--check", "good.bench"]);
    assert_eq!((good.code, good.stdout.as_str()), (0, ""));
    let both = enginecmp(folder.path(), &["fmt", "--check", "bad.bench", "good.bench"]);
    assert_eq!(both.code, 1);
    assert_eq!(
        both.stdout,
        "--- bad.bench\n+++ formatted\n@@ -1,2 +1,2 @@\n-repeat  3\n-seed 1\n+repeat 3\n+seed   1\n"
    );
    let kept = fs::read_to_string(folder.path().join("bad.bench")).expect("a suite");
    assert_eq!(kept, "repeat  3\nseed 1\n");
}

#[test]
fn fmt_reads_standard_input_and_refuses_what_it_cannot_parse() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let good = with_input(folder.path(), &["fmt", "-"], b"a  1");
    assert_eq!((good.code, good.stdout.as_str()), (0, "a 1\n"));
    let bad = with_input(folder.path(), &["fmt", "-"], b"a {");
    assert_eq!((bad.code, bad.stdout.as_str()), (2, ""));
    assert!(bad.stderr.starts_with("error[E0106]: this block is not closed\n --> <stdin>:1:3"));
    let none = enginecmp(folder.path(), &["fmt", "missing.bench"]);
    assert_eq!(none.code, 2);
    assert!(none.stderr.contains("cannot read missing.bench"), "{none:?}");
}

#[test]
fn completions_know_the_verbs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for shell in ["bash", "zsh", "fish"] {
        let script = enginecmp(folder.path(), &["completions", shell]);
        assert_eq!(script.code, 0);
        assert!(script.stdout.contains("fmt") && script.stdout.contains("explain"), "{shell}");
    }
}
