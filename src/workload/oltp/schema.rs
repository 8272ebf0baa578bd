//! The tables: sysbench's, by release.

use super::rows::ROWS_A_PART;
use super::settings::{Data, Settings, Test};
use crate::workload::{Column, ColumnKind, SourceScript, TableLoad, TablePart};
use std::fmt::Write as _;

/// The script before any transform.
pub(super) fn script(settings: &Settings) -> SourceScript {
    let mut script =
        SourceScript { tables: String::new(), indexes: String::new(), foreign_keys: String::new() };
    for number in 1..=settings.tables {
        let table = settings.table(number);
        let _ = writeln!(script.tables, "{};", create(settings, &table));
        if settings.test != Test::BulkInsert && settings.create_secondary {
            let index = match settings.test {
                Test::Complex => "k".to_string(),
                _ => format!("k_{number}"),
            };
            let _ = writeln!(script.indexes, "CREATE INDEX {index} ON {table}(k);");
        }
    }
    script
}

fn create(settings: &Settings, table: &str) -> String {
    if settings.test == Test::BulkInsert {
        return format!(
            "CREATE TABLE {table} (id INTEGER NOT NULL, k INTEGER DEFAULT '0' NOT NULL, \
             PRIMARY KEY (id))"
        );
    }
    let unsigned = match settings.test {
        Test::Legacy | Test::Complex => " UNSIGNED",
        _ => "",
    };
    let numbered = if settings.auto_inc { " AUTO_INCREMENT" } else { "" };
    let key = if settings.secondary { "KEY xid (id)" } else { "PRIMARY KEY (id)" };
    let most = match settings.test {
        Test::Legacy => " MAX_ROWS=1000000",
        _ => "",
    };
    format!(
        "CREATE TABLE {table} (\n  \
         id INTEGER{unsigned} NOT NULL{numbered},\n  \
         k INTEGER{unsigned} DEFAULT '0' NOT NULL,\n  \
         c CHAR(120) DEFAULT '' NOT NULL,\n  \
         pad CHAR(60) DEFAULT '' NOT NULL,\n  \
         {key}\n){most}"
    )
}

/// What is loaded.
pub(super) fn tables(settings: &Settings) -> Vec<TableLoad> {
    let column = |name: &str, kind| Column { name: name.to_string(), kind };
    let mut columns = vec![column("id", ColumnKind::Int), column("k", ColumnKind::Int)];
    if settings.test != Test::BulkInsert {
        columns.push(column("c", ColumnKind::Text));
        columns.push(column("pad", ColumnKind::Text));
    }
    let parts = TablePart::stretches(settings.loaded_rows(), ROWS_A_PART);
    (1..=settings.tables)
        .map(|number| TableLoad {
            table: settings.table(number),
            columns: columns.clone(),
            parts: parts.clone(),
        })
        .collect()
}

/// Length of a generated `c`; none where it is a blank, which CHAR does not keep.
pub(super) fn length_of_c(data: Data) -> Option<usize> {
    match data {
        Data::V1 => Some(super::rows::C_LENGTH),
        Data::V04 => None,
    }
}
