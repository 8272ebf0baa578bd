//! What a changed suite changes in a run that was begun with the suite as it was, and in what two
//! machines, or the servers on them, differ.

use super::record::{MachineRecord, PlanRecord, PlannedCell, ServerRecord};
use crate::model::CellKey;
use crate::model::units::human_bytes;
use std::collections::{BTreeMap, BTreeSet};

/// What is different.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Cells that are as they were: their repetitions count.
    pub kept: Vec<CellKey>,
    /// Cells that have the same axis values and are something else all the same: what differs, in
    /// words.
    pub changed: Vec<(CellKey, Vec<String>)>,
    /// Cells that were not there.
    pub new: Vec<CellKey>,
    /// Cells that are no longer there.
    pub gone: Vec<CellKey>,
    /// Something is different in the plan, be it only what is compared.
    pub any: bool,
}

/// What is different between two plans.
pub fn between(before: &PlanRecord, now: &PlanRecord) -> Changes {
    let mut changes = Changes { any: before != now, ..Changes::default() };
    let known: BTreeMap<&CellKey, &PlannedCell> =
        before.cells.iter().map(|cell| (&cell.key, cell)).collect();
    let probes = listed("probe", &before.probes, &now.probes);
    for cell in &now.cells {
        match known.get(&cell.key) {
            None => changes.new.push(cell.key.clone()),
            Some(before) => {
                let mut words = of_cell(before, cell);
                words.extend(probes.iter().cloned());
                if words.is_empty() {
                    changes.kept.push(cell.key.clone());
                } else {
                    changes.changed.push((cell.key.clone(), words));
                }
            }
        }
    }
    let now: BTreeSet<&CellKey> = now.cells.iter().map(|cell| &cell.key).collect();
    changes.gone = known.into_keys().filter(|key| !now.contains(key)).cloned().collect();
    changes
}

/// In what a cell differs that bears on its figures. Lines of a suite that moved do not.
fn of_cell(before: &PlannedCell, now: &PlannedCell) -> Vec<String> {
    let mut words = pairs(&before.settings, &now.settings);
    let options = |cell: &PlannedCell| -> BTreeMap<String, String> {
        let mut options: BTreeMap<String, String> = BTreeMap::new();
        for option in &cell.options {
            let value = option.value.clone().unwrap_or_else(|| "set".to_string());
            // Some options repeat.
            let all = options.entry(format!("option {}", option.name)).or_default();
            all.push_str(if all.is_empty() { "" } else { ", " });
            all.push_str(&value);
        }
        options
    };
    words.extend(pairs(&options(before), &options(now)));
    for (what, before, now) in [
        ("server", &before.server, &now.server),
        ("storage", &before.storage, &now.storage),
        ("workload", &before.workload, &now.workload),
    ] {
        if before != now {
            words.push(format!("{what}: {before}, now {now}"));
        }
    }
    if words.is_empty() && before.recipe != now.recipe {
        words.push("its data are made by another recipe".to_string());
    }
    words
}

fn pairs(before: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<String> {
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let value = |map: &BTreeMap<String, String>, name: &String| {
        map.get(name).cloned().unwrap_or_else(|| "not set".to_string())
    };
    names
        .into_iter()
        .filter(|name| before.get(*name) != now.get(*name))
        .map(|name| format!("{name}: {}, now {}", value(before, name), value(now, name)))
        .collect()
}

fn listed(what: &str, before: &[String], now: &[String]) -> Vec<String> {
    let gone = before.iter().filter(|one| !now.contains(one)).map(|one| format!("no {what} {one}"));
    let new = now.iter().filter(|one| !before.contains(one)).map(|one| format!("{what} {one}"));
    gone.chain(new).collect()
}

/// Machines of one type report memory that differs by a few pages.
const MEMORY_ALIKE: f64 = 0.01;

/// In what two machines differ that bears on figures, in words.
pub fn unlike(one: &MachineRecord, other: &MachineRecord) -> Vec<String> {
    let mut words = Vec::new();
    let mut differ = |what: &str, one: &dyn std::fmt::Display, other: &dyn std::fmt::Display| {
        let (one, other) = (one.to_string(), other.to_string());
        if one != other {
            words.push(format!("{what}: {one} and {other}"));
        }
    };
    differ("CPU", &one.cpu, &other.cpu);
    differ("cores", &one.cores, &other.cores);
    differ("kernel", &one.kernel, &other.kernel);
    differ("file system", &one.work_fs, &other.work_fs);
    let (own, its) = (one.memory_bytes as f64, other.memory_bytes as f64);
    if (own - its).abs() > MEMORY_ALIKE * own.max(its) {
        words.push(format!("memory: {} and {}", human_bytes(own), human_bytes(its)));
    }
    words
}

/// In what servers of one name differ between two runs, in words. A server that one of them did not
/// start says nothing.
pub fn unlike_servers<'r>(
    one: impl Iterator<Item = &'r ServerRecord>,
    other: impl Iterator<Item = &'r ServerRecord>,
) -> Vec<String> {
    // One that was started again under another build counts as it was last.
    let by_name = |servers: &mut dyn Iterator<Item = &'r ServerRecord>| {
        servers.map(|server| (&server.name, server)).collect::<BTreeMap<_, _>>()
    };
    let (mut one, mut other) = (one, other);
    let (one, other) = (by_name(&mut one), by_name(&mut other));
    let shared = one.iter().filter_map(|(name, server)| Some((name, server, other.get(name)?)));
    let told = |server: &ServerRecord| {
        format!("{} {} {}", server.family, server.version, server.build).trim_end().to_string()
    };
    shared
        .map(|(name, one, other)| (name, told(one), told(other)))
        .filter(|(_, one, other)| one != other)
        .map(|(name, one, other)| format!("server {name}: {one} and {other}"))
        .collect()
}
