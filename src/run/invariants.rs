//! What must be true of every repetition's own counts, whatever was measured. A repetition that
//! breaks one of these has no number: something in enginecmp counted or timed wrongly.

use super::pool::PoolResult;
use super::recorder::{SpanResult, TypeResult};
use crate::model::{Failure, FailureKind, Phase};
use std::time::Duration;

/// Histograms keep three digits, and means of them are off by as much.
const DIGITS: f64 = 1.01;

fn broken(what: String) -> Failure {
    Failure::new(Phase::Measure, FailureKind::Check, what)
        .next_step("this is a fault of enginecmp: please report it with the journal")
}

/// Counts by type, by window and in the histogram are of the same transactions.
pub(super) fn counts_agree(seen: &SpanResult) -> Result<(), Failure> {
    for (totals, windows) in seen.types.iter().zip(&seen.windows) {
        let skipped = seen.part.map_or(0, |part| part.from as usize);
        let by_window: u64 = windows.count.iter().skip(skipped).sum();
        if totals.completed() != totals.latencies.len() || totals.completed() != by_window {
            return Err(broken(format!(
                "enginecmp's own counts of {} disagree: {} completed, {} latencies, {} in windows",
                totals.name,
                totals.completed(),
                totals.latencies.len(),
                by_window
            )));
        }
    }
    Ok(())
}

/// What figures count as committed was committed: clients count over their whole life, phases what
/// ended in them.
pub(super) fn goodput_within_throughput(result: &PoolResult) -> Result<(), Failure> {
    for (kind, &by_clients) in result.committed.iter().enumerate() {
        let of_kind = || result.spans.iter().filter_map(|span| span.types.get(kind));
        let by_phase: u64 = of_kind().map(|seen| seen.committed).sum();
        if by_phase > by_clients {
            let name = of_kind().next().map_or("a type", |seen| seen.name);
            return Err(broken(format!(
                "goodput above throughput: {by_phase} transactions {name} are counted as committed, \
                 the clients committed {by_clients}"
            )));
        }
    }
    Ok(())
}

/// Little's law (J. D. C. Little, Operations Research 9, 1961) in a closed loop: a client is inside
/// one transaction at a time, so the times of all that ended in a phase fit into clients times
/// length. What began before the phase adds one transaction a client at most.
pub(super) fn littles_law(
    types: &[TypeResult],
    clients: u32,
    length: Duration,
) -> Result<(), Failure> {
    let recorded = || types.iter().filter(|seen| !seen.latencies.is_empty());
    let spent: f64 =
        recorded().map(|seen| seen.latencies.mean() * seen.latencies.len() as f64 / 1e6).sum();
    let longest = recorded().map(|seen| seen.latencies.max()).max().unwrap_or(0) as f64 / 1e6;
    let had = f64::from(clients) * (length.as_secs_f64() + longest);
    if spent > had * DIGITS {
        return Err(broken(format!(
            "Little's law is broken: {clients} clients spent {spent:.1} s in transactions of a \
             phase in which they had {had:.1} s"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::histogram;
    use crate::journal::record::WindowColumns;
    use std::collections::BTreeMap;

    fn seen(committed: u64, us: u64) -> TypeResult {
        let mut latencies = histogram::empty();
        latencies.record_n(us, committed).expect("it grows");
        TypeResult {
            name: "order",
            committed,
            rolled_back: 0,
            retries: BTreeMap::new(),
            errors: BTreeMap::new(),
            latencies,
        }
    }

    fn span(committed: u64, windows: &[u64]) -> SpanResult {
        SpanResult {
            types: vec![seen(committed, 10_000)],
            windows: vec![WindowColumns {
                name: "order".to_string(),
                count: windows.to_vec(),
                ..WindowColumns::default()
            }],
            queue: histogram::empty(),
            part: None,
        }
    }

    #[test]
    fn a_transaction_that_is_in_no_window_fails_the_repetition() {
        assert!(counts_agree(&span(5, &[2, 3])).is_ok());
        let failure = counts_agree(&span(5, &[2, 2])).expect_err("one is lost");
        assert_eq!(failure.kind, FailureKind::Check);
        assert!(failure.message.contains("5 completed, 5 latencies, 4 in windows"));
    }

    #[test]
    fn more_counted_than_committed_fails_the_repetition() {
        let result = |committed| PoolResult {
            spans: vec![span(5, &[5]), span(7, &[7])],
            committed: vec![committed],
            unfinished: vec![0],
            arrived: None,
            ended: None,
        };
        assert!(goodput_within_throughput(&result(12)).is_ok());
        assert!(goodput_within_throughput(&result(13)).is_ok());
        let failure = goodput_within_throughput(&result(11)).expect_err("one was never committed");
        assert!(failure.message.starts_with("goodput above throughput: 12 transactions order"));
    }

    #[test]
    fn more_time_spent_than_clients_had_fails_the_repetition() {
        let second = Duration::from_secs(1);
        assert!(littles_law(&[seen(200, 10_000)], 2, second).is_ok());
        let failure = littles_law(&[seen(230, 10_000)], 2, second).expect_err("it is too much");
        assert!(failure.message.starts_with("Little's law is broken: 2 clients spent 2.3 s"));
        assert!(littles_law(&[seen(0, 1)], 2, second).is_ok());
    }
}
