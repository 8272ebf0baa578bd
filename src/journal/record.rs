//! The records of a journal, version 2. It differs from version 1 in the columns of windows and
//! samples, which are packed; both are read.
//!
//! Integers carry their unit in the key (`_ns`, `_ms`, `_bytes`). Times are relative to the start
//! of their phase; only `at` is wall-clock time (RFC 3339, UTC). Unknown records are skipped.

pub use super::calibration::{CalibrationRecord, Floor};
pub use super::disk::{DiskFigures, DiskMoment, DiskTestRecord};
pub use super::line::Record;
use super::older_words;
pub use super::open_loop::{MaximumRecord, OpenLoop, OpenRound, ShareOfMaximum};
use crate::model::{
    AxisValue, CellKey, Expectation, Failure, FigureWish, Metric, MetricValue, Place, RecipeId,
};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

pub use super::samples::{COLLECTED, CollectedRecord, PlansRecord, SampleColumn, SamplesRecord};
pub use super::windows::{WindowColumns, WindowsRecord};

/// The version that this release writes. Higher ones are refused, lower ones are read.
pub const VERSION: u32 = 2;

/// What runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Journal version.
    pub v: u32,
    /// Identity of the run: `DATE-ID`.
    pub id: String,
    /// Version of enginecmp.
    pub tool: String,
    /// Start, wall clock.
    pub at: String,
    /// The suite's title.
    pub title: String,
    /// The suite's file name without folders.
    pub suite_file: String,
    /// The suite's text, includes expanded in order.
    pub suite_text: String,
    /// Profiles in force, left to right.
    #[serde(default)]
    pub profiles: Vec<String>,
    /// `--set` arguments.
    #[serde(default)]
    pub sets: Vec<String>,
    /// The seed of data and order.
    pub seed: u64,
    /// The part of the suite that this run makes; none for the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<ShardRecord>,
    /// Where the figures come from when not measured by enginecmp: the importing tool's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported_from: Option<String>,
}

/// One of several parts of a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardRecord {
    /// Which, from 1.
    pub number: u32,
    /// Of how many.
    pub of: u32,
}

/// The machine, described without its name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineRecord {
    /// `--machine NAME`, or CPU model, cores and memory in a form fit for a folder name.
    pub name: String,
    /// CPU model.
    pub cpu: String,
    /// Logical processors.
    pub cores: u32,
    /// Memory.
    pub memory_bytes: u64,
    /// Kernel release.
    pub kernel: String,
    /// File system type of the work directory.
    pub work_fs: String,
    /// Options with which that is mounted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub work_fs_options: Vec<String>,
    /// Transparent huge pages: `always`, `madvise`, `never`; empty where it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub huge_pages: String,
    /// Frequency governor of the first processor; empty where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub governor: String,
}

/// What was planned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanRecord {
    /// Cells in the order of the suite.
    pub cells: Vec<PlannedCell>,
    /// `compare` statements.
    pub comparisons: Vec<Comparison>,
    /// `expect` statements.
    pub expectations: Vec<Expectation>,
    /// `table ROWS by COLUMNS`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TableShape>,
    /// `figure` statements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<FigureWish>,
    /// Repetitions asked for, by cell.
    pub repeat: u32,
    /// What of n repetitions is printed and compared.
    #[serde(default)]
    pub average: Average,
    /// Permissions to compare unlike things: `allow unequal durability because "..."`.
    #[serde(default)]
    pub allowed: Vec<Allowed>,
    /// Probes of each repetition, as the suite writes them.
    #[serde(default)]
    pub probes: Vec<String>,
}

/// How repetitions become one figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Average {
    /// The median.
    #[default]
    Median,
    /// The arithmetic mean.
    Mean,
}

impl Average {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Median => "median",
            Self::Mean => "mean",
        }
    }
}

/// A cell as planned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedCell {
    /// Its identity.
    pub key: CellKey,
    /// Its axis values in the order of the suite.
    pub axes: Vec<AxisValue>,
    /// The point it belongs to: cells of one point differ in compared axes alone. Counts from 0,
    /// in the order of rows.
    pub point: usize,
    /// Its dataset.
    pub recipe: RecipeId,
    /// The server's name in the suite, or `found`; the `name` of its [`ServerRecord`].
    #[serde(default)]
    pub server: String,
    /// The engine's name in the suite.
    #[serde(default)]
    pub engine: String,
    /// The storage engine's name as the server knows it.
    pub storage: String,
    /// Whether the engine has transactions.
    pub transactional: bool,
    /// Workload kind and mode (`tpcc`, `tpcc tpcc_mysql`), and what of it makes figures unlike:
    /// density, distribution, version of data.
    #[serde(deserialize_with = "older_words::workload")]
    pub workload: String,
    /// Words that must stand in every heading, such as `not TPC-C (density 1%)`.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// The metric that its row shows.
    pub headline: Metric,
    /// The transaction type that the headline counts, whose p95 its row shows; none for all types.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline_type: Option<String>,
    /// By axis, the settings and options that the cell's value on it states: what a compared axis
    /// declares. `engine` has what the engine's block says, `variant` the variant's lines, an axis
    /// that is a setting or an option has itself.
    #[serde(default)]
    pub stated: BTreeMap<String, Vec<String>>,
    /// Resolved settings (`cache`, `isolation`, `warmup` ...), canonical text.
    pub settings: BTreeMap<String, String>,
    /// Final server options, in order.
    pub options: Vec<PlannedOption>,
    /// The suite line it comes from.
    pub place: Place,
}

/// One line of a cell's option file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedOption {
    /// The option's name, with underscores.
    pub name: String,
    /// Its value; none for a bare option.
    pub value: Option<String>,
    /// The line it came from; none for enginecmp's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Why it is there, for those that enginecmp adds or translates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `compare AXIS against VALUE`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Compared axes.
    pub axes: Vec<String>,
    /// The baseline's value on each, canonical.
    pub baseline: Vec<String>,
    /// Where it was written.
    pub place: Place,
}

/// `table ROWS by COLUMNS`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableShape {
    /// Axis of the rows.
    pub rows: String,
    /// Axis of the columns.
    pub columns: String,
}

/// A permission to compare unlike things.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Allowed {
    /// What may be unequal.
    pub what: String,
    /// Why.
    pub because: String,
}

/// A server that was started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerRecord {
    /// The server's name in the suite, or `found`.
    pub name: String,
    /// Family: `mariadb`, `mysql`, `percona`, `sqlite`, `fake`.
    pub family: String,
    /// The version that the running server reports.
    pub version: String,
    /// Build identity beyond the version (version_comment, allocator).
    #[serde(default)]
    pub build: String,
    /// Variables of the running server that bear on the comparison.
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
}

/// A dataset that was loaded once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatasetRecord {
    /// Its address.
    pub recipe: RecipeId,
    /// The engine's name in the suite.
    pub engine: String,
    /// The server's name in the suite, or `found`.
    pub server: String,
    /// Which load of this recipe, from 1 (`load { repeat N }`).
    pub load: u32,
    /// The path that was used: `load data local`, `load data local, rocksdb bulk load`, `rows 1000`.
    pub path: String,
    /// Loader threads.
    pub threads: u32,
    /// Rows by table, counted by the server after the load.
    pub rows: BTreeMap<String, u64>,
    /// Order-independent checksum by table, hexadecimal, where it was taken.
    #[serde(default)]
    pub checksums: BTreeMap<String, String>,
    /// Times and sizes: load_time, index_time, settle_time, size_loaded ...
    pub metrics: Vec<MetricValue>,
    /// Bytes by table as loaded and as settled, blocks on disk.
    #[serde(default)]
    pub table_sizes: BTreeMap<String, TableSize>,
    /// Bytes by table as the server reports them after settling, where its files cannot be seen.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reported_sizes: BTreeMap<String, u64>,
    /// Bytes by file after settling.
    #[serde(default)]
    pub files: Vec<FileSize>,
    /// SHOW CREATE TABLE by table.
    pub ddl: BTreeMap<String, String>,
    /// Conditions checked after the load and how many rows violated each; all 0 or the load failed.
    #[serde(default)]
    pub checks: Vec<CheckResult>,
    /// Found in the store, not loaded in this run.
    #[serde(default)]
    pub reused: bool,
}

/// Bytes of one table with its indexes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSize {
    /// As the load left it.
    pub loaded_bytes: u64,
    /// After settling.
    pub settled_bytes: u64,
}

/// Bytes of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSize {
    /// Relative to the data directory.
    pub path: String,
    /// Length.
    pub length_bytes: u64,
    /// Blocks on disk x 512.
    pub blocks_bytes: u64,
    /// Log rather than data.
    pub log: bool,
}

/// The outcome of one consistency condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckResult {
    /// Name: `condition 3.3.2.1`, `orders growth`.
    pub name: String,
    /// How many rows violate it.
    pub violations: u64,
    /// Known to fail by design of the mode, or reported without gating.
    #[serde(default)]
    pub tolerated: bool,
    /// An example of what was seen.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// One repetition of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RepetitionRecord {
    /// The cell.
    pub cell: CellKey,
    /// Which repetition, from 1.
    pub repetition: u32,
    /// Position in the run's order, from 1.
    pub order: u32,
    /// Start, wall clock.
    pub at: String,
    /// Whole duration, restore to stop.
    pub elapsed_ms: u64,
    /// Rounds, in order; empty when it failed before measuring.
    pub rounds: Vec<Round>,
    /// Metrics of the repetition as a whole: start_time, stop_time, and those of all rounds taken
    /// together.
    pub metrics: Vec<MetricValue>,
    /// Conditions and growth counters.
    #[serde(default)]
    pub checks: Vec<CheckResult>,
    /// Clients that ran.
    pub clients: u32,
    /// Share of resident pages of the restored data in the page cache when the server started,
    /// 0 to 1, where it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resident_before_start: Option<f64>,
    /// The same when the first measured phase began, where `start` says what it should be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resident_before_measure: Option<f64>,
    /// Global variables of its server that bear on whether a pair is fair (durability, isolation,
    /// lock waits, charset, cache, I/O ...), read back after its start; lower case. Beside them
    /// `connection.tls` and `process.allocator`, which no variable tells.
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    /// What an open loop offered; none of a closed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<OpenLoop>,
    /// Why it has no number; none when it is whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

/// One measure phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// From 1.
    pub round: u32,
    /// Its length.
    pub duration_ns: u64,
    /// Counts and latencies by transaction type.
    pub types: Vec<TypeTotals>,
    /// Metrics of the round.
    pub metrics: Vec<MetricValue>,
}

/// What one transaction type did in a round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TypeTotals {
    /// Name of the type.
    pub name: String,
    /// Committed.
    pub committed: u64,
    /// Rolled back as the workload intends (TPC-C's 1 %).
    pub rolled_back: u64,
    /// Tried again, by server error number.
    #[serde(default, deserialize_with = "by_number")]
    pub retries: BTreeMap<u16, u64>,
    /// Given up, by server error number.
    #[serde(default, deserialize_with = "by_number")]
    pub errors: BTreeMap<u16, u64>,
    /// Still running when the phase ended; counted nowhere.
    #[serde(default)]
    pub unfinished: u64,
    /// HDR histogram of latency in microseconds, V2 deflate, base64.
    pub histogram: String,
}

/// Reads counts by error number. JSON has text keys, and a record is buffered before its kind is
/// known, so that numbers in keys are no longer recognised by themselves.
fn by_number<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<u16, u64>, D::Error> {
    BTreeMap::<String, u64>::deserialize(from)?
        .into_iter()
        .map(|(number, count)| match number.parse() {
            Ok(number) => Ok((number, count)),
            Err(_) => Err(D::Error::custom(format!("`{number}` is no error number"))),
        })
        .collect()
}

/// A probe query, timed on a start of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbeRecord {
    /// The cell.
    pub cell: CellKey,
    /// Which repetition, from 1.
    pub repetition: u32,
    /// The probe's name.
    pub probe: String,
    /// The query.
    pub sql: String,
    /// Time until the last row was read.
    pub elapsed_ns: u64,
    /// Rows it gave.
    pub rows: u64,
    /// First column of the first row, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_value: Option<String>,
    /// Why there is no figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

/// Something that broke outside any one repetition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedRecord {
    /// Cells that have no numbers because of it.
    pub cells: Vec<CellKey>,
    /// What broke.
    pub failure: Failure,
}

/// A run was taken up again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResumedRecord {
    /// When.
    pub at: String,
    /// Version of enginecmp that went on.
    pub tool: String,
    /// Repetitions before this record that no longer count: the suite has changed what they are, or
    /// what failed is tried again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<Again>,
}

/// Repetitions that are made again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Again {
    /// Their cell.
    pub cell: CellKey,
    /// Which, from 1; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repetitions: Vec<u32>,
}

/// The end of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EndRecord {
    /// When.
    pub at: String,
    /// Repetitions with numbers.
    pub finished: u32,
    /// Repetitions without.
    pub failed: u32,
    /// Interrupted by the user.
    #[serde(default)]
    pub interrupted: bool,
}
