//! One repetition of a cell: fresh copy, fresh server, probes, warm-up, rounds, check, stop.

use super::advice::advised;
use super::collectors::{CollectBoundary, Collected, beside};
use super::data_source::DataSource;
use super::external::Outputs;
use super::findings;
use super::measure::{Figures, figures};
use super::observer::{Event, Observer};
use super::open_loop;
use super::places::Instance;
use super::plans::Executed;
use super::pool::{Beat, PoolSpec, drive};
use super::sampler::Sampler;
use super::schedule::Schedule;
use super::server::{
    abandon, asked_at, control, session_setup, set_globals, set_session, start, stop,
};
use super::start_state::{self, Seen, StartBoundary};
use super::steady::Rule;
use super::variables;
use super::watch::{interrupted, sql_failure, watched};
use super::{RunSettings, external, preflight, probe, records};
use crate::host::interrupt::Interrupt;
use crate::host::page_cache::drop_caches;
use crate::journal::record::{
    CheckResult, DatasetRecord, PlansRecord, ProbeRecord, RepetitionRecord, SamplesRecord,
    ShareOfMaximum, WindowsRecord,
};
use crate::model::{
    Failure, FailureKind, Finding, FindingCode, Metric, MetricId, MetricValue, Phase,
};
use crate::plan::{self, Cell, Dataset, LoadPath, OsCache, Plan, Slot, StartState};
use crate::target::session::Session;
use crate::target::{OptionLine, Running, Target, TargetKind};
use crate::workload::{CheckMoment, Drive, Program};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What every step of a run has at hand.
#[derive(Clone, Copy)]
pub(super) struct Env<'a> {
    pub(super) plan: &'a Plan,
    pub(super) settings: &'a RunSettings<'a>,
    pub(super) observer: &'a dyn Observer,
}

impl Env<'_> {
    pub(super) fn phase(&self, phase: Phase) {
        self.observer.event(&Event::Phase { phase, round: 0, length: None });
    }
}

/// One repetition with what it is made of.
pub(super) struct Step<'a> {
    pub(super) env: Env<'a>,
    pub(super) slot: Slot,
    pub(super) cell: &'a Cell,
    pub(super) dataset: &'a Dataset,
    pub(super) target: &'a dyn Target,
    /// When its clients begin their transactions.
    pub(super) beat: &'a Beat,
    /// Where the rate of an open loop comes from.
    pub(super) share: Option<&'a ShareOfMaximum>,
    /// Whether its probes are made and collectors run beside it.
    pub(super) whole: bool,
    /// Where its data come from.
    pub(super) data: DataSource<'a>,
}

/// A server as it was found running.
pub(super) struct SeenServer {
    pub(super) version: (String, String),
    pub(super) variables: BTreeMap<String, String>,
}

/// Everything that came of a repetition.
pub(super) struct Made {
    pub(super) record: RepetitionRecord,
    pub(super) windows: Vec<WindowsRecord>,
    pub(super) samples: Vec<SamplesRecord>,
    pub(super) plans: Option<PlansRecord>,
    pub(super) probes: Vec<ProbeRecord>,
    /// What it loaded itself.
    pub(super) dataset: Option<DatasetRecord>,
    pub(super) server: Option<SeenServer>,
    pub(super) findings: Vec<Finding>,
    /// What broke after the figures were complete; they stand.
    pub(super) afterwards: Vec<Failure>,
    pub(super) headline: Option<MetricValue>,
    /// What outside tools wrote.
    pub(super) outputs: Outputs,
    /// What collectors said.
    pub(super) collected: Vec<Collected>,
}

impl Step<'_> {
    /// Final options of the cell's server start.
    pub(super) fn options(&self) -> Vec<OptionLine> {
        self.cell.options.iter().map(|option| option.line.clone()).collect()
    }

    fn has_probes(&self) -> bool {
        self.whole && !self.env.plan.probes.is_empty()
    }

    fn interrupt(&self) -> &Interrupt {
        &self.env.settings.interrupt
    }

    /// The seed of this repetition, the same for all sides of a pair.
    fn seed(&self) -> u64 {
        self.env.plan.seed.wrapping_add(u64::from(self.slot.repetition) << 32)
    }
}

/// Makes a repetition. Whatever breaks is in its record.
pub(super) fn make(step: &Step<'_>) -> Made {
    let began = Instant::now();
    let mut made = Made {
        record: RepetitionRecord {
            cell: step.cell.key.clone(),
            repetition: step.slot.repetition,
            order: step.slot.order,
            at: records::now(),
            elapsed_ms: 0,
            rounds: Vec::new(),
            metrics: Vec::new(),
            checks: Vec::new(),
            clients: step.cell.clients,
            resident_before_start: None,
            resident_before_measure: None,
            variables: BTreeMap::new(),
            open: None,
            failure: None,
        },
        windows: Vec::new(),
        samples: Vec::new(),
        plans: None,
        probes: Vec::new(),
        dataset: None,
        server: None,
        findings: Vec::new(),
        afterwards: Vec::new(),
        outputs: Vec::new(),
        collected: Vec::new(),
        headline: None,
    };
    if let Err(failure) = phases(step, &mut made) {
        let failure = if step.interrupt().is_raised() {
            interrupted(failure.phase)
        } else {
            advised(asked_at(failure, Some(&step.cell.place)))
        };
        // A repetition that failed has no number, however far it came.
        made.record.rounds.clear();
        made.record.metrics.clear();
        made.record.open = None;
        made.windows.clear();
        made.headline = None;
        if step.interrupt().is_raised() {
            // Whatever a killed server had to say is a consequence.
            made.afterwards.clear();
        }
        made.record.failure = Some(failure);
    }
    made.record.elapsed_ms = began.elapsed().as_millis() as u64;
    made
}

fn phases(step: &Step<'_>, made: &mut Made) -> Result<(), Failure> {
    let label = format!("{}-{}", step.cell.engine, step.slot.order);
    let instance = Instance::new(step.env.settings.work, &label, Phase::Restore)?;
    if step.data.has_copies() && step.has_probes() {
        step.env.phase(Phase::Probe);
        let probed = Instance::new(step.env.settings.work, &label, Phase::Probe)?;
        step.data.prepare(step, &probed)?;
        made.probes = probe::probes(step, &probed, &mut made.findings);
        close(probed, &mut made.findings);
    }
    step.env.phase(step.data.phase());
    made.record.resident_before_start = step.data.prepare(step, &instance)?;
    drop_os_cache(step, made);
    if step.interrupt().is_raised() {
        return Err(interrupted(Phase::Restore));
    }
    if step.cell.start == Some(StartState::Warm) {
        made.record.resident_before_start = Some(start_state::warm(&instance.data_dir())?);
    } else if let Some(resident) = made.record.resident_before_start {
        made.findings.extend(findings::not_cold(&step.cell.key, resident));
    }
    step.env.phase(Phase::Start);
    let running =
        start(step.target, &instance, step.options(), step.cell.spec.storage, step.interrupt())?;
    if let Err(failure) = watched(&*running, step.interrupt(), step.env.settings.patience, || {
        serve(step, &*running, made)
    }) {
        abandon(running);
        close(instance, &mut made.findings);
        return Err(failure);
    }
    let restart = running.capabilities().restart;
    if restart {
        add(&mut made.record.metrics, Metric::StartTime, running.start_time());
    }
    step.env.phase(Phase::Stop);
    match stop(running) {
        Ok(report) if restart => {
            add(&mut made.record.metrics, Metric::StopTime, report.elapsed);
        }
        Ok(_) => {}
        // Its figures were complete before.
        Err(failure) => made.afterwards.push(asked_at(failure, Some(&step.cell.place))),
    }
    if !step.data.has_copies() && restart && step.has_probes() {
        step.env.phase(Phase::Probe);
        made.probes = probe::probes(step, &instance, &mut made.findings);
    }
    for probe in made.probes.iter().filter(|probe| probe.failure.is_none()) {
        let id = MetricId::of(Metric::ProbeTime, &probe.probe);
        made.record.metrics.push(MetricValue { id, value: probe.elapsed_ns as f64 / 1e9 });
    }
    close(instance, &mut made.findings);
    if step.interrupt().is_raised() {
        return Err(interrupted(Phase::Stop));
    }
    Ok(())
}

fn add(metrics: &mut Vec<MetricValue>, metric: Metric, time: Duration) {
    metrics.push(MetricValue { id: MetricId::whole(metric), value: time.as_secs_f64() });
}

pub(super) fn close(instance: Instance, findings: &mut Vec<Finding>) {
    if let Err(error) = instance.close() {
        findings.push(Finding::new(FindingCode::LeftBehind, error.to_string()));
    }
}

fn drop_os_cache(step: &Step<'_>, made: &mut Made) {
    // Before the load of a server that runs already there is nothing to drop; the cell says so.
    if step.cell.os_cache == OsCache::Drop
        && step.target.describe().kind != TargetKind::Remote
        && let Err(error) = drop_caches()
    {
        made.findings.push(Finding::new(FindingCode::CachesNotDropped, error.to_string()));
    }
}

/// Everything between start and stop.
fn serve(step: &Step<'_>, running: &dyn Running, made: &mut Made) -> Result<(), Failure> {
    let mut control = control(running, step.interrupt(), Phase::Start)?;
    made.record.variables = variables::of_cell(running.variables(), step.cell);
    made.record.variables.extend(variables::seen(running, &mut *control));
    made.server =
        Some(SeenServer { version: running.version(), variables: running.variables().clone() });
    let cold_probes = step.env.plan.probes.iter().any(|probe| probe.cold);
    made.findings.extend(findings::not_ours(
        step.cell,
        step.dataset.source,
        cold_probes,
        running.capabilities(),
    ));
    preflight::server(step.cell, running)?;
    made.dataset = step.data.bring(step, running, &mut *control, &mut made.outputs)?;
    let taken = set_globals(running, &mut *control, &step.cell.set_global, step.interrupt())?;
    made.record.variables.extend(taken);
    let setup = session_setup(control.dialect(), &step.dataset.database, step.cell);
    let lines = &step.cell.set_session;
    let taken = set_session(running, &mut *control, &setup, lines, step.interrupt())?;
    made.record.variables.extend(taken);
    let figures = work(step, running, &mut *control, &setup, made)?;
    made.findings.extend(findings::of_figures(
        step.cell,
        &figures,
        step.env.settings.machine.cores,
    ));
    if !running.capabilities().restart && step.has_probes() {
        step.env.phase(Phase::Probe);
        made.probes = probe::on_running(step, running);
    }
    made.findings.extend(
        made.record.open.as_ref().and_then(|open| findings::saturated(&step.cell.key, open)),
    );
    made.headline = figures.headline;
    made.record.rounds = figures.rounds;
    made.record.metrics = figures.metrics;
    made.windows = figures.windows;
    made.samples = figures.samples;
    Ok(())
}

/// Warm-up, rounds, check.
fn work(
    step: &Step<'_>,
    running: &dyn Running,
    control: &mut dyn Session,
    setup: &[String],
    made: &mut Made,
) -> Result<Figures, Failure> {
    let workload = &*step.cell.workload;
    let factory = match workload.drive(control.dialect()) {
        Drive::Clients(factory) => factory,
        Drive::Program(program) => return by_tool(step, running, control, &program, made),
    };
    let before = growth_before(step, running, control)?;
    let steady = step.cell.steady.map(|tolerance| Rule {
        tolerance,
        last: step.cell.count_last.map(|last| last.as_secs().max(1) as u32),
    });
    // What of a phase counts that ends by itself is known at its end.
    let last = step.cell.count_last.filter(|_| steady.is_none());
    let schedule = Schedule::new(step.cell.warmup, step.cell.measure, step.cell.rounds, last);
    factory.begin_repetition(step.seed());
    let seen = Executed::default();
    let database = &step.dataset.database;
    let dialect = control.dialect();
    let by_itself = steady.is_some();
    let mut sampler = Sampler::of(running, step.cell.spec, database, dialect, &schedule, by_itself);
    let mut begin = StartBoundary::of(step.cell.start, running, &schedule, &mut sampler);
    let result = beside(step, made, |collectors, _| {
        drive(
            &PoolSpec {
                running,
                factory: &*factory,
                types: workload.transaction_types(),
                clients: step.cell.clients as usize,
                transactional: step.cell.spec.transactional,
                beat: step.beat,
                session_setup: setup,
                schedule: &schedule,
                steady,
                requests: step.cell.requests,
                seed: step.seed(),
                interrupt: step.interrupt(),
                patience: step.env.settings.patience,
                observer: step.env.observer,
                seen: &seen,
            },
            &mut CollectBoundary::of(&schedule, collectors, &mut begin),
        )
    })?;
    let Seen { resident, not_dropped } = begin.seen;
    made.record.resident_before_measure = resident;
    if let Some(why) = not_dropped {
        made.findings.push(Finding::new(FindingCode::CachesNotDropped, why));
    }
    sampler.finish(result.ended_early());
    let schedule = result.ended.map_or_else(|| schedule.clone(), |at| schedule.ended_at(at));
    made.findings.extend(findings::not_sampled(&step.cell.key, sampler.error()));
    let statements = seen.explained(control);
    made.plans = (!statements.is_empty()).then(|| PlansRecord {
        cell: step.cell.key.clone(),
        repetition: step.slot.repetition,
        statements,
    });
    check(step, running, control, result.committed.clone(), before, made)?;
    let clients = step.cell.clients;
    made.record.open =
        open_loop::record(step.beat, step.share.cloned(), clients, &schedule, &result);
    let row_bytes = step.data.record().or(made.dataset.as_ref()).and_then(row_bytes);
    figures(step.cell, step.slot.repetition, &schedule, &result, &sampler, row_bytes)
}

/// Mean length of the dataset's rows as text; none for datasets of earlier releases.
fn row_bytes(dataset: &DatasetRecord) -> Option<f64> {
    let text = dataset.metrics.iter().find(|value| value.id.metric == Metric::RowBytes)?.value;
    let rows: u64 = dataset.rows.values().sum();
    (rows > 0 && text > 0.0).then(|| text / rows as f64)
}

/// Counters whose growth will be checked.
fn growth_before(
    step: &Step<'_>,
    running: &dyn Running,
    control: &mut dyn Session,
) -> Result<BTreeMap<String, i64>, Failure> {
    // Data that are used again are as the last run left them, and a tool's rows are not ours.
    let own_rows = !matches!(step.dataset.load.path, LoadPath::External(_));
    let as_loaded = step.dataset.source != plan::DataSource::Reuse && own_rows;
    let loaded = as_loaded.then_some(step.env.plan.seed);
    step.cell.workload.growth_counters(loaded, control).map_err(|error| {
        sql_failure(Phase::WarmUp, running, step.interrupt(), "reading growth counters", &error)
    })
}

/// Warm-up and rounds by an outside tool, check.
fn by_tool(
    step: &Step<'_>,
    running: &dyn Running,
    control: &mut dyn Session,
    program: &Program,
    made: &mut Made,
) -> Result<Figures, Failure> {
    if let Some(failure) = external::refused(step.cell, running) {
        return Err(failure);
    }
    let workload = &*step.cell.workload;
    let before = growth_before(step, running, control)?;
    let figures = beside(step, made, |collectors, made| {
        external::measure(step, running, program, collectors, made)
    })?;
    let committed = vec![0; workload.transaction_types().len()];
    check(step, running, control, committed, before, made)?;
    Ok(figures)
}

/// Checks the data. On an engine without transactions what is violated is told and does not gate.
fn check(
    step: &Step<'_>,
    running: &dyn Running,
    control: &mut dyn Session,
    committed: Vec<u64>,
    before: BTreeMap<String, i64>,
    made: &mut Made,
) -> Result<(), Failure> {
    step.env.phase(Phase::Check);
    let moment = CheckMoment::AfterRepetition {
        committed,
        before,
        // An attempt of unknown outcome ends a repetition before it is checked.
        uncertain: 0,
    };
    let checked = step.cell.workload.check(control, &moment).map_err(|error| {
        sql_failure(Phase::Check, running, step.interrupt(), "checking the data", &error)
    })?;
    let gate = step.cell.spec.transactional;
    made.record.checks = checked
        .into_iter()
        .map(|one| CheckResult {
            tolerated: one.tolerated || !gate,
            name: one.name,
            violations: one.violations,
            detail: one.detail,
        })
        .collect();
    violated(&made.record.checks, Phase::Check).map_or(Ok(()), Err)
}

/// The failure of the first condition that is violated and not tolerated.
pub(super) fn violated(checks: &[CheckResult], phase: Phase) -> Option<Failure> {
    let bad: Vec<&CheckResult> =
        checks.iter().filter(|check| check.violations > 0 && !check.tolerated).collect();
    let first = bad.first()?;
    let detail =
        if first.detail.is_empty() { String::new() } else { format!(" ({})", first.detail) };
    let more = match bad.len() - 1 {
        0 => String::new(),
        more => format!(", and {more} more conditions"),
    };
    let message = format!("{} is violated by {} rows{detail}{more}", first.name, first.violations);
    Some(Failure::new(phase, FailureKind::Check, message))
}
