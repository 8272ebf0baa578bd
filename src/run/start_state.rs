//! `start cold|lukewarm|warm|hot`: bringing the caches into the state that the suite asks for, and
//! seeing that they are in it.

use super::pool::Boundary;
use super::schedule::Schedule;
use crate::host::page_cache::{drop_caches, read_tree, residency_of_tree};
use crate::model::{Failure, FailureKind, Phase};
use crate::plan::StartState;
use crate::target::Running;
use std::path::Path;

/// Reads the restored data into the page cache; gives the share that is in it then, 0 to 1.
pub(super) fn warm(data: &Path) -> Result<f64, Failure> {
    read_tree(data).and_then(|()| residency_of_tree(data)).map(|seen| seen.share()).map_err(
        |error| {
            let message = format!("cannot read the restored data into the page cache: {error}");
            Failure::new(Phase::Restore, FailureKind::Io, message)
        },
    )
}

/// What was seen of the page cache when the measuring began.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The share of the data directory that was in it, 0 to 1; none where nothing was asked.
    pub(super) resident: Option<f64>,
    /// Why the caches could not be dropped.
    pub(super) not_dropped: Option<String>,
}

/// Between warm-up and measuring: drops what a lukewarm start lacks, and looks.
pub(super) struct StartBoundary<'a> {
    state: Option<StartState>,
    running: &'a dyn Running,
    first_measured: usize,
    inner: &'a mut dyn Boundary,
    pub(super) seen: Seen,
}

impl<'a> StartBoundary<'a> {
    pub(super) fn of(
        state: Option<StartState>,
        running: &'a dyn Running,
        schedule: &Schedule,
        inner: &'a mut dyn Boundary,
    ) -> Self {
        let first = schedule.spans().iter().position(|span| span.phase == Phase::Measure);
        Self {
            state,
            running,
            first_measured: first.unwrap_or_default(),
            inner,
            seen: Seen::default(),
        }
    }
}

impl Boundary for StartBoundary<'_> {
    fn reached(&mut self, span: usize) {
        if let Some(state) = self.state.filter(|_| span == self.first_measured) {
            if state == StartState::Lukewarm {
                self.seen.not_dropped = drop_caches().err().map(|error| error.to_string());
            }
            // Where the files cannot be seen, nothing is said of them.
            let data = self.running.data_dirs().into_iter().next();
            let resident = data.and_then(|data| residency_of_tree(&data).ok());
            self.seen.resident = resident.map(|seen| seen.share());
        }
        self.inner.reached(span);
    }
}
