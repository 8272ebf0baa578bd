//! When a sysbench run is no result, and what must be said of one that is.

use super::super::note::NoteCode;
use super::super::result::{Tool, ToolRun, TypeCounts};
use super::{Parts, TYPE};
use crate::model::{Metric, MetricId, MetricValue};

/// New-Orders among the transactions of TPC-C's deck of 23 cards.
const NEW_ORDERS: f64 = 10.0 / 23.0;

pub(super) fn judge(run: &mut ToolRun, parts: &Parts) {
    if parts.events_only || parts.summary.other_test.is_some() {
        run.refuse("this is no test of a database: it has events, not transactions", None);
        return;
    }
    // What stands after the totals came from threads that were ending.
    let end = parts.summary_line.filter(|_| parts.summary.whole());
    let fatal: Vec<&(usize, String)> =
        parts.header.fatal.iter().filter(|(line, _)| end.is_none_or(|end| *line < end)).collect();
    if let Some((line, message)) = telling(&fatal) {
        let cause = parts.header.errors.iter().find(|error| error.number != 0);
        let cause = cause.filter(|error| !message.contains(&error.number.to_string()));
        let cause = cause.map_or_else(String::new, |error| format!(" ({})", error.message));
        run.refuse(format!("sysbench gave up: {message}{cause}"), Some(*line));
    }
    warm_up(run, parts);
    if run.refused.is_none() && run.headline.is_none() {
        from_windows(run, parts);
    }
    if run.headline_value() == Some(0.0) {
        run.refuse("no transaction was completed", None);
    }
    if run.headline.is_none() && run.refused.is_none() {
        run.refuse("the output ends before the first figure", Some(run.lines.1));
    }
    if run.refused.is_none() {
        remarks(run, parts);
    }
}

/// The fatal message that says most: the server's words before sysbench's own.
fn telling<'a>(fatal: &[&'a (usize, String)]) -> Option<&'a (usize, String)> {
    let words = ["error", "queue is full", "unable"];
    let rank =
        |message: &str| words.iter().position(|word| message.contains(word)).unwrap_or(words.len());
    fatal.iter().copied().min_by_key(|(_, message)| rank(message))
}

/// A summary counts what happened in the warm-up, which its time may lack: intervals after it are
/// the truth.
fn warm_up(run: &mut ToolRun, parts: &Parts) {
    let Some(warmup) = parts.header.warmup_s.filter(|warmup| *warmup > 0.0) else { return };
    if run.refused.is_some() {
        return;
    }
    let length = run.window_s;
    run.windows.retain(|window| window.end_s > warmup + length / 2.0);
    for window in &mut run.windows {
        window.end_s -= warmup;
    }
    run.headline = None;
    run.rates.clear();
    run.latencies.clear();
    run.types.clear();
    run.measured_s = None;
    if run.windows.is_empty() {
        run.refuse("the summary counts the warm-up, and there are no intervals after it", None);
    } else {
        run.note(
            NoteCode::WarmupCounted,
            format!("{warmup} s of warm-up are in the summary; the figures come from the intervals after it"),
        );
        by_windows(run);
    }
}

/// Throughput by the intervals.
fn by_windows(run: &mut ToolRun) {
    let Some(last) = run.windows.last() else { return };
    let seconds = last.end_s;
    let completed = run.counted_in_windows();
    run.measured_s = Some(seconds);
    run.types.push(TypeCounts { name: TYPE.to_string(), completed, ..TypeCounts::default() });
    if seconds > 0.0 {
        let value = completed as f64 / seconds;
        run.headline = Some(MetricValue { id: MetricId::whole(Metric::Tps), value });
    }
}

/// Without totals the intervals are all there is.
fn from_windows(run: &mut ToolRun, parts: &Parts) {
    if run.windows.is_empty() {
        return;
    }
    by_windows(run);
    let (count, length) = (run.windows.len(), run.window_s);
    let said =
        format!("there is no summary: throughput comes from {count} intervals of {length} s");
    run.note(if parts.csv { NoteCode::FromWindows } else { NoteCode::CutShort }, said);
}

fn remarks(run: &mut ToolRun, parts: &Parts) {
    errors(run, parts);
    let summary = &parts.summary;
    let reconnects =
        summary.reconnects + parts.checkpoints.iter().map(|c| c.reconnects).sum::<u64>();
    if reconnects > 0 {
        run.note(NoteCode::Reconnects, format!("connections were made again {reconnects} times"));
    }
    if let Some(limit) = parts.header.limit {
        run.note(NoteCode::EventBound, format!("the run ended after {limit} events"));
    }
    if let Some(rate) = parts.header.rate {
        run.note(
            NoteCode::OpenLoop,
            format!("{rate} transactions a second were offered; latencies count from the arrival, so they do not compare with a run at full speed"),
        );
    }
    if let Some(seconds) = run.measured_s.filter(|seconds| *seconds < 10.0) {
        run.note(NoteCode::Short, format!("{seconds:.1} s"));
    }
    // In the last interval threads end one by one.
    let before_last = parts.intervals.len().saturating_sub(1);
    let fewest = parts.intervals[..before_last].iter().map(|interval| interval.threads).min();
    if let (Some(asked), Some(fewest)) = (run.clients, fewest)
        && fewest < asked
    {
        run.note(
            NoteCode::ClientsLost,
            format!("{asked} threads were asked for, {fewest} ran at the least"),
        );
    }
    let stalled = run.windows.iter().rev().take_while(|window| window.count() == 0).count();
    if stalled > 1 {
        run.note(NoteCode::Stalled, format!("{stalled} intervals at the end have no transaction"));
    }
    if let (Tool::SysbenchTpcc, Some(tps)) = (run.tool, run.headline_value()) {
        run.note(
            NoteCode::Estimate,
            format!("all five types count; by the deck of 23 cards this is about {:.0} New-Orders a minute", tps * 60.0 * NEW_ORDERS),
        );
    }
    for error in &parts.header.errors {
        run.note(NoteCode::Errors, format!("{}: {} times", error.message, error.count));
    }
}

fn errors(run: &mut ToolRun, parts: &Parts) {
    let Some(of) = run.types.first() else { return };
    let (completed, failed) = (of.completed, of.failed);
    let from_intervals: f64 = parts.intervals.iter().map(|interval| interval.errors).sum();
    if failed == 0
        && (parts.summary.errors.is_some() || from_intervals.is_nan() || from_intervals <= 0.0)
    {
        return;
    }
    if failed == 0 {
        let mean = from_intervals / parts.intervals.len() as f64;
        run.note(NoteCode::IgnoredErrors, format!("{mean:.2} a second, by the intervals"));
        return;
    }
    let rate = run.measured_s.filter(|s| *s > 0.0).map_or(0.0, |s| failed as f64 / s);
    let share = failed as f64 * 100.0 / completed.max(1) as f64;
    if run.tool == Tool::SysbenchTpcc && share < 1.0 {
        run.note(
            NoteCode::Rollbacks,
            format!("{failed} ignored errors are {share:.2} % of the transactions: the intended rollbacks of New-Order are among them"),
        );
    } else {
        run.note(
            NoteCode::IgnoredErrors,
            format!("{failed} transactions ended in an error that is ignored ({rate:.2} a second, {share:.2} %); sysbench does not say which, and their queries stay in queries a second"),
        );
    }
}
