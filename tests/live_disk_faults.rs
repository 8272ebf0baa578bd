//! Disks that fill up or become read-only while a run goes on, for real: file systems in memory
//! that are mounted where nobody but the test sees them.

use crate::support::bench::{Servers, machine, plan, script};
use crate::support::inside::{At, Inside, TWICE, fill};
use crate::support::managed::{Bench, guard};
use enginecmp::host::users;
use enginecmp::host::work_dir::WorkDir;
use enginecmp::journal::{Done, Writer, read};
use enginecmp::model::{Failure, FindingCode, Phase};
use enginecmp::run::{Event, Interrupt, Observer, RunOutcome, RunSettings, Silent, execute};
use enginecmp::target::fake::FakeTarget;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

/// Set for the process that has mounts of its own.
const MOUNTS: &str = "ENGINECMP_TEST_MOUNTS";

/// Whether this process has mounts that nobody else sees and that end with it. Else the test of
/// this name is run again by a process that has, and has passed there.
fn has_own_mounts(test: &str) -> bool {
    if std::env::var_os(MOUNTS).is_some() {
        return true;
    }
    // Root of the machine, or of a user namespace.
    let how: &[&str] = if users::is_root() { &["-m"] } else { &["-r", "-m"] };
    let outcome = Command::new("unshare")
        .args(how)
        .arg(std::env::current_exe().expect("this process has a file"))
        .args(["--exact", &format!("live_disk_faults::{test}"), "--nocapture"])
        .env(MOUNTS, "1")
        .output()
        .expect("unshare runs (apt-get install util-linux)");
    let said = String::from_utf8_lossy(&outcome.stdout);
    let more = String::from_utf8_lossy(&outcome.stderr);
    assert!(outcome.status.success() && said.contains("1 passed"), "{said}{more}");
    false
}

fn mount(arguments: &[&str], at: &Path) {
    let status = Command::new("mount").args(arguments).arg(at).status().expect("mount runs");
    assert!(status.success(), "mount {arguments:?} {}", at.display());
}

/// An empty file system of so many mebibytes.
fn tmpfs(mebibytes: u32, at: &Path) {
    std::fs::create_dir_all(at).expect("it is ours");
    let size = format!("size={mebibytes}m,mode=0700");
    mount(&["-t", "tmpfs", "-o", &size, "none"], at);
}

fn next_step(failure: &Failure) -> &str {
    failure.next_step.as_deref().unwrap_or_else(|| panic!("no next step: {failure:#?}"))
}

#[test]
fn a_disk_that_fills_up_costs_one_repetition() {
    if !has_own_mounts("a_disk_that_fills_up_costs_one_repetition") {
        return;
    }
    let bench = Bench::new();
    tmpfs(512, &bench.path().join("work"));
    let suite = "
suite \"Growing\"
engine innodb { storage InnoDB }
workload insert_benchmark { rows 10k; clients 2; warmup 1s; measure 8s }
cache 32M
repeat 2
";
    let inside = Inside::new(&bench, suite);
    let filler: Mutex<Option<PathBuf>> = Mutex::new(None);
    let observer = At(|event: &Event<'_>| {
        let mut filler = filler.lock().expect("nobody panics with it");
        match event {
            Event::Phase { phase: Phase::Measure, .. } if filler.is_none() => {
                *filler = Some(fill(inside.work.root()));
            }
            Event::RepetitionEnds { failure: Some(_), .. } => {
                let file = filler.as_ref().expect("nothing else can break");
                std::fs::remove_file(file).expect("it is ours");
            }
            _ => {}
        }
    });
    let (outcome, journal) = inside.run(bench.server(), &observer);
    let views = journal.repetitions();
    let failures: Vec<_> = views.iter().map(|view| view.record.failure.clone()).collect();
    assert_eq!((outcome.finished, outcome.failed), (1, 1), "{failures:#?}");
    let failure = failures[0].clone().expect("the first was struck");
    assert!(next_step(&failure).contains("free space on the file system"), "{failure:#?}");
    assert!(journal.findings().any(|finding| finding.code == FindingCode::WorkOnTmpfs));
}

#[test]
fn a_file_system_that_becomes_read_only_costs_one_repetition() {
    if !has_own_mounts("a_file_system_that_becomes_read_only_costs_one_repetition") {
        return;
    }
    let bench = Bench::new();
    let inside = Inside::new(&bench, TWICE);
    let runs = inside.work.root().join("runs");
    tmpfs(512, &runs);
    let observer = At(|event: &Event<'_>| match event {
        // Between two steps nobody writes, so the kernel allows it.
        Event::RepetitionStarts { at: 1, .. } => mount(&["-o", "remount,ro"], &runs),
        Event::RepetitionEnds { failure: Some(_), .. } => mount(&["-o", "remount,rw"], &runs),
        _ => {}
    });
    let (outcome, journal) = inside.run(bench.server(), &observer);
    let views = journal.repetitions();
    let failures: Vec<_> = views.iter().map(|view| view.record.failure.clone()).collect();
    assert_eq!((outcome.finished, outcome.failed), (1, 1), "{failures:#?}");
    let failure = failures[0].clone().expect("the first was struck");
    assert!(failure.message.contains("Read-only file system"), "{failure}");
    assert!(next_step(&failure).contains("mounted read-only"), "{failure:?}");
}

#[test]
fn a_full_disk_of_the_journal_ends_a_run_that_is_resumed() {
    if !has_own_mounts("a_full_disk_of_the_journal_ends_a_run_that_is_resumed") {
        return;
    }
    let top = tempfile::tempdir().expect("a temporary directory");
    let out = top.path().join("out");
    tmpfs(1, &out);
    let (work, _) = WorkDir::open(&top.path().join("work")).expect("a work directory");
    let mut plan = plan(&["InnoDB", "RocksDB"]);
    plan.repeat = 3;
    let run = |writer: &mut Writer, done: Option<Done>, observer: &dyn Observer| {
        let settings = RunSettings {
            id: "full".to_string(),
            work: &work,
            machine: machine(),
            guard: guard(),
            interrupt: Interrupt::new(),
            keep_datasets: false,
            done,
            budget: None,
            patience: enginecmp::run::PATIENCE,
            calibration: None,
        };
        let server = Servers(Arc::new(FakeTarget::new("found", script())));
        execute(&plan, &server, &settings, writer, observer)
    };
    let filler: Mutex<Option<PathBuf>> = Mutex::new(None);
    let observer = At(|event: &Event<'_>| {
        if matches!(event, Event::RepetitionStarts { at: 3, .. }) {
            *filler.lock().expect("nobody panics with it") = Some(fill(&out));
        }
    });
    let mut writer = Writer::create(&out).expect("a new journal");
    let error = run(&mut writer, None, &observer).expect_err("the disk is full").to_string();
    assert!(error.contains("journal.jsonl") && error.contains("No space left"), "{error}");
    drop(writer);
    let journal = read(&out).expect("what was written is whole");
    assert!(journal.torn.is_none(), "half a record was taken back");
    let done = Done::of(&journal);
    assert!((2..6).contains(&done.finished), "{}", done.finished);

    let file = filler.into_inner().expect("nobody panicked with it").expect("the disk was filled");
    std::fs::remove_file(file).expect("it is ours");
    let mut writer = Writer::resume(&journal).expect("it can be gone on with");
    let outcome: RunOutcome = run(&mut writer, Some(done), &Silent).expect("there is room now");
    assert!(outcome.is_whole(), "{outcome:?}");
    assert_eq!(outcome.finished, 6);
    let numbers = read(&out).expect("a journal").repetitions().len();
    assert_eq!(numbers, 6, "each is there once");
}
