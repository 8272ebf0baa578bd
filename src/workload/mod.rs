//! Workloads: schema, rows, clients, check. Adding one is a folder and one registration line.
//!
//! A [`Client`] does one transaction. Pace, retries, time and histograms are outside it (`run`),
//! so that closed loop, open loop and the fake target share one loop.

pub mod checksum;
pub mod compressible;
pub mod distribution;
pub mod external;
pub mod insert;
pub mod oltp;
pub mod random;
pub mod sql;
mod think;
pub mod tpcc;

pub use think::{Think, ThinkTimes};

use crate::model::{Metric, SettingValue};
use crate::target::session::{RowSource, Session, SqlError};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// What a parameter moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterScope {
    /// The loaded data: part of the recipe.
    Data,
    /// The run alone.
    Run,
}

/// The kind of a parameter's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// A count within bounds.
    Count {
        /// Smallest.
        min: u64,
        /// Largest.
        max: u64,
    },
    /// One of these words.
    Word(&'static [&'static str]),
    /// A number with or without a fraction, within bounds.
    Number {
        /// Smallest.
        min: f64,
        /// Largest.
        max: f64,
    },
    /// A percentage above 0, up to 100.
    Percent,
    /// A duration.
    Duration,
    /// A size.
    Size,
    /// A rate.
    Rate,
    /// Any text.
    Text,
}

/// A parameter of a workload, as data.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name in suites.
    pub name: &'static str,
    /// Kind of value.
    pub kind: ParameterKind,
    /// What it moves.
    pub scope: ParameterScope,
    /// Default, as the language writes it; none when the suite must say it, or when it follows
    /// from others.
    pub default: Option<&'static str>,
    /// One line of documentation.
    pub doc: &'static str,
}

/// Resolved parameters of one cell.
pub type Parameters = BTreeMap<String, SettingValue>;

/// What a column holds, for rows that must read the same on every engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// An integer.
    Int,
    /// An exact decimal with this many digits after the point.
    Decimal(u8),
    /// Text.
    Text,
    /// `YYYY-MM-DD hh:mm:ss`.
    DateTime,
}

/// A column of a table that is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
}

/// One table that is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableLoad {
    /// Its name.
    pub table: String,
    /// Columns in the order of the fields.
    pub columns: Vec<Column>,
    /// Independent parts (warehouses), in order; part 0 alone for a table that is not divided.
    pub parts: Vec<TablePart>,
}

/// One part of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TablePart {
    /// Its number.
    pub part: u32,
    /// How many rows it has.
    pub rows: u64,
}

impl TablePart {
    /// Stretches of at most `longest` rows: one, numbered 0, or several from 1.
    pub fn stretches(rows: u64, longest: u64) -> Vec<Self> {
        if rows <= longest {
            return vec![Self { part: 0, rows }];
        }
        (1..=rows.div_ceil(longest))
            .map(|part| Self {
                part: u32::try_from(part).unwrap_or(u32::MAX),
                rows: longest.min(rows - (part - 1) * longest),
            })
            .collect()
    }
}

/// A statement of a script, with the reason it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceScript {
    /// Tables with primary keys.
    pub tables: String,
    /// Secondary indexes.
    pub indexes: String,
    /// Foreign keys.
    pub foreign_keys: String,
}

/// How one transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionEnd {
    /// It committed.
    Committed,
    /// It was rolled back as the workload intends.
    RolledBack,
}

/// One client: draws a transaction and attempts it, as often as it is asked to.
pub trait Client: Send {
    /// Prepares statements on a fresh connection. Called once for each connection.
    fn prepare(&mut self, session: &mut dyn Session) -> Result<(), SqlError>;

    /// Draws the next transaction: its type (an index into [`Workload::transaction_types`]) and
    /// its inputs. Time of this call is outside the latency.
    fn draw(&mut self) -> usize;

    /// Attempts the transaction drawn last. After an error that can be retried the caller rolls
    /// back and may attempt the same again.
    fn attempt(&mut self, session: &mut dyn Session) -> Result<TransactionEnd, SqlError>;
}

/// Makes clients.
pub trait ClientFactory: Send + Sync {
    /// Client number `client` of `clients`; `seed` differs by repetition and client.
    fn client(&self, client: usize, clients: usize, seed: u64) -> Box<dyn Client>;

    /// The same, with a state that all clients of one repetition share (tpcc-mysql's deck) made
    /// anew. Called before the clients of a repetition are made.
    fn begin_repetition(&self, seed: u64);

    /// Transactions a second that client number `client` of `clients` is held to, where the
    /// workload says so for some of them; none for the pace of the suite.
    fn rate(&self, _client: usize, _clients: usize) -> Option<f64> {
        None
    }
}

/// An outside program as driver.
#[derive(Clone, Debug)]
pub struct Program {
    /// Program and arguments; no shell.
    pub argv: Vec<String>,
    /// The same for loading its data; none where enginecmp loads them.
    pub load: Option<Vec<String>>,
    /// Which format its output has.
    pub format: String,
}

/// Who does the work.
pub enum Drive {
    /// Clients inside enginecmp.
    Clients(Box<dyn ClientFactory>),
    /// An outside program.
    Program(Program),
}

/// When a check runs.
#[derive(Clone, Debug)]
pub enum CheckMoment {
    /// After the load: everything.
    AfterLoad {
        /// An outside tool drew the rows, by the same rules as [`Workload::rows`].
        by_others: bool,
    },
    /// After a repetition.
    AfterRepetition {
        /// Committed transactions by type, warm-up included.
        committed: Vec<u64>,
        /// Growth counters taken before the clients started (see [`Workload::growth_counters`]).
        before: BTreeMap<String, i64>,
        /// Some transactions ended in an unknown state (errors, lost connections): growth counters
        /// can only be bounded.
        uncertain: u64,
    },
}

/// The outcome of one condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Its name.
    pub name: String,
    /// Violating rows.
    pub violations: u64,
    /// Known to fail by design of the mode.
    pub tolerated: bool,
    /// An example.
    pub detail: String,
}

impl Checked {
    /// A figure that must lie within bounds.
    pub fn within(name: &str, seen: i64, least: i64, most: i64) -> Self {
        let off = if seen < least {
            least.abs_diff(seen)
        } else {
            seen.saturating_sub(most).max(0) as u64
        };
        let detail = match (off, least == most) {
            (0, _) => String::new(),
            (_, true) => format!("{seen} found, {least} expected"),
            (_, false) => format!("{seen} found, {least} to {most} expected"),
        };
        Self { name: name.to_string(), violations: off, tolerated: false, detail }
    }
}

/// Order-independent checksum of the rows of one table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableChecksum {
    /// Rows.
    pub rows: u64,
    /// Sum, modulo 2^128, of a 128-bit hash of each row's canonical text.
    pub sum: u128,
}

/// A kind of workload, with its parameters resolved.
pub trait Workload: Send + Sync {
    /// The schema as a MySQL script, before any transform.
    fn source_ddl(&self) -> SourceScript;

    /// What is loaded.
    fn tables(&self) -> Vec<TableLoad>;

    /// The rows of one part of a table; the same for (seed, table, part) always.
    fn rows(&self, seed: u64, table: &str, part: u32) -> Box<dyn RowSource>;

    /// How many rows a table may have when an outside tool draws them by the same rules; none for
    /// exactly as many as [`Workload::tables`] says.
    fn rows_by_others(&self, _table: &str) -> Option<RangeInclusive<u64>> {
        None
    }

    /// Names of the transaction types, in order.
    fn transaction_types(&self) -> &'static [&'static str];

    /// The metric its table shows first.
    fn headline(&self) -> Metric;

    /// Which transaction type the headline counts; none for all.
    fn headline_type(&self) -> Option<usize>;

    /// Whether it starts a program that the suite names.
    fn starts_programs(&self) -> bool {
        false
    }

    /// How many statements a client prepares on its connection, at most.
    fn prepared_statements(&self) -> u64 {
        64
    }

    /// Keying and think times by transaction type, where a specification states them.
    fn think_times(&self) -> Option<Vec<Think>> {
        None
    }

    /// What one transaction of each type counts for in other metrics (requests, rows), which are
    /// given by second.
    fn counts_for(&self) -> Vec<(Metric, Vec<u64>)> {
        Vec::new()
    }

    /// Why figures change by themselves while the clients work, where they do: `each transaction
    /// deletes a row`.
    fn drift(&self) -> Option<&'static str> {
        None
    }

    /// The smallest shares of transaction types that its specification allows, as fractions of all
    /// that were completed.
    fn least_shares(&self) -> &'static [(&'static str, f64)] {
        &[]
    }

    /// Who does the work.
    fn drive(&self, dialect: crate::target::session::Dialect) -> Drive;

    /// Counters whose growth must equal committed transactions, as they are before clients start.
    /// `loaded` is the seed of data that are as they were loaded; none when others worked on them
    /// before, and the counters must be read.
    fn growth_counters(
        &self,
        loaded: Option<u64>,
        session: &mut dyn Session,
    ) -> Result<BTreeMap<String, i64>, SqlError>;

    /// Checks the data. Every returned check that is violated and not tolerated fails the
    /// repetition or the load.
    fn check(
        &self,
        session: &mut dyn Session,
        moment: &CheckMoment,
    ) -> Result<Vec<Checked>, SqlError>;

    /// Words that every heading must carry: `not TPC-C (density 1%)`.
    fn remarks(&self) -> Vec<String>;

    /// Scripts whose statements bring rows in, in their order, behind the rows of
    /// [`Workload::rows`].
    fn scripts(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Rows of every table come in the order of its primary key, as some bulk loaders want them.
    fn in_key_order(&self) -> bool {
        true
    }

    /// What its data depend on beside parameters and seed: name and value, part of every recipe.
    fn data_ingredients(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Tables whose loaded rows are summed on every engine, and by which columns, to prove that all
    /// sides have the same.
    fn checksums(&self) -> Vec<(String, Vec<Column>)> {
        self.tables().into_iter().map(|table| (table.table, table.columns)).collect()
    }

    /// Whether every server gives the rows of [`Workload::rows`] back as they were sent, so that
    /// their sum is known beforehand.
    fn reads_back_as_sent(&self) -> bool {
        true
    }

    /// What makes its figures unlike others: kind, mode, version of data and semantics,
    /// distribution, density.
    fn identity(&self) -> String;
}

/// A registered kind of workload.
#[derive(Debug)]
pub struct WorkloadKind {
    /// Its name in suites: `tpcc`.
    pub name: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// One line of documentation.
    pub doc: &'static str,
    /// What it is by its standard wants rows that outlive their server.
    pub wants_lasting_rows: bool,
    /// Version of the generated rows: part of every recipe. Raised whenever a row changes.
    pub data_version: u32,
    /// Makes it from resolved parameters; an error names the parameter that is wrong.
    pub make: fn(&Parameters) -> Result<Box<dyn Workload>, ParameterError>,
}

/// A parameter that does not fit with the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterError {
    /// Which.
    pub parameter: &'static str,
    /// Why, and what would fit.
    pub message: String,
}

/// Every kind of workload. Adding one is adding a line here.
pub static KINDS: &[&WorkloadKind] = &[
    &tpcc::KIND,
    &oltp::READ_WRITE,
    &oltp::READ_ONLY,
    &oltp::WRITE_ONLY,
    &oltp::POINT_SELECT,
    &oltp::UPDATE_INDEX,
    &oltp::UPDATE_NON_INDEX,
    &oltp::INSERT,
    &oltp::DELETE,
    &oltp::BULK_INSERT,
    &oltp::SELECT_RANDOM_POINTS,
    &oltp::SELECT_RANDOM_RANGES,
    &oltp::LEGACY,
    &oltp::COMPLEX,
    &sql::KIND,
    &insert::KIND,
    &external::KIND,
];

impl WorkloadKind {
    /// The kind with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        KINDS.iter().copied().find(|kind| kind.name == name)
    }
}
