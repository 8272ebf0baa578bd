//! How keys are drawn: sysbench's distributions over the keys 1 to n, with the formula of each, so
//! that tests can hold the draws against it and headings can name the effective working set.
//!
//! `special` means two things: what sysbench 0.4 and 0.5 draw, and what 1.0 draws, whose hot block
//! is a quarter smaller and off the centre. They are told apart here.

mod zipf;

use crate::workload::random::Stream;
use zipf::Zipf;

/// What the curves are made of. The defaults are sysbench's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// Uniform draws whose mean makes the bell of `gaussian` and `special`, 1 to 20.
    pub bell_draws: u32,
    /// Percent of the keys in the hot block of `special`, 1 to 100.
    pub hot_keys: u64,
    /// Percent of the draws that fall into it, 1 to 100.
    pub hot_draws: u64,
    /// h of `pareto`: 1 - h of the draws fall into the share h of the keys; above 0, below 1.
    pub pareto_h: f64,
    /// Exponent of `zipfian`, above 0: key k is drawn in proportion to 1 / k^s.
    pub zipf_exponent: f64,
}

impl Default for Curve {
    fn default() -> Self {
        Self { bell_draws: 12, hot_keys: 1, hot_draws: 75, pareto_h: 0.2, zipf_exponent: 0.8 }
    }
}

/// A distribution of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// Each key as often as any other.
    Uniform,
    /// The mean of twelve uniform draws, unless a curve says otherwise: a bell around the middle.
    Gaussian,
    /// Three draws in four fall evenly on 1 % of the keys in the middle, the others into the bell
    /// (sysbench 0.4 and 0.5).
    Special04,
    /// The same, but of the hot block its upper three quarters alone (sysbench 1.0).
    Special10,
    /// The power law u^(ln h / ln(1 - h)), h = 0.2: 80 % of the draws on the first 20 %.
    Pareto,
    /// 1 / k^0.8, the smallest key the most frequent.
    Zipfian,
}

impl Distribution {
    /// Every one with its name in suites.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("uniform", Self::Uniform),
        ("gaussian", Self::Gaussian),
        ("special_0_4", Self::Special04),
        ("special_1_0", Self::Special10),
        ("pareto", Self::Pareto),
        ("zipfian", Self::Zipfian),
    ];

    /// Names in suites.
    pub const NAMES: &'static [&'static str] =
        &["uniform", "gaussian", "special_0_4", "special_1_0", "pareto", "zipfian"];

    /// The one with this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, found)| *found)
    }

    /// Its name in suites.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }
}

/// Draws keys of a range.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    distribution: Distribution,
    curve: Curve,
    low: u64,
    /// Keys in the range, at least 1.
    count: u64,
    /// The power of `pareto`, about 7.21 for h = 0.2.
    pareto_power: f64,
    zipf: Zipf,
}

impl Draw {
    /// Keys from `low` to `high`, both included; the one key `low` when `high` is below it.
    pub fn new(distribution: Distribution, low: u64, high: u64) -> Self {
        Self::of_curve(distribution, Curve::default(), low, high)
    }

    /// The same with a curve other than sysbench's.
    pub fn of_curve(distribution: Distribution, curve: Curve, low: u64, high: u64) -> Self {
        let count = high.saturating_sub(low) + 1;
        let pareto_power = curve.pareto_h.ln() / (1.0 - curve.pareto_h).ln();
        let zipf = Zipf::new(curve.zipf_exponent, count);
        Self { distribution, curve, low, count, pareto_power, zipf }
    }

    /// The same distribution over other keys.
    #[must_use]
    pub fn over(&self, low: u64, high: u64) -> Self {
        Self::of_curve(self.distribution, self.curve, low, high)
    }

    /// The next key.
    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        let offset = match self.distribution {
            Distribution::Uniform => stream.below(self.count),
            Distribution::Gaussian => self.bell(stream),
            Distribution::Special04 | Distribution::Special10 => self.special(stream),
            Distribution::Pareto => self.place(stream.unit().powf(self.pareto_power)),
            Distribution::Zipfian => self.zipf.draw(stream) - 1,
        };
        self.low + offset
    }

    /// The key at a share of the range.
    fn place(&self, share: f64) -> u64 {
        ((share * self.count as f64) as u64).min(self.count - 1)
    }

    fn bell(&self, stream: &mut Stream) -> u64 {
        let draws = self.curve.bell_draws;
        let sum: f64 = (0..draws).map(|_| stream.unit()).sum();
        self.place(sum / f64::from(draws))
    }

    /// Where the hot block begins, and how many keys it spans.
    fn block(&self) -> (u64, u64) {
        let keys = self.count * self.curve.hot_keys / 100;
        (self.count / 2 - keys / 2, keys)
    }

    /// The share at the block's low end that `special_1_0` never draws: 0.25.
    fn cold_share(&self) -> f64 {
        1.0 - self.curve.hot_draws as f64 / 100.0
    }

    fn special(&self, stream: &mut Stream) -> u64 {
        if !stream.percent(self.curve.hot_draws) {
            return self.bell(stream);
        }
        let (start, keys) = self.block();
        let within = match self.distribution {
            Distribution::Special10 => {
                // The draw that chose the block is used again: it is 0.25 at least.
                let cold = self.cold_share();
                let share = cold + (1.0 - cold) * stream.unit();
                (share * (keys + 1) as f64) as u64
            }
            _ => stream.below(keys.max(1)),
        };
        (start + within).min(self.count - 1)
    }

    /// The probability of a key among the first `keys` of the range.
    fn share_of_first(&self, keys: u64) -> f64 {
        let keys = keys.min(self.count);
        let share = keys as f64 / self.count as f64;
        match self.distribution {
            Distribution::Uniform => share,
            Distribution::Gaussian => bell_below(self.curve.bell_draws, share),
            Distribution::Special04 | Distribution::Special10 => {
                let (start, block) = self.block();
                let passed = keys.saturating_sub(start) as f64;
                let cold = self.cold_share();
                let hot = match self.distribution {
                    Distribution::Special10 => (passed / (block + 1) as f64 - cold) / (1.0 - cold),
                    _ => passed / block.max(1) as f64,
                };
                let bell = bell_below(self.curve.bell_draws, share);
                (1.0 - cold) * hot.clamp(0.0, 1.0) + cold * bell
            }
            Distribution::Pareto => share.powf(1.0 / self.pareto_power),
            Distribution::Zipfian => self.zipf.sum(keys) / self.zipf.sum(self.count),
        }
    }

    /// The effective working set: the fewest keys that together take `share` (0 to 1) of the
    /// draws.
    pub fn working_set(&self, share: f64) -> u64 {
        // Hot keys lie at the low end or around the middle; a set of them grows from there.
        let reached = |keys: u64| match self.distribution {
            Distribution::Uniform | Distribution::Pareto | Distribution::Zipfian => {
                self.share_of_first(keys)
            }
            Distribution::Gaussian => self.share_of_middle(keys),
            Distribution::Special04 | Distribution::Special10 => self.share_around_block(keys),
        };
        let (mut too_few, mut enough) = (0, self.count);
        while enough - too_few > 1 {
            let keys = too_few + (enough - too_few) / 2;
            if reached(keys) >= share - 1e-9 {
                enough = keys;
            } else {
                too_few = keys;
            }
        }
        enough
    }

    fn share_of_middle(&self, keys: u64) -> f64 {
        let start = (self.count - keys) / 2;
        self.share_of_first(start + keys) - self.share_of_first(start)
    }

    /// The hot block, or as much of it as `keys` reaches, and beyond it what lies around.
    fn share_around_block(&self, keys: u64) -> f64 {
        let (start, block) = self.block();
        let (first, hot) = match self.distribution {
            Distribution::Special10 => {
                let cold = (self.cold_share() * (block + 1) as f64) as u64;
                (start + cold, (block + 1) - cold)
            }
            _ => (start, block.max(1)),
        };
        let whole = self.share_of_first(first + hot) - self.share_of_first(first);
        if keys <= hot {
            return whole * keys as f64 / hot as f64;
        }
        let first = first.saturating_sub((keys - hot) / 2);
        (self.share_of_first(first + keys) - self.share_of_first(first)).max(whole)
    }
}

/// The probability that the mean of n uniform draws lies below `share`: the distribution of Irwin
/// and Hall, 1/n! * sum over j <= n x of (-1)^j * C(n, j) * (n x - j)^n.
fn bell_below(draws: u32, share: f64) -> f64 {
    let n = f64::from(draws);
    let x = share.clamp(0.0, 1.0) * n;
    // The upper half by symmetry: there the terms are large and cancel.
    if x > n / 2.0 {
        return 1.0 - bell_below(draws, 1.0 - share);
    }
    let (mut sum, mut binomial, mut factorial) = (0.0, 1.0, 1.0);
    for j in 0..=draws {
        let left = x - f64::from(j);
        if left > 0.0 {
            let sign = if j % 2 == 0 { 1.0 } else { -1.0 };
            sum += sign * binomial * left.powi(draws as i32);
        }
        binomial *= f64::from(draws - j) / f64::from(j + 1);
        factorial *= f64::from(j.max(1));
    }
    sum / factorial
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: u64 = 100_000;
    const DRAWS: u64 = 400_000;

    /// Ends of bins that each take about one draw in a hundred by the formula of `draw`.
    fn bins(draw: &Draw) -> Vec<u64> {
        let mut ends: Vec<u64> = (1..100)
            .map(|percent| {
                let share = f64::from(percent) / 100.0;
                let (mut low, mut high) = (0, KEYS);
                while high - low > 1 {
                    let middle = u64::midpoint(low, high);
                    if draw.share_of_first(middle) < share { low = middle } else { high = middle }
                }
                high
            })
            .chain([KEYS])
            .collect();
        ends.dedup();
        ends
    }

    /// Pearson's chi-squared of draws against a formula, and the degrees of freedom.
    fn chi_squared(drawn: Distribution, formula: Distribution) -> (f64, usize) {
        compared(&Draw::new(drawn, 1, KEYS), &Draw::new(formula, 1, KEYS))
    }

    fn compared(draw: &Draw, expected: &Draw) -> (f64, usize) {
        let ends = bins(expected);
        let mut seen = vec![0u32; ends.len()];
        let mut stream = Stream::new(42, draw.distribution.name(), &[]);
        for _ in 0..DRAWS {
            let key = draw.draw(&mut stream);
            assert!((1..=KEYS).contains(&key));
            seen[ends.partition_point(|end| *end < key)] += 1;
        }
        let mut before = 0.0;
        let mut sum = 0.0;
        for (end, seen) in ends.iter().zip(&seen) {
            let share = expected.share_of_first(*end);
            let wanted = (share - before) * DRAWS as f64;
            before = share;
            assert!(wanted >= 5.0, "a bin of {expected:?} is too small");
            sum += (f64::from(*seen) - wanted).powi(2) / wanted;
        }
        (sum, ends.len() - 1)
    }

    /// The value that chi-squared exceeds in one of 10,000 (Wilson and Hilferty's approximation).
    fn limit(freedom: usize) -> f64 {
        let k = freedom as f64;
        k * (1.0 - 2.0 / (9.0 * k) + 3.719 * (2.0 / (9.0 * k)).sqrt()).powi(3)
    }

    #[test]
    fn every_distribution_follows_its_formula() {
        for (name, distribution) in Distribution::ALL {
            let (seen, freedom) = chi_squared(*distribution, *distribution);
            assert!(freedom >= 50, "{name}: {freedom} degrees of freedom");
            assert!(seen < limit(freedom), "{name}: chi-squared {seen}, {freedom} degrees");
        }
    }

    #[test]
    fn no_distribution_passes_for_another() {
        for (name, drawn) in Distribution::ALL {
            for (other, formula) in Distribution::ALL {
                if drawn != formula {
                    let (seen, freedom) = chi_squared(*drawn, *formula);
                    assert!(seen > 3.0 * limit(freedom), "{name} as {other}: {seen}");
                }
            }
        }
    }

    #[test]
    fn other_curves_follow_their_formulas_and_no_longer_the_usual_ones() {
        let usual = Curve::default();
        let curves = [
            (Distribution::Gaussian, Curve { bell_draws: 3, ..usual }),
            (Distribution::Special04, Curve { hot_keys: 5, hot_draws: 50, ..usual }),
            (Distribution::Special10, Curve { hot_keys: 10, hot_draws: 90, ..usual }),
            (Distribution::Pareto, Curve { pareto_h: 0.3, ..usual }),
            (Distribution::Zipfian, Curve { zipf_exponent: 0.5, ..usual }),
            (Distribution::Zipfian, Curve { zipf_exponent: 1.0, ..usual }),
            (Distribution::Zipfian, Curve { zipf_exponent: 1.1, ..usual }),
        ];
        for (distribution, curve) in curves {
            let draw = Draw::of_curve(distribution, curve, 1, KEYS);
            let (seen, freedom) = compared(&draw, &draw);
            assert!(freedom >= 20, "{curve:?}: {freedom} degrees of freedom");
            assert!(seen < limit(freedom), "{curve:?}: chi-squared {seen}, {freedom} degrees");
            let (seen, freedom) = compared(&draw, &Draw::new(distribution, 1, KEYS));
            assert!(seen > 3.0 * limit(freedom), "{curve:?} passes for the usual one: {seen}");
        }
    }

    #[test]
    fn formulas_end_at_one_and_never_fall() {
        for (name, distribution) in Distribution::ALL {
            for keys in [1, 2, 7, 99, 1000, KEYS] {
                let draw = Draw::new(*distribution, 1, keys);
                let mut before = 0.0;
                for first in 0..=keys {
                    let share = draw.share_of_first(first);
                    assert!(share >= before - 1e-9, "{name} {keys} {first}");
                    before = share;
                }
                assert!((before - 1.0).abs() < 1e-9, "{name} {keys}: {before}");
                let mut stream = Stream::new(1, "few", &[keys]);
                for _ in 0..200 {
                    assert!((1..=keys).contains(&draw.draw(&mut stream)), "{name} {keys}");
                }
            }
        }
    }

    #[test]
    fn working_sets_are_those_that_are_known() {
        let of = |distribution, share| {
            Draw::new(distribution, 1, 10_000_000).working_set(share) as f64 / 1e7
        };
        let near = |seen: f64, wanted: f64| {
            assert!((seen - wanted).abs() < 0.02 * wanted, "{seen} {wanted}");
        };
        near(of(Distribution::Uniform, 0.9), 0.9);
        // 80 % of the draws on 20 % of the keys.
        near(of(Distribution::Pareto, 0.8), 0.2);
        // One percent of the keys, and a quarter less; the bell adds a little inside it.
        near(of(Distribution::Special04, 0.75), 0.00986);
        near(of(Distribution::Special10, 0.75), 0.0074);
        // Nine in ten lie within 1.645 standard deviations; that of the mean of 12 is 1/12.
        near(of(Distribution::Gaussian, 0.9), 2.0 * 1.645 / 12.0);
        // The sum of 1/k^0.8 up to n is about 5 n^0.2 - 4.44; solved for half of it.
        near(of(Distribution::Zipfian, 0.5), 0.0372);
    }
}
