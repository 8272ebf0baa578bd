//! The baseline against itself: the plan of a calibration, and what it holds for.

use super::{Cell, Comparison, Plan, datasets};
use crate::model::{AxisValue, CellKey, Place, SettingValue};
use std::fmt::Write as _;

/// The two sides; nothing tells them apart.
const SIDES: [&str; 2] = ["a", "b"];

/// Cells that are the baseline of every comparison of the plan; of any, where none is that of all;
/// every cell when nothing is compared. Only cells that this machine can measure.
fn baselines(plan: &Plan) -> Vec<&Cell> {
    let is_baseline = |cell: &Cell, compare: &Comparison| {
        compare.axes.iter().zip(&compare.baseline).all(|(axis, value)| {
            cell.key.get(axis).is_some_and(|own| own.eq_ignore_ascii_case(value))
        })
    };
    let available = || plan.cells.iter().filter(|cell| cell.unavailable.is_none());
    let of_all: Vec<&Cell> = available()
        .filter(|cell| plan.comparisons.iter().all(|compare| is_baseline(cell, compare)))
        .collect();
    if !of_all.is_empty() {
        return of_all;
    }
    available()
        .filter(|cell| plan.comparisons.iter().any(|compare| is_baseline(cell, compare)))
        .collect()
}

/// Deltas in the largest table of the plan: cells that are no baseline, by comparison and workload.
pub fn pairs(plan: &Plan) -> usize {
    let workloads: std::collections::BTreeSet<&str> =
        plan.cells.iter().map(|cell| cell.workload_name.as_str()).collect();
    plan.comparisons
        .iter()
        .flat_map(|compare| {
            workloads.iter().map(move |workload| {
                plan.cells
                    .iter()
                    .filter(|cell| cell.workload_name == *workload)
                    .filter(|cell| {
                        compare.axes.iter().zip(&compare.baseline).any(|(axis, value)| {
                            cell.key.get(axis).is_some_and(|own| !own.eq_ignore_ascii_case(value))
                        })
                    })
                    .count()
            })
        })
        .max()
        .unwrap_or(0)
        .max(1)
}

/// What a calibration of this plan holds for, as a short hash: server builds, data, options, settings
/// and phases of the baseline cells. What does not move the noise of their figures (the number of
/// repetitions, the other sides, expectations) is not part of it.
pub fn address(plan: &Plan) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        writeln!(text, "{name}={value}").expect("a string takes everything");
    };
    for cell in baselines(plan) {
        line("cell", &cell.key.to_string());
        line("data", &plan.datasets[cell.dataset].recipe.0);
        line("workload", &cell.workload.identity());
        for (name, value) in cell.settings.iter() {
            line(name, &value.to_string());
        }
        for option in cell.options.iter() {
            line(&option.line.name, option.line.value.as_deref().unwrap_or_default());
        }
        for set in cell.set_global.iter().chain(&cell.set_session) {
            line(&set.name, set.value.as_deref().unwrap_or_default());
        }
    }
    datasets::short_hash(text.as_bytes())
}

/// Makes of a plan the one that compares its baseline with itself: each baseline cell on two sides
/// that do not differ, `repetitions` of each, interleaved like those of any pair. Without a baseline
/// cell that can be measured, the plan has no cells.
pub fn against_itself(plan: &mut Plan, repetitions: u32) {
    let axis = if plan.cells.iter().any(|cell| cell.key.get("side").is_some()) {
        "calibrated_side"
    } else {
        "side"
    };
    let mut cells = Vec::new();
    for (point, cell) in baselines(plan).into_iter().enumerate() {
        for side in SIDES {
            let mut axes = cell.axes.clone();
            let value = SettingValue::Word(side.to_string());
            axes.push(AxisValue { axis: axis.to_string(), value });
            cells.push(Cell { key: CellKey::new(&axes), axes, point, ..cell.clone() });
        }
    }
    plan.cells = cells;
    plan.comparisons = vec![Comparison {
        axes: vec![axis.to_string()],
        baseline: vec![SIDES[0].to_string()],
        place: Place::new("<calibrate>", 1, 1),
    }];
    plan.repeat = repetitions;
    plan.expectations.clear();
    plan.table = None;
}
