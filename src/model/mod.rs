//! The words of the project as types: identities, units, values, conditions, metrics, findings,
//! failures. Pure data; used by every other room and using none of them.

pub mod cell;
pub mod condition;
pub mod count;
pub mod decimal;
pub mod equality;
pub mod expectation;
pub mod failure;
pub mod figure_wish;
mod finding;
pub mod line_diff;
pub mod metric;
pub mod phase;
pub mod place;
pub mod signal;
pub mod units;
pub mod value;

pub use cell::{AxisValue, CellKey, RecipeId};
pub use condition::{CompareOp, Condition, ConditionTerm};
pub use decimal::Decimal;
pub use expectation::{Expectation, ExpectedBound, Subject};
pub use failure::{Failure, FailureKind};
pub use figure_wish::FigureWish;
pub use finding::{Finding, FindingCode};
pub use metric::{Direction, Metric, MetricId, MetricValue, Unit};
pub use phase::Phase;
pub use place::Place;
pub use signal::{Signal, SignalKind, SignalUnit};
pub use value::{FileSet, SettingValue};
