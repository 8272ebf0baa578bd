//! What a transaction costs: a line a side, with the delta beside each figure.

use super::grid::{Column, Entry, Grid, GridPoint, Group, Place};
use super::rows::{absent, delta_entry, in_brief};
use super::text::level;
use crate::compare::view::{Section, Side};
use crate::model::{Metric, MetricId};

/// What is shown, in order.
const SHOWN: &[Metric] = &[
    Metric::ServerCpuPerTransaction,
    Metric::BytesWrittenPerTransaction,
    Metric::BytesReadPerTransaction,
    Metric::FsyncsPerTransaction,
    Metric::FlushesPerTransaction,
    Metric::SwitchesPerTransaction,
    Metric::MemoryPeak,
    Metric::WriteAmplification,
    Metric::ReadAmplification,
    Metric::ClientCpuPerTransaction,
];

/// The table, whole and in a line; none where nothing of it is known.
pub(super) fn cost(section: &Section) -> Option<(Grid, String)> {
    let groups = SHOWN
        .iter()
        .map(|metric| Group {
            columns: vec![Column::right(metric.heading()), Column::right("")],
            place: Place::Main,
        })
        .collect();
    let points = section.points.iter().map(|point| GridPoint::of(point, line)).collect();
    let measured =
        section.points.iter().flat_map(|point| &point.sides).any(|side| {
            SHOWN.iter().any(|metric| side.series(&MetricId::whole(*metric)).is_some())
        });
    measured.then(|| {
        let grid = Grid {
            title: "Cost of a transaction".to_string(),
            axes: section.axes.clone(),
            sides: section.compared.join(", "),
            groups,
            points,
            totals: Vec::new(),
            notes: Vec::new(),
        };
        let brief = in_brief(section, "cost of a transaction", SHOWN);
        (grid.without_empty_columns(), brief)
    })
}

fn line(side: &Side) -> Vec<Entry> {
    let mut entries: Vec<Entry> = SHOWN
        .iter()
        .flat_map(|metric| match side.series(&MetricId::whole(*metric)) {
            Some(series) => [Entry::plain(level(series)), delta_entry(&series.against)],
            None => Default::default(),
        })
        .collect();
    if side.absent.is_some() {
        entries[0] = absent(side.absent.as_ref());
    }
    entries
}
