//! Generated rows as text: tab-separated for LOAD DATA, literals for INSERT.

use crate::model::Decimal;
use crate::target::session::RowSink;
use std::io::Write;

/// Rows as LOAD DATA reads them with its default clauses: tabs between fields, a newline after a
/// row, backslash escapes, `\N` for NULL.
#[derive(Debug, Default)]
pub(super) struct TabSeparated {
    /// The text so far.
    pub(super) text: Vec<u8>,
    /// Complete rows in it.
    pub(super) rows: u64,
    inside_row: bool,
}

impl TabSeparated {
    /// Takes the text and goes on with `buffer`, which is emptied and whose memory is used again.
    pub(super) fn swap(&mut self, mut buffer: Vec<u8>) -> Vec<u8> {
        buffer.clear();
        self.rows = 0;
        std::mem::replace(&mut self.text, buffer)
    }

    fn field(&mut self) {
        if self.inside_row {
            self.text.push(b'\t');
        }
        self.inside_row = true;
    }
}

impl RowSink for TabSeparated {
    fn null(&mut self) {
        self.field();
        self.text.extend_from_slice(b"\\N");
    }

    fn int(&mut self, value: i64) {
        self.field();
        push_int(&mut self.text, value);
    }

    fn decimal(&mut self, value: Decimal) {
        self.field();
        value.write_to(&mut self.text);
    }

    fn text(&mut self, value: &[u8]) {
        self.field();
        let mut rest = value;
        while let Some(at) =
            rest.iter().position(|byte| matches!(byte, b'\\' | b'\t' | b'\n' | b'\r' | 0))
        {
            self.text.extend_from_slice(&rest[..at]);
            let escape = match rest[at] {
                b'\t' => b't',
                b'\n' => b'n',
                b'\r' => b'r',
                0 => b'0',
                other => other,
            };
            self.text.extend_from_slice(&[b'\\', escape]);
            rest = &rest[at + 1..];
        }
        self.text.extend_from_slice(rest);
    }

    fn datetime(&mut self, value: &[u8]) {
        self.field();
        self.text.extend_from_slice(value);
    }

    fn end_row(&mut self) {
        self.text.push(b'\n');
        self.inside_row = false;
        self.rows += 1;
    }
}

/// Rows as a multi-row INSERT lists them: `(1,'a'),(2,NULL)`.
#[derive(Debug)]
pub(super) struct ValueLists {
    /// The statement so far.
    pub(super) text: Vec<u8>,
    /// Complete rows in it.
    pub(super) rows: u64,
    head: usize,
    inside_row: bool,
}

impl ValueLists {
    /// Statements that begin with `head` (`INSERT INTO t (a,b) VALUES `).
    pub(super) fn new(head: &str) -> Self {
        Self { text: head.as_bytes().to_vec(), rows: 0, head: head.len(), inside_row: false }
    }

    /// Begins the next statement.
    pub(super) fn clear(&mut self) {
        self.text.truncate(self.head);
        self.rows = 0;
    }

    /// Cuts the statement to its first `length` bytes, which hold `rows` whole rows, and gives
    /// what was behind them: the text of rows for the next statement, without a comma in front.
    pub(super) fn split_off(&mut self, length: usize, rows: u64) -> Vec<u8> {
        let rest = self.text.split_off(length);
        self.rows = rows;
        rest.strip_prefix(b",").map_or(rest.clone(), <[u8]>::to_vec)
    }

    /// Puts the rows of [`ValueLists::split_off`] into an empty statement.
    pub(super) fn resume(&mut self, text: &[u8], rows: u64) {
        self.text.extend_from_slice(text);
        self.rows += rows;
    }

    fn field(&mut self) {
        if self.inside_row {
            self.text.push(b',');
        } else {
            self.text.extend_from_slice(if self.rows > 0 { b",(" } else { b"(" });
            self.inside_row = true;
        }
    }
}

impl RowSink for ValueLists {
    fn null(&mut self) {
        self.field();
        self.text.extend_from_slice(b"NULL");
    }

    fn int(&mut self, value: i64) {
        self.field();
        push_int(&mut self.text, value);
    }

    fn decimal(&mut self, value: Decimal) {
        self.field();
        value.write_to(&mut self.text);
    }

    fn text(&mut self, value: &[u8]) {
        self.field();
        // Anything that is not plain ASCII goes as a binary literal: no character set of the
        // connection and no escape rule of the SQL mode can alter it.
        let plain = |byte: &u8| matches!(byte, b' '..=b'~') && *byte != b'\\' && *byte != b'\'';
        if value.iter().all(plain) {
            self.text.push(b'\'');
            self.text.extend_from_slice(value);
            self.text.push(b'\'');
        } else {
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            self.text.extend_from_slice(b"x'");
            for byte in value {
                self.text.push(DIGITS[usize::from(byte >> 4)]);
                self.text.push(DIGITS[usize::from(byte & 15)]);
            }
            self.text.push(b'\'');
        }
    }

    fn datetime(&mut self, value: &[u8]) {
        self.text(value);
    }

    fn end_row(&mut self) {
        self.text.push(b')');
        self.inside_row = false;
        self.rows += 1;
    }
}

fn push_int(out: &mut Vec<u8>, value: i64) {
    // Writing to a vector cannot fail.
    let _ = write!(out, "{value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(sink: &mut dyn RowSink) {
        sink.int(-7);
        sink.text(b"a\tb\\c\n\0");
        sink.null();
        sink.decimal(Decimal::hundredths(5));
        sink.datetime(b"2024-01-02 03:04:05");
        sink.end_row();
        sink.int(8);
        sink.text(b"plain");
        sink.end_row();
    }

    #[test]
    fn tab_separated_rows_escape_what_the_server_would_misread() {
        let mut sink = TabSeparated::default();
        fill(&mut sink);
        assert_eq!(
            String::from_utf8(sink.text.clone()).unwrap(),
            "-7\ta\\tb\\\\c\\n\\0\t\\N\t0.05\t2024-01-02 03:04:05\n8\tplain\n"
        );
        assert_eq!(sink.rows, 2);
        let taken = sink.swap(vec![1, 2, 3]);
        assert_eq!(taken.last(), Some(&b'\n'));
        assert!(sink.text.is_empty() && sink.rows == 0);
    }

    #[test]
    fn value_lists_write_odd_bytes_as_binary_literals() {
        let mut sink = ValueLists::new("INSERT INTO t VALUES ");
        fill(&mut sink);
        assert_eq!(
            String::from_utf8(sink.text.clone()).unwrap(),
            "INSERT INTO t VALUES (-7,x'6109625c630a00',NULL,0.05,'2024-01-02 03:04:05'),\
             (8,'plain')"
        );
        sink.clear();
        sink.text(b"it's");
        sink.end_row();
        assert_eq!(
            String::from_utf8(sink.text.clone()).unwrap(),
            "INSERT INTO t VALUES (x'69742773')"
        );
    }
}
