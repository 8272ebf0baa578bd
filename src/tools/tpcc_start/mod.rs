//! Reads what tpcc-mysql's `tpcc_start` prints, of every year since 2008, and its port to Java.

mod era;
mod interval;
mod repair;
mod totals;

pub(super) use interval::time_at;

use super::note::NoteCode;
use super::result::{Clock, Statistic, Tool, ToolRun, TypeCounts, Window};
use super::text::Line;
use crate::model::count::total;
use crate::model::{Metric, MetricId, MetricValue};
use era::Era;
use interval::Interval;
use totals::{Counts, Totals};

/// Transaction types in the order of the tool.
const TYPES: [&str; 5] = ["new_order", "payment", "order_status", "delivery", "stock_level"];

/// Seconds within which a transaction type must answer (clause 5.2.5.3 of the standard).
const LIMITS_S: [f64; 5] = [5.0, 5.0, 5.0, 80.0, 20.0];

/// Reads the lines of one run; nothing when they hold no run.
pub(super) fn read(lines: &[Line]) -> Option<ToolRun> {
    let (first, last) = (lines.first()?, lines.last()?);
    let mut totals = Totals::default();
    let mut intervals: Vec<Interval> = Vec::new();
    let mut at = 0;
    let mut unwrapped = 0;
    while at < lines.len() {
        if let Some(interval) = interval::at(lines, at) {
            at += interval.lines;
            unwrapped += usize::from(interval.lines > 1);
            intervals.push(interval);
        } else {
            totals.read(&lines[at]);
            at += 1;
        }
    }
    let nothing = intervals.is_empty() && totals.first.is_empty() && totals.tpmc.is_none();
    if nothing && totals.broken.is_none() && totals.parameters.is_empty() {
        return None;
    }
    let mut run = ToolRun::new(Tool::TpccStart, (first.number, last.number));
    describe(&mut run, &totals);
    if unwrapped > 0 {
        run.note(NoteCode::Unwrapped, format!("{unwrapped} intervals stood on several lines"));
    }
    let era = intervals.first().map(|interval| interval.shape.era());
    run.era = match era {
        Some(era) => era.years.to_string(),
        None if totals.by_name => "port to Java".to_string(),
        None => "without intervals".to_string(),
    };
    if let Some(era) = era {
        let shape = intervals[0].shape;
        intervals.retain(|interval| interval.shape == shape);
        windows(&mut run, &intervals, era, &totals);
    }
    result(&mut run, &totals, era);
    repair::refuse(&mut run, &totals, lines);
    Some(run)
}

/// What was asked for.
fn describe(run: &mut ToolRun, totals: &Totals) {
    run.workload = "tpcc tpcc_mysql".to_string();
    if let Some(ratio) = totals.parameters.get("ratio") {
        run.workload = format!("tpcc tpcc_mysql, ratio {ratio}");
    }
    run.options = totals
        .parameters
        .iter()
        .filter(|(name, value)| !matches!(name.as_str(), "-p" | "-u") && !value.is_empty())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    run.clients = totals.number("connection", "-c").map(|number| number as u32);
    run.warehouses = totals.number("warehouse", "-w").map(|number| number as u32);
    run.warmup_s = totals.number("rampup", "-r");
    run.errors.clone_from(&totals.errors);
    run.errors.sort_by_key(|error| std::cmp::Reverse(error.count));
}

/// The intervals, without what holds no truth.
fn windows(run: &mut ToolRun, intervals: &[Interval], era: Era, totals: &Totals) {
    run.window_clock = era.clock;
    let mut before = 0.0;
    let mut lengths: Vec<f64> = Vec::new();
    let (mut full, mut impossible) = (0, 0);
    for (index, interval) in intervals.iter().enumerate() {
        let mut window: Window = interval.window.clone();
        lengths.push(window.end_s - before);
        before = window.end_s;
        // More than a thousand million transactions in an interval: a counter went round.
        if interval.counts.iter().any(|count| !(0..1_000_000_000).contains(count)) {
            impossible += 1;
            continue;
        }
        for (of, count) in window.types.iter_mut().zip(&interval.counts) {
            of.count = u64::try_from(*count).unwrap_or(0);
            let count = of.count;
            of.latencies.retain_mut(|(statistic, value)| {
                if *statistic == Statistic::Permille(0) {
                    let Some(known) = era.percentile else { return false };
                    *statistic = known;
                }
                let at_end = *statistic != Statistic::Max
                    && era.histogram_end.is_some_and(|end| *value >= end);
                full += u32::from(at_end);
                *value /= era.per_second;
                value.is_finite() && count > 0 && !at_end
            });
            if index == 0 && run.warmup_s != Some(0.0) {
                of.latencies.clear();
            }
        }
        run.windows.push(window);
    }
    run.window_s = common(&lengths);
    match era.clock {
        Clock::ClientCpu => run
            .note(NoteCode::CpuTime, "this release stops the clock while it waits for the server"),
        Clock::Ticks => run.note(NoteCode::TickTime, "retries are not in them"),
        Clock::Wall => {}
    }
    if !run.windows.is_empty() && run.warmup_s != Some(0.0) {
        run.note(
            NoteCode::FirstWindow,
            "its percentiles and longest latencies say nothing of measuring",
        );
    }
    if let (true, Some(end)) = (full > 0, era.histogram_end) {
        let unit = if era.per_second > 1.0 { "ms" } else { "s" };
        run.note(
            NoteCode::HistogramFull,
            format!("{full} percentiles stand at {end} {unit}, where the histogram ends"),
        );
    }
    if impossible > 0 {
        run.note(NoteCode::Overflow, format!("{impossible} intervals have counts that cannot be"));
    }
    if totals.whole_run.is_empty() {
        longest(run, era.clock);
    }
}

/// The longest latencies from the second interval on.
fn longest(run: &mut ToolRun, clock: Clock) {
    for name in TYPES {
        let max = run
            .windows
            .iter()
            .flat_map(|window| &window.types)
            .filter(|of| of.name == name)
            .flat_map(|of| &of.latencies)
            .filter(|(statistic, _)| *statistic == Statistic::Max)
            .map(|(_, seconds)| *seconds)
            .reduce(f64::max);
        if let Some(max) = max {
            run.latency(Statistic::Max, Some(name), max, clock);
        }
    }
}

/// The most frequent of `lengths`.
fn common(lengths: &[f64]) -> f64 {
    let often = |length: &f64| lengths.iter().filter(|other| *other == length).count();
    lengths.iter().copied().max_by_key(often).unwrap_or(0.0)
}

/// Totals, the result and what must be said about them.
fn result(run: &mut ToolRun, totals: &Totals, era: Option<Era>) {
    for (index, percentile, max) in &totals.whole_run {
        let name = TYPES.get(*index).copied();
        run.latency(Statistic::Permille(900), name, *percentile, Clock::Ticks);
        run.latency(Statistic::Max, name, *max, Clock::Ticks);
    }
    let Some(counts) = totals.best() else {
        from_windows(run);
        return;
    };
    run.measured_s = totals.seconds.or_else(|| run.windows.last().map(|window| window.end_s));
    let clock = era.map_or(Clock::Wall, |era| era.clock);
    let limits = repair::limits(totals);
    for (index, of) in counts.iter().enumerate() {
        let late = repair::late(run, index, of, clock, limits[index]);
        run.types.push(TypeCounts {
            name: TYPES[index].to_string(),
            completed: u64::try_from(of.completed()).unwrap_or(0),
            late,
            retried: u64::try_from(of.retried).unwrap_or(0),
            failed: u64::try_from(of.failed).unwrap_or(0),
        });
    }
    let Some(seconds) = run.measured_s.filter(|seconds| *seconds > 0.0) else { return };
    let tpmc = per_minute(&counts[0], seconds);
    repair::lost_updates(run, totals, &counts, tpmc);
    run.headline = Some(MetricValue { id: MetricId::whole(Metric::Tpmc), value: tpmc });
    repair::late_unit(run, &counts, clock, limits);
    repair::means(run, totals, seconds);
}

/// New-Orders a minute, in the single precision that the tool computes with.
fn per_minute(counts: &Counts, seconds: f64) -> f64 {
    f64::from((counts.completed() as f32 * 60.0) / seconds as f32)
}

/// Without totals the intervals are all there is.
fn from_windows(run: &mut ToolRun) {
    let Some(last) = run.windows.last() else { return };
    let seconds = last.end_s;
    run.measured_s = Some(seconds);
    for name in TYPES {
        let count = |window: &Window| -> u64 {
            total(window.types.iter().filter(|of| of.name == name).map(|of| of.count))
        };
        run.types.push(TypeCounts {
            name: name.to_string(),
            completed: total(run.windows.iter().map(count)),
            ..TypeCounts::default()
        });
    }
    if seconds > 0.0 {
        let value = run.types[0].completed as f64 * 60.0 / seconds;
        run.headline = Some(MetricValue { id: MetricId::whole(Metric::Tpmc), value });
    }
    let (windows, length) = (run.windows.len(), run.window_s);
    run.note(
        NoteCode::CutShort,
        format!("there are no totals: the figures come from {windows} intervals of {length} s"),
    );
}
