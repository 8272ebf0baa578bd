//! What breaks tells why in the server's own words, with a next step, and costs its own cells alone.

use crate::support::managed::{Bench, nothing_runs_below};
use enginecmp::journal::{Journal, read};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const SUITE: &str = "
suite \"Faults\"
server good   { release \"mariadb\" }
server broken { basedir \"BROKEN\" }
engine innodb { storage InnoDB }
workload tpcc { warehouses 1; density 1%; clients 1; measure 500ms }
cache 32M
variant plain   { option innodb_purge_threads = 2 }
variant refused { option innodb_no_such_option = 1 }
";

/// A server that says its version and lacks a library when it is started.
fn broken(bench: &Bench) -> String {
    let tree = bench.path().join("broken");
    fs::create_dir_all(tree.join("bin")).expect("it is ours");
    let binary = tree.join("bin/mysqld");
    let text = "#!/bin/sh\n\
        case \"$*\" in *--version*) echo \"$0  Ver 8.0.40 for Linux on x86_64 (MySQL)\"; exit;; esac\n\
        echo \"$0: error while loading shared libraries: libnothing.so.9: cannot open shared \
        object file: No such file or directory\" >&2\nexit 127\n";
    fs::write(&binary, text).expect("it is ours");
    fs::set_permissions(&binary, fs::Permissions::from_mode(0o755)).expect("it is ours");
    tree.display().to_string()
}

fn told(journal: &Journal, words: &str) -> (String, String) {
    let of_repetitions: Vec<_> = journal.repetitions();
    let failures = journal
        .records
        .iter()
        .filter_map(|record| match record {
            enginecmp::journal::Record::Failed(failed) => Some(&failed.failure),
            _ => None,
        })
        .chain(of_repetitions.iter().filter_map(|view| view.record.failure.as_ref()));
    let all: Vec<_> = failures.collect();
    let found = all
        .iter()
        .find(|failure| failure.message.contains(words))
        .unwrap_or_else(|| panic!("nothing says {words:?}: {all:#?}"));
    (found.message.clone(), found.next_step.clone().unwrap_or_default())
}

#[test]
fn an_option_refused_and_a_library_missing_cost_their_own_cells_alone() {
    let bench = Bench::new();
    let suite = bench.path().join("faults.bench");
    fs::write(&suite, SUITE.replace("BROKEN", &broken(&bench))).expect("it is written");
    let (work, out) = (bench.path().join("work"), bench.path().join("out"));
    let output = Command::new(env!("CARGO_BIN_EXE_enginecmp"))
        .arg(&suite)
        .arg("--work")
        .arg(&work)
        .arg("--out")
        .arg(&out)
        .output()
        .expect("the binary starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(125), "{said}");
    let journal = read(&out).expect("a journal");
    let whole: Vec<String> = journal
        .repetitions()
        .iter()
        .filter(|view| view.record.failure.is_none())
        .map(|view| view.record.cell.to_string())
        .collect();
    assert_eq!(whole, ["engine=innodb,server=good,variant=plain"], "{said}");
    let (message, next) = told(&journal, "innodb_no_such_option");
    assert!(message.contains("unknown variable"), "{message}");
    assert!(next.contains("Change or remove the option innodb_no_such_option"), "{next}");
    let (message, next) = told(&journal, "libnothing.so.9");
    assert!(message.contains("error while loading shared libraries"), "{message}");
    assert!(next.contains("Install the library"), "{next}");
    assert!(nothing_runs_below(&work));
}
