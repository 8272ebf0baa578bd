//! Faults of a server that are injected for real while a run goes on: the repetition is lost with
//! its cause in plain words, and the others go on.

use crate::support::disturbed::Disturbed;
use crate::support::inside::{Inside, TWICE};
use crate::support::managed::{Bench, signal};
use enginecmp::host::share::Limits;
use enginecmp::model::{Failure, FailureKind};
use enginecmp::run::Silent;
use enginecmp::target::Running;
use enginecmp::target::mysql_session::Address;
use enginecmp::target::session::{Session, SqlError};
use std::os::unix::net::UnixListener;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Connections that a fault holds until its test is over.
type Held = Arc<Mutex<Vec<Box<dyn Session>>>>;

/// Runs the two repetitions of a suite, the first of which is disturbed when its first client
/// connects; gives its failure. A server may be silent for 6 s.
fn struck_in(
    suite: &str,
    limits: Limits,
    disturb: impl Fn(&dyn Running) -> Result<(), SqlError> + Send + Sync + 'static,
) -> Failure {
    let bench = Bench::new();
    let mut inside = Inside::new(&bench, suite);
    inside.patience = Duration::from_secs(6);
    // The first start loads, the second is struck, others are left alone.
    let server = bench.server_within(limits);
    let (outcome, journal) =
        inside.run(Disturbed::new(server, |start| start == 1, disturb), &Silent);
    let views = journal.repetitions();
    let failures: Vec<_> = views.iter().map(|view| view.record.failure.clone()).collect();
    assert_eq!((outcome.finished, outcome.failed), (1, 1), "the other one goes on: {failures:#?}");
    assert!(views[0].record.rounds.is_empty(), "what was struck has no number");
    failures[0].clone().expect("the first was struck")
}

/// The same in the usual suite.
fn struck(
    limits: Limits,
    disturb: impl Fn(&dyn Running) -> Result<(), SqlError> + Send + Sync + 'static,
) -> Failure {
    struck_in(TWICE, limits, disturb)
}

/// The same with a signal to the server while the clients work.
fn struck_by(name: &'static str) -> Failure {
    struck(Limits::default(), move |running| {
        let pid = running.processes()[0];
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(500));
            signal(pid, name);
        });
        Ok(())
    })
}

fn next_step(failure: &Failure) -> &str {
    failure.next_step.as_deref().unwrap_or_else(|| panic!("no next step: {failure:#?}"))
}

#[test]
fn a_server_that_hangs_is_killed_and_costs_one_repetition() {
    let failure = struck_by("STOP");
    assert_eq!(failure.kind, FailureKind::Timeout, "{failure}");
    assert!(failure.message.contains("did not answer for 6 s and was killed"), "{failure}");
}

#[test]
fn a_server_that_is_killed_from_outside_costs_one_repetition() {
    let failure = struck_by("KILL");
    assert_eq!(failure.kind, FailureKind::ServerDied, "{failure}");
    assert!(failure.message.contains("signal 9"), "{failure}");
    let next = next_step(&failure);
    assert!(next.contains("memory") && next.contains("--retry-failed"), "{next}");
}

#[test]
fn a_server_that_uses_up_its_memory_is_told_from_one_that_was_killed() {
    let limits = Limits { memory: Some(320 << 20), processors: None };
    if let Err(error) = limits.try_out() {
        // Without the right to make a control group there is no limit, and the user is told so.
        assert!(error.to_string().contains("a memory limit cannot be had"), "{error}");
        return;
    }
    // Before it gives up, the kernel looks long for memory that it could take back.
    let suite = TWICE.replace("measure 2s", "measure 10s");
    let failure = struck_in(&suite, limits, |running| {
        running.connect(1)?.text("SET GLOBAL max_allowed_packet = 1073741824")?;
        // A connection keeps the limit that there was when it was made.
        let mut eater = running.connect(1)?;
        thread::spawn(move || {
            // It has no answer.
            let _ = eater.text("SELECT LENGTH(REPEAT('x', 1000000000))");
        });
        Ok(())
    });
    assert_eq!(failure.kind, FailureKind::ServerDied, "{failure}");
    assert!(failure.message.contains("used up the memory"), "{failure}");
    assert!(next_step(&failure).contains("a smaller `cache`"), "{failure:?}");
}

#[test]
fn a_server_without_room_for_clients_costs_one_repetition() {
    let held = Held::default();
    let failure = struck(Limits::default(), {
        let held = Arc::clone(&held);
        move |running| {
            let mut held = held.lock().expect("nobody panics with it");
            let mut first = running.connect(1)?;
            first.text("SET GLOBAL max_connections = 10")?;
            held.push(first);
            loop {
                match running.connect(1) {
                    Ok(session) => held.push(session),
                    Err(error) if error.errno == 1040 => return Ok(()),
                    Err(error) => return Err(error),
                }
            }
        }
    });
    assert_eq!(failure.errno, Some(1040), "{failure}");
    assert!(failure.message.contains("Too many connections"), "{failure}");
    assert!(next_step(&failure).contains("max_connections"), "{failure:?}");
}

#[test]
fn a_server_that_refuses_connections_costs_one_repetition() {
    let failure = struck(Limits::default(), |running| {
        let Some(Address::Socket(socket)) = running.reach().map(|reach| &reach.address) else {
            return Err(SqlError::local("servers of enginecmp listen on a socket"));
        };
        // A socket that nobody listens on refuses. It comes when nobody does any more: who connects
        // while somebody still listens is cut off instead.
        let aside = socket.with_file_name("n");
        UnixListener::bind(&aside)
            .map(drop)
            .and_then(|()| std::fs::rename(&aside, socket))
            .map_err(|error| SqlError::local(error.to_string()))
    });
    assert!(failure.message.contains("refused"), "{failure}");
    assert!(next_step(&failure).contains("takes no connection"), "{failure:?}");
}

#[test]
fn transactions_that_do_not_end_are_ended_and_the_process_list_is_kept() {
    let held = Held::default();
    let failure = struck(Limits::default(), {
        let held = Arc::clone(&held);
        move |running| {
            let mut locker = running.connect(1)?;
            let held = Arc::clone(&held);
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(1500));
                // Nobody can commit until this connection ends.
                let _ = locker.text("FLUSH TABLES WITH READ LOCK");
                held.lock().expect("nobody panics with it").push(locker);
            });
            Ok(())
        }
    });
    assert_eq!(failure.kind, FailureKind::Timeout, "{failure}");
    assert!(failure.message.contains("had not ended their transactions"), "{failure}");
    let kept = failure.log_tail.join("\n");
    assert!(kept.contains("SHOW FULL PROCESSLIST") && kept.contains("lock"), "{kept}");
}
