//! "Why does it jump like this?": how evenly the measured phases of a cell went, where throughput
//! dipped, and which of the sampled signals moved then.

mod rules;
mod series;

use super::cells::{CellRecords, throughput};
use crate::journal::record::{RepetitionRecord, WindowsRecord};
use crate::model::{Phase, Signal};
use crate::stats::estimate::{mean, median};
use crate::stats::levels::change_points;
use crate::stats::steady::{dips, evenness};
use series::{Series, Stretch};

/// Windows below which a phase says nothing about its course.
const ENOUGH: usize = 10;

/// Windows below which no change of level is looked for.
const ENOUGH_FOR_LEVELS: usize = 30;

/// How throughput went in the measured phases of a cell: transactions of all types a second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// Windows of all measured phases.
    pub windows: usize,
    /// Mean of them, a second.
    pub mean: f64,
    /// Standard deviation over mean within a phase; the median of the phases.
    pub variation: f64,
    /// The window that one in a hundred lies below, a second; the lowest of the phases.
    pub first_percentile: f64,
    /// Windows in which nothing was completed.
    pub zero_windows: usize,
    /// The longest stretch below a tenth of its phase's median, seconds.
    pub longest_stall_s: f64,
    /// Where the level changed for good, in order.
    pub changes: Vec<LevelChange>,
    /// Stretches below half of their phase's median, in order.
    pub dips: Vec<Dip>,
}

/// A change of level within a phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelChange {
    /// Which repetition, from 1.
    pub repetition: u32,
    /// Which round, from 1.
    pub round: u32,
    /// When, seconds after the start of the phase.
    pub at_s: f64,
    /// Mean of the level before, a second.
    pub before: f64,
    /// Mean of the level after, a second.
    pub after: f64,
}

/// A stretch far below the median.
#[derive(Clone, Debug, PartialEq)]
pub struct Dip {
    /// Which repetition, from 1.
    pub repetition: u32,
    /// Which round, from 1.
    pub round: u32,
    /// Its beginning, seconds after the start of the phase.
    pub from_s: f64,
    /// Its end.
    pub to_s: f64,
    /// Its lowest window as a share of the median of the phase.
    pub lowest: f64,
    /// What moved, what explains most first; empty where nothing did.
    pub causes: Vec<Cause>,
    /// Whether anything was sampled then; without, there cannot be causes.
    pub sampled: bool,
}

/// A signal that moved in a dip.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// Which.
    pub signal: Signal,
    /// In words: `redo log 98 % full`.
    pub words: String,
    /// What it came to in the dip: the highest level, or the increase a second.
    pub seen: f64,
    /// Its median outside of dips.
    pub usual: f64,
    /// What it explains beside others; has no unit.
    pub score: f64,
}

/// One measured phase.
struct Measured<'a> {
    record: &'a WindowsRecord,
    /// A second, window by window.
    throughput: Vec<f64>,
    window_s: f64,
}

/// How the cell's measured phases went; none where they are too short to say.
pub(super) fn course(records: &CellRecords) -> Option<Course> {
    let phases: Vec<Measured> = records
        .whole()
        .flat_map(|repetition| measured(records, repetition))
        .filter(|phase| phase.throughput.len() >= ENOUGH)
        .collect();
    let even: Vec<_> = phases.iter().filter_map(|phase| evenness(&phase.throughput)).collect();
    let all: Vec<f64> = phases.iter().flat_map(|phase| &phase.throughput).copied().collect();
    let variations: Vec<f64> = even.iter().map(|even| even.variation).collect();
    Some(Course {
        windows: all.len(),
        mean: mean(&all)?,
        variation: median(&variations)?,
        first_percentile: even.iter().map(|e| e.first_percentile).fold(f64::INFINITY, f64::min),
        zero_windows: even.iter().map(|even| even.zero_windows).sum(),
        longest_stall_s: even
            .iter()
            .zip(&phases)
            .map(|(even, phase)| even.longest_stall as f64 * phase.window_s)
            .fold(0.0, f64::max),
        changes: phases.iter().flat_map(changes).collect(),
        dips: phases.iter().flat_map(|phase| dips_of(records, phase)).collect(),
    })
}

/// The measured phases of a repetition. A last window that is not whole is left out. Of two records
/// of one phase (a run that was killed and taken up again) the later holds.
fn measured<'a>(records: &CellRecords<'a>, repetition: &RepetitionRecord) -> Vec<Measured<'a>> {
    repetition
        .rounds
        .iter()
        .filter_map(|round| {
            let record = records.windows.iter().rev().copied().find(|windows| {
                windows.repetition == repetition.repetition
                    && windows.phase == Phase::Measure
                    && windows.round == round.round
            })?;
            let window_s = record.window_ms as f64 / 1000.0;
            let whole = round.duration_ns / 1_000_000 / record.window_ms.max(1);
            let mut throughput = throughput(record);
            throughput.truncate(usize::try_from(whole).unwrap_or(usize::MAX));
            for count in &mut throughput {
                *count /= window_s;
            }
            Some(Measured { record, throughput, window_s })
        })
        .collect()
}

fn changes(phase: &Measured) -> Vec<LevelChange> {
    let windows = &phase.throughput;
    if windows.len() < ENOUGH_FOR_LEVELS {
        return Vec::new();
    }
    let points = change_points(windows);
    points
        .iter()
        .enumerate()
        .filter_map(|(index, &at)| {
            let from = index.checked_sub(1).map_or(0, |earlier| points[earlier]);
            let to = points.get(index + 1).copied().unwrap_or(windows.len());
            Some(LevelChange {
                repetition: phase.record.repetition,
                round: phase.record.round,
                at_s: at as f64 * phase.window_s,
                before: mean(&windows[from..at])?,
                after: mean(&windows[at..to])?,
            })
        })
        .collect()
}

fn dips_of(records: &CellRecords, phase: &Measured) -> Vec<Dip> {
    let found = dips(&phase.throughput);
    if found.is_empty() {
        return Vec::new();
    }
    let stretches: Vec<Stretch> = found
        .iter()
        .map(|dip| Stretch {
            from: dip.from as f64 * phase.window_s,
            to: dip.to as f64 * phase.window_s,
        })
        .collect();
    let key = (phase.record.repetition, phase.record.phase, phase.record.round);
    let series = records.samples.get(&key).map(|samples| Series::of(samples));
    found
        .iter()
        .zip(&stretches)
        .map(|(dip, stretch)| Dip {
            repetition: phase.record.repetition,
            round: phase.record.round,
            from_s: stretch.from,
            to_s: stretch.to,
            lowest: dip.lowest,
            causes: series
                .as_ref()
                .map_or_else(Vec::new, |series| rules::causes(series, *stretch, &stretches)),
            sampled: series.is_some(),
        })
        .collect()
}
