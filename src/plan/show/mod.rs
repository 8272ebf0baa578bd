//! A plan as people and programs read it.

mod columns;
pub mod json;
mod text;

pub use text::text;

use super::{CellOption, DataSource, Plan};
use crate::model::{AxisValue, SettingValue};
use std::collections::{BTreeMap, HashMap};

/// What distinguishes the cells of each dataset: the axes on which they differ, which is what the
/// dataset is shared across. Sorted by the plan's order of axes.
fn shared_across(plan: &Plan) -> Vec<Vec<String>> {
    // By axis, the first value, and whether there is another.
    let mut values: Vec<BTreeMap<&str, (&SettingValue, bool)>> =
        plan.datasets.iter().map(|_| BTreeMap::new()).collect();
    for cell in &plan.cells {
        for AxisValue { axis, value } in &cell.axes {
            let (first, other) =
                values[cell.dataset].entry(axis.as_str()).or_insert((value, false));
            *other |= *first != value && first.to_string() != value.to_string();
        }
    }
    let order = axis_names(plan);
    values
        .into_iter()
        .map(|axes| {
            order
                .iter()
                .filter(|axis| axes.get(axis.as_str()).is_some_and(|(_, other)| *other))
                .cloned()
                .collect()
        })
        .collect()
}

/// Every axis of the plan, in the order of the suite.
fn axis_names(plan: &Plan) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for axis in plan.cells.iter().flat_map(|cell| &cell.axes) {
        if !names.contains(&axis.axis) {
            names.push(axis.axis.clone());
        }
    }
    names
}

/// Why cells that differ on these axes may have the same loaded data.
fn sharing_reason(source: DataSource) -> &'static str {
    match source {
        DataSource::Store => "these move the running server or the clients, not the loaded bytes",
        DataSource::Load | DataSource::Reuse => "these do not change how the data are loaded",
    }
}

/// Cells with the same final options, in the order of the first of each.
fn by_options(plan: &Plan) -> Vec<Vec<usize>> {
    // Most cells share the list of their options with others: equal lists are looked for once each.
    let mut lists: HashMap<&[CellOption], usize> = HashMap::new();
    let mut shared: HashMap<*const CellOption, usize> = HashMap::new();
    let mut at = HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, cell) in plan.cells.iter().enumerate() {
        let list = *shared.entry(cell.options.as_ptr()).or_insert_with(|| {
            let next = lists.len();
            *lists.entry(&cell.options).or_insert(next)
        });
        let group = *at.entry((list, &cell.set_global, &cell.set_session)).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(index);
    }
    groups
}

/// `1, 3-5, 9`, counting from 1.
fn numbers(indexes: &[usize]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut at = 0;
    while at < indexes.len() {
        let mut end = at;
        while end + 1 < indexes.len() && indexes[end + 1] == indexes[end] + 1 {
            end += 1;
        }
        let (first, last) = (indexes[at] + 1, indexes[end] + 1);
        parts.push(match last - first {
            0 => first.to_string(),
            1 => format!("{first}, {last}"),
            _ => format!("{first}-{last}"),
        });
        at = end + 1;
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn runs_of_numbers_are_drawn_together() {
        assert_eq!(numbers(&[0, 2, 3, 4, 8]), "1, 3-5, 9");
        assert_eq!(numbers(&[0, 1]), "1, 2");
        assert_eq!(numbers(&[]), "");
    }
}
