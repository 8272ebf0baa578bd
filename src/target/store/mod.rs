//! The store of datasets below the work directory: loaded once, copied for each repetition, kept
//! for later suites where the user wants that.
//!
//! A dataset is a directory named by its recipe. Its marker is written last, so a directory
//! without one is a load that was cut short. The marker lists every file with its sum, so that a
//! dataset that was altered is not taken for the one that was loaded. When it was used last is the
//! time of the marker's last change.

pub mod contents;

use crate::host::copy::{Copied, Leave, copy_tree};
use crate::host::page_cache::{self, Residency};
use crate::host::{disk, tree};
use crate::model::RecipeId;
use contents::{Look, StoredFile};
use serde::{Deserialize, Serialize};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const MARKER: &str = "dataset.json";
const DATA: &str = "data";

/// Version of the marker. Datasets of another are made again.
const VERSION: u32 = 2;

/// What is known of a stored dataset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredDataset {
    /// Version of this record.
    pub v: u32,
    /// Its address.
    pub recipe: RecipeId,
    /// What its recipe was made of: name and value, in order.
    pub ingredients: Vec<(String, String)>,
    /// Bytes on disk, blocks x 512.
    pub bytes: u64,
    /// What it consists of.
    pub files: Vec<StoredFile>,
    /// What the loader wants to know again: times, sizes, DDL.
    pub record: serde_json::Value,
}

/// What the store holds under an address.
#[derive(Clone, Debug, PartialEq)]
pub enum Stored {
    /// A whole dataset.
    Whole(Box<StoredDataset>),
    /// A directory whose load was cut short, or of another version of the store.
    HalfMade,
    /// Nothing.
    Nothing,
}

/// A whole dataset, and when it was used last.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// The dataset.
    pub dataset: StoredDataset,
    /// When it was loaded or copied last.
    pub used: SystemTime,
}

/// Everything in a store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listed {
    /// Whole datasets, the one that was used last first.
    pub whole: Vec<Kept>,
    /// Directories of half-made ones.
    pub half_made: Vec<PathBuf>,
}

impl Listed {
    /// Bytes of all whole datasets.
    pub fn bytes(&self) -> u64 {
        self.whole.iter().map(|kept| kept.dataset.bytes).sum()
    }
}

/// What a restore did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Restored {
    /// What was copied.
    pub copied: Copied,
    /// What of the copy was in the page cache afterwards.
    pub residency: Residency,
}

/// The store.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

/// What never goes along with a copy of a data directory: the dump of a buffer pool, which would
/// warm the next start; the identity of a server; files of a process that is gone.
pub fn stays_behind(path: &Path) -> bool {
    let top = path.components().count() == 1;
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let ends = |ending: &str| {
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending))
    };
    top && (matches!(name.as_ref(), "ib_buffer_pool" | "ib_lru_dump" | "auto.cnf")
        || ends("pid")
        || ends("sock")
        || ends("err")
        || ends("lock"))
}

impl Store {
    /// The store in this directory (`WorkDir::datasets`).
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    fn place(&self, recipe: &RecipeId) -> PathBuf {
        self.root.join(&recipe.0)
    }

    /// What it holds under an address.
    pub fn find(&self, recipe: &RecipeId) -> Stored {
        let place = self.place(recipe);
        if !place.exists() {
            return Stored::Nothing;
        }
        read_marker(&place)
            .filter(|marker| marker.recipe == *recipe && place.join(DATA).is_dir())
            .map_or(Stored::HalfMade, |marker| Stored::Whole(Box::new(marker)))
    }

    /// Everything in it; a store that was never made is empty.
    pub fn list(&self) -> io::Result<Listed> {
        let mut listed = Listed::default();
        let entries = match std::fs::read_dir(&self.root) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(listed),
            other => other?,
        };
        for entry in entries {
            let path = entry?.path();
            let used = std::fs::metadata(path.join(MARKER)).and_then(|marker| marker.modified());
            match (read_marker(&path), used) {
                (Some(dataset), Ok(used)) => listed.whole.push(Kept { dataset, used }),
                _ => listed.half_made.push(path),
            }
        }
        listed.whole.sort_by(|a, b| {
            b.used.cmp(&a.used).then_with(|| a.dataset.recipe.cmp(&b.dataset.recipe))
        });
        listed.half_made.sort();
        Ok(listed)
    }

    /// In what a dataset differs from what was kept, in words; empty when it does not. `go_on` as
    /// in [`contents::of`].
    pub fn differences(
        &self,
        dataset: &StoredDataset,
        look: Look,
        go_on: &dyn Fn() -> bool,
    ) -> io::Result<Vec<String>> {
        contents::differences(&self.data_dir(&dataset.recipe), &dataset.files, look, go_on)
    }

    /// Drops whole datasets, the one that was used longest ago first, until those that are left
    /// have at most `budget` bytes. Gives what was dropped.
    pub fn shrink(&self, budget: u64) -> io::Result<Vec<Kept>> {
        let mut listed = self.list()?;
        let mut bytes = listed.bytes();
        let mut dropped = Vec::new();
        while bytes > budget
            && let Some(oldest) = listed.whole.pop()
        {
            self.remove(&oldest.dataset.recipe)?;
            bytes -= oldest.dataset.bytes;
            dropped.push(oldest);
        }
        Ok(dropped)
    }

    /// Takes a data directory that a server has stopped cleanly into the store: it is moved where
    /// that is possible and copied else. What was there under the address is replaced. `go_on` as
    /// in [`contents::of`].
    pub fn save(
        &self,
        recipe: &RecipeId,
        data_dir: &Path,
        ingredients: &[(String, String)],
        record: serde_json::Value,
        go_on: &dyn Fn() -> bool,
    ) -> io::Result<StoredDataset> {
        let place = self.place(recipe);
        tree::remove(&place)?;
        DirBuilder::new().recursive(true).mode(0o700).create(&place)?;
        let data = place.join(DATA);
        if disk::same_file_system(data_dir, &place)? {
            std::fs::rename(data_dir, &data)?;
            for entry in std::fs::read_dir(&data)? {
                let entry = entry?;
                if stays_behind(Path::new(&entry.file_name())) && entry.file_type()?.is_file() {
                    std::fs::remove_file(entry.path())?;
                }
            }
        } else {
            copy_tree(data_dir, &data, Leave::Cold, &stays_behind)?;
        }
        let files = contents::of(&data, go_on)?;
        let dataset = StoredDataset {
            v: VERSION,
            recipe: recipe.clone(),
            ingredients: ingredients.to_vec(),
            bytes: tree::sizes_below(&data)?.iter().map(|file| file.blocks).sum(),
            files,
            record,
        };
        write_marker(&place, &dataset)?;
        Ok(dataset)
    }

    /// Copies a dataset to `to`, which must not exist: the extent map reproduced, nothing shared
    /// with the original, every file synced and evicted from the page cache. `go_on` is asked
    /// before each file; false ends it with an error of kind `Interrupted`. A dataset whose files
    /// have other names or lengths than were kept is an error of kind `InvalidData`.
    pub fn restore(
        &self,
        recipe: &RecipeId,
        to: &Path,
        go_on: &dyn Fn() -> bool,
    ) -> io::Result<Restored> {
        let place = self.place(recipe);
        let Some(dataset) = read_marker(&place) else {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                format!("the store has no whole dataset {recipe}"),
            ));
        };
        if let Some(first) = self.differences(&dataset, Look::Sizes, go_on)?.first() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("dataset {recipe} is not as it was kept: {first}"),
            ));
        }
        let skip = |path: &Path| !go_on() || stays_behind(path);
        let copied = copy_tree(&place.join(DATA), to, Leave::Cold, &skip)?;
        if !go_on() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        File::open(place.join(MARKER))?.set_modified(SystemTime::now())?;
        Ok(Restored { copied, residency: page_cache::residency_of_tree(to)? })
    }

    /// Where the files of a dataset lie. Servers never run on them.
    pub fn data_dir(&self, recipe: &RecipeId) -> PathBuf {
        self.place(recipe).join(DATA)
    }

    /// Removes a dataset; one that is not there is no error.
    pub fn remove(&self, recipe: &RecipeId) -> io::Result<()> {
        let place = self.place(recipe);
        // Without its marker it is half-made from this moment on, whatever happens next.
        match std::fs::remove_file(place.join(MARKER)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        tree::remove(&place)
    }
}

fn read_marker(place: &Path) -> Option<StoredDataset> {
    let text = std::fs::read(place.join(MARKER)).ok()?;
    serde_json::from_slice(&text).ok().filter(|marker: &StoredDataset| marker.v == VERSION)
}

/// Written under another name, synced, renamed, and the directory synced: there whole or not at
/// all.
fn write_marker(place: &Path, dataset: &StoredDataset) -> io::Result<()> {
    let draft = place.join("dataset.json.draft");
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    file.write_all(&serde_json::to_vec_pretty(dataset)?)?;
    file.sync_all()?;
    std::fs::rename(&draft, place.join(MARKER))?;
    File::open(place)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(text: &str) -> RecipeId {
        RecipeId(text.to_string())
    }

    fn data_dir(top: &Path) -> PathBuf {
        let data = top.join("run/data");
        std::fs::create_dir_all(data.join("tpcc")).unwrap();
        std::fs::write(data.join("tpcc/stock.ibd"), vec![9u8; 100_000]).unwrap();
        std::fs::write(data.join("ib_buffer_pool"), "1,2").unwrap();
        std::fs::write(data.join("auto.cnf"), "[auto]").unwrap();
        std::fs::write(data.join("host.pid"), "1").unwrap();
        data
    }

    fn saved(store: &Store, top: &Path, name: &str) -> StoredDataset {
        let ingredients = [("seed".to_string(), "1".to_string())];
        let record = serde_json::json!({ "load_time": 1.5 });
        store.save(&recipe(name), &data_dir(top), &ingredients, record, &|| true).unwrap()
    }

    #[test]
    fn a_dataset_is_saved_found_and_restored_cold() {
        let top = tempfile::tempdir_in(disk::beside_the_tests()).unwrap();
        let store = Store::new(top.path().join("datasets"));
        assert_eq!(store.list().unwrap(), Listed::default());
        assert_eq!(store.find(&recipe("ab")), Stored::Nothing);
        let dataset = saved(&store, top.path(), "ab");
        assert!(!top.path().join("run/data").exists(), "moved, not copied");
        assert_eq!(dataset.files.len(), 1);
        assert!(dataset.bytes >= 100_000);
        assert!(store.differences(&dataset, Look::Bytes, &|| true).unwrap().is_empty());
        assert_eq!(store.find(&recipe("ab")), Stored::Whole(Box::new(dataset)));

        let copy = top.path().join("copy");
        let restored = store.restore(&recipe("ab"), &copy, &|| true).unwrap();
        assert_eq!(restored.copied.files, 1);
        assert!(restored.residency.share() < 0.01, "{restored:?}");
        assert_eq!(std::fs::read(copy.join("tpcc/stock.ibd")).unwrap(), vec![9u8; 100_000]);
        assert!(!copy.join("ib_buffer_pool").exists() && !copy.join("auto.cnf").exists());
        let error = store.restore(&recipe("ab"), &top.path().join("y"), &|| false).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Interrupted);

        std::fs::write(store.data_dir(&recipe("ab")).join("tpcc/stock.ibd"), "cut").unwrap();
        let error = store.restore(&recipe("ab"), &top.path().join("z"), &|| true).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(error.to_string().contains("tpcc/stock.ibd has 3 bytes"), "{error}");
        store.remove(&recipe("ab")).unwrap();
        assert_eq!(store.find(&recipe("ab")), Stored::Nothing);
    }

    #[test]
    fn what_was_used_longest_ago_is_dropped_first() {
        let top = tempfile::tempdir_in(disk::beside_the_tests()).unwrap();
        let store = Store::new(top.path().join("datasets"));
        let bytes = saved(&store, top.path(), "a").bytes;
        for (name, hours) in [("a", 3), ("b", 2), ("c", 1)] {
            saved(&store, top.path(), name);
            let ago = SystemTime::now() - std::time::Duration::from_secs(hours * 3600);
            let marker = store.place(&recipe(name)).join(MARKER);
            File::open(marker).unwrap().set_modified(ago).unwrap();
        }
        store.restore(&recipe("a"), &top.path().join("copy"), &|| true).unwrap();
        let names = |kept: &[Kept]| -> Vec<String> {
            kept.iter().map(|kept| kept.dataset.recipe.0.clone()).collect()
        };
        assert_eq!(names(&store.list().unwrap().whole), ["a", "c", "b"]);
        assert!(store.shrink(3 * bytes).unwrap().is_empty());
        assert_eq!(names(&store.shrink(2 * bytes).unwrap()), ["b"]);
        assert_eq!(names(&store.shrink(0).unwrap()), ["c", "a"]);
        assert_eq!(store.list().unwrap(), Listed::default());
    }

    #[test]
    fn a_load_that_was_cut_short_is_never_taken_for_a_dataset() {
        let top = tempfile::tempdir().unwrap();
        let store = Store::new(top.path());
        std::fs::create_dir_all(store.data_dir(&recipe("cd"))).unwrap();
        assert_eq!(store.find(&recipe("cd")), Stored::HalfMade);
        assert!(store.restore(&recipe("cd"), &top.path().join("x"), &|| true).is_err());
        std::fs::write(top.path().join("cd/dataset.json"), "{\"v\":2").unwrap();
        assert_eq!(store.find(&recipe("cd")), Stored::HalfMade);
        let listed = store.list().unwrap();
        assert!(listed.whole.is_empty());
        assert_eq!(listed.half_made, [top.path().join("cd")]);
    }
}
