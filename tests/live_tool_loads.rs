//! Outside tools as loaders: `load { path external TOOL }` with programs that stand in for them. What
//! they say is no proof; what is in the tables is.

use crate::support::tools::{journal, run, said, script, stand_in};
use enginecmp::journal::Journal;
use enginecmp::model::FailureKind;
use std::path::Path;
use std::process::Output;

const CLIENT: &str = "/usr/bin/mariadb";

/// Inserts so many rows of sysbench's shape.
fn loader(directory: &Path, rows: u32) -> String {
    assert!(Path::new(CLIENT).exists(), "needs the client: apt-get install mariadb-client");
    let sql = format!(
        "INSERT INTO sbtest1 (k, c, pad) SELECT seq, RPAD(seq, 119, '-'), RPAD(seq, 59, '-') \
         FROM seq_1_to_{rows}"
    );
    let text = format!(
        "echo \"loading by $3 connections\"\nexec {CLIENT} --no-defaults --socket=\"$1\" -uroot \"$2\" \
         -e \"{sql}\""
    );
    let program = script(directory, &format!("fill-{rows}"), &text);
    format!(
        "path external command; program \"{}\"; argument \"{{socket}}\", \"{{database}}\", \
         \"{{threads}}\"; threads 3",
        program.display()
    )
}

fn points(load: &str) -> String {
    format!(
        "engine e {{ storage InnoDB }}\ncache 32M\nload {{ {load} }}\n\
         workload oltp_point_select {{ rows 100; distribution uniform; clients 1; measure 500ms }}\n"
    )
}

fn allowed(directory: &Path, suite: &str, out: &str) -> (Output, Journal) {
    let output = run(directory, suite, out, &["--allow-external"]);
    let journal = journal(directory, out);
    (output, journal)
}

#[test]
fn a_command_fills_the_tables_that_the_suite_states() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let suite = points(&loader(directory.path(), 100));
    let output = run(directory.path(), &suite, "refused", &[]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("--allow-external"), "{}", said(&output));

    let (output, journal) = allowed(directory.path(), &suite, "out");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let dataset = journal.datasets().next().expect("it was loaded");
    assert_eq!(dataset.rows["sbtest1"], 100);
    assert!(dataset.path.starts_with("external command"), "{}", dataset.path);
    assert!(journal.repetitions()[0].record.failure.is_none());
    // The rows are the tool's, and the run says so.
    assert!(said(&output).contains("rows of a tool"), "{}", said(&output));
    let kept = std::fs::read_dir(directory.path().join("out"))
        .expect("a run")
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.to_string_lossy().ends_with("-1-load.txt"))
        .expect("what the loader wrote is kept");
    let kept = std::fs::read_to_string(kept).expect("text");
    assert_eq!(kept, "loading by 3 connections\n");
}

#[test]
fn a_load_is_judged_by_what_is_in_the_tables() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path();
    let of = |name: &str, text: &str, code| {
        let program = stand_in(path, name, text, code);
        format!("path external command; program \"{}\"", program.display())
    };
    for (out, load, why) in [
        ("cheerful", of("cheerful", "100 rows loaded, all is well\n", 0), "has 0 rows"),
        ("short", loader(path, 99), "has 99 rows"),
        ("broken", of("broken", "cannot connect\n", 3), "status 3"),
    ] {
        let (output, journal) = allowed(path, &points(&load), &format!("run-{out}"));
        assert_eq!(output.status.code(), Some(125), "{out}: {}", said(&output));
        assert!(said(&output).contains(why), "{out}: {}", said(&output));
        assert!(journal.datasets().next().is_none(), "{out}");
    }
}

#[test]
fn tpcc_load_that_does_nothing_is_no_load() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path();
    let done = "TPCC Data Load Started...\n...DATA LOADING COMPLETED SUCCESSFULLY.\n";
    for (out, text, why) in [
        ("cheerful", done, "rows after the load"),
        ("silent", "TPCC Data Load Started...\n", "COMPLETED SUCCESSFULLY"),
    ] {
        let program = stand_in(path, "tpcc_load", text, 0);
        let suite = format!(
            "engine e {{ storage InnoDB }}\ncache 64M\n\
             load {{ path external tpcc_load; program \"{}\" }}\n\
             workload tpcc {{ mode tpcc_mysql; warehouses 1; clients 1; measure 1s }}\n",
            program.display()
        );
        let (output, journal) = allowed(path, &suite, &format!("run-{out}"));
        assert_eq!(output.status.code(), Some(125), "{out}: {}", said(&output));
        assert!(said(&output).contains(why), "{out}: {}", said(&output));
        let failure = journal.failures().next().expect("it is told").failure.clone();
        assert!(matches!(failure.kind, FailureKind::Tool | FailureKind::Check), "{failure:?}");
    }
}

#[test]
fn what_a_tool_cannot_load_is_refused_before_anything_starts() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (engine, load, workload, why) in [
        ("InnoDB", "path external tpcc_load", "tpcc { warehouses 1 }", "mode tpcc_mysql"),
        ("InnoDB", "path external command", "tpcc { warehouses 1 }", "what to start"),
        ("InnoDB", "program \"x\"", "tpcc { warehouses 1 }", "path external command"),
        (
            "SQLite",
            "path external command; program \"x\"",
            "oltp_point_select { distribution uniform }",
            "no other program can reach SQLite",
        ),
    ] {
        let suite =
            format!("engine e {{ storage {engine} }}\nload {{ {load} }}\nworkload {workload}\n");
        let output = run(directory.path(), &suite, "out", &["--allow-external"]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(why), "{why}: {}", said(&output));
        assert!(!directory.path().join("work").exists(), "nothing was started");
    }
}
