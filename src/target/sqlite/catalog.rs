//! What lies in the database file, asked over a session: tables as they were made, their sizes,
//! and how the file is brought to rest after a load.

use crate::target::session::{ErrorClass, RowView, Session, SqlError};
use std::collections::BTreeMap;

/// A table as SQLite made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableMade {
    /// Its name.
    pub name: String,
    /// `ROWID` or `WITHOUT_ROWID`.
    pub row_format: &'static str,
    /// CREATE TABLE and its CREATE INDEX statements, as SQLite keeps them.
    pub ddl: String,
}

fn text(row: &dyn RowView, column: usize) -> String {
    row.text(column).map_or_else(String::new, |text| String::from_utf8_lossy(&text).into_owned())
}

/// The tables of the file in order of their names.
pub fn tables(session: &mut dyn Session) -> Result<Vec<TableMade>, SqlError> {
    let mut made: Vec<TableMade> = Vec::new();
    session.text_visit(
        "SELECT l.name, l.wr, s.sql FROM pragma_table_list l \
         JOIN sqlite_schema s ON s.tbl_name = l.name AND s.sql IS NOT NULL \
         WHERE l.schema = 'main' AND l.type = 'table' AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
         ORDER BY l.name, s.type DESC, s.name",
        &mut |row| {
            let name = text(row, 0);
            match made.last_mut() {
                Some(last) if last.name == name => {
                    last.ddl.push_str(";\n");
                    last.ddl.push_str(&text(row, 2));
                }
                _ => made.push(TableMade {
                    name,
                    row_format: if row.int(1) == Some(1) { "WITHOUT_ROWID" } else { "ROWID" },
                    ddl: text(row, 2),
                }),
            }
            true
        },
    )?;
    Ok(made)
}

/// Bytes of each table with its indexes, whole pages. Reads every page of the file.
pub fn sizes(session: &mut dyn Session) -> Result<BTreeMap<String, u64>, SqlError> {
    let mut sizes = BTreeMap::new();
    session.text_visit(
        "SELECT s.tbl_name, SUM(d.pgsize) FROM dbstat d JOIN sqlite_schema s ON s.name = d.name \
         WHERE d.aggregate = TRUE AND s.tbl_name NOT LIKE 'sqlite\\_%' ESCAPE '\\' GROUP BY 1",
        &mut |row| {
            let bytes = row.int(1).and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or_default();
            sizes.insert(text(row, 0), bytes);
            true
        },
    )?;
    Ok(sizes)
}

/// Brings the write-ahead log into the file and cuts it to nothing. Without a log this does
/// nothing.
pub fn settle(session: &mut dyn Session) -> Result<(), SqlError> {
    let mut busy = 0;
    session.text_visit("PRAGMA wal_checkpoint(TRUNCATE)", &mut |row| {
        busy = row.int(0).unwrap_or_default();
        true
    })?;
    if busy == 0 {
        return Ok(());
    }
    Err(SqlError {
        class: ErrorClass::LockWait,
        errno: 5,
        ..SqlError::local("the write-ahead log could not be emptied: a reader is using it")
    })
}

/// Takes the statistics that the planner of queries uses. Nothing renews them later.
pub fn analyze(session: &mut dyn Session) -> Result<(), SqlError> {
    session.text("ANALYZE").map(drop)
}

/// Rows whose foreign key has no parent, `table: rows`; keys are not enforced while rows are
/// loaded, so this is asked after a load.
pub fn orphans(session: &mut dyn Session) -> Result<BTreeMap<String, u64>, SqlError> {
    let mut orphans = BTreeMap::new();
    session.text_visit("PRAGMA foreign_key_check", &mut |row| {
        *orphans.entry(text(row, 0)).or_default() += 1;
        true
    })?;
    Ok(orphans)
}
