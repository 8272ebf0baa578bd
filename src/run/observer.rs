//! What the user is told while a run goes on.

use crate::model::{CellKey, Failure, Finding, MetricValue, Phase};
use std::time::Duration;

/// Takes the events of a run. Called from the thread that drives the run, between the measured
/// moments and once a second in them; it must return quickly.
pub trait Observer: Sync {
    /// Something happened.
    fn event(&self, event: &Event<'_>);
}

/// Takes events and does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn event(&self, _event: &Event<'_>) {}
}

/// What happened.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// The run begins.
    RunStarts {
        /// Loads to make.
        loads: u32,
        /// Repetitions to make.
        repetitions: u32,
        /// Estimated length of the whole run; none when nothing is known.
        estimate: Duration,
    },
    /// A dataset is loaded or looked for in the store.
    DatasetStarts {
        /// Which load of the run, from 1.
        at: u32,
        /// Loads in the run.
        of: u32,
        /// The engine's name in the suite.
        engine: &'a str,
        /// The server's name in the suite.
        server: &'a str,
    },
    /// Rows are coming in.
    Loading {
        /// Rows that the server has taken.
        rows: u64,
        /// Rows in all.
        of: u64,
    },
    /// The load ended.
    DatasetEnds {
        /// Found in the store.
        reused: bool,
        /// Why there is none.
        failure: Option<&'a Failure>,
        /// Estimated time left of the whole run.
        left: Duration,
    },
    /// A repetition begins.
    RepetitionStarts {
        /// Position in the run, from 1.
        at: u32,
        /// Repetitions in the run.
        of: u32,
        /// The cell.
        cell: &'a CellKey,
        /// Which repetition of the cell, from 1.
        repetition: u32,
    },
    /// The maximum of a cell is measured: how much it does in a closed loop. Ends like a
    /// repetition.
    MaximumStarts {
        /// Position among the maxima, from 1.
        at: u32,
        /// Maxima to measure.
        of: u32,
        /// The cell.
        cell: &'a CellKey,
    },
    /// The disk is tested.
    DiskTest {
        /// `before` or `after` the suite.
        moment: &'a str,
    },
    /// A phase begins.
    Phase {
        /// Which.
        phase: Phase,
        /// Which round, from 1; 0 where there are none.
        round: u32,
        /// Its length, where it is known.
        length: Option<Duration>,
    },
    /// A second of warm-up or measuring is over.
    Window {
        /// Transactions completed in it, all types and clients.
        completed: u64,
    },
    /// A repetition ended.
    RepetitionEnds {
        /// The value of the cell's headline metric; none when it failed.
        headline: Option<&'a MetricValue>,
        /// Why it has no number.
        failure: Option<&'a Failure>,
        /// Estimated time left of the whole run.
        left: Duration,
    },
    /// Cells cannot be measured.
    CellsLost {
        /// Which.
        cells: &'a [CellKey],
        /// Why.
        failure: &'a Failure,
    },
    /// A warning about our own numbers.
    Finding(&'a Finding),
    /// The run is over.
    RunEnds {
        /// Repetitions with numbers.
        finished: u32,
        /// Repetitions without.
        failed: u32,
        /// Interrupted by the user.
        interrupted: bool,
    },
}
