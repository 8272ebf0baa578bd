//! Where a series of windows changes its level for good.

use super::estimate::{mean, median};

/// Shortest stretch, in values, that counts as a level of its own.
const SHORTEST_LEVEL: usize = 3;

/// Where `values` change their level for good, in order: the first value of each new level.
///
/// The division into levels with the least sum of squares, where each further level must pay
/// (N. R. Zhang and D. O. Siegmund, "A modified Bayes information criterion", Biometrics 63, 2007:
/// three times the log of n, in units of the noise), found exactly by optimal partitioning
/// (B. Jackson and others, "An algorithm for optimal partitioning of data on an interval", IEEE
/// Signal Processing Letters 12, 2005) with functional pruning (R. Maidstone and others, "On optimal
/// multiple changepoint algorithms for large data", Statistics and Computing 27, 2017), so that days
/// of seconds take no longer than they must. The noise is that of differences of neighbours, so that
/// steps do not count as noise. Spikes of one or two values are no level.
pub fn change_points(values: &[f64]) -> Vec<usize> {
    let n = values.len();
    if n < 2 * SHORTEST_LEVEL {
        return Vec::new();
    }
    let noise = noise_of_neighbours(values);
    let penalty = 3.0 * (n as f64).ln() * noise * noise;
    let smooth = without_spikes(values);
    let sums = Sums::of(&smooth);
    // best[t]: the least cost of the first t values, and where their last level begins.
    let mut best = vec![(f64::INFINITY, 0); n + 1];
    best[0] = (-penalty, 0);
    let mut beginnings = Beginnings::new(&sums, penalty * 1e-9);
    for to in SHORTEST_LEVEL..=n {
        let newest = to - SHORTEST_LEVEL;
        if best[newest].0.is_finite() {
            beginnings.add(newest, &sums, &best);
        }
        for from in beginnings.pieces.iter().map(|piece| piece.from) {
            let total = best[from].0 + sums.cost(from, to) + penalty;
            if total < best[to].0 || (total <= best[to].0 && from < best[to].1) {
                best[to] = (total, from);
            }
        }
    }
    let mut found = Vec::new();
    let mut at = n;
    while best[at].1 > 0 {
        at = best[at].1;
        found.push(at);
    }
    found.reverse();
    found
}

/// Sums and sums of squares of the first values, less their mean, for all lengths.
struct Sums {
    upto: Vec<(f64, f64)>,
    lowest: f64,
    highest: f64,
}

impl Sums {
    fn of(values: &[f64]) -> Self {
        let middle = mean(values).unwrap_or(0.0);
        let mut all = Self { upto: vec![(0.0, 0.0)], lowest: f64::MAX, highest: f64::MIN };
        let (mut sum, mut squares) = (0.0, 0.0);
        for value in values.iter().map(|value| value - middle) {
            sum += value;
            squares += value * value;
            all.upto.push((sum, squares));
            all.lowest = all.lowest.min(value);
            all.highest = all.highest.max(value);
        }
        all
    }

    /// Sum of squares around their mean of the values from `from` up to `to`.
    fn cost(&self, from: usize, to: usize) -> f64 {
        let (sum, squares) =
            (self.upto[to].0 - self.upto[from].0, self.upto[to].1 - self.upto[from].1);
        (squares - sum * sum / (to - from) as f64).max(0.0)
    }

    fn mean(&self, from: usize, to: usize) -> f64 {
        (self.upto[to].0 - self.upto[from].0) / (to - from) as f64
    }
}

/// Places at which the last level can have begun. Each is the best for the means in its pieces: one
/// that is the best for none can be forgotten, whatever comes.
struct Beginnings {
    /// In the order of means, without gaps.
    pieces: Vec<Piece>,
    /// Used again.
    before: Vec<Piece>,
    lowest: f64,
    highest: f64,
    /// A cost that is no difference.
    nothing: f64,
}

#[derive(Clone, Copy)]
struct Piece {
    from: usize,
    low: f64,
    high: f64,
}

impl Beginnings {
    fn new(sums: &Sums, nothing: f64) -> Self {
        let Sums { lowest, highest, .. } = *sums;
        Self { pieces: Vec::new(), before: Vec::new(), lowest, highest, nothing }
    }

    /// Lets `newest` take the means for which it is better than those before it: what it costs more
    /// or less than an earlier one is a parabola in the mean, and stays what it is now.
    fn add(&mut self, newest: usize, sums: &Sums, best: &[(f64, usize)]) {
        std::mem::swap(&mut self.pieces, &mut self.before);
        self.pieces.clear();
        if self.before.is_empty() {
            self.pieces.push(Piece { from: newest, low: self.lowest, high: self.highest });
            return;
        }
        for index in 0..self.before.len() {
            let old = self.before[index];
            let least = best[newest].0 - best[old.from].0 - sums.cost(old.from, newest);
            let (mut low, mut high) = (f64::MAX, f64::MIN);
            if least + self.nothing >= 0.0 {
                let middle = sums.mean(old.from, newest);
                let width = ((least + self.nothing) / (newest - old.from) as f64).sqrt();
                (low, high) = (old.low.max(middle - width), old.high.min(middle + width));
            }
            if low > high {
                self.take(newest, old.low, old.high);
                continue;
            }
            if low > old.low {
                self.take(newest, old.low, low);
            }
            self.pieces.push(Piece { from: old.from, low, high });
            if high < old.high {
                self.take(newest, high, old.high);
            }
        }
    }

    fn take(&mut self, newest: usize, low: f64, high: f64) {
        match self.pieces.last_mut() {
            Some(last) if last.from == newest => last.high = high,
            _ => self.pieces.push(Piece { from: newest, low, high }),
        }
    }
}

/// Each value as the median of the five around it: spikes of one or two values vanish, steps stay
/// where they are.
fn without_spikes(values: &[f64]) -> Vec<f64> {
    (0..values.len())
        .map(|at| {
            let around = &values[at.saturating_sub(2)..(at + 3).min(values.len())];
            let mut sorted = [0.0; 5];
            let sorted = &mut sorted[..around.len()];
            sorted.copy_from_slice(around);
            sorted.sort_by(f64::total_cmp);
            let middle = sorted.len() / 2;
            if sorted.len() % 2 == 1 {
                sorted[middle]
            } else {
                f64::midpoint(sorted[middle - 1], sorted[middle])
            }
        })
        .collect()
}

/// Robust deviation of neighbours from each other, as that of single values.
fn noise_of_neighbours(values: &[f64]) -> f64 {
    let distances: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    let robust = median(&distances).unwrap_or(0.0) * 1.482_602 / std::f64::consts::SQRT_2;
    let scale = values.iter().map(|value| value.abs()).fold(0.0, f64::max);
    // Values that repeat exactly have no noise to compare with; a millionth of the largest will do.
    robust.max(scale * 1e-6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A level with noise of +-3 % that needs no generator.
    fn level(from: usize, to: usize, value: f64) -> Vec<f64> {
        let wobble = |index: usize| ((index * 7919 + 13) % 101) as f64 / 50.0 - 1.0;
        (from..to).map(|index| value * (1.0 + 0.03 * wobble(index))).collect()
    }

    #[test]
    fn a_step_is_found_where_it_is_and_a_spike_is_none() {
        assert!(change_points(&level(0, 200, 1000.0)).is_empty());
        let mut stepped = level(0, 80, 1000.0);
        stepped.extend(level(80, 200, 800.0));
        assert_eq!(change_points(&stepped), [80]);
        let mut spiked = level(0, 200, 1000.0);
        spiked[90] = 100.0;
        assert!(change_points(&spiked).is_empty());
        assert!(change_points(&[5.0; 300]).is_empty() && change_points(&[0.0; 300]).is_empty());
    }

    #[test]
    fn a_day_of_seconds_has_its_steps() {
        let mut day = level(0, 40_000, 1000.0);
        day.extend(level(40_000, 86_400, 900.0));
        assert_eq!(change_points(&day), [40_000]);
    }

    /// The same by looking at every place for every length.
    fn all_places(values: &[f64]) -> f64 {
        let n = values.len();
        let noise = noise_of_neighbours(values);
        let penalty = 3.0 * (n as f64).ln() * noise * noise;
        let sums = Sums::of(&without_spikes(values));
        let mut best = vec![f64::INFINITY; n + 1];
        best[0] = -penalty;
        for to in SHORTEST_LEVEL..=n {
            for from in 0..=to - SHORTEST_LEVEL {
                best[to] = best[to].min(best[from] + sums.cost(from, to) + penalty);
            }
        }
        best[n]
    }

    /// What a division costs.
    fn cost_of(values: &[f64], points: &[usize]) -> f64 {
        let n = values.len();
        let noise = noise_of_neighbours(values);
        let penalty = 3.0 * (n as f64).ln() * noise * noise;
        let sums = Sums::of(&without_spikes(values));
        let edges: Vec<usize> = [0].into_iter().chain(points.iter().copied()).chain([n]).collect();
        let levels = edges.windows(2).map(|edge| sums.cost(edge[0], edge[1])).sum::<f64>();
        levels + penalty * points.len() as f64
    }

    proptest! {
        #[test]
        fn pruning_costs_nothing(
            levels in prop::collection::vec((0.0f64..1000.0, 1usize..40), 1..6),
            noise in prop::collection::vec(-20.0f64..20.0, 240),
        ) {
            let mut values = Vec::new();
            for (level, length) in levels {
                values.extend(noise.iter().cycle().skip(values.len()).take(length).map(|n| level + n));
            }
            prop_assume!(values.len() >= 2 * SHORTEST_LEVEL);
            let (found, least) = (cost_of(&values, &change_points(&values)), all_places(&values));
            prop_assert!((found - least).abs() <= 1e-6 * (1.0 + least.abs()), "{found} {least}");
        }
    }
}
