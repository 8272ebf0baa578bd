//! SQLite's values as parameters and rows of the session seam.
//!
//! Money has no type of its own in SQLite (`DECIMAL` would be a float, and sums of floats drift).
//! Columns that MySQL declares as DECIMAL are INTEGER here and hold the unscaled number, so a
//! [`Decimal`] goes in and comes out exactly.

use crate::model::Decimal;
use crate::target::session::{Param, RowView};
use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, ValueRef};
use std::borrow::Cow;

/// A parameter on its way into a statement. Texts are bound where they lie.
pub(super) struct Bound<'a>(pub(super) ValueRef<'a>);

impl<'a> Bound<'a> {
    /// The value that stands for `param` in SQLite. Bytes are text there: a BLOB would never
    /// equal a TEXT.
    pub(super) fn of(param: &Param<'a>) -> Self {
        Self(match *param {
            Param::Null => ValueRef::Null,
            Param::Int(value) => ValueRef::Integer(value),
            Param::Decimal(value) | Param::Float(value) => ValueRef::Integer(value.unscaled),
            Param::Text(text) | Param::DateTime(text) => ValueRef::Text(text.as_bytes()),
            Param::Bytes(bytes) => ValueRef::Text(bytes),
            Param::Double(value) => ValueRef::Real(value),
        })
    }
}

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(self.0))
    }
}

/// A row while SQLite stands on it.
pub(super) struct SqliteRow<'r, 's> {
    pub(super) row: &'r rusqlite::Row<'s>,
    pub(super) columns: usize,
}

impl SqliteRow<'_, '_> {
    fn value(&self, column: usize) -> ValueRef<'_> {
        self.row.get_ref(column).unwrap_or(ValueRef::Null)
    }
}

impl RowView for SqliteRow<'_, '_> {
    fn columns(&self) -> usize {
        self.columns
    }

    fn is_null(&self, column: usize) -> bool {
        matches!(self.value(column), ValueRef::Null)
    }

    fn int(&self, column: usize) -> Option<i64> {
        match self.value(column) {
            ValueRef::Integer(value) => Some(value),
            ValueRef::Real(value) if value.fract() == 0.0 && value.abs() < 9e15 => {
                Some(value as i64)
            }
            ValueRef::Text(text) => std::str::from_utf8(text).ok()?.parse().ok(),
            _ => None,
        }
    }

    fn decimal(&self, column: usize, scale: u8) -> Option<Decimal> {
        match self.value(column) {
            ValueRef::Integer(unscaled) => Some(Decimal { unscaled, scale }),
            ValueRef::Text(text) => Decimal::parse(text, scale),
            _ => None,
        }
    }

    fn text(&self, column: usize) -> Option<Cow<'_, [u8]>> {
        match self.value(column) {
            ValueRef::Null => None,
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(Cow::Borrowed(bytes)),
            ValueRef::Integer(value) => Some(Cow::Owned(value.to_string().into_bytes())),
            ValueRef::Real(value) => Some(Cow::Owned(value.to_string().into_bytes())),
        }
    }
}
