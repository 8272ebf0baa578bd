//! The order of combinations: rows of the table, compared sides beside one another.

use super::Combination;
use crate::model::{CellKey, SettingValue};
use crate::plan::suite::Suite;
use std::collections::{BTreeMap, BTreeSet};

/// Sorts combinations into rows, makes equal ones one, and numbers the rows.
///
/// Rows follow the points of the suite, then the axes in its order, the first the slowest.
/// Compared axes move fastest, so the sides of a row stand together.
pub(super) fn arrange(
    suite: &Suite,
    axes: &[String],
    mut found: Vec<(Vec<(String, usize)>, Combination)>,
) -> Vec<Combination> {
    let compared: BTreeSet<&str> = suite
        .comparisons
        .iter()
        .flat_map(|compare| &compare.axes)
        .map(|axis| axis.name.as_str())
        .collect();
    let of = |ordinals: &[(String, usize)], axis: &str| {
        ordinals.iter().find(|(name, _)| name == axis).map(|(_, at)| *at)
    };
    let is_compared = |axis: &str| compared.contains(axis);
    found.sort_by_cached_key(|(ordinals, combination)| {
        let mut key: Vec<Option<usize>> = Vec::with_capacity(axes.len() + 2);
        if !is_compared("workload") {
            key.push(Some(combination.workload));
        }
        key.push(combination.point);
        key.extend(axes.iter().filter(|axis| !is_compared(axis)).map(|axis| of(ordinals, axis)));
        key.extend(axes.iter().filter(|axis| is_compared(axis)).map(|axis| of(ordinals, axis)));
        key
    });
    let mut seen: BTreeSet<CellKey> = BTreeSet::new();
    let mut rows: BTreeMap<CellKey, usize> = BTreeMap::new();
    let mut arranged: Vec<Combination> = Vec::with_capacity(found.len());
    for (_, mut combination) in found {
        if !seen.insert(combination.key.clone()) {
            continue;
        }
        let rest = compared.iter().fold(combination.key.clone(), |key, axis| key.without(axis));
        let next = rows.len();
        combination.row = *rows.entry(rest).or_insert(next);
        arranged.push(combination);
    }
    // Sides that come from different points of the suite still share their row.
    arranged.sort_by_key(|combination| combination.row);
    arranged
}

/// Numbers the rows again, without gaps, after some combinations were left out.
pub(super) fn renumber(combinations: &mut [Combination]) {
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    for combination in combinations {
        let next = numbers.len();
        combination.row = *numbers.entry(combination.row).or_insert(next);
    }
}

/// What an axis value is called in keys.
pub(in crate::plan) fn key_text(value: &SettingValue) -> String {
    value.to_string().to_lowercase()
}
