//! Rows brought in by one prepared INSERT, a row at a time: SQLite runs in this process, so there
//! is no round trip that larger statements would save.

use super::error::sql_error;
use super::quoted;
use crate::model::Decimal;
use crate::target::session::{BulkMethod, BulkOutcome, BulkTable, RowSink, RowSource, SqlError};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Statement};

/// Loads all rows of a source, in one transaction or in several of `rows * statements` rows.
///
/// Foreign keys are not enforced meanwhile, as on servers: a child may come before its parent.
/// `PRAGMA foreign_key_check` finds what is missing afterwards.
pub(super) fn load(
    connection: &Connection,
    table: &BulkTable<'_>,
    rows: &mut dyn RowSource,
) -> Result<BulkOutcome, SqlError> {
    let BulkMethod::MultiRowInsert { rows: each, statements } = table.method else {
        return Err(SqlError::local("SQLite has no LOAD DATA; rows are inserted"));
    };
    let in_transaction = each.saturating_mul(statements);
    let keys: bool =
        connection.pragma_query_value(None, "foreign_keys", |row| row.get(0)).map_err(sql_error)?;
    if keys {
        connection.pragma_update(None, "foreign_keys", false).map_err(sql_error)?;
    }
    let outcome = insert_all(connection, table, rows, in_transaction);
    if outcome.is_err() && !connection.is_autocommit() {
        connection.execute_batch("ROLLBACK").map_err(sql_error)?;
    }
    if keys {
        connection.pragma_update(None, "foreign_keys", true).map_err(sql_error)?;
    }
    outcome
}

fn insert_all(
    connection: &Connection,
    table: &BulkTable<'_>,
    rows: &mut dyn RowSource,
    in_transaction: u64,
) -> Result<BulkOutcome, SqlError> {
    let before = connection.total_changes();
    let mut outcome = BulkOutcome::default();
    let mut statement = connection.prepare(&insert_statement(table)).map_err(sql_error)?;
    connection.execute_batch("BEGIN IMMEDIATE").map_err(sql_error)?;
    let mut sink = Sink {
        statement: &mut statement,
        columns: table.columns.len(),
        column: 0,
        bytes: 0,
        error: None,
    };
    while rows.next_row(&mut sink) {
        if let Some(error) = sink.error.take() {
            return Err(error);
        }
        outcome.sent += 1;
        if in_transaction > 0 && outcome.sent.is_multiple_of(in_transaction) {
            connection.execute_batch("COMMIT; BEGIN IMMEDIATE").map_err(sql_error)?;
        }
    }
    outcome.bytes = sink.bytes;
    connection.execute_batch("COMMIT").map_err(sql_error)?;
    outcome.taken = connection.total_changes().saturating_sub(before);
    Ok(outcome)
}

fn insert_statement(table: &BulkTable<'_>) -> String {
    let columns: Vec<String> = table.columns.iter().map(|name| quoted(name)).collect();
    let marks = vec!["?"; table.columns.len()].join(", ");
    format!("INSERT INTO {} ({}) VALUES ({marks})", quoted(table.table), columns.join(", "))
}

/// Binds fields as they come and inserts at the end of each row.
struct Sink<'a, 'c> {
    statement: &'a mut Statement<'c>,
    columns: usize,
    column: usize,
    bytes: u64,
    error: Option<SqlError>,
}

impl Sink<'_, '_> {
    fn bind(&mut self, value: ValueRef<'_>, bytes: usize) {
        self.column += 1;
        self.bytes += bytes as u64;
        if self.error.is_none() && self.column <= self.columns {
            let bound = super::row::Bound(value);
            self.error =
                self.statement.raw_bind_parameter(self.column, bound).map_err(sql_error).err();
        }
    }
}

impl RowSink for Sink<'_, '_> {
    fn null(&mut self) {
        self.bind(ValueRef::Null, 0);
    }

    fn int(&mut self, value: i64) {
        self.bind(ValueRef::Integer(value), size_of::<i64>());
    }

    fn decimal(&mut self, value: Decimal) {
        self.bind(ValueRef::Integer(value.unscaled), size_of::<i64>());
    }

    fn text(&mut self, value: &[u8]) {
        self.bind(ValueRef::Text(value), value.len());
    }

    fn datetime(&mut self, value: &[u8]) {
        self.bind(ValueRef::Text(value), value.len());
    }

    fn end_row(&mut self) {
        let fields = std::mem::take(&mut self.column);
        if self.error.is_none() && fields != self.columns {
            self.error = Some(SqlError::local(format!(
                "a row has {fields} fields for {} columns",
                self.columns
            )));
        }
        if self.error.is_none() {
            self.error = self.statement.raw_execute().map_err(sql_error).err();
        }
    }
}
