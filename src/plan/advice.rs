//! What the repetitions of a plan can show, and how many an expectation needs.

use super::estimate::with_repetitions;
use super::{Average, Plan, calibrate};
use crate::model::{ExpectedBound, Metric, Place};
use crate::stats::floor::NoiseFloor;
use crate::stats::power::{Design, minimum_detectable, repetitions_for};
use std::time::Duration;

/// What can be said before anything is measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advice {
    /// Each headline.
    pub shown: Vec<Shown>,
    /// Each expectation that has a bound in percent.
    pub needed: Vec<Needed>,
}

/// What the planned repetitions can show of a headline.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The headline.
    pub metric: Metric,
    /// 95 % of repetitions lie within so much of their level, as a fraction.
    pub floor: f64,
    /// The floor was measured on this machine rather than assumed.
    pub measured: bool,
    /// The smallest difference that is told from none, as a fraction; none with one repetition.
    pub effect: Option<f64>,
}

/// How many repetitions an expectation needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Needed {
    /// The expectation as the suite writes it.
    pub text: String,
    /// Where.
    pub place: Place,
    /// The bound, as a fraction with its sign.
    pub bound: f64,
    /// The fewest repetitions that tell a difference of the size of the bound from none, and what
    /// the whole plan takes with them. None when a hundred would not do, or the bound is 0.
    pub repetitions: Option<(u32, Duration)>,
}

/// The noise floor of a metric on this machine; none where it was not measured.
pub type Floors<'a> = &'a dyn Fn(Metric) -> Option<NoiseFloor>;

/// Advice for a plan, given what is known of this machine's noise.
pub fn advice(plan: &Plan, floors: Floors<'_>) -> Advice {
    let pairs = calibrate::pairs(plan);
    let design = |metric: Metric, repetitions: u32| Design {
        repetitions: repetitions as usize,
        pairs,
        floor: floors(metric).unwrap_or_default(),
        mean: plan.average == Average::Mean,
    };
    let mut headlines: Vec<Metric> =
        plan.cells.iter().map(|cell| cell.workload.headline()).collect();
    headlines.sort_unstable();
    headlines.dedup();
    let shown = headlines
        .into_iter()
        .map(|metric| {
            let design = design(metric, plan.repeat);
            Shown {
                metric,
                floor: design.floor.relative(),
                measured: floors(metric).is_some(),
                effect: minimum_detectable(&design),
            }
        })
        .collect();
    let needed = plan
        .expectations
        .iter()
        .filter_map(|expectation| {
            let ExpectedBound::Delta(percent) = expectation.bound else { return None };
            let bound = percent / 100.0;
            let repetitions = (bound != 0.0)
                .then(|| repetitions_for(bound, &design(expectation.metric.metric, 0)))
                .flatten()
                .map(|n| n as u32);
            Some(Needed {
                text: expectation.text.clone(),
                place: expectation.place.clone(),
                bound,
                repetitions: repetitions.map(|n| {
                    let loads = expectation.metric.metric.is_of_loads();
                    (n, with_repetitions(plan, n, loads))
                }),
            })
        })
        .collect();
    Advice { shown, needed }
}
