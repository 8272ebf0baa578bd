//! The noise floor: how far repetitions of one and the same thing stray.

/// Two-sided 95 % point of the normal distribution.
const Z95: f64 = 1.959_964;

/// How far one repetition strays from the level of its cell, as a deviation of log values.
///
/// Measured by comparing the baseline with itself (calibration). Without one, a deviation of half a
/// percent is assumed, which makes deltas within 1 % `same`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseFloor {
    deviation: f64,
}

impl Default for NoiseFloor {
    fn default() -> Self {
        Self { deviation: 0.01 / Z95 }
    }
}

impl NoiseFloor {
    /// The floor of a measured deviation of log values, 0 or more.
    pub fn new(deviation: f64) -> Self {
        Self { deviation: deviation.max(0.0) }
    }

    /// The deviation of log values that no variance goes below.
    pub fn deviation(self) -> f64 {
        self.deviation
    }

    /// Half the width, on the log scale, of the range in which 95 % of repetitions lie around
    /// their level. A delta whose whole interval lies within it is `same`.
    pub fn margin(self) -> f64 {
        Z95 * self.deviation
    }

    /// The margin as a fraction of the level: 0.01 for 1 %.
    pub fn relative(self) -> f64 {
        self.margin().exp_m1()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_calibration_one_percent_is_the_same() {
        assert!((NoiseFloor::default().margin() - 0.01).abs() < 1e-12);
        assert!((NoiseFloor::new(0.02).relative() - 0.0400).abs() < 1e-4);
        assert_eq!(NoiseFloor::new(-1.0).deviation(), 0.0);
    }
}
