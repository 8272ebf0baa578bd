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

fn enginecmp(arguments: &[&str], input: &str) -> (i32, String, String) {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_enginecmp"))
        .arg("schema")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(input.as_bytes()).expect("it reads its input");
    drop(pipe);
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
}

/// The examples of the page: a script, `becomes, with ARGUMENTS`, and what it becomes.
#[test]
fn examples_of_the_page_are_true() {
    let page = include_str!("../docs/schema.md");
    let mut examples = 0;
    for (at, _) in page.match_indices("becomes, with `") {
        let arguments = page[at..].split('`').nth(1).expect("arguments");
        let block = |text: &str| text.split("```").next().unwrap_or_default().to_string();
        let before = page[..at].rsplit("```sql\n").next().map(block).expect("a script before");
        let after = page[at..].split("```sql\n").nth(1).map(block).expect("a script after");
        let arguments: Vec<_> = arguments.split(' ').chain(["-"]).collect();
        let (code, script, _) = enginecmp(&arguments, &before);
        assert_eq!((code, script), (0, after));
        examples += 1;
    }
    assert_eq!(examples, 2);
}

#[test]
fn the_command_prints_scripts_patches_and_findings() {
    let script = "CREATE TABLE t (id INT PRIMARY KEY, b TEXT, FULLTEXT (b)) ENGINE=InnoDB;\n";
    let (code, out, err) = enginecmp(&["--storage", "myrocks", "-"], script);
    assert_eq!(code, 0);
    assert_eq!(out, script.replace("InnoDB", "ROCKSDB"));
    assert!(err.starts_with("<stdin>:1: warning: t: ROCKSDB has no FULLTEXT indexes"), "{err}");

    let (code, out, _) = enginecmp(&["--storage", "Aria", "--format", "diff", "-"], script);
    assert_eq!(code, 0);
    assert!(out.contains("\n-CREATE TABLE t") && out.contains("\n+CREATE TABLE t"), "{out}");
    let color = ["--storage", "Aria", "--format", "diff", "--color", "always", "-"];
    assert!(enginecmp(&color, script).1.contains("\u{1b}[32m+CREATE"));

    let (code, out, err) = enginecmp(&["--storage", "Aria", "--check", "-"], script);
    assert_eq!((code, out.as_str()), (1, ""));
    assert_eq!(err, "<stdin>:1: the engine of t is InnoDB, not Aria\n");
    assert_eq!(enginecmp(&["--storage", "InnoDB", "--check", "-"], script).0, 0);
    assert_eq!(enginecmp(&["--storage", "NoSuch", "-"], script).0, 2);
    assert_eq!(enginecmp(&["--storage", "Aria", "no-such-file.sql"], "").0, 2);
}

#[test]
fn what_is_no_text_is_refused_with_what_makes_text_of_it() {
    let (code, out, err) = enginecmp(&["--storage", "Aria", "-"], "BZh91AY");
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("<stdin> is compressed by bzip2") && err.contains("bzcat"), "{err}");
}
