//! `enginecmp compare OLD NEW` and what an expectation does to the exit code.

use crate::support::golden::fixture;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn enginecmp(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_enginecmp"))
        .args(arguments)
        .env_clear()
        .env("HOME", folder)
        .env("COLUMNS", "120")
        .output()
        .expect("enginecmp starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A suite on SQLite that takes a few seconds, with one more statement.
fn suite(folder: &Path, statement: &str) -> PathBuf {
    let path = folder.join("small.bench");
    let text = format!(
        "suite \"small\"\n\
         engine sqlite {{ storage SQLite }}\n\
         option journal_mode = delete, wal\n\
         workload tpcc {{ warehouses 1; density 1%; clients 1; warmup 50ms; measure 200ms }}\n\
         cache 4M\n\
         repeat 2\n\
         compare journal_mode against delete\n\
         {statement}\n"
    );
    std::fs::write(&path, text).expect("the folder is writable");
    path
}

fn run(folder: &Path, suite: &Path, out: &str) -> (Output, String) {
    let work = folder.join("work").display().to_string();
    let out = folder.join(out).display().to_string();
    let suite = suite.display().to_string();
    (enginecmp(folder, &["run", &suite, "--work", &work, "--out", &out]), out)
}

#[test]
fn two_runs_of_one_suite_pair_cell_by_cell() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let suite = suite(folder.path(), "");
    let (first, old) = run(folder.path(), &suite, "old");
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    let (_, new) = run(folder.path(), &suite, "new");
    let compared = enginecmp(folder.path(), &["compare", &old, &new, "--format", "json"]);
    assert_eq!(compared.status.code(), Some(0), "{}", text(&compared.stderr));
    let json: serde_json::Value = serde_json::from_slice(&compared.stdout).expect("JSON");
    let shown = json.to_string();
    for mode in ["delete", "wal"] {
        assert!(shown.contains(&format!("\"journal_mode\":\"{mode}\"")), "{shown}");
    }
    let table = text(&enginecmp(folder.path(), &["compare", &old, &new]).stdout);
    assert!(table.contains('%'), "no delta between the runs:\n{table}");
    let one = enginecmp(folder.path(), &["compare", &old]);
    assert_eq!(one.status.code(), Some(2), "one run is nothing to compare");
}

#[test]
fn an_import_stands_beside_a_run_of_ones_own_and_gets_no_delta_from_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (_, own) = run(folder.path(), &suite(folder.path(), ""), "own");
    let imported = folder.path().join("imported").display().to_string();
    let [with, without] = ["with", "without"]
        .map(|log| fixture(&format!("import/pairs/binary_log/{log}_log.txt")))
        .map(|path| path.display().to_string());
    let output = enginecmp(
        folder.path(),
        &["import", &with, &without, "--label", "on,off", "--baseline", "off", "--out", &imported],
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let compared = enginecmp(folder.path(), &["compare", &imported, &own]);
    assert_eq!(compared.status.code(), Some(0), "{}", text(&compared.stderr));
    let table = text(&compared.stdout);
    for shown in ["22,805", "18,525", "tpcc tpcc_mysql", "density 1%", "only in"] {
        assert!(table.contains(shown), "no {shown:?} in\n{table}");
    }
    let json = enginecmp(folder.path(), &["compare", &imported, &own, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let sections = json["sections"].as_array().expect("sections");
    let pairs = sections.iter().filter_map(|section| section["pairs"].as_array()).flatten();
    assert_eq!(pairs.filter(|pair| pair["delta"].is_number()).count(), 0);
    // A verdict that tells nothing is not printed.
    assert!(!table.lines().any(|line| line.ends_with(':')), "{table}");
}

#[test]
fn an_expectation_that_fails_is_exit_code_1_and_costs_no_report() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let suite = suite(folder.path(), "expect tpmc of wal >= 1000000000");
    let (output, _) = run(folder.path(), &suite, "out");
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{shown}{}", text(&output.stderr));
    assert!(shown.contains("fails"), "{shown}");
    assert!(shown.contains("TpmC"), "{shown}");
}

/// The journal of a run as if it had been made on a machine with this many cores.
fn on_a_machine_with(folder: &Path, run: &str, cores: u32) -> String {
    let journal = std::fs::read_to_string(Path::new(run).join("journal.jsonl")).expect("a journal");
    let mut lines: Vec<String> = Vec::new();
    for line in journal.lines() {
        let mut record: serde_json::Value = serde_json::from_str(line).expect("a record");
        if record["t"] == "machine" {
            record["cores"] = cores.into();
        }
        lines.push(record.to_string());
    }
    let other = folder.join("other");
    std::fs::create_dir(&other).expect("the folder is writable");
    std::fs::write(other.join("journal.jsonl"), lines.join("\n") + "\n").expect("writable");
    other.display().to_string()
}

#[test]
fn runs_of_unlike_machines_are_refused_before_anything_is_measured_unless_mixed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let suite = suite(folder.path(), "expect tpmc of each >= -99% since baseline");
    let (first, here) = run(folder.path(), &suite, "here");
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    let other = on_a_machine_with(folder.path(), &here, 977);

    let refused = enginecmp(folder.path(), &["compare", &other, &here]);
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("unlike machines: cores: 977 and"), "{said}");
    assert!(said.contains("`--mixed`") && refused.stdout.is_empty(), "{said}");
    let mixed = enginecmp(folder.path(), &["compare", &other, &here, "--mixed"]);
    let shown = text(&mixed.stdout) + &text(&mixed.stderr);
    assert_eq!(mixed.status.code(), Some(0), "{shown}");
    assert!(shown.contains("F042") && shown.contains("cores: 977 and"), "{shown}");

    let suite = suite.display().to_string();
    let (work, out) = (folder.path().join("work"), folder.path().join("now"));
    let (work, out) = (work.display().to_string(), out.display().to_string());
    let again = ["run", &suite, "--work", &work, "--out", &out, "--against", &other];
    let refused = enginecmp(folder.path(), &again);
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("and this run come from unlike machines: cores: 977 and"), "{said}");
    assert!(!Path::new(&out).exists(), "nothing was begun");
    let mixed = enginecmp(folder.path(), &[&again[..], &["--mixed"]].concat());
    let shown = text(&mixed.stdout) + &text(&mixed.stderr);
    assert_eq!(mixed.status.code(), Some(0), "{shown}");
    assert!(shown.contains("F042") && shown.contains("since baseline"), "{shown}");
}
