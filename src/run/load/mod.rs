//! Rows come in: several loaders take stretches of rows from a queue. Every stretch must arrive
//! whole and without a warning.

mod method;
mod rows;
mod scripts;

use super::observer::{Event, Observer};
use super::pool::set_up;
use super::watch::{interrupted, sql_failure};
use crate::host::interrupt::Interrupt;
use crate::host::process::own_usage;
use crate::model::{Failure, FailureKind, Phase};
use crate::plan::{Dataset, LoadPath};
use crate::target::Running;
use crate::target::session::{BulkOutcome, BulkTable, Session};
use crate::workload::TableLoad;
use method::Method;
use rows::{Queue, Rows, Stretch};
pub(super) use scripts::{ScriptRows, run_scripts};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// How often progress is told.
const TELL: Duration = Duration::from_millis(250);

/// What brings rows in.
pub(super) struct LoadSpec<'a> {
    pub(super) running: &'a dyn Running,
    pub(super) dataset: &'a Dataset,
    pub(super) seed: u64,
    /// Statements of a fresh session.
    pub(super) session_setup: &'a [String],
    pub(super) interrupt: &'a Interrupt,
    pub(super) observer: &'a dyn Observer,
}

/// How rows came in.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Loaded {
    /// For the journal: `load data local`.
    pub(super) path: String,
    /// Loaders at work.
    pub(super) threads: u32,
    /// From the start of the first loader to the end of the last.
    pub(super) elapsed: Duration,
    /// Processor time of this process meanwhile, where it is known.
    pub(super) client_cpu: Option<Duration>,
    pub(super) rows: u64,
    /// Text of all rows.
    pub(super) bytes: u64,
}

enum Told {
    Ended { now: Duration },
    Failed(Failure),
}

/// Loads every table of the dataset.
pub(super) fn load_rows(spec: &LoadSpec<'_>, control: &mut dyn Session) -> Result<Loaded, Failure> {
    let engine = spec.dataset.spec;
    // A release that lacks the mode is loaded in bounded transactions instead; the path says so.
    let (before, after) = engine.bulk_session;
    let in_order = spec.dataset.workload.in_key_order()
        || !before.iter().any(|text| text.contains("bulk_load"));
    let session_mode =
        in_order && before.iter().chain(after).all(|statement| control.text(statement).is_ok());
    let capabilities = spec.running.capabilities();
    let rows = match spec.dataset.load.path {
        LoadPath::Rows(rows) => Some(rows),
        LoadPath::Bulk | LoadPath::External(_) => None,
    };
    let method = method::choose(engine, capabilities, rows, session_mode);
    let tables = spec.dataset.workload.tables();
    let queue = Queue::new(&tables, method.whole_tables);
    let threads =
        if capabilities.concurrent_writers { spec.dataset.load.threads.max(1) } else { 1 };
    let of: u64 = tables.iter().flat_map(|table| &table.parts).map(|part| part.rows).sum();
    let progress = AtomicU64::new(0);
    let bytes = AtomicU64::new(0);
    let cpu_before = own_usage().ok();
    let epoch = spec.running.clock(super::pool::CONTROL).now();
    let work = Work {
        spec,
        method: &method,
        tables: &tables,
        queue: &queue,
        progress: &progress,
        bytes: &bytes,
    };
    let end = thread::scope(|scope| {
        let (tell, told) = channel();
        for number in 0..threads as usize {
            let tell = tell.clone();
            let work = &work;
            scope.spawn(move || work.loader(number, &tell));
        }
        drop(tell);
        let mut end = epoch;
        let mut failure = None;
        loop {
            match told.recv_timeout(TELL) {
                Ok(Told::Ended { now }) => end = end.max(now),
                Ok(Told::Failed(first)) => {
                    queue.clear();
                    failure.get_or_insert(first);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let rows = progress.load(Ordering::Relaxed);
            spec.observer.event(&Event::Loading { rows, of });
        }
        failure.map_or(Ok(end), Err)
    })?;
    if spec.interrupt.is_raised() {
        return Err(interrupted(Phase::Load));
    }
    let client_cpu = cpu_before
        .zip(own_usage().ok())
        .map(|(before, after)| after.cpu().saturating_sub(before.cpu()));
    Ok(Loaded {
        path: method.path,
        threads,
        elapsed: end.saturating_sub(epoch),
        client_cpu,
        rows: of,
        bytes: bytes.load(Ordering::Relaxed),
    })
}

/// What all loaders share.
struct Work<'a> {
    spec: &'a LoadSpec<'a>,
    method: &'a Method,
    tables: &'a [TableLoad],
    queue: &'a Queue,
    progress: &'a AtomicU64,
    /// Text of the rows that were sent.
    bytes: &'a AtomicU64,
}

impl Work<'_> {
    /// The life of one loader.
    fn loader(&self, number: usize, tell: &Sender<Told>) {
        let told = match self.stretches(number) {
            Ok(()) => Told::Ended { now: self.spec.running.clock(number).now() },
            Err(failure) => Told::Failed(failure),
        };
        // The one who listens outlives every loader.
        let _ = tell.send(told);
    }

    fn stretches(&self, number: usize) -> Result<(), Failure> {
        let spec = self.spec;
        let failed = |doing: &str, error| {
            sql_failure(Phase::Load, spec.running, spec.interrupt, doing, &error)
        };
        let Some(mut stretch) = self.queue.next() else { return Ok(()) };
        let mut session = spec
            .running
            .connect(number)
            .map_err(|error| failed(&format!("loader {}, connecting", number + 1), error))?;
        set_up(&mut *session, spec.session_setup)
            .map_err(|(statement, error)| failed(&format!("`{statement}`"), error))?;
        loop {
            self.stretch(&mut *session, &stretch)?;
            if spec.interrupt.is_raised() {
                return Err(interrupted(Phase::Load));
            }
            // Given back before the next is asked for, or a loader would wait for itself.
            drop(stretch);
            match self.queue.next() {
                Some(next) => stretch = next,
                None => return Ok(()),
            }
        }
    }

    /// Loads one stretch and demands that all of it arrived.
    fn stretch(&self, session: &mut dyn Session, stretch: &Stretch) -> Result<(), Failure> {
        let spec = self.spec;
        let table = &self.tables[stretch.table];
        let failed = |doing: &str, error| {
            sql_failure(Phase::Load, spec.running, spec.interrupt, doing, &error)
        };
        for statement in self.method.before {
            session.text(statement).map_err(|error| failed(&format!("`{statement}`"), error))?;
        }
        let columns: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        let into = BulkTable { table: &table.table, columns: &columns, method: self.method.bulk };
        let workload = &*spec.dataset.workload;
        let mut rows =
            Rows::new(workload, spec.seed, &table.table, stretch, self.progress, spec.interrupt);
        let outcome = session
            .bulk_load(&into, &mut rows)
            .map_err(|error| failed(&format!("loading {}", table.table), error))?;
        self.bytes.fetch_add(outcome.bytes, Ordering::Relaxed);
        // Ends the engine's bulk mode, which may find what the rows themselves did not show.
        for statement in self.method.after {
            session.text(statement).map_err(|error| failed(&format!("`{statement}`"), error))?;
        }
        if spec.interrupt.is_raised() {
            return Err(interrupted(Phase::Load));
        }
        arrived(&table.table, stretch, &outcome)
    }
}

/// All rows were taken and nothing was warned of. LOAD DATA LOCAL drops duplicates and shortens
/// values without an error, so anything less is a failed load.
fn arrived(table: &str, stretch: &Stretch, outcome: &BulkOutcome) -> Result<(), Failure> {
    let parts = match stretch.parts.as_slice() {
        [one] if one.part > 0 => format!(" (part {})", one.part),
        _ => String::new(),
    };
    let wrong = |message: String| Failure::new(Phase::Load, FailureKind::Check, message);
    if outcome.warnings > 0 {
        let texts = outcome.warning_texts.join("; ");
        return Err(wrong(format!("{table}{parts}: {} warnings: {texts}", outcome.warnings))
            .next_step(
                "the rows do not fit the table as it was made; compare its DDL with theirs",
            ));
    }
    let expected = stretch.rows();
    if outcome.sent != expected || outcome.taken != expected {
        return Err(wrong(format!(
            "{table}{parts}: {expected} rows expected, {} sent, {} taken by the server",
            outcome.sent, outcome.taken
        )));
    }
    Ok(())
}
