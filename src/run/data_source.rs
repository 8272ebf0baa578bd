//! Where the data of a repetition come from: a copy of the store, a load of its own, or what a
//! server that runs already holds.

use super::dataset::{self, LoadStep};
use super::external::Outputs;
use super::places::{self, Instance, Stored};
use super::repetition::Step;
use crate::journal::record::DatasetRecord;
use crate::model::{Failure, FailureKind, Phase};
use crate::target::session::Session;
use crate::target::{HeldDataset, Running};

/// The ways to data.
#[derive(Clone, Copy)]
pub(super) enum DataSource<'a> {
    /// A copy of a dataset that was loaded before.
    Store(&'a Stored),
    /// The repetition loads, into a server that it has emptied.
    Load,
    /// What is there (`reuse data`), if it is what the suite asks for.
    Reuse,
}

impl<'a> DataSource<'a> {
    /// What was written about the dataset when it was loaded; none where the repetition loads.
    pub(super) fn record(self) -> Option<&'a DatasetRecord> {
        match self {
            Self::Store(stored) => Some(&stored.record),
            Self::Load | Self::Reuse => None,
        }
    }

    /// Whether there are copies, so that probes have one of their own.
    pub(super) fn has_copies(self) -> bool {
        matches!(self, Self::Store(_))
    }

    /// What is done before the server starts.
    pub(super) fn phase(self) -> Phase {
        match self {
            Self::Store(_) => Phase::Restore,
            Self::Load | Self::Reuse => Phase::Initialise,
        }
    }

    /// Fills the instance before its server starts. Gives the share of restored pages that are in
    /// the page cache, 0 to 1, where anything was restored.
    pub(super) fn prepare(
        self,
        step: &Step<'_>,
        instance: &Instance,
    ) -> Result<Option<f64>, Failure> {
        let settings = step.env.settings;
        match self {
            Self::Store(stored) => {
                places::restore(settings.work, stored, instance, &settings.interrupt).map(Some)
            }
            Self::Load => step
                .target
                .initialise(&instance.data_dir(), &step.dataset.init_options)
                .map(|()| None),
            Self::Reuse => is_asked_for(step).map(|()| None),
        }
    }

    /// Brings the data onto the running server, and tells what was loaded or found there. What
    /// outside tools wrote meanwhile comes into `outputs`.
    pub(super) fn bring(
        self,
        step: &Step<'_>,
        running: &dyn Running,
        control: &mut dyn Session,
        outputs: &mut Outputs,
    ) -> Result<Option<DatasetRecord>, Failure> {
        let load = LoadStep { env: step.env, dataset: step.dataset, running };
        match self {
            Self::Store(_) => Ok(None),
            Self::Load => {
                let record = dataset::load_into(&load, control, step.slot.order, outputs)?;
                step.target.hold(&held(step))?;
                Ok(Some(record))
            }
            Self::Reuse => dataset::found_on(&load, control, step.slot.order).map(Some),
        }
    }
}

fn held(step: &Step<'_>) -> HeldDataset {
    HeldDataset {
        recipe: step.dataset.recipe.clone(),
        ingredients: step.dataset.ingredients.clone(),
    }
}

/// The most differences that a refusal names.
const NAMED: usize = 3;

/// What the server holds must be what the suite asks for.
fn is_asked_for(step: &Step<'_>) -> Result<(), Failure> {
    let asked = held(step);
    let database = &step.dataset.database;
    let refused = |message: String| {
        Err(Failure::new(Phase::Load, FailureKind::Check, message).next_step(
            "Run the suite once without `reuse data`: it loads what it asks for and leaves it there",
        ))
    };
    match step.target.held()? {
        Some(found) if found.recipe == asked.recipe => Ok(()),
        Some(found) => refused(format!(
            "the data in `{database}` are not what the suite asks for: {}",
            differences(&asked, &found).join("; ")
        )),
        None => refused(format!("`{database}` holds no data that a whole load of enginecmp left")),
    }
}

/// In what two recipes differ, in words.
fn differences(asked: &HeldDataset, found: &HeldDataset) -> Vec<String> {
    let value = |held: &HeldDataset, name: &str| {
        held.ingredients
            .iter()
            .find(|(known, _)| known == name)
            .map_or_else(|| "nothing".to_string(), |(_, value)| value.clone())
    };
    let mut names: Vec<&String> =
        asked.ingredients.iter().chain(&found.ingredients).map(|(name, _)| name).collect();
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(*name) && value(asked, name) != value(found, name));
    let mut said: Vec<String> = names
        .iter()
        .take(NAMED)
        .map(|name| format!("{name}: there {}, asked {}", value(found, name), value(asked, name)))
        .collect();
    if names.len() > NAMED {
        said.push(format!("and {} more", names.len() - NAMED));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RecipeId;

    #[test]
    fn a_refusal_names_what_differs_and_no_more_than_fits() {
        let of = |list: &[(&str, &str)]| HeldDataset {
            recipe: RecipeId("x".to_string()),
            ingredients: list
                .iter()
                .map(|(name, value)| ((*name).to_string(), (*value).to_string()))
                .collect(),
        };
        let found = of(&[("seed", "1"), ("warehouses", "2"), ("load", "bulk")]);
        let asked = of(&[("seed", "1"), ("warehouses", "3"), ("settle", "full")]);
        assert_eq!(
            differences(&asked, &found),
            [
                "warehouses: there 2, asked 3",
                "settle: there nothing, asked full",
                "load: there bulk, asked nothing"
            ]
        );
        let found = of(&[("a", "1"), ("b", "1"), ("c", "1"), ("d", "1"), ("e", "1")]);
        assert_eq!(differences(&of(&[]), &found)[3], "and 2 more");
    }
}
