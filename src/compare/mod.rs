//! Comparison of what journals hold: pairing, verdicts, expectations, causes.

mod calibration;
mod cells;
mod course;
mod ddl;
mod expect;
mod findings;
mod judge;
mod ledger;
mod load;
mod open_loop;
mod plans;
mod runs;
mod section;
mod trace;
pub mod view;

pub use calibration::{Calibration, Detectable, SHOWN_FOR};
pub use runs::NamedRun;
pub use view::Comparison;

use crate::journal::Record;
use crate::journal::record::EndRecord;
use crate::model::{FailureKind, Finding, FindingCode, Metric};
use cells::Index;
use std::collections::BTreeMap;
use view::{Against, Average, Broken, Difference, Heading, Noise, Series};

/// What a comparison may know beside the run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// How far this machine's figures stray; what the journal says without, and the default floor
    /// where it says nothing.
    pub calibration: Option<&'a Calibration>,
    /// An earlier run: its deltas are shown as well, and expectations `since baseline` are judged
    /// by them.
    pub against: Option<NamedRun<'a>>,
    /// Runs on unlike machines keep their deltas, with a finding; without, they have none.
    pub mixed: bool,
}

/// Compares what the records of one run hold.
pub fn compare(records: &[Record]) -> Comparison {
    compare_with(records, &Options::default())
}

/// Compares what the records of one run hold, knowing more.
pub fn compare_with(records: &[Record], options: &Options) -> Comparison {
    let index = Index::new(records);
    let mut comparison = built(&index);
    comparison.collected = index.collected.iter().copied().cloned().collect();
    judged(&index, &mut comparison, options.calibration);
    let since = options.against.map(|earlier| {
        let this = NamedRun { name: "this run", records };
        compare_runs(&[earlier, this], options)
    });
    comparison.expectations = expect::judge(&index, &comparison, since.as_ref());
    comparison.findings = findings::all(&index, &comparison);
    if let Some(since) = since {
        let of_machines = |finding: &&Finding| finding.code == FindingCode::MixedMachines;
        comparison.findings.extend(since.findings.iter().filter(of_machines).cloned());
        comparison.sections.extend(since.sections);
        comparison.loads.extend(since.loads);
        comparison.only_in = since.only_in;
    }
    comparison
}

/// Compares runs with the first of them: pairs of cells with the same values on all axes. Of the
/// options, `against` is not looked at.
pub fn compare_runs(runs: &[NamedRun], options: &Options) -> Comparison {
    let records = runs::joined(runs);
    let index = Index::new(&records);
    let mut comparison = built(&index);
    part_unlike_runs(&mut comparison, &runs::unlike(runs, options.mixed));
    judged(&index, &mut comparison, options.calibration);
    comparison.only_in = runs::only_in(&comparison.sections);
    comparison.findings = findings::all(&index, &comparison);
    if options.mixed {
        comparison.findings.extend(runs::mixed(runs));
    }
    comparison
}

/// Gives the deltas their verdicts, and says by which noise floor.
fn judged(index: &Index, comparison: &mut Comparison, known: Option<&Calibration>) {
    let kept = known.cloned().or_else(|| Calibration::together(&index.calibrations));
    let calibration = kept.clone().unwrap_or_default();
    judge::judge(comparison, &calibration);
    let mut headlines: Vec<Metric> = comparison.sections.iter().map(|s| s.headline).collect();
    headlines.sort_unstable();
    headlines.dedup();
    comparison.noise = Noise {
        floors: headlines
            .into_iter()
            .map(|metric| (metric, calibration.floor(metric).relative(), calibration.knows(metric)))
            .collect(),
        calibration: kept.map(|calibration| calibration.0),
    };
}

/// Everything but statistics.
fn built(index: &Index) -> Comparison {
    Comparison {
        heading: heading(index),
        machine: index.machine.cloned(),
        disk: index.disk.iter().copied().cloned().collect(),
        average: index.plan.map_or(Average::Median, |plan| plan.average),
        sections: section::sections(index),
        loads: load::sections(index),
        figures: index.plan.map_or_else(Vec::new, |plan| plan.figures.clone()),
        failures: failures(index),
        ..Comparison::default()
    }
}

/// Takes the deltas of runs that differ as wholes: on other machines, by other tools.
fn part_unlike_runs(comparison: &mut Comparison, unlike: &BTreeMap<String, Vec<Difference>>) {
    let parted = |run: Option<&str>| {
        let differences = run.and_then(|run| unlike.get(run))?;
        Some((differences, section::unequal(differences)))
    };
    for side in
        comparison.sections.iter_mut().flat_map(|s| &mut s.points).flat_map(|p| &mut p.sides)
    {
        let Some((differences, reasons)) = parted(side.cell.get(runs::AXIS)) else { continue };
        side.differences.extend(differences.iter().cloned());
        part(&mut side.series, &reasons);
    }
    for side in comparison.loads.iter_mut().flat_map(|s| &mut s.points).flat_map(|p| &mut p.sides) {
        if let Some((_, reasons)) = parted(Some(&side.name.to_lowercase())) {
            part(&mut side.series, &reasons);
        }
    }
}

/// Takes the deltas, where there is a reason.
fn part(series: &mut [Series], reasons: &[String]) {
    for series in series.iter_mut().filter(|series| series.against.delta().is_some()) {
        if !reasons.is_empty() {
            series.against = Against::Unequal(reasons.to_vec());
        }
    }
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
        seed: run.imported_from.is_none().then_some(run.seed),
        suite_text: run.suite_text.clone(),
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
