//! Comparison of what journals hold: pairing, verdicts, expectations, causes.

mod calibration;
mod cells;
mod judge;
mod load;
mod section;
pub mod view;

pub use calibration::Calibration;
pub use view::Comparison;

use crate::journal::Record;
use crate::journal::record::EndRecord;
use crate::model::FailureKind;
use cells::Index;
use view::{Average, Broken, Heading};

/// Compares what the records of one run hold, without knowing how far this machine's figures
/// stray.
pub fn compare(records: &[Record]) -> Comparison {
    compare_with(records, &Calibration::default())
}

/// Compares what the records of one run hold.
pub fn compare_with(records: &[Record], calibration: &Calibration) -> Comparison {
    let index = Index::new(records);
    let mut comparison = Comparison {
        heading: heading(&index),
        machine: index.machine.cloned(),
        average: index.plan.map_or(Average::Median, |plan| plan.average),
        sections: section::sections(&index),
        loads: load::sections(&index),
        failures: failures(&index),
        findings: index.findings.iter().copied().cloned().collect(),
    };
    judge::judge(&mut comparison, calibration);
    comparison
}

fn heading(index: &Index) -> Heading {
    let Some(run) = index.run else { return Heading::default() };
    Heading {
        title: run.title.clone(),
        suite_file: run.suite_file.clone(),
        run: run.id.clone(),
        at: run.at.clone(),
        tool: run
            .imported_from
            .clone()
            .map_or_else(|| format!("enginecmp {}", run.tool), |tool| format!("from {tool}")),
        profiles: run.profiles.clone(),
        sets: run.sets.clone(),
        seed: run.seed,
        incomplete: incomplete(index),
    }
}

/// Why the run is not whole.
fn incomplete(index: &Index) -> Option<String> {
    let plan = index.plan?;
    let planned = plan.cells.len() * plan.repeat as usize;
    let made: usize = index.cells.values().map(|cell| cell.repetitions.len()).sum();
    let counts = format!("{made} of {planned} repetitions were made");
    match index.end {
        None => Some(format!("the run did not come to its end: {counts}")),
        Some(EndRecord { interrupted: true, .. }) => {
            Some(format!("the run was interrupted: {counts}"))
        }
        Some(_) => None,
    }
}

/// What broke: outside repetitions first, then repetition by repetition.
fn failures(index: &Index) -> Vec<Broken> {
    let mut broken: Vec<Broken> = index
        .failed
        .iter()
        .map(|failed| Broken {
            failure: failed.failure.clone(),
            cells: failed.cells.iter().map(ToString::to_string).collect(),
            repetition: None,
        })
        .collect();
    for planned in index.planned() {
        let Some(cell) = index.cell(&planned.key) else { continue };
        for repetition in cell.repetitions.values() {
            if let Some(failure) = &repetition.failure {
                broken.push(Broken {
                    failure: failure.clone(),
                    cells: vec![planned.key.to_string()],
                    repetition: Some(repetition.repetition),
                });
            }
        }
        for probe in cell.probes.values() {
            if let Some(failure) = &probe.failure {
                broken.push(Broken {
                    failure: failure.clone(),
                    cells: vec![planned.key.to_string()],
                    repetition: Some(probe.repetition),
                });
            }
        }
    }
    broken
}

/// Whether a failure means that the cell cannot be measured here, rather than that it broke.
fn not_available(kind: FailureKind) -> bool {
    matches!(kind, FailureKind::EngineMissing | FailureKind::ServerMissing)
}
