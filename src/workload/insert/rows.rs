//! Rows: purchases, each a function of (seed, table, number), whoever makes it and in whatever
//! order, so that loaded rows and inserted ones are of one kind.

use super::Settings;
use crate::target::session::{RowSink, RowSource};
use crate::workload::random::Stream;

/// Rows of one part that is loaded.
pub(super) const ROWS_A_PART: u64 = 100_000;
/// Different values of `register`.
const REGISTERS: u64 = 1000;
/// Different values of `customer`.
pub(super) const CUSTOMERS: u64 = 100_000;
/// Different values of `product`.
const PRODUCTS: u64 = 10_000;
/// Prices are hundredths from 1 to this.
pub(super) const PRICES: u64 = 50_000;
/// Letters that stand in `note` at most.
pub(super) const LONGEST_NOTE: usize = 1000;

/// One row without its key and note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Purchase {
    pub(super) register: i64,
    pub(super) customer: i64,
    pub(super) product: i64,
    pub(super) price: i64,
}

impl Purchase {
    /// Draws one.
    pub(super) fn draw(stream: &mut Stream) -> Self {
        let mut from_one = |count| stream.below(count) as i64 + 1;
        Self {
            register: from_one(REGISTERS),
            customer: from_one(CUSTOMERS),
            product: from_one(PRODUCTS),
            price: from_one(PRICES),
        }
    }
}

/// The source of a part; one without rows for a table or part that does not exist.
pub(super) fn source(settings: &Settings, seed: u64, table: &str, part: u32) -> Box<dyn RowSource> {
    let stretch = u64::from(part.max(1) - 1);
    let first = stretch * ROWS_A_PART + 1;
    let last = settings.rows.min(first + ROWS_A_PART - 1);
    let known = settings.number(table).is_some();
    let rows = if known { (last + 1).saturating_sub(first) } else { 0 };
    let stream = Stream::new(seed, table, &[stretch]).compressible(settings.compressible);
    Box::new(Rows { stream, note: settings.note, next: first, left: rows, expected: rows })
}

struct Rows {
    stream: Stream,
    note: usize,
    next: u64,
    left: u64,
    expected: u64,
}

impl RowSource for Rows {
    fn next_row(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.left == 0 {
            return false;
        }
        let bought = Purchase::draw(&mut self.stream);
        let mut note = [0; LONGEST_NOTE];
        self.stream.fill_alphanumeric(&mut note[..self.note]);
        sink.int(self.next as i64);
        for value in [bought.register, bought.customer, bought.product, bought.price] {
            sink.int(value);
        }
        sink.text(&note[..self.note]);
        sink.end_row();
        self.next += 1;
        self.left -= 1;
        true
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}
