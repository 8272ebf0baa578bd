//! `enginecmp completions SHELL`.

use super::{CliError, CommandLine, Context, Exit};
use clap::CommandFactory;
use clap_complete::Shell;

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The shell: bash, elvish, fish, powershell or zsh
    shell: Shell,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut CommandLine::command(), "enginecmp", &mut script);
    context.out(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Good)
}
