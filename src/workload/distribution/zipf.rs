//! Zipf's law: key k is drawn in proportion to 1 / k^s.

use crate::workload::random::Stream;

/// Terms of a sum over 1 / k^s that are added one by one; the rest is integrated.
const TERMS: u64 = 1000;

/// Exponents this near to 1 are taken for 1, where the integral is a logarithm.
const NEAR_ONE: f64 = 1e-9;

/// Draws ranks by rejection-inversion (Hoermann and Derflinger 1996): a continuous draw under the
/// curve, rounded, and seldom drawn again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Zipf {
    exponent: f64,
    count: u64,
    /// The integral of 1 / x^s up to the left and right ends.
    first: f64,
    last: f64,
    /// Rounding that lies this near is taken without a look at the curve.
    near: f64,
}

impl Zipf {
    /// Ranks 1 to `count`, with an exponent above 0.
    pub(super) fn new(exponent: f64, count: u64) -> Self {
        let ends = Self { exponent, count, first: 0.0, last: 0.0, near: 0.0 };
        Self {
            first: ends.integral(1.5) - 1.0,
            last: ends.integral(count as f64 + 0.5),
            near: 2.0 - ends.inverse(ends.integral(2.5) - 2f64.powf(-exponent)),
            ..ends
        }
    }

    /// The integral of 1 / x^s from 1.
    fn integral(&self, x: f64) -> f64 {
        let power = 1.0 - self.exponent;
        if power.abs() < NEAR_ONE { x.ln() } else { (x.powf(power) - 1.0) / power }
    }

    fn inverse(&self, y: f64) -> f64 {
        let power = 1.0 - self.exponent;
        if power.abs() < NEAR_ONE { y.exp() } else { (1.0 + power * y).powf(1.0 / power) }
    }

    /// A rank from 1.
    pub(super) fn draw(&self, stream: &mut Stream) -> u64 {
        loop {
            let area = self.last + stream.unit() * (self.first - self.last);
            let x = self.inverse(area);
            let rank = (x.round() as u64).clamp(1, self.count);
            let center = rank as f64;
            if center - x <= self.near
                || area >= self.integral(center + 0.5) - center.powf(-self.exponent)
            {
                return rank;
            }
        }
    }

    /// The sum of 1 / k^s for k from 1 to `keys`: the first terms one by one, the rest by the
    /// formula of Euler and Maclaurin, whose error is below 1e-6 there.
    pub(super) fn sum(&self, keys: u64) -> f64 {
        let exact = keys.min(TERMS);
        let term = |key: u64| (key as f64).powf(-self.exponent);
        let sum: f64 = (1..=exact).map(term).sum();
        if exact == keys {
            return sum;
        }
        let integral = self.integral(keys as f64) - self.integral(exact as f64);
        sum + integral + (term(keys) - term(exact)) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_where_they_are_integrated() {
        for exponent in [0.3, 0.8, 1.0, 1.2, 3.0] {
            let zipf = Zipf::new(exponent, 20_000);
            let exact: f64 = (1..=20_000).map(|key| f64::from(key).powf(-exponent)).sum();
            assert!((zipf.sum(20_000) - exact).abs() < 1e-5, "{exponent}");
        }
    }
}
