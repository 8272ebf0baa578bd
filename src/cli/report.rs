//! `enginecmp report RUN`: a report made again from a journal.

use super::{CliError, Context, Exit, reports};
use crate::compare::{self, Comparison};
use crate::journal::{self, Journal};
use crate::report::{self, Format, Output};
use std::path::{Path, PathBuf};

/// Arguments of `report`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The run: its directory or its journal.jsonl
    #[arg(required_unless_present_any = ["index", "again"])]
    run: Option<PathBuf>,
    /// What to write
    #[arg(long, default_value = "table", value_parser = format_parser())]
    format: Format,
    /// Write the report to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write a page over every run below DIR
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = "bench-reports",
        conflicts_with = "run")]
    index: Option<PathBuf>,
    /// Make every report.* below DIR again that lies beside a journal
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = "bench-reports",
        conflicts_with = "run")]
    again: Option<PathBuf>,
}

/// Takes the names of report formats and lists them in the help.
pub(super) fn format_parser() -> impl clap::builder::TypedValueParser<Value = Format> {
    use clap::builder::TypedValueParser as _;
    clap::builder::PossibleValuesParser::new(Format::ALL.iter().map(|format| format.name()))
        .map(|name| name.parse().expect("only names of formats get here"))
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Exit, CliError> {
    if let Some(folder) = &arguments.again {
        reports::again(folder, context)?;
    }
    if let Some(folder) = &arguments.index {
        reports::index(folder, context)?;
    }
    let Some(run) = &arguments.run else { return Ok(Exit::Good) };
    let journal = read_journal(run, context)?;
    let comparison = compare::compare(&journal.records);
    match file(arguments, run, context) {
        Some(file) => {
            let output = Output { whole: true, ..output(context) };
            let text = report::render(&comparison, arguments.format, output);
            std::fs::write(&file, text)
                .map_err(|error| CliError::new(format!("{}: {error}", file.display())))?;
            context.err(&format!("wrote {}\n", file.display()));
        }
        None => print(&comparison, arguments.format, context)?,
    }
    Ok(Exit::Good)
}

/// The file that is asked for, or for what no terminal can show one beside the journal.
fn file(arguments: &Arguments, run: &Path, context: &Context) -> Option<PathBuf> {
    let for_eyes = matches!(arguments.format, Format::Html | Format::Svg);
    let beside = || {
        let folder = if run.is_dir() { run } else { run.parent().unwrap_or(run) };
        folder.join(format!("report.{}", arguments.format.ending()))
    };
    let unasked = (for_eyes && context.stdout_is_terminal()).then(beside);
    arguments.output.clone().or(unasked)
}

/// What the terminal can show.
fn output(context: &Context) -> Output {
    Output {
        width: usize::from(context.width()),
        color: context.colored(false),
        whole: context.shows_all(),
    }
}

/// Reads a journal; what was left out of it is said on standard error.
pub(super) fn read_journal(path: &Path, context: &Context) -> Result<Journal, CliError> {
    let journal = journal::read(path).map_err(|error| CliError::new(error.to_string()))?;
    for warning in journal.warnings() {
        context.err(&format!("warning: {warning}\n"));
    }
    Ok(journal)
}

/// Prints a comparison, fitted to the terminal.
pub(super) fn print(
    comparison: &Comparison,
    format: Format,
    context: &Context,
) -> Result<(), CliError> {
    context.out(&report::render(comparison, format, output(context)))
}
