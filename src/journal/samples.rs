//! What was seen beside the throughput, as the journal keeps it: samples of every second, plans of
//! statements, outputs of collectors.

use crate::model::count::total;
use crate::model::{CellKey, Phase, Signal};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Component, Path};

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
    /// Whether it is part of the figures, as of windows.
    #[serde(default = "super::windows::counted", skip_serializing_if = "Clone::clone")]
    pub counted: bool,
    /// When each sample was taken, milliseconds after the start of the phase.
    #[serde(with = "super::packed")]
    pub at_ms: Vec<u64>,
    /// A column for each signal.
    pub signals: Vec<SampleColumn>,
}

impl SamplesRecord {
    /// The values of a signal; none when it was not sampled.
    pub fn values(&self, signal: Signal) -> Option<&[Option<u64>]> {
        let column = self.signals.iter().find(|column| column.name == signal.name())?;
        Some(&column.values)
    }

    /// What a counter counted in the phase; none when it was not sampled to the end.
    pub fn sum(&self, signal: Signal) -> Option<u64> {
        let values = self.values(signal)?;
        values.last()?.as_ref()?;
        Some(total(values.iter().flatten().copied()))
    }
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

/// The plans of a workload's statements in one repetition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlansRecord {
    /// The cell.
    pub cell: CellKey,
    /// Which repetition, from 1.
    pub repetition: u32,
    /// By statement: tables in order, each with access type and key, as EXPLAIN has them after the
    /// measured phases.
    pub statements: BTreeMap<String, String>,
}

/// What a collector of the user said during the measured phases of one repetition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollectedRecord {
    /// The cell.
    pub cell: CellKey,
    /// Which repetition, from 1.
    pub repetition: u32,
    /// The command as the suite has it.
    pub command: String,
    /// The file beside the journal that holds its output.
    pub file: String,
    /// Bytes that it wrote.
    pub bytes: u64,
    /// Of those, the bytes in the middle that were more than memory is kept for.
    #[serde(default)]
    pub dropped_bytes: u64,
    /// How it ended when it ended by itself: `exit status 1`; none when it was ended with the phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
}

/// The folder beside the journal in which outputs of collectors lie.
pub const COLLECTED: &str = "collected";

impl CollectedRecord {
    /// Whether its file lies where outputs lie. A journal may come from somebody else, and what it
    /// names is linked from reports and copied.
    pub fn is_beside(&self) -> bool {
        let mut parts = Path::new(&self.file).components();
        parts.next() == Some(Component::Normal(COLLECTED.as_ref()))
            && parts.all(|part| matches!(part, Component::Normal(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_elsewhere_is_none_of_ours() {
        let of = |file: &str| CollectedRecord {
            cell: CellKey::from_pairs([("engine", "innodb")]),
            repetition: 1,
            command: "vmstat 1".to_string(),
            file: file.to_string(),
            bytes: 0,
            dropped_bytes: 0,
            ended: None,
        };
        assert!(of("collected/0001-1.txt").is_beside());
        for elsewhere in
            ["/etc/passwd", "collected/../../x", "javascript:alert(1)", "../collected/x"]
        {
            assert!(!of(elsewhere).is_beside(), "{elsewhere}");
        }
    }
}
