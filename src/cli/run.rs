//! `enginecmp run SUITE.bench`, the main job: load, measure, check, print the table.

use super::execute::{Execution, Known, execute, prepare};
use super::report::{format_parser, print, read_journal};
use super::suite::{ServerPlaces, Shaping};
use super::{CliError, Context, Exit, calibrations};
use crate::compare::{self, NamedRun, Options};
use crate::plan::shard::{self, Shard};
use crate::report::Format;
use std::path::PathBuf;

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The suite
    suite: PathBuf,
    #[command(flatten)]
    shaping: Shaping,
    #[command(flatten)]
    places: ServerPlaces,
    #[command(flatten)]
    execution: Execution,
    /// Only a part of the cells, for one of several machines or jobs; `merge` joins the parts
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    /// An earlier run: its deltas are shown as well, and `expect ... since baseline` is judged by it
    #[arg(long, value_name = "RUN")]
    against: Option<PathBuf>,
    /// What to print
    #[arg(long, default_value = "table", value_parser = format_parser())]
    format: Format,
    /// Drop the database of this name on a server named by DSN, though enginecmp did not make it
    #[arg(long, value_name = "NAME")]
    overwrite: Option<String>,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Exit, CliError> {
    let (mut plan, servers) = match prepare(
        &arguments.suite,
        &arguments.shaping,
        &arguments.places.directory(context),
        arguments.overwrite.as_deref(),
        context,
    )? {
        Ok(prepared) => prepared,
        Err(exit) => return Ok(exit),
    };
    if let Some(shard) = arguments.shard {
        shard::keep(&mut plan, shard);
    }
    let earlier = arguments.against.as_deref().map(|run| read_journal(run, context)).transpose()?;
    let calibration = calibrations::find(context, &arguments.execution.machine()?, &plan)?;
    let made = execute(
        &plan,
        &servers,
        &arguments.execution,
        Known { calibration, earlier: earlier.as_ref() },
        context,
    )?;
    let options = Options {
        against: earlier.as_ref().map(|run| NamedRun { name: &run.run.id, records: &run.records }),
        mixed: arguments.execution.mixed,
        ..Options::default()
    };
    let comparison = compare::compare_with(&made.journal.records, &options);
    print(&comparison, arguments.format, context)?;
    let journal = &made.journal.file;
    context.err(&format!("\njournal: {}\n", journal.display()));
    if !context.shows_all() {
        let run = journal.parent().unwrap_or(journal).display();
        context.err(&format!(
            "every table: enginecmp report {run} --verbose\nfigures: enginecmp report {run} --format html\n"
        ));
    }
    Ok(if made.outcome.interrupted {
        Exit::Interrupted
    } else if comparison.failed() {
        Exit::Failed
    } else if !made.outcome.is_whole() || context.bisects() && comparison.cannot_tell() {
        Exit::NotMeasured
    } else {
        Exit::Good
    })
}
