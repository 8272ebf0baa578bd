//! Figures that a suite asks for.

use serde::{Deserialize, Serialize};

/// `figure WHAT every WINDOW`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FigureWish {
    /// What it shows: `throughput` or `latency`.
    pub what: String,
    /// Length of the windows that it averages over, milliseconds; the recorded ones without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every_ms: Option<u64>,
}
