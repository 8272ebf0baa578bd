//! CSV files (RFC 4180) that are loaded: a header with column names, then rows. An empty field that
//! is not quoted, and `\N`, are NULL.

use super::table::ColumnType;
use crate::model::Decimal;
use crate::target::session::{RowSink, RowSource};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// A row may be this long, bytes: more is a quote that never ends.
const LONGEST_ROW: usize = 64 << 20;

/// What a file holds, found by reading it once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scanned {
    /// Column names of its header; none for a file of another kind.
    pub columns: Vec<String>,
    /// Rows behind the header.
    pub rows: u64,
    /// The first 128 bits of its SHA-256, hexadecimal.
    pub hash: String,
}

#[derive(Clone, Debug, Default)]
struct Field {
    text: Vec<u8>,
    quoted: bool,
}

impl Field {
    fn is_null(&self) -> bool {
        !self.quoted && (self.text.is_empty() || self.text == b"\\N")
    }
}

/// Reads row after row.
struct Rows<R> {
    input: R,
    line: u64,
    /// Fields of the row read last; the first `count` hold.
    fields: Vec<Field>,
    count: usize,
    raw: Vec<u8>,
}

impl<R: BufRead> Rows<R> {
    fn new(input: R) -> Self {
        Self { input, line: 0, fields: Vec::new(), count: 0, raw: Vec::new() }
    }

    /// Reads a row; false at the end. Blank lines are passed over. An error is in words.
    fn next(&mut self) -> Result<bool, String> {
        loop {
            self.raw.clear();
            let first = self.line + 1;
            loop {
                let read = self.input.read_until(b'\n', &mut self.raw);
                let read = read.map_err(|error| format!("line {}: {error}", self.line + 1))?;
                if read == 0 && self.raw.is_empty() {
                    return Ok(false);
                }
                self.line += u64::from(read > 0);
                // Quotes come in pairs, doubled ones too.
                let open = self.raw.iter().fold(false, |open, &byte| open ^ (byte == b'"'));
                if !open {
                    break;
                }
                if read == 0 || self.raw.len() > LONGEST_ROW {
                    return Err(format!("line {first}: a quote has no end"));
                }
            }
            let row = self.raw.strip_suffix(b"\n").unwrap_or(&self.raw);
            let row = row.strip_suffix(b"\r").unwrap_or(row);
            if !row.is_empty() {
                let raw = row.to_vec();
                self.split(&raw);
                return Ok(true);
            }
        }
    }

    fn split(&mut self, row: &[u8]) {
        self.count = 0;
        let mut at = 0;
        loop {
            if self.fields.len() == self.count {
                self.fields.push(Field::default());
            }
            let field = &mut self.fields[self.count];
            self.count += 1;
            field.text.clear();
            field.quoted = row.get(at) == Some(&b'"');
            if field.quoted {
                at += 1;
                while at < row.len() {
                    if row[at] == b'"' {
                        at += 1;
                        if row.get(at) != Some(&b'"') {
                            break;
                        }
                    }
                    field.text.push(row[at]);
                    at += 1;
                }
            }
            while at < row.len() && row[at] != b',' {
                field.text.push(row[at]);
                at += 1;
            }
            if at >= row.len() {
                return;
            }
            at += 1;
        }
    }
}

/// Hashes what is read through it.
struct Hashed<R> {
    input: R,
    digest: Sha256,
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(into)?;
        self.digest.update(&into[..read]);
        Ok(read)
    }
}

impl<R> Hashed<R> {
    fn new(input: R) -> Self {
        Self { input, digest: Sha256::new() }
    }

    fn hash(self) -> String {
        self.digest.finalize().iter().take(16).fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

/// Reads a CSV file to its end. An error says where it is none.
pub fn scan(input: impl Read) -> Result<Scanned, String> {
    let mut rows = Rows::new(BufReader::with_capacity(1 << 16, Hashed::new(input)));
    if !rows.next()? {
        return Err("it is empty; its first line names the columns".to_string());
    }
    let name = |field: &Field| String::from_utf8_lossy(&field.text).trim().to_string();
    let mut columns: Vec<String> = rows.fields[..rows.count].iter().map(name).collect();
    if let Some(first) = columns.first_mut() {
        *first = first.trim_start_matches('\u{feff}').to_string();
    }
    let mut count = 0;
    while rows.next()? {
        if rows.count != columns.len() {
            return Err(format!(
                "line {} has {} fields, and the header names {} columns",
                rows.line,
                rows.count,
                columns.len()
            ));
        }
        count += 1;
    }
    Ok(Scanned { columns, rows: count, hash: rows.input.into_inner().hash() })
}

/// The hash of a file of any kind.
pub fn hash(input: impl Read) -> io::Result<String> {
    let mut hashed = Hashed::new(input);
    io::copy(&mut hashed, &mut io::sink())?;
    Ok(hashed.hash())
}

/// The rows of a CSV file. A file that cannot be read any more gives fewer rows than it had, which
/// fails the load.
pub(super) struct CsvSource {
    rows: Option<Rows<BufReader<File>>>,
    types: Vec<ColumnType>,
    expected: u64,
}

impl CsvSource {
    pub(super) fn open(path: &Path, types: Vec<ColumnType>, expected: u64) -> Self {
        let mut rows = File::open(path).ok().map(|file| Rows::new(BufReader::new(file)));
        if rows.as_mut().is_none_or(|rows| rows.next() != Ok(true)) {
            rows = None;
        }
        Self { rows, types, expected }
    }
}

impl RowSource for CsvSource {
    fn next_row(&mut self, sink: &mut dyn RowSink) -> bool {
        let Some(rows) = &mut self.rows else { return false };
        if rows.next() != Ok(true) {
            return false;
        }
        for (field, kind) in rows.fields[..rows.count].iter().zip(&self.types) {
            write_field(field, kind, sink);
        }
        sink.end_row();
        true
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}

/// Numbers go as numbers where they are some: engines without DECIMAL keep them scaled.
fn write_field(field: &Field, kind: &ColumnType, sink: &mut dyn RowSink) {
    if field.is_null() {
        return sink.null();
    }
    let text = std::str::from_utf8(&field.text).ok().map(str::trim);
    match kind {
        ColumnType::Int { .. } => {
            if let Some(number) = text.and_then(|text| text.parse().ok()) {
                return sink.int(number);
            }
        }
        ColumnType::Decimal { scale, .. } => {
            if let Some(number) = Decimal::parse(&field.text, *scale) {
                return sink.decimal(number);
            }
        }
        _ => {}
    }
    sink.text(&field.text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Vec<Option<String>>> {
        let mut rows = Rows::new(text.as_bytes());
        let mut found = Vec::new();
        while rows.next().unwrap() {
            let fields = rows.fields[..rows.count].iter();
            found.push(
                fields
                    .map(|field| {
                        (!field.is_null()).then(|| String::from_utf8_lossy(&field.text).into())
                    })
                    .collect(),
            );
        }
        found
    }

    #[test]
    fn quotes_line_ends_and_nulls_are_understood() {
        let some = |text: &str| Some(text.to_string());
        assert_eq!(
            all("a,b\r\n1,\"x, \"\"y\"\"\nz\"\n\n\\N,\n\"\",\"\\N\""),
            [
                vec![some("a"), some("b")],
                vec![some("1"), some("x, \"y\"\nz")],
                vec![None, None],
                vec![some(""), some("\\N")],
            ]
        );
    }

    #[test]
    fn a_scan_counts_rows_and_says_where_a_file_is_none() {
        let scanned = scan("\u{feff}id,name\n1,a\n2,\"b\nc\"\n".as_bytes()).unwrap();
        assert_eq!(scanned.columns, ["id", "name"]);
        assert_eq!(scanned.rows, 2);
        let other = scan("id,name\n1,a\n2,\"b\nd\"\n".as_bytes()).unwrap();
        assert_ne!(scanned.hash, other.hash);
        assert_eq!(
            scan("a,b\n1,2\n1,2,3\n".as_bytes()).unwrap_err(),
            "line 3 has 3 fields, and the header names 2 columns"
        );
        assert_eq!(scan("a\n\"x\n".as_bytes()).unwrap_err(), "line 2: a quote has no end");
        assert!(scan("".as_bytes()).is_err());
    }
}
