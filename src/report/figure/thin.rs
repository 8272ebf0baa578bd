//! Fewer points that look the same: the least and the most of each stretch are kept.

/// The most points of a series that a figure draws.
pub(super) const MOST: usize = 2000;

/// At most `most` of `points` (at least 4): stretches of equal length, of each the point with the
/// least and the one with the most y, in their order. A gap (no y) in a stretch is kept too.
pub(super) fn thinned(points: &[(f64, Option<f64>)], most: usize) -> Vec<(f64, Option<f64>)> {
    if points.len() <= most {
        return points.to_vec();
    }
    let stretches = (most / 3).max(1);
    let mut kept = Vec::with_capacity(most);
    for at in 0..stretches {
        let range = at * points.len() / stretches..(at + 1) * points.len() / stretches;
        let stretch = &points[range];
        let by_y = |left: &usize, right: &usize| {
            let y = |index: &usize| stretch[*index].1.unwrap_or(f64::NAN);
            y(left).total_cmp(&y(right))
        };
        let known = || (0..stretch.len()).filter(|index| stretch[*index].1.is_some());
        let mut chosen: Vec<usize> = known().min_by(by_y).into_iter().collect();
        chosen.extend(known().max_by(by_y));
        chosen.extend((0..stretch.len()).find(|index| stretch[*index].1.is_none()));
        chosen.sort_unstable();
        chosen.dedup();
        kept.extend(chosen.into_iter().map(|index| stretch[index]));
    }
    kept
}

/// Means over windows of `every` seconds, in place of those of `window` seconds.
pub(super) fn averaged(values: &[f64], window: f64, every: Option<f64>) -> (Vec<f64>, f64) {
    let width = every.map_or(1, |every| (every / window).round().max(1.0) as usize);
    let means =
        values.chunks(width).map(|chunk| chunk.iter().sum::<f64>() / chunk.len() as f64).collect();
    (means, window * width as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spike_and_a_hole_survive_thinning() {
        let mut points: Vec<(f64, Option<f64>)> =
            (0..1_000_000).map(|at| (f64::from(at), Some(100.0 + f64::from(at % 7)))).collect();
        points[123_456].1 = Some(9000.0);
        points[654_321].1 = Some(0.0);
        points[800_000].1 = None;
        let thin = thinned(&points, MOST);
        assert!(thin.len() <= MOST, "{}", thin.len());
        assert!(thin.contains(&(123_456.0, Some(9000.0))));
        assert!(thin.contains(&(654_321.0, Some(0.0))));
        assert!(thin.contains(&(800_000.0, None)));
        assert!(thin.windows(2).all(|pair| pair[0].0 < pair[1].0), "in order");
    }

    #[test]
    fn windows_are_averaged_to_the_length_asked_for() {
        let (means, window) = averaged(&[1.0, 3.0, 5.0, 7.0, 10.0], 1.0, Some(2.0));
        assert_eq!((means, window), (vec![2.0, 6.0, 10.0], 2.0));
        let (same, window) = averaged(&[1.0, 3.0], 1.0, None);
        assert_eq!((same, window), (vec![1.0, 3.0], 1.0));
    }
}
