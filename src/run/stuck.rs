//! Repetitions that get nowhere: transactions that never end, and phases in which nothing but
//! errors comes back.

use super::message::Batch;
use super::pool::{CONTROL, PoolSpec};
use super::schedule::WINDOW;
use crate::model::{Failure, FailureKind, Phase};
use crate::target::Running;
use crate::target::session::{RowView, SqlError};
use std::collections::BTreeMap;
use std::time::Duration;

/// How long transactions in hand may take after the end of the last phase: 600 s where a server may
/// be silent for 180 s. Lock waits of 50 s and a few attempts fit into it.
pub(super) fn longest_end(patience: Duration) -> Duration {
    patience * 10 / 3
}

/// How long nothing may be completed while errors come back.
const BARREN: Duration = Duration::from_secs(30);

/// Lines of the server's own words that are kept.
const LINES: usize = 40;

/// Watches whether anything is completed.
#[derive(Debug, Default)]
pub(super) struct Barren {
    /// The last second in which something was.
    last: Duration,
    /// The last second that was told of.
    now: Duration,
    /// What came back since, by error number.
    errors: BTreeMap<u16, u64>,
}

impl Barren {
    /// Takes what a client did in a window of a phase that starts at `start`.
    pub(super) fn take(&mut self, batch: &Batch, start: Duration) {
        let at = start + WINDOW * batch.slot.window;
        self.now = self.now.max(at);
        if batch.types.iter().any(|kind| kind.committed + kind.rolled_back > 0) {
            self.last = self.last.max(at);
            self.errors.clear();
            return;
        }
        for kind in &batch.types {
            for (errno, count) in kind.errors.iter().chain(&kind.retries) {
                *self.errors.entry(*errno).or_default() += count;
            }
        }
    }

    /// The failure, when it has gone on for too long.
    pub(super) fn failure(&self, phase: Phase) -> Option<Failure> {
        if self.errors.is_empty() || self.now.saturating_sub(self.last) < BARREN {
            return None;
        }
        let errors: Vec<String> =
            self.errors.iter().map(|(errno, count)| format!("{count} x {errno}")).collect();
        Some(Failure::new(
            phase,
            FailureKind::Timeout,
            format!(
                "nothing was completed for {} s, and errors came back: {}",
                BARREN.as_secs(),
                errors.join(", ")
            ),
        ))
    }
}

/// Ends a server whose transactions do not end, and keeps what it says of them.
pub(super) fn given_up(spec: &PoolSpec<'_>, working: usize, waited: Duration) -> Failure {
    let lines = evidence(spec.running);
    spec.running.kill();
    Failure::new(
        Phase::Measure,
        FailureKind::Timeout,
        format!(
            "{working} clients had not ended their transactions {} s after the last phase; the \
             server was killed",
            waited.as_secs()
        ),
    )
    .log_tail(lines)
}

/// The server's process list and what its engines say of themselves. Without an answer that is
/// said instead.
fn evidence(running: &dyn Running) -> Vec<String> {
    let asked = || -> Result<Vec<String>, SqlError> {
        let mut session = running.connect(CONTROL)?;
        let mut lines = Vec::new();
        for query in ["SHOW FULL PROCESSLIST", "SHOW ENGINE INNODB STATUS"] {
            lines.push(format!("{query}:"));
            let first = lines.len();
            // An engine that is not there has no status.
            let _ = session.text_visit(query, &mut |row| {
                lines.extend(text(row).lines().filter(|line| !line.is_empty()).map(str::to_string));
                lines.len() < first + LINES
            });
            lines.truncate(first + LINES);
        }
        Ok(lines)
    };
    asked().unwrap_or_else(|error| vec![format!("the server does not say what it does: {error}")])
}

fn text(row: &dyn RowView) -> String {
    let columns = (0..row.columns()).filter_map(|column| row.text(column));
    let columns: Vec<String> =
        columns.map(|text| String::from_utf8_lossy(&text).into_owned()).collect();
    columns.join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::message::TypeBatch;
    use crate::run::schedule::Slot;

    fn batch(window: u32, committed: u64, deadlocks: u64) -> Batch {
        let retries = BTreeMap::from([(1213, deadlocks)]);
        Batch {
            slot: Slot { span: 0, window },
            types: vec![TypeBatch { committed, retries, ..TypeBatch::default() }],
            queue_us: Vec::new(),
        }
    }

    #[test]
    fn errors_alone_for_thirty_seconds_end_a_repetition_and_a_stall_does_not() {
        let mut barren = Barren::default();
        barren.take(&batch(0, 5, 0), Duration::ZERO);
        // A stall without errors is what is to be measured.
        barren.take(&batch(60, 0, 0), Duration::ZERO);
        barren.errors.clear();
        assert_eq!(barren.failure(Phase::Measure), None);
        barren.take(&batch(61, 1, 0), Duration::ZERO);
        for window in 62..91 {
            barren.take(&batch(window, 0, 10), Duration::ZERO);
            assert_eq!(barren.failure(Phase::Measure), None, "{window}");
        }
        barren.take(&batch(91, 0, 10), Duration::ZERO);
        let failure = barren.failure(Phase::Measure).expect("it is enough");
        assert!(failure.message.contains("300 x 1213"), "{failure}");
        barren.take(&batch(92, 1, 0), Duration::ZERO);
        assert_eq!(barren.failure(Phase::Measure), None);
    }
}
