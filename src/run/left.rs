//! How long the rest of a run will take, learnt from what is done.

use crate::plan::{Cell, Plan, Slot, estimate};
use std::time::Duration;

/// Keeps count of what is done and what is to do.
#[derive(Debug)]
pub(super) struct TimeLeft {
    /// Loads that are still to make.
    loads: u32,
    loading: Spent,
    /// What repetitions still to make measure, warm-up included.
    phases: Duration,
    repetitions: u32,
    /// Restore, start, probes, check and stop: what a repetition takes beside its phases.
    beside: Spent,
}

#[derive(Clone, Copy, Debug)]
struct Spent {
    /// What the plan thinks of one, before any was made.
    guess: Duration,
    total: Duration,
    times: u32,
}

impl Spent {
    fn new(guess: Duration) -> Self {
        Self { guess, total: Duration::ZERO, times: 0 }
    }

    fn add(&mut self, spent: Duration) {
        self.total += spent;
        self.times += 1;
    }

    fn mean(self) -> Duration {
        if self.times == 0 { self.guess } else { self.total / self.times }
    }
}

/// What the phases of one repetition take.
fn phases(cell: &Cell) -> Duration {
    cell.warmup + cell.measure * cell.rounds
}

impl TimeLeft {
    pub(super) fn of(plan: &Plan, loads: u32, slots: &[Slot]) -> Self {
        let beside = slots.first().map_or(Duration::ZERO, |slot| {
            let cell = &plan.cells[slot.cell];
            estimate::repetition(plan, cell).saturating_sub(phases(cell))
        });
        Self {
            loads,
            loading: Spent::new(estimate::estimate(plan).load / loads.max(1)),
            phases: slots.iter().map(|slot| phases(&plan.cells[slot.cell])).sum(),
            repetitions: slots.len() as u32,
            beside: Spent::new(beside),
        }
    }

    /// A load is over; one that was found in the store teaches nothing.
    pub(super) fn load_done(&mut self, took: Option<Duration>) {
        self.loads = self.loads.saturating_sub(1);
        if let Some(took) = took {
            self.loading.add(took);
        }
    }

    /// A repetition is over.
    pub(super) fn repetition_done(&mut self, cell: &Cell, took: Duration) {
        self.repetitions = self.repetitions.saturating_sub(1);
        self.phases = self.phases.saturating_sub(phases(cell));
        self.beside.add(took.saturating_sub(phases(cell)));
    }

    /// What these repetitions will take.
    pub(super) fn of_slots(&self, plan: &Plan, slots: &[Slot]) -> Duration {
        let phases: Duration = slots.iter().map(|slot| phases(&plan.cells[slot.cell])).sum();
        phases + self.beside.mean() * slots.len() as u32
    }

    /// The estimate.
    pub(super) fn estimate(&self) -> Duration {
        self.loading.mean() * self.loads + self.phases + self.beside.mean() * self.repetitions
    }
}
