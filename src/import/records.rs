//! Runs of other tools as the records of a journal.

use super::About;
use super::cells::{Cell, LABEL};
use super::labels::Labelled;
use super::windows::windows;
use crate::journal::Record;
use crate::journal::record::{
    Average, Comparison, EndRecord, MachineRecord, PlanRecord, PlannedCell, RepetitionRecord,
    Round, RunRecord, TypeTotals, VERSION,
};
use crate::model::units::exact_duration;
use crate::model::{Failure, FailureKind, Finding, FindingCode, Metric, Phase, Place, RecipeId};
use crate::tools::{NoteCode, NoteKind, Tool, ToolRun};
use std::collections::BTreeMap;
use std::time::Duration;

/// The records of the journal that these runs become.
pub(super) fn records(
    runs: &[Labelled],
    cells: &[Cell],
    baseline: &str,
    about: &About,
) -> Vec<Record> {
    let mut records = vec![Record::Run(head(runs, about))];
    if let Some(machine) = about.machine {
        let name = machine.to_string();
        records.push(Record::Machine(MachineRecord { name, ..MachineRecord::default() }));
    }
    records.push(Record::Plan(plan(runs, cells, baseline)));
    let (mut finished, mut failed) = (0, 0);
    for cell in cells {
        let mut said: Vec<Finding> = Vec::new();
        for (number, at) in cell.runs.iter().enumerate() {
            let labelled = &runs[*at];
            let repetition = number as u32 + 1;
            records.extend(windows(&cell.key, repetition, &labelled.run).map(Record::Windows));
            records.push(Record::Repetition(self::repetition(
                cell,
                labelled,
                repetition,
                *at as u32 + 1,
                about,
            )));
            if labelled.run.refused.is_some() {
                failed += 1;
            } else {
                finished += 1;
            }
            for finding in findings(cell, &labelled.run) {
                if !said.contains(&finding) {
                    said.push(finding);
                }
            }
        }
        records.extend(said.into_iter().map(Record::Finding));
    }
    records.extend(of_the_whole(runs, cells, baseline).into_iter().map(Record::Finding));
    records.push(Record::End(EndRecord {
        at: about.at.to_string(),
        finished,
        failed,
        interrupted: false,
    }));
    records
}

fn head(runs: &[Labelled], about: &About) -> RunRecord {
    let mut tools: Vec<String> = Vec::new();
    for run in runs.iter().map(|labelled| &labelled.run) {
        let tool = format!("{} ({})", run.tool, run.era);
        if !tools.contains(&tool) {
            tools.push(tool);
        }
    }
    let mut files: Vec<&str> = Vec::new();
    for labelled in runs {
        if !files.contains(&labelled.file.as_str()) {
            files.push(&labelled.file);
        }
    }
    RunRecord {
        v: VERSION,
        id: about.id.to_string(),
        tool: env!("CARGO_PKG_VERSION").to_string(),
        at: about.at.to_string(),
        title: format!("Import of {}", files.join(", ")),
        imported_from: Some(tools.join(", ")),
        ..RunRecord::default()
    }
}

fn plan(runs: &[Labelled], cells: &[Cell], baseline: &str) -> PlanRecord {
    let several = cells.iter().any(|cell| cell.key.get(LABEL).is_some());
    let comparison = several.then(|| Comparison {
        axes: vec![LABEL.to_string()],
        baseline: vec![baseline.to_string()],
        place: Place::new("<import>", 1, 1),
    });
    PlanRecord {
        cells: cells.iter().map(|cell| planned(cell, runs)).collect(),
        comparisons: comparison.into_iter().collect(),
        repeat: cells.iter().map(|cell| cell.runs.len()).max().unwrap_or(0) as u32,
        average: Average::Median,
        ..PlanRecord::default()
    }
}

/// The metric that a tool's runs are told by, also where a run has no figure.
fn headline(tool: Tool) -> (Metric, Option<String>) {
    match tool {
        Tool::TpccStart | Tool::GoTpc => (Metric::Tpmc, Some("new_order".to_string())),
        Tool::Sysbench | Tool::SysbenchTpcc => (Metric::Tps, None),
    }
}

fn planned(cell: &Cell, runs: &[Labelled]) -> PlannedCell {
    let labelled = &runs[cell.runs[0]];
    let run = &labelled.run;
    let (headline, headline_type) = headline(run.tool);
    let mut settings = BTreeMap::new();
    let mut set = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            settings.insert(name.to_string(), value);
        }
    };
    let time = |seconds: Option<f64>| {
        let seconds = seconds.filter(|seconds| (0.0..1e9).contains(seconds))?;
        Some(exact_duration(Duration::from_secs(seconds.round() as u64)))
    };
    set("clients", run.clients.map(|clients| clients.to_string()));
    set("warehouses", run.warehouses.map(|warehouses| warehouses.to_string()));
    set("warmup", time(run.warmup_s));
    set("measure", time(run.measured_s));
    PlannedCell {
        key: cell.key.clone(),
        axes: cell.axes.clone(),
        point: cell.point,
        recipe: RecipeId(String::new()),
        server: String::new(),
        engine: String::new(),
        storage: String::new(),
        transactional: true,
        workload: run.workload.clone(),
        remarks: Vec::new(),
        headline,
        headline_type,
        stated: BTreeMap::new(),
        settings,
        options: Vec::new(),
        place: place(labelled, run.lines.0),
    }
}

fn place(labelled: &Labelled, line: usize) -> Place {
    Place::new(labelled.file.clone(), u32::try_from(line).unwrap_or(u32::MAX), 1)
}

fn repetition(
    cell: &Cell,
    labelled: &Labelled,
    repetition: u32,
    order: u32,
    about: &About,
) -> RepetitionRecord {
    let run = &labelled.run;
    let metrics = run.metrics();
    let seconds = run.measured_s.filter(|seconds| (0.0..1e9).contains(seconds)).unwrap_or(0.0);
    let counted = |count: u64| -> BTreeMap<u16, u64> {
        // A tool's summary does not tell errors apart; 0 is no number of a server's error.
        (count > 0).then_some((0, count)).into_iter().collect()
    };
    let types = run
        .types
        .iter()
        .map(|of| TypeTotals {
            name: of.name.clone(),
            committed: of.completed,
            retries: counted(of.retried),
            errors: counted(of.failed),
            ..TypeTotals::default()
        })
        .collect();
    let failure = run.refused.as_ref().map(|refusal| {
        Failure::new(Phase::Measure, FailureKind::Tool, refusal.reason.clone())
            .next_step("measure this again; nothing in the output can stand for a result")
            .at(place(labelled, refusal.line.unwrap_or(run.lines.0)))
    });
    RepetitionRecord {
        cell: cell.key.clone(),
        repetition,
        order,
        at: about.at.to_string(),
        elapsed_ms: (seconds * 1000.0).round() as u64,
        rounds: vec![Round {
            round: 1,
            duration_ns: (seconds * 1e9).round() as u64,
            types,
            metrics: metrics.clone(),
        }],
        metrics,
        checks: Vec::new(),
        clients: run.clients.unwrap_or(0),
        resident_before_start: None,
        resident_before_measure: None,
        open: None,
        variables: BTreeMap::new(),
        failure,
    }
}

/// What was said about a run, as findings of its cell.
fn findings(cell: &Cell, run: &ToolRun) -> Vec<Finding> {
    run.notes
        .iter()
        .map(|note| {
            if note.code == NoteCode::Short {
                return Finding::new(FindingCode::TooShort, note.said.clone()).of(cell.key.clone());
            }
            let code = match note.kind() {
                NoteKind::Repaired => FindingCode::ImportRepaired,
                NoteKind::Tagged => FindingCode::ImportTagged,
                NoteKind::LeftOut => FindingCode::ImportLeftOut,
                NoteKind::Cut => FindingCode::ImportCut,
                NoteKind::Seen => FindingCode::ImportSeen,
            };
            let seen = format!("{}: {}", note.code.title(), note.said);
            Finding::new(code, seen).of(cell.key.clone())
        })
        .collect()
}

/// What concerns more than one run: labels that cannot be paired, and single runs.
fn of_the_whole(runs: &[Labelled], cells: &[Cell], baseline: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    let first = |cell: &Cell| &runs[cell.runs[0]];
    for cell in cells.iter().filter(|cell| !first(cell).label.eq_ignore_ascii_case(baseline)) {
        let paired = cells.iter().any(|other| {
            other.point == cell.point
                && first(other).label.eq_ignore_ascii_case(baseline)
                && headline(first(other).run.tool).0 == headline(first(cell).run.tool).0
        });
        let Some(other) =
            cells.iter().find(|other| first(other).label.eq_ignore_ascii_case(baseline))
        else {
            continue;
        };
        if !paired {
            let why = why_apart(&first(cell).run, &first(other).run);
            let seen = format!("{} is not compared with {baseline}: {why}", first(cell).label);
            found.push(Finding::new(FindingCode::NotPaired, seen).of(cell.key.clone()));
        }
    }
    if !cells.is_empty() && cells.iter().all(|cell| cell.runs.len() == 1) {
        found.push(Finding::new(FindingCode::OneRepetition, "every label has one run"));
    }
    found
}

fn why_apart(run: &ToolRun, baseline: &ToolRun) -> String {
    let (own, other) = (headline(run.tool).0, headline(baseline.tool).0);
    if own != other {
        return format!("{} and {} are different measures", own.heading(), other.heading());
    }
    let mut unlike = Vec::new();
    if run.workload != baseline.workload {
        unlike.push(format!("{} against {}", run.workload, baseline.workload));
    }
    let parameters = [
        ("warehouses", run.warehouses, baseline.warehouses),
        ("clients", run.clients, baseline.clients),
    ];
    for (name, own, other) in parameters {
        if own != other {
            let said = |value: Option<u32>| {
                value.map_or_else(|| "not said".to_string(), |v| v.to_string())
            };
            unlike.push(format!("{name} {} against {}", said(own), said(other)));
        }
    }
    unlike.join(", ")
}
