//! What the disk of the data did, before and after a run.

use serde::{Deserialize, Serialize};

/// When the disk was tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiskMoment {
    /// Before anything was loaded.
    Before,
    /// After the last repetition.
    After,
}

impl DiskMoment {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

/// One test of the disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiskTestRecord {
    /// Before or after the suite.
    pub moment: DiskMoment,
    /// Start, wall clock.
    pub at: String,
    /// Whole duration, making the file included.
    pub elapsed_ms: u64,
    /// The tool and its version: `fio-3.33`; empty when it did not run.
    pub tool: String,
    /// Bytes of each request.
    pub block_bytes: u64,
    /// The share of reads in percent.
    pub read_percent: f64,
    /// Bytes of the file.
    pub size_bytes: u64,
    /// Jobs at once.
    pub jobs: u32,
    /// How long the requests were made.
    pub time_ms: u64,
    /// How they were issued: `psync`, `libaio`, `io_uring`.
    pub engine: String,
    /// Around the page cache.
    pub direct: bool,
    /// What was measured; none when it could not be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figures: Option<DiskFigures>,
    /// Why there is nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
}

/// The figures of one test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiskFigures {
    /// Random reads a second.
    pub reads_per_second: f64,
    /// Random writes a second.
    pub writes_per_second: f64,
    /// Bytes read and written a second.
    pub bytes_per_second: f64,
    /// 99th percentile of the time of a read; 0 without reads.
    pub read_p99_ns: f64,
    /// 99th percentile of the time of a write; 0 without writes.
    pub write_p99_ns: f64,
    /// Median time of fdatasync after a write of 4 KiB.
    pub sync_p50_ns: f64,
    /// Its 99th percentile.
    pub sync_p99_ns: f64,
}
