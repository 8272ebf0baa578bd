//! Interleaved pairs of figures.

use super::Res;

/// Figures of both sides, pair by pair.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    pub(crate) ours: Vec<f64>,
    pub(crate) theirs: Vec<f64>,
}

impl Pairs {
    fn ratios(&self) -> Vec<f64> {
        self.ours.iter().zip(&self.theirs).map(|(ours, theirs)| ours / theirs).collect()
    }

    /// The median of ours / theirs over the pairs: a pair that something disturbed does not move it.
    pub(crate) fn ratio(&self) -> f64 {
        median(&self.ratios())
    }

    /// `0.61, 0.63`: ours / theirs of each pair.
    pub(crate) fn each(&self) -> String {
        let each = self.ratios().iter().map(|ratio| format!("{ratio:.2}")).collect::<Vec<_>>();
        each.join(", ")
    }
}

/// Takes `count` pairs; each side goes first in turn.
pub(crate) fn interleaved<O, T>(
    count: usize,
    mut ours: impl FnMut() -> Res<O>,
    mut theirs: impl FnMut() -> Res<T>,
) -> Res<Vec<(O, T)>> {
    (0..count)
        .map(|pair| {
            if pair % 2 == 0 {
                let ours = ours()?;
                Ok((ours, theirs()?))
            } else {
                let theirs = theirs()?;
                Ok((ours()?, theirs))
            }
        })
        .collect()
}

/// The value in the middle.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}
