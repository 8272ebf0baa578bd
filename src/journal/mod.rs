//! The journal: the append-only record of a run, one JSON object a line.
//!
//! It holds what was measured, never what was concluded. Everything right of it (comparison,
//! report) reads nothing else.

pub mod record;

pub use record::Record;
