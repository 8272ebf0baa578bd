//! What a run will take: bytes of each dataset, disk and time of the whole. Estimates, from what was
//! measured of TPC-C on InnoDB; they say whether a suite fits a night and a disk, no more.

use super::{Cell, DataSource, Plan, maxima};
use crate::engine::{CompressionSyntax, EngineSpec, Home};
use crate::workload::Workload;
use std::time::Duration;

/// Bytes of one row with its indexes in InnoDB, freshly loaded: 95.8 MB a warehouse of 499,011
/// rows.
const BYTES_A_ROW: u64 = 192;
/// Bytes that a load brings in a second on one loader connection.
const LOAD_BYTES_A_SECOND: f64 = 8e6;
/// Bytes that a copy brings into place in a second, eviction included.
const COPY_BYTES_A_SECOND: f64 = 2e8;
/// Transactions in a second where a phase ends after so many: a guess.
const REQUESTS_A_SECOND: f64 = 1000.0;
/// Starting and stopping a server, and checking the data after a repetition.
const AROUND_ON_A_SERVER: Duration = Duration::from_secs(8);
/// The same where the engine runs in this process.
const AROUND_IN_PROCESS: Duration = Duration::from_millis(500);
/// A server's own files beside the data: logs, system tables.
const BYTES_OF_A_SERVER: u64 = 200 << 20;

fn around(spec: &EngineSpec) -> Duration {
    match spec.home {
        Home::Server => AROUND_ON_A_SERVER,
        Home::InProcess => AROUND_IN_PROCESS,
    }
}

/// What a plan will take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Loading and settling all datasets.
    pub load: Duration,
    /// All repetitions.
    pub repetitions: Duration,
    /// Largest use of the work directory: every dataset, and the copy that is in use. Bytes.
    pub disk: u64,
}

impl Estimate {
    /// Loads and repetitions together.
    pub fn time(&self) -> Duration {
        self.load + self.repetitions
    }
}

/// Bytes of a workload's data with indexes, whatever the engine: what `5% of data` is taken of, so
/// that all sides of a pair get the same.
pub fn reference_bytes(workload: &dyn Workload) -> u64 {
    let rows: u64 =
        workload.tables().iter().flat_map(|table| &table.parts).map(|part| part.rows).sum();
    rows.saturating_mul(BYTES_A_ROW)
}

/// Bytes of the same data in one engine, settled. `format` is its compression or row format.
pub fn bytes_in(spec: &EngineSpec, format: Option<&str>, reference: u64) -> u64 {
    let format = format.unwrap_or_default().to_lowercase();
    let plain = format == "none" || format.ends_with("uncompressed");
    let percent = match spec.compression_syntax {
        CompressionSyntax::ColumnFamilyOption => 75,
        CompressionSyntax::TokudbRowFormat => 80,
        CompressionSyntax::InnodbTableOption if format == "zlib" || format == "compressed" => 65,
        CompressionSyntax::InnodbTableOption | CompressionSyntax::None => 100,
    };
    if plain { reference } else { reference / 100 * percent }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX / 4)
}

/// The measured phases of a repetition.
fn measured(cell: &Cell) -> Duration {
    let by_time = cell.measure.saturating_mul(cell.rounds);
    cell.requests
        .map_or(by_time, |requests| by_time.min(seconds(requests as f64 / REQUESTS_A_SECOND)))
}

/// One repetition of a cell, restore to stop.
pub fn repetition(plan: &Plan, cell: &Cell) -> Duration {
    let dataset = &plan.datasets[cell.dataset];
    let bytes = dataset.estimated_bytes as f64;
    let data = match dataset.source {
        DataSource::Store => seconds(bytes / COPY_BYTES_A_SECOND),
        DataSource::Load => {
            seconds(bytes / LOAD_BYTES_A_SECOND / f64::from(dataset.load.threads.max(1)))
        }
        DataSource::Reuse => Duration::ZERO,
    };
    // Probes scan a table on a start of their own.
    let probes = seconds(plan.probes.len() as f64 * bytes / COPY_BYTES_A_SECOND);
    data.saturating_add(around(dataset.spec))
        .saturating_add(probes)
        .saturating_add(cell.warmup)
        .saturating_add(measured(cell))
}

/// What the whole plan takes with so many repetitions of each cell, or loads of each dataset.
pub fn with_repetitions(plan: &Plan, repetitions: u32, loads: bool) -> Duration {
    let now = estimate(plan);
    let times =
        |whole: Duration, planned: u32| (whole / planned.max(1)).saturating_mul(repetitions);
    if loads {
        let planned = plan.datasets.iter().map(|dataset| dataset.load.repeat).max().unwrap_or(1);
        times(now.load, planned).saturating_add(now.repetitions)
    } else {
        now.load.saturating_add(times(now.repetitions, plan.repeat))
    }
}

/// What the whole plan takes; cells that are not available take nothing.
pub fn estimate(plan: &Plan) -> Estimate {
    let mut estimate = Estimate::default();
    let mut used = vec![false; plan.datasets.len()];
    for cell in plan.cells.iter().filter(|cell| cell.unavailable.is_none()) {
        used[cell.dataset] = true;
        estimate.repetitions =
            estimate.repetitions.saturating_add(repetition(plan, cell).saturating_mul(plan.repeat));
    }
    if let Some(test) = &plan.disk {
        estimate.repetitions += (test.time + test.sync_time()) * 2;
    }
    for slot in maxima(plan) {
        let once = repetition(plan, &plan.cells[slot.cell]);
        estimate.repetitions = estimate.repetitions.saturating_add(once);
    }
    let mut largest = 0;
    for (dataset, _) in plan.datasets.iter().zip(&used).filter(|(_, used)| **used) {
        let own = if dataset.spec.home == Home::Server { BYTES_OF_A_SERVER } else { 0 };
        let bytes = dataset.estimated_bytes.saturating_add(own);
        largest = largest.max(bytes);
        if dataset.source == DataSource::Store {
            let threads = f64::from(dataset.load.threads.max(1));
            let once = seconds(dataset.estimated_bytes as f64 / LOAD_BYTES_A_SECOND / threads)
                .saturating_add(around(dataset.spec));
            estimate.load =
                estimate.load.saturating_add(once.saturating_mul(dataset.load.repeat.max(1)));
            estimate.disk = estimate.disk.saturating_add(bytes);
        }
    }
    estimate.disk = estimate.disk.saturating_add(largest);
    // The file of the test is gone before anything is loaded, and comes again when copies are gone.
    estimate.disk = estimate.disk.max(plan.disk.as_ref().map_or(0, |test| test.size_bytes));
    estimate
}
