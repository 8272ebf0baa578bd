//! What the harness has to say about its own numbers while it makes them.

mod machine;
pub(super) mod phase;

use super::measure::Figures;
use crate::journal::record::{MachineRecord, OpenLoop};
use crate::model::units::{human_bytes, human_seconds};
use crate::model::{CellKey, Finding, FindingCode, SettingValue};
use crate::plan::{Cell, DataSource, OsCache, Plan};
use crate::target::Capabilities;
use crate::target::session::SqlError;
use std::collections::BTreeSet;
use std::time::Duration;

/// A measured phase below this is said to be short.
const SHORT: Duration = Duration::from_secs(10);

/// Share of retried transactions above which it is said.
const MANY_RETRIES: f64 = 0.01;

/// Resident share of restored data above which they are not cold.
const COLD: f64 = 0.01;

/// Remembers what was said, so that nothing is said twice.
#[derive(Debug, Default)]
pub(super) struct Said(BTreeSet<(FindingCode, Option<CellKey>)>);

impl Said {
    /// Whether the finding is new.
    pub(super) fn is_new(&mut self, finding: &Finding) -> bool {
        self.0.insert((finding.code, finding.cell.clone()))
    }
}

/// What is clear before anything is measured: what the plan says, and what the machine does.
pub(super) fn of_plan(plan: &Plan, machine: &MachineRecord) -> Vec<Finding> {
    let measured = sizes_will_be_known(plan);
    let mut found = plan.findings.clone();
    found.retain(|finding| !(measured && finding.code == FindingCode::FitsInCache));
    found.extend(machine::of_machine(machine));
    found.extend(super::share::not_had(plan.machine.as_ref()));
    found
}

/// Whether every cell's data will be measured beside its cache; estimates are then of no use.
fn sizes_will_be_known(plan: &Plan) -> bool {
    plan.cells.iter().filter(|cell| cell.unavailable.is_none()).all(|cell| {
        matches!(cell.settings.get("cache"), Some(SettingValue::Size(_)))
            && plan.datasets[cell.dataset].source == DataSource::Store
    })
}

/// What cannot be done to a server that enginecmp did not start, or seen of it.
pub(super) fn not_ours(
    cell: &Cell,
    source: DataSource,
    cold_probes: bool,
    able: Capabilities,
) -> Option<Finding> {
    let mut lacks = Vec::new();
    if !able.restart {
        lacks.push("no fresh start for each repetition, no start and stop times");
        lacks.push("caches as the load left them");
        if cell.os_cache == OsCache::Drop {
            lacks.push("`os_cache drop` does nothing");
        }
        if cold_probes {
            lacks.push("`cold` probes are warm");
        }
    }
    if !able.files {
        lacks.push("no sizes by file, only what the server says of its tables");
        lacks.push(if source == DataSource::Reuse {
            "no copies: repetitions run on what is there"
        } else {
            "no copies: each repetition drops the data and loads again"
        });
    }
    (!lacks.is_empty())
        .then(|| Finding::new(FindingCode::NotOurServer, lacks.join("; ")).of(cell.key.clone()))
}

/// The data fit in the cache that the cell states.
pub(super) fn fits_in_cache(cell: &Cell, data_bytes: u64) -> Option<Finding> {
    let cache = match cell.settings.get("cache")? {
        SettingValue::Size(bytes) => *bytes,
        _ => return None,
    };
    (data_bytes > 0 && data_bytes < cache).then(|| {
        let seen = format!(
            "{} of data, {} of cache",
            human_bytes(data_bytes as f64),
            human_bytes(cache as f64)
        );
        Finding::new(FindingCode::FitsInCache, seen).of(cell.key.clone())
    })
}

/// Restored data were in the page cache when the server started.
pub(super) fn not_cold(cell: &CellKey, resident: f64) -> Option<Finding> {
    (resident > COLD).then(|| {
        let seen = format!("{:.1} % of the restored pages were resident", resident * 100.0);
        Finding::new(FindingCode::NotCold, seen).of(cell.clone())
    })
}

/// The server's counters could not be sampled, or not to the end.
pub(super) fn not_sampled(cell: &CellKey, error: Option<&SqlError>) -> Option<Finding> {
    let error = error?;
    Some(Finding::new(FindingCode::NotSampled, error.to_string()).of(cell.clone()))
}

/// What the figures of one repetition tell.
pub(super) fn of_figures(cell: &Cell, figures: &Figures, processors: u32) -> Vec<Finding> {
    let measured = figures.length;
    let mut found = phase::of_counts(&cell.key, &figures.rounds, cell.workload.least_shares());
    found.extend(phase::of_samples(&cell.key, &figures.samples, processors, figures.completed));
    if cell.requests.is_some() && measured < SHORT {
        let seen = format!("measured for {}", human_seconds(measured.as_secs_f64()));
        found.push(Finding::new(FindingCode::TooShort, seen).of(cell.key.clone()));
    }
    let share = figures.retries as f64 / figures.completed as f64;
    if share > MANY_RETRIES {
        let seen = format!(
            "{} retries in {} transactions ({:.1} %)",
            figures.retries,
            figures.completed,
            share * 100.0
        );
        found.push(Finding::new(FindingCode::ManyRetries, seen).of(cell.key.clone()));
    }
    if let (Some(part), Some(tolerance)) = (figures.rest, cell.steady)
        && !part.at_rest
    {
        let seen = format!(
            "throughput did not come to rest within {} % in {}",
            tolerance * 100.0,
            human_seconds(cell.measure.as_secs_f64())
        );
        found.push(Finding::new(FindingCode::Trending, seen).of(cell.key.clone()));
    }
    found.extend(
        figures.used.and_then(|used| phase::client_bound(&cell.key, used, measured, processors)),
    );
    found
}

/// More arrived than was done.
pub(super) fn saturated(cell: &CellKey, open: &OpenLoop) -> Option<Finding> {
    let waiting = *open.rounds.last()?.backlog.last()?;
    let seen = format!(
        "{:.0} transactions arrived a second, and {waiting} waited at the end",
        open.rate_per_second
    );
    open.saturated.then(|| Finding::new(FindingCode::Saturated, seen).of(cell.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_in_the_cache_are_said_above_one_in_a_hundred() {
        let cell = CellKey::from_pairs([("engine", "innodb")]);
        assert!(not_cold(&cell, 0.009).is_none());
        assert!(not_cold(&cell, 0.5).expect("it is said").seen.starts_with("50.0 %"));
    }
}
