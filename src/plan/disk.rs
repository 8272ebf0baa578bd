//! `disk { ... }`: a test of the disk that the data lie on.

use std::time::Duration;

/// What the test does. The defaults are those of the published comparison of flush settings.
#[derive(Clone, Debug, PartialEq)]
pub struct DiskTest {
    /// Bytes of each request.
    pub block_bytes: u64,
    /// The share of reads in percent.
    pub read_percent: f64,
    /// Bytes of the file.
    pub size_bytes: u64,
    /// Jobs at once.
    pub jobs: u32,
    /// How long it runs.
    pub time: Duration,
    /// How fio issues its requests: `psync`, `libaio`, `io_uring`.
    pub engine: String,
    /// Whether it goes around the page cache.
    pub direct: bool,
}

impl Default for DiskTest {
    fn default() -> Self {
        Self {
            block_bytes: 16 << 10,
            read_percent: 70.0,
            size_bytes: 2 << 30,
            jobs: 30,
            time: Duration::from_secs(120),
            engine: "psync".to_string(),
            direct: true,
        }
    }
}

/// How long small writes are synced after the mixed requests.
const LONGEST_SYNC: Duration = Duration::from_secs(10);

impl DiskTest {
    /// How long small writes, each followed by fdatasync, are made.
    pub fn sync_time(&self) -> Duration {
        self.time.min(LONGEST_SYNC)
    }
}
