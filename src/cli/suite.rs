//! What all verbs that take a suite have in common: its arguments, reading it, and telling what is
//! wrong with it.

use super::{CliError, Context, Exit};
use crate::diagnostic::{self, Diagnostic, Severity, SourceMap};
use crate::host::machine::Machine;
use crate::plan::{self, Disk, Suite};
use std::path::{Path, PathBuf};

/// Arguments that shape a suite.
#[derive(Debug, Default, clap::Args)]
pub(super) struct Shaping {
    /// A profile of the suite; several apply from left to right
    #[arg(long = "profile", value_name = "NAME", value_delimiter = ',')]
    profiles: Vec<String>,
    /// Replace a setting: NAME=VALUE[,VALUE]
    #[arg(long = "set", value_name = "NAME=VALUE")]
    sets: Vec<String>,
    /// Only cells for which the condition holds: "engine = toku and clients >= 64"
    #[arg(long, value_name = "CONDITION")]
    only: Option<String>,
    /// Let the suite start programs and reach files outside its folder
    #[arg(long)]
    allow_external: bool,
}

impl Shaping {
    /// Whether the suite may start programs.
    pub(super) fn allow_external(&self) -> bool {
        self.allow_external
    }

    /// The same as the plan wants it.
    pub(super) fn arguments(&self) -> plan::Arguments {
        plan::Arguments {
            profiles: self.profiles.clone(),
            sets: self.sets.clone(),
            only: self.only.clone(),
            includes_anywhere: self.allow_external,
            processors: std::thread::available_parallelism()
                .map_or(1, |processors| processors.get() as u32),
            memory: Machine::memory_here().ok(),
        }
    }
}

/// Reads and resolves a suite. When it is wrong, all that is wrong was told and the error is the
/// exit code.
pub(super) fn load(
    path: &Path,
    shaping: &Shaping,
    sources: &mut SourceMap,
    context: &Context,
) -> Result<Suite, Exit> {
    plan::load(path, &shaping.arguments(), sources, &Disk)
        .map_err(|diagnostics| tell(&diagnostics, sources, context))
}

/// Tells what is wrong with a suite; the exit code is that of a wrong suite.
pub(super) fn tell(diagnostics: &[Diagnostic], sources: &SourceMap, context: &Context) -> Exit {
    let width = usize::from(context.width());
    context.err(&diagnostic::render(diagnostics, sources, context.colored(true), width));
    let errors = diagnostics.iter().filter(|one| one.severity == Severity::Error).count();
    if errors > 1 {
        context.err(&format!("{errors} errors\n"));
    }
    Exit::Wrong
}

/// Arguments that say where servers are.
#[derive(Debug, clap::Args)]
pub(super) struct ServerPlaces {
    /// A directory with one unpacked server in each of its directories
    #[arg(long, value_name = "DIR", env = "ENGINECMP_SERVERS", hide_env_values = true)]
    servers: Option<PathBuf>,
}

impl ServerPlaces {
    /// The directory of servers.
    pub(super) fn directory(&self, context: &Context) -> PathBuf {
        self.servers.clone().unwrap_or_else(|| context.default_servers())
    }
}

/// Arguments that say where work is done.
#[derive(Debug, clap::Args)]
pub(super) struct WorkPlace {
    /// Where data directories, copies and datasets lie; one file system, not in memory
    #[arg(long, value_name = "DIR", env = "ENGINECMP_WORK", hide_env_values = true)]
    work: Option<PathBuf>,
}

impl WorkPlace {
    /// The work directory.
    pub(super) fn directory(&self, context: &Context) -> PathBuf {
        self.work.clone().unwrap_or_else(|| context.default_work())
    }
}

/// An input or output error with what was tried.
pub(super) fn io_error(what: &str, path: &Path, error: &std::io::Error) -> CliError {
    CliError::new(format!("cannot {what} {}: {error}", path.display()))
}
