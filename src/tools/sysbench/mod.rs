//! Reads what sysbench 0.4, 0.5, 1.0 and 1.1 print, and sysbench-tpcc with and without CSV.

mod header;
mod interval;
mod judge;
mod shape;
mod summary;

pub(super) use interval::time_at;

use super::note::NoteCode;
use super::result::{Clock, Statistic, Tool, ToolRun, TypeCounts};
use super::text::{Line, patterns};
use crate::model::{Metric, MetricId, MetricValue};
use header::Header;
use interval::Interval;
use summary::Summary;

/// sysbench tells no types of transactions apart.
const TYPE: &str = "transaction";

patterns! {
    CSV_HEAD = r"^\W*time,threads,tps,qps";
    CHECKPOINT = r"\[\s*\d+s\s*\]\s*Checkpoint report:";
    EVENT_LINE = r"\[\s*\d+s\s*\]\s*thds:\s*\d+\s*eps:";
}

/// Everything read of one run.
#[derive(Default)]
struct Parts {
    header: Header,
    intervals: Vec<Interval>,
    /// Totals at checkpoints, in order.
    checkpoints: Vec<Summary>,
    /// Totals at the end.
    summary: Summary,
    /// The first line of the totals at the end.
    summary_line: Option<usize>,
    csv: bool,
    unwrapped: usize,
    /// A test without a database.
    events_only: bool,
}

/// Reads the lines of one run; nothing when they hold no run.
pub(super) fn read(lines: &[Line]) -> Option<ToolRun> {
    let (first, last) = (lines.first()?, lines.last()?);
    let mut parts = Parts::default();
    let mut at = 0;
    let mut checkpoint = false;
    while at < lines.len() {
        let line = &lines[at];
        if CSV_HEAD.is_match(&line.text) {
            parts.csv = true;
        } else if let Some(interval) = interval::at(lines, at, parts.csv) {
            parts.unwrapped += usize::from(interval.lines > 1);
            at += interval.lines;
            if checkpoint {
                parts.checkpoints.push(std::mem::take(&mut parts.summary));
                parts.summary_line = None;
                checkpoint = false;
            }
            parts.intervals.push(interval);
            continue;
        } else if CHECKPOINT.is_match(&line.text) {
            checkpoint = true;
        } else {
            parts.events_only |= EVENT_LINE.is_match(&line.text);
            if Summary::begins(line) {
                // Two checkpoints, or a checkpoint and the end, without an interval between.
                if parts.summary.whole() {
                    parts.checkpoints.push(std::mem::take(&mut parts.summary));
                    checkpoint = false;
                }
                parts.summary_line = Some(line.number);
            }
            if parts.summary.read(line) {
                parts.summary_line.get_or_insert(line.number);
            } else {
                parts.header.read(line);
            }
        }
        at += 1;
    }
    if checkpoint && parts.summary.whole() {
        parts.checkpoints.push(std::mem::take(&mut parts.summary));
        parts.summary_line = None;
    }
    let nothing = parts.intervals.is_empty() && parts.summary == Summary::default();
    if nothing && parts.header.version.is_none() && parts.header.threads.is_none() {
        return None;
    }
    Some(assemble(&parts, (first.number, last.number)))
}

fn assemble(parts: &Parts, lines: (usize, usize)) -> ToolRun {
    let each = queries_each(parts);
    let of_tpcc = parts.csv
        || parts.header.of_tpcc
        || parts.intervals.iter().any(|interval| interval.of_tpcc)
        || each.is_some_and(shape::is_tpcc);
    let mut run = ToolRun::new(if of_tpcc { Tool::SysbenchTpcc } else { Tool::Sysbench }, lines);
    describe(&mut run, parts, each);
    if parts.unwrapped > 0 {
        run.note(
            NoteCode::Unwrapped,
            format!("{} intervals stood on several lines", parts.unwrapped),
        );
    }
    windows(&mut run, parts);
    totals(&mut run, parts);
    judge::judge(&mut run, parts);
    run
}

/// Queries a transaction, by the totals or by the intervals.
fn queries_each(parts: &Parts) -> Option<[f64; 3]> {
    if let Some((transactions, _)) = parts.summary.transactions.filter(|(count, _)| *count > 0) {
        let [read, write, other] = parts.summary.queries;
        let each = |count: Option<u64>| count.map(|count| count as f64 / transactions as f64);
        return Some([each(read)?, each(write)?, each(other)?]);
    }
    let sum = |of: fn(&Interval) -> Option<f64>| -> Option<f64> {
        parts.intervals.iter().filter(|interval| interval.possible()).map(of).sum()
    };
    let transactions = sum(|interval| Some(interval.tps)).filter(|sum| *sum > 0.0)?;
    let [read, write, other]: [fn(&Interval) -> Option<f64>; 3] =
        [|i| i.queries[0], |i| i.queries[1], |i| i.queries[2]];
    Some([sum(read)? / transactions, sum(write)? / transactions, sum(other)? / transactions])
}

/// What was asked for.
fn describe(run: &mut ToolRun, parts: &Parts, each: Option<[f64; 3]>) {
    let header = &parts.header;
    run.era = header.version.clone().unwrap_or_else(|| {
        let summary = &parts.summary;
        match () {
            () if summary.eps.is_some() => "1.1",
            () if summary.requests.is_some() && !parts.intervals.is_empty() => "0.5",
            () if summary.requests.is_some() => "0.4",
            () => "1.0",
        }
        .to_string()
    });
    let release = shape::release(&run.era);
    let completed = parts.summary.transactions.map_or(0, |(count, _)| count).max(1);
    let failed = parts.summary.errors.map_or(0, |(count, _)| count) as f64 / completed as f64;
    let (workload, assumed) = shape::workload(header, &release, each, failed);
    run.workload = workload;
    if run.tool == Tool::SysbenchTpcc {
        run.workload = format!("sysbench-tpcc on sysbench {release}");
        run.warehouses = header.arguments.get("scale").and_then(|scale| scale.parse().ok());
    } else if assumed {
        run.note(
            NoteCode::DistributionUnsaid,
            "only the command line has it, and another makes other figures",
        );
    }
    run.options.clone_from(&header.arguments);
    run.clients = header.threads;
    run.warmup_s = header.warmup_s;
    run.errors.clone_from(&header.errors);
    run.errors.sort_by_key(|error| std::cmp::Reverse(error.count));
}

fn windows(run: &mut ToolRun, parts: &Parts) {
    let mut before = 0.0;
    let mut impossible = 0;
    for interval in &parts.intervals {
        let length = interval.end_s - before;
        before = interval.end_s;
        if !interval.possible() || length <= 0.0 {
            impossible += 1;
            continue;
        }
        if run.window_s == 0.0 {
            run.window_s = length;
        }
        run.windows.push(interval.window(length));
    }
    if impossible > 0 {
        run.note(
            NoteCode::Overflow,
            format!(
                "{impossible} intervals have figures that cannot be; the summary has the total"
            ),
        );
    }
}

/// The figures of the summary.
fn totals(run: &mut ToolRun, parts: &Parts) {
    let mut summary = parts.summary.clone();
    if !summary.whole() {
        return;
    }
    for checkpoint in &parts.checkpoints {
        summary.after(checkpoint);
    }
    if !parts.checkpoints.is_empty() {
        run.note(
            NoteCode::Checkpoint,
            format!(
                "counters begin anew at each of {} checkpoints; counts were added up, percentiles cannot be",
                parts.checkpoints.len()
            ),
        );
    }
    let Some((transactions, printed)) = summary.transactions else { return };
    let seconds = summary.seconds.or_else(|| {
        let eps = summary.eps.filter(|eps| *eps > 0.0)?;
        Some(summary.events? as f64 / eps)
    });
    run.measured_s = seconds;
    let counted = seconds.filter(|seconds| *seconds > 0.0).map(|s| transactions as f64 / s);
    let errors = summary.errors.map_or(0, |(count, _)| count);
    run.types.push(TypeCounts {
        name: TYPE.to_string(),
        completed: transactions,
        failed: errors,
        ..TypeCounts::default()
    });
    let Some(tps) = rate(run, printed, counted) else { return };
    run.headline = Some(MetricValue { id: MetricId::whole(Metric::Tps), value: tps });
    let per_second = |count: Option<u64>| -> Option<f64> {
        Some(count? as f64 / seconds.filter(|seconds| *seconds > 0.0)?)
    };
    let requests = summary.requests.or_else(|| {
        per_second(summary.queries[0].zip(summary.queries[1]).map(|(read, write)| read + write))
    });
    let others = summary.others.or_else(|| per_second(summary.queries[2]));
    for (metric, value) in
        [(Metric::ReadWriteRequests, requests), (Metric::OtherOperations, others)]
    {
        run.rates.extend(value.map(|value| MetricValue { id: MetricId::whole(metric), value }));
    }
    latencies(run, &summary);
}

/// The printed rate; the one by the counts where they disagree by more than 2 %, as they do when a
/// rate has another time under it.
fn rate(run: &mut ToolRun, printed: Option<f64>, counted: Option<f64>) -> Option<f64> {
    let (Some(printed), Some(counted)) = (printed, counted) else { return printed.or(counted) };
    if (printed - counted).abs() <= counted.abs() * 0.02 + 0.01 {
        return Some(printed);
    }
    run.note(
        NoteCode::RateFromCounts,
        format!("printed were {printed:.2}/s, counts and time make {counted:.2}/s"),
    );
    Some(counted)
}

fn latencies(run: &mut ToolRun, summary: &Summary) {
    if let Some(mean) = summary.mean_ms {
        run.latency(Statistic::Mean, None, mean / 1000.0, Clock::Wall);
    }
    if let Some((percent, ms)) = summary.percentile {
        if ms >= summary::HISTOGRAM_END_MS {
            run.note(
                NoteCode::HistogramFull,
                format!("the {percent}th percentile stands at {ms} ms, where the histogram ends"),
            );
        } else if percent > 0.0 {
            run.latency(Statistic::percentile(percent), None, ms / 1000.0, Clock::Wall);
        }
    }
    if let Some(max) = summary.max_ms {
        run.latency(Statistic::Max, None, max / 1000.0, Clock::Wall);
    }
}
