//! Puts the batches of all clients together: windows with exact percentiles, totals and a
//! histogram for each phase and transaction type.
//!
//! A window is closed once every client has gone past it; until then its latencies are kept. So
//! memory holds a few seconds of latencies and a few numbers a window, however long the phase.

use super::message::{Batch, TypeBatch};
use super::schedule::{Schedule, Slot, WINDOW};
use super::steady::{Held, Kept, Part, Rule};
use crate::journal::histogram;
use crate::journal::record::{TypeTotals, WindowColumns};
use hdrhistogram::Histogram;
use std::collections::BTreeMap;

/// What all clients did in one phase.
#[derive(Clone, Debug)]
pub(super) struct SpanResult {
    /// By transaction type.
    pub(super) types: Vec<TypeResult>,
    /// By transaction type.
    pub(super) windows: Vec<WindowColumns>,
    /// Time that completed transactions waited for a client, microseconds; empty in a closed loop.
    pub(super) queue: Histogram<u64>,
    /// The part that counts, where the phase could end early; all of it without. Totals are those
    /// of the part, windows those up to its end.
    pub(super) part: Option<Part>,
}

/// What all clients did in one phase in transactions of one type.
#[derive(Clone, Debug)]
pub(super) struct TypeResult {
    pub(super) name: &'static str,
    pub(super) committed: u64,
    pub(super) rolled_back: u64,
    pub(super) retries: BTreeMap<u16, u64>,
    pub(super) errors: BTreeMap<u16, u64>,
    /// Microseconds.
    pub(super) latencies: Histogram<u64>,
}

impl SpanResult {
    /// Leaves out all windows behind the first `windows`.
    pub(super) fn cut(&mut self, windows: u32) {
        for columns in &mut self.windows {
            for values in
                [&mut columns.count, &mut columns.p95_us, &mut columns.p99_us, &mut columns.max_us]
            {
                values.truncate(windows as usize);
            }
        }
    }
}

impl TypeResult {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            committed: 0,
            rolled_back: 0,
            retries: BTreeMap::new(),
            errors: BTreeMap::new(),
            latencies: histogram::empty(),
        }
    }

    /// Transactions that came to their intended end.
    pub(super) fn completed(&self) -> u64 {
        self.committed + self.rolled_back
    }

    /// Adds what was seen in another phase.
    pub(super) fn add(&mut self, other: &Self) {
        self.committed += other.committed;
        self.rolled_back += other.rolled_back;
        add(&mut self.retries, &other.retries);
        add(&mut self.errors, &other.errors);
        self.latencies.add(&other.latencies).expect("histograms of latencies grow");
    }

    /// Counts a window that was kept.
    fn count(&mut self, kept: &Kept) {
        self.committed += kept.committed;
        self.rolled_back += kept.rolled_back;
        add(&mut self.retries, &kept.retries);
        add(&mut self.errors, &kept.errors);
        for &(us, times) in &kept.latencies {
            self.latencies
                .record_n(u64::from(us), u64::from(times))
                .expect("histograms of latencies grow");
        }
    }

    /// The journal's form; `unfinished` is known at the end alone.
    pub(super) fn totals(&self, unfinished: u64) -> TypeTotals {
        TypeTotals {
            name: self.name.to_string(),
            committed: self.committed,
            rolled_back: self.rolled_back,
            retries: self.retries.clone(),
            errors: self.errors.clone(),
            unfinished,
            histogram: histogram::encode(&self.latencies),
        }
    }
}

/// The recorder of one repetition.
pub(super) struct Recorder<'a> {
    schedule: &'a Schedule,
    spans: Vec<SpanResult>,
    open: BTreeMap<Slot, Vec<TypeBatch>>,
    /// The newest window that each client has reported; nothing before it can come any more.
    reached: Vec<Option<Slot>>,
    newest: Option<Slot>,
    /// Completed in the last window that was closed.
    last_closed: Option<(Slot, u64)>,
    /// Of the last phase, when it may end early.
    held: Option<Held>,
}

impl<'a> Recorder<'a> {
    /// With a rule, the last phase ends early when it has come to rest.
    pub(super) fn new(
        schedule: &'a Schedule,
        types: &[&'static str],
        clients: usize,
        rule: Option<Rule>,
    ) -> Self {
        let held =
            rule.zip(schedule.spans().last()).map(|(rule, span)| Held::new(rule, span.windows()));
        let spans = schedule
            .spans()
            .iter()
            .map(|span| SpanResult {
                types: types.iter().map(|name| TypeResult::new(name)).collect(),
                windows: types.iter().map(|name| columns(name, span.windows())).collect(),
                queue: histogram::empty(),
                part: None,
            })
            .collect();
        Self {
            schedule,
            spans,
            open: BTreeMap::new(),
            reached: vec![None; clients],
            newest: None,
            last_closed: None,
            held,
        }
    }

    /// Whether the last phase has come to rest, so that it is over.
    pub(super) fn has_come_to_rest(&self) -> bool {
        self.held.as_ref().is_some_and(Held::has_ended)
    }

    /// Takes a batch. When it opens a new window, windows that all clients have left are closed.
    pub(super) fn take(&mut self, client: usize, batch: Batch) {
        let slot = batch.slot;
        self.reached[client] = Some(slot);
        let queue = &mut self.spans[slot.span].queue;
        for &us in &batch.queue_us {
            queue.record(u64::from(us)).expect("histograms of times grow");
        }
        let types = batch.types.len();
        let open = self.open.entry(slot).or_insert_with(|| vec![TypeBatch::default(); types]);
        for (into, mut from) in open.iter_mut().zip(batch.types) {
            into.committed += from.committed;
            into.rolled_back += from.rolled_back;
            into.latencies_us.append(&mut from.latencies_us);
            add(&mut into.retries, &from.retries);
            add(&mut into.errors, &from.errors);
        }
        if self.newest.is_none_or(|newest| newest < slot) {
            self.newest = Some(slot);
            self.close_left();
        }
    }

    /// A client will report nothing more.
    pub(super) fn finished(&mut self, client: usize) {
        let end = Slot { span: self.schedule.spans().len(), window: 0 };
        self.reached[client] = Some(end);
    }

    /// The last closed window and the transactions completed in it.
    pub(super) fn last_closed(&self) -> Option<(Slot, u64)> {
        self.last_closed
    }

    /// Closes what is open and gives the result by phase.
    pub(super) fn into_results(mut self) -> Vec<SpanResult> {
        while let Some((slot, types)) = self.open.pop_first() {
            self.close(slot, types);
        }
        if let (Some(held), Some(span)) = (self.held, self.spans.last_mut()) {
            let (part, counted) = held.finish();
            for types in counted {
                for (result, kept) in span.types.iter_mut().zip(types) {
                    result.count(&kept);
                }
            }
            for columns in &mut span.windows {
                columns.truncate(part.to as usize);
            }
            span.part = Some(part);
        }
        self.spans
    }

    fn close_left(&mut self) {
        let Some(left) = self.reached.iter().min().copied().flatten() else { return };
        while let Some(entry) = self.open.first_entry() {
            if *entry.key() >= left {
                break;
            }
            let (slot, types) = entry.remove_entry();
            self.close(slot, types);
        }
    }

    fn close(&mut self, slot: Slot, types: Vec<TypeBatch>) {
        let last = slot.span + 1 == self.spans.len();
        let held = self.held.as_mut().filter(|_| last);
        let counts_here = held.is_none();
        if let Some(held) = held
            && !held.take(slot.window, types.clone())
        {
            return;
        }
        let span = &mut self.spans[slot.span];
        let window = slot.window as usize;
        let mut completed = 0;
        for (index, mut batch) in types.into_iter().enumerate() {
            if counts_here {
                let result = &mut span.types[index];
                result.committed += batch.committed;
                result.rolled_back += batch.rolled_back;
                add(&mut result.retries, &batch.retries);
                add(&mut result.errors, &batch.errors);
                for &us in &batch.latencies_us {
                    result.latencies.record(u64::from(us)).expect("histograms of latencies grow");
                }
            }
            let count = batch.latencies_us.len() as u64;
            completed += count;
            let columns = &mut span.windows[index];
            columns.count[window] = count;
            [columns.p95_us[window], columns.p99_us[window], columns.max_us[window]] =
                upper(&mut batch.latencies_us).map(u64::from);
        }
        self.last_closed = Some((slot, completed));
    }
}

/// Milliseconds of a window, for the journal.
pub(super) const WINDOW_MS: u64 = WINDOW.as_millis() as u64;

fn columns(name: &str, windows: u32) -> WindowColumns {
    let zeros = vec![0; windows as usize];
    WindowColumns {
        name: name.to_string(),
        count: zeros.clone(),
        p95_us: zeros.clone(),
        p99_us: zeros.clone(),
        max_us: zeros,
    }
}

fn add(into: &mut BTreeMap<u16, u64>, from: &BTreeMap<u16, u64>) {
    for (errno, count) in from {
        *into.entry(*errno).or_insert(0) += count;
    }
}

/// The 95th and the 99th percentile by nearest rank, and the largest; 0 of nothing. Reorders the
/// values; the two that lie above the first are looked for among the values above it.
fn upper(values: &mut [u32]) -> [u32; 3] {
    if values.is_empty() {
        return [0; 3];
    }
    let place = |percent: usize| (values.len() * percent).div_ceil(100) - 1;
    let (at_95, at_99) = (place(95), place(99));
    let (_, &mut p95, above) = values.select_nth_unstable(at_95);
    let largest = above.iter().copied().max().unwrap_or(p95);
    let p99 = match at_99 - at_95 {
        0 => p95,
        further => *above.select_nth_unstable(further - 1).1,
    };
    [p95, p99, largest]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn batch(span: usize, window: u32, latencies_us: Vec<u32>) -> Batch {
        let committed = latencies_us.len() as u64;
        let types = vec![TypeBatch { committed, latencies_us, ..TypeBatch::default() }];
        Batch { slot: Slot { span, window }, types, queue_us: Vec::new() }
    }

    #[test]
    fn a_window_closes_once_every_client_is_past_it() {
        let schedule = Schedule::new(Duration::ZERO, Duration::from_secs(3), 1, None);
        let mut recorder = Recorder::new(&schedule, &["t"], 2, None);
        recorder.take(0, batch(0, 0, vec![100, 200]));
        recorder.take(0, batch(0, 1, vec![100]));
        assert_eq!(recorder.last_closed(), None);
        recorder.take(1, batch(0, 0, vec![400]));
        recorder.take(1, batch(0, 2, vec![50]));
        assert_eq!(recorder.last_closed(), Some((Slot { span: 0, window: 0 }, 3)));
        let result = recorder.into_results().remove(0);
        assert_eq!(result.windows[0].count, [3, 1, 1]);
        assert_eq!(result.windows[0].p95_us, [400, 100, 50]);
        assert_eq!(result.windows[0].max_us, [400, 100, 50]);
        assert_eq!(result.types[0].committed, 5);
        assert_eq!(result.types[0].latencies.len(), 5);
    }

    #[test]
    fn a_client_that_is_done_holds_nobody_up() {
        let schedule = Schedule::new(Duration::ZERO, Duration::from_secs(3), 1, None);
        let mut recorder = Recorder::new(&schedule, &["t"], 2, None);
        recorder.finished(1);
        recorder.take(0, batch(0, 0, vec![1]));
        recorder.take(0, batch(0, 1, vec![1]));
        assert_eq!(recorder.last_closed(), Some((Slot { span: 0, window: 0 }, 1)));
    }

    #[test]
    fn percentiles_are_by_nearest_rank() {
        for count in [1usize, 2, 19, 20, 21, 99, 100, 101, 250] {
            let mut values: Vec<u32> = (1..=count as u32).rev().collect();
            let by_rank = |percent: usize| (count * percent).div_ceil(100) as u32;
            assert_eq!(upper(&mut values), [by_rank(95), by_rank(99), count as u32], "{count}");
        }
        assert_eq!(upper(&mut [7, 7, 7]), [7, 7, 7]);
        assert_eq!(upper(&mut []), [0, 0, 0]);
    }
}
