//! After the rows: sizes as the load left them, settling, statistics, sizes at rest.

use super::dataset::{LoadStep, failed};
use super::pool::CONTROL;
use super::watch::interrupted;
use crate::journal::record::{FileSize, TableSize};
use crate::model::{Failure, FailureKind, Metric, Phase};
use crate::plan::SettlePolicy;
use crate::target::session::{Dialect, Session};
use crate::target::settle::{Patience, Settled, analyze, settle};
use crate::target::sizes::{DiskUse, FileKind, SizeError, measure, reported};
use std::collections::BTreeMap;
use std::time::Duration;

/// How long `settle full` waits before it is a failure.
const FULL: Duration = Duration::from_secs(4 * 3600);

/// What coming to rest took, and the sizes before and after it.
#[derive(Clone, Debug, Default)]
pub(super) struct Rest {
    /// Time of settling; none where the suite wants none.
    pub(super) took: Option<Duration>,
    /// Sizes as the load left them and as settled; none when files cannot be seen.
    sizes: Option<(DiskUse, DiskUse)>,
    /// Bytes of each table as the server reports them, where its files cannot be seen.
    pub(super) reported: BTreeMap<String, u64>,
}

/// Brings the loaded engine to rest as the suite says, makes statistics, measures sizes.
pub(super) fn come_to_rest(
    step: &LoadStep<'_>,
    control: &mut dyn Session,
) -> Result<Rest, Failure> {
    step.env.phase(Phase::Settle);
    let loaded = disk_use(step, control)?;
    let took = settled(step, control)?;
    let tables = step.dataset.workload.tables();
    let names: Vec<&str> = tables.iter().map(|table| table.table.as_str()).collect();
    analyze(control, &step.dataset.database, &names)
        .map_err(|error| in_settle(failed(step, "making statistics", &error)))?;
    let sizes = loaded.zip(disk_use(step, control)?);
    let reported = if sizes.is_some() { BTreeMap::new() } else { told_sizes(step, control)? };
    Ok(Rest { took, sizes, reported })
}

fn in_settle(failure: Failure) -> Failure {
    Failure { phase: Phase::Settle, ..failure }
}

fn settled(step: &LoadStep<'_>, control: &mut dyn Session) -> Result<Option<Duration>, Failure> {
    let (within, must_end) = match step.dataset.settle {
        SettlePolicy::None => return Ok(None),
        SettlePolicy::Full => (FULL, true),
        SettlePolicy::For(limit) => (limit, false),
    };
    let interrupt = &step.env.settings.interrupt;
    let clock = step.running.clock(CONTROL);
    let patience = Patience { clock: &*clock, within, go_on: &|| !interrupt.is_raised() };
    let Settled { took, unfinished } = settle(control, step.dataset.spec, &patience)
        .map_err(|error| in_settle(failed(step, "settling", &error)))?;
    if interrupt.is_raised() {
        return Err(interrupted(Phase::Settle));
    }
    match unfinished {
        Some(left) if must_end => Err(Failure::new(
            Phase::Settle,
            FailureKind::Timeout,
            format!("the engine did not come to rest in {} s: {left} are left", took.as_secs()),
        )
        .next_step("`settle 30s` waits for so long and takes what there is")),
        _ => Ok(Some(took)),
    }
}

/// What the data take on disk; none when the target's files cannot be seen.
fn disk_use(step: &LoadStep<'_>, control: &mut dyn Session) -> Result<Option<DiskUse>, Failure> {
    if !step.running.capabilities().files {
        return Ok(None);
    }
    let Some(data_dir) = step.running.data_dirs().into_iter().next() else { return Ok(None) };
    measure(control, &data_dir, step.dataset.spec, &step.dataset.database).map(Some).map_err(
        |error| match error {
            SizeError::Sql(error) => in_settle(failed(step, "measuring sizes", &error)),
            SizeError::Files(_) => Failure::new(Phase::Settle, FailureKind::Io, error.to_string()),
        },
    )
}

/// What the server says of its tables' sizes.
pub(super) fn told_sizes(
    step: &LoadStep<'_>,
    control: &mut dyn Session,
) -> Result<BTreeMap<String, u64>, Failure> {
    if control.dialect() == Dialect::Sqlite {
        return Ok(BTreeMap::new());
    }
    reported(control, step.dataset.spec, &step.dataset.database)
        .map_err(|error| in_settle(failed(step, "asking for the sizes of tables", &error)))
}

/// What tables have in all as the server reports it, as a metric; nothing when it says nothing.
pub(super) fn reported_size(reported: &BTreeMap<String, u64>) -> Option<(Metric, u64)> {
    let bytes: u64 = reported.values().sum();
    (bytes > 0).then_some((Metric::SizeReported, bytes))
}

impl Rest {
    /// Sizes as metrics, those that are known.
    pub(super) fn sizes(&self) -> Vec<(Metric, u64)> {
        let Some((loaded, settled)) = &self.sizes else {
            return reported_size(&self.reported).into_iter().collect();
        };
        [
            (Metric::SizeLoaded, loaded.blocks_of(FileKind::Data)),
            (Metric::SizeSettled, settled.blocks_of(FileKind::Data)),
            (Metric::SizeLogs, settled.blocks_of(FileKind::Log)),
        ]
        .into_iter()
        .filter(|(_, bytes)| *bytes > 0)
        .collect()
    }

    /// Bytes of each table before and after settling.
    pub(super) fn table_sizes(&self) -> BTreeMap<String, TableSize> {
        let Some((loaded, settled)) = &self.sizes else { return BTreeMap::new() };
        let mut sizes: BTreeMap<String, TableSize> = BTreeMap::new();
        for (table, bytes) in &loaded.tables {
            sizes.entry(table.clone()).or_default().loaded_bytes = *bytes;
        }
        for (table, bytes) in &settled.tables {
            sizes.entry(table.clone()).or_default().settled_bytes = *bytes;
        }
        sizes
    }

    /// Data and log files at rest.
    pub(super) fn files(&self) -> Vec<FileSize> {
        let Some((_, settled)) = &self.sizes else { return Vec::new() };
        settled
            .files
            .iter()
            .filter(|file| file.kind != FileKind::Other)
            .map(|file| FileSize {
                path: file.path.clone(),
                length_bytes: file.length,
                blocks_bytes: file.blocks,
                log: file.kind == FileKind::Log,
            })
            .collect()
    }
}
