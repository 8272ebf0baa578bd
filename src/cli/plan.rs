//! `enginecmp plan SUITE`: cells, datasets, options, estimates. Starts no server.

use super::execute::this_machine;
use super::servers::Servers;
use super::suite::{self, ServerPlaces, Shaping};
use super::{CliError, Context, Exit, calibrations};
use crate::diagnostic::SourceMap;
use crate::plan::advice::advice;
use crate::plan::{self, show};
use clap::ValueEnum;
use std::path::PathBuf;

/// Arguments of `plan`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The suite
    suite: PathBuf,
    #[command(flatten)]
    shaping: Shaping,
    #[command(flatten)]
    places: ServerPlaces,
    /// What to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs; docs/plan-json.md describes it
    Json,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Exit, CliError> {
    let mut sources = SourceMap::new();
    let suite = match suite::load(&arguments.suite, &arguments.shaping, &mut sources, context) {
        Ok(suite) => suite,
        Err(exit) => return Ok(exit),
    };
    let servers = Servers::find(&suite, arguments.places.directory(context), None, context);
    let plan = match plan::make(&suite, &servers.descriptions) {
        Ok(plan) => plan,
        Err(diagnostics) => return Ok(suite::tell(&diagnostics, &sources, context)),
    };
    let calibration = calibrations::find(context, &this_machine()?, &plan)?;
    let floors = |metric| {
        let known = calibration.as_ref().filter(|calibration| calibration.knows(metric));
        known.map(|calibration| calibration.floor(metric))
    };
    let advice = advice(&plan, &floors);
    let text = match arguments.format {
        Format::Text => {
            let text = show::text(&plan, &advice, usize::from(context.width()));
            if context.colored(false) { with_headings(&text) } else { text }
        }
        Format::Json => show::json::json(&plan, &advice),
    };
    context.out(&text)?;
    // The command ends here: freeing a large plan piece by piece would only keep people waiting.
    std::mem::forget((suite, plan));
    Ok(Exit::Good)
}

/// The text with its headings, lines that are not indented, in bold. The second line is none: it
/// says what the suite is called.
fn with_headings(text: &str) -> String {
    let line = |(at, line): (usize, &str)| {
        if at == 1 || line.is_empty() || line.starts_with(' ') {
            format!("{line}\n")
        } else {
            format!("\u{1b}[1m{line}\u{1b}[0m\n")
        }
    };
    text.lines().enumerate().map(line).collect()
}
