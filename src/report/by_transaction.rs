//! Tables of a workload whose headline counts transactions of several types together: the rate and
//! the latency of each type.

use super::grid::Grid;
use super::rows::timed;
use crate::compare::view::{Average, Section};
use crate::model::{Metric, MetricId};

/// The tables, each whole and in a line; none where the headline counts one type, or there is one
/// only.
pub(super) fn by_transaction(section: &Section, average: Average) -> Vec<(Grid, String)> {
    if section.headline_type.is_some() {
        return Vec::new();
    }
    let mut names: Vec<&str> = Vec::new();
    let sides = section.points.iter().flat_map(|point| &point.sides);
    for series in sides.flat_map(|side| &side.series) {
        if series.metric.metric == Metric::P95
            && let Some(name) = series.metric.of.as_deref()
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    if names.len() < 2 {
        return Vec::new();
    }
    [("Transactions a second, by type", Metric::Tps), ("95th percentile, by type", Metric::P95)]
        .into_iter()
        .map(|(title, metric)| {
            let mut grid =
                timed(section, title, average, &names, |name| MetricId::of(metric, name));
            grid.axes.insert(0, "transaction".to_string());
            let brief = format!("{}: {}", title.to_lowercase(), names.join(", "));
            (grid.without_empty_columns(), brief)
        })
        .collect()
}
