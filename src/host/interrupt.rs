//! The user's wish to end the run, seen everywhere.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A flag that is raised once, by Ctrl-C or SIGTERM, and wakes everyone who waits. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    raised: Mutex<bool>,
    waiting: Condvar,
}

impl Interrupt {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises it.
    pub fn raise(&self) {
        *self.0.raised.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.waiting.notify_all();
    }

    /// Whether it is raised.
    pub fn is_raised(&self) -> bool {
        *self.0.raised.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits at most `limit` for it; whether it is raised.
    pub fn wait(&self, limit: Duration) -> bool {
        let raised = self.0.raised.lock().unwrap_or_else(PoisonError::into_inner);
        let (raised, _) = self
            .0
            .waiting
            .wait_timeout_while(raised, limit, |raised| !*raised)
            .unwrap_or_else(PoisonError::into_inner);
        *raised
    }
}
