//! Steady state: where a series of windows settled, whether it still trends, and how even it is.
//!
//! Windows of throughput are not independent: a checkpoint lasts many of them. So everything that
//! is tested is tested on means of batches of windows.

use super::estimate::{mean, median};
use super::rank::rank_test;

/// Batches that a phase is divided into to ask whether it trends.
const BATCHES: usize = 30;

/// A phase trends when its last third differs from its first by more than this share.
const TREND: f64 = 0.10;

/// How improbable the order of batch means must be beside that.
const TREND_P: f64 = 0.01;

/// Batches that another level at the end of a phase has at least.
const LATE_BATCHES: usize = 3;

/// Windows in a batch when the end of the warm-up is looked for: the 5 of MSER-5.
const MSER_BATCH: usize = 5;

/// Below this share of the median a window belongs to a stall.
const STALL: f64 = 0.1;

/// Below this share of the median a window belongs to a dip.
const DIP: f64 = 0.5;

/// How even a phase was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evenness {
    /// Mean of the windows.
    pub mean: f64,
    /// Their median.
    pub median: f64,
    /// Standard deviation over mean.
    pub variation: f64,
    /// The window that one in a hundred lies below.
    pub first_percentile: f64,
    /// Windows in which nothing was completed.
    pub zero_windows: usize,
    /// Longest stretch of windows below a tenth of the median.
    pub longest_stall: usize,
}

/// How even `windows` are; `None` for none.
pub fn evenness(windows: &[f64]) -> Option<Evenness> {
    let (mean, median) = (mean(windows)?, median(windows)?);
    let squares: f64 = windows.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = (squares / (windows.len().max(2) - 1) as f64).sqrt();
    let mut sorted = windows.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(Evenness {
        mean,
        median,
        variation: if mean > 0.0 { deviation / mean } else { 0.0 },
        first_percentile: sorted[(windows.len() - 1) / 100],
        zero_windows: windows.iter().filter(|value| **value == 0.0).count(),
        longest_stall: stretches(windows, STALL * median)
            .map(|(from, to)| to - from)
            .max()
            .unwrap_or(0),
    })
}

/// A stretch of windows far below the median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dip {
    /// First window.
    pub from: usize,
    /// The window after its last.
    pub to: usize,
    /// Its lowest window, as a share of the median.
    pub lowest: f64,
}

/// Every stretch below half of the median, in order.
pub fn dips(windows: &[f64]) -> Vec<Dip> {
    let Some(median) = median(windows).filter(|median| *median > 0.0) else { return Vec::new() };
    stretches(windows, DIP * median)
        .map(|(from, to)| Dip {
            from,
            to,
            lowest: windows[from..to].iter().copied().fold(f64::INFINITY, f64::min) / median,
        })
        .collect()
}

/// Stretches whose values lie below `limit`, or are 0.
fn stretches(values: &[f64], limit: f64) -> impl Iterator<Item = (usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (index, value) in values.iter().enumerate() {
        if *value < limit || *value == 0.0 {
            match found.last_mut() {
                Some((_, to)) if *to == index => *to = index + 1,
                _ => found.push((index, index + 1)),
            }
        }
    }
    found.into_iter()
}

/// How the last third of a phase differs from the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// By how much, as a fraction of the first.
    pub change: f64,
    /// Windows of a third.
    pub third: usize,
}

/// How the last third of `windows` differs from the first, when that is by more than 10 % and more
/// than chance; `None` when the phase was steady, or too short to say (below nine windows).
pub fn trend(windows: &[f64]) -> Option<Trend> {
    let size = windows.len().div_ceil(BATCHES).max(1);
    let batches = batch_means(windows, size);
    let third = batches.len() / 3;
    if third < 3 {
        return None;
    }
    let (first, last) = (&batches[..third], &batches[batches.len() - third..]);
    let (before, after) = (mean(first)?, mean(last)?);
    let third = third * size;
    if before <= 0.0 {
        return (after > 0.0).then_some(Trend { change: f64::INFINITY, third });
    }
    let change = after / before - 1.0;
    let test = rank_test(first, last)?;
    // The ranks of few batches can never be as improbable as that; then the size alone decides.
    let certain = test.p < TREND_P.max(test.smallest_p * 1.5);
    (change.abs() > TREND && certain).then_some(Trend { change, third })
}

/// The window of the second half from which on the level is another one, and by how much, as a
/// fraction of the level before, when that is more than 10 % and more than chance; `None` when
/// there is none, or the series is too short to say.
///
/// Batches as of [`trend`]; of all divisions into two levels the one with the least sum of squares.
/// That the division was chosen is paid for by asking ten times as much of chance.
pub fn late_change(windows: &[f64]) -> Option<(usize, f64)> {
    let size = windows.len().div_ceil(BATCHES).max(1);
    let batches = batch_means(windows, size);
    let squares = |part: &[f64]| {
        let middle = mean(part).unwrap_or(0.0);
        part.iter().map(|value| (value - middle).powi(2)).sum::<f64>()
    };
    let cost = |cut: usize| squares(&batches[..cut]) + squares(&batches[cut..]);
    let last = batches.len().checked_sub(LATE_BATCHES)?;
    let cut = (batches.len() / 2 + 1..=last).min_by(|a, b| cost(*a).total_cmp(&cost(*b)))?;
    let (before, after) = (mean(&batches[..cut])?, mean(&batches[cut..])?);
    let change = if before > 0.0 { after / before - 1.0 } else { f64::INFINITY };
    let certain = rank_test(&batches[..cut], &batches[cut..])?.p < TREND_P / 10.0;
    (change.abs() > TREND && certain).then_some((cut * size, change))
}

/// Where a series that begins with a warm-up settled: the first window after it. 0 when it was
/// settled from the start; `None` when it did not settle within its first half.
///
/// MSER-5: of all places to cut, the one after which the mean is known best (K. P. White, "An
/// effective truncation heuristic for bias reduction in simulation output", Simulation 69, 1997,
/// with batches of five as by S. C. Spratt). A cut that moves the mean by less than `least` (a
/// fraction) is none.
pub fn settled_at(windows: &[f64], least: f64) -> Option<usize> {
    let batches = batch_means(windows, MSER_BATCH);
    let n = batches.len();
    if n < 4 {
        return Some(0);
    }
    // Squares around the mean of what is left behind each cut, by Welford's recurrence from the end.
    let mut error = vec![0.0; n];
    let (mut middle, mut squares) = (0.0, 0.0);
    for (count, at) in (0..n).rev().enumerate() {
        let from_middle = batches[at] - middle;
        middle += from_middle / (count + 1) as f64;
        squares += from_middle * (batches[at] - middle);
        error[at] = squares / ((count + 1) as f64).powi(2);
    }
    let cut = (0..n - 2).min_by(|a, b| error[*a].total_cmp(&error[*b]))?;
    let (before, after) = (mean(&batches[..cut]), mean(&batches[cut..])?);
    match before {
        Some(before) if (before / after - 1.0).abs() > least => {
            (cut <= n / 2).then_some(cut * MSER_BATCH)
        }
        _ => Some(0),
    }
}

/// Whether the second half of `windows` is steady within `tolerance` (0.02 for 2 %): no trend, and
/// the means of its four quarters all within that of its mean. `false` below 40 windows.
pub fn is_steady(windows: &[f64], tolerance: f64) -> bool {
    if windows.len() < 40 {
        return false;
    }
    let half = &windows[windows.len() / 2..];
    let Some(level) = mean(half).filter(|level| *level > 0.0) else { return false };
    trend(half).is_none()
        && batch_means(half, half.len() / 4)
            .iter()
            .all(|quarter| (quarter / level - 1.0).abs() <= tolerance)
}

/// Means of `size` windows each; a rest that fills no batch is left out.
fn batch_means(windows: &[f64], size: usize) -> Vec<f64> {
    windows.chunks_exact(size).filter_map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Noise of +-1 that needs no generator.
    fn wobble(index: usize) -> f64 {
        ((index * 7919 + 13) % 101) as f64 / 50.0 - 1.0
    }

    fn level(from: usize, to: usize, value: f64) -> Vec<f64> {
        (from..to).map(|index| value * (1.0 + 0.03 * wobble(index))).collect()
    }

    #[test]
    fn a_steady_phase_has_no_trend_and_no_warm_up() {
        let steady = level(0, 600, 1000.0);
        assert_eq!(trend(&steady), None);
        assert_eq!(settled_at(&steady, 0.05), Some(0));
        assert!(is_steady(&steady, 0.02));
    }

    #[test]
    fn a_drift_of_a_fifth_is_a_trend() {
        let drift: Vec<f64> =
            (0..600).map(|i| 1000.0 * (1.0 - 0.3 * i as f64 / 600.0) + 30.0 * wobble(i)).collect();
        let trend = trend(&drift).unwrap();
        assert!((-0.3..-0.15).contains(&trend.change), "{trend:?}");
        assert_eq!(trend.third, 200);
        assert!(!is_steady(&drift, 0.02));
    }

    #[test]
    fn the_warm_up_ends_where_the_level_is_reached() {
        let mut series: Vec<f64> = (0..120)
            .map(|i| 1000.0 * (1.0 - (-(i as f64) / 40.0).exp()) + 20.0 * wobble(i))
            .collect();
        series.extend(level(120, 900, 1000.0));
        let end = settled_at(&series, 0.05).unwrap();
        assert!((60..200).contains(&end), "{end}");
    }

    #[test]
    fn a_series_that_never_settles_says_so() {
        let mut late = level(0, 500, 1000.0);
        late.extend(level(500, 600, 2000.0));
        assert_eq!(settled_at(&late, 0.05), None);
        let (at, change) = late_change(&late).unwrap();
        assert_eq!(at, 500);
        assert!((change - 1.0).abs() < 0.05, "{change}");
    }

    #[test]
    fn what_goes_up_and_down_all_the_time_has_no_other_level() {
        assert_eq!(late_change(&level(0, 600, 1000.0)), None);
        // A checkpoint every forty seconds halves throughput for ten of them.
        let jumpy: Vec<f64> = level(0, 600, 1000.0)
            .into_iter()
            .enumerate()
            .map(|(at, value)| if at % 40 < 10 { value / 2.0 } else { value })
            .collect();
        assert_eq!(late_change(&jumpy), None);
        assert_eq!(late_change(&[1.0, 2.0, 3.0]), None);
    }

    #[test]
    fn stalls_and_dips_are_counted_in_windows() {
        let mut stalled = level(0, 100, 1000.0);
        stalled[31..34].fill(0.0);
        stalled[60] = 300.0;
        let even = evenness(&stalled).unwrap();
        assert_eq!((even.zero_windows, even.longest_stall), (3, 3));
        assert_eq!(even.first_percentile, 0.0);
        let dips = dips(&stalled);
        assert_eq!((dips[0].from, dips[0].to, dips[0].lowest), (31, 34, 0.0));
        assert!((dips[1].lowest - 0.3).abs() < 0.01 && dips.len() == 2);
        // Three seconds of nothing are a stall, not a trend.
        assert_eq!(trend(&stalled), None);
        assert_eq!(evenness(&[]), None);
    }

    #[test]
    fn short_phases_say_nothing() {
        assert_eq!(trend(&[1.0, 2.0, 3.0]), None);
        assert_eq!(settled_at(&[1.0, 2.0, 3.0], 0.05), Some(0));
        assert!(!is_steady(&[1.0; 10], 0.02));
    }

    proptest! {
        #[test]
        fn nothing_panics_and_places_lie_inside(
            values in prop::collection::vec(0.0f64..1e6, 0..120)
        ) {
            if let Some(at) = settled_at(&values, 0.05) {
                prop_assert!(at <= values.len());
            }
            for dip in dips(&values) {
                prop_assert!(dip.from < dip.to && dip.to <= values.len());
            }
            let _ = (trend(&values), evenness(&values), is_steady(&values, 0.02));
            if let Some((at, _)) = late_change(&values) {
                prop_assert!(at > 0 && at < values.len());
            }
        }
    }
}
