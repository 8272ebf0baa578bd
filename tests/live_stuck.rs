//! Faults that are injected for real while a run goes on: the repetition is lost with its cause in
//! plain words, and the others go on.

use crate::support::disturbed::{Disturbed, One};
use crate::support::managed::{Bench, description, nothing_runs_below, signal};
use enginecmp::diagnostic::SourceMap;
use enginecmp::host::work_dir::WorkDir;
use enginecmp::journal::{Writer, read};
use enginecmp::model::{Failure, FailureKind};
use enginecmp::plan::{self, Arguments, Disk};
use enginecmp::run::{Interrupt, RunSettings, Silent, execute};
use enginecmp::target::Running;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Half a second after the first client has connected, the signal comes.
fn strike(running: &dyn Running, name: &'static str) {
    let pid = running.processes()[0];
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(500));
        signal(pid, name);
    });
}

/// Runs two repetitions of which the first is struck; gives its failure.
fn struck_by(signal: &'static str) -> Failure {
    let bench = Bench::new();
    let suite = bench.path().join("struck.bench");
    let text = "suite \"Struck\"\nengine innodb { storage InnoDB }\n\
                workload tpcc { warehouses 1; density 1%; clients 2; warmup 1s; measure 2s }\n\
                cache 32M\nrepeat 2\n";
    std::fs::write(&suite, text).expect("it is written");
    let mut sources = SourceMap::new();
    let arguments = Arguments { processors: 2, ..Arguments::default() };
    let suite = plan::load(&suite, &arguments, &mut sources, &Disk).expect("a good suite");
    let plan = plan::make(&suite, &[description()]).expect("a plan");
    let (work, _) = WorkDir::open(&bench.path().join("work")).expect("a work directory");
    let settings = RunSettings {
        id: "struck".to_string(),
        work: &work,
        machine: enginecmp::run::describe_machine(work.root(), None).expect("a machine"),
        guard: crate::support::managed::guard(),
        interrupt: Interrupt::new(),
        keep_datasets: false,
        done: None,
        budget: None,
        patience: Duration::from_secs(6),
        calibration: None,
    };
    let out = bench.path().join("out");
    let mut journal = Writer::create(&out).expect("a new journal");
    let target = Disturbed::new(
        bench.server(),
        // The first start loads, the second is struck, others are left alone.
        |start| start == 1,
        move |running| {
            strike(running, signal);
            Ok(())
        },
    );
    let outcome = execute(&plan, &One(Arc::new(target)), &settings, &mut journal, &Silent)
        .expect("the journal can be written");
    assert_eq!((outcome.finished, outcome.failed), (1, 1), "the other one goes on");
    assert!(nothing_runs_below(work.root()));
    let journal = read(&out).expect("a journal");
    let views = journal.repetitions();
    assert!(views[0].record.rounds.is_empty(), "what was struck has no number");
    views[0].record.failure.clone().expect("the first was struck")
}

#[test]
fn a_server_that_hangs_is_killed_and_costs_one_repetition() {
    let failure = struck_by("STOP");
    assert_eq!(failure.kind, FailureKind::Timeout, "{failure}");
    assert!(failure.message.contains("did not answer for 6 s and was killed"), "{failure}");
}

#[test]
fn a_server_killed_as_the_kernel_does_when_memory_runs_out_is_told_so() {
    let failure = struck_by("KILL");
    assert_eq!(failure.kind, FailureKind::ServerDied, "{failure}");
    assert!(failure.message.contains("signal 9"), "{failure}");
    let next = failure.next_step.expect("a next step");
    assert!(next.contains("memory") && next.contains("--retry-failed"), "{next}");
}
