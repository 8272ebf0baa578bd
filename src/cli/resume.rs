//! `run SUITE --resume DIR`: goes on with a run that ended before its end.

use super::report::read_journal;
use super::suite::io_error;
use super::{CliError, Context};
use crate::journal::changes::{self, Changes};
use crate::journal::record::{MachineRecord, RunRecord};
use crate::journal::{Done, FILE_NAME, Journal, Writer};
use crate::model::line_diff::LineDiff;
use crate::plan::Plan;
use crate::run;
use std::fmt::Write as _;
use std::path::Path;

/// A run that was taken up.
pub(super) struct Taken {
    /// Its identity.
    pub(super) id: String,
    /// Its journal, open.
    pub(super) writer: Writer,
    /// What need not be done again.
    pub(super) done: Done,
}

/// How a run is taken up.
#[derive(Clone, Copy, Debug)]
pub(super) struct How {
    /// Make failed repetitions again.
    pub(super) retry_failed: bool,
    /// Go on though the machine is another.
    pub(super) mixed: bool,
}

/// Opens the run in `directory` to go on with it. None when nothing of it was ever written: it
/// begins anew then.
pub(super) fn take_up(
    directory: &Path,
    plan: &Plan,
    machine: &MachineRecord,
    how: How,
    context: &Context,
) -> Result<Option<Taken>, CliError> {
    if never_begun(directory)? {
        return Ok(None);
    }
    let journal = read_journal(directory, context)?;
    if let Some(tool) = &journal.run.imported_from {
        return Err(CliError::new(format!(
            "{} holds results of {tool}, no run that could go on",
            journal.file.display()
        )));
    }
    if let Some(before) = journal.machine()
        && !how.mixed
        && let unlike = changes::unlike(before, machine)
        && !unlike.is_empty()
    {
        return Err(CliError::new(format!(
            "the run in {} was begun on another machine: {}",
            directory.display(),
            unlike.join("; ")
        ))
        .help(
            "go on where it was begun, begin another run here, or say `--mixed` to have figures of \
             both machines in one table",
        ));
    }
    let done = what_is_done(&journal, plan, how, context);
    let writer = Writer::resume(&journal).map_err(|error| CliError::new(error.to_string()))?;
    Ok(Some(Taken { id: journal.run.id.clone(), writer, done }))
}

/// Whether the journal has not even its first record. What there is of it is removed.
fn never_begun(directory: &Path) -> Result<bool, CliError> {
    let file = directory.join(FILE_NAME);
    match std::fs::read(&file) {
        Ok(bytes) if bytes.contains(&b'\n') => Ok(false),
        Ok(_) => std::fs::remove_file(&file)
            .map(|()| true)
            .map_err(|error| io_error("remove", &file, &error)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(io_error("read", &file, &error)),
    }
}

fn what_is_done(journal: &Journal, plan: &Plan, how: How, context: &Context) -> Done {
    let now = run::plan_record(plan);
    let mut done = Done::of(journal);
    let before = journal.latest();
    let text_changed = before.suite_text != plan.suite_text
        || before.profiles != plan.profiles
        || before.sets != plan.sets;
    match journal.plan() {
        // It was killed before its plan was whole.
        None => done.rewritten = true,
        Some(planned) => {
            let changes = changes::between(planned, &now);
            let again: Vec<_> = changes.changed.iter().map(|(cell, _)| cell.clone()).collect();
            done.rewritten = changes.any || text_changed;
            if text_changed || !again.is_empty() {
                context.err(&told(before, plan, &changes));
            }
            if !again.is_empty() {
                done = done.without(&again);
            }
        }
    }
    done.rewritten |= journal.machine().is_none();
    if how.retry_failed { done.without_failed() } else { done }
}

/// The most cells that are named one by one.
const NAMED: usize = 8;

/// The difference as a diff, and what it means for the cells.
fn told(before: &RunRecord, plan: &Plan, changes: &Changes) -> String {
    let mut text = "the suite is not as it was when the run began:\n".to_string();
    if before.suite_text != plan.suite_text {
        let diff = LineDiff::new(&before.suite_text, &plan.suite_text);
        text.push_str(&diff.patch(1, "then", "now"));
    }
    for (what, then, now) in
        [("--profile", &before.profiles, &plan.profiles), ("--set", &before.sets, &plan.sets)]
    {
        if then != now {
            let _ = writeln!(text, "{what}: `{}`, now `{}`", then.join(","), now.join(","));
        }
    }
    let _ = writeln!(
        text,
        "{} cells are as they were and keep their repetitions, {} are measured again, {} are new, \
         {} are gone",
        changes.kept.len(),
        changes.changed.len(),
        changes.new.len(),
        changes.gone.len()
    );
    for (cell, words) in changes.changed.iter().take(NAMED) {
        let _ = writeln!(text, "  {cell}: {}", words.join("; "));
    }
    if changes.changed.len() > NAMED {
        let _ = writeln!(text, "  and {} more", changes.changed.len() - NAMED);
    }
    text
}
