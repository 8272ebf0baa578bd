//! `enginecmp compare OLD NEW...`: two or more runs side by side.

use super::machines::{self, Made};
use super::report::{format_parser, print, read_journal};
use super::{CliError, Context, Exit};
use crate::compare::{self, NamedRun, Options};
use crate::journal::Journal;
use crate::report::Format;
use std::path::PathBuf;

/// Arguments of `compare`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The runs, each a directory or its journal.jsonl; the first is the baseline of the others
    #[arg(required = true, num_args = 2.., value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// What to write
    #[arg(long, default_value = "table", value_parser = format_parser())]
    format: Format,
    /// Compare runs of unlike machines
    #[arg(long)]
    mixed: bool,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Exit, CliError> {
    let journals: Vec<Journal> =
        arguments.runs.iter().map(|run| read_journal(run, context)).collect::<Result<_, _>>()?;
    let names = names(&journals);
    let made = |at: usize| Made { by: &names[at], on: journals[at].machine() };
    for other in 1..journals.len() {
        machines::alike(made(0), made(other), arguments.mixed)?;
    }
    let options = Options { mixed: arguments.mixed, ..Options::default() };
    let runs: Vec<NamedRun<'_>> = journals
        .iter()
        .zip(&names)
        .map(|(journal, name)| NamedRun { name, records: &journal.records })
        .collect();
    let mut comparison = compare::compare_runs(&runs, &options);
    if let [old, new] = runs.as_slice() {
        // `expect ... since baseline` of the newer suite is the gate.
        let options = Options { against: Some(*old), ..options };
        comparison.expectations = compare::compare_with(new.records, &options).expectations;
    }
    print(&comparison, arguments.format, context)?;
    Ok(if comparison.failed() {
        Exit::Failed
    } else if context.bisects() && comparison.cannot_tell() {
        Exit::NotMeasured
    } else {
        Exit::Good
    })
}

/// What reports call each run: its identity, numbered where two are alike.
fn names(journals: &[Journal]) -> Vec<String> {
    journals
        .iter()
        .enumerate()
        .map(|(at, journal)| {
            let id = &journal.run.id;
            let before = journals[..at].iter().filter(|other| other.run.id == *id).count();
            if before == 0 { id.clone() } else { format!("{id} ({})", before + 1) }
        })
        .collect()
}
