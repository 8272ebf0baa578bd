//! What breaks tells why in the server's own words, with a next step, and costs its own cells alone.

use crate::support::managed::{Bench, nothing_runs_below, spec};
use enginecmp::journal::{Journal, read};
use enginecmp::model::FailureKind;
use enginecmp::target::{OptionLine, StartSpec, Target};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
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

/// Runs a suite by what `program` makes of the work directory; some of its cells must break. Gives
/// its journal and what it said.
fn run(bench: &Bench, suite: &str, program: impl Fn(&Path) -> Command) -> (Journal, String) {
    let inside = |name: &str| bench.path().join(name);
    fs::write(inside("faults.bench"), suite).expect("it is written");
    let output = program(&inside("work"))
        .arg(inside("faults.bench"))
        .arg("--work")
        .arg(inside("work"))
        .arg("--out")
        .arg(inside("out"))
        .output()
        .expect("it starts (apt-get install util-linux for unshare)");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_ne!(
        output.status.code(),
        Some(99),
        "this test mounts a small file system: run it as root, or where users may make namespaces \
         (sysctl kernel.unprivileged_userns_clone=1)\n{said}"
    );
    assert_eq!(output.status.code(), Some(125), "{said}");
    (read(&inside("out")).expect("a journal"), said)
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

/// The cells that have a number.
fn whole(journal: &Journal) -> Vec<String> {
    journal
        .repetitions()
        .iter()
        .filter(|view| view.record.failure.is_none())
        .map(|view| view.record.cell.to_string())
        .collect()
}

#[test]
fn an_option_refused_and_a_library_missing_cost_their_own_cells_alone() {
    let bench = Bench::new();
    let (journal, said) = run(&bench, &SUITE.replace("BROKEN", &broken(&bench)), alone);
    assert_eq!(whole(&journal), ["engine=innodb,server=good,variant=plain"], "{said}");
    let (message, next) = told(&journal, "innodb_no_such_option");
    assert!(message.contains("unknown variable"), "{message}");
    assert!(next.contains("Change or remove the option innodb_no_such_option"), "{next}");
    let (message, next) = told(&journal, "libnothing.so.9");
    assert!(message.contains("error while loading shared libraries"), "{message}");
    assert!(next.contains("Install the library"), "{next}");
    assert!(nothing_runs_below(bench.path()));
}

/// A real binary that was linked with a library which is no longer there.
fn unlinked(bench: &Bench) -> String {
    let tree = bench.path().join("unlinked");
    fs::create_dir_all(tree.join("bin")).expect("it is ours");
    let write = |name: &str, text: &str| fs::write(tree.join(name), text).expect("it is ours");
    write("library.c", "int nothing(void) { return 0; }\n");
    write("server.c", "int nothing(void);\nint main(void) { return nothing(); }\n");
    let cc = |arguments: &[&str]| {
        let status = Command::new("cc").args(arguments).current_dir(&tree).status();
        assert!(status.expect("cc runs (apt-get install gcc libc6-dev)").success());
    };
    cc(&["-shared", "-fPIC", "-Wl,-soname,libnothing.so.9", "-o", "libnothing.so", "library.c"]);
    cc(&["-o", "bin/mysqld", "server.c", "-L.", "-lnothing"]);
    fs::remove_file(tree.join("libnothing.so")).expect("it was made");
    tree.display().to_string()
}

#[test]
fn a_binary_that_lacks_a_library_is_told_in_the_words_of_the_dynamic_linker() {
    let bench = Bench::new();
    let text = "suite \"Library\"\nserver good { release \"mariadb\" }\n\
                server broken { basedir \"BROKEN\" }\nengine innodb { storage InnoDB }\n\
                workload tpcc { warehouses 1; density 1%; clients 1; measure 300ms }\ncache 32M\n";
    let (journal, said) = run(&bench, &text.replace("BROKEN", &unlinked(&bench)), alone);
    assert_eq!(whole(&journal), ["engine=innodb,server=good"], "{said}");
    let (message, next) = told(&journal, "libnothing.so.9");
    assert!(message.contains("error while loading shared libraries: libnothing.so.9"), "{message}");
    assert!(next.contains("Install the library libnothing.so.9"), "{next}");
}

#[test]
fn a_port_in_use_is_told_in_the_servers_own_words() {
    // A suite cannot make a server listen, so this asks the server itself.
    let taken = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let port = taken.local_addr().expect("it listens").port();
    let bench = Bench::new();
    let server = bench.server();
    let data = bench.instance("port").join("data");
    server.initialise(&data, &[]).expect("an empty data directory");
    let mut start = spec(&data, &["InnoDB"]);
    start.options.retain(|option| option.name != "skip_networking");
    start.options.push(OptionLine::own("bind_address", "127.0.0.1"));
    start.options.push(OptionLine::own("port", port.to_string()));
    let failure = server.start(&start).err().expect("the port is taken");
    assert_eq!(failure.kind, FailureKind::ServerDied, "{failure}");
    assert!(failure.message.contains("Address already in use"), "{failure}");
    let next = failure.next_step.expect("a next step");
    assert!(next.contains("Another process listens on that port"), "{next}");
    assert!(nothing_runs_below(bench.path()));
    drop(taken);
    let running = server.start(&StartSpec { ..start }).expect("the port is free again");
    running.stop().expect("a clean stop");
}

/// enginecmp as it is.
fn alone(_: &Path) -> Command {
    Command::new(env!("CARGO_BIN_EXE_enginecmp"))
}

/// enginecmp with its work directory on a file system of so many MiB, which only it and its servers
/// see and which is gone with them.
fn on_a_small_disk(mebibytes: u32, work: &Path) -> Command {
    fs::create_dir(work).expect("a new directory");
    let mut command = Command::new("unshare");
    command.arg("--mount");
    if !rustix::process::geteuid().is_root() {
        command.arg("--map-root-user");
    }
    command
        .args(["sh", "-c"])
        .arg("mount -t tmpfs -o size=$1m tmpfs \"$2\" || exit 99; shift 2; exec \"$@\"")
        .args(["sh", &mebibytes.to_string()])
        .arg(work)
        .arg(env!("CARGO_BIN_EXE_enginecmp"));
    command
}

#[test]
fn a_full_disk_costs_the_cells_that_fill_it_and_is_told_in_the_servers_own_words() {
    let bench = Bench::new();
    let text = "suite \"Full\"\nengine innodb { storage InnoDB }\n\
                workload tpcc { warehouses 1; density 1%; clients 1; measure 300ms }\ncache 32M\n\
                variant fits    { redo 16M }\n\
                variant at_init { option innodb_data_file_path = \"ibdata1:2G:autoextend\" }\n\
                variant at_start { redo 2G }\n";
    let (journal, said) = run(&bench, text, |work| on_a_small_disk(700, work));
    assert_eq!(whole(&journal), ["engine=innodb,variant=fits"], "{said}");
    for words in ["making an empty data directory failed", "the server ended while it started"] {
        let (message, next) = told(&journal, words);
        assert!(message.contains("space") || message.contains("28"), "{message}");
        assert!(next.to_lowercase().contains("free space"), "{next}");
    }
    assert!(nothing_runs_below(bench.path()));
}

#[test]
fn a_disk_that_is_too_small_is_told_before_anything_is_made() {
    let bench = Bench::new();
    let text = "suite \"Small\"\nengine innodb { storage InnoDB }\n\
                workload tpcc { warehouses 1; density 1%; clients 1; measure 300ms }\ncache 32M\n";
    let (journal, _) = run(&bench, text, |work| on_a_small_disk(24, work));
    let (message, next) = told(&journal, "are free on the disk");
    assert!(message.contains("the run needs about"), "{message}");
    assert!(next.contains("--work DIR"), "{next}");
}
