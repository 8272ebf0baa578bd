//! Writing a journal: appended to, a whole line at a time, never changed.

use super::error::JournalError;
use super::read::Journal;
use super::record::Record;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The open journal of a run. Locked while it is open.
#[derive(Debug)]
pub struct Writer {
    file: File,
    path: PathBuf,
    /// Where the last whole record ends.
    end: u64,
}

impl Writer {
    /// Makes a new journal in `directory`, which is made too (0700). A journal that is there
    /// already is an error.
    pub fn create(directory: &Path) -> Result<Self, JournalError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .map_err(|source| JournalError::io("create", directory, source))?;
        let path = directory.join(super::FILE_NAME);
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .map_err(|source| JournalError::io("create", &path, source))?;
        let writer = Self::locked(file, path, 0)?;
        sync_directory(directory)?;
        Ok(writer)
    }

    /// Opens a journal to go on with it; what was cut off at its end is removed for good.
    pub fn resume(journal: &Journal) -> Result<Self, JournalError> {
        let path = journal.file.clone();
        let failed = |source| JournalError::io("append to", &path, source);
        let file = OpenOptions::new().append(true).open(&path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let writer = Self::locked(file, path.clone(), journal.whole_bytes)?;
        let seen = journal.whole_bytes + journal.torn.map_or(0, |torn| torn.bytes);
        if length != seen {
            // Somebody wrote between our reading and our lock; what they wrote is not ours to cut.
            return Err(JournalError::InUse { path });
        }
        if length > journal.whole_bytes {
            writer.cut()?;
            writer.file.sync_all().map_err(failed)?;
        }
        Ok(writer)
    }

    fn locked(file: File, path: PathBuf, end: u64) -> Result<Self, JournalError> {
        match file.try_lock() {
            Ok(()) => Ok(Self { file, path, end }),
            Err(TryLockError::WouldBlock) => Err(JournalError::InUse { path }),
            Err(TryLockError::Error(source)) => Err(JournalError::io("lock", path, source)),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one record. When that fails half way, the half is taken back, so that the journal
    /// stays readable.
    pub fn write(&mut self, record: &Record) -> Result<(), JournalError> {
        let mut line = serde_json::to_vec(record)
            .map_err(|error| JournalError::io("append to", &self.path, error.into()))?;
        line.push(b'\n');
        if let Err(source) = self.file.write_all(&line) {
            self.cut()?;
            return Err(JournalError::io("append to", &self.path, source));
        }
        self.end += line.len() as u64;
        Ok(())
    }

    /// Waits until everything is on the disk.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.file.sync_data().map_err(|source| JournalError::io("sync", &self.path, source))
    }

    fn cut(&self) -> Result<(), JournalError> {
        self.file.set_len(self.end).map_err(|source| JournalError::io("cut", &self.path, source))
    }
}

/// A new file's name is only safe once its directory is.
fn sync_directory(directory: &Path) -> Result<(), JournalError> {
    fs::File::open(directory)
        .and_then(|opened| opened.sync_all())
        .map_err(|source| JournalError::io("sync", directory, source))
}
