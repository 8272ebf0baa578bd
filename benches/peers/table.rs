//! The table that is printed, and its place in docs/performance.md.

use super::{Bench, Res};
use enginecmp::host::machine::Machine;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Between these lines of the page stands the table of the last run.
const BEGINS: &str = "<!-- the table of scripts/performance --write begins -->";
const ENDS: &str = "<!-- the table of scripts/performance --write ends -->";

/// How a row came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Reached,
    Missed,
    /// Why there is no figure, or none to judge by.
    NotMeasured(String),
}

/// A row of the table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) goal: String,
    pub(crate) measured: String,
    /// How: both sides' figures.
    pub(crate) figures: String,
    pub(crate) outcome: Outcome,
}

impl Row {
    pub(crate) fn new(
        what: &str,
        goal: &str,
        measured: String,
        figures: String,
        holds: bool,
    ) -> Self {
        Self {
            what: what.to_string(),
            goal: goal.to_string(),
            measured,
            figures,
            outcome: if holds { Outcome::Reached } else { Outcome::Missed },
        }
    }

    pub(crate) fn missing(what: &str, goal: &str, why: &str) -> Self {
        Self {
            what: what.to_string(),
            goal: goal.to_string(),
            measured: String::new(),
            figures: String::new(),
            outcome: Outcome::NotMeasured(why.to_string()),
        }
    }

    pub(crate) fn failed(key: &str, error: &dyn Error) -> Self {
        Self::missing(key, "", &format!("failed: {error}"))
    }

    pub(crate) fn markdown(&self) -> String {
        let outcome = match &self.outcome {
            Outcome::Reached => "reached".to_string(),
            Outcome::Missed => "**not reached**".to_string(),
            Outcome::NotMeasured(why) => format!("not measured: {why}"),
        };
        let cells = [&self.what, &self.goal, &self.measured, &self.figures, &outcome];
        let cells = cells.map(|cell| cell.replace('|', "\\|").replace('\n', " "));
        format!("| {} |", cells.join(" | "))
    }
}

/// The whole table with the machine and the versions above it.
pub(crate) fn text(rows: &[Row], bench: &Bench) -> Res<String> {
    let mut text = String::new();
    let machine = Machine::here()?;
    writeln!(
        text,
        "{}, {} processors, {} GiB, kernel {}; {}; {}; enginecmp {}{}.\n",
        machine.cpu,
        machine.cores,
        machine.memory >> 30,
        machine.kernel,
        first_line("sysbench", &["--version"]),
        bench.server.version()?,
        env!("CARGO_PKG_VERSION"),
        bench.either(" (--quick: no figures to rely on)", ""),
    )?;
    writeln!(text, "| what | goal | measured | figures | outcome |")?;
    writeln!(text, "| --- | --- | --- | --- | --- |")?;
    for row in rows {
        writeln!(text, "{}", row.markdown())?;
    }
    Ok(text)
}

fn first_line(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let line = text.ok().and_then(|text| text.lines().next().map(str::to_string));
    line.unwrap_or_else(|| format!("no {program}"))
}

/// Puts the table between its marks in the page.
pub(crate) fn write(table: &str) -> Res<()> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/performance.md");
    let text = std::fs::read_to_string(&page)?;
    let (Some(begins), Some(ends)) = (text.find(BEGINS), text.find(ENDS)) else {
        return Err(format!("{}: the marks of the table are missing", page.display()).into());
    };
    let head = &text[..begins + BEGINS.len()];
    std::fs::write(&page, format!("{head}\n\n{table}\n{}", &text[ends..]))?;
    Ok(())
}
