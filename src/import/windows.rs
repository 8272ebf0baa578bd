//! Intervals of a tool to windows of a journal.

use crate::journal::record::{WindowColumns, WindowsRecord};
use crate::model::count::total;
use crate::model::{CellKey, Phase};
use crate::tools::{Clock, Statistic, ToolRun, Window};

/// The intervals as one record of windows of equal length; nothing without intervals. One interval
/// that was left out is what the others leave of the total; at a longer gap the record ends.
pub(super) fn windows(cell: &CellKey, repetition: u32, run: &ToolRun) -> Option<WindowsRecord> {
    let length = run.window_s;
    if length <= 0.0 || run.windows.is_empty() {
        return None;
    }
    let whole = contiguous(run, length);
    let names: Vec<&str> = whole.first()?.types.iter().map(|of| of.name.as_str()).collect();
    let types = names
        .iter()
        .map(|name| {
            let mut columns =
                WindowColumns { name: (*name).to_string(), ..WindowColumns::default() };
            for window in &whole {
                let of = window.types.iter().find(|of| of.name == *name);
                columns.count.push(of.map_or(0, |of| of.count));
                let latency = |wanted: Statistic| {
                    // Only time that went by is a latency to a reader of the journal.
                    let known = of.filter(|_| run.window_clock == Clock::Wall);
                    known
                        .and_then(|of| of.latencies.iter().find(|(which, _)| *which == wanted))
                        .map_or(0, |(_, seconds)| (seconds * 1e6).round() as u64)
                };
                columns.p95_us.push(latency(Statistic::Permille(950)));
                columns.p99_us.push(latency(Statistic::Permille(990)));
                columns.max_us.push(latency(Statistic::Max));
            }
            columns
        })
        .collect();
    Some(WindowsRecord {
        cell: cell.clone(),
        repetition,
        phase: Phase::Measure,
        round: 1,
        counted: true,
        window_ms: (length * 1000.0).round() as u64,
        types,
    })
}

/// The intervals up to the first gap that cannot be closed.
fn contiguous(run: &ToolRun, length: f64) -> Vec<Window> {
    let mut whole: Vec<Window> = Vec::new();
    let place = |window: &Window| (window.end_s / length).round() as i64;
    let missing: Vec<i64> = {
        let mut expected = 1;
        let mut missing = Vec::new();
        for window in &run.windows {
            let at = place(window);
            missing.extend((expected..at).take(2));
            expected = at.saturating_add(1);
        }
        missing
    };
    for window in &run.windows {
        let expected = whole.len() as i64 + 1;
        let at = place(window);
        if at > expected {
            match missing.as_slice() {
                [one] if *one == expected => match rest(run, expected as f64 * length) {
                    Some(filled) => whole.push(filled),
                    None => break,
                },
                _ => break,
            }
        }
        whole.push(window.clone());
    }
    whole
}

/// The one interval that is missing: what the others leave of the totals.
fn rest(run: &ToolRun, end_s: f64) -> Option<Window> {
    let mut types = run.windows.first()?.types.clone();
    for of in &mut types {
        let whole = run.types.iter().find(|whole| whole.name == of.name)?.completed;
        let others = run.windows.iter().flat_map(|window| &window.types);
        let others = others.filter(|other| other.name == of.name).map(|other| other.count);
        of.count = whole.checked_sub(total(others))?;
        of.latencies.clear();
    }
    Some(Window { end_s, types })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::{Tool, TypeCounts, TypeWindow};

    fn run(counts: &[(f64, u64)], total: u64) -> ToolRun {
        let mut run = ToolRun::new(Tool::Sysbench, (1, 9));
        run.window_s = 1.0;
        run.types =
            vec![TypeCounts { name: "t".into(), completed: total, ..TypeCounts::default() }];
        run.windows = counts
            .iter()
            .map(|(end_s, count)| Window {
                end_s: *end_s,
                types: vec![TypeWindow { name: "t".into(), count: *count, latencies: Vec::new() }],
            })
            .collect();
        run
    }

    fn counts(run: &ToolRun) -> Vec<u64> {
        let key = CellKey::from_pairs([("label", "a")]);
        windows(&key, 1, run).map_or_else(Vec::new, |record| record.types[0].count.clone())
    }

    #[test]
    fn one_interval_that_was_left_out_is_what_the_total_leaves() {
        assert_eq!(counts(&run(&[(1.0, 5), (3.0, 6)], 18)), [5, 7, 6]);
        assert_eq!(counts(&run(&[(1.0, 5), (2.0, 6)], 11)), [5, 6]);
    }

    #[test]
    fn a_gap_that_cannot_be_closed_ends_the_record() {
        assert_eq!(counts(&run(&[(1.0, 5), (4.0, 6)], 18)), [5]);
        assert_eq!(counts(&run(&[(1.0, 5), (3.0, 6)], 2)), [5]);
        assert_eq!(counts(&run(&[], 2)), [] as [u64; 0]);
    }
}
