//! Ends a measured phase once throughput has come to rest, and keeps what of it counts.
//!
//! Whether a phase is steady is asked after each window, of the windows so far and nothing else. So
//! where it ends depends on what was measured alone; what clients do until they hear of it lies
//! behind the end and is left out. What counts is the part that was found steady: the second half,
//! or the last windows where `count last` says how many.

use super::message::TypeBatch;
use crate::stats::steady::is_steady;
use std::collections::{BTreeMap, VecDeque};

/// When a phase ends early, and what of it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rule {
    /// How far the quarters of the steady part may lie from its level, as a fraction.
    pub(super) tolerance: f64,
    /// Windows that count, the last ones; the second half without.
    pub(super) last: Option<u32>,
}

impl Rule {
    /// The first window that counts of a phase that ends after `end` windows.
    fn counted_from(self, end: u32) -> u32 {
        self.last.map_or(end / 2, |last| end.saturating_sub(last))
    }
}

/// The part of a phase that counts, in windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// First window that counts.
    pub(super) from: u32,
    /// The window after the last.
    pub(super) to: u32,
    /// It came to rest; otherwise it lasted as long as it may.
    pub(super) at_rest: bool,
}

/// Windows of a phase that may yet count.
pub(super) struct Held {
    rule: Rule,
    /// Windows of the phase at most.
    most: u32,
    /// Transactions completed, by window.
    throughput: Vec<f64>,
    windows: VecDeque<(u32, Vec<Kept>)>,
    end: Option<u32>,
}

/// What clients did in one window in transactions of one type. Latencies are counted by value, those
/// that a histogram would not tell apart together: a window has few distinct ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) committed: u64,
    pub(super) rolled_back: u64,
    pub(super) retries: BTreeMap<u16, u64>,
    pub(super) errors: BTreeMap<u16, u64>,
    /// Microseconds, and how often.
    pub(super) latencies: Vec<(u32, u32)>,
}

impl Kept {
    fn of(mut batch: TypeBatch) -> Self {
        batch.latencies_us.sort_unstable();
        let mut latencies: Vec<(u32, u32)> = Vec::new();
        for us in batch.latencies_us.into_iter().map(three_digits) {
            match latencies.last_mut() {
                Some((known, count)) if *known == us => *count += 1,
                _ => latencies.push((us, 1)),
            }
        }
        Self {
            committed: batch.committed,
            rolled_back: batch.rolled_back,
            retries: batch.retries,
            errors: batch.errors,
            latencies,
        }
    }
}

/// A value to 11 binary digits: finer than the three decimal ones of a histogram.
fn three_digits(us: u32) -> u32 {
    let shift = (32 - us.leading_zeros()).saturating_sub(11);
    us >> shift << shift
}

impl Held {
    /// Of a phase of at most `most` windows.
    pub(super) fn new(rule: Rule, most: u32) -> Self {
        Self { rule, most, throughput: Vec::new(), windows: VecDeque::new(), end: None }
    }

    /// Takes a closed window; windows come in order, those without transactions are left out.
    /// Gives whether it still belongs to the phase.
    pub(super) fn take(&mut self, window: u32, types: Vec<TypeBatch>) -> bool {
        if self.end.is_some() {
            return false;
        }
        let count: usize = types.iter().map(|batch| batch.latencies_us.len()).sum();
        self.throughput.resize(window as usize, 0.0);
        self.throughput.push(count as f64);
        self.windows.push_back((window, types.into_iter().map(Kept::of).collect()));
        let end = window + 1;
        if is_steady(&self.throughput, self.rule.tolerance) {
            self.end = Some(end);
        }
        // The first window that counts never moves back, so what lies before it is not needed.
        let from = self.rule.counted_from(end);
        while self.windows.front().is_some_and(|(window, _)| *window < from) {
            self.windows.pop_front();
        }
        true
    }

    /// Whether the phase has come to rest.
    pub(super) fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    /// The part that counts, and its windows.
    pub(super) fn finish(self) -> (Part, impl Iterator<Item = Vec<Kept>>) {
        let to = self.end.unwrap_or(self.most);
        let part = Part { from: self.rule.counted_from(to), to, at_rest: self.end.is_some() };
        let counted = self
            .windows
            .into_iter()
            .filter(move |(window, _)| (part.from..part.to).contains(window))
            .map(|(_, kept)| kept);
        (part, counted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(count: usize) -> Vec<TypeBatch> {
        vec![TypeBatch {
            committed: count as u64,
            latencies_us: vec![1000; count],
            ..TypeBatch::default()
        }]
    }

    fn ramp(window: u32) -> usize {
        (window as usize + 1).min(30) * 10
    }

    #[test]
    fn a_ramp_ends_when_its_second_half_is_level_and_that_half_counts() {
        let mut held = Held::new(Rule { tolerance: 0.02, last: None }, 600);
        let mut window = 0;
        while held.take(window, batch(ramp(window))) && !held.has_ended() {
            window += 1;
        }
        // The ramp ends with window 29: the second half of 58 windows begins there, and so does
        // that of 56, whose first two windows are within 2 % taken with the quarter they lie in.
        let (part, counted) = held.finish();
        assert!(part.at_rest && (50..=58).contains(&part.to), "{part:?}");
        assert_eq!(part.from, part.to / 2);
        assert_eq!(counted.count() as u32, part.to - part.from);
    }

    #[test]
    fn what_comes_after_the_end_is_no_part_of_it() {
        let mut held = Held::new(Rule { tolerance: 0.02, last: Some(10) }, 600);
        for window in 0..200 {
            held.take(window, batch(100));
        }
        let (part, counted) = held.finish();
        assert_eq!((part.from, part.to), (30, 40));
        let committed: u64 = counted.map(|types| types[0].committed).sum();
        assert_eq!(committed, 1000);
    }

    #[test]
    fn a_phase_that_never_rests_lasts_as_long_as_it_may() {
        let mut held = Held::new(Rule { tolerance: 0.02, last: None }, 90);
        for window in 0..90 {
            held.take(window, batch(100 + 10 * window as usize));
        }
        let (part, counted) = held.finish();
        assert_eq!((part.from, part.to, part.at_rest), (45, 90, false));
        assert_eq!(counted.count(), 45);
    }

    #[test]
    fn windows_without_transactions_count_as_nothing_done() {
        let mut held = Held::new(Rule { tolerance: 0.02, last: None }, 600);
        for window in (0..100).filter(|window| !(60..64).contains(window)) {
            // Every fourth second of those before is idle: not steady.
            held.take(window, batch(if window % 4 == 0 { 0 } else { 100 + window as usize * 9 }));
        }
        assert!(!held.has_ended());
        assert_eq!(held.throughput.len(), 100);
        assert_eq!(held.throughput[61], 0.0);
    }

    #[test]
    fn latencies_keep_three_digits() {
        for us in [1, 999, 2047, 2049, 123_457, u32::MAX] {
            let kept = f64::from(three_digits(us));
            assert!((kept / f64::from(us) - 1.0).abs() < 0.001, "{us}: {kept}");
        }
    }
}
