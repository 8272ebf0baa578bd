//! Sections of a comparison as grids: which columns there are and what stands in them.

use super::grid::{Column, Entry, Grid, GridPoint, Group, Place, Tone, axis_values};
use super::text::{delta, ends, figure, interval, level, mark, percent, share};
use crate::compare::view::{
    Absent, Against, Average, Judged, Overall, Section, Series, Side, Verdict,
};
use crate::model::{Metric, MetricId};
use std::collections::BTreeSet;

/// The main table: a row a point, a line a side.
pub(super) fn results(section: &Section, average: Average) -> Grid {
    let metric = section.headline;
    let columns = repetition_columns(section);
    let mut groups: Vec<Group> = columns
        .iter()
        .map(|(repetition, round)| {
            let heading = match round {
                Some(round) => format!("rep {repetition}\nround {round}"),
                None => format!("rep {repetition}"),
            };
            Group { columns: vec![Column::right(heading)], place: Place::Details }
        })
        .collect();
    groups.push(Group {
        columns: vec![
            Column::right(format!("{}\n{}", average.as_str(), metric.heading())),
            Column::right("delta  "),
            Column::left("95 % interval"),
        ],
        place: Place::Main,
    });
    groups.push(Group {
        columns: vec![Column::right("p95"), Column::right("errors"), Column::right("retries")],
        place: Place::Beside,
    });
    let points = section
        .points
        .iter()
        .map(|point| GridPoint::of(point, |side| result_line(section, side, &columns)))
        .collect();
    Grid {
        title: String::new(),
        axes: section.axes.clone(),
        sides: section.compared.join(", "),
        groups,
        points,
        totals: section.overall.iter().map(overall).collect(),
        notes: Vec::new(),
    }
    .without_empty_columns()
}

/// `geometric mean over 6 points: toku +14.20%   [+13.1%, +15.3%]`.
fn overall(overall: &Overall) -> String {
    let mark = mark(&overall.judged).to_string();
    let parts = [percent(overall.relative), mark.trim().to_string(), ends(&overall.judged)];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|p| !p.is_empty()).collect();
    format!("geometric mean over {} points: {} {}", overall.points, overall.side, parts.join(" "))
}

/// Every repetition that is there, and every round where there are several.
fn repetition_columns(section: &Section) -> Vec<(u32, Option<usize>)> {
    let series = section.points.iter().flat_map(|point| &point.sides).filter_map(Side::headline);
    let samples = || series.clone().flat_map(|series| &series.samples);
    let failed = section.points.iter().flat_map(|point| &point.sides).flat_map(|s| &s.failed);
    // Not all up to the last: a journal may claim any number.
    let repetitions: BTreeSet<u32> = samples()
        .map(|sample| sample.repetition)
        .chain(failed.map(|(repetition, _)| *repetition))
        .collect();
    let rounds = samples().map(|sample| sample.rounds.len()).max().unwrap_or(0);
    repetitions
        .into_iter()
        .flat_map(|repetition| {
            let rounds: Vec<Option<usize>> =
                if rounds > 1 { (1..=rounds).map(Some).collect() } else { vec![None] };
            rounds.into_iter().map(move |round| (repetition, round))
        })
        .collect()
}

fn result_line(section: &Section, side: &Side, columns: &[(u32, Option<usize>)]) -> Vec<Entry> {
    let series = side.headline().filter(|series| series.metric.metric == section.headline);
    let mut entries: Vec<Entry> = columns
        .iter()
        .map(|(repetition, round)| {
            let sample = series
                .and_then(|series| series.samples.iter().find(|s| s.repetition == *repetition));
            match sample {
                Some(sample) => {
                    let value = match round {
                        None => Some(sample.value),
                        Some(round) => sample.rounds.get(round - 1).copied(),
                    };
                    let text = value.map_or_else(String::new, |v| figure(section.headline, v));
                    Entry::plain(if sample.outlier { format!("{text}!") } else { text })
                }
                None if side.failed.iter().any(|(failed, _)| failed == repetition) => {
                    Entry::toned("failed", Tone::Bad)
                }
                None => Entry::default(),
            }
        })
        .collect();
    if let Some(series) = series {
        entries.push(Entry::plain(level(series)).by(series.level));
        entries.push(delta_entry(&series.against));
        entries.push(Entry::toned(interval(&series.against), tone(&series.against)));
        let p95 = section
            .headline_type
            .as_ref()
            .and_then(|name| side.series(&MetricId::of(Metric::P95, name)))
            .or_else(|| side.series(&MetricId::whole(Metric::P95)))
            // It is the headline already.
            .filter(|_| section.headline != Metric::P95);
        entries.push(
            p95.map_or_else(Entry::default, |series| Entry::plain(level(series)).by(series.level)),
        );
        entries.push(Entry::toned(
            side.errors.to_string(),
            if side.errors > 0 { Tone::Bad } else { Tone::Plain },
        ));
        entries.push(Entry::plain(share(side.retries, side.transactions)));
    } else {
        entries.push(absent(side.absent.as_ref()));
        entries.extend(std::iter::repeat_n(Entry::default(), 5));
    }
    entries
}

/// Why a line has no figure.
pub(super) fn absent(absent: Option<&Absent>) -> Entry {
    match absent {
        Some(Absent::NotAvailable(_)) => Entry::absent("not available", Tone::Quiet),
        Some(Absent::Failed(_)) => Entry::absent("failed", Tone::Bad),
        Some(Absent::NotRun) => Entry::absent("not run", Tone::Quiet),
        None => Entry::default(),
    }
}

pub(super) fn delta_entry(against: &Against) -> Entry {
    let entry = Entry::toned(delta(against), tone(against));
    match against.delta() {
        Some(delta) => entry.by(delta.relative),
        None => entry,
    }
}

fn tone(against: &Against) -> Tone {
    match against {
        Against::Delta(delta) => match delta.judged {
            Judged::Verdict { verdict: Verdict::Better, .. } => Tone::Good,
            Judged::Verdict { verdict: Verdict::Worse, .. } => Tone::Bad,
            _ => Tone::Quiet,
        },
        _ => Tone::Plain,
    }
}

/// Probes: a line a probe and side; with every repetition, and without.
pub(super) fn probes(section: &Section, average: Average) -> Option<(Grid, Grid)> {
    let mut names: Vec<&str> = Vec::new();
    let sides = section.points.iter().flat_map(|point| &point.sides);
    for series in sides.flat_map(|side| &side.series) {
        if series.metric.metric == Metric::ProbeTime
            && let Some(name) = series.metric.of.as_deref()
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    if names.is_empty() {
        return None;
    }
    let mut grid =
        timed(section, "Probes", average, &names, |name| MetricId::of(Metric::ProbeTime, name));
    grid.axes.insert(0, "probe".to_string());
    let brief = grid.only(|_, group| group.place == Place::Main);
    Some((grid, brief))
}

/// Start and stop of the server, whole and in a line.
pub(super) fn starts(section: &Section) -> Option<(Grid, String)> {
    let groups: Vec<Group> = [Metric::StartTime, Metric::StopTime]
        .iter()
        .map(|metric| Group {
            columns: vec![
                Column::right(metric.heading()),
                Column::right("delta  "),
                Column::left("95 % interval"),
            ],
            place: Place::Main,
        })
        .collect();
    let points = section
        .points
        .iter()
        .map(|point| {
            GridPoint::of(point, |side| {
                let mut entries: Vec<Entry> = [Metric::StartTime, Metric::StopTime]
                    .iter()
                    .flat_map(|metric| compared(side.series(&MetricId::whole(*metric))))
                    .collect();
                if side.absent.is_some() {
                    entries[0] = absent(side.absent.as_ref());
                }
                entries
            })
        })
        .collect();
    let grid = Grid {
        title: "Start and stop of the server".to_string(),
        axes: section.axes.clone(),
        sides: section.compared.join(", "),
        groups,
        points,
        totals: Vec::new(),
        notes: Vec::new(),
    }
    .without_empty_columns();
    let brief = in_brief(section, "the server", &[Metric::StartTime, Metric::StopTime]);
    (!grid.groups.is_empty()).then_some((grid, brief))
}

/// What a table of several metrics holds: their deltas where there is one pair, else their names.
pub(super) fn in_brief(section: &Section, what: &str, metrics: &[Metric]) -> String {
    let series = |side: &'_ Side, metric: Metric| side.series(&MetricId::whole(metric)).cloned();
    let sides = || section.points.iter().flat_map(|point| &point.sides);
    let pair = match section.points.as_slice() {
        [point] => match point.sides.as_slice() {
            [_, other] => Some(other),
            _ => None,
        },
        _ => None,
    };
    let held: Vec<String> = metrics
        .iter()
        .filter(|metric| sides().any(|side| series(side, **metric).is_some()))
        .map(|metric| {
            let delta = pair.and_then(|side| series(side, *metric)).map(|s| delta(&s.against));
            format!("{} {}", metric.heading(), delta.unwrap_or_default()).trim_end().to_string()
        })
        .collect();
    format!("{what}: {}", held.join(", "))
}

/// A figure with its delta and the interval of that.
pub(super) fn compared(series: Option<&Series>) -> [Entry; 3] {
    series.map_or_else(Default::default, |series| {
        [
            Entry::plain(level(series)).by(series.level),
            delta_entry(&series.against),
            Entry::toned(interval(&series.against), tone(&series.against)),
        ]
    })
}

/// A table of one figure for each of `names`, point and side, with every repetition.
pub(super) fn timed(
    section: &Section,
    title: &str,
    average: Average,
    names: &[&str],
    id: impl Fn(&str) -> MetricId,
) -> Grid {
    let repetitions: BTreeSet<u32> = section
        .points
        .iter()
        .flat_map(|point| &point.sides)
        .flat_map(|side| &side.series)
        .filter(|series| names.iter().any(|name| id(name) == series.metric))
        .flat_map(|series| series.samples.iter().map(|sample| sample.repetition))
        .collect();
    let mut groups: Vec<Group> = repetitions
        .iter()
        .map(|repetition| Group {
            columns: vec![Column::right(format!("rep {repetition}"))],
            place: Place::Details,
        })
        .collect();
    groups.push(Group {
        columns: vec![
            Column::right(average.as_str()),
            Column::right("delta  "),
            Column::left("95 % interval"),
        ],
        place: Place::Main,
    });
    let mut points = Vec::new();
    for name in names {
        for point in &section.points {
            let mut values = vec![(*name).to_string()];
            values.extend(axis_values(&point.values));
            let lines: Vec<(String, Vec<Entry>)> = point
                .sides
                .iter()
                .map(|side| {
                    let series = side.series(&id(name));
                    let mut entries: Vec<Entry> = repetitions
                        .iter()
                        .map(|&repetition| {
                            series
                                .and_then(|s| s.samples.iter().find(|s| s.repetition == repetition))
                                .map_or_else(Entry::default, |sample| {
                                    Entry::plain(figure(id(name).metric, sample.value))
                                })
                        })
                        .collect();
                    entries.extend(compared(series));
                    if series.is_none() {
                        entries[repetitions.len()] = absent(side.absent.as_ref());
                    }
                    (side.name.clone(), entries)
                })
                .collect();
            points.push(GridPoint { values, lines });
        }
    }
    Grid {
        title: title.to_string(),
        axes: section.axes.clone(),
        sides: section.compared.join(", "),
        groups,
        points,
        totals: Vec::new(),
        notes: Vec::new(),
    }
}
