//! The plan: what a suite means on this machine. Cells in order, datasets, final options.
//!
//! [`Plan`] and what hangs on it is all that `run` needs; nothing right of it reads a suite.

pub mod advice;
mod cache;
pub mod calibrate;
mod cell_settings;
mod collect;
mod datasets;
mod defaults;
mod disk;
mod ending;
pub mod estimate;
pub mod expand;
mod fair;
mod findings;
mod judge;
mod load;
mod machine;
mod make;
mod option_files;
mod options;
pub mod order;
pub mod overlay;
mod pace;
mod preflight;
mod programs;
mod schemas;
mod servers;
pub mod shard;
pub mod show;
pub mod suite;
mod workloads;

pub use collect::Collector;
pub use disk::DiskTest;
pub use load::{Arguments, Disk, Reader, SuiteText, load};
pub use machine::{MachineLimits, StartState};
pub use make::make;
pub use order::{Slot, order};
pub use pace::{Arrival, MaximumSlot, OfferedRate, Pace, maxima, sides_of};
pub use preflight::{CONNECT_WAVE, Limit, limits};
pub use suite::Suite;

use crate::engine::EngineSpec;
use crate::model::{
    AxisValue, CellKey, Expectation, FailureKind, FigureWish, Finding, Metric, Place, RecipeId,
    SettingValue,
};
use crate::target::{OptionLine, TargetDescription};
use crate::workload::external::Loader;
use crate::workload::{Parameters, Workload, WorkloadKind};
use overlay::Overlay;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// Everything that a run needs to know.
pub struct Plan {
    /// The suite's title.
    pub title: String,
    /// The suite's file name without folders and ending; names its folder of reports.
    pub suite_name: String,
    /// The suite's text, includes following in order.
    pub suite_text: String,
    /// Profiles in force, left to right.
    pub profiles: Vec<String>,
    /// `--set` arguments.
    pub sets: Vec<String>,
    /// Seed of data and order.
    pub seed: u64,
    /// Servers that cells run on.
    pub servers: Vec<PlannedServer>,
    /// Datasets that cells use.
    pub datasets: Vec<Dataset>,
    /// Cells in the order of the suite: rows of the table.
    pub cells: Vec<Cell>,
    /// Probes, in order.
    pub probes: Vec<Probe>,
    /// Repetitions of each cell.
    pub repeat: u32,
    /// What of n repetitions is compared.
    pub average: Average,
    /// `compare` statements.
    pub comparisons: Vec<Comparison>,
    /// `expect` statements.
    pub expectations: Vec<Expectation>,
    /// `table ROWS by COLUMNS`.
    pub table: Option<(String, String)>,
    /// `figure` statements.
    pub figures: Vec<FigureWish>,
    /// `allow unequal WHAT because "..."`.
    pub allowed: Vec<(String, String)>,
    /// The test of the disk before and after the suite.
    pub disk: Option<DiskTest>,
    /// Commands that run beside the measured phases.
    pub collectors: Vec<Collector>,
    /// Limits inside which servers run.
    pub machine: Option<MachineLimits>,
    /// What the plan already knows to be worth saying.
    pub findings: Vec<Finding>,
    /// Statements that are understood and planned, but that this version cannot execute: `run`
    /// refuses the suite by their names before anything starts.
    pub unsupported: Vec<Unsupported>,
    /// The cells are those of one shard; none for all.
    pub shard: Option<shard::Shard>,
}

impl Plan {
    /// The cells of each dataset, in order.
    pub fn users(&self) -> Vec<Vec<usize>> {
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); self.datasets.len()];
        for (index, cell) in self.cells.iter().enumerate() {
            users[cell.dataset].push(index);
        }
        users
    }

    /// The first cell of each workload with its parameters and the name it has there: what is asked
    /// of workloads alone is asked once.
    pub fn with_workloads(&self) -> Vec<&Cell> {
        first_of_workloads(&self.cells)
    }
}

/// See [`Plan::with_workloads`].
fn first_of_workloads(cells: &[Cell]) -> Vec<&Cell> {
    let mut seen = HashSet::new();
    let workload = |cell: &Cell| Arc::as_ptr(&cell.workload).cast::<()>();
    cells.iter().filter(|cell| seen.insert((workload(cell), cell.workload_name.as_str()))).collect()
}

/// A statement that this version cannot execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The statement in the language's own words: `disk`, `rate`, `workload external`.
    pub what: String,
    /// Where it was written.
    pub place: Place,
}

/// Why a cell cannot be measured here, known before anything starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable {
    /// What is missing: the engine on its server, or the server.
    pub kind: FailureKind,
    /// Why, in plain words.
    pub reason: String,
    /// How to get it.
    pub how_to_get: String,
}

/// How repetitions become one figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Average {
    /// The median.
    #[default]
    Median,
    /// The arithmetic mean.
    Mean,
}

/// A server that cells run on.
#[derive(Clone, Debug)]
pub struct PlannedServer {
    /// What it is; none when this machine has none that matches.
    pub description: Option<TargetDescription>,
    /// The name in the suite, or `found`.
    pub name: String,
    /// What was asked for, in words for messages: `release "mysql 5.6"`.
    pub wanted: String,
    /// Why there is none, and what to do.
    pub missing: Option<String>,
}

/// How rows are brought in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadPath {
    /// The fastest that is safe for the engine.
    Bulk,
    /// Multi-row INSERT of this many rows.
    Rows(u64),
    /// An outside tool.
    External(Loader),
}

/// When indexes and keys are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexMoment {
    /// With the tables, before the rows.
    Before,
    /// After the rows.
    After,
}

/// `load { ... }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadSettings {
    /// How.
    pub path: LoadPath,
    /// Loader connections.
    pub threads: u32,
    /// Indexes before or after.
    pub indexes: IndexMoment,
    /// How often it is loaded, for a verdict on load time and size.
    pub repeat: u32,
}

/// `settle full|none|DURATION`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettlePolicy {
    /// Until nothing is left to do.
    Full,
    /// Not at all.
    None,
    /// For so long.
    For(Duration),
}

/// Where the data of a repetition come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataSource {
    /// Loaded once; each repetition runs on a copy.
    Store,
    /// `dataset each`, and servers whose files cannot be copied: each repetition loads, and runs in
    /// the same server start.
    Load,
    /// `reuse data`: what an earlier run left on a server that runs already.
    Reuse,
}

impl DataSource {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Load => "load",
            Self::Reuse => "reuse",
        }
    }
}

/// What a table must turn out to be after the load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedTable {
    /// Its name.
    pub table: String,
    /// Storage engine.
    pub storage: String,
    /// Row format as `information_schema.TABLES` shows it, where one was asked for.
    pub row_format: Option<String>,
}

/// A script of a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaFile {
    /// The file as the suite writes it; `tpcc.sql` for the script of a workload.
    pub name: String,
    /// Before the transforms.
    pub source: String,
    /// After them.
    pub transformed: String,
}

/// The schema of a dataset after all transforms, one statement an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatasetSchema {
    /// The scripts that it is made of, before and after the transforms.
    pub files: Vec<SchemaFile>,
    /// What is sent, statement after statement in the order of a load.
    pub script: String,
    /// Tables with their primary keys (and all indexes, with `indexes before`).
    pub tables: Vec<String>,
    /// Secondary indexes, made after the rows.
    pub indexes: Vec<String>,
    /// Foreign keys, made after the indexes.
    pub foreign_keys: Vec<String>,
    /// What must be found in information_schema.
    pub expected: Vec<ExpectedTable>,
    /// What the transforms dropped or changed, in words.
    pub notes: Vec<String>,
    /// Character set and collation of the database: tables that a tool or a script of the load
    /// makes have them, too. None leaves it to the server.
    pub charset: Option<(String, String)>,
}

/// Loaded data, addressed by its recipe.
pub struct Dataset {
    /// Its address.
    pub recipe: RecipeId,
    /// Everything that was hashed, in order: name and value.
    pub ingredients: Vec<(String, String)>,
    /// Index into [`Plan::servers`].
    pub server: usize,
    /// The engine's name in the suite.
    pub engine: String,
    /// The engine.
    pub spec: &'static EngineSpec,
    /// Kind of workload whose data it is.
    pub kind: &'static WorkloadKind,
    /// The workload with its parameters, for schema, rows and checks.
    pub workload: Arc<dyn Workload>,
    /// The schema after transforms.
    pub schema: DatasetSchema,
    /// How it is loaded.
    pub load: LoadSettings,
    /// How it settles.
    pub settle: SettlePolicy,
    /// Where a repetition has its data from.
    pub source: DataSource,
    /// Options that are fixed when the data directory is made.
    pub init_options: Vec<OptionLine>,
    /// Options of the server start in which it is loaded: the largest cache of its cells, without
    /// variant and axis options of scope run.
    pub options: Vec<OptionLine>,
    /// Database name.
    pub database: String,
    /// Expected bytes on disk.
    pub estimated_bytes: u64,
}

/// Whether the operating system's page cache is dropped before a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OsCache {
    /// The restored files are evicted; the rest stays.
    Keep,
    /// Everything is dropped as well.
    Drop,
}

/// A point as planned for one repetition after another.
#[derive(Clone)]
pub struct Cell {
    /// Its identity.
    pub key: CellKey,
    /// Its axis values in the order of the suite.
    pub axes: Vec<AxisValue>,
    /// Cells of one point differ in compared axes alone; from 0 in the order of rows.
    pub point: usize,
    /// Index into [`Plan::servers`].
    pub server: usize,
    /// Index into [`Plan::datasets`].
    pub dataset: usize,
    /// The engine's name in the suite.
    pub engine: String,
    /// The engine.
    pub spec: &'static EngineSpec,
    /// The workload's name in the suite.
    pub workload_name: String,
    /// The workload with its parameters.
    pub workload: Arc<dyn Workload>,
    /// Its parameters.
    pub parameters: Arc<Parameters>,
    /// Concurrent connections.
    pub clients: u32,
    /// When they begin their transactions.
    pub pace: Pace,
    /// Warm-up.
    pub warmup: Duration,
    /// Length of each measure phase, at most where `requests` ends it.
    pub measure: Duration,
    /// Ends the measure phase after so many transactions.
    pub requests: Option<u64>,
    /// Measure phases in a repetition.
    pub rounds: u32,
    /// A measured phase ends when throughput has come to rest within this fraction; `measure` is
    /// the longest that it may take.
    pub steady: Option<f64>,
    /// Only so much of the end of a measured phase counts.
    pub count_last: Option<Duration>,
    /// Isolation level as SQL writes it: `READ COMMITTED`.
    pub isolation: String,
    /// Page cache before a repetition.
    pub os_cache: OsCache,
    /// What is in the caches when the measuring begins, where the suite says it.
    pub start: Option<StartState>,
    /// Every setting, resolved, for conditions and the journal.
    pub settings: Overlay<String, SettingValue>,
    /// By axis, the names of the settings and options that this cell's value on it states.
    pub stated: BTreeMap<String, Vec<String>>,
    /// Final options of its server start.
    pub options: Arc<[CellOption]>,
    /// Set on the running server before the clients start (`by set_global`).
    pub set_global: Vec<OptionLine>,
    /// Set on each session (`session NAME = V`).
    pub set_session: Vec<OptionLine>,
    /// The suite line it comes from.
    pub place: Place,
    /// Why it cannot be measured on this machine; none when nothing is known against it.
    pub unavailable: Option<Unavailable>,
}

impl Cell {
    /// The metric that its row shows first. Throughput of an open loop is what was offered, so
    /// its latency is looked at.
    pub fn headline(&self) -> Metric {
        if self.pace.is_open() { Metric::P95 } else { self.workload.headline() }
    }

    /// The transaction type that the headline counts; none for all.
    pub fn headline_type(&self) -> Option<usize> {
        if self.pace.is_open() { None } else { self.workload.headline_type() }
    }

    /// How much of each measured phase counts, at most.
    pub fn counted(&self) -> Duration {
        self.count_last.map_or(self.measure, |last| last.min(self.measure))
    }
}

/// An option of a cell with where it came from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CellOption {
    /// The line.
    pub line: OptionLine,
    /// Why it is there, for those that enginecmp adds or translates.
    pub reason: Option<String>,
    /// What it moves.
    pub scope: crate::target::families::OptionScope,
}

/// `probe NAME "SQL" [cold]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Its name.
    pub name: String,
    /// The query.
    pub sql: String,
    /// With the operating system's caches dropped before, where that is possible.
    pub cold: bool,
    /// Where it was written.
    pub place: Place,
}

/// `compare AXIS against VALUE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Compared axes.
    pub axes: Vec<String>,
    /// The baseline's value on each, canonical.
    pub baseline: Vec<String>,
    /// Where it was written.
    pub place: Place,
}
