//! Sizes after each round, where a workload grows in steps.

use super::grid::{Column, Entry, Grid, GridPoint, Group, Place};
use super::rows::absent;
use super::text::figure;
use crate::compare::view::{Section, Series, Side};
use crate::model::{Metric, MetricId};

/// The table: the median of the repetitions for each round; none where there is one round.
pub(super) fn steps(section: &Section) -> Option<Grid> {
    let sizes = || section.points.iter().flat_map(|point| &point.sides).filter_map(size);
    let rounds = sizes().flat_map(|s| &s.samples).map(|sample| sample.rounds.len()).max()?;
    (rounds > 1).then(|| {
        Grid {
            title: "Size after each round".to_string(),
            axes: section.axes.clone(),
            sides: section.compared.join(", "),
            groups: (1..=rounds)
                .map(|round| Group {
                    columns: vec![Column::right(format!("round {round}"))],
                    place: Place::Main,
                })
                .collect(),
            points: section
                .points
                .iter()
                .map(|point| GridPoint::of(point, |side| line(side, rounds)))
                .collect(),
            totals: Vec::new(),
            notes: vec!["Blocks of the table files; the engine was at work.".to_string()],
        }
        .without_empty_columns()
    })
}

fn size(side: &Side) -> Option<&Series> {
    side.series(&MetricId::whole(Metric::SizeEnd))
}

fn line(side: &Side, rounds: usize) -> Vec<Entry> {
    let mut entries: Vec<Entry> = (0..rounds)
        .map(|round| {
            let of_round = |series: &Series| -> Vec<f64> {
                series.samples.iter().filter_map(|s| s.rounds.get(round).copied()).collect()
            };
            let middle = size(side).map(of_round).and_then(|mut values| {
                values.sort_by(f64::total_cmp);
                let (low, high) = ((values.len().max(1) - 1) / 2, values.len() / 2);
                Some(f64::midpoint(*values.get(low)?, *values.get(high)?))
            });
            middle.map_or_else(Entry::default, |bytes| {
                Entry::plain(figure(Metric::SizeEnd, bytes)).by(bytes)
            })
        })
        .collect();
    if side.absent.is_some() {
        entries[0] = absent(side.absent.as_ref());
    }
    entries
}
