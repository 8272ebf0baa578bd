//! When a client starts its next transaction.

use std::time::Duration;

/// Decides the intended start of each transaction of one client. Latency counts from it, so that
/// an open loop cannot hide its queue.
pub(super) trait Pacer: Send {
    /// The intended start of the next transaction, when the client is ready for it at `now`. A
    /// time in the future is waited for; one in the past means that the client is behind.
    fn next(&mut self, now: Duration) -> Duration;
}

/// The closed loop: the next transaction starts as soon as the client is ready.
#[derive(Debug)]
pub(super) struct Closed;

impl Pacer for Closed {
    fn next(&mut self, now: Duration) -> Duration {
        now
    }
}
