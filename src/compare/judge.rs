//! Verdicts: the statistics of the deltas, metric by metric.

use super::view::{Against, Comparison, Judged, NoVerdict, Series, Verdict};
use crate::model::{Direction, MetricId};
use crate::stats::interval::{Interval, t_critical};
use crate::stats::median::median_factor;
use crate::stats::pool::pool;

/// Relative deltas within this are the same for every purpose of a table, where no calibration
/// says how far repetitions stray.
const DEFAULT_FLOOR: f64 = 0.01;

/// Gives every delta its interval and verdict.
pub(super) fn judge(comparison: &mut Comparison) {
    for section in &mut comparison.sections {
        let mut all: Vec<&mut Series> = section
            .points
            .iter_mut()
            .flat_map(|point| &mut point.sides)
            .flat_map(|side| &mut side.series)
            .collect();
        judge_each_metric(&mut all, NoVerdict::OneRepetition);
    }
    for section in &mut comparison.loads {
        let mut all: Vec<&mut Series> = section
            .points
            .iter_mut()
            .flat_map(|point| &mut point.sides)
            .flat_map(|side| &mut side.series)
            .collect();
        judge_each_metric(&mut all, NoVerdict::OneLoad);
    }
}

fn judge_each_metric(all: &mut [&mut Series], single: NoVerdict) {
    let mut metrics: Vec<MetricId> = all.iter().map(|series| series.metric.clone()).collect();
    metrics.sort();
    metrics.dedup();
    for metric in metrics {
        let mut series: Vec<&mut Series> = all
            .iter_mut()
            .filter(|series| series.metric == metric)
            .map(|series| &mut **series)
            .collect();
        judge_metric(&mut series, metric.metric.direction(), single);
    }
}

fn judge_metric(all: &mut [&mut Series], direction: Direction, single: NoVerdict) {
    let logs: Vec<Vec<f64>> = all
        .iter()
        .map(|series| series.samples.iter().map(|sample| sample.value.ln()).collect())
        .collect();
    let positive = logs.iter().flatten().all(|log: &f64| log.is_finite());
    let pooled = pool(logs.iter().map(Vec::as_slice));
    for series in all {
        let Against::Delta(delta) = &mut series.against else { continue };
        delta.judged = match pooled {
            _ if !positive => Judged::NoVerdict(NoVerdict::NoRatio),
            Some(pooled) if delta.n.0 > 1 && delta.n.1 > 1 => {
                let error = median_factor(delta.n.0).hypot(median_factor(delta.n.1));
                let half = t_critical(0.05, pooled.df) * pooled.variance.sqrt() * error;
                let interval = Interval::around(delta.relative, half);
                Judged::Verdict {
                    low: interval.low,
                    high: interval.high,
                    verdict: verdict(interval, DEFAULT_FLOOR, direction),
                }
            }
            _ => Judged::NoVerdict(single),
        };
    }
}

fn verdict(interval: Interval, floor: f64, direction: Direction) -> Verdict {
    if -floor <= interval.low && interval.high <= floor {
        Verdict::Same
    } else if interval.contains(0.0) {
        Verdict::Undecided
    } else if (interval.low > 0.0) == (direction == Direction::HigherIsBetter) {
        Verdict::Better
    } else {
        Verdict::Worse
    }
}
