//! Where data lie: one directory for each server start, loaded datasets in the store, copies of
//! them for each repetition.

use super::watch::interrupted;
use crate::host::copy::{Leave, copy_tree};
use crate::host::interrupt::Interrupt;
use crate::host::page_cache::{evict_tree, residency_of_tree};
use crate::host::tree;
use crate::host::work_dir::WorkDir;
use crate::model::{Failure, FailureKind, Phase, RecipeId};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Written last: a dataset without it was never finished.
const MARKER: &str = "dataset.json";

/// Files of a data directory that say what was in a cache or who the server was; a copy with them
/// would start warm, or as another server's twin.
const NEVER_COPIED: &[&str] = &["ib_buffer_pool", "auto.cnf"];

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
    folder: PathBuf,
    /// What was written about it when it was loaded.
    pub(super) description: Vec<u8>,
}

/// The dataset with this address, if it was finished.
pub(super) fn find(work: &WorkDir, recipe: &RecipeId) -> Option<Stored> {
    let folder = work.datasets().join(&recipe.0);
    let description = fs::read(folder.join(MARKER)).ok()?;
    Some(Stored { folder, description })
}

/// Moves a data directory into the store. A half-made dataset of the same address is replaced.
pub(super) fn keep(
    work: &WorkDir,
    recipe: &RecipeId,
    instance: &Instance,
    description: Vec<u8>,
) -> Result<Stored, Failure> {
    let folder = work.datasets().join(&recipe.0);
    let failed = |error: io::Error| broken(Phase::Load, "keep the dataset in", &folder, &error);
    tree::remove(&folder).map_err(failed)?;
    fs::create_dir(&folder).map_err(failed)?;
    fs::rename(instance.data_dir(), folder.join("data")).map_err(failed)?;
    evict_tree(&folder).map_err(failed)?;
    fs::write(folder.join(MARKER), &description).map_err(failed)?;
    Ok(Stored { folder, description })
}

/// Copies a dataset into an instance. Nothing of it stays in the page cache; gives the share that
/// does all the same, 0 to 1, where the system tells. An interrupt ends it after the file in hand.
pub(super) fn restore(
    stored: &Stored,
    instance: &Instance,
    interrupt: &Interrupt,
) -> Result<Option<f64>, Failure> {
    let to = instance.data_dir();
    let skip = |inside: &Path| {
        interrupt.is_raised() || NEVER_COPIED.iter().any(|name| inside.ends_with(name))
    };
    copy_tree(&stored.folder.join("data"), &to, Leave::Cold, &skip)
        .map_err(|error| broken(Phase::Restore, "copy the dataset to", &to, &error))?;
    if interrupt.is_raised() {
        return Err(interrupted(Phase::Restore));
    }
    Ok(residency_of_tree(&to).ok().map(|residency| residency.share()))
}

/// Removes a dataset from the store.
pub(super) fn remove(stored: &Stored) -> io::Result<()> {
    // The marker first: what is half removed is no dataset.
    fs::remove_file(stored.folder.join(MARKER))?;
    tree::remove(&stored.folder)
}

pub(super) fn broken(phase: Phase, verb: &str, path: &Path, error: &io::Error) -> Failure {
    let shown = path.file_name().unwrap_or(path.as_os_str());
    Failure::new(
        phase,
        FailureKind::Io,
        format!("cannot {verb} {}: {error}", shown.to_string_lossy()),
    )
}
