//! `enginecmp fmt SUITE... [--check]`.

use super::{CliError, Context, Exit};
use crate::diagnostic::{SourceMap, render};
use crate::model::line_diff::LineDiff;
use crate::syntax;
use std::fs;
use std::io::Read;
use std::path::PathBuf;

/// Arguments of `fmt`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Suites that are written anew in canonical form; `-` reads standard input and prints
    #[arg(required = true, value_name = "SUITE")]
    suites: Vec<PathBuf>,
    /// Write nothing; print what would change and end with 1 if anything would
    #[arg(long)]
    check: bool,
}

/// What became of one file.
enum Outcome {
    Canonical,
    Changed,
    Wrong,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Exit, CliError> {
    let mut exit = Exit::Good;
    for path in &arguments.suites {
        exit = match format_one(path, arguments.check, context)? {
            Outcome::Wrong => Exit::Wrong,
            Outcome::Changed if arguments.check && exit == Exit::Good => Exit::Failed,
            _ => exit,
        };
    }
    Ok(exit)
}

fn format_one(path: &PathBuf, check: bool, context: &Context) -> Result<Outcome, CliError> {
    let piped = path.as_os_str() == "-";
    let name = if piped { "<stdin>".to_string() } else { path.display().to_string() };
    let bytes = if piped {
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map(|_| bytes)
            .map_err(|error| CliError::new(format!("cannot read standard input: {error}")))?
    } else {
        fs::read(path).map_err(|error| CliError::new(format!("cannot read {name}: {error}")))?
    };
    let mut sources = SourceMap::new();
    let (file, tree, errors) = syntax::parse_bytes(&mut sources, &name, &bytes);
    if !errors.is_empty() {
        let width = usize::from(context.width());
        context.err(&render(&errors, &sources, context.colored(true), width));
        return Ok(Outcome::Wrong);
    }
    let text = sources.text(file);
    let canonical = syntax::format(&tree);
    let same = bytes == canonical.as_bytes();
    if same && !piped {
        return Ok(Outcome::Canonical);
    }
    if check && !same {
        context.out(&LineDiff::new(text, &canonical).patch(3, &name, "formatted"))?;
        return Ok(Outcome::Changed);
    }
    if check {
        return Ok(Outcome::Canonical);
    }
    if piped {
        context.out(&canonical)?;
    } else {
        fs::write(path, &canonical)
            .map_err(|error| CliError::new(format!("cannot write {name}: {error}")))?;
        context.err(&format!("formatted {name}\n"));
    }
    Ok(Outcome::Changed)
}
