//! CSV, wide: a line a side, columns for every metric with its delta.

use super::csv::{number, quoted};
use super::text::rounded;
use crate::compare::Comparison;
use crate::compare::view::{Against, Judged, Section, Side};
use crate::model::MetricId;

/// What stands beside each metric.
const BESIDE: [&str; 4] = ["delta", "low", "high", "verdict"];

pub(super) fn render(comparison: &Comparison) -> String {
    let sides = || comparison.sections.iter().flat_map(|s| &s.points).flat_map(|p| &p.sides);
    let mut axes: Vec<&str> = Vec::new();
    for axis in comparison.sections.iter().flat_map(|section| &section.axes) {
        if !axes.contains(&axis.as_str()) {
            axes.push(axis);
        }
    }
    let mut metrics: Vec<&MetricId> = Vec::new();
    for metric in sides().flat_map(|side| &side.series).map(|series| &series.metric) {
        if !metrics.contains(&metric) {
            metrics.push(metric);
        }
    }
    let mut headings: Vec<String> = vec!["run".into(), "workload".into(), "compared".into()];
    headings.extend(axes.iter().map(ToString::to_string));
    headings.extend(["side".into(), "baseline".into(), "n".into()]);
    for metric in &metrics {
        headings.push(metric.to_string());
        headings.extend(BESIDE.iter().map(|beside| format!("{metric} {beside}")));
    }
    let mut out = line(&headings);
    for section in &comparison.sections {
        for point in &section.points {
            for side in &point.sides {
                let mut fields = vec![
                    comparison.heading.run.clone(),
                    section.workload.clone(),
                    section.compared.join(" "),
                ];
                fields.extend(axes.iter().map(|axis| value(section, &point.values, axis)));
                fields.extend([side.name.clone(), side.is_baseline.to_string(), count(side)]);
                for metric in &metrics {
                    fields.extend(figures(side, metric));
                }
                out.push_str(&line(&fields));
            }
        }
    }
    out
}

fn line(fields: &[String]) -> String {
    let fields: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
    format!("{}\n", fields.join(","))
}

/// The point's value on `axis`.
fn value(section: &Section, values: &[Option<String>], axis: &str) -> String {
    let at = section.axes.iter().position(|own| own == axis);
    at.and_then(|at| values.get(at)?.clone()).unwrap_or_default()
}

/// Repetitions behind the headline.
fn count(side: &Side) -> String {
    side.headline().map_or(0, |series| series.samples.len()).to_string()
}

/// The level and what stands beside it.
fn figures(side: &Side, metric: &MetricId) -> [String; 5] {
    let Some(series) = side.series(metric) else { return Default::default() };
    let level = number(series.level);
    let none = String::new;
    match &series.against {
        Against::Unequal(_) => [level, none(), none(), none(), "unequal".to_string()],
        Against::Delta(delta) => {
            let relative = number(rounded(delta.relative));
            match &delta.judged {
                Judged::NoVerdict(_) => [level, relative, none(), none(), none()],
                Judged::Verdict { low, high, verdict, .. } => [
                    level,
                    relative,
                    number(rounded(*low)),
                    number(rounded(*high)),
                    verdict.as_str().to_string(),
                ],
            }
        }
        Against::Baseline | Against::NoBaseline => [level, none(), none(), none(), none()],
    }
}
