//! The resolved suite: what its statements say, with kinds and places, before any server is known.

use super::expand::Combination;
use super::{
    Average, Collector, DiskTest, LoadSettings, MachineLimits, Probe, SettlePolicy, Unsupported,
};
use crate::diagnostic::Span;
use crate::engine::{EngineSpec, Home};
use crate::model::{Expectation, FigureWish, Finding, Place, SettingValue};
use crate::target::families::Defaults;
use crate::workload::WorkloadKind;
use crate::workload::sql::Definition;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// What a line gives a value to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// A setting of the language or a parameter of the workload.
    Setting,
    /// A server option, at the start or `by set_global`.
    Option,
    /// A server option that repeats (`option+`): lines add up.
    Repeated,
    /// A session variable (`session NAME = V`).
    Session,
}

/// Names a setting or an option within a layer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SettingName {
    /// What it is.
    pub class: Class,
    /// Its canonical name: lower case, underscores.
    pub name: String,
}

impl SettingName {
    /// A setting of the language or a parameter.
    pub fn setting(name: impl Into<String>) -> Self {
        Self { class: Class::Setting, name: name.into() }
    }

    /// The name of the axis that several values of it make.
    pub fn axis(&self) -> String {
        match self.class {
            Class::Session => format!("session.{}", self.name),
            _ => self.name.clone(),
        }
    }
}

/// One value as written.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenValue {
    /// The value.
    pub value: SettingValue,
    /// For options: the text that goes into the option file; none for a bare option.
    pub text: Option<String>,
    /// Where it was written.
    pub span: Span,
}

/// A setting or an option with its values: one value, or the values of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// What it gives a value to.
    pub name: SettingName,
    /// Its name as written, with underscores: `loose_innodb_x` keeps its prefix.
    pub written: String,
    /// Set on the running server rather than at its start.
    pub by_set_global: bool,
    /// At least one.
    pub values: Vec<GivenValue>,
    /// The statement's head.
    pub span: Span,
    /// The same as people read it.
    pub place: Place,
}

/// Settings and options of one block. At most one of each name, but for those that repeat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    /// In order of the suite.
    pub givens: Vec<Given>,
}

impl Layer {
    /// What it says about `name`.
    pub fn get(&self, name: &SettingName) -> Option<&Given> {
        self.givens.iter().find(|given| given.name == *name)
    }

    /// What it says about the setting `name`.
    pub fn setting(&self, name: &str) -> Option<&Given> {
        self.givens
            .iter()
            .find(|given| given.name.class == Class::Setting && given.name.name == name)
    }

    /// Puts `given` in the place of what was said about it, or at the end.
    pub fn replace(&mut self, given: Given) {
        if given.name.class != Class::Repeated
            && let Some(old) = self.givens.iter_mut().find(|old| old.name == given.name)
        {
            *old = given;
        } else {
            self.givens.push(given);
        }
    }
}

/// How a server is to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerSource {
    /// Whatever this machine has.
    Found,
    /// `release "mysql 5.6"`: family and release.
    Release(String),
    /// An unpacked or installed server below this folder.
    Basedir(String),
    /// A server that runs already.
    Dsn {
        /// Where it listens, without a password.
        dsn: String,
        /// The environment variable that holds its password.
        password_env: Option<String>,
        /// The file of authorities of which one must vouch for it; none for no TLS.
        tls_ca: Option<PathBuf>,
        /// `reuse data`: repetitions run on the data that are there.
        reuse_data: bool,
    },
}

/// `defaults_file "my.cnf"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultsFile {
    /// The file as the suite writes it.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// What it includes must lie below this folder; none when it may lie anywhere.
    pub within: Option<PathBuf>,
    /// The statement.
    pub span: Span,
}

/// A `server` block.
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// How to find it.
    pub source: ServerSource,
    /// Its option file, in place of the suite's.
    pub defaults_file: Option<DefaultsFile>,
    /// Its settings and options.
    pub layer: Layer,
    /// Its head.
    pub span: Span,
    /// The same as people read it.
    pub place: Place,
}

/// A DDL script of the user's.
#[derive(Clone, PartialEq, Eq)]
pub struct Script {
    /// Its file, as the suite writes it.
    pub name: String,
    /// Its text.
    pub text: Arc<str>,
    /// Where the suite names it.
    pub span: Span,
}

/// The text itself is left out: it may be long.
impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Script").field(&self.name).field(&self.text.len()).finish()
    }
}

/// `rewrite "PATTERN" to "TEXT" in "TABLES"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewriteLine {
    /// A regular expression, known to be one.
    pub pattern: String,
    /// What stands in its place.
    pub text: String,
    /// A LIKE pattern of the tables that it concerns.
    pub tables: String,
}

/// What happens to a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaSettings {
    /// Scripts of the user (`from`).
    pub from: Vec<Script>,
    /// What is left out: `foreign_keys`, `secondary_indexes`, `fulltext`, `spatial`. Adds up.
    pub strip: Vec<String>,
    /// Give every table without a primary key one.
    pub add_primary_key: bool,
    /// Rewrites in order. Adds up.
    pub rewrites: Vec<RewriteLine>,
    /// Make explicit the index that a stripped key implied. Said nothing: yes.
    pub keep_foreign_key_indexes: Option<bool>,
    /// Character set of every table that states none.
    pub charset: Option<String>,
    /// Collation of every table that states none.
    pub collation: Option<String>,
}

impl SchemaSettings {
    /// Adds what `later` says: lines replace, `strip` and `rewrite` add up.
    pub fn add(&mut self, later: &Self) {
        if !later.from.is_empty() {
            self.from.clone_from(&later.from);
        }
        for what in &later.strip {
            if !self.strip.contains(what) {
                self.strip.push(what.clone());
            }
        }
        self.add_primary_key |= later.add_primary_key;
        for rewrite in &later.rewrites {
            if !self.rewrites.contains(rewrite) {
                self.rewrites.push(rewrite.clone());
            }
        }
        if later.keep_foreign_key_indexes.is_some() {
            self.keep_foreign_key_indexes = later.keep_foreign_key_indexes;
        }
        if later.charset.is_some() {
            self.charset.clone_from(&later.charset);
        }
        if later.collation.is_some() {
            self.collation.clone_from(&later.collation);
        }
    }

    /// Whether it changes anything in the tables.
    pub fn changes_tables(&self) -> bool {
        !self.strip.is_empty() || self.add_primary_key || !self.rewrites.is_empty()
    }

    /// Whether `what` is left out.
    pub fn strips(&self, what: &str) -> bool {
        self.strip.iter().any(|stripped| stripped == what)
    }
}

/// An `engine` block, `extends` worked in.
#[derive(Clone, Debug)]
pub struct Engine {
    /// Its name.
    pub name: String,
    /// The storage engine.
    pub spec: &'static EngineSpec,
    /// Its settings and options.
    pub layer: Layer,
    /// Its own transforms, added to the suite's.
    pub schema: SchemaSettings,
    /// Its head.
    pub span: Span,
    /// The same as people read it.
    pub place: Place,
}

impl Engine {
    /// Whether it needs no server.
    pub fn in_process(&self) -> bool {
        self.spec.home == Home::InProcess
    }
}

/// A `workload` block.
#[derive(Clone, Debug)]
pub struct WorkloadBlock {
    /// Its name; the kind's where it has none of its own.
    pub name: String,
    /// The kind.
    pub kind: &'static WorkloadKind,
    /// Settings and parameters.
    pub layer: Layer,
    /// Parameters that have a default.
    pub defaults: BTreeMap<String, SettingValue>,
    /// What a `workload sql` block says of rows and transactions.
    pub sql: Option<Arc<Definition>>,
    /// Its own transforms, added to the suite's.
    pub schema: SchemaSettings,
    /// How its data are loaded; none: as the suite says.
    pub load: Option<LoadSettings>,
    /// How they settle; none: as the suite says.
    pub settle: Option<SettlePolicy>,
    /// `dataset each` or `shared`; none: as the suite says.
    pub dataset_each: Option<bool>,
    /// Its head.
    pub span: Span,
    /// The same as people read it.
    pub place: Place,
}

/// One value of a named axis, or a variant.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisEntry {
    /// Its name.
    pub name: String,
    /// What it states.
    pub layer: Layer,
    /// Its head.
    pub span: Span,
}

/// `axis NAME { ... }`, or all `variant` blocks as the axis `variant`.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedAxis {
    /// Its name.
    pub name: String,
    /// Its values, in order.
    pub entries: Vec<AxisEntry>,
    /// Where it was first written.
    pub span: Span,
}

/// A name with the place where it was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedAt {
    /// The name, canonical.
    pub name: String,
    /// Where.
    pub span: Span,
}

/// A choice of values of an axis whose values are names: `only innodb, toku`, `variant big`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// `engine`, `server`, `workload`, or a named axis.
    pub axis: String,
    /// The values that stay.
    pub values: Vec<NamedAt>,
}

impl Choice {
    /// Whether `value` stays.
    pub fn allows(&self, value: &str) -> bool {
        self.values.iter().any(|chosen| chosen.name.eq_ignore_ascii_case(value))
    }
}

/// A `point` row.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Which engines (and values of other named axes) it is for.
    pub choices: Vec<Choice>,
    /// The axes that it fixes.
    pub layer: Layer,
    /// Its head.
    pub span: Span,
    /// The same as people read it.
    pub place: Place,
}

/// A condition with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct WhereCondition {
    /// The condition.
    pub condition: crate::model::Condition,
    /// The statement, or the argument of `--only`.
    pub span: Span,
    /// Where each term's name stands, in the order of [`crate::model::Condition::terms`].
    pub names: Vec<Span>,
}

/// A `compare` statement.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareStatement {
    /// Compared axes.
    pub axes: Vec<NamedAt>,
    /// The baseline's value on each, as written.
    pub baseline: Vec<GivenValue>,
    /// The statement.
    pub span: Span,
    /// The same as people read it.
    pub place: Place,
}

/// An `expect` statement.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectStatement {
    /// What is expected.
    pub expectation: Expectation,
    /// The statement.
    pub span: Span,
    /// The metric's name.
    pub metric: Span,
    /// The subject's name.
    pub subject: Span,
    /// The bound.
    pub bound: Span,
    /// Where each term of its condition names a setting.
    pub names: Vec<Span>,
}

/// A setting that holds for all cells, or for those of one workload, whatever else says: what
/// `--set` and dotted names give.
#[derive(Clone, Debug, PartialEq)]
pub struct Forced {
    /// The workload that it is for; none for all.
    pub workload: Option<String>,
    /// What it gives.
    pub given: Given,
}

/// Everything that a suite says, profiles and `--set` worked in.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Its title, or the file's name.
    pub title: String,
    /// The file's name without folders and ending.
    pub name: String,
    /// The text, includes following in order.
    pub text: String,
    /// Profiles in force.
    pub profiles: Vec<String>,
    /// `--set` arguments.
    pub sets: Vec<String>,
    /// Seed of data and order.
    pub seed: u64,
    /// Memory of this machine, bytes, where it is known.
    pub memory: Option<u64>,
    /// Repetitions of each cell.
    pub repeat: u32,
    /// How repetitions become one figure.
    pub average: Average,
    /// Settings and options of the suite as a whole.
    pub layer: Layer,
    /// The option file of every server that names none itself.
    pub defaults_file: Option<DefaultsFile>,
    /// `server` blocks; empty when the found server is meant.
    pub servers: Vec<Server>,
    /// `engine` blocks.
    pub engines: Vec<Engine>,
    /// `workload` blocks.
    pub workloads: Vec<WorkloadBlock>,
    /// Named axes, `variant` among them.
    pub axes: Vec<NamedAxis>,
    /// `point` rows.
    pub points: Vec<Point>,
    /// `only` of the suite, a profile or `--set engine=...`.
    pub choices: Vec<Choice>,
    /// What holds whatever else says.
    pub forced: Vec<Forced>,
    /// `where` and `--only`.
    pub conditions: Vec<WhereCondition>,
    /// Transforms for all engines.
    pub schema: SchemaSettings,
    /// How data is loaded.
    pub load: LoadSettings,
    /// How it settles.
    pub settle: SettlePolicy,
    /// `dataset each`.
    pub dataset_each: bool,
    /// The test of the disk.
    pub disk: Option<DiskTest>,
    /// `collect` statements.
    pub collectors: Vec<Collector>,
    /// Probes.
    pub probes: Vec<Probe>,
    /// `compare` statements.
    pub comparisons: Vec<CompareStatement>,
    /// `expect` statements.
    pub expectations: Vec<ExpectStatement>,
    /// `table ROWS by COLUMNS`.
    pub table: Option<(NamedAt, NamedAt)>,
    /// `machine { ... }`.
    pub machine: Option<MachineLimits>,
    /// `defaults shipped|levelled`.
    pub defaults: Option<Defaults>,
    /// `figure` statements.
    pub figures: Vec<FigureWish>,
    /// `allow unequal WHAT because "..."`.
    pub allowed: Vec<(String, String)>,
    /// What later versions execute.
    pub unsupported: Vec<Unsupported>,
    /// Axes in the order in which the suite first names them.
    pub axis_order: Vec<String>,
    /// Profiles that it declares.
    pub profile_names: Vec<String>,
    /// What is worth saying without any server.
    pub findings: Vec<Finding>,
    /// Its axes multiplied out: what will be cells.
    pub combinations: Vec<Combination>,
}
