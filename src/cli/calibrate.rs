//! `enginecmp calibrate SUITE`: measures the baseline against itself and keeps how far its figures
//! stray.

use super::calibrations::Keep;
use super::execute::{Execution, Known, execute, prepare};
use super::suite::{ServerPlaces, Shaping};
use super::{CliError, Context, Exit};
use crate::compare::view::{Against, Comparison, Verdict};
use crate::compare::{self, Calibration};
use crate::plan::{Average, calibrate};
use crate::report::calibration::{Calibrated, json, text};
use clap::ValueEnum;
use std::path::PathBuf;

/// Arguments of `calibrate`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The suite
    suite: PathBuf,
    /// Repetitions of each side; the baseline has two sides that do not differ
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(2..=1000))]
    repeat: u32,
    #[command(flatten)]
    shaping: Shaping,
    #[command(flatten)]
    places: ServerPlaces,
    #[command(flatten)]
    execution: Execution,
    /// Drop the database of this name on a server named by DSN, though enginecmp did not make it
    #[arg(long, value_name = "NAME")]
    overwrite: Option<String>,
    /// What to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs; docs/report-json.md describes it
    Json,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Exit, CliError> {
    let (mut plan, servers) = match prepare(
        &arguments.suite,
        &arguments.shaping,
        &arguments.places.directory(context),
        arguments.overwrite.as_deref(),
        context,
    )? {
        Ok(prepared) => prepared,
        Err(exit) => return Ok(exit),
    };
    let keep = Keep::of(context, &arguments.execution.machine()?, &plan);
    let pairs = calibrate::pairs(&plan);
    let mean = plan.average == Average::Mean;
    calibrate::against_itself(&mut plan, arguments.repeat);
    if plan.cells.is_empty() {
        return Err(CliError::new("no baseline cell of this suite can be measured here")
            .help("`enginecmp plan` says what is missing")
            .exit(Exit::NotMeasured));
    }
    let made = execute(&plan, &servers, &arguments.execution, Known::default(), context)?;
    if made.outcome.interrupted {
        return Ok(Exit::Interrupted);
    }
    let comparison = compare::compare(&made.journal.records);
    let calibration = Calibration::of(&made.journal.records);
    let detectable = calibration.detectable(pairs, mean);
    if detectable.is_empty() {
        return Err(CliError::new("no metric has two repetitions of one cell")
            .help(format!("the journal says what failed: {}", made.journal.file.display()))
            .exit(Exit::NotMeasured));
    }
    let (deltas, alarms) = told_apart(&comparison);
    let calibrated = Calibrated { record: &calibration.0, detectable, pairs, deltas, alarms };
    context.out(&match arguments.format {
        Format::Text => text(&calibrated),
        Format::Json => json(&calibrated),
    })?;
    let kept = keep.keep(&calibration)?;
    context.err(&format!(
        "\nkept for runs of what this suite measures: {}\njournal: {}\n",
        kept.display(),
        made.journal.file.display()
    ));
    Ok(if made.outcome.is_whole() { Exit::Good } else { Exit::NotMeasured })
}

/// Headline deltas between the sides, and how many of them are called better or worse although
/// the sides are one and the same.
fn told_apart(comparison: &Comparison) -> (usize, usize) {
    let verdicts: Vec<Verdict> = comparison
        .sections
        .iter()
        .flat_map(|section| &section.points)
        .flat_map(|point| &point.sides)
        .filter_map(|side| match &side.headline()?.against {
            Against::Delta(delta) => delta.judged.verdict(),
            _ => None,
        })
        .collect();
    let apart = verdicts.iter().filter(|v| matches!(v, Verdict::Better | Verdict::Worse)).count();
    (verdicts.len(), apart)
}
