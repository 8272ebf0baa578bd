//! The database file while it is in use.

use super::error::sql_error;
use super::session::Life;
use super::{DATABASE_FILE, SqliteSession, broken, catalog, open, pragma, set};
use crate::host::clock::{Clock, SystemClock};
use crate::model::{Failure, FailureKind, Phase};
use crate::target::session::{ErrorClass, Session, SqlError};
use crate::target::{Capabilities, OptionLine, Running, StartSpec, StopReport};
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How often a stop looks whether the last session is gone.
const STOP_POLL: Duration = Duration::from_millis(10);

/// An open database file. Its own connection stays open from start to stop, so that the last
/// client does not checkpoint by leaving.
pub(super) struct SqliteRunning {
    file: PathBuf,
    data_dir: PathBuf,
    options: Vec<OptionLine>,
    control: Mutex<Connection>,
    sessions: Arc<Life>,
    variables: BTreeMap<String, String>,
    version: (String, String),
    start_time: Duration,
    stop_within: Duration,
    clock: Arc<dyn Clock>,
}

impl SqliteRunning {
    pub(super) fn start(spec: &StartSpec) -> Result<Self, Failure> {
        let began = Instant::now();
        let file = spec.data_dir.join(DATABASE_FILE);
        let control = open(&file, OpenFlags::empty(), Phase::Start)?;
        for option in &spec.options {
            set(&control, option, Phase::Start)?;
        }
        let failed = |error: rusqlite::Error| broken(Phase::Start, &file, &error);
        control
            .query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))
            .map_err(failed)?;
        let mut variables = BTreeMap::new();
        for pragma in pragma::PRAGMAS {
            variables.insert(pragma.name.to_string(), pragma.read(&control).map_err(failed)?);
        }
        let build = super::source_id().map_err(failed)?;
        Ok(Self {
            data_dir: spec.data_dir.clone(),
            options: spec.options.clone(),
            control: Mutex::new(control),
            sessions: Arc::default(),
            variables,
            version: (rusqlite::version().to_string(), build),
            start_time: began.elapsed(),
            stop_within: spec.stop_within,
            clock: Arc::new(SystemClock::since(began)),
            file,
        })
    }

    fn open_sessions(&self) -> usize {
        Arc::strong_count(&self.sessions) - 1
    }
}

impl Running for SqliteRunning {
    fn processes(&self) -> Vec<u32> {
        Vec::new()
    }

    fn data_dirs(&self) -> Vec<PathBuf> {
        vec![self.data_dir.clone()]
    }

    /// Every option is set and read back on the new connection too: most pragmas, the cache among
    /// them, belong to a connection.
    fn connect(&self, _client: usize) -> Result<Box<dyn Session>, SqlError> {
        let connection = open(&self.file, OpenFlags::empty(), Phase::Start).map_err(|failure| {
            SqlError { class: ErrorClass::ConnectionLost, ..SqlError::local(failure.message) }
        })?;
        for option in &self.options {
            set(&connection, option, Phase::Start)
                .map_err(|failure| SqlError::local(failure.message))?;
        }
        let session = SqliteSession::new(connection, Arc::clone(&self.sessions));
        Ok(Box::new(session.map_err(sql_error)?))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            restart: true,
            files: true,
            load_data_local: false,
            load_data_file: false,
            // SQLite's default limit of a text or statement, SQLITE_MAX_LENGTH.
            max_packet: 1_000_000_000,
            concurrent_writers: false,
        }
    }

    fn version(&self) -> (String, String) {
        self.version.clone()
    }

    fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    fn start_time(&self) -> Duration {
        self.start_time
    }

    fn clock(&self, _client: usize) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    fn alive(&self) -> Result<(), Failure> {
        if self.file.exists() {
            Ok(())
        } else {
            Err(Failure::new(
                Phase::Measure,
                FailureKind::Io,
                format!("{} is gone", self.file.display()),
            ))
        }
    }

    fn kill(&self) {
        self.sessions.end();
    }

    /// Waits until every session is closed, brings the write-ahead log into the database file and
    /// closes it.
    fn stop(self: Box<Self>) -> Result<StopReport, Failure> {
        let began = Instant::now();
        while self.open_sessions() > 0 {
            if began.elapsed() >= self.stop_within {
                return Err(Failure::new(
                    Phase::Stop,
                    FailureKind::Timeout,
                    format!("{} connections to SQLite are still open", self.open_sessions()),
                ));
            }
            std::thread::sleep(STOP_POLL);
        }
        let killed = self.sessions.is_ended();
        let control = self.control.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let failed = |error: rusqlite::Error| broken(Phase::Stop, &self.file, &error);
        let mut last = SqliteSession::new(control, Arc::default()).map_err(failed)?;
        catalog::settle(&mut last)
            .map_err(|error| Failure::new(Phase::Stop, FailureKind::Sql, error.to_string()))?;
        last.close().map_err(failed)?;
        Ok(StopReport { elapsed: began.elapsed(), killed, ..StopReport::default() })
    }
}
