//! The seam between workloads and databases.
//!
//! A [`Session`] is one connection. Workloads use this file and nothing else of `target`.
//! Rows are never owned: they are discarded, or visited while they are read.

use crate::model::Decimal;
use std::fmt;
use std::time::Duration;

/// A parameter of a prepared statement, or a field of a row that is loaded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Param<'a> {
    /// NULL.
    Null,
    /// An integer.
    Int(i64),
    /// Exact money and the like; engines without DECIMAL keep `unscaled`.
    Decimal(Decimal),
    /// Exact money that goes as a float, so that the server rounds it to DECIMAL, as it must for tools
    /// that keep money in floats. Of four bytes where rounding gives the same number back, else of
    /// eight: nothing is lost up to 15 digits.
    Float(Decimal),
    /// Text.
    Text(&'a str),
    /// Bytes in the table's character set.
    Bytes(&'a [u8]),
    /// `YYYY-MM-DD hh:mm:ss`.
    DateTime(&'a str),
    /// A float; for statistics only, never for money.
    Double(f64),
}

/// A row while it is being read. Columns count from 0.
pub trait RowView {
    /// Number of columns.
    fn columns(&self) -> usize;
    /// Whether the column is NULL.
    fn is_null(&self, column: usize) -> bool;
    /// The column as an integer; none for NULL or when it is none.
    fn int(&self, column: usize) -> Option<i64>;
    /// The column as an exact decimal with `scale` digits after the point; none for NULL.
    fn decimal(&self, column: usize, scale: u8) -> Option<Decimal>;
    /// The column's bytes as text; none for NULL. Numbers are written out.
    fn text(&self, column: usize) -> Option<std::borrow::Cow<'_, [u8]>>;
}

/// A prepared statement of one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StatementId(pub usize);

/// What a statement did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Rows that it changed (matched and changed: CLIENT_FOUND_ROWS is on, so matched ones count).
    pub affected: u64,
    /// Rows that it gave.
    pub rows: u64,
    /// Warnings that it left.
    pub warnings: u16,
}

/// What the database speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// MySQL and its family.
    MySql,
    /// SQLite: no FOR UPDATE (transactions that need it begin IMMEDIATE), DECIMAL kept as integers.
    Sqlite,
}

/// How a transaction begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It may write.
    ReadWrite,
    /// It only reads.
    ReadOnly,
}

/// What an error means for the one who sent the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// The transaction was a deadlock's victim or saw a snapshot conflict; it can be tried again
    /// after a rollback.
    Deadlock,
    /// It waited too long for a lock; it can be tried again after a rollback.
    LockWait,
    /// The connection is gone.
    ConnectionLost,
    /// Anything else: the repetition fails with its text.
    Other,
}

/// An error in the server's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlError {
    /// What it means.
    pub class: ErrorClass,
    /// The server's error number; 0 where there is none.
    pub errno: u16,
    /// SQLSTATE; empty where there is none.
    pub sqlstate: String,
    /// The message.
    pub message: String,
    /// What to do about it, where the session knows.
    pub next_step: Option<&'static str>,
}

impl SqlError {
    /// An error that did not come from a server.
    pub fn local(message: impl Into<String>) -> Self {
        Self {
            class: ErrorClass::Other,
            errno: 0,
            sqlstate: String::new(),
            message: message.into(),
            next_step: None,
        }
    }

    /// The class of a server error number of the MySQL family. 1213 deadlock, 1205 lock wait,
    /// 1020 record changed since last read (snapshot isolation), 1180/1296 with RocksDB's busy and
    /// timeout texts are left to the session, which sees the text.
    pub fn class_of(errno: u16) -> ErrorClass {
        match errno {
            1213 | 1020 => ErrorClass::Deadlock,
            1205 => ErrorClass::LockWait,
            2006 | 2013 | 1053 | 1927 => ErrorClass::ConnectionLost,
            _ => ErrorClass::Other,
        }
    }

    /// Whether the transaction can be tried again after a rollback.
    pub fn can_retry(&self) -> bool {
        matches!(self.class, ErrorClass::Deadlock | ErrorClass::LockWait)
    }
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.errno == 0 {
            f.write_str(&self.message)
        } else if self.sqlstate.is_empty() {
            write!(f, "ERROR {}: {}", self.errno, self.message)
        } else {
            write!(f, "ERROR {} ({}): {}", self.errno, self.sqlstate, self.message)
        }
    }
}

impl std::error::Error for SqlError {}

/// Takes the fields of generated rows, one after another.
pub trait RowSink {
    /// NULL.
    fn null(&mut self);
    /// An integer.
    fn int(&mut self, value: i64);
    /// An exact decimal.
    fn decimal(&mut self, value: Decimal);
    /// Text without tabs, newlines or backslashes needing escapes is not assumed: the sink escapes.
    fn text(&mut self, value: &[u8]);
    /// `YYYY-MM-DD hh:mm:ss`.
    fn datetime(&mut self, value: &[u8]);
    /// The row is complete.
    fn end_row(&mut self);
}

/// Makes the rows of one part of one table, in primary-key order, the same whenever and wherever
/// it is called.
pub trait RowSource: Send {
    /// Writes the next row to `sink`, ending with [`RowSink::end_row`]; false when there is none.
    fn next_row(&mut self, sink: &mut dyn RowSink) -> bool;
    /// How many rows it makes in all.
    fn expected(&self) -> u64;
}

/// How rows are brought in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulkMethod {
    /// LOAD DATA LOCAL INFILE, streamed; a commit every `commit_rows` rows (0: one statement).
    LoadDataLocal {
        /// Rows in one statement; 0 for all.
        commit_rows: u64,
    },
    /// LOAD DATA INFILE of a file that is written first.
    LoadDataFile,
    /// INSERT with this many rows a statement.
    MultiRowInsert {
        /// Rows in one statement.
        rows: u64,
        /// Statements in one transaction.
        statements: u64,
    },
}

/// The table that rows go to.
#[derive(Clone, Copy, Debug)]
pub struct BulkTable<'a> {
    /// Its name.
    pub table: &'a str,
    /// Its columns in the order of the fields.
    pub columns: &'a [&'a str],
    /// How.
    pub method: BulkMethod,
}

/// What a bulk load did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BulkOutcome {
    /// Rows sent.
    pub sent: u64,
    /// Rows that the server says it took.
    pub taken: u64,
    /// Warnings, all chunks together; more than 0 fails the load.
    pub warnings: u64,
    /// The first warnings in the server's words.
    pub warning_texts: Vec<String>,
    /// Bytes of row text sent.
    pub bytes: u64,
}

/// Called for each row; returns whether to go on (the rest is read and discarded).
pub type Visit<'v> = dyn FnMut(&dyn RowView) -> bool + 'v;

/// One connection.
pub trait Session: Send {
    /// What the database speaks.
    fn dialect(&self) -> Dialect;

    /// Prepares a statement. Prepared statements live as long as the session; preparing the same
    /// text twice gives two.
    fn prepare(&mut self, sql: &str) -> Result<StatementId, SqlError>;

    /// Executes and discards rows.
    fn execute(
        &mut self,
        statement: StatementId,
        params: &[Param<'_>],
    ) -> Result<Outcome, SqlError>;

    /// Executes and visits every row.
    fn execute_visit(
        &mut self,
        statement: StatementId,
        params: &[Param<'_>],
        visit: &mut Visit<'_>,
    ) -> Result<Outcome, SqlError>;

    /// Executes and visits the first row; false when there was none.
    fn execute_first(
        &mut self,
        statement: StatementId,
        params: &[Param<'_>],
        visit: &mut dyn FnMut(&dyn RowView),
    ) -> Result<bool, SqlError> {
        let mut seen = false;
        self.execute_visit(statement, params, &mut |row| {
            if !seen {
                seen = true;
                visit(row);
            }
            true
        })?;
        Ok(seen)
    }

    /// Sends one statement as text and discards rows.
    fn text(&mut self, sql: &str) -> Result<Outcome, SqlError>;

    /// Sends one statement as text and visits every row.
    fn text_visit(&mut self, sql: &str, visit: &mut Visit<'_>) -> Result<Outcome, SqlError>;

    /// Begins a transaction; sent as text, since 5.5 cannot prepare BEGIN.
    fn begin(&mut self, access: Access) -> Result<(), SqlError>;

    /// Commits.
    fn commit(&mut self) -> Result<(), SqlError>;

    /// Rolls back.
    fn rollback(&mut self) -> Result<(), SqlError>;

    /// Brings rows in. What the server took and warned of is counted, never assumed.
    fn bulk_load(
        &mut self,
        table: &BulkTable<'_>,
        rows: &mut dyn RowSource,
    ) -> Result<BulkOutcome, SqlError>;

    /// Lets no statement take longer than this; none for no limit. A reached limit is an error of
    /// class [`ErrorClass::ConnectionLost`].
    fn set_statement_limit(&mut self, limit: Option<Duration>) -> Result<(), SqlError>;
}
