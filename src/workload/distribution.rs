//! How keys are drawn: sysbench's distributions over the keys 1 to n, with the formula of each, so
//! that tests can hold the draws against it and headings can name the effective working set.
//!
//! `special` means two things: what sysbench 0.4 and 0.5 draw, and what 1.0 draws, whose hot block
//! is a quarter smaller and off the centre. They are told apart here.

use crate::workload::random::Stream;

/// Uniform draws whose mean makes the bell.
const BELL_DRAWS: u32 = 12;
/// 12!.
const BELL_FACTORIAL: f64 = 479_001_600.0;
/// Percent of the keys in the hot block of `special`.
const SPECIAL_KEYS: u64 = 1;
/// Percent of the draws that fall into it.
const SPECIAL_DRAWS: u64 = 75;
/// `h` of `pareto`: 1 - h of the draws fall into the share h of the keys.
const PARETO_H: f64 = 0.2;
/// Exponent of `zipfian`: key k is drawn in proportion to 1 / k^s.
const ZIPF_EXPONENT: f64 = 0.8;
/// Terms of a sum over 1 / k^s that are added one by one; the rest is integrated.
const ZIPF_TERMS: u64 = 1000;

/// A distribution of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// Each key as often as any other.
    Uniform,
    /// The mean of twelve uniform draws: a bell around the middle.
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
    low: u64,
    /// Keys in the range, at least 1.
    count: u64,
    zipf: Zipf,
}

/// The power of `pareto`, about 7.21.
fn pareto_power() -> f64 {
    PARETO_H.ln() / (1.0 - PARETO_H).ln()
}

impl Draw {
    /// Keys from `low` to `high`, both included; the one key `low` when `high` is below it.
    pub fn new(distribution: Distribution, low: u64, high: u64) -> Self {
        let count = high.saturating_sub(low) + 1;
        Self { distribution, low, count, zipf: Zipf::new(count) }
    }

    /// The same distribution over other keys.
    #[must_use]
    pub fn over(&self, low: u64, high: u64) -> Self {
        Self::new(self.distribution, low, high)
    }

    /// The next key.
    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        let offset = match self.distribution {
            Distribution::Uniform => stream.below(self.count),
            Distribution::Gaussian => self.bell(stream),
            Distribution::Special04 | Distribution::Special10 => self.special(stream),
            Distribution::Pareto => self.place(stream.unit().powf(pareto_power())),
            Distribution::Zipfian => self.zipf.draw(stream) - 1,
        };
        self.low + offset
    }

    /// The key at a share of the range.
    fn place(&self, share: f64) -> u64 {
        ((share * self.count as f64) as u64).min(self.count - 1)
    }

    fn bell(&self, stream: &mut Stream) -> u64 {
        let sum: f64 = (0..BELL_DRAWS).map(|_| stream.unit()).sum();
        self.place(sum / f64::from(BELL_DRAWS))
    }

    /// Where the hot block begins, and how many keys it spans.
    fn block(&self) -> (u64, u64) {
        let keys = self.count * SPECIAL_KEYS / 100;
        (self.count / 2 - keys / 2, keys)
    }

    fn special(&self, stream: &mut Stream) -> u64 {
        if !stream.percent(SPECIAL_DRAWS) {
            return self.bell(stream);
        }
        let (start, keys) = self.block();
        let within = match self.distribution {
            Distribution::Special10 => {
                // The draw that chose the block is used again: it is 0.25 at least.
                let share = 0.25 + 0.75 * stream.unit();
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
            Distribution::Gaussian => bell_below(share),
            Distribution::Special04 | Distribution::Special10 => {
                let (start, block) = self.block();
                let passed = keys.saturating_sub(start) as f64;
                let hot = match self.distribution {
                    Distribution::Special10 => (passed / (block + 1) as f64 - 0.25) / 0.75,
                    _ => passed / block.max(1) as f64,
                };
                let hot_draws = SPECIAL_DRAWS as f64 / 100.0;
                hot_draws * hot.clamp(0.0, 1.0) + (1.0 - hot_draws) * bell_below(share)
            }
            Distribution::Pareto => share.powf(1.0 / pareto_power()),
            Distribution::Zipfian => zipf_sum(keys) / zipf_sum(self.count),
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
                let cold = (block + 1) / 4;
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

/// The probability that the mean of twelve uniform draws lies below `share`: the distribution of
/// Irwin and Hall, 1/12! * sum over j <= 12 x of (-1)^j * C(12, j) * (12 x - j)^12.
fn bell_below(share: f64) -> f64 {
    let draws = f64::from(BELL_DRAWS);
    let x = share.clamp(0.0, 1.0) * draws;
    // The upper half by symmetry: there the terms are large and cancel.
    if x > draws / 2.0 {
        return 1.0 - bell_below(1.0 - share);
    }
    let (mut sum, mut binomial) = (0.0, 1.0);
    for j in 0..=BELL_DRAWS {
        let left = x - f64::from(j);
        if left > 0.0 {
            let sign = if j % 2 == 0 { 1.0 } else { -1.0 };
            sum += sign * binomial * left.powi(BELL_DRAWS as i32);
        }
        binomial *= f64::from(BELL_DRAWS - j) / f64::from(j + 1);
    }
    sum / BELL_FACTORIAL
}

/// The sum of 1 / k^s for k from 1 to `keys`: the first terms one by one, the rest by the formula
/// of Euler and Maclaurin, whose error is below 1e-7 there.
fn zipf_sum(keys: u64) -> f64 {
    let exact = keys.min(ZIPF_TERMS);
    let term = |key: u64| (key as f64).powf(-ZIPF_EXPONENT);
    let sum: f64 = (1..=exact).map(term).sum();
    if exact == keys {
        return sum;
    }
    let power = 1.0 - ZIPF_EXPONENT;
    let integral = ((keys as f64).powf(power) - (exact as f64).powf(power)) / power;
    sum + integral + (term(keys) - term(exact)) / 2.0
}

/// Zipf's law by rejection-inversion (Hoermann and Derflinger 1996): a continuous draw under the
/// curve, rounded, and seldom drawn again.
#[derive(Clone, Copy, Debug)]
struct Zipf {
    count: u64,
    /// The integral of 1 / x^s up to the left and right ends.
    first: f64,
    last: f64,
    /// Rounding that lies this near is taken without a look at the curve.
    near: f64,
}

fn zipf_integral(x: f64) -> f64 {
    let power = 1.0 - ZIPF_EXPONENT;
    (x.powf(power) - 1.0) / power
}

fn zipf_inverse(y: f64) -> f64 {
    let power = 1.0 - ZIPF_EXPONENT;
    (1.0 + power * y).powf(1.0 / power)
}

impl Zipf {
    fn new(count: u64) -> Self {
        Self {
            count,
            first: zipf_integral(1.5) - 1.0,
            last: zipf_integral(count as f64 + 0.5),
            near: 2.0 - zipf_inverse(zipf_integral(2.5) - 2f64.powf(-ZIPF_EXPONENT)),
        }
    }

    /// A rank from 1.
    fn draw(&self, stream: &mut Stream) -> u64 {
        loop {
            let area = self.last + stream.unit() * (self.first - self.last);
            let x = zipf_inverse(area);
            let rank = (x.round() as u64).clamp(1, self.count);
            let center = rank as f64;
            if center - x <= self.near
                || area >= zipf_integral(center + 0.5) - center.powf(-ZIPF_EXPONENT)
            {
                return rank;
            }
        }
    }
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
        let draw = Draw::new(drawn, 1, KEYS);
        let expected = Draw::new(formula, 1, KEYS);
        let ends = bins(&expected);
        let mut seen = vec![0u32; ends.len()];
        let mut stream = Stream::new(42, drawn.name(), &[]);
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
            assert!(wanted >= 5.0, "a bin of {} is too small", formula.name());
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

    #[test]
    fn sums_of_zipf_are_exact_where_they_are_integrated() {
        let exact: f64 = (1..=20_000).map(|key| f64::from(key).powf(-ZIPF_EXPONENT)).sum();
        assert!((zipf_sum(20_000) - exact).abs() < 1e-6);
    }
}
