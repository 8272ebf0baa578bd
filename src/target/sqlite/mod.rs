//! SQLite inside this process, as a [`Target`]: nothing needs to be installed.
//!
//! The data directory holds one database file. Options are pragmas ([`pragma`]); MySQL's DDL
//! becomes SQLite's when a suite is planned ([`ddl`]), so that no statement is rewritten while it
//! runs. The page cache belongs to each connection: `cache 64M` with four clients may use four
//! times that.

mod bulk;
pub mod catalog;
pub mod ddl;
mod error;
pub mod pragma;
mod row;
mod running;
mod session;
pub mod settings;

pub use session::SqliteSession;

use super::{OptionLine, Running, StartSpec, Target, TargetDescription, TargetKind};
use crate::model::{Failure, FailureKind, Phase};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};

/// The database file in a data directory.
pub const DATABASE_FILE: &str = "enginecmp.db";

/// The family's name.
pub const FAMILY: &str = "sqlite";

/// SQLite as it is built into enginecmp.
#[derive(Clone, Debug)]
pub struct SqliteTarget {
    description: TargetDescription,
}

impl SqliteTarget {
    /// The target. It is always there.
    pub fn new() -> Self {
        Self { description: describe() }
    }
}

impl Default for SqliteTarget {
    fn default() -> Self {
        Self::new()
    }
}

/// What the built-in SQLite is; no file is touched.
pub fn describe() -> TargetDescription {
    let version = rusqlite::version().to_string();
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().unwrap_or_default());
    let release = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    TargetDescription {
        name: "SQLite".to_string(),
        kind: TargetKind::InProcess,
        family: FAMILY.to_string(),
        release,
        binary: None,
        build: source_id().unwrap_or_else(|_| version.clone()),
        version,
        engines: vec!["SQLite".to_string()],
    }
}

/// The check-in that this SQLite was built from.
fn source_id() -> rusqlite::Result<String> {
    Connection::open_in_memory()?.query_row("SELECT sqlite_source_id()", [], |row| row.get(0))
}

impl Target for SqliteTarget {
    fn describe(&self) -> &TargetDescription {
        &self.description
    }

    fn initialise(&self, data_dir: &Path, init_options: &[OptionLine]) -> Result<(), Failure> {
        let file = data_dir.join(DATABASE_FILE);
        std::fs::create_dir_all(data_dir).map_err(|error| {
            Failure::new(
                Phase::Initialise,
                FailureKind::Io,
                format!("{}: {error}", data_dir.display()),
            )
        })?;
        let connection = open(&file, OpenFlags::SQLITE_OPEN_CREATE, Phase::Initialise)?;
        for option in init_options {
            set(&connection, option, Phase::Initialise)?;
        }
        // Until something is written there is no file, and no page size either.
        connection
            .pragma_update(None, "user_version", 1)
            .map_err(|error| broken(Phase::Initialise, &file, &error))?;
        connection.close().map_err(|(_, error)| broken(Phase::Initialise, &file, &error))
    }

    fn start(&self, spec: &StartSpec) -> Result<Box<dyn Running>, Failure> {
        if let Some(engine) =
            spec.engines.iter().find(|engine| !engine.eq_ignore_ascii_case("SQLite"))
        {
            return Err(Failure::new(
                Phase::Start,
                FailureKind::EngineMissing,
                format!("SQLite has no storage engine {engine}"),
            )
            .next_step("Give the engine a server: `server NAME { ... }`."));
        }
        Ok(Box::new(running::SqliteRunning::start(spec)?))
    }
}

/// Opens the database file for reading and writing.
fn open(file: &Path, more: OpenFlags, phase: Phase) -> Result<Connection, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
    Connection::open_with_flags(file, flags).map_err(|error| broken(phase, file, &error))
}

/// Sets one option on a connection and reads it back.
fn set(connection: &Connection, option: &OptionLine, phase: Phase) -> Result<(), Failure> {
    let refused = |message: String| {
        let failure = Failure::new(phase, FailureKind::OptionNotTaken, message);
        match &option.place {
            Some(place) => failure.at(place.clone()),
            None => failure,
        }
    };
    let value = option.value.as_deref();
    settings::check_option(&option.name, value).map_err(refused)?;
    let (Some(pragma), Some(value)) = (pragma::find(&option.name), value) else {
        return Ok(());
    };
    match pragma.set(connection, value) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(message)) => Err(refused(message)),
        Err(error) => Err(refused(format!("{} = {value}: {error}", option.name))),
    }
}

/// A file that SQLite cannot use, in SQLite's words.
fn broken(phase: Phase, file: &Path, error: &rusqlite::Error) -> Failure {
    let file: PathBuf = file.to_path_buf();
    Failure::new(phase, FailureKind::Io, format!("{}: {error}", file.display()))
}

/// A name as an identifier. Backticks can never be taken for a string, as double quotes can.
fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}
