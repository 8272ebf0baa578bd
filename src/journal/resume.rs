//! What a run that is taken up again need not do again.

use super::read::Journal;
use super::record::{Record, RepetitionRecord};
use crate::model::{CellKey, FailureKind, RecipeId};
use std::collections::{BTreeMap, BTreeSet};

/// What a journal says is done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    repetitions: BTreeSet<(CellKey, u32)>,
    loads: BTreeSet<(RecipeId, u32)>,
    /// Maxima that were measured, transactions a second times a thousand.
    maxima: BTreeMap<CellKey, u64>,
    /// The highest position in the run's order that was used.
    pub last_order: u32,
    /// Finished repetitions with numbers.
    pub finished: u32,
    /// Finished repetitions without.
    pub failed: u32,
}

/// Whether the repetition need not be made again: it has numbers, or it failed by itself. One that
/// the user interrupted is made again.
fn is_final(repetition: &RepetitionRecord) -> bool {
    repetition.failure.as_ref().is_none_or(|failure| failure.kind != FailureKind::Interrupted)
}

impl Done {
    /// What `journal` says.
    pub fn of(journal: &Journal) -> Self {
        let mut outcome: BTreeMap<(CellKey, u32), &RepetitionRecord> = BTreeMap::new();
        let mut done = Self::default();
        for record in &journal.records {
            match record {
                Record::Repetition(repetition) => {
                    done.last_order = done.last_order.max(repetition.order);
                    outcome.insert((repetition.cell.clone(), repetition.repetition), repetition);
                }
                Record::Dataset(dataset) => {
                    done.loads.insert((dataset.recipe.clone(), dataset.load));
                }
                Record::Maximum(maximum) => {
                    let measured = maximum.cells.iter().zip(std::iter::repeat(maximum.per_second));
                    done.maxima.extend(measured.filter_map(|(cell, per_second)| {
                        Some((cell.clone(), (per_second? * 1000.0) as u64))
                    }));
                }
                _ => {}
            }
        }
        for (key, repetition) in outcome {
            if is_final(repetition) {
                if repetition.failure.is_none() {
                    done.finished += 1;
                } else {
                    done.failed += 1;
                }
                done.repetitions.insert(key);
            }
        }
        done
    }

    /// Whether repetition `repetition` (from 1) of the cell is done.
    pub fn has_repetition(&self, cell: &CellKey, repetition: u32) -> bool {
        // A set of owned pairs is looked up by an owned pair; this runs once a repetition.
        self.repetitions.contains(&(cell.clone(), repetition))
    }

    /// The maximum of a cell, transactions a second, when it was measured.
    pub fn maximum(&self, cell: &CellKey) -> Option<f64> {
        self.maxima.get(cell).map(|&thousandths| thousandths as f64 / 1000.0)
    }

    /// Whether load `load` (from 1) of the dataset is in the journal.
    pub fn has_load(&self, recipe: &RecipeId, load: u32) -> bool {
        self.loads.contains(&(recipe.clone(), load))
    }
}
