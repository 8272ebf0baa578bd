//! Targets: servers that can be started, connected to and stopped; in-process engines; a fake.
//!
//! [`Target`] describes a resolved server. [`Target::start`] gives a [`Running`], which gives
//! [`session::Session`]s. Everything that differs between servers is asked as a capability.

pub mod discovery;
pub mod fake;
pub mod families;
pub mod installation;
pub mod libraries;
pub mod managed;
pub mod mysql_session;
pub mod option_file;
mod option_variable;
pub mod remote;
pub mod session;
pub mod settle;
pub mod sizes;
pub mod sqlite;
pub mod store;
pub mod version;

use crate::host::clock::Clock;
use crate::host::interrupt::Interrupt;
use crate::model::{Failure, Place, RecipeId};
use serde::{Deserialize, Serialize};
use session::{Session, SqlError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// A server that enginecmp initialises, starts and stops.
    Managed,
    /// A server that runs already, reached by DSN.
    Remote,
    /// An engine inside this process.
    InProcess,
    /// The scripted one of the tests.
    Fake,
}

/// A server before it is started.
#[derive(Clone, Debug)]
pub struct TargetDescription {
    /// The name in the suite, or `found`.
    pub name: String,
    /// What it is.
    pub kind: TargetKind,
    /// Family: `mariadb`, `mysql`, `percona`, `sqlite`, `fake`.
    pub family: String,
    /// Release as its binary reports it: `10.11.19-MariaDB`.
    pub version: String,
    /// Major and minor release, for rows by release.
    pub release: (u32, u32),
    /// The server binary, where there is one.
    pub binary: Option<PathBuf>,
    /// What makes this build differ from another of the same version (size and modification time
    /// of the binary, hashed); part of every recipe.
    pub build: String,
    /// Storage engines that it may offer (built in, or their plugin file is there). The running
    /// server has the last word.
    pub engines: Vec<String>,
}

/// One option line for a start.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OptionLine {
    /// Name with underscores.
    pub name: String,
    /// Value; none for a bare option.
    pub value: Option<String>,
    /// The suite line that asked for it; none for enginecmp's own.
    pub place: Option<Place>,
}

impl OptionLine {
    /// An option of enginecmp's own.
    pub fn own(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: Some(value.into()), place: None }
    }
}

/// How a server shall start.
#[derive(Clone, Debug, Default)]
pub struct StartSpec {
    /// Its data directory: initialised by [`Target::initialise`] or restored from the store.
    pub data_dir: PathBuf,
    /// Option lines in order; written to a generated option file and read back after the start.
    pub options: Vec<OptionLine>,
    /// Storage engines (as `information_schema.ENGINES` names them) that must be usable.
    pub engines: Vec<String>,
    /// How long it may take until it answers.
    pub ready_within: Duration,
    /// How long it may take to stop before it is killed.
    pub stop_within: Duration,
    /// Raised when the user ends the run: whoever waits for the server's start or stop kills it
    /// then, and reports a failure of kind [`crate::model::FailureKind::Interrupted`].
    pub interrupt: Interrupt,
}

/// The dataset that a server holds which runs on between repetitions and runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldDataset {
    /// Its address.
    pub recipe: RecipeId,
    /// What its recipe was made of: name and value, in order.
    pub ingredients: Vec<(String, String)>,
}

/// A server that can be started.
pub trait Target: Send + Sync {
    /// What it is.
    fn describe(&self) -> &TargetDescription;

    /// Makes `data_dir` an empty data directory. Made once for a build and set of init options,
    /// then copied. `init_options` are those that are fixed when a data directory is made
    /// (page size, undo tablespaces ...).
    fn initialise(&self, data_dir: &Path, init_options: &[OptionLine]) -> Result<(), Failure>;

    /// Starts it and waits until it answers a query. Every option of `spec` was read back and
    /// every engine was found, or this fails with the server's own words.
    fn start(&self, spec: &StartSpec) -> Result<Box<dyn Running>, Failure>;

    /// What the last whole load left on a server that keeps its data; none where nothing is kept.
    fn held(&self) -> Result<Option<HeldDataset>, Failure> {
        Ok(None)
    }

    /// Says on the server that it holds this dataset now. Told when the load is whole; targets
    /// that keep nothing do nothing.
    fn hold(&self, _dataset: &HeldDataset) -> Result<(), Failure> {
        Ok(())
    }
}

/// What can be done with a running target; asked, never assumed from its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// It can be stopped and started again.
    pub restart: bool,
    /// Its files can be seen, measured and copied.
    pub files: bool,
    /// LOAD DATA LOCAL is allowed.
    pub load_data_local: bool,
    /// It can read files of this machine (LOAD DATA INFILE).
    pub load_data_file: bool,
    /// Largest packet that it takes, bytes.
    pub max_packet: u64,
    /// Several sessions can write at once.
    pub concurrent_writers: bool,
}

/// How a target stopped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StopReport {
    /// From asking until its process was gone.
    pub elapsed: Duration,
    /// It had to be killed.
    pub killed: bool,
    /// Its last log lines, when it had to be killed.
    pub log_tail: Vec<String>,
}

/// A started target.
pub trait Running: Send + Sync {
    /// How other programs reach it; none for what has no wire.
    fn reach(&self) -> Option<&mysql_session::ConnectOptions> {
        None
    }

    /// Process ids of the server; empty for remote and in-process targets.
    fn processes(&self) -> Vec<u32>;

    /// Data directories on this machine; empty when its files cannot be seen.
    fn data_dirs(&self) -> Vec<PathBuf>;

    /// A new connection for client number `client`.
    fn connect(&self, client: usize) -> Result<Box<dyn Session>, SqlError>;

    /// What can be done with it.
    fn capabilities(&self) -> Capabilities;

    /// Version and build as the running server reports them.
    fn version(&self) -> (String, String);

    /// Global variables of the running server, lower case.
    fn variables(&self) -> &BTreeMap<String, String>;

    /// From starting the process until it answered.
    fn start_time(&self) -> Duration;

    /// The clock that client number `client` lives by. The system clock for all but the fake,
    /// whose statements take scripted time.
    fn clock(&self, client: usize) -> Arc<dyn Clock>;

    /// Whether it is still alive; if not, why, with its log lines.
    fn alive(&self) -> Result<(), Failure>;

    /// Ends it at once, without a clean stop, so that whoever waits for an answer of it is woken by
    /// an error: after an interrupt, or when it hangs. [`Running::stop`] is still called after it.
    /// Targets that cannot be ended do nothing.
    fn kill(&self) {}

    /// Stops it cleanly, or kills it after the limit of its [`StartSpec`].
    fn stop(self: Box<Self>) -> Result<StopReport, Failure>;
}
