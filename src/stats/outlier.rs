//! Repetitions far from the others of their cell. They are shown, never dropped.

use super::estimate::median;

/// From how many robust deviations on a value is far out (B. Iglewicz and D. C. Hoaglin, *How to
/// Detect and Handle Outliers*, 1993, recommend 3.5 for the modified z score).
const FAR: f64 = 3.5;

/// Makes the median absolute deviation of normal values their standard deviation: 1 / Phi^-1(3/4).
const NORMAL: f64 = 1.482_602;

/// Which log values lie far from the median of their cell.
///
/// The yardstick is the median distance of all values of the run from the median of their cell, but
/// never less than the cell's own median distance, nor than `floor`: a cell that strays further than
/// others as a whole has no outliers for that.
pub fn outliers(cells: &[&[f64]], floor: f64) -> Vec<Vec<bool>> {
    let distances: Vec<Vec<f64>> = cells
        .iter()
        .map(|values| {
            let middle = median(values).unwrap_or(0.0);
            values.iter().map(|value| (value - middle).abs()).collect()
        })
        .collect();
    let of_run = deviation(distances.iter().flat_map(|cell| away_from_middle(cell)));
    distances
        .iter()
        .map(|cell| {
            let yardstick = deviation(away_from_middle(cell)).max(of_run).max(floor);
            cell.iter().map(|distance| cell.len() > 2 && *distance > FAR * yardstick).collect()
        })
        .collect()
}

/// The distances of a cell, without the one value that is its median and has none.
fn away_from_middle(distances: &[f64]) -> impl Iterator<Item = f64> {
    let mut sorted = distances.to_vec();
    sorted.sort_by(f64::total_cmp);
    let skipped = usize::from(sorted.len() % 2 == 1);
    sorted.into_iter().skip(skipped)
}

/// The lower median of the distances, as a deviation: of two distances the larger may be the outlier.
fn deviation(distances: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = distances.collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or(0.0) * NORMAL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_freak_run_is_marked_in_three() {
        let quiet: &[f64] = &[0.0, 0.01, -0.012];
        let freak: &[f64] = &[0.0, 0.01, -0.3];
        let marked = outliers(&[quiet, freak, quiet], 0.005);
        assert_eq!(marked[1], [false, false, true]);
        assert_eq!(marked[0], [false; 3]);
    }

    #[test]
    fn a_cell_that_strays_further_as_a_whole_has_none() {
        let quiet: &[f64] = &[0.0, 0.01, -0.012, 0.004, -0.003];
        let wild: &[f64] = &[0.0, 0.1, -0.12, 0.06, -0.09];
        let marked = outliers(&[quiet, wild, quiet], 0.005);
        assert_eq!(marked[1], [false; 5]);
    }

    #[test]
    fn nothing_within_the_floor_is_far() {
        let still: &[f64] = &[0.0, 0.0, 0.01];
        assert_eq!(outliers(&[still, still], 0.005)[0], [false; 3]);
        assert_eq!(outliers(&[&[0.0, 5.0]], 0.0)[0], [false; 2]);
    }
}
