//! The journal: the append-only record of a run, one JSON object a line.
//!
//! It holds what was measured, never what was concluded. Everything right of it (comparison,
//! report) reads nothing else. [`Writer`] makes it, [`read`] reads it, [`Done`] says what a resumed
//! run need not do again, [`histogram`] turns latencies into text and back.

mod calibration;
pub mod changes;
mod disk;
pub mod error;
pub mod histogram;
mod line;
pub mod merge;
mod older_words;
mod open_loop;
mod packed;
pub mod read;
pub mod record;
pub mod resume;
mod samples;
mod windows;
pub mod write;

pub use error::JournalError;
pub use read::{Journal, RepetitionView, TornTail, parse, read};
pub use record::Record;
pub use resume::{Done, effective};
pub use write::Writer;

/// The journal's file name inside a run's directory.
pub const FILE_NAME: &str = "journal.jsonl";
