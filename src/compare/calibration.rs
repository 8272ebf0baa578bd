//! How far the figures of one and the same thing stray on a machine: measured by comparing the
//! baseline with itself, kept, and used as the noise floor of every later comparison.

use super::cells::Index;
use crate::journal::Record;
use crate::model::Metric;
use crate::stats::floor::NoiseFloor;
use crate::stats::spread::spread;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Metrics that are calibrated: those that tables compare.
const CALIBRATED: &[Metric] = &[
    Metric::Tpmc,
    Metric::Tps,
    Metric::ReadWriteRequests,
    Metric::OtherOperations,
    Metric::RowsPerSecond,
    Metric::P95,
    Metric::P99,
    Metric::ProbeTime,
];

/// Noise floors by metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The machine that they hold for.
    #[serde(default)]
    pub machine: String,
    /// The suite that they were measured with.
    #[serde(default)]
    pub suite: String,
    /// When, RFC 3339.
    #[serde(default)]
    pub at: String,
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

impl Calibration {
    /// What the records of a run say about how far its figures stray. A run that compares the
    /// baseline with itself is the right one; any other says the same with fewer values, because
    /// only what differs between repetitions of one cell counts.
    pub fn of(records: &[Record]) -> Self {
        let index = Index::new(records);
        let mut floors = BTreeMap::new();
        for metric in CALIBRATED {
            let mut logs: Vec<Vec<f64>> = Vec::new();
            for cell in index.cells.values() {
                for id in cell.metrics().iter().filter(|id| id.metric == *metric) {
                    logs.push(cell.figures(id).iter().map(|figure| figure.value.ln()).collect());
                }
            }
            logs.retain(|values| values.iter().all(|value| value.is_finite()));
            let values: Vec<&[f64]> = logs.iter().map(Vec::as_slice).collect();
            if let Some(pool) = spread(&values, 0.0).pool {
                let floor = Floor { deviation: pool.variance.sqrt(), df: pool.df };
                floors.insert(metric.name().to_string(), floor);
            }
        }
        Self {
            machine: index.machine.map_or_else(String::new, |machine| machine.name.clone()),
            suite: index.run.map_or_else(String::new, |run| run.suite_file.clone()),
            at: index.run.map_or_else(String::new, |run| run.at.clone()),
            floors,
        }
    }

    /// The floor of `metric`; the default where it was never measured.
    pub fn floor(&self, metric: Metric) -> NoiseFloor {
        self.floors
            .get(metric.name())
            .map_or_else(NoiseFloor::default, |floor| NoiseFloor::new(floor.deviation))
    }

    /// Sets the floor of `metric`: the deviation of log values, and the degrees of freedom behind it.
    pub fn set(&mut self, metric: Metric, deviation: f64, df: f64) {
        self.floors.insert(metric.name().to_string(), Floor { deviation, df });
    }

    /// Whether the floor of `metric` was measured rather than assumed.
    pub fn knows(&self, metric: Metric) -> bool {
        self.floors.contains_key(metric.name())
    }
}
