//! Where data lie: one directory for each server start, loaded datasets in the store, copies of
//! them for each repetition.

use super::watch::interrupted;
use crate::host::interrupt::Interrupt;
use crate::host::tree;
use crate::host::work_dir::WorkDir;
use crate::journal::record::DatasetRecord;
use crate::model::{Failure, FailureKind, Phase, RecipeId};
use crate::plan::Dataset;
use crate::target::store::contents::Look;
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

/// What the store has for an address.
#[derive(Debug)]
pub(super) enum Found {
    /// The dataset as it was kept.
    Whole(Box<Stored>),
    /// One that is no longer as it was kept: in what, in words.
    Altered(Vec<String>),
    /// Nothing that could be used.
    Nothing,
}

/// Whether the store says that it has the dataset; nobody looks at its files.
pub(super) fn is_kept(work: &WorkDir, recipe: &RecipeId) -> bool {
    matches!(store(work).find(recipe), store::Stored::Whole(_))
}

/// The dataset with this address. Every byte of it is compared with what was kept: a run that
/// takes a dataset of an earlier one does so once, and the copies that it makes are as good.
pub(super) fn find(
    work: &WorkDir,
    recipe: &RecipeId,
    interrupt: &Interrupt,
) -> Result<Found, Failure> {
    let store = store(work);
    let store::Stored::Whole(dataset) = store.find(recipe) else { return Ok(Found::Nothing) };
    // By way of its text: records are read from bytes everywhere, by one and the same code.
    let record = serde_json::to_vec(&dataset.record)
        .and_then(|text| serde_json::from_slice::<DatasetRecord>(&text));
    let Ok(record) = record else { return Ok(Found::Nothing) };
    match store.differences(&dataset, Look::Bytes, &|| !interrupt.is_raised()) {
        Ok(words) if words.is_empty() => {
            Ok(Found::Whole(Box::new(Stored { recipe: recipe.clone(), record })))
        }
        Ok(words) => Ok(Found::Altered(words)),
        Err(_) if interrupt.is_raised() => Err(interrupted(Phase::Restore)),
        Err(error) => Ok(Found::Altered(vec![error.to_string()])),
    }
}

/// Moves a data directory into the store. A half-made dataset of the same address is replaced.
pub(super) fn keep(
    work: &WorkDir,
    dataset: &Dataset,
    instance: &Instance,
    record: &DatasetRecord,
    interrupt: &Interrupt,
) -> Result<Stored, Failure> {
    let recipe = dataset.recipe.clone();
    let failed = |error: io::Error| {
        if interrupt.is_raised() {
            return interrupted(Phase::Load);
        }
        broken(Phase::Load, "keep the dataset in", &work.datasets(), &error)
    };
    let value = serde_json::to_value(record).map_err(|error| failed(error.into()))?;
    let (from, made_of) = (instance.data_dir(), &dataset.ingredients);
    store(work).save(&recipe, &from, made_of, value, &|| !interrupt.is_raised()).map_err(failed)?;
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
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(Failure::new(
            Phase::Restore,
            FailureKind::Io,
            error.to_string(),
        )
        .next_step(format!(
            "find out who writes below the work directory; `enginecmp data prune {}` drops the \
             dataset, and the next run loads it again",
            stored.recipe
        ))),
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
