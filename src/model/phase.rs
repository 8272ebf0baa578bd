//! The phases of a cell's life.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What enginecmp was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Making an empty data directory.
    Initialise,
    /// Starting a server and waiting until it answers.
    Start,
    /// Loading the dataset.
    Load,
    /// Letting the engine work off what the load left behind.
    Settle,
    /// Bringing a fresh copy of the dataset into place.
    Restore,
    /// Timing single queries.
    Probe,
    /// Running the workload without counting.
    WarmUp,
    /// Running the workload and counting.
    Measure,
    /// Checking the data.
    Check,
    /// Stopping the server.
    Stop,
}

impl Phase {
    /// The phase in the words of the design.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Initialise => "initialise",
            Self::Start => "start",
            Self::Load => "load",
            Self::Settle => "settle",
            Self::Restore => "restore",
            Self::Probe => "probe",
            Self::WarmUp => "warm-up",
            Self::Measure => "measure",
            Self::Check => "check",
            Self::Stop => "stop",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
