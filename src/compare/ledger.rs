//! The fairness ledger: in what the sides of a pair differ beyond what the compared axis says.
//!
//! A property is read from the running server where that is recorded, else from the plan. Those on
//! which the figures plainly depend (durability, isolation, keys ...) cost a pair its delta when they
//! differ unsaid. The compared axis says what its values state; but engines and servers are never
//! taken to state such a property, since it would then be chosen by engine.

use super::cells::Index;
use super::ddl::{TableKeys, keys, only_in_one};
use super::view::{Difference, LedgerRow, Standing};
use crate::journal::record::{DatasetRecord, PlannedCell};
use std::collections::BTreeMap;

/// One line of the ledger.
struct Property {
    name: &'static str,
    /// Settings and options behind it: an axis that states one of them declares the property.
    stated_as: &'static [&'static str],
    /// Whether an undeclared difference costs the delta.
    gates: bool,
    read: fn(&Facts) -> Option<String>,
}

/// What is known of one cell.
pub(super) struct Facts<'a> {
    cell: &'a PlannedCell,
    variables: BTreeMap<&'a str, &'a str>,
    dataset: Option<&'a DatasetRecord>,
    keys: Option<TableKeys>,
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
        Self { cell, variables, dataset, keys }
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

const PROPERTIES: &[Property] = &[
    Property {
        name: "transactions",
        stated_as: &[],
        gates: true,
        read: |facts| {
            // Of what another tool measured the engine is not known.
            let known = !facts.cell.storage.is_empty();
            known.then(|| if facts.cell.transactional { "yes" } else { "no" }.to_string())
        },
    },
    Property {
        name: "workload",
        stated_as: &["mode", "density", "distribution"],
        gates: true,
        read: |facts| Some(facts.cell.workload.clone()),
    },
    Property {
        name: "durability",
        stated_as: &[
            "innodb_flush_log_at_trx_commit",
            "rocksdb_flush_log_at_trx_commit",
            "tokudb_commit_sync",
            "tokudb_fsync_log_period",
            "durability",
        ],
        gates: true,
        read: durability,
    },
    Property {
        name: "binary log",
        stated_as: &["log_bin", "skip_log_bin", "sync_binlog", "binlog_format"],
        gates: true,
        read: binary_log,
    },
    Property {
        name: "isolation",
        stated_as: &[
            "isolation",
            "transaction_isolation",
            "tx_isolation",
            "innodb_snapshot_isolation",
        ],
        gates: true,
        read: isolation,
    },
    Property {
        name: "lock wait",
        stated_as: &[
            "innodb_lock_wait_timeout",
            "rocksdb_lock_wait_timeout",
            "tokudb_lock_timeout",
            "lock_wait",
        ],
        gates: true,
        read: lock_wait,
    },
    Property {
        name: "deadlock detection",
        stated_as: &["innodb_deadlock_detect", "rocksdb_deadlock_detect"],
        gates: true,
        read: deadlock_detection,
    },
    Property {
        name: "indexes",
        stated_as: &["schema", "strip", "keep", "indexes"],
        gates: true,
        read: |facts| facts.keys.as_ref().map(|keys| keys.indexes.len().to_string()),
    },
    Property {
        name: "foreign keys",
        stated_as: &["schema", "strip", "keep", "foreign_keys"],
        gates: true,
        read: |facts| facts.keys.as_ref().map(|keys| keys.foreign.len().to_string()),
    },
    Property {
        name: "charset",
        stated_as: &["schema", "charset", "collation", "character_set_server"],
        gates: true,
        read: |facts| {
            let charsets = &facts.keys.as_ref()?.charsets;
            Some(charsets.iter().cloned().collect::<Vec<_>>().join(", "))
        },
    },
    Property {
        name: "cache",
        stated_as: &["cache"],
        gates: true,
        read: |facts| facts.setting("cache"),
    },
    Property {
        name: "clients",
        stated_as: &["clients"],
        gates: true,
        read: |facts| facts.setting("clients"),
    },
    Property {
        name: "reads and writes",
        stated_as: &["io", "innodb_flush_method", "rocksdb_use_direct_reads", "tokudb_directio"],
        gates: false,
        read: |facts| facts.setting("io"),
    },
    Property {
        name: "compression",
        stated_as: &["compression", "row_format"],
        gates: false,
        read: |facts| facts.setting("compression"),
    },
    Property {
        name: "row format",
        stated_as: &["compression", "row_format"],
        gates: false,
        read: |facts| facts.setting("row_format"),
    },
    Property {
        name: "doublewrite",
        stated_as: &["innodb_doublewrite"],
        gates: false,
        read: |facts| on_off(facts.variable("innodb_doublewrite")?, &facts.storage(), "innodb"),
    },
    Property {
        name: "performance schema",
        stated_as: &["performance_schema"],
        gates: false,
        read: |facts| facts.variable("performance_schema").map(lower),
    },
    Property {
        name: "allocator",
        stated_as: &["version_malloc_library"],
        gates: false,
        read: |facts| facts.variable("version_malloc_library").map(str::to_string),
    },
];

fn lower(text: &str) -> String {
    text.to_lowercase()
}

fn on_off(value: &str, storage: &str, of: &str) -> Option<String> {
    (storage == of).then(|| lower(value))
}

fn is_on(value: &str) -> bool {
    matches!(value.to_lowercase().as_str(), "on" | "1" | "yes" | "true")
}

/// When a commit is safe on disk.
fn durability(facts: &Facts) -> Option<String> {
    let by_flush = |value: &str| {
        match value {
            "1" => "each commit",
            "2" => "written at commit, synced each second",
            "0" => "each second",
            other => return format!("flush setting {other}"),
        }
        .to_string()
    };
    match facts.storage().as_str() {
        "innodb" => facts.variable("innodb_flush_log_at_trx_commit").map(by_flush),
        "rocksdb" => facts.variable("rocksdb_flush_log_at_trx_commit").map(by_flush),
        "tokudb" => {
            let sync = facts.variable("tokudb_commit_sync")?;
            Some(if is_on(sync) {
                "each commit".to_string()
            } else {
                let period = facts.variable("tokudb_fsync_log_period").unwrap_or("0");
                format!("each {period} ms")
            })
        }
        _ => None,
    }
}

/// The level; MariaDB can take REPEATABLE READ by its word (snapshot isolation), which other
/// releases do not.
fn isolation(facts: &Facts) -> Option<String> {
    let level = facts
        .setting("isolation")
        .or_else(|| facts.variable("transaction_isolation").map(str::to_string))
        .or_else(|| facts.variable("tx_isolation").map(str::to_string))?
        .replace(['_', '-'], " ")
        .to_uppercase();
    let snapshot = facts.storage() == "innodb"
        && facts.variable("innodb_snapshot_isolation").is_some_and(is_on);
    Some(if snapshot { format!("{level}, snapshot isolation") } else { level })
}

fn binary_log(facts: &Facts) -> Option<String> {
    let log_bin = facts.variable("log_bin")?;
    if !is_on(log_bin) {
        return Some("off".to_string());
    }
    Some(match facts.variable("sync_binlog") {
        Some("0") => "on, never synced".to_string(),
        Some("1") => "on, synced at each commit".to_string(),
        Some(n) => format!("on, synced every {n} commits"),
        None => "on".to_string(),
    })
}

fn lock_wait(facts: &Facts) -> Option<String> {
    let (variable, units) = match facts.storage().as_str() {
        "innodb" => ("innodb_lock_wait_timeout", 1.0),
        "rocksdb" => ("rocksdb_lock_wait_timeout", 1.0),
        "tokudb" => ("tokudb_lock_timeout", 1000.0),
        _ => return None,
    };
    let value: f64 = facts.variable(variable)?.parse().ok()?;
    Some(format!("{} s", value / units))
}

fn deadlock_detection(facts: &Facts) -> Option<String> {
    let variable = match facts.storage().as_str() {
        "innodb" => "innodb_deadlock_detect",
        "rocksdb" => "rocksdb_deadlock_detect",
        _ => return None,
    };
    Some(if is_on(facts.variable(variable)?) { "on" } else { "off" }.to_string())
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

/// Sets of keys can differ though they have as many.
fn same_count_other_keys(name: &str, baseline: &Facts, side: &Facts) -> Option<String> {
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
    if declared || !property.gates {
        return Standing::Declared;
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
    match index.plan.and_then(|plan| {
        plan.allowed.iter().find(|allowed| same_words(&allowed.what, property.name))
    }) {
        Some(allowed) => Standing::Allowed(allowed.because.clone()),
        None => Standing::Unequal,
    }
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
        let (rows_a, rows_b): (u64, u64) = (a.rows.values().sum(), b.rows.values().sum());
        format!("{rows_a} rows against {rows_b}")
    } else if other.is_empty() {
        return None;
    } else {
        format!("other rows in {}", other.join(", "))
    };
    let standing = if compared.iter().any(|axis| !chosen_once(axis)) {
        Standing::Declared
    } else {
        index
            .plan
            .and_then(|plan| plan.allowed.iter().find(|allowed| same_words(&allowed.what, "data")))
            .map_or(Standing::Unequal, |allowed| Standing::Allowed(allowed.because.clone()))
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
        gating.push("data".to_string());
        assert_eq!(gating, ALLOWABLE);
    }

    #[test]
    fn no_property_is_there_twice() {
        for (index, property) in PROPERTIES.iter().enumerate() {
            assert!(PROPERTIES[..index].iter().all(|other| other.name != property.name));
        }
    }
}
