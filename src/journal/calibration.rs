//! How far the figures of one and the same thing stray on a machine: as a journal keeps it beside
//! what it was used for, and as it is kept with the machine.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Noise floors by metric, with where they come from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CalibrationRecord {
    /// The machine that they hold for.
    #[serde(default)]
    pub machine: String,
    /// The suite that they were measured with.
    #[serde(default)]
    pub suite: String,
    /// The run that measured them.
    #[serde(default)]
    pub run: String,
    /// When, RFC 3339.
    #[serde(default)]
    pub at: String,
    /// The cells that were compared with themselves.
    #[serde(default)]
    pub cells: Vec<String>,
    /// Repetitions of each of them, both sides together.
    #[serde(default)]
    pub repetitions: u32,
    /// By the metric's stable name.
    #[serde(default)]
    pub floors: BTreeMap<String, Floor>,
}

/// The floor of one metric.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Floor {
    /// Deviation of one repetition's log value from its cell's level.
    pub deviation: f64,
    /// Degrees of freedom behind it.
    pub df: f64,
}
