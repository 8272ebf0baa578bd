//! What the server made of the tables, read back from it.

use crate::model::{Failure, FailureKind, Phase};
use crate::plan::ExpectedTable;
use crate::target::session::{Dialect, RowView, Session, SqlError};
use crate::target::sqlite;
use std::collections::BTreeMap;

/// A table as the server describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundTable {
    pub(super) table: String,
    pub(super) storage: String,
    pub(super) row_format: String,
}

fn text(row: &dyn RowView, column: usize) -> String {
    row.text(column).map(|text| String::from_utf8_lossy(&text).into_owned()).unwrap_or_default()
}

/// Every table of the database.
pub(super) fn tables(
    session: &mut dyn Session,
    database: &str,
) -> Result<Vec<FoundTable>, SqlError> {
    let mut found = Vec::new();
    match session.dialect() {
        Dialect::MySql => {
            let query = format!(
                "SELECT TABLE_NAME, ENGINE, ROW_FORMAT FROM information_schema.TABLES \
                 WHERE TABLE_SCHEMA = '{database}' ORDER BY TABLE_NAME"
            );
            session.text_visit(&query, &mut |row| {
                found.push(FoundTable {
                    table: text(row, 0),
                    storage: text(row, 1),
                    row_format: text(row, 2),
                });
                true
            })?;
        }
        Dialect::Sqlite => {
            found.extend(sqlite::catalog::tables(session)?.into_iter().map(|table| FoundTable {
                table: table.name,
                storage: "SQLite".to_string(),
                row_format: table.row_format.to_string(),
            }));
        }
    }
    Ok(found)
}

/// Every expected table is there, with the engine and row format that were asked for. Servers
/// replace what they lack without an error.
pub(super) fn as_asked(expected: &[ExpectedTable], found: &[FoundTable]) -> Result<(), Failure> {
    for asked in expected {
        let wrong = |message: String| {
            Err(Failure::new(Phase::Load, FailureKind::EngineSubstituted, message))
        };
        let Some(table) = found.iter().find(|table| table.table.eq_ignore_ascii_case(&asked.table))
        else {
            return wrong(format!("table {} is not there after the load", asked.table));
        };
        if !table.storage.eq_ignore_ascii_case(&asked.storage) {
            return wrong(format!(
                "table {} was asked for in {} and is in {}",
                asked.table, asked.storage, table.storage
            ));
        }
        if let Some(row_format) = &asked.row_format
            && !table.row_format.eq_ignore_ascii_case(row_format)
        {
            return wrong(format!(
                "table {} was asked for with row format {row_format} and has {}",
                asked.table, table.row_format
            ));
        }
    }
    Ok(())
}

/// How many rows each table has, by a count.
pub(super) fn row_counts<'t>(
    session: &mut dyn Session,
    tables: impl Iterator<Item = &'t String>,
) -> Result<BTreeMap<String, u64>, SqlError> {
    let mut counts = BTreeMap::new();
    for table in tables {
        let mut count = 0;
        session.text_visit(&format!("SELECT COUNT(*) FROM {table}"), &mut |row| {
            count = row.int(0).unwrap_or(0);
            true
        })?;
        counts.insert(table.clone(), u64::try_from(count).unwrap_or(0));
    }
    Ok(counts)
}

/// The DDL of each table in the server's words.
pub(super) fn ddl<'t>(
    session: &mut dyn Session,
    tables: impl Iterator<Item = &'t String>,
) -> Result<BTreeMap<String, String>, SqlError> {
    let mut ddl = BTreeMap::new();
    match session.dialect() {
        Dialect::MySql => {
            for table in tables {
                session.text_visit(&format!("SHOW CREATE TABLE {table}"), &mut |row| {
                    ddl.insert(table.clone(), text(row, 1));
                    true
                })?;
            }
        }
        Dialect::Sqlite => {
            ddl.extend(
                sqlite::catalog::tables(session)?.into_iter().map(|table| (table.name, table.ddl)),
            );
        }
    }
    Ok(ddl)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_substitution_is_a_failure_that_names_both() {
        let asked = |row_format: Option<&str>| {
            [ExpectedTable {
                table: "stock".to_string(),
                storage: "TokuDB".to_string(),
                row_format: row_format.map(str::to_string),
            }]
        };
        let found = |storage: &str, row_format: &str| {
            [FoundTable {
                table: "stock".to_string(),
                storage: storage.to_string(),
                row_format: row_format.to_string(),
            }]
        };
        assert!(as_asked(&asked(None), &found("tokudb", "Dynamic")).is_ok());
        let failure = as_asked(&asked(None), &found("InnoDB", "Dynamic")).expect_err("replaced");
        assert_eq!(failure.kind, FailureKind::EngineSubstituted);
        assert!(failure.message.contains("asked for in TokuDB and is in InnoDB"));
        assert!(as_asked(&asked(Some("TOKUDB_FAST")), &found("TokuDB", "tokudb_fast")).is_ok());
        assert!(as_asked(&asked(Some("TOKUDB_FAST")), &found("TokuDB", "tokudb_zlib")).is_err());
        assert!(as_asked(&asked(None), &[]).is_err());
    }
}
