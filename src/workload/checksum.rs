//! An order-independent checksum of a table, over rows that were read back.
//!
//! Each row becomes one canonical text, the same on every engine and in every dialect; the first
//! 128 bits of its SHA-256 are summed modulo 2^128. The sum does not depend on the order of rows,
//! and unlike an exclusive or it notices a row that is there twice.

use super::{Column, ColumnKind, TableChecksum};
use crate::model::Decimal;
use crate::target::session::{RowSink, RowView, Session, SqlError};
use sha2::{Digest, Sha256};
use std::fmt;

/// Separates fields; no generated text has it.
const FIELD_END: u8 = 0x1f;
/// Stands for NULL; no generated text has it.
const NULL_MARK: u8 = 0x00;

impl TableChecksum {
    /// Adds a row in its canonical text.
    fn add(&mut self, canonical: &[u8]) {
        let digest = Sha256::digest(canonical);
        let mut head = [0; 16];
        head.copy_from_slice(&digest[..16]);
        self.rows += 1;
        self.sum = self.sum.wrapping_add(u128::from_be_bytes(head));
    }

    /// The checksum of both sets of rows together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { rows: self.rows + other.rows, sum: self.sum.wrapping_add(other.sum) }
    }
}

impl fmt::Display for TableChecksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.sum)
    }
}

/// Reads every row of `table` and sums it. An error names the column whose value is not of its
/// kind.
pub fn read_back(
    session: &mut dyn Session,
    table: &str,
    columns: &[Column],
) -> Result<TableChecksum, SqlError> {
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let mut checksum = TableChecksum::default();
    let mut canonical = Vec::with_capacity(1024);
    let mut unreadable = None;
    session.text_visit(&format!("SELECT {} FROM {table}", names.join(", ")), &mut |row| {
        canonical.clear();
        match write_row(row, columns, &mut canonical) {
            Ok(()) => {
                checksum.add(&canonical);
                true
            }
            Err(column) => {
                unreadable = Some(column.to_string());
                false
            }
        }
    })?;
    match unreadable {
        None => Ok(checksum),
        Some(column) => Err(SqlError::local(format!(
            "column {column} of table {table} holds a value that is not of its kind"
        ))),
    }
}

fn write_row<'c>(
    row: &dyn RowView,
    columns: &'c [Column],
    out: &mut Vec<u8>,
) -> Result<(), &'c str> {
    for (index, column) in columns.iter().enumerate() {
        if row.is_null(index) {
            out.push(NULL_MARK);
        } else {
            let wrong = column.name.as_str();
            match column.kind {
                ColumnKind::Int => write_int(row.int(index).ok_or(wrong)?, out),
                ColumnKind::Decimal(scale) => {
                    row.decimal(index, scale).ok_or(wrong)?.write_to(out);
                }
                ColumnKind::Text | ColumnKind::DateTime => {
                    out.extend_from_slice(&row.text(index).ok_or(wrong)?);
                }
            }
        }
        out.push(FIELD_END);
    }
    Ok(())
}

fn write_int(value: i64, out: &mut Vec<u8>) {
    Decimal { unscaled: value, scale: 0 }.write_to(out);
}

/// Sums rows as they are generated: what [`read_back`] must give.
#[derive(Default)]
pub struct ChecksumSink {
    canonical: Vec<u8>,
    /// So far.
    pub checksum: TableChecksum,
}

impl RowSink for ChecksumSink {
    fn null(&mut self) {
        self.canonical.extend_from_slice(&[NULL_MARK, FIELD_END]);
    }

    fn int(&mut self, value: i64) {
        write_int(value, &mut self.canonical);
        self.canonical.push(FIELD_END);
    }

    fn decimal(&mut self, value: Decimal) {
        value.write_to(&mut self.canonical);
        self.canonical.push(FIELD_END);
    }

    fn text(&mut self, value: &[u8]) {
        self.canonical.extend_from_slice(value);
        self.canonical.push(FIELD_END);
    }

    fn datetime(&mut self, value: &[u8]) {
        self.text(value);
    }

    fn end_row(&mut self) {
        self.checksum.add(&self.canonical);
        self.canonical.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(rows: &[&[&[u8]]]) -> TableChecksum {
        let mut sink = ChecksumSink::default();
        for row in rows {
            row.iter().for_each(|field| sink.text(field));
            sink.end_row();
        }
        sink.checksum
    }

    #[test]
    fn order_of_rows_does_not_matter_but_everything_else_does() {
        let a: &[&[u8]] = &[b"1", b"one"];
        let b: &[&[u8]] = &[b"2", b"two"];
        assert_eq!(sum(&[a, b]), sum(&[b, a]));
        assert_eq!(sum(&[a, b]), sum(&[a]).and(sum(&[b])));
        assert_ne!(sum(&[a, b]), sum(&[a, a]));
        assert_ne!(sum(&[a, a]).sum, sum(&[b, b]).sum);
        assert_ne!(sum(&[&[b"1", b"2"]]), sum(&[&[b"12", b""]]));
        let mut with_null = ChecksumSink::default();
        with_null.null();
        with_null.end_row();
        assert_ne!(with_null.checksum, sum(&[&[b""]]));
        assert_ne!(with_null.checksum, sum(&[&[b"NULL"]]));
    }
}
