//! Dips of throughput as numbered marks, with what moved then in words below the figure.

use super::{Shade, ShadeKind};
use crate::compare::view::{Dip, Side, Trace};
use std::fmt::Write;

/// Marks of one side in one panel; a figure with more would be read by nobody. The longest stay.
const MOST: usize = 5;
/// Causes that a note tells.
const CAUSES: usize = 2;

/// Marks the dips of the repetition that is drawn, numbered on from the notes that there are.
pub(super) fn mark(side: &Side, trace: &Trace, notes: &mut Vec<String>) -> Vec<Shade> {
    let Some(course) = &side.course else { return Vec::new() };
    let mut dips: Vec<&Dip> =
        course.dips.iter().filter(|dip| dip.repetition == trace.repetition).collect();
    let all = dips.len();
    dips.sort_by(|left, right| (right.to_s - right.from_s).total_cmp(&(left.to_s - left.from_s)));
    dips.truncate(MOST);
    dips.sort_by(|left, right| {
        (left.round, left.from_s)
            .partial_cmp(&(right.round, right.from_s))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut shades = Vec::new();
    for dip in &dips {
        let Some(start) = start_of(trace, dip.round) else { continue };
        let number = notes.len() + 1;
        notes.push(note(side, dip, number, start));
        shades.push(Shade {
            from: start + dip.from_s,
            to: start + dip.to_s,
            label: number.to_string(),
            kind: ShadeKind::Stall,
        });
    }
    if all > dips.len()
        && let Some(last) = notes.last_mut()
    {
        let _ = write!(last, "; {} shorter dips are not marked", all - dips.len());
    }
    shades
}

/// When a round began, seconds after the clients started.
fn start_of(trace: &Trace, round: u32) -> Option<f64> {
    let mut start = 0.0;
    for stretch in &trace.stretches {
        if stretch.round == round {
            return Some(start);
        }
        start += stretch.throughput.len() as f64 * stretch.window;
    }
    None
}

/// `1: myrocks, 31-34 s: 12 % of the median: redo log 98 % full, furious flushing`.
fn note(side: &Side, dip: &Dip, number: usize, start: f64) -> String {
    let causes: Vec<&str> =
        dip.causes.iter().take(CAUSES).map(|cause| cause.words.as_str()).collect();
    let why = match (causes.is_empty(), dip.sampled) {
        (false, _) => causes.join(", "),
        (true, true) => "no sampled counter moved".to_string(),
        (true, false) => "nothing was sampled".to_string(),
    };
    let name = if side.name.is_empty() { String::new() } else { format!("{}, ", side.name) };
    format!(
        "{number}: {name}{:.0}-{:.0} s: {:.0} % of the median: {why}",
        start + dip.from_s,
        start + dip.to_s,
        dip.lowest * 100.0
    )
}
