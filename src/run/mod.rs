//! Execution: loads, repetitions, clients, windows, findings; everything that happens goes to the
//! journal.
//!
//! [`execute`] does a whole plan. Below it: [`dataset`] makes a dataset, `load` brings its rows in,
//! [`repetition`] makes one repetition, `pool` drives its clients, `client` is the loop of one of
//! them, `recorder` puts their reports together, `measure` makes figures of them.

mod advice;
mod arrivals;
mod checksums;
mod client;
mod collectors;
mod data_source;
mod dataset;
mod disk_test;
mod external;
mod findings;
mod invariants;
mod left;
mod load;
mod maxima;
mod measure;
mod message;
mod observer;
mod open_loop;
mod pacer;
mod places;
mod plans;
mod pool;
mod preflight;
mod probe;
mod program;
mod quota;
mod readback;
mod recorder;
mod records;
mod repetition;
mod rest;
mod sampler;
mod schedule;
mod sequence;
mod server;
mod share;
mod start_state;
mod steady;
mod stuck;
mod variables;
mod watch;

pub use crate::host::interrupt::Interrupt;
pub use observer::{Event, Observer, Silent};
pub use records::{describe_machine, plan as plan_record};
pub use share::server_limits;
pub use watch::PATIENCE;

use crate::host::guard::Guard;
use crate::host::work_dir::WorkDir;
use crate::journal::record::{CalibrationRecord, MachineRecord};
use crate::journal::{Done, JournalError, Writer};
use crate::model::Failure;
use crate::plan::{Plan, Unsupported};
use crate::target::Target;
use std::sync::Arc;
use std::time::Duration;

/// Gives the servers of a plan.
pub trait TargetSource: Sync {
    /// The server at this index of [`Plan::servers`], or why it cannot be had.
    fn target(&self, server: usize) -> Result<Arc<dyn Target>, Failure>;
}

/// What a run needs beside its plan.
pub struct RunSettings<'a> {
    /// Identity of the run: `DATE-ID`.
    pub id: String,
    /// Where data directories, copies and datasets lie.
    pub work: &'a WorkDir,
    /// The machine, from [`describe_machine`].
    pub machine: MachineRecord,
    /// Starts other programs, so that they die with enginecmp.
    pub guard: Guard,
    /// Raised to end the run.
    pub interrupt: Interrupt,
    /// Leave datasets that this run made in the store.
    pub keep_datasets: bool,
    /// How far figures stray on this machine, measured before; kept with the run.
    pub calibration: Option<CalibrationRecord>,
    /// What an earlier part of this run has done; empty for a new run.
    pub done: Option<Done>,
    /// No lap is begun that would end later than this after the start of the run, as far as earlier
    /// ones tell; the first is always made. None for no limit.
    pub budget: Option<Duration>,
    /// How long a server may be silent before it counts as hung; [`PATIENCE`] but for tests.
    pub patience: Duration,
}

/// How a run went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunOutcome {
    /// Repetitions with numbers, those of earlier parts of the run included.
    pub finished: u32,
    /// Repetitions without.
    pub failed: u32,
    /// Cells that were never measured: no engine, no server, no dataset.
    pub lost_cells: u32,
    /// Things that broke without costing a number, such as a server that had to be killed to stop.
    pub troubles: u32,
    /// Ended by the user.
    pub interrupted: bool,
    /// Laps were left out because their time was up.
    pub out_of_budget: bool,
}

impl RunOutcome {
    /// Whether everything was measured that was to be.
    pub fn is_whole(&self) -> bool {
        self.failed == 0
            && self.lost_cells == 0
            && self.troubles == 0
            && !self.interrupted
            && !self.out_of_budget
    }
}

/// The tool could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The suite has statements that this version does not execute.
    #[error("{}", unsupported(.0))]
    Unsupported(Vec<Unsupported>),
    /// Results cannot be kept.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

fn unsupported(statements: &[Unsupported]) -> String {
    let lines: Vec<String> = statements
        .iter()
        .map(|one| format!("{}: `{}` is not supported in this version", one.place, one.what))
        .collect();
    lines.join("\n")
}

/// Executes a plan. What breaks while measuring is in the journal and costs what it concerns; an
/// error means that nothing more can be kept.
pub fn execute(
    plan: &Plan,
    targets: &dyn TargetSource,
    settings: &RunSettings<'_>,
    journal: &mut Writer,
    observer: &dyn Observer,
) -> Result<RunOutcome, RunError> {
    if !plan.unsupported.is_empty() {
        return Err(RunError::Unsupported(plan.unsupported.clone()));
    }
    // Clients are threads that this one starts.
    let _pinned = share::pin_clients(plan.machine.as_ref());
    sequence::Sequence::new(plan, targets, settings, journal, observer).run()
}
