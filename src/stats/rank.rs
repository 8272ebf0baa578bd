//! The rank test of H. B. Mann and D. R. Whitney, "On a test of whether one of two random variables
//! is stochastically larger than the other", Annals of Mathematical Statistics 18 (1947), exact for
//! small samples, with ties.

use statrs::distribution::{ContinuousCDF, Normal};

/// Beyond this many values in both samples together the normal approximation is used.
const EXACT_UP_TO: usize = 60;

/// What the test says of two samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankTest {
    /// How many pairs (one value of each sample) have the first one larger; ties count a half.
    pub u: f64,
    /// Two-sided probability of so uneven an order when the samples come from one distribution.
    pub p: f64,
    /// The smallest `p` that samples of these sizes can have.
    pub smallest_p: f64,
}

impl RankTest {
    /// Whether samples of these sizes could ever be told apart at `alpha`.
    pub fn n_too_small(&self, alpha: f64) -> bool {
        self.smallest_p >= alpha
    }
}

/// Tests `a` against `b`. `None` when one has no values or all values are equal.
pub fn rank_test(a: &[f64], b: &[f64]) -> Option<RankTest> {
    let mut all: Vec<(f64, bool)> =
        a.iter().map(|value| (*value, true)).chain(b.iter().map(|value| (*value, false))).collect();
    all.sort_by(|(x, _), (y, _)| x.total_cmp(y));
    if a.is_empty() || b.is_empty() || all[0].0 == all[all.len() - 1].0 {
        return None;
    }
    // Ranks doubled, so that the mean rank of ties is whole.
    let mut ranks = vec![0usize; all.len()];
    let mut ties = Vec::new();
    let mut first = 0;
    while first < all.len() {
        let next = all[first..].iter().position(|(v, _)| *v != all[first].0);
        let end = next.map_or(all.len(), |length| first + length);
        ranks[first..end].fill(first + 1 + end);
        ties.push(end - first);
        first = end;
    }
    let sum: usize = all.iter().zip(&ranks).filter(|((_, in_a), _)| *in_a).map(|(_, r)| r).sum();
    let least = a.len() * (a.len() + 1);
    let u = (sum - least) as f64 / 2.0;
    let p = if all.len() <= EXACT_UP_TO {
        exact(&ranks, a.len(), sum)
    } else {
        approximate(u, a.len(), b.len(), &ties)
    };
    Some(RankTest { u, p, smallest_p: smallest(a.len(), b.len()) })
}

/// Twice the smaller tail of the distribution of rank sums over all ways to choose `chosen` of the
/// ranks.
fn exact(ranks: &[usize], chosen: usize, sum: usize) -> f64 {
    let most: usize = ranks.iter().sum();
    // ways[k][s]: how many choices of k ranks have the sum s.
    let mut ways = vec![vec![0.0f64; most + 1]; chosen + 1];
    ways[0][0] = 1.0;
    for rank in ranks {
        for k in (1..=chosen).rev() {
            for s in (*rank..=most).rev() {
                ways[k][s] += ways[k - 1][s - rank];
            }
        }
    }
    let all: f64 = ways[chosen].iter().sum();
    let up_to: f64 = ways[chosen][..=sum].iter().sum();
    let from: f64 = ways[chosen][sum..].iter().sum();
    (2.0 * up_to.min(from) / all).min(1.0)
}

/// Normal approximation with correction for ties and continuity.
fn approximate(u: f64, a: usize, b: usize, ties: &[usize]) -> f64 {
    let (a, b) = (a as f64, b as f64);
    let n = a + b;
    let tied: f64 = ties.iter().map(|t| (*t as f64).powi(3) - *t as f64).sum();
    let deviation = (a * b / 12.0 * ((n + 1.0) - tied / (n * (n - 1.0)))).sqrt();
    let distance = ((u - a * b / 2.0).abs() - 0.5).max(0.0);
    (2.0 * Normal::standard().sf(distance / deviation)).min(1.0)
}

/// 2 over the number of ways to choose: everything of one sample below everything of the other.
fn smallest(a: usize, b: usize) -> f64 {
    let few = a.min(b);
    let choices: f64 = (1..=few).map(|i| (a + b - few + i) as f64 / i as f64).product();
    (2.0 / choices).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn p(a: &[f64], b: &[f64]) -> f64 {
        rank_test(a, b).unwrap().p
    }

    #[test]
    fn the_example_of_hollander_and_wolfe() {
        // R's help page of wilcox.test: permeability of the chorioamnion. W = 35; the one-sided p
        // is 0.1272, so the two-sided one is 0.2544.
        let term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
        let early = [1.15, 0.88, 0.90, 0.74, 1.21];
        let test = rank_test(&term, &early).unwrap();
        assert_eq!(test.u, 35.0);
        assert!((test.p - 0.2544).abs() < 1e-4, "{}", test.p);
    }

    #[test]
    fn the_vectors_of_go_moremath() {
        let s1 = [2.0, 1.0, 3.0, 5.0];
        assert!((p(&s1, &[12.0, 11.0, 13.0, 15.0]) - 0.028_571_428_571).abs() < 1e-9);
        assert!((p(&s1, &[0.0, 4.0, 6.0, 7.0]) - 0.485_714_285_714).abs() < 1e-9);
        assert!((p(&s1, &[2.0; 4]) - 0.714_285_714_286).abs() < 1e-9);
        assert_eq!(p(&s1, &s1), 1.0);
        assert_eq!(rank_test(&[2.0; 4], &[2.0; 4]), None);
        let l1: Vec<f64> = (0..500).map(|i| f64::from(i) * 2.0).collect();
        let l2: Vec<f64> = (0..600).map(|i| f64::from(i) * 2.0 - 41.0).collect();
        assert!((p(&l1, &l2) - 0.004_933_536_081).abs() < 1e-9);
        let mut l3 = l2;
        l3[..30].copy_from_slice(&l1[..30]);
        assert!((p(&l1, &l3) - 0.003_870_381_424).abs() < 1e-9);
    }

    #[test]
    fn the_example_of_benchstat() {
        // The data and the output in its documentation: -17.20% (p=0.000 n=10), ~ (p=0.446 n=10).
        let json = (
            [1726., 1723., 1707., 1707., 1713., 1729., 1736., 1707., 1705., 1774.],
            [1423., 1416., 1411., 1413., 1412., 1426., 1422., 1424., 1447., 1425.],
        );
        let gob = (
            [3069., 3075., 3069., 3067., 3207., 3064., 3064., 3058., 3059., 3062.],
            [3075., 3065., 3059., 3065., 3060., 3081., 3186., 3135., 3087., 3062.],
        );
        assert!(p(&json.0, &json.1) < 0.0005);
        assert_eq!(format!("{:.3}", p(&gob.0, &gob.1)), "0.446");
        // Its issue 19634: all five below all five, p=0.008 n=5.
        assert_eq!(format!("{:.3}", p(&[115., 114., 115., 115., 115.], &[78.8; 5])), "0.008");
    }

    #[test]
    fn small_samples_can_never_be_told_apart() {
        for (n, smallest_p, too_small) in
            [(2, 0.333_333, true), (3, 0.1, true), (4, 0.028_571, false), (5, 0.007_937, false)]
        {
            let a: Vec<f64> = (0..n).map(f64::from).collect();
            let b: Vec<f64> = (0..n).map(|i| f64::from(i) + 100.0).collect();
            let test = rank_test(&a, &b).unwrap();
            assert!((test.smallest_p - smallest_p).abs() < 1e-6);
            assert!((test.p - smallest_p).abs() < 1e-6);
            assert_eq!(test.n_too_small(0.05), too_small, "n={n}");
        }
    }

    proptest! {
        #[test]
        fn order_of_samples_and_scale_do_not_matter(
            a in prop::collection::vec(0i32..12, 1..7),
            b in prop::collection::vec(0i32..12, 1..7),
        ) {
            let a: Vec<f64> = a.into_iter().map(f64::from).collect();
            let b: Vec<f64> = b.into_iter().map(f64::from).collect();
            if let Some(test) = rank_test(&a, &b) {
                let back = rank_test(&b, &a).unwrap();
                prop_assert!((test.p - back.p).abs() < 1e-12);
                prop_assert!((test.u + back.u - (a.len() * b.len()) as f64).abs() < 1e-9);
                let scaled: Vec<f64> = a.iter().map(|v| v * 3.0 + 1.0).collect();
                let other: Vec<f64> = b.iter().map(|v| v * 3.0 + 1.0).collect();
                prop_assert!((rank_test(&scaled, &other).unwrap().p - test.p).abs() < 1e-12);
                prop_assert!(test.p > 0.0 && test.p <= 1.0);
            }
        }
    }
}
