//! All deltas of one table, judged together.

use super::interval::{t_critical, t_two_sided};
use super::spread::StandardError;

/// A difference of two log levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Log of the ratio.
    pub log_ratio: f64,
    /// Its standard error.
    pub error: StandardError,
    /// What the means say where medians are compared, and the medians where means are; both must
    /// agree.
    pub second: Option<SecondOpinion>,
}

/// The same difference between the averages that are not printed.
///
/// The standard error of a median is that of normal noise. Where noise is flatter, or a server lands
/// in one of two modes at each start, medians stray far more; means do not, whatever the noise. Means
/// in turn go with a single freak, and with a cell that strays too little to stand out among few
/// repetitions and too much to be pooled; medians go less. So the interval is made wide enough to hold
/// that of the other average, too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SecondOpinion {
    /// How far it lies from the difference that is printed, on the log scale; 0 or more.
    pub shift: f64,
    /// Its standard error.
    pub error: StandardError,
}

impl Difference {
    /// Half the width of its interval at `level`, on the log scale.
    pub fn half_width(&self, level: f64) -> f64 {
        let own = t_critical(level, self.error.df) * self.error.error;
        self.second.map_or(own, |second| {
            own.max(second.shift + t_critical(level, second.error.df) * second.error.error)
        })
    }
}

/// A difference after all of its table were looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tested {
    /// How often sides that do not differ show so large a difference.
    pub p: f64,
    /// The same, so that a whole table is wrong in no more than its level (Holm).
    pub p_table: f64,
    /// The level at which this one was tested, and at which its interval stands.
    pub level: f64,
    /// Half the width of its interval, on the log scale.
    pub half_width: f64,
}

/// Tests all differences of a table at `alpha` together: S. Holm, "A simple sequentially rejective
/// multiple test procedure", Scandinavian Journal of Statistics 6 (1979).
///
/// Each interval stands at the level at which its difference was tested, so that an interval
/// without 0 and a rejection are the same thing: with m differences the smallest p is compared with
/// alpha / m, the next with alpha / (m - 1), and so on; from the first that is not rejected on, all
/// stand at its level.
pub fn test_family(differences: &[Difference], alpha: f64) -> Vec<Tested> {
    let p: Vec<f64> = differences.iter().map(two_sided).collect();
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut tested: Vec<Option<Tested>> = vec![None; p.len()];
    let mut stopped = None;
    let mut adjusted = 0.0f64;
    for (rank, index) in order.into_iter().enumerate() {
        let left = (p.len() - rank) as f64;
        adjusted = adjusted.max((p[index] * left).min(1.0));
        let level = stopped.unwrap_or(alpha / left);
        if p[index] > level {
            stopped = Some(level);
        }
        tested[index] = Some(Tested {
            p: p[index],
            p_table: adjusted,
            level,
            half_width: differences[index].half_width(level),
        });
    }
    tested.into_iter().flatten().collect()
}

/// The larger of both probabilities: medians and means must agree.
fn two_sided(difference: &Difference) -> f64 {
    let of = |distance: f64, StandardError { error, df }: StandardError| {
        if error == 0.0 {
            return if distance == 0.0 { 1.0 } else { 0.0 };
        }
        t_two_sided(distance / error, df)
    };
    let own = of(difference.log_ratio, difference.error);
    difference.second.map_or(own, |second| {
        own.max(of((difference.log_ratio.abs() - second.shift).max(0.0), second.error))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn difference(log_ratio: f64, error: f64, df: f64) -> Difference {
        Difference { log_ratio, error: StandardError { error, df }, second: None }
    }

    #[test]
    fn adjusted_values_are_those_of_p_adjust() {
        // R: p.adjust(c(0.01, 0.02, 0.03, 0.04), "holm") is 0.04 0.06 0.06 0.06.
        let df = 1e9;
        let differences: Vec<Difference> = [0.01, 0.02, 0.03, 0.04]
            .iter()
            .map(|p| difference(t_critical(*p, df), 1.0, df))
            .collect();
        let adjusted: Vec<f64> =
            test_family(&differences, 0.05).iter().map(|tested| tested.p_table).collect();
        for (adjusted, expected) in adjusted.iter().zip([0.04, 0.06, 0.06, 0.06]) {
            assert!((adjusted - expected).abs() < 1e-4, "{adjusted} {expected}");
        }
    }

    #[test]
    fn a_median_that_the_means_do_not_bear_out_is_not_called_different() {
        let error = StandardError { error: 1.0, df: 20.0 };
        let agree = Difference {
            second: Some(SecondOpinion { shift: 0.1, error }),
            ..difference(4.0, 1.0, 20.0)
        };
        let apart = Difference { second: Some(SecondOpinion { shift: 3.0, error }), ..agree };
        let of = |difference| test_family(&[difference], 0.05)[0];
        assert!(of(agree).p < 0.01 && of(agree).half_width < 2.2);
        assert!(of(apart).p > 0.3 && of(apart).half_width > 5.0);
    }

    #[test]
    fn a_single_difference_is_an_ordinary_t_test() {
        // R: 2 * pt(-2.5, 7) is 0.04099.
        let tested = test_family(&[difference(2.5, 1.0, 7.0)], 0.05);
        assert!((tested[0].p - 0.040_99).abs() < 1e-5);
        assert_eq!(tested[0].p, tested[0].p_table);
        assert!((tested[0].half_width - 2.364_6).abs() < 1e-4);
    }

    proptest! {
        #[test]
        fn an_interval_without_zero_is_a_rejection(
            values in prop::collection::vec((-4.0f64..4.0, 0.1f64..2.0, 1.0f64..30.0), 1..12)
        ) {
            let differences: Vec<Difference> = values
                .iter()
                .map(|(d, e, df)| Difference {
                    second: Some(SecondOpinion {
                        shift: e / 2.0,
                        error: StandardError { error: e * 0.8, df: *df },
                    }),
                    ..difference(*d, *e, *df)
                })
                .collect();
            for (tested, difference) in test_family(&differences, 0.05).iter().zip(&differences) {
                let without_zero = difference.log_ratio.abs() > tested.half_width;
                // Where both are within rounding of the limit, either may be said.
                prop_assume!((tested.p_table - 0.05).abs() > 1e-6);
                prop_assert_eq!(without_zero, tested.p_table < 0.05);
                prop_assert!(tested.p <= tested.p_table && tested.level <= 0.05);
            }
        }
    }
}
