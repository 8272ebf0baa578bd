//! The statements, with a place for each value.

use crate::target::session::Param;
use std::fmt::Write as _;

use super::rows::{C_LENGTH, PAD_LENGTH};

/// A statement of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Query {
    /// A row by id.
    Point,
    /// c of a range of ids.
    Simple,
    /// The sum of k over a range.
    Sum,
    /// A range in order of c.
    Order,
    /// Distinct c of a range, in order.
    Distinct,
    /// k grows by one.
    UpdateIndex,
    /// c changes.
    UpdateNonIndex,
    /// A row goes.
    Delete,
    /// A row comes.
    Insert,
    /// Rows whose k is one of several values.
    RandomPoints,
    /// Rows whose k lies in one of several ranges.
    RandomRanges,
}

impl Query {
    /// How many there are.
    pub(super) const COUNT: usize = 11;

    /// Whether it changes a row.
    pub(super) fn writes(self) -> bool {
        matches!(self, Self::UpdateIndex | Self::UpdateNonIndex | Self::Delete | Self::Insert)
    }

    /// Its text with question marks. `values` is the number of values of k (or of ranges) where
    /// several are looked up at once.
    pub(super) fn sql(self, table: &str, values: usize) -> String {
        let range = "id BETWEEN ? AND ?";
        match self {
            Self::Point => format!("SELECT c FROM {table} WHERE id=?"),
            Self::Simple => format!("SELECT c FROM {table} WHERE {range}"),
            Self::Sum => format!("SELECT SUM(k) FROM {table} WHERE {range}"),
            Self::Order => format!("SELECT c FROM {table} WHERE {range} ORDER BY c"),
            Self::Distinct => format!("SELECT DISTINCT c FROM {table} WHERE {range} ORDER BY c"),
            Self::UpdateIndex => format!("UPDATE {table} SET k=k+1 WHERE id=?"),
            Self::UpdateNonIndex => format!("UPDATE {table} SET c=? WHERE id=?"),
            Self::Delete => format!("DELETE FROM {table} WHERE id=?"),
            Self::Insert => format!("INSERT INTO {table} (id, k, c, pad) VALUES (?, ?, ?, ?)"),
            Self::RandomPoints => {
                let marks = vec!["?"; values].join(", ");
                format!("SELECT id, k, c, pad FROM {table} WHERE k IN ({marks})")
            }
            Self::RandomRanges => {
                let ranges = vec!["k BETWEEN ? AND ?"; values].join(" OR ");
                format!("SELECT count(k) FROM {table} WHERE {ranges}")
            }
        }
    }
}

/// A drawn statement: what, on which table, with which values.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) query: Query,
    /// From 1.
    pub(super) table: u32,
    /// The id, or the first of a range; NULL where the server shall number the row.
    pub(super) id: Option<i64>,
    /// The last id of a range.
    pub(super) last: i64,
    pub(super) k: i64,
    pub(super) c: Text<C_LENGTH>,
    pub(super) pad: Text<PAD_LENGTH>,
    /// Values of k, or ends of ranges.
    pub(super) values: Vec<i64>,
}

/// Text in a buffer of its own.
#[derive(Clone, Debug)]
pub(super) struct Text<const N: usize> {
    pub(super) bytes: [u8; N],
    pub(super) length: usize,
}

impl<const N: usize> Text<N> {
    pub(super) const EMPTY: Self = Self { bytes: [0; N], length: 0 };

    /// All of the buffer, to be filled.
    pub(super) fn whole(&mut self) -> &mut [u8] {
        self.length = N;
        &mut self.bytes
    }

    /// Takes a text that is not longer than the buffer.
    pub(super) fn set(&mut self, text: &[u8]) {
        self.length = text.len().min(N);
        self.bytes[..self.length].copy_from_slice(&text[..self.length]);
    }

    fn get(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl Step {
    /// A statement without values yet.
    pub(super) fn new(query: Query, table: u32) -> Self {
        Self {
            query,
            table,
            id: None,
            last: 0,
            k: 0,
            c: Text::EMPTY,
            pad: Text::EMPTY,
            values: Vec::new(),
        }
    }

    /// The values in the order of the question marks.
    pub(super) fn params<'s>(&'s self, out: &mut Vec<Param<'s>>) {
        out.clear();
        let id = self.id.map_or(Param::Null, Param::Int);
        match self.query {
            Query::Point | Query::UpdateIndex | Query::Delete => out.push(id),
            Query::Simple | Query::Sum | Query::Order | Query::Distinct => {
                out.extend([id, Param::Int(self.last)]);
            }
            Query::UpdateNonIndex => out.extend([Param::Bytes(self.c.get()), id]),
            Query::Insert => out.extend([
                id,
                Param::Int(self.k),
                Param::Bytes(self.c.get()),
                Param::Bytes(self.pad.get()),
            ]),
            Query::RandomPoints | Query::RandomRanges => {
                out.extend(self.values.iter().copied().map(Param::Int));
            }
        }
    }

    /// The statement with its values in it. Generated text has no quotes.
    pub(super) fn text(&self, table: &str) -> String {
        let mut params = Vec::new();
        self.params(&mut params);
        let mut values = params.into_iter();
        let pattern = self.query.sql(table, self.values.len().max(1));
        let mut text = String::with_capacity(pattern.len() + 256);
        for piece in pattern.split_inclusive('?') {
            text.push_str(piece.trim_end_matches('?'));
            if !piece.ends_with('?') {
                continue;
            }
            match values.next() {
                Some(Param::Int(value)) => {
                    let _ = write!(text, "{value}");
                }
                Some(Param::Bytes(bytes)) => {
                    let _ = write!(text, "'{}'", String::from_utf8_lossy(bytes));
                }
                _ => text.push_str("NULL"),
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_its_values_in_their_places() {
        let mut step = Step::new(Query::Insert, 1);
        (step.id, step.k) = (Some(0), 7);
        step.c.set(b"1-2");
        step.pad.set(b"3-4");
        assert_eq!(
            step.text("sbtest1"),
            "INSERT INTO sbtest1 (id, k, c, pad) VALUES (0, 7, '1-2', '3-4')"
        );
        step.id = None;
        assert!(step.text("sbtest1").contains("(NULL, 7,"));
        let mut step = Step::new(Query::Distinct, 2);
        (step.id, step.last) = (Some(5), 104);
        assert_eq!(
            step.text("sbtest2"),
            "SELECT DISTINCT c FROM sbtest2 WHERE id BETWEEN 5 AND 104 ORDER BY c"
        );
    }

    #[test]
    fn several_values_get_a_place_each() {
        let sql = Query::RandomPoints.sql("sbtest1", 3);
        assert_eq!(sql, "SELECT id, k, c, pad FROM sbtest1 WHERE k IN (?, ?, ?)");
        let sql = Query::RandomRanges.sql("sbtest1", 2);
        assert!(sql.ends_with("WHERE k BETWEEN ? AND ? OR k BETWEEN ? AND ?"));
    }
}
