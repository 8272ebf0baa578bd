//! Where data lie: one directory for each server start, loaded datasets in the store, copies of
//! them for each repetition.

use super::watch::interrupted;
use crate::host::interrupt::Interrupt;
use crate::host::tree;
use crate::host::work_dir::WorkDir;
use crate::journal::record::DatasetRecord;
use crate::model::{Failure, FailureKind, Phase, RecipeId};
use crate::plan::Dataset;
use crate::target::store::{self, Store};
use std::io;
use std::path::{Path, PathBuf};

/// The directory of one server start. Removed when it is closed, or dropped.
#[derive(Debug)]
pub(super) struct Instance {
    folder: PathBuf,
    closed: bool,
}

impl Instance {
    /// A new one; `label` says in its name what it is for.
    pub(super) fn new(work: &WorkDir, label: &str, phase: Phase) -> Result<Self, Failure> {
        let folder = work
            .instance(label)
            .map_err(|error| broken(phase, "make a directory in", work.root(), &error))?;
        Ok(Self { folder, closed: false })
    }

    /// The directory itself.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its data directory; made by whoever fills it.
    pub(super) fn data_dir(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Removes it; the error names what is left behind.
    pub(super) fn close(mut self) -> io::Result<()> {
        self.closed = true;
        tree::remove(&self.folder)
            .map_err(|error| io::Error::other(format!("{}: {error}", self.folder.display())))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if !self.closed {
            // The next start of enginecmp removes what cannot be removed now.
            let _ = tree::remove(&self.folder);
        }
    }
}

/// A loaded dataset in the store.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    recipe: RecipeId,
    /// What was written about it when it was loaded.
    pub(super) record: DatasetRecord,
}

fn store(work: &WorkDir) -> Store {
    Store::new(work.datasets())
}

/// The dataset with this address, if it is whole and what was written about it can be read.
pub(super) fn find(work: &WorkDir, recipe: &RecipeId) -> Option<Stored> {
    match store(work).find(recipe) {
        store::Stored::Whole(dataset) => {
            let record = serde_json::from_value(dataset.record).ok()?;
            Some(Stored { recipe: recipe.clone(), record })
        }
        store::Stored::HalfMade | store::Stored::Nothing => None,
    }
}

/// Moves a data directory into the store. A half-made dataset of the same address is replaced.
pub(super) fn keep(
    work: &WorkDir,
    dataset: &Dataset,
    instance: &Instance,
    record: &DatasetRecord,
) -> Result<Stored, Failure> {
    let recipe = dataset.recipe.clone();
    let failed =
        |error: io::Error| broken(Phase::Load, "keep the dataset in", &work.datasets(), &error);
    let value = serde_json::to_value(record).map_err(|error| failed(error.into()))?;
    store(work).save(&recipe, &instance.data_dir(), &dataset.ingredients, value).map_err(failed)?;
    Ok(Stored { recipe, record: record.clone() })
}

/// Copies a dataset into an instance. Nothing of it stays in the page cache; gives the share that
/// does all the same, 0 to 1. An interrupt ends it after the file in hand.
pub(super) fn restore(
    work: &WorkDir,
    stored: &Stored,
    instance: &Instance,
    interrupt: &Interrupt,
) -> Result<f64, Failure> {
    let to = instance.data_dir();
    match store(work).restore(&stored.recipe, &to, &|| !interrupt.is_raised()) {
        Ok(restored) => Ok(restored.residency.share()),
        Err(_) if interrupt.is_raised() => Err(interrupted(Phase::Restore)),
        Err(error) => Err(broken(Phase::Restore, "copy the dataset to", &to, &error)),
    }
}

/// Removes a dataset from the store.
pub(super) fn remove(work: &WorkDir, stored: &Stored) -> io::Result<()> {
    store(work).remove(&stored.recipe)
}

fn broken(phase: Phase, verb: &str, path: &Path, error: &io::Error) -> Failure {
    let shown = path.file_name().unwrap_or(path.as_os_str());
    Failure::new(
        phase,
        FailureKind::Io,
        format!("cannot {verb} {}: {error}", shown.to_string_lossy()),
    )
}
