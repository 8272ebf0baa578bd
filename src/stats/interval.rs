//! Intervals of a ratio, from log values.

use super::floor::NoiseFloor;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// From here on the t distribution is taken for the normal one, which it differs from by less than
/// one part in a thousand.
const NORMAL_FROM: f64 = 2000.0;

/// The t value that a deviation exceeds, either way, with probability `alpha`, at `df` degrees of
/// freedom (more than 0).
pub fn t_critical(alpha: f64, df: f64) -> f64 {
    if df > NORMAL_FROM {
        return -Normal::standard().inverse_cdf(alpha / 2.0);
    }
    StudentsT::new(0.0, 1.0, df)
        .map_or(f64::INFINITY, |distribution| -distribution.inverse_cdf(alpha / 2.0))
}

/// Half the width of an interval, on the log scale, beyond which its ends would leave what a number can
/// hold. Two wild repetitions in a large table reach that.
const WIDEST: f64 = 300.0;

/// How often a deviation of `t` or more, either way, comes by chance at `df` degrees of freedom.
pub fn t_two_sided(t: f64, df: f64) -> f64 {
    if df > NORMAL_FROM {
        return 2.0 * Normal::standard().sf(t.abs());
    }
    StudentsT::new(0.0, 1.0, df).map_or(1.0, |distribution| 2.0 * distribution.sf(t.abs()))
}

/// An interval of a relative delta: ends as fractions, 0.1 for `+10%`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// What an interval says about a difference, whichever direction is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// The value is above the baseline's.
    Above,
    /// It is below.
    Below,
    /// The interval lies within the noise floor.
    Same,
    /// It contains 0 and reaches beyond the noise floor.
    Undecided,
}

impl Interval {
    /// The interval around `relative` whose ends lie `half_width` away on the log scale.
    pub fn around(relative: f64, half_width: f64) -> Self {
        let ratio = 1.0 + relative;
        let half_width = half_width.min(WIDEST);
        Self { low: ratio * (-half_width).exp() - 1.0, high: ratio * half_width.exp() - 1.0 }
    }

    /// Whether `value` lies inside.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// What it says, given how far repetitions of one thing stray.
    pub fn says(&self, floor: NoiseFloor) -> Says {
        let margin = floor.margin();
        if self.low.ln_1p() >= -margin && self.high.ln_1p() <= margin {
            Says::Same
        } else if self.contains(0.0) {
            Says::Undecided
        } else if self.low > 0.0 {
            Says::Above
        } else {
            Says::Below
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t_values_are_those_of_the_printed_tables() {
        for (alpha, df, expected) in
            [(0.05, 1.0, 12.706), (0.05, 4.0, 2.776), (0.05, 10.0, 2.228), (0.01, 5.0, 4.032)]
        {
            assert!((t_critical(alpha, df) - expected).abs() < 5e-4, "{alpha} {df}");
        }
    }

    #[test]
    fn an_interval_is_centred_on_the_printed_delta() {
        let interval = Interval::around(0.123, 0.05);
        let centre = ((1.0 + interval.low) * (1.0 + interval.high)).sqrt() - 1.0;
        assert!((centre - 0.123).abs() < 1e-12);
        assert!(interval.contains(0.123) && !interval.contains(0.0));
    }

    #[test]
    fn an_interval_ends_in_numbers_however_wide_it_is() {
        let interval = Interval::around(0.5, 1e9);
        assert!(interval.low.is_finite() && interval.high.is_finite());
        assert_eq!(interval.says(NoiseFloor::default()), Says::Undecided);
    }

    #[test]
    fn what_an_interval_says() {
        let floor = NoiseFloor::default();
        let says = |low, high| Interval { low, high }.says(floor);
        assert_eq!(says(-0.005, 0.008), Says::Same);
        assert_eq!(says(0.001, 0.008), Says::Same);
        assert_eq!(says(-0.005, 0.02), Says::Undecided);
        assert_eq!(says(0.001, 0.02), Says::Above);
        assert_eq!(says(-0.2, -0.1), Says::Below);
    }
}
