//! Intervals of a ratio, from log values.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The t value that a deviation exceeds, either way, with probability `alpha`, at `df` degrees of
/// freedom (more than 0).
pub fn t_critical(alpha: f64, df: f64) -> f64 {
    StudentsT::new(0.0, 1.0, df)
        .map_or(f64::INFINITY, |distribution| distribution.inverse_cdf(1.0 - alpha / 2.0))
}

/// An interval of a relative delta: ends as fractions, 0.1 for `+10%`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// The interval around `relative` whose ends lie `half_width` away on the log scale.
    pub fn around(relative: f64, half_width: f64) -> Self {
        let ratio = 1.0 + relative;
        Self { low: ratio * (-half_width).exp() - 1.0, high: ratio * half_width.exp() - 1.0 }
    }

    /// Whether `value` lies inside.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
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
}
