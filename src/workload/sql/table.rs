//! Tables as the workload knows them: what their columns can hold.

use crate::workload::{Column, ColumnKind};

/// What a column can hold, as far as rows need to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Whole numbers up to `max`.
    Int {
        /// Largest.
        max: u64,
    },
    /// Exact numbers.
    Decimal {
        /// Digits in all.
        digits: u8,
        /// Digits behind the point.
        scale: u8,
    },
    /// Text or bytes.
    Text {
        /// So many characters at most.
        longest: u64,
    },
    /// `YYYY-MM-DD`.
    Date,
    /// `YYYY-MM-DD hh:mm:ss`.
    DateTime,
    /// Anything else, by its name in DDL.
    Other(String),
}

/// A column of the user's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// What it can hold.
    pub column_type: ColumnType,
    /// It may be left out: it has a default or may be NULL.
    pub optional: bool,
    /// The server works it out.
    pub generated: bool,
    /// No two rows may have the same value.
    pub unique: bool,
}

/// A table of the user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Columns in order.
    pub columns: Vec<TableColumn>,
    /// Columns of its primary key.
    pub key: Vec<String>,
}

impl Table {
    /// The column with this name, without regard to case.
    pub fn column(&self, name: &str) -> Option<&TableColumn> {
        self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))
    }
}

impl TableColumn {
    /// The column as loads and checksums see it. Numbers without a point read the same as text on
    /// every engine.
    pub(super) fn loaded(&self) -> Column {
        let kind = match self.column_type {
            ColumnType::Decimal { scale, .. } => ColumnKind::Decimal(scale),
            _ => ColumnKind::Text,
        };
        Column { name: self.name.clone(), kind }
    }
}
