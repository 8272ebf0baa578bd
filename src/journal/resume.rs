//! What a run that is taken up again need not do again, and what of its journal still counts then.

use super::read::Journal;
use super::record::{Again, Record, RepetitionRecord};
use crate::model::{CellKey, FailureKind, Finding, FindingCode, RecipeId};
use std::collections::{BTreeMap, BTreeSet};

/// What a journal says is done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Whether each has numbers.
    repetitions: BTreeMap<(CellKey, u32), bool>,
    /// Whether each was made by this run, rather than found in the store.
    loads: BTreeMap<(RecipeId, u32), bool>,
    /// Maxima that were measured, transactions a second times a thousand.
    maxima: BTreeMap<CellKey, u64>,
    findings: BTreeSet<(FindingCode, Option<CellKey>)>,
    /// The highest position in the run's order that was used.
    pub last_order: u32,
    /// Finished repetitions with numbers.
    pub finished: u32,
    /// Finished repetitions without.
    pub failed: u32,
    /// Repetitions that no longer count and are made again.
    pub again: Vec<Again>,
    /// The suite is not the one that the journal tells of: it is written anew.
    pub rewritten: bool,
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
        for record in effective(&journal.records) {
            match record {
                Record::Repetition(repetition) => {
                    done.last_order = done.last_order.max(repetition.order);
                    outcome.insert((repetition.cell.clone(), repetition.repetition), repetition);
                }
                Record::Dataset(dataset) => {
                    let made = done
                        .loads
                        .entry((dataset.recipe.clone(), dataset.load))
                        .or_insert(!dataset.reused);
                    *made |= !dataset.reused;
                }
                Record::Finding(finding) => {
                    done.findings.insert((finding.code, finding.cell.clone()));
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
                done.repetitions.insert(key, repetition.failure.is_none());
            }
        }
        done.count();
        done
    }

    fn count(&mut self) {
        self.finished = self.repetitions.values().filter(|numbers| **numbers).count() as u32;
        self.failed = self.repetitions.len() as u32 - self.finished;
    }

    /// The same without the repetitions of these cells: the suite has changed them.
    #[must_use]
    pub fn without(mut self, cells: &[CellKey]) -> Self {
        self.repetitions.retain(|(cell, _), _| !cells.contains(cell));
        self.findings.retain(|(_, cell)| cell.as_ref().is_none_or(|cell| !cells.contains(cell)));
        self.again
            .extend(cells.iter().map(|cell| Again { cell: cell.clone(), repetitions: Vec::new() }));
        self.count();
        self
    }

    /// The same without what failed.
    #[must_use]
    pub fn without_failed(mut self) -> Self {
        let mut failed: BTreeMap<CellKey, Vec<u32>> = BTreeMap::new();
        self.repetitions.retain(|(cell, repetition), numbers| {
            if !*numbers {
                failed.entry(cell.clone()).or_default().push(*repetition);
            }
            *numbers
        });
        self.again
            .extend(failed.into_iter().map(|(cell, repetitions)| Again { cell, repetitions }));
        self.count();
        self
    }

    /// Whether repetition `repetition` (from 1) of the cell is done.
    pub fn has_repetition(&self, cell: &CellKey, repetition: u32) -> bool {
        self.outcome(cell, repetition).is_some()
    }

    /// Whether a repetition that is done has numbers; none when it is not done.
    pub fn outcome(&self, cell: &CellKey, repetition: u32) -> Option<bool> {
        // A map of owned pairs is looked up by an owned pair; this runs once a repetition.
        self.repetitions.get(&(cell.clone(), repetition)).copied()
    }

    /// The maximum of a cell, transactions a second, when it was measured.
    pub fn maximum(&self, cell: &CellKey) -> Option<f64> {
        self.maxima.get(cell).map(|&thousandths| thousandths as f64 / 1000.0)
    }

    /// Whether load `load` (from 1) of the dataset is in the journal.
    pub fn has_load(&self, recipe: &RecipeId, load: u32) -> bool {
        self.loads.contains_key(&(recipe.clone(), load))
    }

    /// Whether an earlier part of this run loaded the dataset.
    pub fn made(&self, recipe: &RecipeId) -> bool {
        self.loads.iter().any(|((known, _), made)| *made && known == recipe)
    }

    /// Whether the journal has such a finding already. What a changed suite has to say of itself
    /// is said again.
    pub fn said(&self, finding: &Finding) -> bool {
        !(self.rewritten && finding.cell.is_none())
            && self.findings.contains(&(finding.code, finding.cell.clone()))
    }
}

/// The records that count: where a run was taken up again, what it says of the time before is
/// applied. Gone are repetitions that were interrupted or that a changed suite makes again, windows
/// and probes of repetitions that never came to their end, what had broken of cells that are tried
/// again, and the end that was none.
pub fn effective(records: &[Record]) -> Vec<&Record> {
    let mut kept: Vec<&Record> = Vec::with_capacity(records.len());
    for record in records {
        if let Record::Resumed(resumed) = record {
            let again = |cell: &CellKey, repetition: u32| {
                resumed.again.iter().any(|again| {
                    again.cell == *cell
                        && (again.repetitions.is_empty() || again.repetitions.contains(&repetition))
                })
            };
            let counted: BTreeSet<(&CellKey, u32)> = kept
                .iter()
                .filter_map(|record| match record {
                    Record::Repetition(one)
                        if is_final(one) && !again(&one.cell, one.repetition) =>
                    {
                        Some((&one.cell, one.repetition))
                    }
                    _ => None,
                })
                .collect();
            kept.retain(|record| match record {
                Record::Repetition(one) => counted.contains(&(&one.cell, one.repetition)),
                Record::Windows(one) => counted.contains(&(&one.cell, one.repetition)),
                Record::Samples(one) => counted.contains(&(&one.cell, one.repetition)),
                Record::Collected(one) => counted.contains(&(&one.cell, one.repetition)),
                Record::Probe(one) => counted.contains(&(&one.cell, one.repetition)),
                Record::Failed(failed) => {
                    failed.cells.is_empty()
                        || failed
                            .cells
                            .iter()
                            .any(|cell| counted.iter().any(|(known, _)| *known == cell))
                }
                Record::Finding(finding) => {
                    !matches!(finding.code, FindingCode::Incomplete | FindingCode::BudgetUsed)
                        && finding.cell.as_ref().is_none_or(|cell| {
                            !resumed
                                .again
                                .iter()
                                .any(|again| again.cell == *cell && again.repetitions.is_empty())
                        })
                }
                Record::End(_) => false,
                _ => true,
            });
        }
        kept.push(record);
    }
    kept
}
