//! What a suite expects of its own results.

use super::condition::{CompareOp, Condition};
use super::metric::MetricId;
use super::place::Place;
use super::value::SettingValue;
use serde::{Deserialize, Serialize};

/// Whom an expectation is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// Every value of the compared axes.
    Each,
    /// One value of a compared axis, such as an engine's name.
    Named(String),
}

/// The right side of an expectation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpectedBound {
    /// A delta in percent: `+10%` is 10, `-5%` is -5.
    Delta(f64),
    /// An absolute value with the unit of the metric.
    Absolute(SettingValue),
}

/// `expect METRIC of NAME|each OP VALUE [since baseline] [where COND]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expectation {
    /// The quantity.
    pub metric: MetricId,
    /// Whom it is about.
    pub subject: Subject,
    /// The operator.
    pub op: CompareOp,
    /// The bound.
    pub bound: ExpectedBound,
    /// Against an earlier run instead of the baseline on the axis.
    pub since_baseline: bool,
    /// Only for cells where this holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<Condition>,
    /// The expectation as it was written.
    pub text: String,
    /// Where it was written.
    pub place: Place,
}
