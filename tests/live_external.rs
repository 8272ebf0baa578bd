//! Outside tools as clients: Debian's sysbench on a real server, a stand-in that prints what
//! tpcc_start prints, and tools that say that all is well and have done nothing.

use crate::support::mariadb::Mariadb;
use crate::support::tools::{self, said, stand_in};
use enginecmp::journal::Journal;
use enginecmp::model::{FailureKind, Metric, MetricId};
use enginecmp::target::session::Session;
use std::path::Path;
use std::process::Output;

fn run(directory: &Path, suite: &str, allowed: bool) -> Output {
    let keep = "--keep-datasets=1GB";
    let flags: &[&str] = if allowed { &["--allow-external", keep] } else { &[keep] };
    tools::run(directory, suite, "out", flags)
}

fn journal(directory: &Path) -> Journal {
    tools::journal(directory, "out")
}

/// What databases of stored data have for tables that state none, by MariaDB's own note.
fn defaults_of_databases(below: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(below).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            defaults_of_databases(&path, found);
        } else if path.ends_with("enginecmp/db.opt") {
            found.push(std::fs::read_to_string(path).expect("a note"));
        }
    }
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
        let mut defaults = Vec::new();
        defaults_of_databases(&directory.path().join("work"), &mut defaults);
        // Tables that a tool makes compare strings as those of our own workloads do.
        assert_eq!(defaults.len(), 1);
        assert!(defaults[0].contains("default-collation=latin1_bin"), "{defaults:?}");
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
        let warmed = std::fs::read_to_string(directory.path().join("out/tool-1-warmup.txt"));
        assert!(warmed.expect("so is that of its warm-up").contains("Threads fairness"));
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

/// What tpcc_start prints: `trx` in each of two seconds, `committed` New-Orders in all.
fn tpcc_start(trx: u64, committed: u64, tpmc: &str) -> String {
    let interval = |second: u64| {
        format!(
            "{second:4}, trx: {trx}, 95%: 9.483, 99%: 18.738, max_rt: 21.169, {trx}|9.778, \
             1|1.096, 1|3.955, 1|6.842\n"
        )
    };
    let payments = committed + 1;
    format!(
        "***************************************\n*** ###easy### TPC-C Load Generator ***\n\
         ***************************************\n<Parameters>\n     [server]: \n     [port]: 3306\n\
         \u{20}    [DBname]: bench\n       [user]: root\n       [pass]: \n  [warehouse]: 1\n \
         [connection]: 1\n     [rampup]: 0 (sec.)\n    [measure]: 2 (sec.)\n\n\
         RAMP-UP TIME.(0 sec.)\n\nMEASURING START.\n\n{}{}\nSTOPPING THREADS.\n\n\
         <Raw Results>\n  [0] sc:{committed} lt:0  rt:0  fl:0 avg_rt: 4.1 (5)\n  \
         [1] sc:{payments} lt:0  rt:0  fl:0 avg_rt: 1.7 (5)\n  \
         [2] sc:2 lt:0  rt:0  fl:0 avg_rt: 0.8 (5)\n  [3] sc:2 lt:0  rt:0  fl:0 avg_rt: 8.3 (80)\n  \
         [4] sc:2 lt:0  rt:0  fl:0 avg_rt: 3.4 (20)\n in 2 sec.\n\n\
         <Raw Results2(sum ver.)>\n  [0] sc:{committed}  lt:0  rt:0  fl:0 \n  \
         [1] sc:{payments}  lt:0  rt:0  fl:0 \n  [2] sc:2  lt:0  rt:0  fl:0 \n  \
         [3] sc:2  lt:0  rt:0  fl:0 \n  [4] sc:2  lt:0  rt:0  fl:0 \n\n\
         <TpmC>\n                 {tpmc} TpmC\n",
        interval(1),
        interval(2)
    )
}

#[test]
fn tpcc_start_is_read_and_its_words_without_work_are_a_failure() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let program = directory.path().join("tpcc_start");
    let suite = format!(
        "engine e {{ storage InnoDB }}\ncache 64M\n\
         workload external theirs {{\n\
           tool tpcc_start; program \"{}\"; warehouses 1; clients 1; measure 2s\n\
         }}\n",
        program.display()
    );
    // One program whose words change: its data, which are ours, are loaded once.
    let under = |text: &str, out: &str| {
        stand_in(directory.path(), "tpcc_start", text, 0);
        let output =
            tools::run(directory.path(), &suite, out, &["--allow-external", "--keep-datasets"]);
        let journal = tools::journal(directory.path(), out);
        let record = journal.repetitions()[0].record.clone();
        (output, record)
    };
    let (output, record) = under(&tpcc_start(40, 80, "2400.000"), "good");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let tpmc = MetricId::whole(Metric::Tpmc);
    let shown = record.metrics.iter().find(|metric| metric.id == tpmc).expect("TpmC").value;
    assert!((shown - 2400.0).abs() < 1.0, "{shown}");
    assert_eq!(record.rounds[0].types.len(), 5);
    assert!(said(&output).contains("external"), "{}", said(&output));
    // The data were checked after it, as after clients of ours.
    assert!(record.checks.len() > 10, "{:?}", record.checks);

    let idle = tpcc_start(0, 0, "-nan");
    let gone = format!("error at thread_main\n2002, HY000, Can't connect\n{idle}");
    for (out, text) in [("idle", idle.as_str()), ("gone", gone.as_str()), ("dumb", "TpmC\n")] {
        let (output, record) = under(text, out);
        assert_eq!(output.status.code(), Some(125), "{out}: {}", said(&output));
        let failure = record.failure.expect("it failed");
        assert_eq!(failure.kind, FailureKind::Tool, "{out}: {failure:?}");
        assert!(record.metrics.is_empty(), "{out}");
        let kept = directory.path().join(out).join("tool-1-1.txt");
        assert_eq!(std::fs::read_to_string(kept).expect("kept all the same"), text);
    }
}

#[test]
fn tools_reach_a_server_that_runs_already_and_show_no_password() {
    assert!(Path::new("/usr/bin/sysbench").exists(), "needs sysbench: apt-get install sysbench");
    let server = Mariadb::start(&["--transaction-isolation=READ-COMMITTED"]);
    let mut control = server.connect();
    for statement in [
        "CREATE USER bench@localhost IDENTIFIED BY 'pl4nted'",
        "GRANT ALL ON *.* TO bench@localhost",
    ] {
        control.text(statement).expect("an account");
    }
    let suite = |workload: &str| {
        format!(
            "server here {{ dsn \"mysql://bench@localhost/tools?socket={}\"; \
             password_env TOOLS_PASSWORD }}\n\
             engine e {{ storage InnoDB }}\n\
             workload external theirs {{ {workload}; clients 2; measure 1s }}\n",
            server.socket().display()
        )
    };
    let sysbench = "tool sysbench; script \"oltp_point_select\"; argument \"--table-size=100\"";
    let run = |out: &str, directory: &Path, suite: &str| {
        let flags = ["--allow-external"];
        tools::run_with(directory, suite, out, &flags, &[("TOOLS_PASSWORD", "pl4nted")])
    };
    let directory = tempfile::tempdir().expect("a temporary directory");
    // What cannot reach its sessions is refused by name.
    let output = run("level", directory.path(), &suite(sysbench));
    assert_eq!(output.status.code(), Some(125), "{}", said(&output));
    assert!(said(&output).contains("READ COMMITTED"), "{}", said(&output));
    let level = "SET GLOBAL TRANSACTION ISOLATION LEVEL REPEATABLE READ";
    control.text(level).expect("a level");
    let output = run("good", directory.path(), &suite(sysbench));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let mut collation = String::new();
    let query = "SELECT table_collation FROM information_schema.tables \
                 WHERE table_schema = 'tools' AND table_name = 'sbtest1'";
    let visited = control.text_visit(query, &mut |row| {
        collation = String::from_utf8_lossy(&row.text(0).expect("a name")).into_owned();
        true
    });
    visited.expect("an answer");
    assert_eq!(collation, "latin1_bin", "as tables of our own workloads");
    for entry in std::fs::read_dir(directory.path().join("good")).expect("a run") {
        let text = std::fs::read(entry.expect("an entry").path()).expect("a file");
        assert!(!String::from_utf8_lossy(&text).contains("pl4nted"), "the password is nowhere");
    }
    // A tool that takes a password as argument alone would show it to everyone.
    let program = stand_in(directory.path(), "mine", "All is well.\n", 0);
    let command = format!("tool command; program \"{}\"; output sysbench", program.display());
    let output = run("shown", directory.path(), &suite(&command));
    assert_eq!(output.status.code(), Some(125), "{}", said(&output));
    assert!(said(&output).contains("without showing it"), "{}", said(&output));
}
