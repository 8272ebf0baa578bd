//! Findings that only a comparison can make: about pairs, trends and expectations.

use super::cells::Index;
use super::ledger;
use super::load::{LOAD_PATH, same_path};
use super::plans::first_difference;
use super::view::{Comparison, LoadSide, Outcome, Standing, Verdict};
use crate::model::{Finding, FindingCode, MetricId, Phase, Place};
use crate::stats::steady::{Trend, late_change, settled_at, trend};

/// A warm-up that moved the mean by less than this is over.
const SETTLED: f64 = 0.05;

/// Everything there is to say, those of the journal first, nothing twice.
pub(super) fn all(index: &Index, comparison: &Comparison) -> Vec<Finding> {
    let mut found: Vec<Finding> = index.findings.iter().copied().cloned().collect();
    for finding in unequal(comparison)
        .into_iter()
        .chain(unlike_load_paths(index, comparison))
        .chain(unsteady(index))
        .chain(plans_changed(index))
        .chain(undecided(comparison))
        .chain(cannot_tell(index, comparison))
    {
        let known = found.iter().any(|known| {
            known.code == finding.code
                && known.cell == finding.cell
                && (known.seen == finding.seen || finding.cell.is_some())
        });
        if !known {
            found.push(finding);
        }
    }
    found
}

/// What costs pairs their deltas, or would without permission.
fn unequal(comparison: &Comparison) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for section in &comparison.sections {
        for side in section.points.iter().flat_map(|point| &point.sides) {
            for difference in &side.differences {
                let seen = match &difference.standing {
                    Standing::Declared | Standing::Told => continue,
                    Standing::Unequal => {
                        format!("{}: {}: {}", side.name, difference.property, difference.detail)
                    }
                    Standing::Allowed(because) => format!(
                        "{}: {}: {}, allowed because {because}",
                        side.name, difference.property, difference.detail
                    ),
                };
                let finding = Finding::new(FindingCode::UnequalSides, seen);
                if !found.contains(&finding) {
                    found.push(finding);
                }
            }
        }
    }
    found
}

/// Pairs whose load times have no delta for the way in which their rows came.
fn unlike_load_paths(index: &Index, comparison: &Comparison) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    if ledger::allowed(index, LOAD_PATH).is_some() {
        // Said with the reason, as any other difference that is allowed.
        return found;
    }
    for point in comparison.loads.iter().flat_map(|section| &section.points) {
        let Some(baseline) = point.sides.iter().find(|side| side.is_baseline) else { continue };
        let way = |side: &LoadSide| {
            format!("{} by {} with {} threads", side.name, side.path, side.threads)
        };
        let measured = |side: &&LoadSide| side.absent.is_none() && !side.is_baseline;
        for side in point.sides.iter().filter(measured) {
            if baseline.absent.is_some() || same_path(baseline, side) {
                continue;
            }
            let seen = format!("{}, {}", way(baseline), way(side));
            let finding = Finding::new(FindingCode::UnlikeLoadPaths, seen);
            if !found.contains(&finding) {
                found.push(finding);
            }
        }
    }
    found
}

/// Measured phases that were not in steady state.
fn unsteady(index: &Index) -> Vec<Finding> {
    let mut found = Vec::new();
    for planned in index.planned() {
        let Some(cell) = index.cell(&planned.key) else { continue };
        for repetition in cell.whole() {
            let of = |counted: bool| {
                let mut windows = Vec::new();
                for record in &cell.windows {
                    let counts = record.phase == Phase::Measure && record.counted;
                    if record.repetition == repetition.repetition && counts == counted {
                        windows.extend(super::cells::throughput(record));
                    }
                }
                windows
            };
            // What is measured and does not count is a warm-up by another name.
            if let Some(seen) = unsteady_phase(&of(false), &of(true)) {
                let seen = format!("repetition {}: {seen}", repetition.repetition);
                found.push(Finding::new(FindingCode::Trending, seen).of(planned.key.clone()));
                break;
            }
        }
    }
    found
}

/// In what a measured phase was not steady, in words; windows are counted from 1.
fn unsteady_phase(warm_up: &[f64], measured: &[f64]) -> Option<String> {
    let windows = measured.len();
    if let Some(Trend { change, third }) = trend(measured) {
        return Some(format!(
            "windows {} to {windows} of the measured phase are {:+.0} % against windows 1 to {third}",
            windows - third + 1,
            change * 100.0
        ));
    }
    let whole: Vec<f64> = warm_up.iter().chain(measured).copied().collect();
    match settled_at(&whole, SETTLED) {
        Some(at) if at > warm_up.len() && !warm_up.is_empty() => Some(format!(
            "throughput settled in window {} of {windows} of the measured phase; warm up longer",
            at - warm_up.len() + 1
        )),
        Some(_) => None,
        None => {
            let (at, change) = late_change(measured)?;
            Some(format!(
                "throughput had not settled: from window {} of {windows} of the measured phase on \
                 it is {:+.0} % against all before",
                at + 1,
                change * 100.0
            ))
        }
    }
}

/// Statements whose plan differs between repetitions of one cell.
fn plans_changed(index: &Index) -> Vec<Finding> {
    let mut found = Vec::new();
    for planned in index.planned() {
        let Some(cell) = index.cell(&planned.key) else { continue };
        let mut plans = cell.plans.values();
        let Some(first) = plans.next() else { continue };
        let changed = plans.find_map(|later| Some((later, first_difference(first, later)?)));
        if let Some((later, difference)) = changed {
            let seen =
                format!("repetition {} and {}: {difference}", first.repetition, later.repetition);
            found.push(Finding::new(FindingCode::PlanChanged, seen).of(planned.key.clone()));
        }
    }
    found
}

/// How many headline deltas the repetitions leave open.
fn undecided(comparison: &Comparison) -> Vec<Finding> {
    comparison
        .sections
        .iter()
        .filter_map(|section| {
            let headline = MetricId::whole(section.headline);
            let verdicts: Vec<(&str, Verdict)> = section
                .points
                .iter()
                .flat_map(|point| &point.sides)
                .filter_map(|side| {
                    let verdict = side.series(&headline)?.against.delta()?.judged.verdict()?;
                    Some((side.name.as_str(), verdict))
                })
                .collect();
            let open = verdicts.iter().filter(|(_, v)| *v == Verdict::Undecided).count();
            (open > 0).then(|| {
                Finding::new(
                    FindingCode::Undecided,
                    format!(
                        "{open} of {} deltas of {} against {}",
                        verdicts.len(),
                        section.headline.heading(),
                        section.baseline.join(", ")
                    ),
                )
            })
        })
        .collect()
}

/// Expectations that were not judged, but for those of which the plan has said why.
fn cannot_tell(index: &Index, comparison: &Comparison) -> Vec<Finding> {
    let told = |place: &Place| {
        let place = format!("{place}: ");
        index.findings.iter().any(|finding| {
            finding.code == FindingCode::CannotTell && finding.seen.starts_with(&place)
        })
    };
    comparison
        .expectations
        .iter()
        .filter(|expected| expected.outcome == Outcome::CannotTell && !told(&expected.place))
        .map(|expected| {
            let why = expected
                .cases
                .iter()
                .find(|case| case.outcome == Outcome::CannotTell)
                .map_or_else(|| "no cell to judge".to_string(), |case| case.seen.clone());
            Finding::new(FindingCode::CannotTell, format!("{}: {why}", expected.text))
        })
        .collect()
}
