//! JSON: everything that a comparison found, under a version. `docs/report-json.md` describes it.

use super::text::rounded;
use crate::compare::Comparison;
use crate::compare::view::{
    Absent, Against, Course, Judged, LoadSection, Section, Series, Side, Standing,
};
use serde_json::{Map, Value, json};

/// Raised when a field changes its meaning or goes away; new fields do not raise it.
const VERSION: u32 = 1;

/// Level of the cross-check by ranks.
const ALPHA: f64 = 0.05;

/// The report as JSON, indented, with a line end.
pub(super) fn render(comparison: &Comparison) -> String {
    let heading = &comparison.heading;
    let mut report = json!({
        "v": VERSION,
        "title": heading.title,
        "suite": heading.suite_file,
        "run": heading.run,
        "at": heading.at,
        "tool": heading.tool,
        "profiles": heading.profiles,
        "sets": heading.sets,
        "seed": heading.seed,
        "incomplete": heading.incomplete,
        "machine": comparison.machine,
        "disk": comparison.disk,
        "noise_floors": comparison.noise.floors.iter().map(|(metric, floor, measured)| json!({
            "metric": metric,
            "floor": rounded(*floor),
            "measured": measured,
        })).collect::<Vec<_>>(),
        "calibration": comparison.noise.calibration,
        "sections": comparison.sections.iter().map(section).collect::<Vec<_>>(),
        "loads": comparison.loads.iter().map(loads).collect::<Vec<_>>(),
        "expectations": comparison.expectations.iter().map(|expected| json!({
            "text": expected.text,
            "place": expected.place.to_string(),
            "outcome": expected.outcome.as_str(),
            "cases": expected.cases.iter().map(|case| json!({
                "cell": case.cell,
                "side": case.side,
                "seen": case.seen,
                "outcome": case.outcome.as_str(),
            })).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "only_in": comparison.only_in.iter().map(|only| json!({
            "run": only.run,
            "cell": only.cell,
            "nearest": only.nearest,
        })).collect::<Vec<_>>(),
        "failures": comparison.failures.iter().map(|broken| json!({
            "cells": broken.cells,
            "repetition": broken.repetition,
            "failure": broken.failure,
        })).collect::<Vec<_>>(),
        "findings": comparison.findings.iter().map(|finding| json!({
            "code": finding.code,
            "title": finding.code.title(),
            "seen": finding.seen,
            "cell": finding.cell,
        })).collect::<Vec<_>>(),
    });
    if !comparison.collected.is_empty() {
        report["collected"] = json!(comparison.collected);
    }
    let mut text = serde_json::to_string_pretty(&report).unwrap_or_default();
    text.push('\n');
    text
}

fn section(section: &Section) -> Value {
    json!({
        "workload": section.workload,
        "remarks": section.remarks,
        "servers": section.servers.iter().map(|server| json!({
            "name": server.name,
            "family": server.family,
            "version": server.version,
        })).collect::<Vec<_>>(),
        "compared": section.compared,
        "baseline": section.baseline,
        "headline": section.headline,
        "constants": section.constants.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
        "points": section.points.iter().map(|point| json!({
            "axes": axes(&section.axes, &point.values),
            "sides": point.sides.iter().map(side).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "pairs": section.points.iter().flat_map(|point| {
            point.sides.iter().flat_map(|side| side.series.iter().filter_map(|series| {
                pair(&axes(&section.axes, &point.values), &section.baseline.join(", "), &side.name, series)
            })).collect::<Vec<_>>()
        }).collect::<Vec<_>>(),
        "ledger": section.ledger.iter().map(|row| json!({
            "property": row.property,
            "values": row.values.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
        })).collect::<Vec<_>>(),
        "geometric_means": section.overall.iter().map(|overall| {
            let mut mean = json!({
                "side": overall.side,
                "points": overall.points,
                "delta": rounded(overall.relative),
            });
            if let Judged::Verdict { low, high, p, verdict, .. } = &overall.judged {
                mean["low"] = json!(rounded(*low));
                mean["high"] = json!(rounded(*high));
                mean["p"] = json!(rounded(*p));
                mean["verdict"] = json!(verdict.as_str());
            }
            mean
        }).collect::<Vec<_>>(),
    })
}

fn loads(section: &LoadSection) -> Value {
    json!({
        "compared": section.compared,
        "points": section.points.iter().map(|point| json!({
            "axes": axes(&section.axes, &point.values),
            "sides": point.sides.iter().map(|side| json!({
                "side": side.name,
                "baseline": side.is_baseline,
                "path": side.path,
                "threads": side.threads,
                "rows": side.rows,
                "reused": side.reused,
                "absent": side.absent.as_ref().map(absent),
                "metrics": side.series.iter().map(figures).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "pairs": section.points.iter().flat_map(|point| {
            let baseline = point.sides.iter().find(|side| side.is_baseline);
            let baseline = baseline.map_or_else(String::new, |side| side.name.clone());
            point.sides.iter().flat_map(|side| side.series.iter().filter_map(|series| {
                pair(&axes(&section.axes, &point.values), &baseline, &side.name, series)
            })).collect::<Vec<_>>()
        }).collect::<Vec<_>>(),
    })
}

fn axes(names: &[String], values: &[Option<String>]) -> Value {
    let pairs: Map<String, Value> = names
        .iter()
        .zip(values)
        .filter_map(|(name, value)| Some((name.clone(), Value::from(value.clone()?))))
        .collect();
    Value::Object(pairs)
}

fn side(side: &Side) -> Value {
    let mut shown = json!({
        "side": side.name,
        "cell": side.cell,
        "baseline": side.is_baseline,
        "absent": side.absent.as_ref().map(absent),
        "differences": side.differences.iter().map(|difference| json!({
            "property": difference.property,
            "detail": difference.detail,
            "standing": match &difference.standing {
                Standing::Declared => "declared",
                Standing::Told => "told",
                Standing::Allowed(_) => "allowed",
                Standing::Unequal => "unequal",
            },
        })).collect::<Vec<_>>(),
        "open_loop": side.open.as_ref().map(|open| json!({
            "rate_per_second": open.rate_per_second,
            "arrival": open.arrival,
            "share_of_maximum": open.share,
            "saturated_repetitions": open.saturated,
        })),
        "failed_repetitions": side.failed.iter().map(|(repetition, _)| *repetition).collect::<Vec<_>>(),
        "transactions": side.transactions,
        "errors": side.errors,
        "retries": side.retries,
        "metrics": side.series.iter().map(figures).collect::<Vec<_>>(),
    });
    if let Some(seen) = &side.course {
        shown["course"] = course(seen);
    }
    shown
}

fn course(course: &Course) -> Value {
    json!({
        "windows": course.windows,
        "mean": course.mean,
        "variation": rounded(course.variation),
        "first_percentile": course.first_percentile,
        "zero_windows": course.zero_windows,
        "longest_stall_s": course.longest_stall_s,
        "level_changes": course.changes.iter().map(|change| json!({
            "repetition": change.repetition,
            "round": change.round,
            "at_s": change.at_s,
            "before": change.before,
            "after": change.after,
        })).collect::<Vec<_>>(),
        "dips": course.dips.iter().map(|dip| json!({
            "repetition": dip.repetition,
            "round": dip.round,
            "from_s": dip.from_s,
            "to_s": dip.to_s,
            "lowest": rounded(dip.lowest),
            "sampled": dip.sampled,
            "causes": dip.causes.iter().map(|cause| json!({
                "signal": cause.signal.name(),
                "words": cause.words,
                "seen": cause.seen,
                "usual": cause.usual,
                "score": rounded(cause.score),
            })).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    })
}

fn absent(absent: &Absent) -> Value {
    match absent {
        Absent::NotAvailable(reason) => json!({"kind": "not_available", "reason": reason}),
        Absent::Failed(reason) => json!({"kind": "failed", "reason": reason}),
        Absent::NotRun => json!({"kind": "not_run"}),
    }
}

fn figures(series: &Series) -> Value {
    json!({
        "metric": series.metric.to_string(),
        "unit": series.metric.metric.unit(),
        "level": series.level,
        "values": series.samples.iter().map(|sample| json!({
            "repetition": sample.repetition,
            "value": sample.value,
            "rounds": sample.rounds,
            "outlier": sample.outlier,
        })).collect::<Vec<_>>(),
    })
}

/// One pair in one metric; `None` for the baseline itself and where there is nothing to compare.
fn pair(axes: &Value, baseline: &str, side: &str, series: &Series) -> Option<Value> {
    let mut pair = json!({
        "metric": series.metric.to_string(),
        "axes": axes,
        "side": side,
        "baseline": baseline,
        "direction": series.metric.metric.direction(),
        "delta": null,
        "low": null,
        "high": null,
        "n": null,
        "p": null,
        "verdict": null,
    });
    match &series.against {
        Against::Baseline | Against::NoBaseline => return None,
        Against::Unequal(reasons) => pair["unequal"] = json!(reasons),
        Against::Delta(delta) => {
            pair["delta"] = json!(rounded(delta.relative));
            pair["n"] = json!([delta.n.0, delta.n.1]);
            match &delta.judged {
                Judged::NoVerdict(why) => pair["no_verdict"] = json!(why.as_str()),
                Judged::Verdict { low, high, p, p_table, level, verdict } => {
                    pair["low"] = json!(rounded(*low));
                    pair["high"] = json!(rounded(*high));
                    pair["level"] = json!(rounded(*level));
                    pair["p"] = json!(rounded(*p));
                    pair["p_table"] = json!(rounded(*p_table));
                    pair["verdict"] = json!(verdict.as_str());
                }
            }
            if let Some(rank) = delta.rank {
                pair["rank_test"] = json!({
                    "p": rounded(rank.p),
                    "smallest_p": rounded(rank.smallest_p),
                    "n_too_small": rank.n_too_small(ALPHA),
                });
            }
        }
    }
    Some(pair)
}
