//! The stretches of rows that loaders take from a queue, largest first.

use crate::host::interrupt::Interrupt;
use crate::target::session::{RowSink, RowSource};
use crate::workload::{TableLoad, TablePart, Workload};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Rows after which progress is told and the interrupt is looked at.
const STRIDE: u64 = 4096;

/// One stretch: one part of a table, or all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    /// Index into the workload's tables.
    pub(super) table: usize,
    pub(super) parts: Vec<TablePart>,
}

impl Stretch {
    pub(super) fn rows(&self) -> u64 {
        self.parts.iter().map(|part| part.rows).sum()
    }
}

/// What is left to load.
#[derive(Debug)]
pub(super) struct Queue(Mutex<Vec<Stretch>>);

impl Queue {
    /// Everything that the tables hold. The largest stretches come first, so that no loader is
    /// left alone with a large one at the end.
    pub(super) fn new(tables: &[TableLoad], whole_tables: bool) -> Self {
        let mut stretches: Vec<Stretch> = Vec::new();
        for (table, load) in tables.iter().enumerate() {
            if whole_tables {
                stretches.push(Stretch { table, parts: load.parts.clone() });
            } else {
                let parts = load.parts.iter();
                stretches.extend(parts.map(|part| Stretch { table, parts: vec![*part] }));
            }
        }
        // A stable sort: equal ones stay in order of tables and parts. Taken from the end.
        stretches.sort_by_key(|stretch| std::cmp::Reverse(stretch.rows()));
        stretches.reverse();
        Self(Mutex::new(stretches))
    }

    pub(super) fn next(&self) -> Option<Stretch> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Nobody needs the rest.
    pub(super) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// The rows of a stretch, one part after the other, with progress told as they go. An interrupt
/// ends them early.
pub(super) struct Rows<'a> {
    workload: &'a dyn Workload,
    seed: u64,
    table: &'a str,
    parts: std::vec::IntoIter<TablePart>,
    current: Option<Box<dyn RowSource>>,
    expected: u64,
    untold: u64,
    progress: &'a AtomicU64,
    interrupt: &'a Interrupt,
}

impl<'a> Rows<'a> {
    pub(super) fn new(
        workload: &'a dyn Workload,
        seed: u64,
        table: &'a str,
        stretch: &Stretch,
        progress: &'a AtomicU64,
        interrupt: &'a Interrupt,
    ) -> Self {
        Self {
            workload,
            seed,
            table,
            parts: stretch.parts.clone().into_iter(),
            current: None,
            expected: stretch.rows(),
            untold: 0,
            progress,
            interrupt,
        }
    }

    fn tell(&mut self) {
        self.progress.fetch_add(self.untold, Ordering::Relaxed);
        self.untold = 0;
    }
}

impl RowSource for Rows<'_> {
    fn next_row(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.untold == STRIDE {
            self.tell();
            if self.interrupt.is_raised() {
                return false;
            }
        }
        loop {
            if let Some(source) = &mut self.current
                && source.next_row(sink)
            {
                self.untold += 1;
                return true;
            }
            let Some(part) = self.parts.next() else {
                self.current = None;
                self.tell();
                return false;
            };
            self.current = Some(self.workload.rows(self.seed, self.table, part.part));
        }
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, parts: &[u64]) -> TableLoad {
        TableLoad {
            table: name.to_string(),
            columns: Vec::new(),
            parts: parts
                .iter()
                .enumerate()
                .map(|(part, rows)| TablePart { part: part as u32 + 1, rows: *rows })
                .collect(),
        }
    }

    fn order(queue: &Queue) -> Vec<(usize, u64)> {
        std::iter::from_fn(|| queue.next()).map(|stretch| (stretch.table, stretch.rows())).collect()
    }

    #[test]
    fn the_largest_stretches_come_first_and_equal_ones_in_order() {
        let tables = [table("item", &[100]), table("stock", &[300, 300]), table("district", &[10])];
        let queue = Queue::new(&tables, false);
        assert_eq!(order(&queue), [(1, 300), (1, 300), (0, 100), (2, 10)]);
        let queue = Queue::new(&tables, true);
        assert_eq!(order(&queue), [(1, 600), (0, 100), (2, 10)]);
    }
}
