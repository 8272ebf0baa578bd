//! Which runs are repetitions of one cell, and which cells can be laid beside each other.

use super::labels::Labelled;
use crate::model::{AxisValue, CellKey, SettingValue};

/// The axis of labels.
pub(super) const LABEL: &str = "label";

/// A cell with the runs that are its repetitions.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) key: CellKey,
    pub(super) axes: Vec<AxisValue>,
    /// Its runs, by their place in the list of all.
    pub(super) runs: Vec<usize>,
    /// Cells of one point differ in their label alone.
    pub(super) point: usize,
}

/// A parameter of a run: its name, its value, and whether labels that differ in it are points of
/// their own.
type Parameter = (&'static str, fn(&Labelled) -> Option<u32>, bool);

/// Parameters that become axes. Another number of clients between labels is left to the comparison,
/// which says so and gives no delta; another number of warehouses is other data altogether.
const PARAMETERS: &[Parameter] = &[
    ("warehouses", |labelled| labelled.run.warehouses, true),
    ("clients", |labelled| labelled.run.clients, false),
];

/// The cells of these runs, in order of their first run.
pub(super) fn cells(runs: &[Labelled]) -> Vec<Cell> {
    let several_labels = runs.iter().any(|labelled| labelled.label != runs[0].label);
    let varying: Vec<&Parameter> = PARAMETERS
        .iter()
        .filter(|(_, value, between)| {
            runs.iter().any(|one| {
                runs.iter().any(|other| {
                    (*between || one.label == other.label)
                        && value(one).is_some()
                        && value(other).is_some()
                        && value(one) != value(other)
                })
            })
        })
        .collect();
    let workloads = runs.iter().any(|one| {
        runs.iter().any(|other| one.label == other.label && one.run.workload != other.run.workload)
    });
    let mut cells: Vec<Cell> = Vec::new();
    let mut points: Vec<CellKey> = Vec::new();
    for (at, labelled) in runs.iter().enumerate() {
        let mut axes = Vec::new();
        if workloads {
            axes.push(axis("workload", SettingValue::Text(labelled.run.workload.clone())));
        }
        for (name, value, _) in &varying {
            axes.extend(
                value(labelled).map(|value| axis(name, SettingValue::Count(u64::from(value)))),
            );
        }
        let rest = CellKey::new(&axes);
        if several_labels {
            axes.push(axis(LABEL, SettingValue::Word(labelled.label.clone())));
        }
        let key = CellKey::new(&axes);
        if let Some(cell) = cells.iter_mut().find(|cell| cell.key == key) {
            cell.runs.push(at);
            continue;
        }
        let point = points.iter().position(|known| *known == rest).unwrap_or_else(|| {
            points.push(rest);
            points.len() - 1
        });
        cells.push(Cell { key, axes, runs: vec![at], point });
    }
    cells
}

fn axis(name: &str, value: SettingValue) -> AxisValue {
    AxisValue { axis: name.to_string(), value }
}
