//! The order of combinations: rows of the table, compared sides beside one another.

use super::Combination;
use crate::model::{CellKey, SettingValue};
use crate::plan::suite::Suite;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Positions of a combination's values, one for each axis of the suite; none where it is not on it.
pub(super) type Ordinals = Vec<Option<usize>>;

/// Sorts combinations into rows, makes equal ones one, and numbers the rows.
///
/// Rows follow the points of the suite, then the axes in its order, the first the slowest.
/// Compared axes move fastest, so the sides of a row stand together.
pub(super) fn arrange(
    suite: &Suite,
    axes: &[String],
    mut found: Vec<(Ordinals, Combination)>,
) -> Vec<Combination> {
    let compared: BTreeSet<&str> = suite
        .comparisons
        .iter()
        .flat_map(|compare| &compare.axes)
        .map(|axis| axis.name.as_str())
        .collect();
    let is_compared: Vec<bool> = axes.iter().map(|axis| compared.contains(axis.as_str())).collect();
    let of = |ordinals: &Ordinals, compared: bool| {
        let mut chosen = Vec::with_capacity(axes.len() + 2);
        chosen.extend(
            ordinals.iter().zip(&is_compared).filter(|(_, is)| **is == compared).map(|(at, _)| *at),
        );
        chosen
    };
    found.sort_by_cached_key(|(ordinals, combination)| {
        let workload = (!compared.contains("workload")).then_some(combination.workload);
        (workload, combination.point, of(ordinals, false), of(ordinals, true))
    });
    let mut seen: HashSet<&CellKey> = HashSet::new();
    let mut rows: HashMap<Vec<(&str, &str)>, usize> = HashMap::new();
    let row_of: Vec<Option<usize>> = found
        .iter()
        .map(|(_, combination)| {
            let key = &combination.key;
            seen.insert(key).then(|| {
                let rest = key.iter().filter(|(axis, _)| !compared.contains(axis)).collect();
                let next = rows.len();
                *rows.entry(rest).or_insert(next)
            })
        })
        .collect();
    let mut arranged: Vec<Combination> = found
        .into_iter()
        .zip(row_of)
        .filter_map(|((_, combination), row)| Some(Combination { row: row?, ..combination }))
        .collect();
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
