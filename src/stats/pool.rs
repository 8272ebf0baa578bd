//! The variance of one repetition, pooled over the cells of a run.

/// A variance and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pooled {
    /// Variance of one repetition around the level of its cell.
    pub variance: f64,
    /// Degrees of freedom: the sum of n - 1.
    pub df: f64,
}

/// Pools the variance of groups, each around its own mean. `None` when no group has two values.
pub fn pool<'a>(groups: impl IntoIterator<Item = &'a [f64]>) -> Option<Pooled> {
    let (mut squares, mut df) = (0.0, 0.0);
    for group in groups {
        if group.len() < 2 {
            continue;
        }
        let mean = group.iter().sum::<f64>() / group.len() as f64;
        squares += group.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        df += (group.len() - 1) as f64;
    }
    (df > 0.0).then(|| Pooled { variance: squares / df, df })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_count_by_their_degrees_of_freedom() {
        let groups: [&[f64]; 3] = [&[1.0, 3.0], &[10.0, 10.0, 13.0], &[5.0]];
        let pooled = pool(groups).unwrap();
        assert_eq!(pooled.df, 3.0);
        assert!((pooled.variance - 8.0 / 3.0).abs() < 1e-12);
        assert_eq!(pool([[1.0].as_slice()]), None);
    }
}
