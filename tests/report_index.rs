//! Many reports at once: `report --index` and `report --again`.

use crate::support::golden::{assert_golden, fixture};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn enginecmp(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_enginecmp"))
        .args(arguments)
        .env_clear()
        .env("HOME", folder)
        .current_dir(folder)
        .output()
        .expect("enginecmp starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Two suites: a run with a report beside it, and one cut short.
fn reports(folder: &Path) {
    let run = |path: &str, journal: &[u8]| {
        let run = folder.join("bench-reports").join(path);
        fs::create_dir_all(&run).expect("the folder is writable");
        fs::write(run.join("journal.jsonl"), journal).expect("the folder is writable");
    };
    let journal = fs::read(fixture("journals/toku_vs_innodb.jsonl")).expect("it is there");
    run("toku_vs_innodb/xeon/20260203-7f3a", &journal);
    let of =
        |from: &str, to: &str| String::from_utf8_lossy(&journal).replace(from, to).into_bytes();
    let later = of("2026-02-03T22:14:05Z", "2026-03-01T10:00:00Z");
    let lines: Vec<&[u8]> = later.split_inclusive(|byte| *byte == b'\n').collect();
    run("toku_vs_innodb/xeon/20260301-0001", &lines[..lines.len() - 2].concat());
    fs::write(folder.join("bench-reports/toku_vs_innodb/xeon/20260203-7f3a/report.md"), "old")
        .expect("the folder is writable");
}

#[test]
fn the_index_lists_every_run_with_its_deltas() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    reports(folder.path());
    let output = enginecmp(folder.path(), &["report", "--index"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("over 2 runs"), "{}", said(&output));
    let page = fs::read_to_string(folder.path().join("bench-reports/README.md")).expect("a page");
    assert_golden("reports/index.md", &page);
    let nothing = tempfile::tempdir().expect("a temporary folder");
    let output = enginecmp(nothing.path(), &["report", "--index", "."]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("no run below"), "{}", said(&output));
}

#[test]
fn reports_beside_journals_are_made_again_and_others_are_not_made() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    reports(folder.path());
    let output = enginecmp(folder.path(), &["report", "--again"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("1 reports made again, 1 of them changed"), "{}", said(&output));
    let run = folder.path().join("bench-reports/toku_vs_innodb/xeon/20260203-7f3a");
    let made = fs::read_to_string(run.join("report.md")).expect("a report");
    assert_eq!(made, fs::read_to_string(fixture("reports/toku_vs_innodb.md")).expect("golden"));
    assert!(!run.join("report.json").exists());
    let output = enginecmp(folder.path(), &["report", "--again", "bench-reports"]);
    assert!(said(&output).contains("1 reports made again, 0 of them changed"), "{}", said(&output));
}
