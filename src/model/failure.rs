//! Something that broke while measuring: data in the journal, never the end of a run.

use super::phase::Phase;
use super::place::Place;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What kind of thing broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The server lacks the engine; the cell is not available here.
    EngineMissing,
    /// No such server on this machine, or it cannot be started.
    ServerMissing,
    /// A server ended by itself.
    ServerDied,
    /// A server did not do what was asked in time.
    Timeout,
    /// A statement failed.
    Sql,
    /// An option was asked for and the running server has another value.
    OptionNotTaken,
    /// A table has another engine or row format than asked for.
    EngineSubstituted,
    /// Rows were lost, doubled or altered; a consistency condition is violated.
    Check,
    /// A file or a process could not be handled.
    Io,
    /// An outside program failed.
    Tool,
    /// Interrupted by the user.
    Interrupted,
}

/// Something that broke in a cell: what, where, in whose words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// What enginecmp was doing.
    pub phase: Phase,
    /// What kind of thing broke.
    pub kind: FailureKind,
    /// In plain words; a server's error in the server's own words.
    pub message: String,
    /// The server's error number, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errno: Option<u16>,
    /// The five characters of SQLSTATE, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sqlstate: Option<String>,
    /// What the user can do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_step: Option<String>,
    /// The last lines of the server's log that bear on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log_tail: Vec<String>,
    /// The suite line that asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

impl Failure {
    /// A failure with the mandatory parts.
    pub fn new(phase: Phase, kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            phase,
            kind,
            message: message.into(),
            errno: None,
            sqlstate: None,
            next_step: None,
            log_tail: Vec::new(),
            place: None,
        }
    }

    /// The same failure with advice on what to do next.
    #[must_use]
    pub fn next_step(mut self, advice: impl Into<String>) -> Self {
        self.next_step = Some(advice.into());
        self
    }

    /// The same failure with the server's log lines.
    #[must_use]
    pub fn log_tail(mut self, lines: Vec<String>) -> Self {
        self.log_tail = lines;
        self
    }

    /// The same failure with the suite line that asked for it.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.phase, self.message)
    }
}
