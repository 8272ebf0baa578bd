//! Rows of the tables, one source a stretch of ids. Text and k are drawn from streams of their
//! own, named after table and stretch, so that the sum of all k is known without making text.

use super::settings::{Data, Settings};
use crate::target::session::{RowSink, RowSource};
use crate::workload::distribution::Draw;
use crate::workload::random::Stream;

/// Ids in one stretch.
pub(super) const ROWS_A_PART: u64 = 100_000;

/// Ten groups of eleven digits.
pub(super) const C_LENGTH: usize = 119;
/// Five groups of eleven digits.
pub(super) const PAD_LENGTH: usize = 59;
/// `c` of every row of sysbench 0.4: that tool sends a blank, of which CHAR keeps nothing.
pub(super) const OLD_C: &[u8] = b"";
/// `pad` of every row of sysbench 0.4.
pub(super) const OLD_PAD: &[u8] = b"qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt";

fn streams(seed: u64, table: &str, stretch: u64) -> (Stream, Stream) {
    let of = |what: &str| Stream::new(seed, &format!("{table} {what}"), &[stretch]);
    (of("k"), of("text"))
}

/// The ids of a part, first and last.
fn ids(settings: &Settings, part: u32) -> (u64, u64) {
    let stretch = u64::from(part.max(1) - 1);
    let first = stretch * ROWS_A_PART + 1;
    (first, settings.loaded_rows().min(first + ROWS_A_PART - 1))
}

/// The source of a part; one without rows for a table or part that does not exist.
pub(super) fn source(settings: &Settings, seed: u64, table: &str, part: u32) -> Box<dyn RowSource> {
    let (first, last) = ids(settings, part);
    let known = settings.number(table).is_some();
    let rows = if known { (last + 1).saturating_sub(first) } else { 0 };
    let (k, text) = streams(seed, table, u64::from(part.max(1)));
    Box::new(Rows {
        data: settings.data,
        draw: settings.draw(),
        k,
        text: text.compressible(settings.compressible),
        next: first,
        left: rows,
        expected: rows,
    })
}

struct Rows {
    data: Data,
    draw: Draw,
    k: Stream,
    text: Stream,
    next: u64,
    left: u64,
    expected: u64,
}

impl RowSource for Rows {
    fn next_row(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.left == 0 {
            return false;
        }
        sink.int(self.next as i64);
        match self.data {
            Data::V04 => {
                sink.int(0);
                sink.text(OLD_C);
                sink.text(OLD_PAD);
            }
            Data::V1 => {
                sink.int(self.draw.draw(&mut self.k) as i64);
                let mut c = [0; C_LENGTH];
                self.text.fill_groups(&mut c);
                sink.text(&c);
                self.text.fill_groups(&mut c[..PAD_LENGTH]);
                sink.text(&c[..PAD_LENGTH]);
            }
        }
        sink.end_row();
        self.next += 1;
        self.left -= 1;
        true
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}

/// The sum of k over all rows of all tables as they are loaded.
pub(super) fn sum_of_k(settings: &Settings, seed: u64) -> i64 {
    if settings.data == Data::V04 {
        return 0;
    }
    let draw = settings.draw();
    let stretches = settings.loaded_rows().div_ceil(ROWS_A_PART);
    let mut sum = 0i64;
    for number in 1..=settings.tables {
        let table = settings.table(number);
        for part in 1..=stretches {
            let (mut k, _) = streams(seed, &table, part);
            let (first, last) = ids(settings, u32::try_from(part).unwrap_or(u32::MAX));
            for _ in first..=last {
                sum = sum.wrapping_add(draw.draw(&mut k) as i64);
            }
        }
    }
    sum
}
