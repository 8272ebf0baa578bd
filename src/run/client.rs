//! The loop of one client: draw, wait for the intended start, attempt, try again after a deadlock
//! or a lock wait, note the time. Closed loop, open loop and the fake target share it.

use super::message::{Batch, ClientFailure, Command, Report, Totals, TypeBatch};
use super::pacer::Pacer;
use super::quota::Quota;
use super::schedule::{Schedule, Slot};
use crate::host::clock::Clock;
use crate::target::session::{ErrorClass, Session, SqlError};
use crate::workload::{Client, TransactionEnd};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

/// Attempts at one transaction before it is given up.
pub(super) const ATTEMPTS: u32 = 100;

/// Longest wait between two attempts.
const LONGEST_WAIT: Duration = Duration::from_millis(10);

/// A workload's own error: a count that is not what it must be.
const NOT_FROM_A_SERVER: u16 = 0;

/// A row with this key is there already (the MySQL family).
const DUPLICATE_KEY: u16 = 1062;

/// Longest sleep without a look at what it was told.
const LONGEST_SLEEP: Duration = Duration::from_millis(100);

/// Everything that one client needs once it is connected.
pub(super) struct ClientLoop<'a> {
    pub(super) client: Box<dyn Client>,
    pub(super) session: Box<dyn Session>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) pacer: Box<dyn Pacer>,
    pub(super) schedule: &'a Schedule,
    pub(super) quota: &'a Quota,
    /// The engine has transactions: what two clients do to one row is kept apart.
    pub(super) transactional: bool,
    pub(super) types: &'a [&'static str],
    pub(super) seed: u64,
    pub(super) commands: Receiver<Command>,
    pub(super) report: &'a dyn Fn(Report),
}

/// How one transaction ended, all attempts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Well(TransactionEnd),
    GivenUp(u16),
}

impl ClientLoop<'_> {
    /// Waits for the start and works until the schedule ends, it is told to quit, or an error
    /// that cannot be retried comes up.
    pub(super) fn run(mut self) {
        let Ok(Command::Start { epoch }) = self.commands.recv() else {
            (self.report)(Report::Done(self.no_work()));
            return;
        };
        let now = self.clock.now();
        if epoch > now {
            self.clock.sleep(epoch.saturating_sub(now));
        }
        let mut totals = self.no_work();
        let mut open = Open::new(self.types.len());
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let mut drawn = 0;
        // Looking at the clock is most of what measuring costs: once before a transaction and once
        // after it, unless it has to wait for its start.
        let mut now = self.since(epoch);
        let failure = loop {
            if self.told_to_quit() || now >= self.schedule.end() {
                break None;
            }
            drawn = self.client.draw();
            let ready = self.since(epoch);
            let intended = self.pacer.next(ready, drawn);
            if intended >= self.schedule.end() {
                break None;
            }
            let begins = if intended <= ready {
                ready
            } else if self.wait_until(epoch + intended) {
                self.since(epoch)
            } else {
                break None;
            };
            if begins >= self.schedule.end() || !self.quota.take(begins) {
                break None;
            }
            let queued = self.pacer.begins(intended, begins);
            let mut retries = TypeBatch::default();
            let ended = match self.transaction(epoch, &mut retries, &mut rng) {
                Ok(ended) => ended,
                Err(error) => break Some(error),
            };
            now = self.since(epoch);
            totals.ended = now;
            if ended == Some(Ended::Well(TransactionEnd::Committed)) {
                totals.committed[drawn] += 1;
            }
            let Some(slot) = self.schedule.slot(now) else {
                totals.unfinished[drawn] += 1;
                break None;
            };
            let Some(ended) = ended else { break None };
            let batch = open.at(slot, self.report, drawn);
            batch.take_retries(retries);
            match ended {
                Ended::GivenUp(errno) => *batch.errors.entry(errno).or_insert(0) += 1,
                Ended::Well(end) => {
                    match end {
                        TransactionEnd::Committed => batch.committed += 1,
                        TransactionEnd::RolledBack => batch.rolled_back += 1,
                    }
                    batch.latencies_us.push(microseconds(now.saturating_sub(intended)));
                    open.queue_us.extend(queued.map(microseconds));
                }
            }
        };
        open.send(self.report);
        (self.report)(match failure {
            None => Report::Done(totals),
            Some(error) => Report::Failed(ClientFailure {
                doing: self.types.get(drawn).copied().unwrap_or("a transaction").to_string(),
                error,
                at: Some(self.since(epoch)),
            }),
        });
    }

    fn no_work(&self) -> Totals {
        let nothing = vec![0; self.types.len()];
        Totals { committed: nothing.clone(), unfinished: nothing, ended: Duration::ZERO }
    }

    /// Time since the common start.
    fn since(&self, epoch: Duration) -> Duration {
        self.clock.now().saturating_sub(epoch)
    }

    /// Sleeps until `moment`; false when it was told to quit before.
    fn wait_until(&self, moment: Duration) -> bool {
        loop {
            let left = moment.saturating_sub(self.clock.now());
            if left.is_zero() {
                return true;
            }
            if left > LONGEST_SLEEP && self.told_to_quit() {
                return false;
            }
            self.clock.sleep(left.min(LONGEST_SLEEP));
        }
    }

    /// A driver that went away counts as a wish to quit.
    fn told_to_quit(&self) -> bool {
        !matches!(self.commands.try_recv(), Err(TryRecvError::Empty))
    }

    /// Without transactions two clients can take the same number or change the same row between two
    /// statements of one of them. What the later one meets then, a duplicate key or rows that are
    /// not as its workload left them, is no fault of the data.
    fn is_collision(&self, error: &SqlError) -> bool {
        let met = matches!(error.errno, NOT_FROM_A_SERVER | DUPLICATE_KEY);
        !self.transactional && error.class == ErrorClass::Other && met
    }

    /// Attempts the drawn transaction until it ends; none when it was rolled back and not tried
    /// again: told to quit, or the schedule is over.
    fn transaction(
        &mut self,
        epoch: Duration,
        notes: &mut TypeBatch,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Result<Option<Ended>, SqlError> {
        for attempt in 1.. {
            let error = match self.client.attempt(&mut *self.session) {
                Ok(end) => return Ok(Some(Ended::Well(end))),
                Err(error) => error,
            };
            if !error.can_retry() && !self.is_collision(&error) {
                return Err(error);
            }
            self.session.rollback()?;
            if attempt == ATTEMPTS {
                return Ok(Some(Ended::GivenUp(error.errno)));
            }
            if self.told_to_quit() || self.since(epoch) >= self.schedule.end() {
                return Ok(None);
            }
            *notes.retries.entry(error.errno).or_insert(0) += 1;
            let wait = wait_before(attempt, rng);
            if !wait.is_zero() {
                self.clock.sleep(wait);
            }
        }
        unreachable!("the last attempt returns")
    }
}

/// The wait after failed attempt number `attempt` (from 1): none after the first, then up to 1, 2,
/// 4, 8, 10, 10 ... ms, drawn from the upper half so that two victims do not meet again.
fn wait_before(attempt: u32, rng: &mut Xoshiro256PlusPlus) -> Duration {
    if attempt < 2 {
        return Duration::ZERO;
    }
    let longest = Duration::from_millis(1u64 << (attempt - 2).min(10)).min(LONGEST_WAIT);
    let half = longest.as_nanos() as u64 / 2;
    Duration::from_nanos(half + rng.next_u64() % (half + 1))
}

/// Whole microseconds; an hour and more is 2^32 - 1 us at most.
fn microseconds(time: Duration) -> u32 {
    u32::try_from(time.as_micros()).unwrap_or(u32::MAX)
}

/// The window that is being filled.
struct Open {
    slot: Option<Slot>,
    types: Vec<TypeBatch>,
    queue_us: Vec<u32>,
}

impl Open {
    fn new(types: usize) -> Self {
        Self { slot: None, types: vec![TypeBatch::default(); types], queue_us: Vec::new() }
    }

    /// The batch of a type in the window `slot`; the window before is sent first.
    fn at(&mut self, slot: Slot, report: &dyn Fn(Report), kind: usize) -> &mut TypeBatch {
        if self.slot != Some(slot) {
            self.send(report);
            self.slot = Some(slot);
        }
        &mut self.types[kind]
    }

    fn send(&mut self, report: &dyn Fn(Report)) {
        let Some(slot) = self.slot.take() else { return };
        if self.types.iter().all(TypeBatch::is_empty) {
            return;
        }
        let empty = vec![TypeBatch::default(); self.types.len()];
        report(Report::Batch(Batch {
            slot,
            types: std::mem::replace(&mut self.types, empty),
            queue_us: std::mem::take(&mut self.queue_us),
        }));
    }
}

impl TypeBatch {
    fn take_retries(&mut self, from: Self) {
        for (errno, count) in from.retries {
            *self.retries.entry(errno).or_insert(0) += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_between_attempts_are_small_and_bounded() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        assert_eq!(wait_before(1, &mut rng), Duration::ZERO);
        for attempt in 2..=ATTEMPTS {
            let wait = wait_before(attempt, &mut rng);
            assert!(wait >= Duration::from_micros(500), "{attempt}: {wait:?}");
            assert!(wait <= LONGEST_WAIT, "{attempt}: {wait:?}");
        }
    }
}
