//! The table of an open loop: what was offered, what was done, what waited.

use super::grid::{Column, Entry, Grid, GridPoint, Group, Place, Tone};
use super::rows::{absent, compared};
use super::text::{figure, level};
use crate::compare::view::{Section, Side};
use crate::model::{Metric, MetricId};

/// Figures without a delta: what was asked for, and what waited.
const LEVELS: [Metric; 5] =
    [Metric::Offered, Metric::Tps, Metric::Backlog, Metric::QueueP50, Metric::QueueP99];

/// Figures that are compared: latency from the intended start.
const COMPARED: [Metric; 2] = [Metric::P50, Metric::P99];

/// A line a side; none where no side is an open loop.
pub(super) fn open_loop(section: &Section) -> Option<Grid> {
    let sides = || section.points.iter().flat_map(|point| &point.sides);
    if sides().all(|side| side.open.is_none()) {
        return None;
    }
    let mut groups: Vec<Group> = LEVELS
        .iter()
        .map(|metric| {
            let heading = match metric {
                Metric::Tps => "achieved/s",
                metric => metric.heading(),
            };
            Group { columns: vec![Column::right(heading)], place: Place::Main }
        })
        .collect();
    groups.push(Group { columns: vec![Column::left("")], place: Place::Main });
    groups.extend(COMPARED.iter().map(|metric| Group {
        columns: vec![
            Column::right(metric.heading()),
            Column::right("delta  "),
            Column::left("95 % interval"),
        ],
        place: Place::Beside,
    }));
    let points = section.points.iter().map(|point| GridPoint::of(point, line)).collect();
    let grid = Grid {
        title: "Open loop: latency counts from the intended start".to_string(),
        axes: section.axes.clone(),
        sides: section.compared.join(", "),
        groups,
        points,
        totals: Vec::new(),
        notes: notes(section),
    };
    Some(grid.without_empty_columns())
}

fn line(side: &Side) -> Vec<Entry> {
    let of = |metric: Metric| side.series(&MetricId::whole(metric));
    let mut entries: Vec<Entry> = LEVELS
        .iter()
        .map(|metric| of(*metric).map_or_else(Entry::default, |s| Entry::plain(level(s))))
        .collect();
    let saturated = side.open.as_ref().is_some_and(|open| open.saturated > 0);
    entries.push(if saturated { Entry::toned("saturated", Tone::Bad) } else { Entry::default() });
    entries.extend(COMPARED.iter().flat_map(|metric| compared(of(*metric))));
    if side.absent.is_some() {
        entries[0] = absent(side.absent.as_ref());
    }
    entries
}

/// Where a rate comes from that is a share of a maximum, once a rate.
fn notes(section: &Section) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for side in section.points.iter().flat_map(|point| &point.sides) {
        let Some(share) = side.open.as_ref().and_then(|open| open.share.as_ref()) else { continue };
        let note = format!(
            "{}% of max is {}/s: the lowest maximum is {}/s, of {}",
            share.percent,
            figure(Metric::Tps, share.maximum_per_second * share.percent / 100.0),
            figure(Metric::Tps, share.maximum_per_second),
            share.cell
        );
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}
