//! Generated rows as tab-separated text, in a buffer that is used again.

use enginecmp::model::Decimal;
use enginecmp::target::session::RowSink;

/// Bytes after which a loader would hand its buffer on.
pub(crate) const CHUNK: usize = 256 << 10;

/// Rows as LOAD DATA reads them, of text that has nothing to be escaped.
#[derive(Default)]
pub(crate) struct TabText {
    /// The text so far.
    pub(crate) text: Vec<u8>,
    /// Bytes that were taken away, see [`TabText::empty`].
    pub(crate) bytes: u64,
}

impl TabText {
    /// Forgets the text and keeps its memory.
    pub(crate) fn empty(&mut self) {
        self.bytes += self.text.len() as u64;
        self.text.clear();
    }
}

impl RowSink for TabText {
    fn null(&mut self) {
        self.text.extend_from_slice(b"\\N\t");
    }

    fn int(&mut self, value: i64) {
        self.decimal(Decimal { unscaled: value, scale: 0 });
    }

    fn decimal(&mut self, value: Decimal) {
        value.write_to(&mut self.text);
        self.text.push(b'\t');
    }

    fn text(&mut self, value: &[u8]) {
        self.text.extend_from_slice(value);
        self.text.push(b'\t');
    }

    fn datetime(&mut self, value: &[u8]) {
        self.text(value);
    }

    fn end_row(&mut self) {
        // The last field has no tab behind it.
        self.text.pop();
        self.text.push(b'\n');
    }
}
