//! What would stop a run later, looked for before anything is loaded: limits of the server, free
//! disk, descriptors.

use super::places;
use crate::host::disk::{free_bytes, space_bytes};
use crate::host::limits::raise_descriptors;
use crate::host::work_dir::WorkDir;
use crate::model::units::human_bytes;
use crate::model::{Failure, FailureKind, Phase};
use crate::plan::estimate::estimate;
use crate::plan::{Cell, DataSource, Dataset, Plan, limits};
use crate::target::Running;

/// Descriptors beside those of clients.
const DESCRIPTORS: u64 = 256;

/// The server has room for the clients of a cell; the failure names what it lacks, with the value
/// to set. What a server does not tell is not asked.
pub(super) fn server(cell: &Cell, running: &dyn Running) -> Result<(), Failure> {
    let told = |variable: &str| running.variables().get(variable)?.parse::<u64>().ok();
    let mut lacks = Vec::new();
    let mut set = Vec::new();
    for limit in limits(&*cell.workload, cell.clients) {
        if let Some(value) = told(limit.variable)
            && value < limit.least
        {
            lacks.push(format!(
                "{} is {value}, and {} need {}",
                limit.variable,
                limit.why(),
                limit.least
            ));
            set.push(format!("{} = {}", limit.variable, limit.least));
        }
    }
    if lacks.is_empty() {
        return Ok(());
    }
    let start_only = |set: &String| set.starts_with("back_log");
    let step = if set.iter().any(start_only) {
        format!("start the server with {}", set.join(", "))
    } else {
        format!("SET GLOBAL {}", set.join(", "))
    };
    Err(Failure::new(Phase::Start, FailureKind::OptionNotTaken, lacks.join("; ")).next_step(step))
}

/// TokuDB takes no row when less than its reserve is free.
pub(super) fn reserve(
    dataset: &Dataset,
    running: &dyn Running,
    work: &WorkDir,
) -> Result<(), Failure> {
    let variable = "tokudb_fs_reserve_percent";
    let told = running.variables().get(variable).and_then(|value| value.parse::<f64>().ok());
    let (Some(percent), true) = (told, running.capabilities().files) else { return Ok(()) };
    let (Ok(free), Ok(space)) = (free_bytes(work.root()), space_bytes(work.root())) else {
        return Ok(());
    };
    match reserved(percent, free, space, dataset.estimated_bytes) {
        None => Ok(()),
        Some(left) => Err(Failure::new(
            Phase::Load,
            FailureKind::OptionNotTaken,
            format!(
                "{left:.1} % of the disk are free beside the data, and TokuDB refuses rows below \
                 {percent} % ({variable})"
            ),
        )
        .next_step("free some of the disk, or name another with `--work DIR`")),
    }
}

/// The share in percent that is free beside the data, where that is below the reserve.
fn reserved(percent: f64, free: u64, space: u64, data: u64) -> Option<f64> {
    let left = free.saturating_sub(data) as f64 * 100.0 / space.max(1) as f64;
    (left < percent).then_some(left)
}

/// The machine has room for the run: the disk for datasets and copies, this process for its
/// connections.
pub(super) fn machine(plan: &Plan, work: &WorkDir) -> Result<(), Failure> {
    let clients = plan.cells.iter().map(|cell| cell.clients).max().unwrap_or_default();
    let needed = u64::from(clients) + DESCRIPTORS;
    let limit = raise_descriptors(needed);
    if limit < needed {
        return Err(Failure::new(
            Phase::Start,
            FailureKind::Io,
            format!("a process may open {limit} files here, and {clients} clients need {needed}"),
        )
        .next_step(format!("ulimit -n {needed}")));
    }
    let stored: u64 = plan
        .datasets
        .iter()
        .filter(|dataset| {
            dataset.source == DataSource::Store && places::is_kept(work, &dataset.recipe)
        })
        .map(|dataset| dataset.estimated_bytes)
        .sum();
    let needed = estimate(plan).disk.saturating_sub(stored);
    match free_bytes(work.root()) {
        Ok(free) if free < needed => Err(Failure::new(
            Phase::Load,
            FailureKind::Io,
            format!(
                "{} are free on the disk of the work directory, and the run needs about {}",
                human_bytes(free as f64),
                human_bytes(needed as f64)
            ),
        )
        .next_step(
            "free some (`enginecmp data list` tells what is kept), or name another with \
             `--work DIR`",
        )),
        // What cannot be asked is found out soon enough.
        Ok(_) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reserve_counts_the_data_to_come() {
        assert_eq!(reserved(5.0, 30, 100, 20), None);
        assert_eq!(reserved(5.0, 30, 100, 26), Some(4.0));
        assert_eq!(reserved(5.0, 30, 100, 99), Some(0.0));
    }
}
