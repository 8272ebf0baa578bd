//! The plan and the machine as the journal keeps them.

use super::RunSettings;
use crate::host::disk::FileSystem;
use crate::host::machine::Machine;
use crate::journal::record::{
    Allowed, Average, Comparison, MachineRecord, PlanRecord, PlannedCell, PlannedOption, RunRecord,
    ShardRecord, TableShape, VERSION,
};
use crate::plan::{self, Cell, Plan};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Wall-clock time as the journal writes it: RFC 3339, UTC, milliseconds.
pub(super) fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}

/// This machine with the file system of `work`. `name` replaces the one made of CPU model, cores
/// and memory.
pub fn describe_machine(work: &Path, name: Option<&str>) -> io::Result<MachineRecord> {
    let machine = Machine::here()?;
    let work_fs = FileSystem::of(work)?;
    Ok(MachineRecord {
        name: name.map_or_else(|| machine.folder_name(), str::to_string),
        cpu: machine.cpu,
        cores: machine.cores,
        memory_bytes: machine.memory,
        kernel: machine.kernel,
        work_fs: work_fs.kind,
        work_fs_options: work_fs.options,
        huge_pages: machine.huge_pages,
        governor: machine.governor,
    })
}

pub(super) fn run(plan: &Plan, settings: &RunSettings<'_>) -> RunRecord {
    RunRecord {
        v: VERSION,
        id: settings.id.clone(),
        tool: env!("CARGO_PKG_VERSION").to_string(),
        at: now(),
        title: plan.title.clone(),
        suite_file: format!("{}.bench", plan.suite_name),
        suite_text: plan.suite_text.clone(),
        profiles: plan.profiles.clone(),
        sets: plan.sets.clone(),
        seed: plan.seed,
        shard: plan.shard.map(|shard| ShardRecord { number: shard.number, of: shard.of }),
        imported_from: None,
    }
}

/// The plan as a journal keeps it.
pub fn plan(plan: &Plan) -> PlanRecord {
    PlanRecord {
        cells: plan.cells.iter().map(|cell| planned(plan, cell)).collect(),
        comparisons: plan
            .comparisons
            .iter()
            .map(|comparison| Comparison {
                axes: comparison.axes.clone(),
                baseline: comparison.baseline.clone(),
                place: comparison.place.clone(),
            })
            .collect(),
        expectations: plan.expectations.clone(),
        table: plan.table.clone().map(|(rows, columns)| TableShape { rows, columns }),
        figures: plan.figures.clone(),
        repeat: plan.repeat,
        average: match plan.average {
            plan::Average::Median => Average::Median,
            plan::Average::Mean => Average::Mean,
        },
        allowed: plan
            .allowed
            .iter()
            .map(|(what, because)| Allowed { what: what.clone(), because: because.clone() })
            .collect(),
        probes: plan
            .probes
            .iter()
            .map(|probe| {
                let cold = if probe.cold { " cold" } else { "" };
                format!("{} \"{}\"{cold}", probe.name, probe.sql)
            })
            .collect(),
    }
}

/// Resolved settings as text. Data that repetitions share are one, since they cost the verdict.
fn settings(plan: &Plan, cell: &Cell) -> BTreeMap<String, String> {
    let mut settings: BTreeMap<String, String> =
        cell.settings.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
    if plan.datasets[cell.dataset].source == plan::DataSource::Reuse {
        settings.insert("data".to_string(), "reuse".to_string());
    }
    for (how, lines) in [("session", &cell.set_session), ("set_global", &cell.set_global)] {
        for line in lines {
            let value = line.value.clone().unwrap_or_default();
            settings.insert(format!("{how} {}", line.name), value);
        }
    }
    settings
}

fn planned(plan: &Plan, cell: &Cell) -> PlannedCell {
    PlannedCell {
        key: cell.key.clone(),
        axes: cell.axes.clone(),
        point: cell.point,
        recipe: plan.datasets[cell.dataset].recipe.clone(),
        server: plan.servers[cell.server].name.clone(),
        engine: cell.engine.clone(),
        storage: cell.spec.storage.to_string(),
        transactional: cell.spec.transactional,
        workload: cell.workload.identity(),
        remarks: cell.workload.remarks(),
        headline: cell.headline(),
        headline_type: cell
            .headline_type()
            .map(|kind| cell.workload.transaction_types()[kind].to_string()),
        stated: cell.stated.clone(),
        settings: settings(plan, cell),
        options: cell
            .options
            .iter()
            .map(|option| PlannedOption {
                name: option.line.name.clone(),
                value: option.line.value.clone(),
                place: option.line.place.clone(),
                reason: option.reason.clone(),
            })
            .collect(),
        place: cell.place.clone(),
    }
}
