//! Findings that only a comparison can make: about pairs, trends and expectations.

use super::cells::Index;
use super::plans::first_difference;
use super::view::{Comparison, Outcome, Standing, Verdict};
use crate::model::{Finding, FindingCode, MetricId, Phase, Place};
use crate::stats::steady::{settled_at, trend};

/// A warm-up that moved the mean by less than this is over.
const SETTLED: f64 = 0.05;

/// Everything there is to say, those of the journal first, nothing twice.
pub(super) fn all(index: &Index, comparison: &Comparison) -> Vec<Finding> {
    let mut found: Vec<Finding> = index.findings.iter().copied().cloned().collect();
    for finding in unequal(comparison)
        .into_iter()
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
            let (warm_up, measured) = (of(false), of(true));
            let number = repetition.repetition;
            if let Some(change) = trend(&measured) {
                let seen = format!(
                    "repetition {number}: the last third of the measured phase is {:+.0} % against \
                     the first",
                    change * 100.0
                );
                found.push(Finding::new(FindingCode::Trending, seen).of(planned.key.clone()));
                break;
            }
            let whole: Vec<f64> = warm_up.iter().chain(&measured).copied().collect();
            match settled_at(&whole, SETTLED) {
                Some(at) if at > warm_up.len() && !warm_up.is_empty() => {
                    let window_ms = cell.windows.first().map_or(1000, |record| record.window_ms);
                    let late = (at - warm_up.len()) as f64 * window_ms as f64 / 1000.0;
                    let seen = format!(
                        "repetition {number}: throughput settled {late:.0} s into the measured \
                         phase; warm up longer"
                    );
                    found.push(Finding::new(FindingCode::Trending, seen).of(planned.key.clone()));
                    break;
                }
                _ => {}
            }
        }
    }
    found
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
