//! A plan as text: cells in order, datasets, final options, estimates, findings.

use super::columns::{columns, wrapped};
use super::{axis_names, by_options, numbers, shared_across, sharing_reason};
use crate::model::SettingValue;
use crate::model::units::{exact_duration, human_bytes};
use crate::plan::advice::Advice;
use crate::plan::estimate::estimate;
use crate::plan::{Average, Cell, CellOption, Plan, maxima};
use crate::target::OptionLine;
use std::fmt::Write as _;

const WRITTEN: &str = "a string takes everything";

/// The whole plan, for a terminal of `width` columns.
pub fn text(plan: &Plan, advice: &Advice, width: usize) -> String {
    let mut out = String::new();
    head(plan, &mut out);
    servers(plan, width, &mut out);
    cells(plan, width, &mut out);
    datasets(plan, width, &mut out);
    schema(plan, width, &mut out);
    options(plan, width, &mut out);
    estimates(plan, &mut out);
    repetitions(advice, plan, width, &mut out);
    findings(plan, width, &mut out);
    out
}

fn head(plan: &Plan, out: &mut String) {
    let mut about = vec![format!("suite {}", plan.suite_name)];
    if !plan.profiles.is_empty() {
        about.push(format!("profile {}", plan.profiles.join(", ")));
    }
    about.extend(plan.sets.iter().map(|set| format!("--set {set}")));
    about.push(format!("seed {}", plan.seed));
    writeln!(out, "{}\n{}", plan.title, about.join(", ")).expect(WRITTEN);
}

fn servers(plan: &Plan, width: usize, out: &mut String) {
    out.push_str("\nservers\n");
    for server in &plan.servers {
        let said = match (&server.description, &server.missing) {
            (Some(found), _) => {
                let place = found
                    .binary
                    .as_ref()
                    .map_or_else(String::new, |path| format!(" at {}", path.display()));
                format!(
                    "{}: {} {}{place}, with {}",
                    server.name,
                    found.family,
                    found.version,
                    found.engines.join(", ")
                )
            }
            (None, why) => format!(
                "{}: there is no {}: {}",
                server.name,
                server.wanted,
                why.as_deref().unwrap_or("there is none")
            ),
        };
        writeln!(out, "  {}", wrapped(&said, 4, width)).expect(WRITTEN);
    }
}

fn cells(plan: &Plan, width: usize, out: &mut String) {
    let repetitions = if plan.repeat == 1 { "repetition" } else { "repetitions" };
    let average = match plan.average {
        Average::Median => "median",
        Average::Mean => "mean",
    };
    writeln!(
        out,
        "\ncells: {}, each with {} {repetitions} ({average}), lap by lap, sides interleaved",
        plan.cells.len(),
        plan.repeat
    )
    .expect(WRITTEN);
    let axes = axis_names(plan);
    let same = common_settings(plan, &axes);
    if !same.is_empty() {
        let said = format!("in all of them: {}", same.join(", "));
        writeln!(out, "  {}", wrapped(&said, 4, width)).expect(WRITTEN);
    }
    let mut workloads: Vec<(&str, String)> = Vec::new();
    for cell in plan.with_workloads() {
        let workload = (cell.workload_name.as_str(), cell.workload.identity());
        if !workloads.contains(&workload) {
            workloads.push(workload);
        }
    }
    for (name, identity) in workloads {
        let said = format!("workload {name}: {identity}");
        writeln!(out, "  {}", wrapped(&said, 4, width)).expect(WRITTEN);
    }
    let first = maxima(plan).len();
    if first > 0 {
        let said = format!(
            "measured first in a closed loop, for rates that are shares of a maximum: {first} \
             cell{}",
            if first == 1 { "" } else { "s" }
        );
        writeln!(out, "  {}", wrapped(&said, 4, width)).expect(WRITTEN);
    }
    let mut lines = Vec::with_capacity(plan.cells.len() + 1);
    let mut heading = vec!["cell".to_string(), "row".to_string()];
    heading.extend(axes.iter().cloned());
    heading.extend(["phases", "dataset"].map(str::to_string));
    lines.push(heading);
    for (index, cell) in plan.cells.iter().enumerate() {
        let mut line = vec![(index + 1).to_string(), (cell.point + 1).to_string()];
        line.extend(axes.iter().map(|axis| value_on(cell, axis)));
        line.push(phases(cell));
        line.push(format!("d{}", cell.dataset + 1));
        if cell.unavailable.is_some() {
            line.push("not available".to_string());
        }
        lines.push(line);
    }
    out.push_str(&columns(&lines, 2));
}

/// Settings that have one value in all cells and are no axis: `warehouses 40`.
fn common_settings(plan: &Plan, axes: &[String]) -> Vec<String> {
    let shown_elsewhere = [
        "engine", "server", "storage", "workload", "warmup", "measure", "rounds", "count", "steady",
    ];
    let Some((first, others)) = plan.cells.split_first() else { return Vec::new() };
    let mut same: Vec<(&String, &SettingValue)> = first
        .settings
        .iter()
        .filter(|(name, _)| !axes.contains(name) && !shown_elsewhere.contains(&name.as_str()))
        .collect();
    for cell in others {
        // Both are in the order of names.
        let mut settings = cell.settings.iter().peekable();
        same.retain(|(name, value)| {
            while settings.next_if(|(other, _)| other < name).is_some() {}
            settings.next_if(|(other, _)| other == name).is_some_and(|(_, other)| other == *value)
        });
    }
    same.into_iter().map(|(name, value)| format!("{name} {value}")).collect()
}

fn value_on(cell: &Cell, axis: &str) -> String {
    cell.axes
        .iter()
        .find(|value| value.axis == axis)
        .map_or_else(|| "-".to_string(), |value| value.value.to_string())
}

/// `2m + 2 x 20m`: warm-up and measured phases.
fn phases(cell: &Cell) -> String {
    let mut measured = match (cell.requests, cell.rounds) {
        (Some(requests), _) => format!("{requests} requests"),
        (None, 1) => exact_duration(cell.measure),
        (None, rounds) => format!("{rounds} x {}", exact_duration(cell.measure)),
    };
    if let Some(tolerance) = cell.steady {
        measured = format!("up to {measured} (steady {}%)", tolerance * 100.0);
    }
    if let Some(last) = cell.count_last {
        measured = format!("{measured} (last {} count)", exact_duration(last));
    }
    if cell.warmup.is_zero() {
        measured
    } else {
        format!("{} + {measured}", exact_duration(cell.warmup))
    }
}

fn datasets(plan: &Plan, width: usize, out: &mut String) {
    out.push_str("\ndatasets\n");
    let shared = shared_across(plan);
    let users = plan.users();
    for (index, dataset) in plan.datasets.iter().enumerate() {
        let users = &users[index];
        let said = format!(
            "d{} {} {}, about {}, for {} {}",
            index + 1,
            dataset.recipe,
            dataset.engine,
            human_bytes(dataset.estimated_bytes as f64),
            if users.len() == 1 { "cell" } else { "cells" },
            numbers(users)
        );
        writeln!(out, "  {}", wrapped(&said, 4, width)).expect(WRITTEN);
        let recipe: Vec<String> =
            dataset.ingredients.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let recipe = format!("recipe: {}", recipe.join(", "));
        writeln!(out, "    {}", wrapped(&recipe, 6, width)).expect(WRITTEN);
        if !shared[index].is_empty() {
            let why = format!(
                "shared across {}: {}",
                shared[index].join(", "),
                sharing_reason(dataset.source)
            );
            writeln!(out, "    {}", wrapped(&why, 6, width)).expect(WRITTEN);
        }
    }
}

/// What the transforms did, once for all datasets of which it is true.
fn schema(plan: &Plan, width: usize, out: &mut String) {
    let mut told: Vec<(&[String], Vec<usize>)> = Vec::new();
    for (index, dataset) in plan.datasets.iter().enumerate() {
        let notes = dataset.schema.notes.as_slice();
        match told.iter_mut().find(|(known, _)| *known == notes) {
            Some((_, datasets)) => datasets.push(index),
            None => told.push((notes, vec![index])),
        }
    }
    for (notes, datasets) in told.iter().filter(|(notes, _)| !notes.is_empty()) {
        let which: Vec<String> = datasets.iter().map(|index| format!("d{}", index + 1)).collect();
        writeln!(out, "\nschema of {}", which.join(", ")).expect(WRITTEN);
        for note in *notes {
            writeln!(out, "  {}", wrapped(note, 4, width)).expect(WRITTEN);
        }
    }
}

/// Option files as they are written, each line with where it came from. What all cells of a server
/// have stands once.
fn options(plan: &Plan, width: usize, out: &mut String) {
    let groups = by_options(plan);
    for (index, server) in plan.servers.iter().enumerate() {
        let on: Vec<&Vec<usize>> =
            groups.iter().filter(|group| plan.cells[group[0]].server == index).collect();
        let Some(first) = on.first().map(|group| &plan.cells[group[0]].options) else { continue };
        let common: Vec<&CellOption> = first
            .iter()
            .filter(|option| on.iter().all(|group| plan.cells[group[0]].options.contains(option)))
            .collect();
        writeln!(out, "\noptions of every cell on {}", server.name).expect(WRITTEN);
        option_lines(
            &common.iter().map(|option| option_line(option)).collect::<Vec<_>>(),
            width,
            out,
        );
        for group in on {
            let cell = &plan.cells[group[0]];
            let mut lines: Vec<(String, String)> = cell
                .options
                .iter()
                .filter(|option| !common.contains(option))
                .map(option_line)
                .collect();
            let later = |line: &OptionLine, how: &str| {
                (assignment(line), format!("{}: {how}", place(line)))
            };
            lines.extend(
                cell.set_global.iter().map(|line| later(line, "set on the running server")),
            );
            lines.extend(cell.set_session.iter().map(|line| later(line, "set on each session")));
            if lines.is_empty() {
                continue;
            }
            let cells = if group.len() == 1 { "cell" } else { "cells" };
            let mut engines: Vec<&str> = Vec::new();
            for &index in group {
                let engine = plan.cells[index].engine.as_str();
                if !engines.contains(&engine) {
                    engines.push(engine);
                }
            }
            writeln!(out, "options of {cells} {} ({})", numbers(group), engines.join(", "))
                .expect(WRITTEN);
            option_lines(&lines, width, out);
        }
    }
}

/// Lines with their comments in one column, wrapped to the width.
fn option_lines(lines: &[(String, String)], width: usize, out: &mut String) {
    if lines.is_empty() {
        out.push_str("  none\n");
    }
    let column = lines.iter().map(|(line, _)| line.len()).max().unwrap_or_default().min(56);
    for (line, comment) in lines {
        let mut comment = wrapped(comment, 0, width.saturating_sub(column + 6).max(30));
        comment = comment.replace('\n', &format!("\n  {:column$}  # ", ""));
        writeln!(out, "  {line:column$}  # {comment}").expect(WRITTEN);
    }
}

fn assignment(line: &OptionLine) -> String {
    match &line.value {
        Some(value) => format!("{} = {value}", line.name),
        None => line.name.clone(),
    }
}

fn place(line: &OptionLine) -> String {
    line.place.as_ref().map_or_else(|| "enginecmp".to_string(), ToString::to_string)
}

fn option_line(option: &CellOption) -> (String, String) {
    let from = place(&option.line);
    let comment = match &option.reason {
        Some(reason) => format!("{from}: {reason}"),
        None => from,
    };
    (assignment(&option.line), comment)
}

fn estimates(plan: &Plan, out: &mut String) {
    let estimate = estimate(plan);
    writeln!(
        out,
        "\nestimate\n  time: {} (loads {}, repetitions {})\n  disk: {} in the work directory",
        about(estimate.time()),
        about(estimate.load),
        about(estimate.repetitions),
        human_bytes(estimate.disk as f64)
    )
    .expect(WRITTEN);
    if let Some(test) = &plan.disk {
        let length = exact_duration(test.time + test.sync_time());
        writeln!(out, "  disk test: before and after, {length} each, by fio").expect(WRITTEN);
    }
    for collector in &plan.collectors {
        writeln!(out, "  beside the measured phases: `{}`", collector.command).expect(WRITTEN);
    }
}

/// What the planned repetitions can show, and how many each expectation needs.
fn repetitions(advice: &Advice, plan: &Plan, width: usize, out: &mut String) {
    out.push_str("\nrepetitions\n");
    let mut line = |said: String| {
        writeln!(out, "  {}", wrapped(&said, 4, width)).expect(WRITTEN);
    };
    for shown in &advice.shown {
        let from = if shown.measured {
            "as calibrated".to_string()
        } else {
            format!("assumed; `enginecmp calibrate {}.bench` measures it", plan.suite_name)
        };
        let name = shown.metric.heading();
        line(format!("noise floor of {name}: {:.2} % ({from})", shown.floor * 100.0));
        if !plan.comparisons.is_empty()
            && let Some(effect) = shown.effect
        {
            line(format!(
                "n = {} tells a difference of {:.1} % in {name} from none",
                plan.repeat,
                effect * 100.0
            ));
        }
    }
    for needed in &advice.needed {
        let bound = format!("{:+}%", (needed.bound * 1e4).round() / 100.0);
        line(match needed.repetitions {
            Some((n, time)) => format!(
                "{}: n = {n} tells {bound} from none, about {} in all",
                needed.text,
                about(time)
            ),
            None if needed.bound == 0.0 => {
                format!("{}: a bound of 0 needs a difference that n can show", needed.text)
            }
            None => format!("{}: a hundred repetitions do not tell {bound} from none", needed.text),
        });
    }
}

/// Whole seconds, minutes or hours and minutes: it is an estimate.
fn about(time: std::time::Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 120.0 {
        return format!("{seconds:.0} s");
    }
    let minutes = (seconds / 60.0).round() as u64;
    if minutes < 120 {
        format!("{minutes} min")
    } else {
        format!("{} h {:02} min", minutes / 60, minutes % 60)
    }
}

fn findings(plan: &Plan, width: usize, out: &mut String) {
    if !plan.findings.is_empty() {
        out.push_str("\nfindings\n");
    }
    for finding in &plan.findings {
        let said = format!("{} {}: {}", finding.code.code(), finding.code.title(), finding.seen);
        writeln!(out, "  {}", wrapped(&said, 7, width)).expect(WRITTEN);
    }
    if !plan.unsupported.is_empty() {
        out.push_str("\nnot supported in this version: `run` refuses the suite\n");
    }
    for unsupported in &plan.unsupported {
        writeln!(out, "  {}  {}", unsupported.what, unsupported.place).expect(WRITTEN);
    }
}
