//! Looks after a running server while work waits for its answers.

use super::pool::CONTROL;
use crate::host::interrupt::Interrupt;
use crate::model::{Failure, FailureKind, Phase};
use crate::target::Running;
use crate::target::session::{ErrorClass, Session, SqlError};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often the watcher looks.
const LOOK: Duration = Duration::from_millis(100);

/// How long a server that broke its connections may take to be seen dead.
const DYING: Duration = Duration::from_secs(3);

/// How often a server that works is asked whether it still answers.
const PING: Duration = Duration::from_secs(15);

/// How long a server may be silent before it counts as hung and is killed.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// Since when a question is unanswered, and whether somebody waits for the answer right now.
#[derive(Default)]
struct Pulse {
    asked: Mutex<Option<Instant>>,
    waiting: AtomicBool,
}

impl Pulse {
    fn ask(&self) {
        self.waiting.store(true, Ordering::SeqCst);
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.get_or_insert_with(Instant::now);
    }

    fn answered(&self, well: bool) {
        if well {
            *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        self.waiting.store(false, Ordering::SeqCst);
    }

    fn silence(&self) -> Duration {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.map_or(Duration::ZERO, |asked| asked.elapsed())
    }
}

/// Asks the server something trivial now and then, on a connection of its own, until `ended`.
fn keep_asking(running: &dyn Running, pulse: &Pulse, every: Duration, ended: &Receiver<()>) {
    let mut session: Option<Box<dyn Session>> = None;
    while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
        pulse.ask();
        let asked = match &mut session {
            Some(session) => session.text("SELECT 1").map(drop),
            None => running.connect(CONTROL).map(|connected| session = Some(connected)),
        };
        // A server that refuses answers.
        let silent = asked.as_ref().is_err_and(|error| error.class == ErrorClass::ConnectionLost);
        if asked.is_err() {
            session = None;
        }
        pulse.answered(!silent);
    }
}

/// Does `work`. An interrupt meanwhile ends the server at once, so that no statement is waited
/// for, however long it takes; so does a silence of the server longer than `patience`, which is the
/// failure then. Only servers whose process can be ended are asked.
pub(super) fn watched<T>(
    running: &dyn Running,
    interrupt: &Interrupt,
    patience: Duration,
    work: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let pulse = Pulse::default();
    let hung = AtomicBool::new(false);
    let result = thread::scope(|scope| {
        // Dropped at the end of the work, also when it panics: that wakes the watchers.
        let (_working, ended) = channel::<()>();
        let (_asking, asked_enough) = channel::<()>();
        let (pulse, hung) = (&pulse, &hung);
        if !running.processes().is_empty() {
            let every = PING.min(patience / 3);
            scope.spawn(move || keep_asking(running, pulse, every, &asked_enough));
        }
        scope.spawn(move || {
            let mut over = false;
            while !over || pulse.waiting.load(Ordering::SeqCst) {
                if over {
                    thread::sleep(LOOK);
                } else {
                    over = ended.recv_timeout(LOOK) != Err(RecvTimeoutError::Timeout);
                }
                hung.store(pulse.silence() > patience, Ordering::SeqCst);
                if interrupt.is_raised() || hung.load(Ordering::SeqCst) {
                    running.kill();
                    return;
                }
            }
        });
        work()
    });
    result.map_err(|failure| {
        if !hung.load(Ordering::SeqCst) || interrupt.is_raised() {
            return failure;
        }
        let message = format!(
            "the server did not answer for {} s and was killed; before that: {}",
            patience.as_secs(),
            failure.message
        );
        Failure { message, kind: FailureKind::Timeout, ..failure }
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
