//! Outside tools as clients: Debian's sysbench on a real server, a stand-in that prints what
//! tpcc_start prints, and tools that say that all is well and have done nothing.

use crate::support::managed::binary;
use enginecmp::journal::{Journal, read};
use enginecmp::model::{FailureKind, Metric, MetricId};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(directory: &Path, suite: &str, allowed: bool) -> Output {
    let path = directory.join("tool.bench");
    std::fs::write(&path, suite).expect("it can be written");
    let mut command = Command::new(binary());
    command.arg("run").arg(&path).arg("--work").arg(directory.join("work"));
    command.arg("--out").arg(directory.join("out"));
    if allowed {
        command.arg("--allow-external");
    }
    command.output().expect("it runs")
}

fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

fn journal(directory: &Path) -> Journal {
    read(&directory.join("out")).expect("a journal")
}

/// A program that prints `text` and ends with `code`.
fn stand_in(directory: &Path, name: &str, text: &str, code: i32) -> PathBuf {
    let printed = directory.join(format!("{name}.txt"));
    std::fs::write(&printed, text).expect("it can be written");
    let path = directory.join(name);
    std::fs::write(&path, format!("#!/bin/sh\ncat '{}'\nexit {code}\n", printed.display()))
        .expect("it can be written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("its mode");
    path
}

fn sysbench(engine: &str) -> String {
    format!(
        "engine e {{ storage {engine} }}\n\
         workload external points {{\n\
           tool sysbench; script \"oltp_point_select\"\n\
           argument \"--tables=2\", \"--table-size=500\"\n\
           clients 2; warmup 1s; measure 2s\n\
         }}\n"
    )
}

#[test]
fn sysbench_loads_runs_and_stands_in_the_table_under_its_own_name() {
    assert!(Path::new("/usr/bin/sysbench").exists(), "needs sysbench: apt-get install sysbench");
    for engine in ["InnoDB", "RocksDB"] {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let output = run(directory.path(), &sysbench(engine), true);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let journal = journal(directory.path());
        let views = journal.repetitions();
        let record = views[0].record;
        let tps = MetricId::whole(Metric::Tps);
        let rate = record.metrics.iter().find(|m| m.id == tps).expect("transactions/s").value;
        assert!(rate > 0.0);
        assert!(record.rounds[0].types[0].committed > 0, "{:?}", record.rounds);
        let report = said(&output);
        assert!(report.contains("external sysbench oltp_point_select"), "{report}");
        let kept = std::fs::read_to_string(directory.path().join("out/tool-1-1.txt"));
        let kept = kept.expect("its whole output is kept");
        assert!(kept.contains("Threads fairness") && kept.contains("Number of threads: 2"));
    }
}

#[test]
fn nothing_is_started_without_the_users_word() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let output = run(directory.path(), &sysbench("InnoDB"), false);
    assert_ne!(output.status.code(), Some(0));
    assert!(said(&output).contains("--allow-external"), "{}", said(&output));
    assert!(!directory.path().join("work").exists(), "nothing was started");
}

#[test]
fn success_without_work_and_failed_tools_have_no_number() {
    let idle = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\n\
                Running the test with following options:\nNumber of threads: 1\n\n\
                Threads started!\n\nSQL statistics:\n    transactions:                        0      \
                (0.00 per sec.)\n\nGeneral statistics:\n    total time:                          \
                1.0s\n    total number of events:              0\n\n";
    for (name, text, code) in [
        ("idle", idle, 0),
        ("broken", "FATAL: error at thread_main: cannot connect\n", 1),
        ("cheerful", "All is well.\n", 0),
    ] {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let program = stand_in(directory.path(), name, text, code);
        let suite = format!(
            "engine e {{ storage InnoDB }}\n\
             workload external mine {{\n\
               tool command; program \"{}\"; output sysbench; clients 1; measure 1s\n\
             }}\n",
            program.display()
        );
        let output = run(directory.path(), &suite, true);
        assert_eq!(output.status.code(), Some(125), "{name}: {}", said(&output));
        let journal = journal(directory.path());
        let failure = journal.repetitions()[0].record.failure.clone().expect("it failed");
        assert_eq!(failure.kind, FailureKind::Tool, "{name}: {failure:?}");
    }
}
