//! benchstat: every repetition a line, compared axes as keys (`benchstat -col engine FILE`).

use crate::compare::Comparison;
use crate::compare::view::{Section, Side};
use crate::model::{Direction, MetricId, Unit};
use crate::tools::benchstat::{Benchmark, UnitLine, write};
use std::collections::BTreeSet;

pub(super) fn render(comparison: &Comparison) -> String {
    let mut units: Vec<UnitLine> = Vec::new();
    let mut benchmarks = Vec::new();
    for section in &comparison.sections {
        for point in &section.points {
            let parameters: Vec<(String, String)> = section
                .axes
                .iter()
                .zip(&point.values)
                .filter_map(|(axis, value)| Some((axis.clone(), value.clone()?)))
                .collect();
            for side in &point.sides {
                for metric in side.series.iter().map(|series| &series.metric) {
                    let line = UnitLine {
                        unit: unit(metric),
                        higher_is_better: metric.metric.direction() == Direction::HigherIsBetter,
                    };
                    if !units.contains(&line) {
                        units.push(line);
                    }
                }
                benchmarks.extend(repetitions(side).into_iter().map(|figures| Benchmark {
                    keys: keys(section, side),
                    name: section.workload.clone(),
                    parameters: parameters.clone(),
                    figures,
                }));
            }
        }
    }
    write(&units, &benchmarks)
}

/// The compared axes with the side's values.
fn keys(section: &Section, side: &Side) -> Vec<(String, String)> {
    let compared = section.compared.iter();
    compared.filter_map(|axis| Some((axis.clone(), side.cell.get(axis)?.to_string()))).collect()
}

/// The figures of each repetition that has any.
fn repetitions(side: &Side) -> Vec<Vec<(f64, String)>> {
    let samples = side.series.iter().flat_map(|series| &series.samples);
    let there: BTreeSet<u32> = samples.map(|sample| sample.repetition).collect();
    there
        .into_iter()
        .map(|repetition| {
            side.series
                .iter()
                .filter_map(|series| {
                    let sample =
                        series.samples.iter().find(|sample| sample.repetition == repetition)?;
                    Some((sample.value, unit(&series.metric)))
                })
                .collect()
        })
        .filter(|figures: &Vec<_>| !figures.is_empty())
        .collect()
}

/// A unit of benchstat's: the metric with `sec` or `B` at its end, which it scales.
fn unit(metric: &MetricId) -> String {
    match metric.metric.unit() {
        Unit::Seconds => format!("{metric}-sec"),
        Unit::Bytes => format!("{metric}-B"),
        Unit::PerMinute | Unit::PerSecond | Unit::Count | Unit::Ratio => metric.to_string(),
    }
}
