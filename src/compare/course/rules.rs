//! What counts as a cause: for each signal, when it has moved and how to say it.

use super::Cause;
use super::series::{Series, Stretch};
use crate::model::units::{grouped, human_bytes};
use crate::model::{Signal, SignalUnit};

/// A redo log as full as this makes InnoDB flush in haste (its asynchronous limit is seven eighths
/// of its synchronous one).
const NEARLY_FULL: f64 = 0.85;

/// When a signal has moved.
#[derive(Clone, Copy, Debug)]
enum Test {
    /// It fills most of another signal, whether it does so always or not: writers wait.
    Fills {
        /// What it fills.
        of: Signal,
        /// From which share on.
        share: f64,
    },
    /// It stands at this level or above, and well above its usual one.
    Stands {
        /// The least.
        least: f64,
    },
    /// It counts this much a second or more, and twice as much as usual.
    Counts {
        /// The least, a second.
        least: f64,
    },
    /// It takes this much more of a processor's or device's time than usual, a second.
    Takes {
        /// The least, in its unit.
        more: f64,
    },
    /// Its number changed within the dip.
    Changes,
}

/// A rule: the signal, when it has moved, and how much that explains beside others.
struct Rule(Signal, Test, f64);

const RULES: &[Rule] = &[
    Rule(Signal::RedoAge, Test::Fills { of: Signal::RedoCapacity, share: NEARLY_FULL }, 5.0),
    Rule(Signal::LogWaits, Test::Counts { least: 1.0 }, 3.0),
    Rule(Signal::FreePageWaits, Test::Counts { least: 1.0 }, 3.0),
    Rule(Signal::WriteStops, Test::Counts { least: 0.3 }, 4.0),
    Rule(Signal::WriteStall, Test::Counts { least: 50_000.0 }, 4.0),
    Rule(Signal::WriteSlowdowns, Test::Counts { least: 1.0 }, 3.0),
    Rule(Signal::LevelZeroFiles, Test::Stands { least: 12.0 }, 2.0),
    Rule(Signal::CompactionsPending, Test::Stands { least: 1.0 }, 1.5),
    Rule(Signal::CompactionWritten, Test::Counts { least: 4e6 }, 1.5),
    Rule(Signal::MemtablesWritten, Test::Counts { least: 1e6 }, 1.0),
    Rule(Signal::CheckpointRuns, Test::Stands { least: 1.0 }, 3.0),
    Rule(Signal::Evictions, Test::Counts { least: 10.0 }, 1.5),
    Rule(Signal::CacheUsed, Test::Fills { of: Signal::CacheLimit, share: 1.0 }, 1.0),
    Rule(Signal::FsyncTime, Test::Counts { least: 100_000.0 }, 2.0),
    Rule(Signal::PagesFlushed, Test::Counts { least: 50.0 }, 2.0),
    Rule(Signal::HistoryLength, Test::Stands { least: 10_000.0 }, 1.0),
    Rule(Signal::RowLockWaits, Test::Counts { least: 10.0 }, 1.5),
    Rule(Signal::CacheMisses, Test::Counts { least: 50.0 }, 1.0),
    Rule(Signal::BinlogFile, Test::Changes, 3.0),
    Rule(Signal::DeviceBusy, Test::Takes { more: 300.0 }, 1.5),
    Rule(Signal::DeviceWritten, Test::Counts { least: 4e6 }, 1.0),
    Rule(Signal::DeviceRead, Test::Counts { least: 4e6 }, 1.0),
    Rule(Signal::IoWait, Test::Takes { more: 300.0 }, 1.0),
    Rule(Signal::Steal, Test::Takes { more: 50.0 }, 3.0),
    Rule(Signal::OtherCpu, Test::Takes { more: 300.0 }, 2.5),
    Rule(Signal::SwapIn, Test::Counts { least: 10.0 }, 3.0),
    Rule(Signal::SwapOut, Test::Counts { least: 10.0 }, 3.0),
    Rule(Signal::ContextSwitches, Test::Counts { least: 1000.0 }, 0.5),
    Rule(Signal::AnswerTime, Test::Stands { least: 500_000.0 }, 0.8),
    Rule(Signal::Reprepared, Test::Counts { least: 10.0 }, 1.0),
];

/// Everything that moved in `dip`, what explains most first. `dips` are all of the phase.
pub(super) fn causes(series: &Series, dip: Stretch, dips: &[Stretch]) -> Vec<Cause> {
    let mut found: Vec<Cause> =
        RULES.iter().filter_map(|rule| cause(rule, series, dip, dips)).collect();
    let full = found.iter().any(|cause| cause.signal == Signal::RedoAge);
    if full {
        flushed_for_the_log(&mut found, series, dip, dips);
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found
}

fn cause(rule: &Rule, series: &Series, dip: Stretch, dips: &[Stretch]) -> Option<Cause> {
    let Rule(signal, test, weight) = *rule;
    let seen = series.within(signal, dip)?;
    let outside = series.outside(signal, dips);
    let usual = outside.get(outside.len() / 2).copied().unwrap_or(0.0);
    // What is often as high as that outside of dips did not make them.
    let rare = outside.get(outside.len() * 9 / 10).is_none_or(|&high| seen > high);
    let ratio = seen / usual.max(seen * 1e-3).max(f64::MIN_POSITIVE);
    let (moved, score) = match test {
        Test::Fills { of, share } => {
            let whole = series.within(of, dip)?;
            let filled = seen / whole;
            let usual = usual / whole;
            return (whole > 0.0 && filled >= share).then(|| Cause {
                signal,
                seen,
                usual: usual * whole,
                score: weight * filled.min(1.0),
                words: format!(
                    "{} {:.0} % full{}",
                    fills(signal),
                    filled * 100.0,
                    if usual < filled - 0.05 {
                        format!(" (usually {:.0} %)", usual * 100.0)
                    } else {
                        String::new()
                    }
                ),
            });
        }
        Test::Stands { least } => (seen >= least && rare && seen > usual * 1.2, ratio),
        Test::Counts { least } => (seen >= least && rare && ratio >= 2.0, ratio),
        Test::Takes { more } => (rare && seen >= usual + more, ratio),
        Test::Changes => (series.changed_within(signal, dip), 1.0),
    };
    // Twice as much says more than once as much, but not twice as much more.
    let score = weight * (1.0 + score.max(1.0).ln() / 3.0);
    moved.then(|| Cause { signal, seen, usual, score, words: words(signal, seen, usual) })
}

/// With the log full, flushing is what writers wait for, even where it never rests.
fn flushed_for_the_log(found: &mut Vec<Cause>, series: &Series, dip: Stretch, dips: &[Stretch]) {
    if let Some(flushing) = found.iter_mut().find(|cause| cause.signal == Signal::PagesFlushed) {
        flushing.words = format!("furious {}", flushing.words);
        flushing.score = flushing.score.max(4.0);
        return;
    }
    let Some(seen) = series.within(Signal::PagesFlushed, dip).filter(|&seen| seen >= 50.0) else {
        return;
    };
    let outside = series.outside(Signal::PagesFlushed, dips);
    let usual = outside.get(outside.len() / 2).copied().unwrap_or(0.0);
    let words = words(Signal::PagesFlushed, seen, usual);
    found.push(Cause { signal: Signal::PagesFlushed, seen, usual, score: 4.0, words });
}

/// What is full.
const fn fills(signal: Signal) -> &'static str {
    match signal {
        Signal::RedoAge => "redo log",
        _ => "cache",
    }
}

fn words(signal: Signal, seen: f64, usual: f64) -> String {
    let beside = |figure: fn(f64) -> String| {
        if usual > 0.0 && figure(usual) != "0" {
            format!("({}, usually {})", figure(seen), figure(usual))
        } else {
            format!("({}, usually none)", figure(seen))
        }
    };
    let count = |value: f64| grouped(value, 0);
    let seconds = |microseconds: f64| format!("{:.0} ms of each second", microseconds / 1000.0);
    let share = |milliseconds: f64| format!("{:.0} %", milliseconds / 10.0);
    match signal {
        Signal::PagesFlushed => {
            let beside =
                if usual > 0.0 { format!(", usually {}", count(usual)) } else { String::new() };
            format!("flushing ({} pages/s{beside})", count(seen))
        }
        Signal::BinlogFile => "the binary log went on in a new file".to_string(),
        Signal::CheckpointRuns => "a checkpoint was being made".to_string(),
        Signal::AnswerTime => {
            format!("the server took {:.1} s to tell its counters", seen / 1e6)
        }
        Signal::DeviceBusy => format!("device busy {}", beside(share)),
        Signal::OtherCpu => {
            let processors = |milliseconds: f64| format!("{:.1}", milliseconds / 1000.0);
            format!("other processes used processors {}", beside(processors))
        }
        Signal::Steal => format!("processor time stolen {}", beside(share)),
        Signal::IoWait => format!("waiting for disks {}", beside(share)),
        _ => match signal.unit() {
            SignalUnit::Bytes => {
                format!("{} {}/s", signal.words(), beside(human_bytes))
            }
            SignalUnit::Microseconds => format!("{} {}", signal.words(), beside(seconds)),
            SignalUnit::Count | SignalUnit::Milliseconds => {
                format!("{} {}", signal.words(), beside(count))
            }
        },
    }
}
