//! The thread that takes a sample at every edge of a window. What it takes stays in memory until
//! the phases are over.

use super::counters::ServerCounters;
use super::machine::Machine;
use crate::host::clock::Clock;
use crate::model::Signal;
use crate::run::schedule::{Schedule, WINDOW};
use crate::target::session::{Session, SqlError};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How often a wait looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(100);

/// Everything that was seen at one moment.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    /// After the common start of the clients.
    pub(super) at: Duration,
    /// Counters as they stand, not yet as increases.
    pub(super) values: BTreeMap<Signal, u64>,
    /// Of the server's threads, where they are read every second.
    pub(super) context_switches: Option<u64>,
}

/// What the thread needs.
pub(super) struct Work {
    pub(super) clock: Arc<dyn Clock>,
    pub(super) machine: Machine,
    /// The connection to the server's counters; none where there are none.
    pub(super) server: Option<(Box<dyn Session>, ServerCounters)>,
    pub(super) edges: Vec<Duration>,
    /// Whether context switches are read every second.
    pub(super) switches: bool,
}

/// What the thread brings back.
#[derive(Default)]
pub(super) struct Seconds {
    pub(super) taken: Vec<Taken>,
    /// Why the server's counters were not told to the end.
    pub(super) error: Option<SqlError>,
}

/// A thread at work. Dropping it ends it.
pub(super) struct Running {
    stop: Sender<()>,
    thread: Option<JoinHandle<Seconds>>,
}

/// The edges of all windows of a schedule, in order.
pub(super) fn edges(schedule: &Schedule) -> Vec<Duration> {
    let mut edges: Vec<Duration> = schedule
        .spans()
        .iter()
        .flat_map(|span| (0..span.windows()).map(|window| span.start + WINDOW * window))
        .collect();
    edges.push(schedule.end());
    edges
}

impl Running {
    /// Starts the thread; its first sample is of this moment.
    pub(super) fn start(work: Work) -> std::io::Result<Self> {
        let (stop, stopped) = channel();
        let thread = thread::Builder::new()
            .name("sampler".to_string())
            .spawn(move || sample(work, &stopped))?;
        Ok(Self { stop, thread: Some(thread) })
    }

    /// Waits for the last sample and gives all of them; for those that are due by now alone when
    /// the phases ended before their time.
    pub(super) fn finish(mut self, early: bool) -> Seconds {
        if early {
            // A thread that has ended does not listen any more.
            let _ = self.stop.send(());
        }
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A thread that has ended does not listen any more.
        let _ = self.stop.send(());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn sample(mut work: Work, stopped: &Receiver<()>) -> Seconds {
    let origin = work.clock.now();
    let mut seconds = Seconds { taken: Vec::with_capacity(work.edges.len()), error: None };
    for (index, &edge) in work.edges.iter().enumerate() {
        loop {
            let now = work.clock.now().saturating_sub(origin);
            // What is due is taken even when it is wanted no longer than that.
            if now >= edge {
                break;
            }
            if !matches!(stopped.try_recv(), Err(TryRecvError::Empty)) {
                return seconds;
            }
            work.clock.sleep(edge.saturating_sub(now).min(LOOK));
        }
        let at = work.clock.now().saturating_sub(origin);
        // Edges that went by while the server was silent have no samples.
        if work.edges.get(index + 1).is_some_and(|&next| next <= at) {
            continue;
        }
        let mut values = work.machine.read();
        let context_switches = work.switches.then(|| work.machine.context_switches()).flatten();
        if let Some((session, counters)) = &mut work.server {
            let asked = work.clock.now();
            match counters.read(&mut **session) {
                Ok(told) => {
                    values.extend(told);
                    let answer = work.clock.now().saturating_sub(asked);
                    values.insert(Signal::AnswerTime, answer.as_micros() as u64);
                }
                Err(error) => {
                    seconds.error = Some(error);
                    work.server = None;
                }
            }
        }
        seconds.taken.push(Taken { at, values, context_switches });
    }
    seconds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::clock::FakeClock;

    #[test]
    fn edges_are_those_of_every_window_and_the_end() {
        let ms = Duration::from_millis;
        let schedule = Schedule::new(ms(1500), ms(2000), 1, None);
        assert_eq!(edges(&schedule), [ms(0), ms(1000), ms(1500), ms(2500), ms(3500)]);
    }

    #[test]
    fn a_sample_is_taken_at_every_edge() {
        let ms = Duration::from_millis;
        let work = Work {
            clock: Arc::new(FakeClock::new()),
            machine: Machine::nothing(),
            server: None,
            edges: vec![ms(0), ms(1000), ms(2000)],
            switches: false,
        };
        let seconds = Running::start(work).unwrap().finish(false);
        let at: Vec<Duration> = seconds.taken.iter().map(|taken| taken.at).collect();
        assert_eq!(at, [ms(0), ms(1000), ms(2000)]);
        assert!(seconds.taken[0].values.contains_key(&Signal::MachineCpu));
    }
}
