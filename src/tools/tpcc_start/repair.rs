//! Known defects of `tpcc_start`'s summary: what can be made right, and when there is no result.

use super::super::note::NoteCode;
use super::super::result::{Clock, Statistic, ToolRun};
use super::super::text::Line;
use super::totals::{Counts, Totals};
use super::{LIMITS_S, TYPES};
use crate::model::count::total;

/// The limits that were asked for on the command line, milliseconds.
pub(super) fn limits(totals: &Totals) -> [Option<f64>; 5] {
    std::array::from_fn(|index| {
        totals.parameters.get(&format!("-{index}")).and_then(|text| text.trim().parse().ok())
    })
}

/// How many of a type were late. The default limits are seconds that the tool compares with
/// milliseconds; limits that the user gave are milliseconds, and mean what they say.
pub(super) fn late(
    run: &ToolRun,
    index: usize,
    counts: &Counts,
    clock: Clock,
    asked: Option<f64>,
) -> Option<u64> {
    let printed = u64::try_from(counts.late).ok();
    match clock {
        Clock::Ticks => printed,
        Clock::ClientCpu => None,
        Clock::Wall if asked.is_some() => printed,
        // None can be late when the longest, ramp-up included, was in time.
        Clock::Wall => {
            let longest = run
                .windows
                .iter()
                .skip(1)
                .flat_map(|window| &window.types)
                .filter(|of| of.name == TYPES[index])
                .flat_map(|of| &of.latencies)
                .filter(|(statistic, _)| *statistic == Statistic::Max)
                .map(|(_, seconds)| *seconds)
                .reduce(f64::max)?;
            (longest < LIMITS_S[index]).then_some(0)
        }
    }
}

/// Says that late counts were in the wrong unit, where there were any.
pub(super) fn late_unit(
    run: &mut ToolRun,
    counts: &[Counts],
    clock: Clock,
    asked: [Option<f64>; 5],
) {
    if clock == Clock::Ticks {
        return;
    }
    let wrong: i64 = counts
        .iter()
        .zip(asked)
        .filter(|(_, asked)| asked.is_none())
        .map(|(counts, _)| counts.late.max(0))
        .fold(0, i64::saturating_add);
    if wrong > 0 {
        run.note(
            NoteCode::LateUnit,
            format!(
                "{wrong} transactions count as late because limits in seconds are compared with milliseconds; they are counted as completed, and `[NG]` says nothing"
            ),
        );
    }
}

/// The first block and the result are made from counters that threads share without care.
pub(super) fn lost_updates(run: &mut ToolRun, totals: &Totals, counts: &[Counts], tpmc: f64) {
    let all = |counts: &mut dyn Iterator<Item = &Counts>| {
        counts.map(Counts::completed).fold(0, i64::saturating_add)
    };
    let first = all(&mut totals.first.iter().flatten());
    let sum = all(&mut counts.iter());
    let lost = sum.saturating_sub(first);
    let printed = totals.tpmc.filter(|printed| printed.is_finite());
    let other = printed.filter(|printed| (printed - tpmc).abs() > tpmc.abs() * 1e-6 + 0.0006);
    if totals.sum.is_empty() || (lost == 0 && other.is_none()) {
        return;
    }
    let mut said = format!("the shared counters miss {lost} of {sum} transactions");
    if let Some(printed) = other {
        said =
            format!("{said}; printed were {printed:.3} TpmC, all threads together made {tpmc:.3}");
    }
    run.note(NoteCode::LostUpdates, said);
}

/// `avg_rt` divides the time of ramp-up and measuring by the count of measuring alone.
pub(super) fn means(run: &mut ToolRun, totals: &Totals, seconds: f64) {
    let Some(warmup) = run.warmup_s else { return };
    let share = seconds / (warmup + seconds);
    let mut busy = 0.0;
    for (index, counts) in totals.first.iter().enumerate() {
        let Some(counts) = counts else { continue };
        let Some(mean) = counts.mean_ms.filter(|mean| mean.is_finite() && *mean > 0.0) else {
            continue;
        };
        let mean = mean / 1000.0 * share;
        busy += mean * counts.completed() as f64;
        run.latency(Statistic::Mean, Some(TYPES[index]), mean, Clock::Wall);
    }
    if busy == 0.0 {
        return;
    }
    if warmup > 0.0 {
        run.note(
            NoteCode::MeanInflated,
            format!("avg_rt counts {warmup} s of ramp-up; each was multiplied with {share:.4}"),
        );
    }
    // Little's law: clients are always in a transaction.
    let Some(clients) = run.clients.filter(|clients| *clients > 0) else { return };
    let part = busy / (f64::from(clients) * seconds);
    if !(0.5..=1.5).contains(&part) {
        run.note(
            NoteCode::LittlesLaw,
            format!("transactions took {:.0} % of the time of {clients} clients", part * 100.0),
        );
    }
}

/// Shares of the mix that the standard asks for, percent (clause 5.2.3).
const SHARES: [f64; 5] = [0.0, 43.0, 4.0, 4.0, 4.0];

/// Refuses a run that is no result.
pub(super) fn refuse(run: &mut ToolRun, totals: &Totals, lines: &[Line]) {
    let said = |what: &str| match run_error(totals) {
        Some(error) => format!("{what}: {error}"),
        None => what.to_string(),
    };
    let completed = total(run.types.iter().map(|of| of.completed));
    let failed = total(run.types.iter().map(|of| of.failed));
    if let Some(line) = totals.broken {
        run.refuse(said("a client could not connect or prepare its statements"), Some(line));
    }
    if failed > 0 && completed == 0 {
        run.refuse(said(&format!("all {failed} transactions failed")), None);
    } else if failed > 0 {
        run.refuse(
            said(&format!("{failed} transactions were given up after 2000 tries each")),
            None,
        );
    }
    if let (Some(ended), Some(clients), true) = (totals.ended, run.clients, totals.best().is_some())
        && ended < clients as usize
    {
        run.refuse(said(&format!("{ended} of {clients} clients ended as they should")), None);
    }
    if !run.types.is_empty() && run.types[0].completed == 0 {
        run.refuse(said("no New-Order was completed"), None);
    }
    if totals.tpmc.is_some_and(|tpmc| !tpmc.is_finite()) {
        run.refuse("the result is no number: the measured time or every count is 0", None);
    }
    if totals.seconds == Some(0.0) {
        run.refuse("nothing was measured: the measured time is shorter than an interval", None);
    }
    if run.headline.is_none() {
        run.refuse(said("the output ends before the first figure"), lines.last().map(|l| l.number));
    }
    if run.refused.is_none() && completed >= 1000 {
        mix(run, completed);
    }
    if run.refused.is_none() {
        remarks(run, totals);
    }
}

fn run_error(totals: &Totals) -> Option<String> {
    let error = totals.errors.iter().max_by_key(|error| error.count)?;
    Some(format!("{} {} (seen {} times)", error.number, error.message, error.count))
}

fn mix(run: &mut ToolRun, completed: u64) {
    let wrong: Vec<String> = run
        .types
        .iter()
        .zip(SHARES)
        .filter_map(|(of, least)| {
            let share = 100.0 * of.completed as f64 / completed as f64;
            (share < least).then(|| format!("{} {share:.2} % of at least {least} %", of.name))
        })
        .collect();
    if !wrong.is_empty() {
        run.refuse(
            format!("the mix is not TPC-C's, which makes TpmC too high: {}", wrong.join(", ")),
            None,
        );
    }
}

fn remarks(run: &mut ToolRun, totals: &Totals) {
    if run.measured_s.is_some_and(|seconds| seconds < 10.0) {
        run.note(NoteCode::Short, format!("{} s", run.measured_s.unwrap_or_default()));
    }
    let stalled = run.windows.iter().rev().take_while(|window| window.count() == 0).count();
    if stalled > 0 {
        run.note(NoteCode::Stalled, format!("{stalled} intervals at the end have no transaction"));
    }
    for error in &totals.errors {
        run.note(
            NoteCode::Errors,
            format!("{} {}: {} times", error.number, error.message, error.count),
        );
    }
}
