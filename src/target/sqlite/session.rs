//! One connection to the database file, as a [`Session`].
//!
//! A rusqlite statement borrows its connection, so it cannot be kept beside it. The session keeps
//! the SQL texts and takes each statement out of the connection's own cache, which is made large
//! enough for all of them: a statement is compiled once and then found by its text.

use super::bulk;
use super::error::sql_error;
use super::row::{Bound, SqliteRow};
use crate::target::session::{
    Access, BulkOutcome, BulkTable, Dialect, ErrorClass, Outcome, Param, RowSource, Session,
    SqlError, StatementId, Visit,
};
use rusqlite::{Connection, Statement};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Statements that a connection keeps compiled; far more than any workload prepares, and the
/// texts of BEGIN, COMMIT and ROLLBACK beside them.
const CACHED_STATEMENTS: usize = 1024;

/// Instructions of SQLite's virtual machine between two looks at the time limit and at whether the
/// session was ended: some 100 microseconds of work.
const STEPS_BETWEEN_LOOKS: i32 = 10_000;

/// No time limit.
const NEVER: u64 = u64::MAX;

/// One connection.
pub struct SqliteSession {
    connection: Connection,
    statements: Vec<String>,
    origin: Instant,
    limit: Option<Duration>,
    /// When the statement that runs must be done: nanoseconds after `origin`, or [`NEVER`].
    deadline: Arc<AtomicU64>,
    life: Arc<Life>,
}

/// What all sessions of one start share.
#[derive(Default)]
pub(super) struct Life {
    ended: AtomicBool,
}

impl Life {
    /// Ends what every session is doing; none does anything afterwards.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
    }

    /// Whether it was ended.
    pub(super) fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }
}

impl SqliteSession {
    /// A session on an open connection whose pragmas are set. `life` is held as long as the
    /// session lives, so that its target can count sessions.
    pub(super) fn new(connection: Connection, life: Arc<Life>) -> rusqlite::Result<Self> {
        connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
        let origin = Instant::now();
        let deadline = Arc::new(AtomicU64::new(NEVER));
        let mut session = Self {
            connection,
            statements: Vec::new(),
            origin,
            limit: None,
            deadline: Arc::clone(&deadline),
            life: Arc::clone(&life),
        };
        let life = Arc::downgrade(&life);
        session.connection.progress_handler(
            STEPS_BETWEEN_LOOKS,
            Some(move || {
                let end = deadline.load(Ordering::Relaxed);
                (end != NEVER && origin.elapsed().as_nanos() > u128::from(end))
                    || life.upgrade().is_none_or(|life| life.is_ended())
            }),
        )?;
        Ok(session)
    }

    /// Closes the connection; SQLite removes the log with the last one.
    pub(super) fn close(self) -> rusqlite::Result<()> {
        self.connection.close().map_err(|(_, error)| error)
    }

    /// Called before each statement; starts its time.
    fn begin_statement(&self) -> Result<(), SqlError> {
        if self.life.is_ended() {
            return Err(SqlError {
                class: ErrorClass::ConnectionLost,
                ..SqlError::local("the connection was ended")
            });
        }
        if let Some(limit) = self.limit {
            let end = self.origin.elapsed().saturating_add(limit).as_nanos();
            self.deadline.store(u64::try_from(end).unwrap_or(NEVER), Ordering::Relaxed);
        }
        Ok(())
    }

    fn sql(&self, statement: StatementId) -> Result<&str, SqlError> {
        self.statements.get(statement.0).map(String::as_str).ok_or_else(|| {
            SqlError::local(format!("statement {} was not prepared here", statement.0))
        })
    }

    fn control(&self, sql: &str) -> Result<(), SqlError> {
        self.begin_statement()?;
        let mut statement = self.connection.prepare_cached(sql).map_err(sql_error)?;
        statement.raw_execute().map_err(sql_error)?;
        Ok(())
    }
}

/// Binds the parameters; a count that does not fit is an error and not a NULL.
fn bind(statement: &mut Statement<'_>, params: &[Param<'_>]) -> Result<(), SqlError> {
    if statement.parameter_count() != params.len() {
        return Err(SqlError::local(format!(
            "the statement has {} parameters and got {}",
            statement.parameter_count(),
            params.len()
        )));
    }
    for (index, param) in params.iter().enumerate() {
        statement.raw_bind_parameter(index + 1, Bound::of(param)).map_err(sql_error)?;
    }
    Ok(())
}

/// Runs a bound statement to its end. A write counts what it changed; SQLite counts matched rows
/// as changed, as the sessions of servers do.
fn run(
    connection: &Connection,
    statement: &mut Statement<'_>,
    visit: &mut Visit<'_>,
) -> Result<Outcome, SqlError> {
    let columns = statement.column_count();
    let before = connection.total_changes();
    let mut outcome = Outcome::default();
    let mut going = true;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(sql_error)? {
        outcome.rows += 1;
        if going {
            going = visit(&SqliteRow { row, columns });
        }
    }
    outcome.affected = connection.total_changes().saturating_sub(before);
    Ok(outcome)
}

impl Session for SqliteSession {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn prepare(&mut self, sql: &str) -> Result<StatementId, SqlError> {
        self.connection.prepare_cached(sql).map_err(sql_error)?;
        self.statements.push(sql.to_string());
        Ok(StatementId(self.statements.len() - 1))
    }

    fn execute(
        &mut self,
        statement: StatementId,
        params: &[Param<'_>],
    ) -> Result<Outcome, SqlError> {
        self.execute_visit(statement, params, &mut |_| false)
    }

    fn execute_visit(
        &mut self,
        statement: StatementId,
        params: &[Param<'_>],
        visit: &mut Visit<'_>,
    ) -> Result<Outcome, SqlError> {
        self.begin_statement()?;
        let mut prepared =
            self.connection.prepare_cached(self.sql(statement)?).map_err(sql_error)?;
        bind(&mut prepared, params)?;
        run(&self.connection, &mut prepared, visit)
    }

    fn text(&mut self, sql: &str) -> Result<Outcome, SqlError> {
        self.text_visit(sql, &mut |_| false)
    }

    fn text_visit(&mut self, sql: &str, visit: &mut Visit<'_>) -> Result<Outcome, SqlError> {
        self.begin_statement()?;
        let mut statement = self.connection.prepare(sql).map_err(sql_error)?;
        run(&self.connection, &mut statement, visit)
    }

    /// `BEGIN IMMEDIATE` takes the write lock at once: what FOR UPDATE does for rows of a server.
    /// A deferred transaction that reads first and writes later could only fail.
    fn begin(&mut self, access: Access) -> Result<(), SqlError> {
        self.control(match access {
            Access::ReadWrite => "BEGIN IMMEDIATE",
            Access::ReadOnly => "BEGIN",
        })
    }

    fn commit(&mut self) -> Result<(), SqlError> {
        self.control("COMMIT")
    }

    /// Rolls back. After some errors (disk full) SQLite has done so already; that is no error.
    fn rollback(&mut self) -> Result<(), SqlError> {
        if self.connection.is_autocommit() { Ok(()) } else { self.control("ROLLBACK") }
    }

    fn bulk_load(
        &mut self,
        table: &BulkTable<'_>,
        rows: &mut dyn RowSource,
    ) -> Result<BulkOutcome, SqlError> {
        self.begin_statement()?;
        self.deadline.store(NEVER, Ordering::Relaxed);
        bulk::load(&self.connection, table, rows)
    }

    /// The limit counts work, not waiting for a lock: that is bounded by `busy_timeout`.
    fn set_statement_limit(&mut self, limit: Option<Duration>) -> Result<(), SqlError> {
        self.limit = limit;
        self.deadline.store(NEVER, Ordering::Relaxed);
        Ok(())
    }
}
