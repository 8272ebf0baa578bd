//! A plan as text: cells in order, datasets, final options, estimates, findings.

use super::columns::{columns, wrapped};
use super::{axis_names, by_options, numbers, shared_across, sharing_reason};
use crate::model::units::{exact_duration, human_bytes, human_seconds};
use crate::plan::estimate::estimate;
use crate::plan::{Average, Cell, CellOption, Plan};
use crate::target::OptionLine;
use std::fmt::Write as _;

const WRITTEN: &str = "a string takes everything";

/// The whole plan, for a terminal of `width` columns.
pub fn text(plan: &Plan, width: usize) -> String {
    let mut out = String::new();
    head(plan, &mut out);
    servers(plan, width, &mut out);
    cells(plan, &mut out);
    datasets(plan, width, &mut out);
    options(plan, &mut out);
    estimates(plan, &mut out);
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
                "{}: not available: {}",
                server.name,
                why.as_deref().unwrap_or("there is none")
            ),
        };
        writeln!(out, "  {}", wrapped(&said, 4, width)).expect(WRITTEN);
    }
}

fn cells(plan: &Plan, out: &mut String) {
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
    let mut lines = Vec::with_capacity(plan.cells.len() + 1);
    let mut heading = vec!["cell".to_string(), "row".to_string()];
    heading.extend(axes.iter().cloned());
    heading.extend(["runs", "dataset"].map(str::to_string));
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

fn value_on(cell: &Cell, axis: &str) -> String {
    cell.axes
        .iter()
        .find(|value| value.axis == axis)
        .map_or_else(|| "-".to_string(), |value| value.value.to_string())
}

/// `2m + 2 x 20m`: warm-up and measured phases.
fn phases(cell: &Cell) -> String {
    let measured = match cell.rounds {
        1 => exact_duration(cell.measure),
        rounds => format!("{rounds} x {}", exact_duration(cell.measure)),
    };
    if cell.warmup.is_zero() {
        measured
    } else {
        format!("{} + {measured}", exact_duration(cell.warmup))
    }
}

fn datasets(plan: &Plan, width: usize, out: &mut String) {
    out.push_str("\ndatasets\n");
    let shared = shared_across(plan);
    for (index, dataset) in plan.datasets.iter().enumerate() {
        let users: Vec<usize> = plan
            .cells
            .iter()
            .enumerate()
            .filter(|(_, cell)| cell.dataset == index)
            .map(|(at, _)| at)
            .collect();
        writeln!(
            out,
            "  d{} {} {}, about {}, for {} {}",
            index + 1,
            dataset.recipe,
            dataset.engine,
            human_bytes(dataset.estimated_bytes as f64),
            if users.len() == 1 { "cell" } else { "cells" },
            numbers(&users)
        )
        .expect(WRITTEN);
        let recipe: Vec<String> =
            dataset.ingredients.iter().map(|(name, value)| format!("{name} {value}")).collect();
        writeln!(out, "    recipe: {}", wrapped(&recipe.join(", "), 6, width)).expect(WRITTEN);
        if !shared[index].is_empty() {
            let why = format!(
                "shared across {}: {}",
                shared[index].join(", "),
                sharing_reason(dataset.each)
            );
            writeln!(out, "    {}", wrapped(&why, 6, width)).expect(WRITTEN);
        }
        for note in &dataset.schema.notes {
            writeln!(out, "    schema: {}", wrapped(note, 6, width)).expect(WRITTEN);
        }
    }
}

fn options(plan: &Plan, out: &mut String) {
    out.push_str("\noptions\n");
    for group in by_options(plan) {
        let cell = &plan.cells[group[0]];
        let server = &plan.servers[cell.server];
        writeln!(
            out,
            "  {} {} ({} on {})",
            if group.len() == 1 { "cell" } else { "cells" },
            numbers(&group),
            cell.engine,
            server.name
        )
        .expect(WRITTEN);
        let mut lines: Vec<Vec<String>> = cell.options.iter().map(option_line).collect();
        let later =
            |line: &OptionLine, how: &str| vec![assignment(line), place(line), how.to_string()];
        lines.extend(cell.set_global.iter().map(|line| later(line, "set on the running server")));
        lines.extend(cell.set_session.iter().map(|line| later(line, "set on each session")));
        if lines.is_empty() {
            out.push_str("    none\n");
        }
        out.push_str(&columns(&lines, 4));
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

fn option_line(option: &CellOption) -> Vec<String> {
    let mut line = vec![assignment(&option.line), place(&option.line)];
    line.extend(option.reason.clone());
    line
}

fn estimates(plan: &Plan, out: &mut String) {
    let estimate = estimate(plan);
    let seconds = |time: std::time::Duration| human_seconds(time.as_secs_f64());
    writeln!(
        out,
        "\nestimate\n  time: {} (loads {}, repetitions {})\n  disk: {} in the work directory",
        seconds(estimate.time()),
        seconds(estimate.load),
        seconds(estimate.repetitions),
        human_bytes(estimate.disk as f64)
    )
    .expect(WRITTEN);
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
