//! The records of a journal, sorted by what they are about.

use crate::journal::record::{
    CalibrationRecord, CollectedRecord, DatasetRecord, DiskTestRecord, EndRecord, FailedRecord,
    MachineRecord, PlanRecord, PlannedCell, PlansRecord, ProbeRecord, RepetitionRecord, RunRecord,
    SamplesRecord, ServerRecord, WindowsRecord,
};
use crate::journal::{Record, effective};
use crate::model::count::total;
use crate::model::{CellKey, Finding, Metric, MetricId, Phase, RecipeId};
use std::collections::BTreeMap;

/// A journal, sorted. Where something was recorded twice (a repetition taken up again), the later
/// record holds.
#[derive(Default)]
pub(crate) struct Index<'a> {
    pub(crate) run: Option<&'a RunRecord>,
    pub(crate) machine: Option<&'a MachineRecord>,
    pub(crate) plan: Option<&'a PlanRecord>,
    pub(crate) calibrations: Vec<&'a CalibrationRecord>,
    pub(crate) servers: BTreeMap<&'a str, &'a ServerRecord>,
    pub(crate) datasets: BTreeMap<&'a RecipeId, BTreeMap<u32, &'a DatasetRecord>>,
    pub(crate) cells: BTreeMap<&'a CellKey, CellRecords<'a>>,
    pub(crate) disk: Vec<&'a DiskTestRecord>,
    pub(crate) failed: Vec<&'a FailedRecord>,
    pub(crate) findings: Vec<&'a Finding>,
    pub(crate) collected: Vec<&'a CollectedRecord>,
    pub(crate) end: Option<&'a EndRecord>,
}

/// What was recorded of one cell.
#[derive(Default)]
pub(crate) struct CellRecords<'a> {
    pub(crate) repetitions: BTreeMap<u32, &'a RepetitionRecord>,
    pub(crate) probes: BTreeMap<(&'a str, u32), &'a ProbeRecord>,
    pub(crate) windows: Vec<&'a WindowsRecord>,
    pub(crate) plans: BTreeMap<u32, &'a PlansRecord>,
    /// By repetition, phase and round.
    pub(crate) samples: BTreeMap<(u32, Phase, u32), &'a SamplesRecord>,
}

impl<'a> Index<'a> {
    /// Sorts `records`.
    pub(crate) fn new(records: &'a [Record]) -> Self {
        let mut index = Self::default();
        for record in effective(records) {
            match record {
                // The suite may have changed on the way; what it is now is what is reported.
                Record::Run(run) => index.run = Some(run),
                Record::Machine(machine) => index.machine = Some(machine),
                Record::Plan(plan) => index.plan = Some(plan),
                Record::Calibration(calibration) => index.calibrations.push(calibration),
                Record::Server(server) => {
                    index.servers.insert(&server.name, server);
                }
                Record::Dataset(dataset) => {
                    index
                        .datasets
                        .entry(&dataset.recipe)
                        .or_default()
                        .insert(dataset.load, dataset);
                }
                Record::Repetition(repetition) => {
                    let cell = index.cells.entry(&repetition.cell).or_default();
                    cell.repetitions.insert(repetition.repetition, repetition);
                }
                Record::Windows(windows) => {
                    index.cells.entry(&windows.cell).or_default().windows.push(windows);
                }
                Record::Samples(samples) => {
                    let cell = index.cells.entry(&samples.cell).or_default();
                    cell.samples
                        .insert((samples.repetition, samples.phase, samples.round), samples);
                }
                Record::Plans(plans) => {
                    let cell = index.cells.entry(&plans.cell).or_default();
                    cell.plans.insert(plans.repetition, plans);
                }
                Record::Collected(collected) if collected.is_beside() => {
                    index.collected.push(collected);
                }
                Record::Probe(probe) => {
                    let cell = index.cells.entry(&probe.cell).or_default();
                    cell.probes.insert((&probe.probe, probe.repetition), probe);
                }
                Record::Failed(failed) => index.failed.push(failed),
                Record::Finding(finding) => index.findings.push(finding),
                Record::End(end) => index.end = Some(end),
                Record::DiskTest(test) => index.disk.push(test),
                Record::Resumed(_)
                | Record::Collected(_)
                | Record::Maximum(_)
                | Record::Unknown => {}
            }
        }
        index
    }

    /// The planned cells, in the order of the suite.
    pub(crate) fn planned(&self) -> &'a [PlannedCell] {
        self.plan.map_or(&[], |plan| &plan.cells)
    }

    /// What was recorded of `cell`.
    pub(crate) fn cell(&self, cell: &CellKey) -> Option<&CellRecords<'a>> {
        self.cells.get(cell)
    }

    /// What left `cell` without numbers, outside any one repetition.
    pub(crate) fn failed(&self, cell: &CellKey) -> Option<&'a FailedRecord> {
        self.failed.iter().rev().find(|failed| failed.cells.contains(cell)).copied()
    }
}

/// Transactions of all types, window by window.
pub(crate) fn throughput(windows: &WindowsRecord) -> Vec<f64> {
    let length = windows.types.iter().map(|columns| columns.count.len()).max().unwrap_or(0);
    (0..length)
        .map(|at| {
            let counts = windows.types.iter().filter_map(|columns| columns.count.get(at));
            total(counts.copied()) as f64
        })
        .collect()
}

/// A figure of one repetition with those of its rounds.
pub(crate) struct Figure {
    pub(crate) repetition: u32,
    pub(crate) value: f64,
    pub(crate) rounds: Vec<f64>,
}

impl<'a> CellRecords<'a> {
    /// Repetitions that have numbers.
    pub(crate) fn whole(&self) -> impl Iterator<Item = &'a RepetitionRecord> {
        self.repetitions.values().copied().filter(|repetition| repetition.failure.is_none())
    }

    /// Every metric that a whole repetition or probe has.
    pub(crate) fn metrics(&self) -> Vec<MetricId> {
        let mut found: Vec<MetricId> = Vec::new();
        let ids = self.whole().flat_map(|repetition| repetition.metrics.iter().map(|m| &m.id));
        for id in ids {
            if !found.contains(id) {
                found.push(id.clone());
            }
        }
        for (probe, _) in self.probes.keys() {
            let id = MetricId::of(Metric::ProbeTime, *probe);
            if !found.contains(&id) {
                found.push(id);
            }
        }
        found.sort();
        found
    }

    /// The figures of `metric`, repetition by repetition.
    pub(crate) fn figures(&self, metric: &MetricId) -> Vec<Figure> {
        if metric.metric == Metric::ProbeTime {
            return self.probe_figures(metric.of.as_deref().unwrap_or_default());
        }
        self.whole()
            .filter_map(|repetition| {
                let of = |values: &[crate::model::MetricValue]| {
                    values.iter().find(|value| &value.id == metric).map(|value| value.value)
                };
                let rounds: Vec<f64> =
                    repetition.rounds.iter().filter_map(|round| of(&round.metrics)).collect();
                let value = of(&repetition.metrics)?;
                Some(Figure { repetition: repetition.repetition, value, rounds })
            })
            .collect()
    }

    fn probe_figures(&self, probe: &str) -> Vec<Figure> {
        self.probes
            .iter()
            .filter(|((name, _), record)| *name == probe && record.failure.is_none())
            .map(|((_, repetition), record)| Figure {
                repetition: *repetition,
                value: record.elapsed_ns as f64 / 1e9,
                rounds: Vec::new(),
            })
            .collect()
    }
}
