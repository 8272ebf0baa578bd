//! The course of repetitions over time and the shape of their latencies: what figures are drawn of.

use super::cells::CellRecords;
use crate::journal::histogram;
use crate::journal::record::{PlannedCell, WindowsRecord};
use crate::model::Phase;

/// One repetition, second by second.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Which repetition, from 1.
    pub repetition: u32,
    /// Its warm-up and rounds, in order.
    pub stretches: Vec<Stretch>,
}

/// One phase of a repetition, window by window.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// Warm-up or measure.
    pub phase: Phase,
    /// Which round, from 1; 0 for the warm-up.
    pub round: u32,
    /// Length of a window, seconds.
    pub window: f64,
    /// Transactions a second of all types.
    pub throughput: Vec<f64>,
    /// 95th percentile of latency in seconds, of the type that the headline counts or the slowest
    /// of all; none in a window in which nothing completed.
    pub p95: Vec<Option<f64>>,
}

/// The quantiles that [`percentiles`] gives: dense where tails are looked at.
const QUANTILES: &[f64] = &[
    0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.96, 0.97, 0.98,
    0.985, 0.99, 0.9925, 0.995, 0.9975, 0.999, 0.999_5, 0.999_9, 1.0,
];

/// The repetitions of a cell that have numbers.
pub(super) fn traces(records: &CellRecords, cell: &PlannedCell) -> Vec<Trace> {
    records
        .whole()
        .filter_map(|repetition| {
            let mut windows: Vec<&WindowsRecord> = records
                .windows
                .iter()
                .copied()
                .filter(|windows| windows.repetition == repetition.repetition)
                .collect();
            windows.sort_by_key(|windows| windows.round);
            let stretches: Vec<Stretch> =
                windows.into_iter().map(|windows| stretch(windows, cell)).collect();
            (!stretches.is_empty())
                .then_some(Trace { repetition: repetition.repetition, stretches })
        })
        .collect()
}

fn stretch(windows: &WindowsRecord, cell: &PlannedCell) -> Stretch {
    let seconds = windows.window_ms.max(1) as f64 / 1e3;
    let throughput: Vec<f64> =
        super::cells::throughput(windows).into_iter().map(|count| count / seconds).collect();
    let counted = windows
        .types
        .iter()
        .filter(|columns| cell.headline_type.as_ref().is_none_or(|name| name == &columns.name));
    let mut p95 = vec![None; throughput.len()];
    for columns in counted {
        for (at, us) in columns.p95_us.iter().enumerate().take(p95.len()) {
            if *us > 0 {
                let seconds = *us as f64 / 1e6;
                p95[at] = Some(p95[at].map_or(seconds, |known: f64| known.max(seconds)));
            }
        }
    }
    Stretch { phase: windows.phase, round: windows.round, window: seconds, throughput, p95 }
}

/// Latency in seconds at each quantile (0 to 1), of the type that the headline counts or of all, in
/// all rounds of all repetitions taken together: histograms are merged, percentiles never averaged.
/// Empty where no histogram was kept.
pub(super) fn percentiles(records: &CellRecords, cell: &PlannedCell) -> Vec<(f64, f64)> {
    let mut merged = histogram::empty();
    let totals = records.whole().flat_map(|repetition| &repetition.rounds).flat_map(|r| &r.types);
    for totals in totals {
        if cell.headline_type.as_ref().is_none_or(|name| name == &totals.name)
            && let Ok(one) = histogram::decode(&totals.histogram)
        {
            // A histogram that grows as it must takes every other.
            let _ = merged.add(one);
        }
    }
    QUANTILES
        .iter()
        .filter_map(|quantile| Some((*quantile, histogram::quantile_seconds(&merged, *quantile)?)))
        .collect()
}
