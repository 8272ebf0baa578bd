//! The order of a run: what the plan knows, datasets, maxima, repetitions lap by lap, the end.

mod datasets;
mod disk;
mod maximum;

use super::collectors::Collected;
use super::external::Outputs;
use super::findings::{self, Said};
use super::left::TimeLeft;
use super::maxima::Maxima;
use super::observer::{Event, Observer};
use super::places::Stored;
use super::preflight;
use super::repetition::{self, Env, Made, SeenServer, Step};
use super::server::asked_at;
use super::{RunError, RunOutcome, RunSettings, TargetSource, records, variables};
use crate::journal::record::{
    DiskMoment, DiskTestRecord, EndRecord, FailedRecord, Record, RepetitionRecord, ResumedRecord,
    ServerRecord,
};
use crate::journal::{Done, Writer};
use crate::model::units::human_seconds;
use crate::model::{CellKey, Failure, FailureKind, Finding, FindingCode, Phase};
use crate::plan::{MaximumSlot, Plan, Slot, order};
use crate::target::Target;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is known of a dataset.
enum State {
    /// Nothing yet.
    Waiting,
    /// Loaded, or found in the store.
    Ready { stored: Box<Stored>, bytes: u64, made_here: bool },
    /// It cannot be had.
    Lost,
}

/// A run while it goes on.
pub(super) struct Sequence<'a> {
    env: Env<'a>,
    targets: &'a dyn TargetSource,
    journal: &'a mut Writer,
    /// Servers that were asked for.
    opened: BTreeMap<usize, Result<Arc<dyn Target>, Failure>>,
    /// Servers whose own words are in the journal.
    told: BTreeSet<usize>,
    said: Said,
    datasets: Vec<State>,
    lost: BTreeSet<usize>,
    maxima: Maxima,
    /// The disk test that was made last.
    disk: Option<DiskTestRecord>,
    left: TimeLeft,
    outcome: RunOutcome,
}

impl<'a> Sequence<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        targets: &'a dyn TargetSource,
        settings: &'a RunSettings<'a>,
        journal: &'a mut Writer,
        observer: &'a dyn Observer,
    ) -> Self {
        Self {
            env: Env { plan, settings, observer },
            targets,
            journal,
            opened: BTreeMap::new(),
            told: BTreeSet::new(),
            said: Said::default(),
            datasets: plan.datasets.iter().map(|_| State::Waiting).collect(),
            lost: BTreeSet::new(),
            maxima: Maxima::default(),
            disk: None,
            left: TimeLeft::of(plan, 0, &[]),
            outcome: RunOutcome::default(),
        }
    }

    pub(super) fn run(mut self) -> Result<RunOutcome, RunError> {
        let (plan, settings) = (self.env.plan, self.env.settings);
        let began = Instant::now();
        let done = settings.done.clone().unwrap_or_default();
        let mut slots = order(plan);
        slots.retain(|slot| {
            let before = done.outcome(&plan.cells[slot.cell].key, slot.repetition);
            match before {
                Some(true) => self.outcome.finished += 1,
                Some(false) => self.outcome.failed += 1,
                None => {}
            }
            before.is_none()
        });
        let loads = self.loads(&done, &slots);
        let maxima = self.maxima(&done, &slots);
        let first = |maximum: &MaximumSlot| Slot { order: 0, repetition: 0, cell: maximum.cell };
        let measured: Vec<Slot> = maxima.iter().map(first).chain(slots.iter().copied()).collect();
        self.left = TimeLeft::of(plan, loads.len() as u32, &measured);
        self.begin(&done)?;
        self.env.observer.event(&Event::RunStarts {
            loads: loads.len() as u32,
            repetitions: slots.len() as u32,
            estimate: self.left.estimate(),
        });
        self.look_ahead()?;
        // A run resumed at its very end measures nothing that a disk could explain.
        let idle = loads.is_empty() && measured.is_empty();
        if !idle {
            self.test_disk(DiskMoment::Before)?;
        }
        for (at, &(dataset, load)) in loads.iter().enumerate() {
            if self.interrupted() {
                break;
            }
            self.load(dataset, load, at as u32 + 1, loads.len() as u32)?;
        }
        for (at, slot) in maxima.iter().enumerate() {
            if self.interrupted() {
                break;
            }
            if !self.lost.contains(&slot.cell) {
                self.maximum(slot, at as u32 + 1, maxima.len() as u32)?;
            }
        }
        let mut lap = None;
        for (at, slot) in slots.iter().enumerate() {
            if self.interrupted() {
                break;
            }
            if lap.replace(slot.repetition) != Some(slot.repetition) && at > 0 {
                let next: Vec<Slot> = slots[at..]
                    .iter()
                    .copied()
                    .take_while(|next| next.repetition == slot.repetition)
                    .collect();
                if self.is_over(began.elapsed() + self.left.of_slots(plan, &next)) {
                    let laps = slot.repetition - 1;
                    self.out_of_budget(laps)?;
                    break;
                }
            }
            if !self.lost.contains(&slot.cell) {
                self.repetition(*slot, at as u32 + 1, slots.len() as u32)?;
            }
        }
        if !idle {
            self.test_disk(DiskMoment::After)?;
        }
        self.end()
    }

    /// Whether something that ends so long after the start of the run ends too late.
    fn is_over(&self, end: Duration) -> bool {
        self.env.settings.budget.is_some_and(|budget| end > budget)
    }

    fn out_of_budget(&mut self, laps: u32) -> Result<(), RunError> {
        self.outcome.out_of_budget = true;
        let budget = self.env.settings.budget.unwrap_or_default();
        let seen = format!(
            "{laps} of {} laps in {}",
            self.env.plan.repeat,
            human_seconds(budget.as_secs_f64())
        );
        self.find(Finding::new(FindingCode::BudgetUsed, seen))
    }

    fn interrupted(&self) -> bool {
        self.env.settings.interrupt.is_raised()
    }

    fn write(&mut self, record: Record) -> Result<(), RunError> {
        Ok(self.journal.write(&record)?)
    }

    /// A finding is told and written the first time it is made.
    fn find(&mut self, finding: Finding) -> Result<(), RunError> {
        let before = self.env.settings.done.as_ref().is_some_and(|done| done.said(&finding));
        if self.said.is_new(&finding) && !before {
            self.env.observer.event(&Event::Finding(&finding));
            self.write(Record::Finding(finding))?;
        }
        Ok(())
    }

    /// What is known before anything starts.
    fn begin(&mut self, done: &Done) -> Result<(), RunError> {
        let (plan, settings) = (self.env.plan, self.env.settings);
        let resumed = settings.done.is_some();
        if resumed {
            self.write(Record::Resumed(ResumedRecord {
                at: records::now(),
                tool: env!("CARGO_PKG_VERSION").to_string(),
                again: done.again.clone(),
            }))?;
        }
        if !resumed || done.rewritten {
            self.write(Record::Run(records::run(plan, settings)))?;
            self.write(Record::Machine(settings.machine.clone()))?;
            self.write(Record::Plan(records::plan(plan)))?;
            if let Some(calibration) = &settings.calibration {
                self.write(Record::Calibration(calibration.clone()))?;
            }
        }
        for finding in findings::of_plan(plan, &settings.machine) {
            self.find(finding)?;
        }
        self.tell_unavailable()?;
        Ok(self.journal.sync()?)
    }

    /// Cells that the plan knows to be out of reach, those with one reason together.
    fn tell_unavailable(&mut self) -> Result<(), RunError> {
        let mut by_reason: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
        for (index, cell) in self.env.plan.cells.iter().enumerate() {
            if let Some(why) = &cell.unavailable {
                by_reason
                    .entry((why.reason.clone(), why.how_to_get.clone()))
                    .or_default()
                    .push(index);
            }
        }
        for ((reason, how_to_get), cells) in by_reason {
            let first = &self.env.plan.cells[cells[0]];
            let kind =
                first.unavailable.as_ref().map_or(FailureKind::EngineMissing, |why| why.kind);
            let mut failure = Failure::new(Phase::Start, kind, reason).at(first.place.clone());
            if !how_to_get.is_empty() {
                failure = failure.next_step(how_to_get);
            }
            self.lose(&cells, failure)?;
        }
        Ok(())
    }

    /// What would stop the run later costs its cells now.
    fn look_ahead(&mut self) -> Result<(), RunError> {
        let Err(failure) = preflight::machine(self.env.plan, self.env.settings.work) else {
            return Ok(());
        };
        let left: Vec<usize> =
            (0..self.env.plan.cells.len()).filter(|cell| !self.lost.contains(cell)).collect();
        if left.is_empty() {
            return Ok(());
        }
        self.lose(&left, failure)?;
        self.datasets.iter_mut().for_each(|state| *state = State::Lost);
        Ok(())
    }

    /// Keeps what tools wrote beside the journal: `tool-ORDER-ROUND.txt`.
    fn keep_outputs(&mut self, of: &str, outputs: &Outputs) -> Result<(), RunError> {
        for (what, output) in outputs {
            let path = self.journal.path().with_file_name(format!("tool-{of}-{what}.txt"));
            if let Err(error) = std::fs::write(&path, output) {
                let seen = format!("{}: {error}", path.display());
                self.find(Finding::new(FindingCode::OutputNotKept, seen))?;
            }
        }
        Ok(())
    }

    /// Keeps what a collector said in a folder beside the journal, and names it in the journal.
    fn keep_collected(
        &mut self,
        record: &RepetitionRecord,
        said: &Collected,
    ) -> Result<(), RunError> {
        let run = self.journal.path().with_file_name("");
        match said.keep(&run, &record.cell, record.repetition, record.order) {
            Ok(Some(kept)) => self.write(Record::Collected(kept)),
            Ok(None) => Ok(()),
            Err(error) => {
                let seen = format!("{}: {error}", run.display());
                self.find(Finding::new(FindingCode::NotCollected, seen))
            }
        }
    }

    /// Cells will have no numbers.
    fn lose(&mut self, cells: &[usize], failure: Failure) -> Result<(), RunError> {
        self.lost.extend(cells);
        self.outcome.lost_cells = self.lost.len() as u32;
        let keys: Vec<CellKey> =
            cells.iter().map(|&cell| self.env.plan.cells[cell].key.clone()).collect();
        self.env.observer.event(&Event::CellsLost { cells: &keys, failure: &failure });
        let known = |finding: &Finding| {
            finding.code == FindingCode::NotAvailable && finding.seen.contains(&failure.message)
        };
        if matches!(failure.kind, FailureKind::EngineMissing | FailureKind::ServerMissing)
            && !self.env.plan.findings.iter().any(known)
        {
            let named: BTreeSet<&str> =
                cells.iter().map(|&cell| self.env.plan.cells[cell].engine.as_str()).collect();
            let named: Vec<&str> = named.into_iter().collect();
            let seen = format!("{}: {}", named.join(", "), failure.message);
            // Each engine's reason is said, so the first cell tells them apart.
            self.find(Finding::new(FindingCode::NotAvailable, seen).of(keys[0].clone()))?;
        }
        self.write(Record::Failed(FailedRecord { cells: keys, failure }))?;
        Ok(self.journal.sync()?)
    }

    fn target(&mut self, server: usize) -> Result<Arc<dyn Target>, Failure> {
        let targets = self.targets;
        self.opened.entry(server).or_insert_with(|| targets.target(server)).clone()
    }

    /// What a server says of itself, once.
    fn tell_server(&mut self, server: usize, seen: SeenServer) -> Result<(), RunError> {
        if !self.told.insert(server) {
            return Ok(());
        }
        let plan = self.env.plan;
        let engines: Vec<_> =
            plan.cells.iter().filter(|cell| cell.server == server).map(|cell| cell.spec).collect();
        let family = plan.servers[server]
            .description
            .as_ref()
            .map_or_else(String::new, |description| description.family.clone());
        self.write(Record::Server(ServerRecord {
            name: plan.servers[server].name.clone(),
            family,
            version: seen.version.0,
            build: seen.version.1,
            variables: variables::of_server(&seen.variables, &engines),
        }))
    }

    fn repetition(&mut self, slot: Slot, at: u32, of: u32) -> Result<(), RunError> {
        let plan = self.env.plan;
        let cell = &plan.cells[slot.cell];
        let dataset = &plan.datasets[cell.dataset];
        let target = match self.target(cell.server) {
            Ok(target) => target,
            Err(failure) => {
                let failure = asked_at(failure, Some(&cell.place));
                return self.lose(&[slot.cell], failure);
            }
        };
        let (beat, share) = match self.maxima.beat(plan, cell) {
            Ok(beat) => beat,
            Err(failure) => return self.lose(&[slot.cell], failure.at(cell.place.clone())),
        };
        let stored = match &self.datasets[cell.dataset] {
            State::Ready { stored, bytes, .. } => {
                let finding = findings::fits_in_cache(cell, *bytes);
                let stored = stored.clone();
                if let Some(finding) = finding {
                    self.find(finding)?;
                }
                Some(stored)
            }
            State::Waiting | State::Lost => None,
        };
        let data = self.data_source(cell.dataset, stored.as_deref());
        self.env.observer.event(&Event::RepetitionStarts {
            at,
            of,
            cell: &cell.key,
            repetition: slot.repetition,
        });
        let began = Instant::now();
        let made = repetition::make(&Step {
            env: self.env,
            slot,
            cell,
            dataset,
            target: &*target,
            beat: &beat,
            share: share.as_ref(),
            whole: true,
            data,
        });
        self.left.repetition_done(cell, began.elapsed());
        self.env.observer.event(&Event::RepetitionEnds {
            headline: made.headline.as_ref(),
            failure: made.record.failure.as_ref(),
            left: self.left.estimate(),
        });
        self.keep(slot, made)
    }

    /// Writes a repetition. Its own record comes last: with it, the repetition is whole.
    fn keep(&mut self, slot: Slot, made: Made) -> Result<(), RunError> {
        let cell = &self.env.plan.cells[slot.cell];
        if let Some(seen) = made.server {
            self.tell_server(cell.server, seen)?;
        }
        if let Some(dataset) = made.dataset {
            self.write(Record::Dataset(dataset))?;
        }
        self.keep_outputs(&made.record.order.to_string(), &made.outputs)?;
        for said in &made.collected {
            self.keep_collected(&made.record, said)?;
        }
        for windows in made.windows {
            self.write(Record::Windows(windows))?;
        }
        for samples in made.samples {
            self.write(Record::Samples(samples))?;
        }
        if let Some(plans) = made.plans {
            self.write(Record::Plans(plans))?;
        }
        for probe in made.probes {
            if probe.failure.is_some() && made.record.failure.is_none() {
                self.outcome.troubles += 1;
            }
            self.write(Record::Probe(probe))?;
        }
        let failure = made.record.failure.clone();
        self.write(Record::Repetition(made.record))?;
        self.journal.sync()?;
        match &failure {
            None => self.outcome.finished += 1,
            Some(failure) if failure.kind == FailureKind::Interrupted => {}
            Some(_) => self.outcome.failed += 1,
        }
        for finding in made.findings {
            self.find(finding)?;
        }
        for failure in made.afterwards {
            self.outcome.troubles += 1;
            self.write(Record::Failed(FailedRecord { cells: vec![cell.key.clone()], failure }))?;
        }
        if let Some(failure) = failure
            && failure.kind == FailureKind::EngineMissing
        {
            return self.lose(&[slot.cell], failure);
        }
        Ok(())
    }

    fn end(mut self) -> Result<RunOutcome, RunError> {
        self.outcome.interrupted = self.interrupted();
        if self.outcome.interrupted {
            let seen = format!("{} repetitions were finished", self.outcome.finished);
            self.find(Finding::new(FindingCode::Incomplete, seen))?;
        }
        // A run that is to go on finds them.
        let goes_on = self.outcome.interrupted || self.outcome.out_of_budget;
        if !self.env.settings.keep_datasets && !goes_on {
            self.drop_datasets()?;
        }
        let RunOutcome { finished, failed, interrupted, .. } = self.outcome;
        let at = records::now();
        self.write(Record::End(EndRecord { at, finished, failed, interrupted }))?;
        self.journal.sync()?;
        self.env.observer.event(&Event::RunEnds { finished, failed, interrupted });
        Ok(self.outcome)
    }
}
