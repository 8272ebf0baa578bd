//! What was sampled beside the throughput, as the journal keeps it.

use crate::model::{CellKey, Phase};
use serde::{Deserialize, Serialize};

/// What was sampled every second of one phase beside the throughput.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SamplesRecord {
    /// The cell.
    pub cell: CellKey,
    /// Which repetition, from 1.
    pub repetition: u32,
    /// Warm-up or measure.
    pub phase: Phase,
    /// Which round, from 1; 0 for the warm-up.
    pub round: u32,
    /// When each sample was taken, milliseconds after the start of the phase.
    #[serde(with = "super::packed")]
    pub at_ms: Vec<u64>,
    /// A column for each signal.
    pub signals: Vec<SampleColumn>,
}

/// One signal at the moments of [`SamplesRecord::at_ms`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleColumn {
    /// Its name, see [`crate::model::Signal`]; those of a later release are skipped by readers.
    pub name: String,
    /// Levels as they stood; of counters the increase since the sample before, 0 at the first. None
    /// where the server gave no answer.
    #[serde(with = "super::packed")]
    pub values: Vec<Option<u64>>,
}
