//! What clients and the one who drives them say to each other. Plain data, so that clients could
//! live in another process.

use crate::target::session::SqlError;
use std::collections::BTreeMap;
use std::time::Duration;

/// To a client.
#[derive(Clone, Copy, Debug)]
pub(super) enum Command {
    /// Work from this moment of your clock on, until the schedule ends.
    Start {
        /// The common start.
        epoch: Duration,
    },
    /// Stop after the transaction in hand.
    Quit,
}

/// From a client.
#[derive(Clone, Debug)]
pub(super) enum Report {
    /// It is connected and has prepared its statements.
    Ready {
        /// Its clock.
        now: Duration,
    },
    /// What it did within one window. Windows come in order; those in which nothing ended are
    /// left out.
    Batch(Batch),
    /// It came to the end of the schedule, or was told to quit.
    Done(Totals),
    /// It could not go on.
    Failed(ClientFailure),
}

/// What one client did within one window.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    /// The window.
    pub(super) slot: super::schedule::Slot,
    /// By transaction type.
    pub(super) types: Vec<TypeBatch>,
    /// Time that each of them waited for a client, microseconds; nothing in a closed loop.
    pub(super) queue_us: Vec<u32>,
}

/// Transactions of one type that ended within one window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TypeBatch {
    /// Committed.
    pub(super) committed: u64,
    /// Rolled back as the workload intends.
    pub(super) rolled_back: u64,
    /// Latency of each of them, microseconds, from the intended start; an hour and more is
    /// 2^32 - 1 us at most.
    pub(super) latencies_us: Vec<u32>,
    /// Attempts that were tried again, by error number.
    pub(super) retries: BTreeMap<u16, u64>,
    /// Transactions given up after the last attempt, by error number.
    pub(super) errors: BTreeMap<u16, u64>,
}

impl TypeBatch {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What one client did over its whole life, warm-up included.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    /// Committed by transaction type, those after the end of the schedule included.
    pub(super) committed: Vec<u64>,
    /// Still running at the end of the schedule, by transaction type.
    pub(super) unfinished: Vec<u64>,
    /// When its last transaction ended, after the common start.
    pub(super) ended: Duration,
}

/// Why a client could not go on.
#[derive(Clone, Debug)]
pub(super) struct ClientFailure {
    /// What it was doing, in words: `connecting`, a transaction type.
    pub(super) doing: String,
    /// The error.
    pub(super) error: SqlError,
    /// When, after the common start; none before it.
    pub(super) at: Option<Duration>,
}
