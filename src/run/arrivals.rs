//! The open loop's stream of arrivals, one for all clients of a repetition.
//!
//! A client that is free takes the next arrival. Arrivals are taken in order, each by the client
//! that is free first, so this is one queue before all clients, without a queue in memory: how far
//! the stream lags behind the clock is its length. The same seed gives the same arrivals, so all
//! sides of a pair get the same.

use super::schedule::{Schedule, Slot};
use crate::model::Phase;
use crate::plan::Arrival;
use crate::workload::random::Stream;
use std::sync::Mutex;
use std::time::Duration;

/// A stream of arrivals that clients share.
pub(super) struct Arrivals {
    stream: Mutex<State>,
    schedule: Schedule,
    /// The end of the warm-up.
    warm: Duration,
}

struct State {
    gaps: Gaps,
    next: Duration,
    offered: Vec<Vec<u64>>,
    begun: Vec<Vec<u64>>,
}

/// What arrived in one phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Arrived {
    /// By window.
    pub(super) offered: Vec<u64>,
    /// Arrivals that no client had begun at the end of each window.
    pub(super) backlog: Vec<u64>,
}

impl Arrivals {
    /// Arrivals at `rate` a second from the common start on.
    pub(super) fn new(rate: f64, arrival: Arrival, seed: u64, schedule: &Schedule) -> Self {
        let mut gaps = Gaps { rate, arrival, draw: Stream::new(seed, "arrivals", &[]), count: 0.0 };
        let empty: Vec<Vec<u64>> =
            schedule.spans().iter().map(|span| vec![0; span.windows() as usize]).collect();
        let warm = schedule.spans().first().filter(|span| span.phase == Phase::WarmUp);
        Self {
            warm: warm.map_or(Duration::ZERO, |span| span.end),
            schedule: schedule.clone(),
            stream: Mutex::new(State {
                next: gaps.next(),
                gaps,
                begun: empty.clone(),
                offered: empty,
            }),
        }
    }

    /// The next arrival, for a client that is free at `now`. What arrived in the warm-up and was
    /// not begun in it is dropped: it would weigh on the latencies of the measured phase.
    pub(super) fn take(&self, now: Duration) -> Duration {
        let mut state = self.stream.lock().expect("no code panics while it holds the stream");
        loop {
            let arrival = state.pass(&self.schedule);
            if arrival >= self.warm || now < self.warm {
                return arrival;
            }
        }
    }

    /// The arrival of `intended` was begun at `at`.
    pub(super) fn begun(&self, intended: Duration, at: Duration) {
        // One of the warm-up that was taken just before its end belongs to the warm-up.
        let at = if intended < self.warm {
            at.min(self.warm.saturating_sub(Duration::from_nanos(1)))
        } else {
            at
        };
        let Some(slot) = self.schedule.slot(at) else { return };
        let mut state = self.stream.lock().expect("no code panics while it holds the stream");
        *count(&mut state.begun, slot) += 1;
    }

    /// What arrived, by phase of the schedule, whether or not a client took it.
    pub(super) fn totals(&self) -> Vec<Arrived> {
        let mut state = self.stream.lock().expect("no code panics while it holds the stream");
        while state.next < self.schedule.end() {
            state.pass(&self.schedule);
        }
        let mut waiting = 0u64;
        let spans = self.schedule.spans().iter().zip(state.offered.iter().zip(&state.begun));
        spans
            .enumerate()
            .map(|(at, (span, (offered, begun)))| {
                let after_warm_up = at > 0 && self.schedule.spans()[at - 1].phase == Phase::WarmUp;
                if span.phase == Phase::Measure && after_warm_up {
                    waiting = 0;
                }
                let backlog = offered.iter().zip(begun).map(|(offered, begun)| {
                    waiting = (waiting + offered).saturating_sub(*begun);
                    waiting
                });
                Arrived { backlog: backlog.collect(), offered: offered.clone() }
            })
            .collect()
    }
}

fn count(counts: &mut [Vec<u64>], slot: Slot) -> &mut u64 {
    &mut counts[slot.span][slot.window as usize]
}

impl State {
    /// Gives the next arrival and goes on to the one after it.
    fn pass(&mut self, schedule: &Schedule) -> Duration {
        let arrival = self.next;
        if let Some(slot) = schedule.slot(arrival) {
            *count(&mut self.offered, slot) += 1;
        }
        self.next = self.gaps.next();
        arrival
    }
}

/// The moments of arrivals, one after the other.
struct Gaps {
    /// A second.
    rate: f64,
    arrival: Arrival,
    draw: Stream,
    /// How many mean gaps have passed.
    count: f64,
}

impl Gaps {
    fn next(&mut self) -> Duration {
        self.count += match self.arrival {
            Arrival::Constant => 1.0,
            // The gaps of a Poisson process are exponential.
            Arrival::Poisson => self.draw.exponential(),
        };
        Duration::try_from_secs_f64(self.count / self.rate).unwrap_or(Duration::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Clients that each take `service` for a transaction, simulated event by event. Gives the
    /// waiting times of all transactions.
    fn simulate(arrivals: &Arrivals, clients: usize, service: Duration) -> Vec<Duration> {
        let mut free = vec![Duration::ZERO; clients];
        let mut waits = Vec::new();
        loop {
            let first = (0..clients).min_by_key(|&client| free[client]).expect("there are some");
            let arrival = arrivals.take(free[first]);
            let begins = arrival.max(free[first]);
            if begins >= arrivals.schedule.end() {
                return waits;
            }
            arrivals.begun(arrival, begins);
            waits.push(begins.saturating_sub(arrival));
            free[first] = begins + service;
        }
    }

    fn measured(seconds: u64) -> Schedule {
        Schedule::new(Duration::ZERO, ms(1000 * seconds), 1, None)
    }

    #[test]
    fn constant_arrivals_keep_their_distance_and_are_counted_by_second() {
        let arrivals = Arrivals::new(200.0, Arrival::Constant, 1, &measured(3));
        assert_eq!(arrivals.take(Duration::ZERO), ms(5));
        assert_eq!(arrivals.take(Duration::ZERO), ms(10));
        let all = arrivals.totals();
        assert_eq!(all[0].offered, [199, 200, 200], "the first comes after one gap");
    }

    #[test]
    fn poisson_arrivals_have_the_rate_and_a_variance_as_large_as_their_mean() {
        let arrivals = Arrivals::new(100.0, Arrival::Poisson, 42, &measured(400));
        let windows = arrivals.totals().remove(0).offered;
        let n = windows.len() as f64;
        let mean = windows.iter().sum::<u64>() as f64 / n;
        let variance =
            windows.iter().map(|&count| (count as f64 - mean).powi(2)).sum::<f64>() / (n - 1.0);
        // Five standard errors: of the mean sqrt(100 / 400), of the variance 100 sqrt(2 / 399).
        assert!((mean - 100.0).abs() < 2.5, "{mean}");
        assert!((variance - 100.0).abs() < 36.0, "{variance}");
    }

    #[test]
    fn one_queue_stands_before_all_clients() {
        // M/D/1 at half load: mean wait = service / 2 (Pollaczek and Khinchine); with two clients
        // at the same load it is far shorter than with a queue for each.
        let service = ms(5);
        let mean = |clients, rate| {
            let arrivals = Arrivals::new(rate, Arrival::Poisson, 7, &measured(2000));
            let waits = simulate(&arrivals, clients, service);
            waits.iter().map(Duration::as_secs_f64).sum::<f64>() / waits.len() as f64
        };
        let one = mean(1, 100.0);
        assert!((one - 0.0025).abs() < 0.0001, "{one}");
        assert!(mean(2, 200.0) < 0.4 * one);
    }

    #[test]
    fn over_capacity_the_backlog_grows_by_what_is_too_much() {
        // One client does 100 a second; 150 arrive.
        let arrivals = Arrivals::new(150.0, Arrival::Constant, 1, &measured(4));
        simulate(&arrivals, 1, ms(10));
        let backlog = arrivals.totals().remove(0).backlog;
        for (second, waiting) in backlog.iter().enumerate() {
            let expected = 50 * (second as u64 + 1);
            assert!(waiting.abs_diff(expected) <= 1, "{backlog:?}");
        }
    }

    #[test]
    fn what_the_warm_up_left_waiting_does_not_weigh_on_the_measured_phase() {
        let schedule = Schedule::new(ms(2000), ms(2000), 2, None);
        let arrivals = Arrivals::new(150.0, Arrival::Constant, 1, &schedule);
        let waits = simulate(&arrivals, 1, ms(10));
        let totals = arrivals.totals();
        assert!(totals[0].backlog[1].abs_diff(100) <= 1, "{totals:?}");
        assert!(totals[1].backlog[1].abs_diff(100) <= 1, "{totals:?}");
        assert!(totals[2].backlog[1].abs_diff(200) <= 1, "rounds follow without a pause");
        // 100 a second are served: the first of the measured phase waits for nothing.
        assert!(waits[201] <= ms(10), "{:?}", waits[201]);
    }

    #[test]
    fn a_seed_gives_one_stream() {
        let first = |seed| {
            let arrivals = Arrivals::new(1000.0, Arrival::Poisson, seed, &measured(1));
            (0..50).map(|_| arrivals.take(Duration::ZERO)).collect::<Vec<_>>()
        };
        assert_eq!(first(3), first(3));
        assert_ne!(first(3), first(4));
    }
}
