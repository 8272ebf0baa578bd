//! The fairness ledger: in what the sides of a pair differ beyond what the compared axis says.
//!
//! A property is read from the running server where that is recorded, else from the plan. Those on
//! which the figures plainly depend (durability, isolation, keys ...) cost a pair its delta when they
//! differ unsaid. The compared axis says what its values state; but engines and servers are never
//! taken to state such a property, since it would then be chosen by engine.

mod properties;

use super::cells::Index;
use super::ddl::{TableKeys, keys, only_in_one};
use super::plans;
use super::view::{Difference, LedgerRow, Standing};
use crate::journal::record::{DatasetRecord, PlannedCell, PlansRecord};
use crate::model::count::total;
use crate::model::{Metric, MetricId};
use properties::{PROPERTIES, Property};
use std::collections::BTreeMap;

/// What is known of one cell.
pub(super) struct Facts<'a> {
    cell: &'a PlannedCell,
    variables: BTreeMap<&'a str, &'a str>,
    dataset: Option<&'a DatasetRecord>,
    keys: Option<TableKeys>,
    /// Plans of the first repetition that has any.
    plans: Option<&'a PlansRecord>,
    /// Largest resident memory of the server in that repetition, bytes.
    memory: Option<f64>,
}

impl<'a> Facts<'a> {
    /// Gathers what the journal knows of `cell`.
    pub(super) fn of(index: &Index<'a>, cell: &'a PlannedCell) -> Self {
        let mut variables: BTreeMap<&str, &str> = BTreeMap::new();
        if let Some(server) = index.servers.get(cell.server.as_str()) {
            variables.extend(server.variables.iter().map(|(k, v)| (k.as_str(), v.as_str())));
        }
        let repetition = index.cell(&cell.key).and_then(|records| records.whole().next());
        if let Some(repetition) = repetition {
            variables.extend(repetition.variables.iter().map(|(k, v)| (k.as_str(), v.as_str())));
        }
        let dataset =
            index.datasets.get(&cell.recipe).and_then(|loads| loads.values().next()).copied();
        let keys = dataset.and_then(|dataset| keys(&dataset.ddl));
        let plans =
            index.cell(&cell.key).and_then(|records| records.plans.values().next()).copied();
        let memory = repetition.and_then(|repetition| {
            let peak = MetricId::whole(Metric::MemoryPeak);
            repetition.metrics.iter().find(|value| value.id == peak).map(|value| value.value)
        });
        Self { cell, variables, dataset, keys, plans, memory }
    }

    fn variable(&self, name: &str) -> Option<&'a str> {
        self.variables.get(name).copied()
    }

    fn setting(&self, name: &str) -> Option<String> {
        self.cell.settings.get(name).cloned()
    }

    fn storage(&self) -> String {
        self.cell.storage.to_lowercase()
    }
}

/// Every property in which `baseline` and `side` differ, and how it stands.
pub(super) fn differences(
    index: &Index,
    compared: &[String],
    baseline: &Facts,
    side: &Facts,
) -> Vec<Difference> {
    let mut found: Vec<Difference> = PROPERTIES
        .iter()
        .filter_map(|property| {
            let (own, other) = ((property.read)(baseline)?, (property.read)(side)?);
            let detail = if own == other {
                same_count_other_keys(property.name, baseline, side)?
            } else {
                difference_in_words(property.name, baseline, side, own, other)
            };
            let standing = standing(index, compared, property, baseline.cell, side.cell);
            Some(Difference { property: property.name.to_string(), detail, standing })
        })
        .collect();
    found.extend(rows_differ(index, compared, baseline, side));
    found
}

/// Sets of keys, and of plans, can differ though they have as many.
fn same_count_other_keys(name: &str, baseline: &Facts, side: &Facts) -> Option<String> {
    if name == "plans" {
        return plans::first_difference(baseline.plans?, side.plans?);
    }
    let (a, b) = (baseline.keys.as_ref()?, side.keys.as_ref()?);
    let (a, b) = match name {
        "indexes" => (&a.indexes, &b.indexes),
        "foreign keys" => (&a.foreign, &b.foreign),
        _ => return None,
    };
    (a != b).then(|| {
        let (only_a, only_b) = only_in_one(a, b);
        format!("{only_a} against {only_b}")
    })
}

fn difference_in_words(
    name: &str,
    baseline: &Facts,
    side: &Facts,
    own: String,
    other: String,
) -> String {
    match same_count_other_keys(name, baseline, side) {
        Some(keys) => format!("{own} against {other} ({keys})"),
        None => format!("{own} against {other}"),
    }
}

fn standing(
    index: &Index,
    compared: &[String],
    property: &Property,
    baseline: &PlannedCell,
    side: &PlannedCell,
) -> Standing {
    let states = |cell: &PlannedCell, axis: &String| {
        property.stated_as.contains(&axis.as_str())
            || cell.stated.get(axis).is_some_and(|names| {
                names.iter().any(|name| property.stated_as.contains(&bare(name)))
            })
    };
    let declared = compared
        .iter()
        .filter(|axis| !property.gates || !chosen_once(axis))
        .any(|axis| states(baseline, axis) || states(side, axis));
    if declared {
        return Standing::Declared;
    }
    if !property.gates {
        return allowed(index, property.name)
            .map_or(Standing::Told, |because| Standing::Allowed(because.to_string()));
    }
    // Nothing makes an engine without transactions comparable with one that has them.
    if property.name == "transactions" {
        return Standing::Unequal;
    }
    // The suite asks for the releases as they come, defaults included.
    if compared.iter().any(|axis| axis == "server")
        && [baseline, side]
            .iter()
            .all(|cell| cell.settings.get("defaults").is_some_and(|word| word == "shipped"))
        && !states(baseline, &"server".to_string())
        && !states(side, &"server".to_string())
    {
        return Standing::Allowed("defaults shipped: each release as it comes".to_string());
    }
    allowed_or_unequal(index, property.name)
}

/// Why the suite allows a property to differ; none where it does not.
pub(super) fn allowed<'a>(index: &Index<'a>, property: &str) -> Option<&'a str> {
    let allowed = index.plan?.allowed.iter().find(|allowed| same_words(&allowed.what, property))?;
    Some(&allowed.because)
}

fn allowed_or_unequal(index: &Index, property: &str) -> Standing {
    allowed(index, property)
        .map_or(Standing::Unequal, |because| Standing::Allowed(because.to_string()))
}

/// Axes whose values may not choose what must be chosen once for all sides.
fn chosen_once(axis: &str) -> bool {
    matches!(axis, "engine" | "server" | "run")
}

/// A stated name without its class: `option sync_binlog` is `sync_binlog`.
fn bare(name: &str) -> &str {
    name.rsplit(' ').next().unwrap_or(name)
}

/// `foreign_keys`, `foreign keys` and `Foreign Keys` are the same words.
fn same_words(a: &str, b: &str) -> bool {
    a.replace('_', " ").eq_ignore_ascii_case(b)
}

/// Both sides must hold the same rows, unless an axis that is compared moves data.
fn rows_differ(
    index: &Index,
    compared: &[String],
    baseline: &Facts,
    side: &Facts,
) -> Option<Difference> {
    let (a, b) = (baseline.dataset?, side.dataset?);
    let other: Vec<&str> = a
        .checksums
        .iter()
        .filter(|(table, sum)| b.checksums.get(*table).is_some_and(|other| other != *sum))
        .map(|(table, _)| table.as_str())
        .collect();
    let detail = if a.rows != b.rows {
        let rows = |of: &BTreeMap<String, u64>| total(of.values().copied());
        let (rows_a, rows_b) = (rows(&a.rows), rows(&b.rows));
        format!("{rows_a} rows against {rows_b}")
    } else if other.is_empty() {
        return None;
    } else {
        format!("other rows in {}", other.join(", "))
    };
    let standing = if compared.iter().any(|axis| !chosen_once(axis)) {
        Standing::Declared
    } else {
        allowed_or_unequal(index, "data")
    };
    Some(Difference { property: "data".to_string(), detail, standing })
}

/// The ledger of a section: each property with its value on each side, where any side has one.
pub(super) fn rows(sides: &[(String, Facts)]) -> Vec<LedgerRow> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in sides {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    PROPERTIES
        .iter()
        .filter_map(|property| {
            let values: Vec<String> = names
                .iter()
                .map(|name| {
                    let mut values: Vec<String> = sides
                        .iter()
                        .filter(|(side, _)| side == name)
                        .filter_map(|(_, facts)| (property.read)(facts))
                        .collect();
                    values.sort();
                    values.dedup();
                    match values.len() {
                        0 => String::new(),
                        1 => values.remove(0),
                        _ => "by row".to_string(),
                    }
                })
                .collect();
            let known = values.iter().any(|value| !value.is_empty() && value != "by row");
            known.then(|| LedgerRow {
                property: property.name.to_string(),
                values: names.iter().map(ToString::to_string).zip(values).collect(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::equality::ALLOWABLE;

    #[test]
    fn names_are_compared_without_their_class_and_in_any_writing() {
        assert_eq!(bare("option sync_binlog"), "sync_binlog");
        assert_eq!(bare("cache"), "cache");
        assert!(same_words("foreign_keys", "foreign keys"));
        assert!(!same_words("keys", "foreign keys"));
    }

    #[test]
    fn a_suite_may_allow_what_costs_a_delta_but_for_missing_transactions() {
        let mut gating: Vec<String> = PROPERTIES
            .iter()
            .filter(|property| property.gates && property.name != "transactions")
            .map(|property| property.name.replace(' ', "_"))
            .collect();
        gating.extend(["load_path", "data"].map(str::to_string));
        assert_eq!(gating, ALLOWABLE);
    }

    #[test]
    fn no_property_is_there_twice() {
        for (index, property) in PROPERTIES.iter().enumerate() {
            assert!(PROPERTIES[..index].iter().all(|other| other.name != property.name));
        }
    }
}
