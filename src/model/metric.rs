//! Named quantities with a unit and a direction.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a figure counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Transactions a minute.
    PerMinute,
    /// Events a second.
    PerSecond,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// A plain count.
    Count,
    /// A plain ratio.
    Ratio,
}

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// More is better.
    HigherIsBetter,
    /// Less is better.
    LowerIsBetter,
}

macro_rules! metrics {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $heading:literal, $unit:ident, $direction:ident;)*) => {
        /// A quantity that repetitions or datasets have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Metric { $($(#[$doc])* #[serde(rename = $name)] $variant,)* }

        impl Metric {
            /// Every metric.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
            /// The stable name, as suites and journals write it.
            pub const fn name(self) -> &'static str { match self { $(Self::$variant => $name,)* } }
            /// The heading of its column.
            pub const fn heading(self) -> &'static str { match self { $(Self::$variant => $heading,)* } }
            /// Its unit.
            pub const fn unit(self) -> Unit { match self { $(Self::$variant => Unit::$unit,)* } }
            /// Which way is better.
            pub const fn direction(self) -> Direction { match self { $(Self::$variant => Direction::$direction,)* } }
        }
    };
}

metrics! {
    /// New-Order transactions completed a minute, the 1 % intended rollbacks among them.
    Tpmc = "tpmc", "TpmC", PerMinute, HigherIsBetter;
    /// Transactions of all types a second.
    Tps = "tps", "transactions/s", PerSecond, HigherIsBetter;
    /// Reads and writes a second (sysbench's read-write requests).
    ReadWriteRequests = "rw_requests", "read-write requests/s", PerSecond, HigherIsBetter;
    /// Other operations a second (BEGIN, COMMIT and the like).
    OtherOperations = "other_operations", "other operations/s", PerSecond, HigherIsBetter;
    /// Rows inserted a second.
    RowsPerSecond = "rows", "rows/s", PerSecond, HigherIsBetter;
    /// Mean latency.
    MeanLatency = "mean_latency", "mean", Seconds, LowerIsBetter;
    /// Queries of the insert benchmark a second.
    QueriesPerSecond = "queries", "queries/s", PerSecond, HigherIsBetter;
    /// Median latency.
    P50 = "p50", "p50", Seconds, LowerIsBetter;
    /// 90th percentile of latency.
    P90 = "p90", "p90", Seconds, LowerIsBetter;
    /// 95th percentile of latency.
    P95 = "p95", "p95", Seconds, LowerIsBetter;
    /// 99th percentile of latency.
    P99 = "p99", "p99", Seconds, LowerIsBetter;
    /// 99.9th percentile of latency.
    P999 = "p999", "p99.9", Seconds, LowerIsBetter;
    /// The longest latency.
    MaxLatency = "max_latency", "max", Seconds, LowerIsBetter;
    /// Transactions that an open loop offered a second.
    Offered = "offered", "offered/s", PerSecond, HigherIsBetter;
    /// Median of the time that transactions of an open loop waited for a client.
    QueueP50 = "queue_p50", "queue p50", Seconds, LowerIsBetter;
    /// 95th percentile of it.
    QueueP95 = "queue_p95", "queue p95", Seconds, LowerIsBetter;
    /// 99th percentile of it.
    QueueP99 = "queue_p99", "queue p99", Seconds, LowerIsBetter;
    /// Transactions of an open loop that no client had begun when the phase ended.
    Backlog = "backlog", "backlog", Count, LowerIsBetter;
    /// Time to load the rows.
    LoadTime = "load_time", "load", Seconds, LowerIsBetter;
    /// Time to make indexes and keys after the rows.
    IndexTime = "index_time", "indexes", Seconds, LowerIsBetter;
    /// Time the engine took to work off what the load left behind.
    SettleTime = "settle_time", "settle", Seconds, LowerIsBetter;
    /// Load, indexes and settle together.
    TotalLoadTime = "total_load_time", "load total", Seconds, LowerIsBetter;
    /// Rows loaded a second.
    LoadRate = "load_rate", "load rows/s", PerSecond, HigherIsBetter;
    /// Client processor time of the load.
    LoadClientCpu = "load_client_cpu", "load client CPU", Seconds, LowerIsBetter;
    /// Table files as the load left them, in blocks on disk.
    SizeLoaded = "size_loaded", "size loaded", Bytes, LowerIsBetter;
    /// Table files after settling, in blocks on disk.
    SizeSettled = "size_settled", "size settled", Bytes, LowerIsBetter;
    /// Logs (redo, undo, binary) after settling, in blocks on disk.
    SizeLogs = "size_logs", "logs", Bytes, LowerIsBetter;
    /// Tables as the server reports them (information_schema), where its files cannot be seen. Engines
    /// count in ways of their own, so it is no size on disk.
    SizeReported = "size_reported", "size (server says)", Bytes, LowerIsBetter;
    /// Time of one probe query.
    ProbeTime = "probe_time", "probe", Seconds, LowerIsBetter;
    /// Time from starting the server until it answered.
    StartTime = "start_time", "start", Seconds, LowerIsBetter;
    /// Time from asking the server to stop until its process was gone.
    StopTime = "stop_time", "stop", Seconds, LowerIsBetter;
    /// Transactions tried again after a deadlock or a lock wait.
    Retries = "retries", "retries", Count, LowerIsBetter;
    /// Transactions that failed for good.
    Errors = "errors", "errors", Count, LowerIsBetter;
    /// Server processor time a transaction.
    ServerCpuPerTransaction = "server_cpu", "server CPU/trx", Seconds, LowerIsBetter;
    /// Client processor time a transaction.
    ClientCpuPerTransaction = "client_cpu", "client CPU/trx", Seconds, LowerIsBetter;
    /// Device bytes written a transaction.
    BytesWrittenPerTransaction = "bytes_written", "written/trx", Bytes, LowerIsBetter;
    /// Device bytes read a transaction.
    BytesReadPerTransaction = "bytes_read", "read/trx", Bytes, LowerIsBetter;
    /// Syncs that the engine asked for, a transaction, by its own count.
    FsyncsPerTransaction = "fsyncs", "fsyncs/trx", Ratio, LowerIsBetter;
    /// Flushes that the device made, a transaction.
    FlushesPerTransaction = "device_flushes", "flushes/trx", Ratio, LowerIsBetter;
    /// Context switches of the server's threads, a transaction.
    SwitchesPerTransaction = "context_switches", "switches/trx", Ratio, LowerIsBetter;
    /// Device bytes written over the bytes of the rows that were changed (rows by the server's own
    /// count, each as long as a row of the dataset is on average).
    WriteAmplification = "write_amplification", "write amp.", Ratio, LowerIsBetter;
    /// Device bytes read over the bytes of the rows that were read, counted likewise.
    ReadAmplification = "read_amplification", "read amp.", Ratio, LowerIsBetter;
    /// Text of all rows that were loaded.
    RowBytes = "row_bytes", "row text", Bytes, LowerIsBetter;
    /// Table files after settling over the text of the rows.
    SpaceAmplification = "space_amplification", "space amp.", Ratio, LowerIsBetter;
    /// Largest resident memory of the server.
    MemoryPeak = "memory_peak", "memory peak", Bytes, LowerIsBetter;
    /// Table files when the measured phase ended, in blocks on disk; the engine is not at rest.
    SizeEnd = "size_end", "size at end", Bytes, LowerIsBetter;
}

impl Metric {
    /// Whether it belongs to loads rather than to repetitions: `load { repeat N }` repeats it.
    pub const fn is_of_loads(self) -> bool {
        matches!(
            self,
            Self::LoadTime
                | Self::IndexTime
                | Self::SettleTime
                | Self::TotalLoadTime
                | Self::LoadRate
                | Self::LoadClientCpu
                | Self::SizeLoaded
                | Self::SizeSettled
                | Self::SizeLogs
        )
    }

    /// Whether it grows without end while transactions wait for a server that is too slow.
    pub const fn grows_in_a_queue(self) -> bool {
        matches!(
            self,
            Self::P50
                | Self::P95
                | Self::P99
                | Self::P999
                | Self::MaxLatency
                | Self::QueueP50
                | Self::QueueP95
                | Self::QueueP99
                | Self::Backlog
        )
    }

    /// The metric with this stable name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|metric| metric.name().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A metric of something: of one transaction type, one probe, or of the whole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MetricId {
    /// The quantity.
    pub metric: Metric,
    /// The transaction type or probe it is of; none for the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

impl MetricId {
    /// The metric of the whole.
    pub const fn whole(metric: Metric) -> Self {
        Self { metric, of: None }
    }

    /// The metric of one transaction type or probe.
    pub fn of(metric: Metric, of: impl Into<String>) -> Self {
        Self { metric, of: Some(of.into()) }
    }
}

impl fmt::Display for MetricId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.of {
            None => write!(f, "{}", self.metric),
            Some(of) => write!(f, "{}({of})", self.metric),
        }
    }
}

/// A measured value of a metric, in the metric's unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricValue {
    /// What was measured.
    #[serde(flatten)]
    pub id: MetricId,
    /// The value.
    pub value: f64,
}
