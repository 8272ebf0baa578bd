//! The middle of a sample.

/// The median: the middle value, or the mean of the two middle values. `None` for no values.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// The arithmetic mean. `None` for no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The geometric mean, for ratios. `None` for no values or one that is not positive.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    mean(&logs).filter(|log| log.is_finite()).map(f64::exp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_or_between_the_two_middles() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
        assert_eq!(mean(&[1.0, 2.0, 6.0]), Some(3.0));
        assert_eq!(mean(&[]), None);
    }

    #[test]
    fn the_geometric_mean_of_benchstats_example() {
        // Its documentation: medians 1718 and 3066 ns, geomean 2295 ns; 1423 and 3070, 2090.
        assert!((geometric_mean(&[1718.0, 3066.0]).unwrap() - 2295.0).abs() < 0.5);
        assert!((geometric_mean(&[1423.0, 3070.0]).unwrap() - 2090.0).abs() < 0.5);
        assert_eq!(geometric_mean(&[1.0, 0.0]), None);
    }
}
