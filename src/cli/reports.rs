//! Many reports at once: the index over them, and all of them made again.

use super::{CliError, Context};
use crate::compare::{self, Comparison};
use crate::journal;
use crate::report::{self, Format, index};
use std::fs;
use std::path::{Path, PathBuf};

/// The index's file name; sites that show repositories show it with its folder.
const INDEX: &str = "README.md";

/// SUITE/MACHINE/RUN, and one to spare.
const DEEPEST: usize = 4;

/// Every run below `folder`, sorted by path.
fn runs(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let mut found = Vec::new();
    below(folder, 0, &mut found)
        .map_err(|error| CliError::new(format!("cannot read {}: {error}", folder.display())))?;
    found.sort();
    if found.is_empty() {
        return Err(CliError::new(format!("no run below {}", folder.display()))
            .help("a run is a directory with a journal.jsonl"));
    }
    Ok(found)
}

fn below(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if folder.join(journal::FILE_NAME).is_file() {
        found.push(folder.to_path_buf());
    }
    if depth == DEEPEST {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            below(&entry.path(), depth + 1, found)?;
        }
    }
    Ok(())
}

/// What the journal of a run comes to; one that cannot be read is told and passed over.
fn compared(run: &Path, context: &Context) -> Option<Comparison> {
    match journal::read(run) {
        Ok(journal) => Some(compare::compare(&journal.records)),
        Err(error) => {
            context.err(&format!("warning: {error}\n"));
            None
        }
    }
}

/// The reports that lie in a run's directory, by format.
fn reports(run: &Path) -> Vec<(Format, PathBuf)> {
    let file = |format: &Format| run.join(format!("report.{}", format.ending()));
    let all = Format::ALL.iter().map(|format| (*format, file(format)));
    all.filter(|(_, file)| file.is_file()).collect()
}

/// `report --index DIR`: writes the page over all runs below `folder`.
pub(super) fn index(folder: &Path, context: &Context) -> Result<(), CliError> {
    let read: Vec<(PathBuf, Comparison)> = runs(folder)?
        .into_iter()
        .filter_map(|run| compared(&run, context).map(|comparison| (run, comparison)))
        .collect();
    let entries: Vec<index::Entry> = read
        .iter()
        .map(|(run, comparison)| index::Entry {
            folder: run.strip_prefix(folder).unwrap_or(run).display().to_string(),
            reports: reports(run)
                .iter()
                .filter_map(|(_, file)| Some(file.file_name()?.to_string_lossy().into_owned()))
                .collect(),
            comparison,
        })
        .collect();
    let file = folder.join(INDEX);
    write(&file, &index::render(&entries))?;
    context.err(&format!("wrote {} over {} runs\n", file.display(), entries.len()));
    Ok(())
}

/// `report --again DIR`: makes every report that lies beside a journal below `folder` again.
pub(super) fn again(folder: &Path, context: &Context) -> Result<(), CliError> {
    let (mut made, mut changed) = (0, 0);
    for run in runs(folder)? {
        let reports = reports(&run);
        if reports.is_empty() {
            continue;
        }
        let Some(comparison) = compared(&run, context) else { continue };
        for (format, file) in reports {
            // Files are for everybody, whatever terminal made them.
            let output = report::Output { width: 120, color: false, whole: true };
            let text = report::render(&comparison, format, output);
            made += 1;
            if fs::read_to_string(&file).ok().as_ref() != Some(&text) {
                write(&file, &text)?;
                changed += 1;
                context.err(&format!("wrote {}\n", file.display()));
            }
        }
    }
    context.err(&format!("{made} reports made again, {changed} of them changed\n"));
    Ok(())
}

fn write(file: &Path, text: &str) -> Result<(), CliError> {
    fs::write(file, text)
        .map_err(|error| CliError::new(format!("cannot write {}: {error}", file.display())))
}
