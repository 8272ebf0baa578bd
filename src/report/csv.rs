//! CSV, long: one figure a line, for spreadsheets and plotting tools.

use super::text::rounded;
use crate::compare::Comparison;
use crate::compare::view::{Against, Judged, Series};

const HEADINGS: &str = "run,workload,compared,axes,side,baseline,metric,unit,kind,repetition,round,value,delta,low,high,verdict";

/// Every repetition, every round, and every level with its delta.
pub(super) fn render(comparison: &Comparison) -> String {
    let mut out = format!("{HEADINGS}\n");
    for section in &comparison.sections {
        for point in &section.points {
            let axes = pairs(&section.axes, &point.values);
            for side in &point.sides {
                for series in &side.series {
                    let lead = [
                        comparison.heading.run.clone(),
                        section.workload.clone(),
                        section.compared.join(" "),
                        axes.clone(),
                        side.name.clone(),
                        side.is_baseline.to_string(),
                    ];
                    write(&mut out, &lead, series, "repetition");
                }
            }
        }
    }
    for section in &comparison.loads {
        for point in &section.points {
            let axes = pairs(&section.axes, &point.values);
            for side in &point.sides {
                for series in &side.series {
                    let lead = [
                        comparison.heading.run.clone(),
                        "load".to_string(),
                        section.compared.join(" "),
                        axes.clone(),
                        side.name.clone(),
                        side.is_baseline.to_string(),
                    ];
                    write(&mut out, &lead, series, "load");
                }
            }
        }
    }
    out
}

fn pairs(axes: &[String], values: &[Option<String>]) -> String {
    axes.iter()
        .zip(values)
        .filter_map(|(axis, value)| value.as_ref().map(|value| format!("{axis}={value}")))
        .collect::<Vec<_>>()
        .join(";")
}

fn write(out: &mut String, lead: &[String], series: &Series, single: &str) {
    let unit = format!("{:?}", series.metric.metric.unit()).to_lowercase();
    let mut line =
        |kind: &str, repetition: String, round: String, value: f64, tail: [String; 4]| {
            let fields = lead
                .iter()
                .cloned()
                .chain([
                    series.metric.to_string(),
                    unit.clone(),
                    kind.to_string(),
                    repetition,
                    round,
                    number(value),
                ])
                .chain(tail);
            let fields: Vec<String> = fields.map(|field| quoted(&field)).collect();
            out.push_str(&fields.join(","));
            out.push('\n');
        };
    for sample in &series.samples {
        let repetition = sample.repetition.to_string();
        line(single, repetition.clone(), String::new(), sample.value, Default::default());
        if sample.rounds.len() > 1 {
            for (index, value) in sample.rounds.iter().enumerate() {
                let round = (index + 1).to_string();
                line("round", repetition.clone(), round, *value, Default::default());
            }
        }
    }
    let tail = match &series.against {
        Against::Unequal(_) => [String::new(), String::new(), String::new(), "unequal".to_string()],
        Against::Delta(delta) => match &delta.judged {
            Judged::NoVerdict(_) => {
                [number(rounded(delta.relative)), String::new(), String::new(), String::new()]
            }
            Judged::Verdict { low, high, verdict, .. } => [
                number(rounded(delta.relative)),
                number(rounded(*low)),
                number(rounded(*high)),
                verdict.as_str().to_string(),
            ],
        },
        _ => Default::default(),
    };
    line("level", String::new(), String::new(), series.level, tail);
}

/// Shortest text that reads back as the same number.
pub(super) fn number(value: f64) -> String {
    value.to_string()
}

/// A field, quoted where RFC 4180 asks for it.
pub(super) fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_string()
    }
}
