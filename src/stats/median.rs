//! The standard error of the middle of a small sample.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Standard deviation of the median of n values of a standard normal distribution, n = 1 to 20.
///
/// Integrals over the density of the middle order statistics (H. A. David and H. N. Nagaraja,
/// *Order Statistics*, 3rd edition, 2003, sections 2.1 and 3.1). The variances for n = 3 and 5
/// (0.4487, 0.2868) are tabulated there and by many others. The tests integrate them again.
const EXACT: [f64; 20] = [
    1.0,
    FRAC_1_SQRT_2,
    0.669_829,
    0.546_077,
    0.535_569,
    0.463_403,
    0.458_745,
    0.410_099,
    0.407_555,
    0.371_923,
    0.370_354,
    0.342_806,
    0.341_759,
    0.319_637,
    0.318_896,
    0.300_625,
    0.300_078,
    0.284_655,
    0.284_238,
    0.270_993,
];

/// Standard error of the median of `n` normal values with standard deviation 1; `n` from 1.
///
/// Beyond the table the asymptotic variance pi / (2 n) with its first correction,
/// 1 - (4 - pi) / (2 n); it is off by less than one part in a thousand there.
pub fn median_factor(n: usize) -> f64 {
    match n {
        0 => f64::INFINITY,
        n if n <= EXACT.len() => EXACT[n - 1],
        n => {
            let n = n as f64;
            (PI / (2.0 * n) * (1.0 - (4.0 - PI) / (2.0 * n))).sqrt()
        }
    }
}

/// Standard error of the mean of `n` values with standard deviation 1; `n` from 1.
pub fn mean_factor(n: usize) -> f64 {
    1.0 / (n as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{Continuous, ContinuousCDF, Normal};

    /// Variance of the median of an odd number of standard normal values, by Simpson's rule.
    fn variance_of_odd(n: usize) -> f64 {
        let normal = Normal::standard();
        let half = (n / 2) as i32;
        let mut constant = 1.0;
        for i in 1..=n {
            constant *= i as f64;
        }
        for i in 1..=n / 2 {
            constant /= (i * i) as f64;
        }
        let steps = 2000;
        let width = 18.0 / f64::from(steps);
        (0..=steps)
            .map(|step| {
                let x = -9.0 + f64::from(step) * width;
                let below = normal.cdf(x);
                let weight = match step {
                    0 => 1.0,
                    s if s == steps => 1.0,
                    s if s % 2 == 1 => 4.0,
                    _ => 2.0,
                };
                let density = constant * (below * (1.0 - below)).powi(half) * normal.pdf(x);
                weight * x * x * density * width / 3.0
            })
            .sum()
    }

    #[test]
    fn odd_factors_are_the_integrals() {
        for n in [1, 3, 5, 7, 9, 11, 13, 15, 17, 19] {
            let exact = variance_of_odd(n).sqrt();
            assert!((median_factor(n) - exact).abs() < 1e-5, "n={n}: {exact}");
        }
        for n in [21, 31, 41] {
            let exact = variance_of_odd(n).sqrt();
            assert!((median_factor(n) / exact - 1.0).abs() < 1e-3, "n={n}: {exact}");
        }
    }

    #[test]
    fn published_variances() {
        for (n, variance) in [(2, 0.5), (3, 0.4487), (4, 0.2982), (5, 0.2868), (6, 0.2147)] {
            assert!((median_factor(n).powi(2) - variance).abs() < 5e-5, "n={n}");
        }
    }

    #[test]
    fn a_median_is_never_better_than_a_mean_of_normal_values_nor_much_worse() {
        for n in 1..200 {
            let ratio = median_factor(n) / mean_factor(n);
            assert!((1.0 - 1e-6..1.2534).contains(&ratio), "n={n}: {ratio}");
            assert!(median_factor(n + 1) < median_factor(n), "n={n}");
        }
    }
}
