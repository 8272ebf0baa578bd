//! The stretches of rows that loaders take from a queue, largest first.

use crate::host::interrupt::Interrupt;
use crate::target::session::{RowSink, RowSource};
use crate::workload::{TableLoad, TablePart, Workload};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

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
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// Taken from the end.
    left: Vec<Stretch>,
    /// By table.
    tables: Vec<Filling>,
}

/// How far a table is. Two loaders that start on one empty InnoDB table with key checks off can
/// deadlock (each holds its intention lock and wants the table), so its first stretch goes in alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filling {
    Empty,
    /// Its first stretch is on its way.
    First,
    Begun,
}

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
        // A stable sort: equal ones stay in order of tables and parts.
        stretches.sort_by_key(|stretch| std::cmp::Reverse(stretch.rows()));
        stretches.reverse();
        Self {
            state: Mutex::new(State {
                left: stretches,
                tables: vec![Filling::Empty; tables.len()],
            }),
            changed: Condvar::new(),
        }
    }

    /// The next stretch; waits while all that is left belongs to tables whose first stretch is on
    /// its way. None when nothing is left.
    pub(super) fn next(&self) -> Option<Taken<'_>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if state.left.is_empty() {
                return None;
            }
            let State { left, tables } = &mut *state;
            if let Some(at) =
                left.iter().rposition(|stretch| tables[stretch.table] != Filling::First)
            {
                let stretch = left.remove(at);
                let filling = &mut tables[stretch.table];
                if *filling == Filling::Empty {
                    *filling = Filling::First;
                }
                return Some(Taken { stretch, queue: self });
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Nobody needs the rest.
    pub(super) fn clear(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).left.clear();
        self.changed.notify_all();
    }
}

/// A stretch that a loader has taken. Its end, however it comes, lets others into the table.
#[derive(Debug)]
pub(super) struct Taken<'q> {
    stretch: Stretch,
    queue: &'q Queue,
}

impl std::ops::Deref for Taken<'_> {
    type Target = Stretch;

    fn deref(&self) -> &Stretch {
        &self.stretch
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.tables[self.stretch.table] = Filling::Begun;
        self.queue.changed.notify_all();
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
    use std::thread;

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

    #[test]
    fn the_first_stretch_of_a_table_goes_in_alone() {
        let tables = [table("stock", &[300, 300]), table("item", &[100])];
        let queue = Queue::new(&tables, false);
        let first = queue.next().expect("stock is first");
        assert_eq!((first.table, first.rows()), (0, 300));
        let other = queue.next().expect("item is free");
        assert_eq!(other.table, 1, "the second stretch of stock waits for the first");
        thread::scope(|scope| {
            let waits = scope.spawn(|| queue.next().map(|taken| taken.table));
            drop(first);
            assert_eq!(waits.join().expect("no panic"), Some(0));
        });
        drop(other);
        assert!(queue.next().is_none());
    }

    #[test]
    fn a_failed_load_wakes_those_who_wait() {
        let tables = [table("stock", &[300, 300])];
        let queue = Queue::new(&tables, false);
        let first = queue.next().expect("stock");
        thread::scope(|scope| {
            let waits = scope.spawn(|| queue.next().is_none());
            queue.clear();
            assert!(waits.join().expect("no panic"));
        });
        drop(first);
    }
}
