//! `enginecmp data list|verify|prune`: the datasets that are kept in the work directory.

use super::suite::{WorkPlace, io_error};
use super::{CliError, Context, Exit, values};
use crate::host::disk;
use crate::host::work_dir::WorkDir;
use crate::model::units::human_bytes;
use crate::target::store::contents::Look;
use crate::target::store::{Kept, Listed, Store, StoredDataset};
use clap::{Subcommand, ValueEnum};
use std::fmt::Write as _;
use std::path::Path;
use std::time::SystemTime;
use unicode_width::UnicodeWidthStr;

/// Arguments of `data`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Tell what is kept, the dataset that was used last first
    List {
        #[command(flatten)]
        work: WorkPlace,
        /// What to print
        #[arg(long, value_enum, default_value = "text")]
        format: Format,
    },
    /// Compare every byte of datasets with what was kept; exit code 1 when one was altered
    Verify {
        #[command(flatten)]
        work: WorkPlace,
        /// The beginnings of their names [default: all]
        #[arg(value_name = "DATASET")]
        datasets: Vec<String>,
    },
    /// Drop half-made datasets, and whole ones that are named or exceed a size
    Prune {
        #[command(flatten)]
        work: WorkPlace,
        /// The beginnings of the names of whole ones to drop
        #[arg(value_name = "DATASET")]
        datasets: Vec<String>,
        /// Drop whole ones, those that were used longest ago first, until the rest has at most
        /// this size: 50GB, or 0 for all
        #[arg(long, value_name = "SIZE", value_parser = values::size,
            conflicts_with = "datasets")]
        keep: Option<u64>,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Exit, CliError> {
    match &arguments.verb {
        Verb::List { work, format } => {
            // Looking disturbs nobody, so a run may go on meanwhile.
            let store = Store::new(WorkDir::datasets_below(&work.directory(context)));
            let listed = listed(&store, &work.directory(context))?;
            context.out(&match format {
                Format::Text => text(&listed),
                Format::Json => json(&listed),
            })?;
            Ok(Exit::Good)
        }
        Verb::Verify { work, datasets } => {
            let (work, store) = open(work, context)?;
            let listed = listed(&store, work.root())?;
            verify(&store, &named(&listed, datasets)?, context)
        }
        Verb::Prune { work, datasets, keep } => {
            let (work, store) = open(work, context)?;
            prune(&store, work.root(), datasets, *keep, context)
        }
    }
}

/// The store, with the work directory locked: reading and removing would disturb a run.
fn open(work: &WorkPlace, context: &Context) -> Result<(WorkDir, Store), CliError> {
    let (work, _) = WorkDir::open(&work.directory(context))
        .map_err(|error| CliError::new(error.to_string()))?;
    let store = Store::new(work.datasets());
    Ok((work, store))
}

fn listed(store: &Store, work: &Path) -> Result<Listed, CliError> {
    store.list().map_err(|error| io_error("read the datasets of", work, &error))
}

/// Drops kept datasets until they fit; half of the disk is the budget of those who say none.
pub(super) fn keep_within(
    work: &WorkDir,
    budget: Option<u64>,
    context: &Context,
) -> Result<(), CliError> {
    let failed = |error| io_error("drop datasets of", work.root(), &error);
    let budget = match budget {
        Some(budget) => budget,
        None => disk::space_bytes(work.root()).map_err(failed)? / 2,
    };
    for kept in Store::new(work.datasets()).shrink(budget).map_err(failed)? {
        context.err(&format!(
            "dropped dataset {}, so that what is kept has at most {}\n",
            summary(&kept.dataset),
            human_bytes(budget as f64)
        ));
    }
    Ok(())
}

/// Characters of a name that are shown. Two datasets of one store never share them but by a
/// chance of one in 10^14.
const NAME: usize = 12;

fn name(dataset: &StoredDataset) -> &str {
    dataset.recipe.0.get(..NAME).unwrap_or(&dataset.recipe.0)
}

/// The datasets whose names begin so; all of them when nothing is asked for.
fn named<'l>(listed: &'l Listed, asked: &[String]) -> Result<Vec<&'l StoredDataset>, CliError> {
    let all: Vec<&StoredDataset> = listed.whole.iter().map(|kept| &kept.dataset).collect();
    if asked.is_empty() {
        return Ok(all);
    }
    let mut found = Vec::new();
    for asked in asked {
        let mut fits: Vec<_> =
            all.iter().copied().filter(|one| one.recipe.0.starts_with(asked.as_str())).collect();
        if fits.is_empty() {
            return Err(CliError::new(format!("no dataset's name begins with `{asked}`"))
                .help("`enginecmp data list` tells what is kept"));
        }
        found.append(&mut fits);
    }
    Ok(found)
}

fn ingredient<'d>(dataset: &'d StoredDataset, name: &str) -> &'d str {
    dataset
        .ingredients
        .iter()
        .find(|(known, _)| known == name)
        .map_or("", |(_, value)| value.as_str())
}

/// What its rows are: `tpcc, warehouses 100`. Parameters stand between the seed and the engine.
fn rows(dataset: &StoredDataset) -> String {
    let mut words = ingredient(dataset, "data").split(' ').next().unwrap_or_default().to_string();
    let parameters = dataset
        .ingredients
        .iter()
        .skip_while(|(name, _)| name != "seed")
        .skip(1)
        .take_while(|(name, _)| name != "storage");
    for (name, value) in parameters {
        let _ = write!(words, ", {name} {value}");
    }
    words
}

fn summary(dataset: &StoredDataset) -> String {
    format!(
        "{} ({}, {}, {})",
        name(dataset),
        ingredient(dataset, "storage"),
        ingredient(dataset, "server"),
        human_bytes(dataset.bytes as f64)
    )
}

fn moment(time: SystemTime, format: &str) -> String {
    jiff::Timestamp::try_from(time)
        .map_or_else(|_| "unknown".to_string(), |time| time.strftime(format).to_string())
}

const HEADING: [&str; 6] = ["DATASET", "ENGINE", "SERVER", "SIZE", "LAST USED (UTC)", "ROWS"];

fn text(listed: &Listed) -> String {
    let mut out = String::new();
    let row = |kept: &Kept| {
        [
            name(&kept.dataset).to_string(),
            ingredient(&kept.dataset, "storage").to_string(),
            ingredient(&kept.dataset, "server").to_string(),
            human_bytes(kept.dataset.bytes as f64),
            moment(kept.used, "%Y-%m-%d %H:%M"),
            rows(&kept.dataset),
        ]
    };
    let rows: Vec<[String; 6]> = listed.whole.iter().map(row).collect();
    if !rows.is_empty() {
        let heading = HEADING.map(str::to_string);
        let widths: Vec<usize> = (0..HEADING.len())
            .map(|at| rows.iter().chain([&heading]).map(|row| row[at].width()).max().unwrap_or(0))
            .collect();
        for row in [&heading].into_iter().chain(&rows) {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', width - cell.width() + 2));
            }
            let _ = writeln!(out, "{}", line.trim_end());
        }
        out.push('\n');
    }
    let _ =
        writeln!(out, "{}, {}", counted(rows.len(), "dataset"), human_bytes(listed.bytes() as f64));
    if !listed.half_made.is_empty() {
        let _ = writeln!(
            out,
            "{} that no load finished; `enginecmp data prune` drops them",
            counted(listed.half_made.len(), "directory")
        );
    }
    out
}

fn counted(count: usize, what: &str) -> String {
    match (count, what.strip_suffix('y')) {
        (1, _) => format!("1 {what}"),
        (count, Some(stem)) => format!("{count} {stem}ies"),
        (count, None) => format!("{count} {what}s"),
    }
}

fn json(listed: &Listed) -> String {
    let whole: Vec<_> = listed
        .whole
        .iter()
        .map(|kept| {
            let dataset = &kept.dataset;
            let ingredients: Vec<_> = dataset
                .ingredients
                .iter()
                .map(|(name, value)| serde_json::json!({ "name": name, "value": value }))
                .collect();
            serde_json::json!({
                "dataset": dataset.recipe.0,
                "bytes": dataset.bytes,
                "files": dataset.files.len(),
                "last_used": moment(kept.used, "%Y-%m-%dT%H:%M:%SZ"),
                "ingredients": ingredients,
            })
        })
        .collect();
    let half_made: Vec<_> = listed
        .half_made
        .iter()
        .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
        .collect();
    let all = serde_json::json!({
        "datasets": whole, "half_made": half_made, "bytes": listed.bytes(),
    });
    format!("{all:#}\n")
}

fn verify(store: &Store, datasets: &[&StoredDataset], context: &Context) -> Result<Exit, CliError> {
    let mut altered = 0;
    for dataset in datasets {
        let words = store
            .differences(dataset, Look::Bytes, &|| true)
            .unwrap_or_else(|error| vec![error.to_string()]);
        if words.is_empty() {
            context.out(&format!("{}  as it was kept\n", name(dataset)))?;
            continue;
        }
        altered += 1;
        context.out(&format!("{}  altered: {}\n", name(dataset), words.join("; ")))?;
    }
    context.out(&match (datasets.len(), altered) {
        (0, _) => "nothing is kept\n".to_string(),
        (all, 0) => format!("\n{}, none altered\n", counted(all, "dataset")),
        (all, altered) => format!(
            "\n{}, {altered} altered; a run that needs one loads it again\n",
            counted(all, "dataset")
        ),
    })?;
    Ok(if altered > 0 { Exit::Failed } else { Exit::Good })
}

fn prune(
    store: &Store,
    work: &Path,
    datasets: &[String],
    keep: Option<u64>,
    context: &Context,
) -> Result<Exit, CliError> {
    let failed = |error| io_error("drop datasets of", work, &error);
    let before = listed(store, work)?;
    // A name that fits nothing is told before anything is gone.
    let chosen = if datasets.is_empty() { Vec::new() } else { named(&before, datasets)? };
    for half in &before.half_made {
        crate::host::tree::remove(half).map_err(failed)?;
        let shown = half.file_name().unwrap_or_default().to_string_lossy();
        context.out(&format!(
            "dropped {}, which no load finished\n",
            shown.get(..NAME).unwrap_or(&shown)
        ))?;
    }
    for dataset in chosen {
        store.remove(&dataset.recipe).map_err(failed)?;
        context.out(&format!("dropped {}\n", summary(dataset)))?;
    }
    if let Some(keep) = keep {
        for kept in store.shrink(keep).map_err(failed)? {
            context.out(&format!("dropped {}\n", summary(&kept.dataset)))?;
        }
    }
    let after = listed(store, work)?;
    context.out(&format!(
        "{} with {} kept\n",
        counted(after.whole.len(), "dataset"),
        human_bytes(after.bytes() as f64)
    ))?;
    Ok(Exit::Good)
}
