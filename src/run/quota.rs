//! `requests N`: a measured phase that ends after so many transactions.

use super::schedule::Schedule;
use crate::model::Phase;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What is left to do in the measured phase, shared by all clients.
#[derive(Debug)]
pub(super) struct Quota {
    /// Transactions that begin before this moment are of the warm-up and count for nothing.
    warm: Duration,
    /// None without a limit.
    left: Option<AtomicU64>,
}

impl Quota {
    /// So many transactions, or as many as there is time for.
    pub(super) fn new(requests: Option<u64>, schedule: &Schedule) -> Self {
        let warm = schedule.spans().first().filter(|span| span.phase == Phase::WarmUp);
        Self {
            warm: warm.map_or(Duration::ZERO, |span| span.end),
            left: requests.map(AtomicU64::new),
        }
    }

    /// Whether a transaction may begin at `at`.
    pub(super) fn take(&self, at: Duration) -> bool {
        let Some(left) = self.left.as_ref().filter(|_| at >= self.warm) else { return true };
        let one_less = |left: u64| left.checked_sub(1);
        left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }

    /// Whether all of them were begun.
    pub(super) fn is_used_up(&self) -> bool {
        self.left.as_ref().is_some_and(|left| left.load(Ordering::Relaxed) == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn so_many_may_begin_after_the_warm_up() {
        let schedule = Schedule::new(SECOND, SECOND * 60, 1, None);
        let quota = Quota::new(Some(2), &schedule);
        assert!(quota.take(Duration::ZERO), "the warm-up has no limit");
        assert!(quota.take(SECOND) && !quota.is_used_up());
        assert!(quota.take(SECOND * 2) && quota.is_used_up());
        assert!(!quota.take(SECOND * 3));
        let unlimited = Quota::new(None, &schedule);
        assert!(unlimited.take(SECOND) && !unlimited.is_used_up());
    }
}
