//! How throughput went over time, and why it dipped.

use super::grid::{Column, Entry, Grid, GridPoint, Group, Place, Tone};
use super::spark::spark;
use crate::compare::view::{Course, Dip, Section, Side};
use crate::model::Phase;
use crate::model::units::{grouped, human_seconds};

/// Characters of a sparkline.
const SPARK: usize = 20;

/// Dips of a cell that are told one by one; the deepest and longest.
const TOLD: usize = 4;

/// Causes that are told of each.
const CAUSES: usize = 3;

/// Changes of level that are told of a cell.
const CHANGES: usize = 3;

/// A line for each side: how evenly its measured phases went. And all of it in a line.
pub(super) fn evenness(section: &Section) -> Option<(Grid, String)> {
    let sides = || section.points.iter().flat_map(|point| &point.sides);
    if !sides().any(|side| side.course.is_some()) {
        return None;
    }
    let headings = [
        "mean/s",
        "variation",
        "1st\npercentile/s",
        "zero\nwindows",
        "longest\nstall",
        "dips",
        "level\nchanges",
    ];
    let mut groups: Vec<Group> = headings
        .into_iter()
        .map(|heading| Group { columns: vec![Column::right(heading)], place: Place::Main })
        .collect();
    groups.push(Group { columns: vec![Column::left("over time")], place: Place::Beside });
    let points = section
        .points
        .iter()
        .map(|point| {
            let highest = point.sides.iter().flat_map(measured).fold(0.0, f64::max);
            GridPoint::of(point, |side| {
                let mut entries = line(side.course.as_ref(), headings.len());
                entries.push(Entry::plain(spark(&measured(side), SPARK, highest)));
                entries
            })
        })
        .collect();
    let mut notes: Vec<String> = sides().flat_map(|side| changes(section, side)).collect();
    if sides().any(|side| !measured(side).is_empty()) {
        notes.push("over time: the first repetition, from 0 to the highest of its row".to_string());
    }
    let grid = Grid {
        title: "Evenness (transactions of all types, windows of measured phases)".to_string(),
        axes: section.axes.clone(),
        sides: section.compared.join(", "),
        groups,
        points,
        totals: Vec::new(),
        notes,
    };
    Some((grid, evenness_in_brief(section)))
}

/// `evenness: variation 2.1 % (innodb) to 12.0 % (toku), longest stall 3.00 s (toku), 4 dips`.
fn evenness_in_brief(section: &Section) -> String {
    let mut courses: Vec<(String, &Course)> = section
        .points
        .iter()
        .flat_map(|point| &point.sides)
        .filter_map(|side| Some((name(section, side), side.course.as_ref()?)))
        .collect();
    courses.sort_by(|(_, one), (_, other)| one.variation.total_cmp(&other.variation));
    let mut parts = Vec::new();
    if let (Some((least_of, least)), Some((most_of, most))) = (courses.first(), courses.last()) {
        let (least, most) = (least.variation * 100.0, most.variation * 100.0);
        parts.push(if courses.len() == 1 {
            format!("variation {least:.1} %")
        } else {
            format!("variation {least:.1} % ({least_of}) to {most:.1} % ({most_of})")
        });
    }
    let stalled = courses
        .iter()
        .max_by(|(_, one), (_, other)| one.longest_stall_s.total_cmp(&other.longest_stall_s));
    match stalled {
        Some((of, course)) if course.longest_stall_s > 0.0 => {
            parts.push(format!("longest stall {} ({of})", human_seconds(course.longest_stall_s)));
        }
        _ => parts.push("no stall".to_string()),
    }
    let dips: usize = courses.iter().map(|(_, course)| course.dips.len()).sum();
    parts.push(match dips {
        0 => "no dips".to_string(),
        1 => "1 dip".to_string(),
        _ => format!("{dips} dips"),
    });
    format!("evenness: {}", parts.join(", "))
}

/// Throughput in the measured phases of the first repetition that has windows.
fn measured(side: &Side) -> Vec<f64> {
    let stretches = side.traces.first().map_or(&[][..], |trace| &trace.stretches);
    let measured = stretches.iter().filter(|stretch| stretch.phase == Phase::Measure);
    measured.flat_map(|stretch| &stretch.throughput).copied().collect()
}

fn line(course: Option<&Course>, columns: usize) -> Vec<Entry> {
    let Some(course) = course else { return vec![Entry::default(); columns] };
    let count = |count: usize| {
        let tone = if count > 0 { Tone::Bad } else { Tone::Plain };
        Entry::toned(grouped(count as f64, 0), tone)
    };
    let stall = if course.longest_stall_s > 0.0 {
        Entry::toned(human_seconds(course.longest_stall_s), Tone::Bad)
    } else {
        Entry::plain("none")
    };
    vec![
        Entry::plain(grouped(course.mean, 1)),
        Entry::plain(format!("{:.1} %", course.variation * 100.0)),
        Entry::plain(grouped(course.first_percentile, 1)),
        count(course.zero_windows),
        stall,
        count(course.dips.len()),
        Entry::plain(course.changes.len().to_string()),
    ]
}

fn changes(section: &Section, side: &Side) -> Vec<String> {
    let Some(course) = &side.course else { return Vec::new() };
    course
        .changes
        .iter()
        .take(CHANGES)
        .map(|change| {
            format!(
                "{}: the level changed at {:.0} s, from {} to {} a second",
                phase(section, side, change.repetition, change.round),
                change.at_s,
                grouped(change.before, 1),
                grouped(change.after, 1)
            )
        })
        .collect()
}

/// Every dip in words, the deepest and longest of each cell. And what moved in them, in a line.
pub(super) fn dips(section: &Section) -> Option<(Grid, String)> {
    let sides = || section.points.iter().flat_map(|point| &point.sides);
    let notes: Vec<String> = sides().flat_map(|side| dips_of(section, side)).collect();
    if notes.is_empty() {
        return None;
    }
    let courses = sides().filter_map(|side| side.course.as_ref());
    let all: Vec<&Dip> = courses.flat_map(|course| &course.dips).collect();
    let grid = Grid {
        title: "Why it dipped below half of its median".to_string(),
        notes,
        ..Grid::default()
    };
    Some((grid, format!("why it dipped: {}", most_frequent(&all))))
}

fn dips_of(section: &Section, side: &Side) -> Vec<String> {
    let Some(course) = &side.course else { return Vec::new() };
    let depth = |dip: &Dip| (1.0 - dip.lowest) * (dip.to_s - dip.from_s);
    let mut worst: Vec<usize> = (0..course.dips.len()).collect();
    worst.sort_by(|&a, &b| depth(&course.dips[b]).total_cmp(&depth(&course.dips[a])));
    worst.truncate(TOLD);
    worst.sort_unstable();
    let mut lines: Vec<String> = worst
        .iter()
        .map(|&index| {
            let dip = &course.dips[index];
            format!("{}, {}", phase(section, side, dip.repetition, dip.round), in_words(dip))
        })
        .collect();
    let more = course.dips.len() - worst.len();
    if more > 0 {
        lines.push(format!(
            "{}: {more} more dips; of all {}: {}",
            name(section, side),
            course.dips.len(),
            most_frequent(&course.dips.iter().collect::<Vec<_>>())
        ));
    }
    lines
}

/// `31-34 s: 12 % of the median: redo log 98 % full, furious flushing (..)`.
fn in_words(dip: &Dip) -> String {
    let moved: Vec<&str> =
        dip.causes.iter().take(CAUSES).map(|cause| cause.words.as_str()).collect();
    let moved = match (moved.is_empty(), dip.sampled) {
        (false, _) => moved.join(", "),
        (true, true) => "nothing that is sampled moved".to_string(),
        (true, false) => "nothing was sampled".to_string(),
    };
    format!(
        "{:.0}-{:.0} s: {:.0} % of the median: {moved}",
        dip.from_s,
        dip.to_s,
        dip.lowest * 100.0
    )
}

/// In how many dips which signal moved, the most frequent first.
fn most_frequent(dips: &[&Dip]) -> String {
    let mut counts: Vec<(&'static str, usize)> = Vec::new();
    for dip in dips {
        for cause in dip.causes.iter().take(CAUSES) {
            let words = cause.signal.words();
            match counts.iter_mut().find(|(known, _)| *known == words) {
                Some((_, count)) => *count += 1,
                None => counts.push((words, 1)),
            }
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let shown: Vec<String> =
        counts.iter().take(CAUSES).map(|(words, count)| format!("{words} in {count}")).collect();
    if shown.is_empty() { "nothing that is sampled moved".to_string() } else { shown.join(", ") }
}

/// The cell as the table names it.
fn name(section: &Section, side: &Side) -> String {
    let one = section.points.len() == 1 && !side.name.is_empty();
    if one { side.name.clone() } else { side.cell.to_string() }
}

fn phase(section: &Section, side: &Side, repetition: u32, round: u32) -> String {
    let rounds = side.course.as_ref().is_some_and(|course| {
        course
            .dips
            .iter()
            .map(|dip| dip.round)
            .chain(course.changes.iter().map(|c| c.round))
            .any(|r| r > 1)
    });
    let name = name(section, side);
    if rounds {
        format!("{name}, repetition {repetition}, round {round}")
    } else {
        format!("{name}, repetition {repetition}")
    }
}
