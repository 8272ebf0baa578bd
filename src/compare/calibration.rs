//! How far the figures of one and the same thing stray on a machine: measured by comparing the
//! baseline with itself, kept, and used as the noise floor of every later comparison.

use super::cells::Index;
use crate::journal::Record;
use crate::journal::record::{CalibrationRecord, Floor};
use crate::model::{Metric, MetricValue};
use crate::stats::floor::NoiseFloor;
use crate::stats::power::{Design, minimum_detectable};
use crate::stats::spread::spread;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts that are mostly 0, and what is set rather than measured: they have no noise in percent.
const NOT_CALIBRATED: &[Metric] = &[Metric::Retries, Metric::Errors];

/// Repetitions for which a calibration says what they can show.
pub const SHOWN_FOR: [usize; 3] = [3, 5, 10];

/// Noise floors by metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Calibration(pub CalibrationRecord);

/// What repetitions can show of one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Detectable {
    /// The metric.
    pub metric: Metric,
    /// 95 % of repetitions lie within so much of their level, as a fraction.
    pub floor: f64,
    /// Degrees of freedom behind it.
    pub df: f64,
    /// The smallest difference that is told from none, as a fraction in the direction of more, for
    /// each of [`SHOWN_FOR`]; none where nothing strays at all.
    pub effects: [Option<f64>; SHOWN_FOR.len()],
}

impl Calibration {
    /// What the records of a run say about how far its figures stray. A run that compares the
    /// baseline with itself is the right one; any other says the same with fewer values, because
    /// only what differs between repetitions of one cell counts.
    pub fn of(records: &[Record]) -> Self {
        let index = Index::new(records);
        let mut logs: BTreeMap<Metric, Vec<Vec<f64>>> = BTreeMap::new();
        for cell in index.cells.values() {
            for id in cell.metrics() {
                let values = cell.figures(&id).iter().map(|figure| figure.value.ln()).collect();
                logs.entry(id.metric).or_default().push(values);
            }
        }
        for loads in index.datasets.values() {
            let mut of_dataset: BTreeMap<Metric, Vec<f64>> = BTreeMap::new();
            let fresh = loads.values().filter(|load| !load.reused);
            for MetricValue { id, value } in fresh.flat_map(|load| &load.metrics) {
                of_dataset.entry(id.metric).or_default().push(value.ln());
            }
            for (metric, values) in of_dataset {
                logs.entry(metric).or_default().push(values);
            }
        }
        let mut floors = BTreeMap::new();
        for (metric, mut logs) in logs {
            logs.retain(|values| values.iter().all(|value| value.is_finite()));
            let values: Vec<&[f64]> = logs.iter().map(Vec::as_slice).collect();
            if !NOT_CALIBRATED.contains(&metric)
                && let Some(pool) = spread(&values, 0.0).pool
            {
                let floor = Floor { deviation: pool.variance.sqrt(), df: pool.df };
                floors.insert(metric.name().to_string(), floor);
            }
        }
        Self(CalibrationRecord {
            machine: index.machine.map_or_else(String::new, |machine| machine.name.clone()),
            suite: index.run.map_or_else(String::new, |run| run.suite_file.clone()),
            run: index.run.map_or_else(String::new, |run| run.id.clone()),
            at: index.run.map_or_else(String::new, |run| run.at.clone()),
            cells: index.planned().iter().map(|cell| cell.key.to_string()).collect(),
            repetitions: index.plan.map_or(0, |plan| plan.repeat),
            floors,
        })
    }

    /// What the calibrations in journals say together: the higher floor of each metric, since a
    /// comparison is as noisy as its noisier side. `None` for none.
    pub(super) fn together(records: &[&CalibrationRecord]) -> Option<Self> {
        let mut all = records.iter();
        let mut together = (*all.next()?).clone();
        for other in all {
            for (metric, floor) in &other.floors {
                let known = together.floors.entry(metric.clone()).or_insert(*floor);
                if floor.deviation > known.deviation {
                    *known = *floor;
                }
            }
        }
        Some(Self(together))
    }

    /// The floor of `metric`; the default where it was never measured.
    pub fn floor(&self, metric: Metric) -> NoiseFloor {
        self.0
            .floors
            .get(metric.name())
            .map_or_else(NoiseFloor::default, |floor| NoiseFloor::new(floor.deviation))
    }

    /// Sets the floor of `metric`: the deviation of log values, and the degrees of freedom behind it.
    pub fn set(&mut self, metric: Metric, deviation: f64, df: f64) {
        self.0.floors.insert(metric.name().to_string(), Floor { deviation, df });
    }

    /// Whether the floor of `metric` was measured rather than assumed.
    pub fn knows(&self, metric: Metric) -> bool {
        self.0.floors.contains_key(metric.name())
    }

    /// What repetitions can show in a table of `pairs` deltas, for every metric that was measured.
    pub fn detectable(&self, pairs: usize, mean: bool) -> Vec<Detectable> {
        // Everything is in proportion to the noise, so tables are drawn once for each n.
        let unit = 0.01;
        let of_unit = SHOWN_FOR.map(|repetitions| {
            let floor = NoiseFloor::new(unit);
            minimum_detectable(&Design { repetitions, pairs, floor, mean })
                .map(|effect| effect.ln_1p() / unit)
        });
        Metric::ALL
            .iter()
            .filter_map(|metric| {
                let Floor { deviation, df } = *self.0.floors.get(metric.name())?;
                let floor = NoiseFloor::new(deviation);
                let effects = of_unit.map(|effect| {
                    effect.filter(|_| deviation > 0.0).map(|effect| (effect * deviation).exp_m1())
                });
                Some(Detectable { metric: *metric, floor: floor.relative(), df, effects })
            })
            .collect()
    }
}
