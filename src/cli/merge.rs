//! `enginecmp merge RUN...`: joins the shards of a suite.

use super::execute::run_id;
use super::report::{format_parser, print, read_journal};
use super::{CliError, Context, Exit};
use crate::compare;
use crate::journal::merge::merge;
use crate::journal::record::COLLECTED;
use crate::journal::{Journal, Record, Writer};
use crate::report::Format;
use std::fs;
use std::path::{Path, PathBuf};

/// Arguments of `merge`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The runs, each a directory or its journal.jsonl
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// The directory of the joined run [default: bench-reports/SUITE/MACHINE/DATE-ID]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Join shards of unlike machines or server builds
    #[arg(long)]
    mixed: bool,
    /// What to print
    #[arg(long, default_value = "table", value_parser = format_parser())]
    format: Format,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Exit, CliError> {
    let mut shards: Vec<Journal> =
        arguments.runs.iter().map(|run| read_journal(run, context)).collect::<Result<_, _>>()?;
    let outputs = collected(&mut shards);
    let id = run_id()?;
    let records = merge(&shards, &id, arguments.mixed)
        .map_err(|refusal| CliError::new(refusal.why).help(refusal.next))?;
    let out = arguments.out.clone().unwrap_or_else(|| {
        let run = &shards[0].run;
        let suite = run.suite_file.trim_end_matches(".bench");
        let machine = shards[0].machine().map_or("unknown", |machine| machine.name.as_str());
        Path::new("bench-reports").join(suite).join(machine).join(&id)
    });
    let failed = |error: crate::journal::JournalError| CliError::new(error.to_string());
    let mut writer = Writer::create(&out).map_err(failed)?;
    for record in &records {
        writer.write(record).map_err(failed)?;
    }
    writer.sync().map_err(failed)?;
    for (from, to) in outputs {
        let to = out.join(to);
        let made = to.parent().map_or(Ok(()), fs::create_dir_all);
        if let Err(error) = made.and_then(|()| fs::copy(&from, &to).map(|_| ())) {
            context.err(&format!("warning: cannot copy {}: {error}\n", from.display()));
        }
    }
    let comparison = compare::compare(&records);
    print(&comparison, arguments.format, context)?;
    context.err(&format!("\njournal: {}\n", writer.path().display()));
    Ok(if comparison.failed() { Exit::Failed } else { Exit::Good })
}

/// Gives what collectors said names in which the shard stands, since shards number their
/// repetitions alike; gives each file with its name below the joined run.
fn collected(shards: &mut [Journal]) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for (at, shard) in shards.iter_mut().enumerate() {
        let folder = shard.file.parent().unwrap_or(Path::new("")).to_path_buf();
        for record in &mut shard.records {
            let Record::Collected(collected) = record else { continue };
            if !collected.is_beside() {
                continue;
            }
            let from = folder.join(&collected.file);
            let name = from.file_name().unwrap_or_default().to_string_lossy();
            collected.file = format!("{COLLECTED}/shard-{}-{name}", at + 1);
            files.push((from.clone(), collected.file.clone()));
        }
    }
    files
}
