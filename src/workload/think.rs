//! Time that people at terminals take between the transactions of a client.

use std::time::Duration;

/// Keying and think time of one type of transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Think {
    /// Before the transaction, while its input is keyed in.
    pub keying: Duration,
    /// Mean time after the transaction. Drawn anew each time from a negative exponential
    /// distribution that is cut at ten means.
    pub mean: Duration,
}

/// What clients wait for between transactions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThinkTimes {
    /// The same time between any two.
    Fixed(Duration),
    /// By the type of transaction, as a specification says.
    Keyed(Vec<Think>),
}
