//! Looks after a running server while work waits for its answers.

use crate::host::interrupt::Interrupt;
use crate::model::{Failure, FailureKind, Phase};
use crate::target::Running;
use crate::target::session::{ErrorClass, SqlError};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How often the watcher looks.
const LOOK: Duration = Duration::from_millis(100);

/// How long a server that broke its connections may take to be seen dead.
const DYING: Duration = Duration::from_secs(3);

/// Does `work`. An interrupt meanwhile ends the server at once, so that no statement is waited
/// for, however long it takes.
pub(super) fn watched<T>(
    running: &dyn Running,
    interrupt: &Interrupt,
    work: impl FnOnce() -> T,
) -> T {
    thread::scope(|scope| {
        // Dropped at the end of the work, also when it panics: that wakes the watcher.
        let (_working, ended) = channel::<()>();
        scope.spawn(move || {
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if interrupt.is_raised() {
                    running.kill();
                    return;
                }
            }
        });
        work()
    })
}

/// The failure of an interrupted run.
pub(super) fn interrupted(phase: Phase) -> Failure {
    Failure::new(phase, FailureKind::Interrupted, "interrupted by the user")
}

/// What a failed statement means: the user's interrupt, the server's death with its last words, or
/// the error itself in the server's words. `doing` says whose error it is.
pub(super) fn sql_failure(
    phase: Phase,
    running: &dyn Running,
    interrupt: &Interrupt,
    doing: &str,
    error: &SqlError,
) -> Failure {
    if interrupt.is_raised() {
        return interrupted(phase);
    }
    let gone = error.class == ErrorClass::ConnectionLost || matches!(error.errno, 2002 | 2003);
    // A process that broke its connections may need a moment to be gone.
    for _ in 0..if gone { DYING.as_millis() / LOOK.as_millis() } else { 1 } {
        if let Err(mut death) = running.alive() {
            death.phase = phase;
            return death;
        }
        if gone && interrupt.wait(LOOK) {
            return interrupted(phase);
        }
    }
    let mut failure = Failure::new(phase, FailureKind::Sql, format!("{doing}: {error}"));
    failure.errno = (error.errno != 0).then_some(error.errno);
    failure.sqlstate = (!error.sqlstate.is_empty()).then(|| error.sqlstate.clone());
    failure
}
