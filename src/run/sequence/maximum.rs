//! Maxima: what cells do in a closed loop, measured before any repetition of a cell whose rate is
//! a share of one.

use super::Sequence;
use crate::journal::Done;
use crate::journal::record::{FailedRecord, MaximumRecord, Record};
use crate::model::{FindingCode, Metric, MetricId};
use crate::plan::{MaximumSlot, Slot, maxima};
use crate::run::RunError;
use crate::run::observer::Event;
use crate::run::pool::Beat;
use crate::run::repetition::{self, Step};
use crate::run::server::asked_at;
use std::time::Instant;

impl Sequence<'_> {
    /// The maxima that are still to be measured; those that an earlier part of the run measured
    /// are taken.
    pub(super) fn maxima(&mut self, done: &Done, slots: &[Slot]) -> Vec<MaximumSlot> {
        let plan = self.env.plan;
        let mut left = maxima(plan);
        left.retain(|slot| match done.maximum(&plan.cells[slot.cell].key) {
            Some(per_second) => {
                self.maxima.know(&slot.cells, per_second);
                false
            }
            None => true,
        });
        // Where every repetition of a point is made, nobody asks for its maximum any more.
        left.retain(|slot| {
            slots.iter().any(|repetition| {
                let point = plan.cells[repetition.cell].point;
                slot.cells.iter().any(|&cell| plan.cells[cell].point == point)
            })
        });
        left
    }

    /// Measures what a cell does in a closed loop.
    pub(super) fn maximum(&mut self, slot: &MaximumSlot, at: u32, of: u32) -> Result<(), RunError> {
        let plan = self.env.plan;
        let cell = &plan.cells[slot.cell];
        let target = match self.target(cell.server) {
            Ok(target) => target,
            Err(failure) => return self.lose(&slot.cells, asked_at(failure, Some(&cell.place))),
        };
        let stored = self.stored(cell.dataset);
        self.env.observer.event(&Event::MaximumStarts { at, of, cell: &cell.key });
        let began = Instant::now();
        let made = repetition::make(&Step {
            env: self.env,
            slot: Slot { order: 0, repetition: 0, cell: slot.cell },
            cell,
            dataset: &plan.datasets[cell.dataset],
            target: &*target,
            beat: &Beat::Closed,
            share: None,
            whole: false,
            data: self.data_source(cell.dataset, stored.as_deref()),
        });
        self.left.repetition_done(cell, began.elapsed());
        let throughput = MetricId::whole(Metric::Tps);
        let per_second = made.record.metrics.iter().find(|metric| metric.id == throughput);
        self.env.observer.event(&Event::RepetitionEnds {
            headline: per_second,
            failure: made.record.failure.as_ref(),
            left: self.left.estimate(),
        });
        let per_second = per_second.map(|metric| metric.value);
        let interrupted = self.interrupted();
        if let Some(per_second) = per_second {
            self.maxima.know(&slot.cells, per_second);
        } else if let Some(failure) = made.record.failure.clone().filter(|_| !interrupted) {
            self.outcome.troubles += 1;
            self.write(Record::Failed(FailedRecord { cells: Vec::new(), failure }))?;
        }
        for finding in made.findings {
            if finding.code == FindingCode::LeftBehind {
                self.find(finding)?;
            }
        }
        self.write(Record::Maximum(MaximumRecord {
            cells: slot.cells.iter().map(|&cell| plan.cells[cell].key.clone()).collect(),
            at: made.record.at,
            elapsed_ms: made.record.elapsed_ms,
            per_second,
            failure: made.record.failure,
        }))?;
        Ok(self.journal.sync()?)
    }
}
