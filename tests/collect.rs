//! Commands of the user beside the measured phases: `collect "COMMAND"`.

use crate::support::managed::binary;
use enginecmp::journal::record::CollectedRecord;
use enginecmp::journal::{Journal, Record, read};
use enginecmp::model::FindingCode;
use std::path::Path;
use std::process::{Command, Output};

/// A suite on SQLite with these lines.
fn suite(lines: &str) -> String {
    format!(
        "suite \"collects\"\nengine a {{ storage SQLite }}\n\
         workload tpcc {{ warehouses 1; density 1%; clients 1; warmup 200ms; measure 1500ms }}\n\
         repeat 1\n{lines}\n"
    )
}

fn enginecmp(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(binary())
        .args(arguments)
        .current_dir(directory)
        .env("ENGINECMP_WORK", directory.join("work"))
        .output()
        .expect("the binary starts")
}

fn run_suite(directory: &Path, text: &str, arguments: &[&str]) -> Output {
    std::fs::write(directory.join("s.bench"), text).expect("it is written");
    enginecmp(directory, &[&["run", "s.bench"], arguments].concat())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn collected(journal: &Journal) -> Vec<&CollectedRecord> {
    journal
        .records
        .iter()
        .filter_map(|record| match record {
            Record::Collected(collected) => Some(collected),
            _ => None,
        })
        .collect()
}

#[test]
fn what_commands_say_lies_beside_the_journal_and_reports_link_it() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let suite = suite(
        "collect \"seq 3\", \"sleep 61234.5\", \"yes\"\n\
         collect \"sh -c 'trap \\\"echo gathered; exit\\\" INT; while :; do sleep 0.1; done'\"\n\
         collect \"sh -c 'echo \\\"$0\\\" said  this >&2; exit 7'\", \"/no/such/program\"",
    );
    let output = run_suite(directory.path(), &suite, &["--allow-external", "--out", "out"]);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{out}{err}");

    let run = directory.path().join("out");
    let journal = read(&run).expect("a journal");
    let records = collected(&journal);
    let said = |number: usize| {
        let name = format!("collected/0001-{number}.txt");
        std::fs::read_to_string(run.join(&name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    assert_eq!(said(1), "1\n2\n3\n");
    assert_eq!(records[0].ended.as_deref(), Some("exit status 0"));
    assert_eq!((said(2).as_str(), records[1].ended.as_deref()), ("", None));
    // A flood is kept in part, and waits in its pipe rather than in memory.
    assert!(records[2].dropped_bytes > 0, "{:?}", records[2]);
    assert!(said(3).len() < (4 << 20) + 64);
    assert!(said(3).contains("bytes left out"));
    // A command is asked to end as from a terminal, upon which tools say what they gathered.
    assert_eq!(said(4), "gathered\n");
    // No shell but the one that was asked for has read it.
    assert_eq!(said(5), "sh said this\n");
    assert_eq!(records.len(), 5, "what was never started has said nothing");
    assert!(enginecmp::host::process::with_argument("61234.5").is_empty(), "it lives on");

    let failed: Vec<&str> = journal
        .findings()
        .filter(|finding| finding.code == FindingCode::NotCollected)
        .map(|finding| finding.seen.as_str())
        .collect();
    assert_eq!(failed.len(), 1, "a cell has one of a kind: {failed:?}");
    assert!(failed[0].contains("exit status 7"), "{failed:?}");
    assert!(failed[0].contains("/no/such/program"), "{failed:?}");

    assert!(out.contains("`seq 3`: collected/0001-1.txt"), "{out}");
    let format = |name: &str| {
        text(&enginecmp(directory.path(), &["report", "out", "--format", name]).stdout)
    };
    let markdown = format("markdown");
    assert!(markdown.contains("[collected/0001-1.txt](<collected/0001-1.txt>)"), "{markdown}");
    let html = format("html");
    assert!(html.contains("<a href=\"collected/0001-3.txt\">"), "{html}");
    let json: serde_json::Value = serde_json::from_str(&format("json")).expect("JSON");
    assert_eq!(json["collected"][0]["command"], "seq 3");
    assert_eq!(json["collected"][4]["ended"], "exit status 7");
}

#[test]
fn a_suite_that_starts_programs_is_refused_unless_it_may() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let suite = suite("collect \"vmstat 1\"");
    let refused = run_suite(directory.path(), &suite, &["--out", "out"]);
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("s.bench:5:9: the suite starts `vmstat 1`"), "{said}");
    assert!(said.contains("--allow-external"), "{said}");
    assert!(!directory.path().join("out").exists() && !directory.path().join("work").exists());
    let planned = enginecmp(directory.path(), &["plan", "s.bench"]);
    let planned = text(&planned.stdout);
    assert!(planned.contains("beside the measured phases: `vmstat 1`"), "{planned}");
}

#[test]
fn joined_shards_keep_what_was_collected_in_each() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let suite = suite("collect \"seq 2\"").replace("clients 1", "clients 1, 2");
    for shard in ["1/2", "2/2"] {
        let out = shard.replace('/', "-");
        let arguments = ["--allow-external", "--shard", shard, "--out", &out];
        let output = run_suite(directory.path(), &suite, &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    let joined = enginecmp(directory.path(), &["merge", "1-2", "2-2", "--out", "whole"]);
    assert_eq!(joined.status.code(), Some(0), "{}", text(&joined.stderr));
    let whole = directory.path().join("whole");
    let journal = read(&whole).expect("a journal");
    let records = collected(&journal);
    assert_eq!(records.len(), 2);
    for record in records {
        let said = std::fs::read_to_string(whole.join(&record.file)).expect("it was copied");
        assert_eq!(said, "1\n2\n");
    }
}
