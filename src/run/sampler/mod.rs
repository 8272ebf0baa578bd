//! What the server, the clients and the disk used in each phase, and what their counters said every
//! second.

mod counters;
mod machine;
mod seconds;

use super::pool::Boundary;
use super::schedule::{Schedule, Span};
use crate::engine::EngineSpec;
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
    /// the error says why. Where the last phase `ends_by_itself`, what of it counts is known at its
    /// end, so that context switches are read every second, too: that costs a file a thread.
    pub(super) fn of(
        running: &dyn Running,
        spec: &'static EngineSpec,
        database: &str,
        dialect: Dialect,
        schedule: &Schedule,
        ends_by_itself: bool,
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
            switches: ends_by_itself,
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
    pub(super) fn samples(
        &self,
        cell: &CellKey,
        repetition: u32,
        span: &Span,
        counted: bool,
    ) -> SamplesRecord {
        let inside = self.inside(span);
        SamplesRecord {
            cell: cell.clone(),
            repetition,
            phase: span.phase,
            round: span.round,
            counted,
            at_ms: inside
                .iter()
                .map(|taken| taken.at.saturating_sub(span.start).as_millis() as u64)
                .collect(),
            signals: columns(&inside),
        }
    }

    fn inside(&self, span: &Span) -> Vec<&Taken> {
        let within = |taken: &&Taken| (span.start..=span.end + LATE).contains(&taken.at);
        self.seconds.taken.iter().filter(within).collect()
    }

    /// What was used in a part of a phase whose place was not known before, of which `samples` are:
    /// by the samples at its first and last edge. None without them.
    pub(super) fn used_within(&self, part: &Span, samples: &SamplesRecord) -> Option<Used> {
        let inside = self.inside(part);
        let (from, to) = (inside.first()?, inside.last()?);
        let at_edges = from.at <= part.start + LATE && to.at >= part.end;
        at_edges.then(|| {
            used(
                (&from.values, &to.values),
                (from.context_switches, to.context_switches),
                samples,
                self.boundaries.last(),
            )
        })
    }

    /// What was used in phase `span` of the schedule, of which `samples` are; none when its end was
    /// not seen.
    pub(super) fn used(&self, span: usize, samples: &SamplesRecord) -> Option<Used> {
        let (from, to) = (self.boundaries.get(span)?, self.boundaries.get(span + 1)?);
        Some(used(
            (&from.values, &to.values),
            (from.context_switches, to.context_switches),
            samples,
            Some(to),
        ))
    }
}

/// What was used between two moments: counters as they stood at both, context switches of the
/// server likewise, the samples between them, and what was seen when the later had come.
fn used(
    (from, to): (&BTreeMap<Signal, u64>, &BTreeMap<Signal, u64>),
    switches: (Option<u64>, Option<u64>),
    samples: &SamplesRecord,
    end: Option<&AtBoundary>,
) -> Used {
    let counted = |signal: Signal| Some(to.get(&signal)?.saturating_sub(*from.get(&signal)?));
    Used {
        server_cpu: counted(Signal::ServerCpu).map(Duration::from_millis),
        client_cpu: counted(Signal::ClientCpu).map(Duration::from_millis),
        device_read: counted(Signal::DeviceRead),
        device_written: counted(Signal::DeviceWritten),
        device_flushes: counted(Signal::DeviceFlushes),
        context_switches: switches.0.zip(switches.1).map(|(from, to)| to.saturating_sub(from)),
        fsyncs: samples.sum(Signal::Fsyncs),
        rows_changed: samples.sum(Signal::RowsChanged),
        rows_read: samples.sum(Signal::RowsRead),
        memory_peak: end.and_then(|end| end.memory_peak),
        size: end.and_then(|end| end.size),
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
        let context_switches = self.machine.context_switches();
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
            context_switches: None,
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

    #[test]
    fn what_a_part_of_a_phase_used_is_what_came_between_its_edges() {
        let seconds = Duration::from_secs;
        let taken = |at: u64| Taken {
            at: seconds(at) + Duration::from_millis(3),
            // The first four seconds cost ten times as much as those that follow.
            values: [
                (Signal::ServerCpu, if at < 4 { at * 1000 } else { 3600 + at * 100 }),
                (Signal::Fsyncs, if at < 4 { at * 50 } else { 180 + at * 5 }),
            ]
            .into(),
            context_switches: Some(at * 10),
        };
        let sampler = |every: u64| Sampler {
            machine: Machine::nothing(),
            files: None,
            boundaries: Vec::new(),
            work: None,
            thread: None,
            seconds: Seconds {
                taken: (0..=8).filter(|at| at % every == 0).map(taken).collect(),
                error: None,
            },
        };
        let part = Span {
            phase: crate::model::Phase::Measure,
            round: 1,
            counted: true,
            start: seconds(4),
            end: seconds(8),
        };
        let used = |every: u64| {
            let sampler = sampler(every);
            let samples =
                sampler.samples(&CellKey::from_pairs([("engine", "innodb")]), 1, &part, true);
            sampler.used_within(&part, &samples)
        };
        let known = used(1).expect("both edges were sampled");
        assert_eq!(known.server_cpu, Some(Duration::from_millis(400)));
        assert_eq!((known.fsyncs, known.context_switches), (Some(20), Some(40)));
        assert_eq!(used(3), None, "neither edge was sampled");
    }

    /// A machine after so many seconds in which another process had one of four processors, a tenth
    /// was stolen, pages were swapped, and the device was busy all the time and slower from the
    /// sixth second on.
    fn busy_machine(root: &std::path::Path, second: u64) {
        let write = |path: &str, text: String| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let ticks = rustix::param::clock_ticks_per_second() * second;
        let process = |user: u64| format!("1 (p) S 1 1 1 0 -1 0 1 0 0 0 {user} 0 0 0 20 0 1 0 1\n");
        write("proc/42/stat", process(ticks));
        write("proc/42/status", "VmRSS:\t 8 kB\nVmHWM:\t 9 kB\n".to_string());
        write("proc/self/stat", process(ticks / 2));
        write("proc/self/status", String::new());
        // user nice system idle iowait irq softirq steal
        let (busy, steal) = (ticks * 5 / 2, ticks * 2 / 5);
        write("proc/stat", format!("cpu  {busy} 0 0 0 0 0 0 {steal}\nctxt 5\n"));
        write("proc/vmstat", format!("pswpin {}\npswpout 0\n", second * 100));
        let sectors = if second < 6 { second * 20_000 } else { 120_000 + (second - 6) * 2_000 };
        let busy_ms = second * 1000;
        write("proc/diskstats", format!(" 8 0 sda 0 0 0 0 1 0 {sectors} 0 0 {busy_ms} 0\n"));
    }

    #[test]
    fn what_a_machine_did_to_a_measured_phase_is_told_from_its_proc() {
        let root = tempfile::tempdir().unwrap();
        let machine = Machine::below(root.path(), 42, (8, 0));
        let taken = (0..=12)
            .map(|second| {
                busy_machine(root.path(), second);
                let at = Duration::from_secs(second);
                Taken { at, values: machine.read(), context_switches: None }
            })
            .collect();
        let sampler = Sampler {
            machine,
            files: None,
            boundaries: Vec::new(),
            work: None,
            thread: None,
            seconds: Seconds { taken, error: None },
        };
        let span = Span {
            phase: crate::model::Phase::Measure,
            round: 1,
            counted: true,
            start: Duration::ZERO,
            end: Duration::from_secs(12),
        };
        let cell = CellKey::from_pairs([("engine", "innodb")]);
        let samples = sampler.samples(&cell, 1, &span, true);
        let found = crate::run::findings::phase::of_samples(&cell, &[samples], 4, 1000);
        let said: Vec<String> =
            found.iter().map(|one| format!("{} {}", one.code.code(), one.seen)).collect();
        assert_eq!(
            said,
            [
                "F015 10.0 % of the processor time was stolen by the hypervisor; other processes \
                 used 1.0 of 4 processors",
                "F014 1,200 pages were swapped in or out",
                "F028 the device was busy 100 % of the time and moved 5.4 MiB/s; from 9.8 MiB/s in \
                 the first third to 1000.0 KiB/s in the last: it may be throttled",
            ]
        );
    }
}
