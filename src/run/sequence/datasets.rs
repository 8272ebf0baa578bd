//! The datasets of a run: which are loaded, in which order, and what becomes of them.

use super::{Sequence, State};
use crate::journal::Done;
use crate::journal::record::{DatasetRecord, FailedRecord, Record};
use crate::model::{Failure, FailureKind, Finding, FindingCode, Metric};
use crate::plan::{self, Slot};
use crate::run::advice::advised;
use crate::run::data_source::DataSource;
use crate::run::external::Outputs;
use crate::run::observer::Event;
use crate::run::places::{self, Found, Stored};
use crate::run::server::asked_at;
use crate::run::{RunError, dataset};
use std::collections::BTreeSet;
use std::time::Instant;

impl Sequence<'_> {
    /// Every load to make: (dataset, which load of it from 1). Loads of several datasets are
    /// interleaved like repetitions, since time of loading is compared too.
    pub(super) fn loads(&mut self, done: &Done, slots: &[Slot]) -> Vec<(usize, u32)> {
        let plan = self.env.plan;
        let wanted: BTreeSet<usize> =
            slots.iter().map(|slot| plan.cells[slot.cell].dataset).collect();
        let most = wanted.iter().map(|&at| plan.datasets[at].load.repeat.max(1)).max().unwrap_or(0);
        for &at in &wanted {
            self.find_stored(done, at);
        }
        let mut loads = Vec::new();
        for load in 1..=most {
            let mut lap: Vec<usize> = wanted
                .iter()
                .copied()
                .filter(|&at| {
                    let dataset = &plan.datasets[at];
                    // What an earlier part of this run made is used, unless it is gone.
                    let ready = matches!(self.datasets[at], State::Ready { .. });
                    let again = done.has_load(&dataset.recipe, load) && (load > 1 || ready);
                    dataset.source == plan::DataSource::Store
                        && load <= dataset.load.repeat.max(1)
                        && !again
                })
                .collect();
            if load % 2 == 0 {
                lap.reverse();
            }
            loads.extend(lap.into_iter().map(|at| (at, load)));
        }
        loads
    }

    /// Takes what an earlier part of this run has loaded, if it is still in the store.
    fn find_stored(&mut self, done: &Done, at: usize) {
        let recipe = &self.env.plan.datasets[at].recipe;
        let settings = self.env.settings;
        // One that was altered is told of when it is loaded again.
        if done.has_load(recipe, 1)
            && let Ok(Found::Whole(stored)) =
                places::find(settings.work, recipe, &settings.interrupt)
        {
            let bytes = settled_bytes(&stored.record);
            let made_here = done.made(recipe);
            self.datasets[at] = State::Ready { stored, bytes, made_here };
        }
    }

    pub(super) fn load(
        &mut self,
        at: usize,
        load: u32,
        number: u32,
        of: u32,
    ) -> Result<(), RunError> {
        let plan = self.env.plan;
        let dataset = &plan.datasets[at];
        if matches!(self.datasets[at], State::Lost) {
            return Ok(());
        }
        let (engine, server) =
            (dataset.engine.as_str(), plan.servers[dataset.server].name.as_str());
        self.env.observer.event(&Event::DatasetStarts { at: number, of, engine, server });
        let began = Instant::now();
        // Loads that are to be compared are made; one that is only to be used may be found.
        if dataset.load.repeat <= 1 {
            let settings = self.env.settings;
            match places::find(settings.work, &dataset.recipe, &settings.interrupt) {
                Ok(Found::Whole(stored)) => {
                    let record = DatasetRecord { reused: true, ..stored.record.clone() };
                    let bytes = settled_bytes(&record);
                    self.datasets[at] = State::Ready { stored, bytes, made_here: false };
                    self.left.load_done(None);
                    self.write(Record::Dataset(record))?;
                    self.told_load(true, None);
                    return Ok(());
                }
                Ok(Found::Altered(words)) => {
                    let more = words.len().saturating_sub(1);
                    let more =
                        if more == 0 { String::new() } else { format!(", and {more} more files") };
                    let first = words.first().map_or("", String::as_str);
                    let seen = format!("{engine}, loaded again: {first}{more}");
                    let finding = Finding::new(FindingCode::DatasetAltered, seen);
                    let of = plan.cells.iter().find(|cell| cell.dataset == at);
                    // Each dataset's is told, so a cell tells them apart.
                    self.find(match of {
                        Some(cell) => finding.of(cell.key.clone()),
                        None => finding,
                    })?;
                }
                Ok(Found::Nothing) => {}
                Err(failure) => {
                    self.told_load(false, Some(&failure));
                    return self.load_failed(at, failure);
                }
            }
        }
        let env = self.env;
        let mut outputs = Outputs::new();
        let made = self
            .target(dataset.server)
            .and_then(|target| dataset::make(env, dataset, &*target, load, &mut outputs));
        self.left.load_done(Some(began.elapsed()));
        let recipe: String = dataset.recipe.0.chars().take(8).collect();
        let of = format!("{}-{recipe}-{load}", dataset.engine);
        self.keep_outputs(&of, &outputs)?;
        match made {
            Ok((record, stored, seen)) => {
                let bytes = settled_bytes(&record);
                self.datasets[at] =
                    State::Ready { stored: Box::new(stored), bytes, made_here: true };
                self.tell_server(dataset.server, seen)?;
                self.write(Record::Dataset(record))?;
                self.journal.sync()?;
                self.told_load(false, None);
                Ok(())
            }
            Err(failure) => {
                self.told_load(false, Some(&failure));
                self.load_failed(at, failure)
            }
        }
    }

    fn told_load(&self, reused: bool, failure: Option<&Failure>) {
        let left = self.left.estimate();
        self.env.observer.event(&Event::DatasetEnds { reused, failure, left });
    }

    /// A failed load costs the cells that need it. A later load of one that was loaded before
    /// costs nothing but its own figures.
    fn load_failed(&mut self, at: usize, failure: Failure) -> Result<(), RunError> {
        if failure.kind == FailureKind::Interrupted || self.interrupted() {
            return Ok(());
        }
        let cells: Vec<usize> = self
            .env
            .plan
            .cells
            .iter()
            .enumerate()
            .filter(|(index, cell)| cell.dataset == at && !self.lost.contains(index))
            .map(|(index, _)| index)
            .collect();
        let place = cells.first().map(|&cell| self.env.plan.cells[cell].place.clone());
        let failure = advised(asked_at(failure, place.as_ref()));
        if matches!(self.datasets[at], State::Ready { .. }) {
            self.outcome.troubles += 1;
            self.write(Record::Failed(FailedRecord { cells: Vec::new(), failure }))?;
            return Ok(());
        }
        self.datasets[at] = State::Lost;
        self.lose(&cells, failure)
    }

    pub(super) fn stored(&self, dataset: usize) -> Option<Box<Stored>> {
        match &self.datasets[dataset] {
            State::Ready { stored, .. } => Some(stored.clone()),
            State::Waiting | State::Lost => None,
        }
    }

    /// Removes the datasets that this run made.
    pub(super) fn drop_datasets(&mut self) -> Result<(), RunError> {
        for state in std::mem::take(&mut self.datasets) {
            if let State::Ready { stored, made_here: true, .. } = state
                && let Err(error) = places::remove(self.env.settings.work, &stored)
            {
                self.find(Finding::new(FindingCode::LeftBehind, error.to_string()))?;
            }
        }
        Ok(())
    }

    /// Where a repetition has its data from; `stored` is its dataset in the store, if it has one.
    pub(super) fn data_source<'s>(
        &self,
        dataset: usize,
        stored: Option<&'s Stored>,
    ) -> DataSource<'s> {
        match (stored, self.env.plan.datasets[dataset].source) {
            (Some(stored), _) => DataSource::Store(stored),
            (None, plan::DataSource::Reuse) => DataSource::Reuse,
            (None, _) => DataSource::Load,
        }
    }
}

/// Bytes of a dataset's tables on disk after settling; 0 when they are unknown.
fn settled_bytes(record: &DatasetRecord) -> u64 {
    record
        .metrics
        .iter()
        .find(|value| value.id.metric == Metric::SizeSettled)
        .map_or(0, |value| value.value as u64)
}
