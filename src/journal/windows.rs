//! The windows of a phase, as the journal keeps them.

use crate::model::{CellKey, Phase};
use serde::{Deserialize, Serialize};

/// The seconds of one phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowsRecord {
    /// The cell.
    pub cell: CellKey,
    /// Which repetition, from 1.
    pub repetition: u32,
    /// Warm-up or measure.
    pub phase: Phase,
    /// Which round, from 1; 0 for the warm-up.
    pub round: u32,
    /// Whether it is part of the figures: the beginning of a phase of which only the last part
    /// counts is not. Of a warm-up it says nothing.
    #[serde(default = "counted", skip_serializing_if = "Clone::clone")]
    pub counted: bool,
    /// Length of a window, milliseconds.
    pub window_ms: u64,
    /// A column for each transaction type.
    pub types: Vec<WindowColumns>,
}

/// What holds for windows that say nothing about it.
pub(super) fn counted() -> bool {
    true
}

/// The windows of one transaction type, one entry a window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WindowColumns {
    /// Name of the type.
    pub name: String,
    /// Transactions completed.
    #[serde(with = "super::packed")]
    pub count: Vec<u64>,
    /// 95th percentile of latency, microseconds; 0 where nothing completed.
    #[serde(with = "super::packed")]
    pub p95_us: Vec<u64>,
    /// 99th percentile.
    #[serde(with = "super::packed")]
    pub p99_us: Vec<u64>,
    /// Longest.
    #[serde(with = "super::packed")]
    pub max_us: Vec<u64>,
}

impl WindowColumns {
    /// Leaves out the windows from `length` on.
    pub fn truncate(&mut self, length: usize) {
        let Self { name: _, count, p95_us, p99_us, max_us } = self;
        for column in [count, p95_us, p99_us, max_us] {
            column.truncate(length);
        }
    }

    /// Takes the windows from `at` on out, as columns of their own.
    #[must_use]
    pub fn split_off(&mut self, at: usize) -> Self {
        let split = |column: &mut Vec<u64>| column.split_off(at.min(column.len()));
        Self {
            name: self.name.clone(),
            count: split(&mut self.count),
            p95_us: split(&mut self.p95_us),
            p99_us: split(&mut self.p99_us),
            max_us: split(&mut self.max_us),
        }
    }
}
