//! What can be wrong with a journal.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A journal could not be read or written.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The system refused.
    #[error("cannot {verb} {}: {source}", path.display())]
    Io {
        /// What was tried: `read`, `append to`, `create`.
        verb: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// Another process writes it.
    #[error("{} is being written by another enginecmp: wait for it or end it", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// It does not begin like a journal.
    #[error("{file} is no journal of enginecmp: {reason}")]
    NotAJournal {
        /// The file.
        file: String,
        /// What was found instead.
        reason: String,
    },
    /// A later release wrote it.
    #[error(
        "{file} has journal version {found}, and this release reads versions up to {known}: use a \
         later enginecmp"
    )]
    TooNew {
        /// The file.
        file: String,
        /// Its version.
        found: u64,
        /// The highest that is read.
        known: u32,
    },
    /// A line in the middle makes no sense.
    #[error("{file}:{line}: unreadable record: {reason}")]
    BadLine {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// Why.
        reason: String,
    },
    /// A histogram's text makes no sense.
    #[error("unreadable histogram: {0}")]
    BadHistogram(String),
}

impl JournalError {
    /// An error of the system with what was tried.
    pub fn io(verb: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::Io { verb, path: path.into(), source }
    }
}
