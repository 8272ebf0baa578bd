//! `enginecmp check SUITE...`: parse and resolve, read nothing but files.

use super::suite::{Shaping, tell};
use super::{CliError, Context, Exit};
use crate::diagnostic::SourceMap;
use crate::plan::{self, Disk, Suite, SuiteText};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The suites
    #[arg(required = true)]
    suites: Vec<PathBuf>,
    #[command(flatten)]
    shaping: Shaping,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Exit, CliError> {
    let mut exit = Exit::Good;
    for suite in &arguments.suites {
        match checked(suite, &arguments.shaping, context) {
            Ok(found) => context.out(&format!("{}: {}\n", suite.display(), summary(&found)))?,
            Err(wrong) => exit = wrong,
        }
    }
    Ok(exit)
}

/// Checks a suite as asked, then with each of its profiles by itself.
fn checked(path: &Path, shaping: &Shaping, context: &Context) -> Result<Suite, Exit> {
    let mut sources = SourceMap::new();
    let arguments = shaping.arguments();
    let text = SuiteText::read(path, arguments.includes_anywhere, &mut sources, &Disk)
        .map_err(|diagnostics| tell(&diagnostics, &sources, context))?;
    let mut load = |arguments: &plan::Arguments| {
        text.suite(arguments, &mut sources)
            .map_err(|diagnostics| tell(&diagnostics, &sources, context))
    };
    let suite = load(&arguments)?;
    if arguments.profiles.is_empty() {
        for profile in &suite.profile_names {
            load(&plan::Arguments { profiles: vec![profile.clone()], ..arguments.clone() })?;
        }
    }
    Ok(suite)
}

/// `fine: 18 cells, profiles smoke`.
fn summary(suite: &Suite) -> String {
    let cells = suite.combinations.len();
    let mut text = format!("fine, {cells} {}", if cells == 1 { "cell" } else { "cells" });
    if !suite.profile_names.is_empty() {
        let _ = write!(text, ", profiles: {}", suite.profile_names.join(", "));
    }
    if !suite.unsupported.is_empty() {
        let names: Vec<&str> = suite.unsupported.iter().map(|one| one.what.as_str()).collect();
        let _ = write!(text, "; not supported in this version: {}", names.join(", "));
    }
    text
}
