//! Runs of enginecmp itself.

use super::Res;
use super::processes::{Clients, PATH, Working, watch};
use enginecmp::journal::{Journal, Record, read, record::DatasetRecord};
use enginecmp::model::Metric;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// The command that is measured.
pub(crate) const ENGINECMP: &str = env!("CARGO_BIN_EXE_enginecmp");

/// A run that came to its end.
pub(crate) struct Ran {
    pub(crate) journal: Journal,
    /// What it used while its clients worked.
    pub(crate) working: Option<Working>,
}

impl Ran {
    /// Transactions that were completed in the measured phases of all repetitions.
    pub(crate) fn transactions(&self) -> Res<f64> {
        let mut sum = 0;
        for repetition in self.journal.repetitions() {
            if let Some(failure) = &repetition.record.failure {
                return Err(format!("a repetition failed: {}", failure.message).into());
            }
            let types = repetition.record.rounds.iter().flat_map(|round| &round.types);
            sum += types.map(|of| of.committed + of.rolled_back).sum::<u64>();
        }
        if sum == 0 { Err("no transaction was measured".into()) } else { Ok(sum as f64) }
    }

    /// Seconds of the measured phases of all repetitions.
    pub(crate) fn measured(&self) -> f64 {
        let repetitions = self.journal.repetitions();
        let rounds = repetitions.iter().flat_map(|repetition| &repetition.record.rounds);
        rounds.map(|round| round.duration_ns as f64 / 1e9).sum()
    }

    /// The first load.
    pub(crate) fn dataset(&self) -> Res<&DatasetRecord> {
        let mut datasets = self.journal.records.iter().filter_map(|record| match record {
            Record::Dataset(dataset) => Some(dataset),
            _ => None,
        });
        datasets.next().ok_or_else(|| "nothing was loaded".into())
    }

    /// A figure of the first load.
    pub(crate) fn loaded(&self, metric: Metric) -> Res<f64> {
        let values = &self.dataset()?.metrics;
        let value = values.iter().find(|value| value.id.metric == metric);
        value.map(|value| value.value).ok_or_else(|| format!("no {}", metric.name()).into())
    }
}

/// The database of a suite that names one by DSN.
fn database(suite: &str) -> Option<&str> {
    let (_, behind) = suite.split_once("@localhost/")?;
    behind.split(['?', '"']).next()
}

/// The command that runs a suite in a folder of its own below `folder`, and that folder: the journal
/// goes to `out` in it.
pub(crate) fn command(folder: &Path, suite: &str) -> Res<(Command, PathBuf)> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let place = folder.join(format!("run{}", NEXT.fetch_add(1, Ordering::Relaxed)));
    fs::create_dir_all(&place)?;
    let file = place.join("suite.bench");
    fs::write(&file, suite)?;
    let mut command = Command::new(ENGINECMP);
    // The database is ours and empty, but it was not enginecmp that made it.
    if let Some(database) = database(suite) {
        command.args(["run", "--overwrite", database]);
    }
    command
        .env("PATH", PATH)
        .arg(&file)
        .args(["--format", "csv", "--work"])
        .arg(place.join("work"))
        .arg("--out")
        .arg(place.join("out"))
        .stdin(Stdio::null());
    Ok((command, place))
}

/// Runs a suite in a folder of its own below `folder`.
pub(crate) fn run(folder: &Path, suite: &str) -> Res<Ran> {
    let (mut command, place) = command(folder, suite)?;
    let said = place.join("said");
    let mut child =
        command.stdout(File::create(place.join("csv"))?).stderr(File::create(&said)?).spawn()?;
    let (status, working) = watch(&mut child, Clients::Named("client "))?;
    if !status.success() {
        return Err(format!("enginecmp {status}:\n{}", fs::read_to_string(&said)?).into());
    }
    Ok(Ran { journal: read(&place.join("out"))?, working })
}
