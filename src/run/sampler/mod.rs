//! What the server, the clients and the disk used in each phase, and what their counters said every
//! second.

mod counters;
mod machine;
mod seconds;

use super::pool::Boundary;
use super::schedule::{Schedule, Span};
use crate::engine::EngineSpec;
use crate::host::process::context_switches;
use crate::journal::record::{SampleColumn, SamplesRecord};
use crate::model::{CellKey, Signal, SignalKind};
use crate::target::Running;
use crate::target::session::{Dialect, Session, SqlError};
use crate::target::sizes::table_files;
use counters::ServerCounters;
use machine::Machine;
use seconds::{Seconds, Taken, Work, edges};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

/// The number under which the sampler connects, beside those of clients.
const SAMPLER: usize = usize::MAX - 1;

/// How long the server may take to tell its counters before it is no longer asked.
const SILENT: Duration = Duration::from_secs(60);

/// Takes a sample every second, and one at the beginning of every phase and at the end of the last.
pub(super) struct Sampler {
    machine: Machine,
    files: Option<Files>,
    boundaries: Vec<AtBoundary>,
    /// What the thread shall do, until the clients start.
    work: Option<Work>,
    thread: Option<seconds::Running>,
    seconds: Seconds,
}

/// What was seen when a phase began.
struct AtBoundary {
    values: BTreeMap<Signal, u64>,
    memory_peak: Option<u64>,
    /// Of the server's processes.
    context_switches: Option<u64>,
    /// Table files, bytes.
    size: Option<u64>,
}

/// Where the files of the tables lie.
struct Files {
    data_dir: PathBuf,
    spec: &'static EngineSpec,
    database: String,
}

impl Files {
    /// None when they cannot be seen.
    fn of(running: &dyn Running, spec: &'static EngineSpec, database: &str) -> Option<Self> {
        let data_dir = running.data_dirs().into_iter().next()?;
        let able = running.capabilities().files;
        able.then(|| Self { data_dir, spec, database: database.to_string() })
    }

    fn size(&self) -> Option<u64> {
        // Files that go while they are counted are the next count's business.
        table_files(&self.data_dir, self.spec, &self.database).ok().filter(|&bytes| bytes > 0)
    }
}

/// What was used between two moments; none where it cannot be known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Used {
    pub(super) server_cpu: Option<Duration>,
    pub(super) client_cpu: Option<Duration>,
    /// Bytes read from the device of the data.
    pub(super) device_read: Option<u64>,
    /// Bytes written to it.
    pub(super) device_written: Option<u64>,
    /// Flushes that it made.
    pub(super) device_flushes: Option<u64>,
    /// Context switches of the server's threads.
    pub(super) context_switches: Option<u64>,
    /// Syncs that the engine asked for, by its own count.
    pub(super) fsyncs: Option<u64>,
    /// Rows that statements changed, by the server's count.
    pub(super) rows_changed: Option<u64>,
    /// Rows that statements read, by the server's count.
    pub(super) rows_read: Option<u64>,
    /// Largest resident memory of the server up to the later moment, bytes.
    pub(super) memory_peak: Option<u64>,
    /// Table files at the later moment, bytes.
    pub(super) size: Option<u64>,
}

impl Sampler {
    /// Samples of this server. A server whose counters cannot be read is sampled without them, and
    /// the error says why.
    pub(super) fn of(
        running: &dyn Running,
        spec: &'static EngineSpec,
        database: &str,
        dialect: Dialect,
        schedule: &Schedule,
    ) -> Self {
        let machine = Machine::of(running);
        let files = Files::of(running, spec, database);
        let mut seconds = Seconds::default();
        let server = match dialect {
            Dialect::MySql => {
                connect(running, spec).map_err(|error| seconds.error = Some(error)).ok()
            }
            Dialect::Sqlite => None,
        };
        let work = Work {
            clock: running.clock(SAMPLER),
            machine: machine.clone(),
            server,
            edges: edges(schedule),
        };
        Self { machine, files, boundaries: Vec::new(), work: Some(work), thread: None, seconds }
    }

    /// The phases are over, perhaps `early`: waits for the last sample.
    pub(super) fn finish(&mut self, early: bool) {
        if let Some(thread) = self.thread.take() {
            let seconds = thread.finish(early);
            self.seconds.taken = seconds.taken;
            self.seconds.error = self.seconds.error.take().or(seconds.error);
        }
    }

    /// Why the server's counters are not known, or not to the end.
    pub(super) fn error(&self) -> Option<&SqlError> {
        self.seconds.error.as_ref()
    }

    /// The samples of a phase, for the journal.
    pub(super) fn samples(&self, cell: &CellKey, repetition: u32, span: &Span) -> SamplesRecord {
        let inside: Vec<&Taken> = self
            .seconds
            .taken
            .iter()
            .filter(|taken| (span.start..=span.end + LATE).contains(&taken.at))
            .collect();
        SamplesRecord {
            cell: cell.clone(),
            repetition,
            phase: span.phase,
            round: span.round,
            at_ms: inside
                .iter()
                .map(|taken| taken.at.saturating_sub(span.start).as_millis() as u64)
                .collect(),
            signals: columns(&inside),
        }
    }

    /// What was used in phase `span` of the schedule, of which `samples` are; none when its end was
    /// not seen.
    pub(super) fn used(&self, span: usize, samples: &SamplesRecord) -> Option<Used> {
        let (from, to) = (self.boundaries.get(span)?, self.boundaries.get(span + 1)?);
        let counted = |signal: Signal| {
            Some(to.values.get(&signal)?.saturating_sub(*from.values.get(&signal)?))
        };
        Some(Used {
            server_cpu: counted(Signal::ServerCpu).map(Duration::from_millis),
            client_cpu: counted(Signal::ClientCpu).map(Duration::from_millis),
            device_read: counted(Signal::DeviceRead),
            device_written: counted(Signal::DeviceWritten),
            device_flushes: counted(Signal::DeviceFlushes),
            context_switches: from
                .context_switches
                .zip(to.context_switches)
                .map(|(from, to)| to.saturating_sub(from)),
            fsyncs: samples.sum(Signal::Fsyncs),
            rows_changed: samples.sum(Signal::RowsChanged),
            rows_read: samples.sum(Signal::RowsRead),
            memory_peak: to.memory_peak,
            size: to.size,
        })
    }
}

/// How late the sample of a phase's end may be taken.
const LATE: Duration = Duration::from_millis(200);

fn connect(
    running: &dyn Running,
    spec: &EngineSpec,
) -> Result<(Box<dyn Session>, ServerCounters), SqlError> {
    let mut session = running.connect(SAMPLER)?;
    session.set_statement_limit(Some(SILENT))?;
    let counters = ServerCounters::choose(&mut *session, spec, running.variables())?;
    Ok((session, counters))
}

/// Samples as columns: levels as they stood, counters as increases.
fn columns(taken: &[&Taken]) -> Vec<SampleColumn> {
    let signals: BTreeSet<Signal> =
        taken.iter().flat_map(|taken| taken.values.keys().copied()).collect();
    signals
        .into_iter()
        .map(|signal| {
            let mut before = None;
            let values = taken
                .iter()
                .map(|taken| {
                    let now = taken.values.get(&signal).copied()?;
                    match signal.kind() {
                        SignalKind::Level => Some(now),
                        SignalKind::Counter => {
                            let increase = before.map_or(0, |before| now.saturating_sub(before));
                            before = Some(now);
                            Some(increase)
                        }
                    }
                })
                .collect();
            SampleColumn { name: signal.name().to_string(), values }
        })
        .collect()
}

impl Boundary for Sampler {
    fn reached(&mut self, span: usize) {
        debug_assert_eq!(span, self.boundaries.len(), "every phase begins once, in order");
        if let Some(work) = self.work.take() {
            // Without the thread there are figures all the same.
            self.thread = seconds::Running::start(work).ok();
        }
        let switches = || {
            let each = self.machine.server.iter().map(|&process| context_switches(process).ok());
            each.sum::<Option<u64>>().filter(|_| !self.machine.server.is_empty())
        };
        let context_switches = switches();
        self.boundaries.push(AtBoundary {
            values: self.machine.read(),
            memory_peak: self.machine.memory_peak(),
            context_switches,
            size: self.files.as_ref().and_then(Files::size),
        });
    }
}

impl Used {
    /// What two stretches used together; unknown when it is unknown of one.
    #[must_use]
    pub(super) fn and(self, other: Self) -> Self {
        let times = |a: Option<Duration>, b: Option<Duration>| Some(a? + b?);
        let counts = |a: Option<u64>, b: Option<u64>| Some(a? + b?);
        Self {
            server_cpu: times(self.server_cpu, other.server_cpu),
            client_cpu: times(self.client_cpu, other.client_cpu),
            device_read: counts(self.device_read, other.device_read),
            device_written: counts(self.device_written, other.device_written),
            device_flushes: counts(self.device_flushes, other.device_flushes),
            context_switches: counts(self.context_switches, other.context_switches),
            fsyncs: counts(self.fsyncs, other.fsyncs),
            rows_changed: counts(self.rows_changed, other.rows_changed),
            rows_read: counts(self.rows_read, other.rows_read),
            memory_peak: self.memory_peak.max(other.memory_peak),
            size: other.size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_kept_as_increases_and_levels_as_they_stood() {
        let taken = |values: &[(Signal, u64)]| Taken {
            at: Duration::ZERO,
            values: values.iter().copied().collect(),
        };
        let all = [
            taken(&[(Signal::PagesFlushed, 100), (Signal::RedoAge, 7)]),
            taken(&[(Signal::RedoAge, 9)]),
            taken(&[(Signal::PagesFlushed, 130), (Signal::RedoAge, 8)]),
        ];
        let columns = columns(&all.iter().collect::<Vec<_>>());
        let of = |signal: Signal| {
            columns.iter().find(|column| column.name == signal.name()).unwrap().values.clone()
        };
        assert_eq!(of(Signal::PagesFlushed), [Some(0), None, Some(30)]);
        assert_eq!(of(Signal::RedoAge), [Some(7), Some(9), Some(8)]);
    }
}
