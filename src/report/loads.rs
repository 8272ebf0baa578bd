//! Load time and size of datasets.

use super::grid::{Column, Entry, Grid, GridPoint, Group, Place, axis_values};
use super::rows::{absent, delta_entry};
use super::text::level;
use crate::compare::view::{Against, Judged, LoadSection, LoadSide, Series};
use crate::model::{Metric, MetricId};

/// Load time and size: a line a dataset, with the delta beside each figure; all of it, and the two
/// figures that sum it up.
pub(super) fn loads(section: &LoadSection) -> (Grid, Grid) {
    const SHOWN: &[Metric] = &[
        Metric::LoadTime,
        Metric::IndexTime,
        Metric::SettleTime,
        Metric::TotalLoadTime,
        Metric::SizeLoaded,
        Metric::SizeSettled,
        Metric::SizeLogs,
        Metric::SizeReported,
        Metric::SpaceAmplification,
        Metric::LoadRate,
    ];
    let groups = SHOWN
        .iter()
        .map(|metric| Group {
            columns: vec![Column::right(metric.heading()), Column::right("")],
            place: match metric {
                Metric::SizeLoaded
                | Metric::SizeSettled
                | Metric::SizeLogs
                | Metric::SizeReported
                | Metric::SpaceAmplification
                | Metric::LoadRate => Place::Details,
                _ => Place::Main,
            },
        })
        .collect();
    let points = section
        .points
        .iter()
        .map(|point| GridPoint {
            values: axis_values(&point.values),
            lines: point
                .sides
                .iter()
                .map(|side| (side.name.clone(), load_line(side, SHOWN)))
                .collect(),
        })
        .collect();
    let grid = Grid {
        title: "Load time and size".to_string(),
        axes: section.axes.clone(),
        sides: section.compared.join(", "),
        groups,
        points,
        totals: Vec::new(),
        notes: load_notes(section),
    };
    let of = |metrics: [Metric; 2]| {
        grid.only(|index, _| metrics.contains(&SHOWN[index])).without_empty_columns()
    };
    let mut brief = of([Metric::TotalLoadTime, Metric::SizeSettled]);
    if brief.groups.is_empty() {
        brief = of([Metric::LoadTime, Metric::SizeLoaded]);
    }
    (grid.without_empty_columns(), brief)
}

fn load_line(side: &LoadSide, metrics: &[Metric]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = metrics
        .iter()
        .flat_map(|metric| {
            let id = MetricId::whole(*metric);
            let series = side.series.iter().find(|series| series.metric == id);
            [
                series.map_or_else(Entry::default, |series| {
                    Entry::plain(level(series)).by(series.level)
                }),
                series.map_or_else(Entry::default, |series| delta_entry(&series.against)),
            ]
        })
        .collect();
    if side.series.is_empty() {
        entries[0] = absent(side.absent.as_ref());
    }
    entries
}

fn load_notes(section: &LoadSection) -> Vec<String> {
    let mut notes = Vec::new();
    let sides = || section.points.iter().flat_map(|point| &point.sides);
    let mut add = |note: String| {
        if !notes.contains(&note) {
            notes.push(note);
        }
    };
    for side in sides().filter(|side| side.absent.is_none()) {
        add(format!(
            "{}: {}, {} thread{}{}",
            if side.name.is_empty() { "loaded by" } else { &side.name },
            side.path,
            side.threads,
            if side.threads == 1 { "" } else { "s" },
            if side.reused {
                ", taken from the store: the times are of an earlier run"
            } else {
                ""
            }
        ));
    }
    let single = |series: &Series| {
        matches!(&series.against, Against::Delta(delta)
            if matches!(delta.judged, Judged::NoVerdict(_)))
    };
    if sides().flat_map(|side| &side.series).any(single) {
        add("Loaded once: no verdict on load time and size. `load { repeat 3 }` gives one.".into());
    }
    for series in sides().flat_map(|side| &side.series) {
        let Against::Unequal(reasons) = &series.against else { continue };
        for reason in reasons {
            add(if reason.starts_with("load path: ") {
                "≠ the sides were loaded by unlike paths, so that figure has no delta. `allow unequal \
                 load_path because \"...\"` gives one."
                    .to_string()
            } else {
                format!("≠ no delta, since the sides differ: {reason}.")
            });
        }
    }
    notes
}
