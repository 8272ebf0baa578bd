//! Exit codes and the errors that lead to them.

use super::context::Context;

/// How the command ends. The first that applies, from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Interrupted.
    Interrupted = 130,
    /// The suite or the command line is wrong.
    Wrong = 2,
    /// An expectation or a comparison failed.
    Failed = 1,
    /// Something could not be measured; with `--bisect`, or not be told.
    NotMeasured = 125,
    /// Wrong, as `git bisect run` wants it: it shall not go on.
    BisectStops = 128,
    /// All good; undecided is good, with a finding.
    Good = 0,
}

impl Exit {
    /// The code that `git bisect run` takes for the same: a wrong suite ends it, where 2 would
    /// mean a bad revision.
    #[must_use]
    pub const fn for_bisect(self) -> Self {
        match self {
            Self::Wrong => Self::BisectStops,
            other => other,
        }
    }
}

/// The tool could not do its work: what, and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct CliError {
    message: String,
    help: Option<String>,
    exit: Exit,
}

impl CliError {
    /// An error that ends the command as wrong use (exit code 2).
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, exit: Exit::Wrong }
    }

    /// The same, ending with another code.
    #[must_use]
    pub fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    /// The same with a next step.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Tells the user and gives the exit code.
    pub(super) fn report(&self, context: &Context) -> Exit {
        let (red, bold, plain) = if context.colored(true) {
            ("\u{1b}[1;31m", "\u{1b}[1m", "\u{1b}[0m")
        } else {
            ("", "", "")
        };
        context.err(&format!("{red}error{plain}{bold}: {}{plain}\n", self.message));
        if let Some(help) = &self.help {
            context.err(&format!("  help: {help}\n"));
        }
        self.exit
    }
}
