//! Time as the code sees it: the system's, or a fake that tests move.

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A clock that never goes back. Times are spans since the clock's own origin.
pub trait Clock: Send + Sync {
    /// Time since the origin.
    fn now(&self) -> Duration;
    /// Waits.
    fn sleep(&self, duration: Duration);
}

/// The system's monotonic clock.
#[derive(Debug)]
pub struct SystemClock {
    origin: Instant,
}

impl SystemClock {
    /// A clock whose origin is `origin`. Threads that compare times share one origin.
    pub fn since(origin: Instant) -> Self {
        Self { origin }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.origin.elapsed()
    }

    fn sleep(&self, duration: Duration) {
        std::thread::sleep(duration);
    }
}

/// A clock that moves only when it is told to, or by sleeping.
#[derive(Debug, Default)]
pub struct FakeClock {
    now: Mutex<Duration>,
}

impl FakeClock {
    /// A clock at its origin.
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves it forward.
    pub fn advance(&self, by: Duration) {
        *self.now.lock().expect("no code panics while it holds the clock") += by;
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Duration {
        *self.now.lock().expect("no code panics while it holds the clock")
    }

    fn sleep(&self, duration: Duration) {
        self.advance(duration);
    }
}
