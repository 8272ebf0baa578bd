//! What an open loop offered, and the maximum that its rate is a share of.

use crate::model::{CellKey, Failure};
use serde::{Deserialize, Serialize};

/// What an open loop offered in one repetition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenLoop {
    /// Transactions that arrived a second, as planned.
    pub rate_per_second: f64,
    /// How they were spread: `poisson`, `constant`.
    pub arrival: String,
    /// Where the rate comes from, when it is a share of a maximum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<ShareOfMaximum>,
    /// More arrived than was completed, and those that waited became more and more.
    #[serde(default)]
    pub saturated: bool,
    /// By round.
    pub rounds: Vec<OpenRound>,
}

/// The rate as a share of the lowest maximum among the sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShareOfMaximum {
    /// The share in percent.
    pub percent: f64,
    /// The lowest maximum, transactions a second.
    pub maximum_per_second: f64,
    /// The cell that has it.
    pub cell: CellKey,
}

/// What an open loop offered in one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenRound {
    /// From 1.
    pub round: u32,
    /// Transactions that arrived in each window.
    pub offered: Vec<u64>,
    /// Of all that had arrived, those that no client had begun at the end of each window.
    pub backlog: Vec<u64>,
    /// HDR histogram of the time that completed transactions waited for a client, in microseconds.
    pub queue: String,
}

/// The throughput of a closed loop, measured before the repetitions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaximumRecord {
    /// Cells whose rate is a share of it (or of a lower one of another side).
    pub cells: Vec<CellKey>,
    /// Start, wall clock.
    pub at: String,
    /// Whole duration, restore to stop.
    pub elapsed_ms: u64,
    /// Transactions of all types a second; none when it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_second: Option<f64>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}
