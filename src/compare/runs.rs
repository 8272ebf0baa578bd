//! Several runs as one: the run becomes an axis of its own, and its first value the baseline. All
//! that compares the cells of one run then compares runs.

use super::view::{Difference, OnlyIn, Section, Side, Standing};
use crate::journal::record::{
    Comparison, DatasetRecord, MachineRecord, PlanRecord, PlannedCell, RunRecord, ServerRecord,
};
use crate::journal::{Record, changes, effective};
use crate::model::{AxisValue, CellKey, Finding, FindingCode, Place, RecipeId, SettingValue};
use std::collections::{BTreeMap, BTreeSet};

/// The name of the axis.
pub(super) const AXIS: &str = "run";

/// A run with the name it is compared under.
#[derive(Clone, Copy, Debug)]
pub struct NamedRun<'a> {
    /// How reports call it.
    pub name: &'a str,
    /// Its journal.
    pub records: &'a [Record],
}

/// The records of all runs as those of one run that compares them. Cells are told apart by an axis
/// `run`; so are datasets and servers, which may differ although they have the same name.
pub(super) fn joined(runs: &[NamedRun]) -> Vec<Record> {
    let mut plan = PlanRecord::default();
    let mut head: Option<RunRecord> = None;
    let mut rest = Vec::new();
    let axes = all_axes(runs);
    for run in runs {
        let mut keys = Keys { axes: &axes, run: run.name, known: BTreeMap::new() };
        for record in effective(run.records) {
            match record {
                Record::Resumed(_) => {}
                Record::Run(other) => match &mut head {
                    // The suite was changed on the way.
                    Some(head) if head.id.ends_with(&other.id) => {}
                    None => head = Some(other.clone()),
                    Some(head) => head.id = format!("{}, {}", head.id, other.id),
                },
                Record::Plan(own) => keys.add_plan(&mut plan, own),
                other => rest.push(keys.renamed(other)),
            }
        }
    }
    plan.comparisons = vec![Comparison {
        axes: vec![AXIS.to_string()],
        baseline: vec![runs.first().map_or_else(String::new, |run| run.name.to_string())],
        place: Place::new("<runs>", 1, 1),
    }];
    let mut records = Vec::with_capacity(rest.len() + 2);
    records.extend(head.map(Record::Run));
    records.push(Record::Plan(plan));
    records.extend(rest);
    records
}

/// Axes that any run has, in order.
fn all_axes(runs: &[NamedRun]) -> Vec<String> {
    let mut axes: Vec<String> = Vec::new();
    for record in runs.iter().flat_map(|run| run.records) {
        let Record::Plan(plan) = record else { continue };
        for axis in plan.cells.iter().flat_map(|cell| &cell.axes) {
            if !axes.contains(&axis.axis) {
                axes.push(axis.axis.clone());
            }
        }
    }
    axes
}

/// How the cells of one run are called among all.
struct Keys<'a> {
    axes: &'a [String],
    run: &'a str,
    known: BTreeMap<CellKey, CellKey>,
}

impl Keys<'_> {
    fn add_plan(&mut self, plan: &mut PlanRecord, own: &PlanRecord) {
        plan.repeat = plan.repeat.max(own.repeat);
        plan.average = own.average;
        plan.allowed.extend(own.allowed.iter().cloned());
        plan.table = plan.table.take().or_else(|| own.table.clone());
        for cell in &own.cells {
            let renamed = self.cell(cell);
            // A journal that names a cell twice has it once.
            if !plan.cells.iter().any(|known| known.key == renamed.key) {
                plan.cells.push(renamed);
            }
        }
    }

    /// The cell with the axis `run`, and with those that are axes in other runs and have one value
    /// here.
    fn cell(&mut self, cell: &PlannedCell) -> PlannedCell {
        let mut axes = Vec::new();
        let mut key = cell.key.clone();
        for name in self.axes {
            if let Some(own) = cell.axes.iter().find(|axis| axis.axis == *name) {
                axes.push(own.clone());
            } else if let Some(text) = cell.settings.get(name) {
                axes.push(AxisValue { axis: name.clone(), value: SettingValue::read(text) });
                key = key.with(name, &text.to_lowercase());
            }
        }
        axes.push(AxisValue {
            axis: AXIS.to_string(),
            value: SettingValue::Word(self.run.to_string()),
        });
        let key = key.with(AXIS, &self.run.to_lowercase());
        self.known.insert(cell.key.clone(), key.clone());
        PlannedCell {
            key,
            axes,
            recipe: recipe(&cell.recipe, self.run),
            server: server(&cell.server, self.run),
            ..cell.clone()
        }
    }

    fn key(&self, cell: &CellKey) -> CellKey {
        let known = self.known.get(cell).cloned();
        known.unwrap_or_else(|| cell.with(AXIS, &self.run.to_lowercase()))
    }

    fn renamed(&self, record: &Record) -> Record {
        let run = self.run;
        let mut record = record.clone();
        match &mut record {
            Record::Server(ServerRecord { name, .. }) => *name = server(name, run),
            Record::Dataset(DatasetRecord { recipe: own, server: on, .. }) => {
                *own = recipe(own, run);
                *on = server(on, run);
            }
            Record::Repetition(repetition) => repetition.cell = self.key(&repetition.cell),
            Record::Windows(windows) => windows.cell = self.key(&windows.cell),
            Record::Samples(samples) => samples.cell = self.key(&samples.cell),
            Record::Plans(plans) => plans.cell = self.key(&plans.cell),
            Record::Collected(collected) => collected.cell = self.key(&collected.cell),
            Record::Probe(probe) => probe.cell = self.key(&probe.cell),
            Record::Failed(failed) => {
                for cell in &mut failed.cells {
                    *cell = self.key(cell);
                }
            }
            Record::Finding(finding) => {
                finding.cell = finding.cell.as_ref().map(|cell| self.key(cell));
                finding.seen = format!("{run}: {}", finding.seen);
            }
            _ => {}
        }
        record
    }
}

fn recipe(recipe: &RecipeId, run: &str) -> RecipeId {
    RecipeId(format!("{recipe} of {run}"))
}

fn server(name: &str, run: &str) -> String {
    format!("{name} of {run}")
}

/// In what the runs differ from the first as wholes, so that no delta between them can be read:
/// run by name. `mixed` allows that they ran on unlike machines.
pub(super) fn unlike(runs: &[NamedRun], mixed: bool) -> BTreeMap<String, Vec<Difference>> {
    let Some((first, others)) = runs.split_first() else { return BTreeMap::new() };
    let mut found: BTreeMap<String, Vec<Difference>> = BTreeMap::new();
    for other in others {
        let mut add = |what: &str, how: String, standing| {
            let detail = format!("{what}: {how}");
            let property = "run".to_string();
            let differences = found.entry(other.name.to_lowercase()).or_default();
            differences.push(Difference { property, detail, standing });
        };
        if let Some(how) = machines(first, other) {
            let allowed = || Standing::Allowed("`--mixed` says so".to_string());
            add("machine", how, if mixed { allowed() } else { Standing::Unequal });
        }
        let (a, b) = (origin(first), origin(other));
        if a != b {
            add("measured by", format!("{a} against {b}"), Standing::Unequal);
        }
    }
    found
}

/// The finding of each run that was made on another kind of machine than the first.
pub(super) fn mixed(runs: &[NamedRun]) -> Vec<Finding> {
    let Some((first, others)) = runs.split_first() else { return Vec::new() };
    others
        .iter()
        .filter_map(|other| {
            let seen =
                format!("{} against {}: {}", other.name, first.name, machines(first, other)?);
            Some(Finding::new(FindingCode::MixedMachines, seen))
        })
        .collect()
}

/// In what the machines of two runs are unlike; none where they are alike or both unknown.
fn machines(one: &NamedRun, other: &NamedRun) -> Option<String> {
    let words = match (machine(one), machine(other)) {
        (Some(one), Some(other)) => changes::unlike(one, other),
        (None, None) => Vec::new(),
        (one, other) => {
            let name = |machine: Option<&MachineRecord>| {
                machine.map_or_else(|| "not said".to_string(), |machine| machine.name.clone())
            };
            vec![format!("{} against {}", name(one), name(other))]
        }
    };
    (!words.is_empty()).then(|| words.join("; "))
}

fn machine<'a>(run: &NamedRun<'a>) -> Option<&'a MachineRecord> {
    run.records.iter().find_map(|record| match record {
        Record::Machine(machine) => Some(machine),
        _ => None,
    })
}

fn origin(run: &NamedRun) -> String {
    let origin = run.records.iter().find_map(|record| match record {
        Record::Run(run) => Some(run.imported_from.clone()),
        _ => None,
    });
    origin.flatten().unwrap_or_else(|| "enginecmp".to_string())
}

/// Points that only some of the runs have, and how the nearest cell of another run differs.
pub(super) fn only_in(sections: &[Section]) -> Vec<OnlyIn> {
    let runs: BTreeSet<&str> = sides(sections).filter_map(|side| side.cell.get(AXIS)).collect();
    let mut found = Vec::new();
    for point in sections.iter().flat_map(|section| &section.points) {
        if point.sides.len() >= runs.len() {
            continue;
        }
        for side in &point.sides {
            let Some(run) = side.cell.get(AXIS) else { continue };
            let nearest = sides(sections)
                .filter(|other| other.cell.get(AXIS) != Some(run))
                .map(|other| differing(&side.cell, &other.cell))
                .min_by_key(Vec::len)
                .map(|axes| axes.join(", "));
            let cell = side.cell.without(AXIS);
            found.push(OnlyIn { run: run.to_string(), cell, nearest });
        }
    }
    found
}

fn sides(sections: &[Section]) -> impl Iterator<Item = &Side> {
    sections.iter().flat_map(|section| &section.points).flat_map(|point| &point.sides)
}

/// The values of `other` on axes where it differs from `own`.
fn differing(own: &CellKey, other: &CellKey) -> Vec<String> {
    let axes: BTreeSet<&str> =
        own.iter().chain(other.iter()).map(|(axis, _)| axis).filter(|axis| *axis != AXIS).collect();
    axes.into_iter()
        .filter(|axis| own.get(axis) != other.get(axis))
        .map(|axis| format!("{axis}={}", other.get(axis).unwrap_or("none")))
        .collect()
}
