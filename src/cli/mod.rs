//! The command line: clap types, the [`Context`] that everything else gets from the environment,
//! and one short file a verb.

mod calibrate;
mod calibrations;
mod check;
mod compare;
mod completions;
mod context;
mod data;
mod doctor;
mod execute;
mod exit;
mod explain;
mod fmt;
mod import;
mod language;
mod machines;
mod merge;
mod plan;
mod progress;
mod report;
mod reports;
mod resume;
mod run;
mod schema;
mod servers;
mod suite;
mod values;

pub use context::{Color, Context};
pub use exit::{CliError, Exit};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;

/// Above the options that every verb takes.
const EVERYWHERE: &str = "Options of every command";

/// Compares storage engines of MySQL-family servers: a suite in, a table of deltas out.
#[derive(Debug, Parser)]
#[command(name = "enginecmp", version, about, disable_help_subcommand = true)]
struct CommandLine {
    /// When to use colour: `always`, `never`, or `auto`, as the terminal and `NO_COLOR` say
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN")]
    #[arg(hide_possible_values = true, help_heading = EVERYWHERE)]
    color: Color,
    /// Exit codes for `git bisect run`: 125 where nothing can be told, 128 where the suite is wrong
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    bisect: bool,
    /// Show reports whole on a terminal, too, where some tables are folded into a line each
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    verbose: bool,
    #[command(subcommand)]
    verb: Verb,
}

/// What can be asked for. `enginecmp SUITE.bench` is `enginecmp run SUITE.bench`.
#[derive(Debug, Subcommand)]
enum Verb {
    /// Run a suite and print its table
    Run(Box<run::Arguments>),
    /// Check suites without any server: what is wrong, all of it
    Check(check::Arguments),
    /// Show what a suite means on this machine: cells, datasets, options, estimates
    Plan(plan::Arguments),
    /// Measure the baseline of a suite against itself: the noise floor of this machine
    Calibrate(Box<calibrate::Arguments>),
    /// Make a report from a run
    Report(report::Arguments),
    /// Join the shards of a suite
    Merge(merge::Arguments),
    /// Compare two or more runs
    Compare(compare::Arguments),
    /// Import what other tools printed, and compare it
    Import(import::Arguments),
    /// Transform DDL scripts for an engine, or show what a suite makes of its schema
    Schema(Box<schema::Arguments>),
    /// List, verify and drop the datasets that are kept in the work directory
    Data(data::Arguments),
    /// Tell which servers and engines this machine has, what is missing and how to get it
    Doctor(doctor::Arguments),
    /// Write suites in canonical form, comments kept
    Fmt(fmt::Arguments),
    /// Explain the code of a diagnostic or a finding
    Explain(explain::Arguments),
    /// Tell about the statements of the language
    Language(language::Arguments),
    /// Print a script that completes this command in a shell
    Completions(completions::Arguments),
}

/// Runs the command with the arguments and the environment of this process.
pub fn main() -> ExitCode {
    crate::host::environment::keep_files_private();
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|verb| verb == crate::host::guard::VERB) {
        return ExitCode::from(crate::host::guard::serve(arguments));
    }
    let context = Context::of_process();
    ExitCode::from(run(std::env::args_os().collect(), context) as u8)
}

/// Runs the command line `arguments` (program name first) and gives its exit code.
pub fn run(arguments: Vec<OsString>, mut context: Context) -> Exit {
    let bisect = arguments.iter().any(|word| word == "--bisect");
    let command_line = match parsed(arguments) {
        Ok(command_line) => command_line,
        Err(error) => {
            let wrong = error.use_stderr();
            let text = error.render();
            let shown =
                if context.colored(wrong) { text.ansi().to_string() } else { text.to_string() };
            if wrong {
                context.err(&shown);
                return if bisect { Exit::Wrong.for_bisect() } else { Exit::Wrong };
            }
            return context
                .out(&shown)
                .map_or_else(|error| error.report(&context), |()| Exit::Good);
        }
    };
    context.set_color(command_line.color);
    context.set_bisect(command_line.bisect);
    context.set_verbose(command_line.verbose);
    let outcome = match &command_line.verb {
        Verb::Run(arguments) => run::run(arguments, &context),
        Verb::Check(arguments) => check::run(arguments, &context),
        Verb::Plan(arguments) => plan::run(arguments, &context),
        Verb::Calibrate(arguments) => calibrate::run(arguments, &context),
        Verb::Report(arguments) => report::run(arguments, &context),
        Verb::Merge(arguments) => merge::run(arguments, &context),
        Verb::Compare(arguments) => compare::run(arguments, &context),
        Verb::Import(arguments) => import::run(arguments, &context),
        Verb::Schema(arguments) => schema::run(arguments, &context),
        Verb::Data(arguments) => data::run(arguments, &context),
        Verb::Doctor(arguments) => doctor::run(arguments, &context),
        Verb::Fmt(arguments) => fmt::run(arguments, &context),
        Verb::Explain(arguments) => explain::run(arguments, &context),
        Verb::Language(arguments) => language::run(arguments, &context),
        Verb::Completions(arguments) => completions::run(arguments, &context),
    };
    let exit = outcome.unwrap_or_else(|error| error.report(&context));
    if command_line.bisect { exit.for_bisect() } else { exit }
}

/// The command line as clap reads it.
fn parsed(arguments: Vec<OsString>) -> Result<CommandLine, clap::Error> {
    let mut command = CommandLine::command();
    let arguments = with_verb(&command, arguments);
    let mut matches = command.try_get_matches_from_mut(arguments)?;
    CommandLine::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Puts `run` in front of a suite that was named without a verb.
fn with_verb(command: &clap::Command, mut arguments: Vec<OsString>) -> Vec<OsString> {
    let known = |word: &str| {
        command.get_subcommands().any(|verb| {
            verb.get_name() == word || verb.get_all_aliases().any(|alias| alias == word)
        })
    };
    let names_verb = arguments.iter().skip(1).any(|word| word.to_str().is_some_and(known));
    let names_suite = arguments.iter().skip(1).any(|word| {
        word.to_str().is_some_and(|word| word.ends_with(".bench") && !word.starts_with('-'))
    });
    let first_is_verb = arguments.get(1).and_then(|word| word.to_str()).is_some_and(known);
    if names_suite && !first_is_verb && !names_verb {
        arguments.insert(1, OsString::from("run"));
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn a_suite_without_a_verb_is_run() {
        let command = CommandLine::command();
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(with_verb(&command, words("enginecmp a.bench")), words("enginecmp run a.bench"));
        assert_eq!(
            with_verb(&command, words("enginecmp --profile smoke a.bench")),
            words("enginecmp run --profile smoke a.bench")
        );
        assert_eq!(
            with_verb(&command, words("enginecmp explain F001")),
            words("enginecmp explain F001")
        );
        assert_eq!(with_verb(&command, words("enginecmp --help")), words("enginecmp --help"));
    }
}
