//! When a client starts its next transaction. All times are since the common start of the clients.

use super::arrivals::Arrivals;
use crate::workload::random::Stream;
use crate::workload::{Think, ThinkTimes};
use std::sync::Arc;
use std::time::Duration;

/// Decides the intended start of each transaction of one client. Latency counts from it, so that
/// an open loop cannot hide its queue.
pub(super) trait Pacer: Send {
    /// The intended start of the next transaction, which is of type `kind`, when the client is
    /// ready for it at `now`. A time in the future is waited for; one in the past means that the
    /// client is behind.
    fn next(&mut self, now: Duration, kind: usize) -> Duration;

    /// The transaction that was intended for `intended` begins at `at`. Gives the time that it
    /// waited for a client, where transactions can wait for one.
    fn begins(&mut self, intended: Duration, at: Duration) -> Option<Duration>;
}

/// The closed loop: the next transaction starts as soon as the client is ready.
#[derive(Debug)]
pub(super) struct Closed;

impl Pacer for Closed {
    fn next(&mut self, now: Duration, _kind: usize) -> Duration {
        now
    }

    fn begins(&mut self, _intended: Duration, _at: Duration) -> Option<Duration> {
        None
    }
}

/// A client that its workload holds to a rate: transactions are due at equal distances, and one
/// that is late does not put off those behind it.
#[derive(Debug)]
pub(super) struct Limited {
    gap: Duration,
    due: Option<Duration>,
}

impl Limited {
    /// So many transactions a second, above 0.
    pub(super) fn new(rate: f64) -> Self {
        let longest = Duration::from_secs(24 * 60 * 60);
        let gap = Duration::try_from_secs_f64(1.0 / rate).unwrap_or(longest).min(longest);
        Self { gap, due: None }
    }
}

impl Pacer for Limited {
    fn next(&mut self, now: Duration, _kind: usize) -> Duration {
        let due = self.due.unwrap_or(now);
        self.due = Some(due + self.gap);
        due
    }

    fn begins(&mut self, _intended: Duration, _at: Duration) -> Option<Duration> {
        None
    }
}

/// The open loop: transactions arrive whether or not a client is free, and wait for one.
pub(super) struct Open {
    arrivals: Arc<Arrivals>,
}

impl Open {
    pub(super) fn new(arrivals: Arc<Arrivals>) -> Self {
        Self { arrivals }
    }
}

impl Pacer for Open {
    fn next(&mut self, now: Duration, _kind: usize) -> Duration {
        self.arrivals.take(now)
    }

    fn begins(&mut self, intended: Duration, at: Duration) -> Option<Duration> {
        self.arrivals.begun(intended, at);
        Some(at.saturating_sub(intended))
    }
}

/// The closed loop of people: each client thinks after a transaction, and keys in the next.
pub(super) struct Thinking {
    times: ThinkTimes,
    draw: Stream,
    /// Type of the transaction before.
    last: Option<usize>,
}

impl Thinking {
    pub(super) fn new(times: ThinkTimes, draw: Stream) -> Self {
        Self { times, draw, last: None }
    }
}

impl Pacer for Thinking {
    fn next(&mut self, now: Duration, kind: usize) -> Duration {
        let thought = match (self.last.replace(kind), &self.times) {
            (None, _) => Duration::ZERO,
            (Some(_), ThinkTimes::Fixed(time)) => *time,
            (Some(last), ThinkTimes::Keyed(types)) => {
                types.get(last).map_or(Duration::ZERO, |think| drawn(think, &mut self.draw))
            }
        };
        let keyed = match &self.times {
            ThinkTimes::Fixed(_) => Duration::ZERO,
            ThinkTimes::Keyed(types) => types.get(kind).map_or(Duration::ZERO, |t| t.keying),
        };
        now + thought + keyed
    }

    fn begins(&mut self, _intended: Duration, _at: Duration) -> Option<Duration> {
        None
    }
}

/// A think time: negative exponential, cut at ten times its mean (TPC-C 5.11, clause 5.2.5.4).
fn drawn(think: &Think, draw: &mut Stream) -> Duration {
    let longest = think.mean * 10;
    Duration::try_from_secs_f64(think.mean.as_secs_f64() * draw.exponential())
        .map_or(longest, |time| time.min(longest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn keyed() -> ThinkTimes {
        ThinkTimes::Keyed(vec![
            Think { keying: SECOND * 18, mean: SECOND * 12 },
            Think { keying: SECOND * 3, mean: SECOND * 5 },
        ])
    }

    #[test]
    fn a_client_that_is_late_catches_up() {
        let mut pacer = Limited::new(10.0);
        let gap = SECOND / 10;
        assert_eq!(pacer.next(SECOND, 0), SECOND);
        assert_eq!(pacer.next(SECOND * 3, 0), SECOND + gap);
        assert_eq!(pacer.next(SECOND * 3, 0), SECOND + gap * 2);
    }

    #[test]
    fn a_person_keys_before_a_transaction_and_thinks_after_it() {
        let mut pacer = Thinking::new(keyed(), Stream::new(7, "think", &[0]));
        assert_eq!(pacer.next(Duration::ZERO, 0), SECOND * 18);
        let mut sum = Duration::ZERO;
        for _ in 0..20_000 {
            let wait = pacer.next(SECOND * 100, 0).saturating_sub(SECOND * 118);
            assert!(wait <= SECOND * 120, "ten means at most: {wait:?}");
            sum += wait;
        }
        let mean = sum.as_secs_f64() / 20_000.0;
        // Cut at ten means, the mean is 12 s less 0.05 %; the standard error is 12 s / sqrt(20,000).
        assert!((mean - 12.0).abs() < 0.35, "{mean}");
        let wait = pacer.next(Duration::ZERO, 1);
        assert!(wait >= SECOND * 3, "keying of the type to come");
    }

    #[test]
    fn a_fixed_think_time_lies_between_transactions() {
        let times = ThinkTimes::Fixed(Duration::from_millis(50));
        let mut pacer = Thinking::new(times, Stream::new(7, "think", &[0]));
        assert_eq!(pacer.next(SECOND, 0), SECOND);
        assert_eq!(pacer.next(SECOND, 0), SECOND + Duration::from_millis(50));
    }
}
