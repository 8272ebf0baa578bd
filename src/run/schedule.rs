//! Which phase and window a moment belongs to. Known to every client before it starts, so that
//! nobody has to be told where a phase ends.

use crate::model::Phase;
use std::time::Duration;

/// Length of a window.
pub(super) const WINDOW: Duration = Duration::from_secs(1);

/// One phase with its place in time, relative to the common start of all clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// Warm-up or measure.
    pub(super) phase: Phase,
    /// Which round, from 1; 0 for the warm-up.
    pub(super) round: u32,
    /// What happens in it is part of the figures. The beginning of a measured phase of which only
    /// the last part counts is not, nor is a warm-up.
    pub(super) counted: bool,
    pub(super) start: Duration,
    pub(super) end: Duration,
}

impl Span {
    pub(super) fn length(&self) -> Duration {
        self.end.saturating_sub(self.start)
    }

    /// How many windows it has; the last may be shorter.
    pub(super) fn windows(&self) -> u32 {
        self.length().as_nanos().div_ceil(WINDOW.as_nanos()) as u32
    }
}

/// Warm-up and rounds, one right after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Schedule {
    spans: Vec<Span>,
}

/// The window that a moment falls into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot {
    /// Index into [`Schedule::spans`].
    pub(super) span: usize,
    /// From 0 within the span.
    pub(super) window: u32,
}

impl Schedule {
    /// A warm-up (none when it is zero) and `rounds` measure phases. Of each, `last` counts; a phase
    /// that is shorter counts as a whole.
    pub(super) fn new(
        warmup: Duration,
        measure: Duration,
        rounds: u32,
        last: Option<Duration>,
    ) -> Self {
        let mut spans = Vec::with_capacity(rounds as usize + 1);
        let mut start = Duration::ZERO;
        let mut add = |phase, round, counted, length: Duration| {
            if !length.is_zero() {
                spans.push(Span { phase, round, counted, start, end: start + length });
                start += length;
            }
        };
        let counts = last.unwrap_or(measure).min(measure);
        add(Phase::WarmUp, 0, false, warmup);
        for round in 1..=rounds {
            add(Phase::Measure, round, false, measure.saturating_sub(counts));
            add(Phase::Measure, round, true, counts);
        }
        Self { spans }
    }

    /// The same schedule, whose last phase ended early: its last transaction ended at `at`.
    pub(super) fn ended_at(&self, at: Duration) -> Self {
        let mut spans = self.spans.clone();
        if let Some(last) = spans.last_mut() {
            // The moment itself belongs to the phase.
            last.end = last.end.min(at.max(last.start) + Duration::from_nanos(1));
        }
        Self { spans }
    }

    pub(super) fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// When the last phase ends.
    pub(super) fn end(&self) -> Duration {
        self.spans.last().map_or(Duration::ZERO, |span| span.end)
    }

    /// The window of a moment after the common start; none after the end.
    pub(super) fn slot(&self, at: Duration) -> Option<Slot> {
        let span = self.spans.iter().position(|span| at < span.end)?;
        let within = at.saturating_sub(self.spans[span].start);
        Some(Slot { span, window: (within.as_nanos() / WINDOW.as_nanos()) as u32 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn moments_fall_into_phases_and_seconds() {
        let schedule = Schedule::new(at(2000), at(2500), 2, None);
        let slot = |ms| schedule.slot(at(ms)).map(|slot| (slot.span, slot.window));
        assert_eq!(slot(0), Some((0, 0)));
        assert_eq!(slot(1999), Some((0, 1)));
        assert_eq!(slot(2000), Some((1, 0)));
        assert_eq!(slot(4499), Some((1, 2)));
        assert_eq!(slot(4500), Some((2, 0)));
        assert_eq!(slot(6999), Some((2, 2)));
        assert_eq!(slot(7000), None);
        assert_eq!(schedule.spans()[1].windows(), 3);
        assert_eq!(schedule.end(), at(7000));
    }

    #[test]
    fn a_phase_that_ends_early_has_fewer_windows() {
        let schedule = Schedule::new(at(2000), at(60_000), 1, None).ended_at(at(4000));
        assert_eq!(schedule.spans()[1].windows(), 3);
        assert_eq!(schedule.slot(at(4000)), Some(Slot { span: 1, window: 2 }));
        let late = Schedule::new(at(0), at(1000), 1, None).ended_at(at(5000));
        assert_eq!(late.end(), at(1000));
    }

    #[test]
    fn without_a_warm_up_measuring_starts_at_once() {
        let schedule = Schedule::new(Duration::ZERO, at(1000), 1, None);
        assert_eq!(schedule.spans()[0].phase, Phase::Measure);
        assert_eq!(schedule.slot(at(0)), Some(Slot { span: 0, window: 0 }));
    }

    #[test]
    fn the_beginning_of_a_phase_of_which_the_last_part_counts_is_a_span_of_its_own() {
        let schedule = Schedule::new(at(1000), at(5000), 2, Some(at(2000)));
        let spans: Vec<_> = schedule
            .spans()
            .iter()
            .map(|span| (span.round, span.counted, span.start.as_millis(), span.end.as_millis()))
            .collect();
        assert_eq!(
            spans,
            [
                (0, false, 0, 1000),
                (1, false, 1000, 4000),
                (1, true, 4000, 6000),
                (2, false, 6000, 9000),
                (2, true, 9000, 11_000),
            ]
        );
        let whole = Schedule::new(at(0), at(5000), 1, Some(at(5000)));
        assert_eq!(whole, Schedule::new(at(0), at(5000), 1, None));
    }
}
