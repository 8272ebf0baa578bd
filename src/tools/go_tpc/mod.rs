//! Reads what go-tpc prints for TPC-C, of every year since 2020.
//!
//! Each line has the figures of one operation: `[Current]` for the last interval, `[Summary]` for
//! the whole run. `Takes(s)` counts from the operation's own first event, so rates of operations
//! have different bases.

use super::note::NoteCode;
use super::result::{Clock, ErrorSeen, Statistic, Tool, ToolRun, TypeCounts, TypeWindow, Window};
use super::text::{Line, is_amount, patterns, wrapped};
use crate::model::count::total;
use crate::model::{Metric, MetricId, MetricValue};

patterns! {
    BEGINS = r"\[(?:Current|Summary)\]";
    LINE = r"\[(Current|Summary)\]\s*([A-Z_]+)\s*-\s*Takes\(s\):\s*([\d.]+),\s*Count:\s*(\d+),\s*TPM:\s*(-?[\d.]+|NaN|\+?Inf),\s*Sum\(ms\):\s*([\d.]+),\s*Avg\(ms\):\s*(-?[\d.]+|NaN)(.*99\.9th\(ms\):\s*[\d.]+.*)$";
    PERCENTILE = r"([\d.]+)th\(ms\):\s*([\d.]+)";
    MAX = r"Max\(ms\):\s*([\d.]+)";
    RESULT = r"^\W*tpmC:\s*(-?[\d.]+|NaN)(?:,\s*tpmTotal:\s*[\d.]+)?(?:,\s*efficiency:\s*([\d.]+)%)?";
    FINISHED = r"^\W*Finished\b";
    ERROR = r"(?i)error|invalid connection|panic:|execute .* failed";
    NUMBER = r"Error (\d{3,5})";
    THREADS = r"(?:--threads|-T)[= ](\d+)";
    WAREHOUSES = r"--warehouses[= ](\d+)";
}

/// The most New-Orders a minute that a warehouse may have (12.86, clause 4.2 of the standard), by
/// which go-tpc counts efficiency.
const MOST_PER_WAREHOUSE: f64 = 12.86;

/// One line as printed.
struct Operation {
    summary: bool,
    name: String,
    failed: bool,
    takes_s: f64,
    count: u64,
    tpm: f64,
    sum_ms: f64,
    mean_ms: f64,
    latencies: Vec<(Statistic, f64)>,
    /// Percentiles without decimals, as in 2020.
    whole_numbers: bool,
}

/// Reads the lines of one run; nothing when they hold no run.
pub(super) fn read(lines: &[Line]) -> Option<ToolRun> {
    let (first, last) = (lines.first()?, lines.last()?);
    let mut run = ToolRun::new(Tool::GoTpc, (first.number, last.number));
    let mut operations: Vec<Operation> = Vec::new();
    let (mut tpmc, mut finished, mut unwrapped) = (None, false, 0);
    let mut at = 0;
    while at < lines.len() {
        if let Some((text, used)) = wrapped(lines, at, &LINE, &BEGINS)
            && let Some(operation) = operation(&text)
        {
            unwrapped += usize::from(used > 1);
            operations.push(operation);
            at += used;
            continue;
        }
        let text = lines[at].text.as_str();
        if let Some(found) = RESULT.captures(text) {
            let printed: Option<f64> = found[1].parse().ok();
            let efficiency = found.get(2).and_then(|text| text.as_str().parse::<f64>().ok());
            run.warehouses = warehouses(printed, efficiency).or(run.warehouses);
            tpmc = printed;
        }
        finished |= FINISHED.is_match(text);
        if let Some(found) = THREADS.captures(text) {
            run.clients = found[1].parse().ok();
        }
        if let Some(found) = WAREHOUSES.captures(text) {
            run.warehouses = found[1].parse().ok();
        }
        // What comes after the end is the noise of closing connections.
        if !finished && ERROR.is_match(text) {
            error(&mut run, text);
        }
        at += 1;
    }
    if operations.is_empty() && tpmc.is_none() {
        return None;
    }
    run.workload = "go-tpc tpcc".to_string();
    if unwrapped > 0 {
        run.note(NoteCode::Unwrapped, format!("{unwrapped} lines were put together"));
    }
    era(&mut run, &operations);
    windows(&mut run, &operations);
    totals(&mut run, &operations, tpmc);
    judge(&mut run);
    Some(run)
}

fn operation(text: &str) -> Option<Operation> {
    let found = LINE.captures(text)?;
    let number = |group: usize| found[group].parse::<f64>().unwrap_or(f64::NAN);
    let tail = &found[8];
    let mut latencies: Vec<(Statistic, f64)> = PERCENTILE
        .captures_iter(tail)
        .filter_map(|found| {
            Some((
                Statistic::percentile(found[1].parse().ok()?),
                found[2].parse::<f64>().ok()? / 1000.0,
            ))
        })
        .collect();
    latencies.extend(
        MAX.captures(tail)
            .and_then(|found| found[1].parse::<f64>().ok())
            .map(|max| (Statistic::Max, max / 1000.0)),
    );
    let name = found[2].to_string();
    Some(Operation {
        summary: &found[1] == "Summary",
        failed: name.ends_with("_ERR"),
        name: name.trim_end_matches("_ERR").to_lowercase(),
        takes_s: number(3),
        count: found[4].parse().unwrap_or(0),
        tpm: number(5),
        sum_ms: number(6),
        mean_ms: number(7),
        whole_numbers: !found[7].contains('.'),
        latencies,
    })
}

/// Warehouses by the efficiency that was printed.
fn warehouses(tpmc: Option<f64>, efficiency: Option<f64>) -> Option<u32> {
    let count =
        100.0 * tpmc? / (MOST_PER_WAREHOUSE * efficiency.filter(|percent| *percent > 0.0)?);
    (count.is_finite() && count >= 0.5).then(|| count.round() as u32)
}

fn error(run: &mut ToolRun, text: &str) {
    let number = NUMBER.captures(text).and_then(|found| found[1].parse().ok()).unwrap_or(0);
    let message: String = text.trim().chars().take(200).collect();
    let known = run
        .errors
        .iter()
        .position(|known| known.number == number && (number != 0 || known.message == message));
    match known {
        Some(known) => run.errors[known].count += 1,
        None if run.errors.len() < 50 => run.errors.push(ErrorSeen { number, message, count: 1 }),
        None => {}
    }
}

fn era(run: &mut ToolRun, operations: &[Operation]) {
    let wrong_unit = operations.iter().any(means_lost_their_unit);
    run.era = if operations.iter().any(|operation| operation.whole_numbers) {
        "2020"
    } else if wrong_unit {
        "2021"
    } else {
        "since 2021"
    }
    .to_string();
    if run.era == "2020" {
        run.note(NoteCode::WideBuckets, "percentiles are edges of buckets that double in width");
    } else if !wrong_unit {
        run.note(NoteCode::WideBuckets, "percentiles have one significant digit");
    }
    if wrong_unit {
        run.note(
            NoteCode::MeanFromSum,
            "averages are in another unit than they say; sum and count are right",
        );
        run.note(
            NoteCode::PercentileUnit,
            "percentiles and longest are in another unit than they say",
        );
    }
}

/// Whether the average is far from what sum and count make of it.
fn means_lost_their_unit(operation: &Operation) -> bool {
    let mean = operation.sum_ms / operation.count as f64;
    mean.is_finite() && operation.mean_ms.is_finite() && operation.mean_ms * 10.0 < mean - 1.0
}

fn windows(run: &mut ToolRun, operations: &[Operation]) {
    let mut window = Window::default();
    let mut lengths: Vec<f64> = Vec::new();
    let mut length: f64 = 0.0;
    let mut close = |run: &mut ToolRun, window: &mut Window, length: f64| {
        if window.types.is_empty() {
            return;
        }
        let before = run.windows.last().map_or(0.0, |window| window.end_s);
        window.end_s = before + length;
        lengths.push(length);
        run.windows.push(std::mem::take(window));
    };
    for current in operations.iter().filter(|operation| !operation.summary && !operation.failed) {
        // An operation that comes again is of the next interval.
        if window.types.iter().any(|of| of.name == current.name) {
            close(run, &mut window, length);
            length = 0.0;
        }
        length = length.max(current.takes_s.round());
        let latencies =
            if means_lost_their_unit(current) { Vec::new() } else { current.latencies.clone() };
        window.types.push(TypeWindow {
            name: current.name.clone(),
            count: current.count,
            latencies,
        });
    }
    close(run, &mut window, length);
    run.window_s = lengths.iter().copied().fold(0.0, f64::max);
}

fn totals(run: &mut ToolRun, operations: &[Operation], tpmc: Option<f64>) {
    let mut bases: Vec<f64> = Vec::new();
    for operation in operations.iter().filter(|operation| operation.summary) {
        if !run.types.iter().any(|of| of.name == operation.name) {
            run.types.push(TypeCounts { name: operation.name.clone(), ..TypeCounts::default() });
        }
        let Some(of) = run.types.iter_mut().find(|of| of.name == operation.name) else { continue };
        if operation.failed {
            of.failed = operation.count;
            continue;
        }
        of.completed = operation.count;
        bases.push(operation.takes_s);
        if operation.count == 0 {
            continue;
        }
        let name = operation.name.as_str();
        let mean = operation.sum_ms / operation.count as f64 / 1000.0;
        run.latency(Statistic::Mean, Some(name), mean, Clock::Wall);
        if means_lost_their_unit(operation) {
            continue;
        }
        for (statistic, seconds) in &operation.latencies {
            run.latency(*statistic, Some(name), *seconds, Clock::Wall);
        }
    }
    run.measured_s = bases.iter().copied().reduce(f64::max);
    let least = bases.iter().copied().fold(f64::INFINITY, f64::min);
    if run.measured_s.is_some_and(|most| most - least > 1.0) {
        run.note(
            NoteCode::UnlikeBases,
            format!(
                "operations count from their own first event: {least} s to {} s",
                run.measured_s.unwrap_or_default()
            ),
        );
    }
    let new_order = operations
        .iter()
        .find(|operation| operation.summary && !operation.failed && operation.name == "new_order");
    let value = tpmc.filter(|tpmc| is_amount(*tpmc));
    let value = value.or_else(|| Some(new_order?.tpm).filter(|tpm| is_amount(*tpm)));
    if let Some(value) = value {
        run.headline = Some(MetricValue { id: MetricId::whole(Metric::Tpmc), value });
    } else {
        from_windows(run);
    }
}

/// Without a summary the intervals are all there is.
fn from_windows(run: &mut ToolRun) {
    let Some(last) = run.windows.last() else { return };
    let seconds = last.end_s;
    let count = |name: &str| -> u64 {
        let types = run.windows.iter().flat_map(|w| &w.types);
        total(types.filter(|of| of.name == name).map(|of| of.count))
    };
    let mut names: Vec<String> = Vec::new();
    for of in run.windows.iter().flat_map(|window| &window.types) {
        if !names.contains(&of.name) {
            names.push(of.name.clone());
        }
    }
    run.types = names
        .iter()
        .map(|name| TypeCounts {
            name: name.clone(),
            completed: count(name),
            ..TypeCounts::default()
        })
        .collect();
    if seconds > 0.0 {
        let value = count("new_order") as f64 * 60.0 / seconds;
        run.headline = Some(MetricValue { id: MetricId::whole(Metric::Tpmc), value });
    }
    run.measured_s = Some(seconds);
    let windows = run.windows.len();
    run.note(
        NoteCode::CutShort,
        format!("there is no summary: the figures come from {windows} intervals"),
    );
}

fn judge(run: &mut ToolRun) {
    let completed = total(run.types.iter().map(|of| of.completed));
    let failed = total(run.types.iter().map(|of| of.failed));
    let orders = run.types.iter().find(|of| of.name == "new_order").map_or(0, |of| of.completed);
    if completed == 0 && failed > 0 {
        run.refuse(format!("all {failed} transactions failed"), None);
    } else if !run.types.is_empty() && orders == 0 {
        run.refuse("no New-Order was completed", None);
    } else if run.headline.is_none() {
        run.refuse("the output ends before the first figure", Some(run.lines.1));
    }
    if run.refused.is_some() {
        return;
    }
    if failed > 0 {
        let share = failed as f64 * 100.0 / (completed + failed) as f64;
        run.note(
            NoteCode::IgnoredErrors,
            format!(
                "{failed} transactions ended in an error ({share:.3} %) and were not tried again"
            ),
        );
    }
    if let Some(seconds) = run.measured_s.filter(|seconds| *seconds < 10.0) {
        run.note(NoteCode::Short, format!("{seconds:.1} s"));
    }
    for error in run.errors.clone() {
        run.note(NoteCode::Errors, format!("{}: {} times", error.message, error.count));
    }
}
