//! Datasets to rows: load time and size, paired as the cells are that use them.

use super::cells::{Figure, Index};
use super::ledger::{self, Facts};
use super::not_available;
use super::section::{delta, series, unequal};
use super::view::{Absent, Against, LoadPoint, LoadSection, LoadSide};
use crate::journal::record::{Average, Comparison as Statement, DatasetRecord, PlannedCell};
use crate::model::count::total;
use crate::model::{Metric, MetricId, RecipeId};
use std::collections::BTreeMap;

/// One section for each `compare` statement that tells datasets apart; one for all without.
pub(super) fn sections(index: &Index) -> Vec<LoadSection> {
    let Some(plan) = index.plan else { return Vec::new() };
    if plan.comparisons.is_empty() {
        return section(index, &[], &[]).into_iter().collect();
    }
    plan.comparisons
        .iter()
        .filter(|statement| tells_datasets_apart(&plan.cells, statement))
        .filter_map(|statement| section(index, &statement.axes, &statement.baseline))
        .collect()
}

/// Whether cells of one point use different datasets under this statement.
fn tells_datasets_apart(cells: &[PlannedCell], statement: &Statement) -> bool {
    let mut of_rest: BTreeMap<_, &RecipeId> = BTreeMap::new();
    cells.iter().any(|cell| {
        let rest = statement.axes.iter().fold(cell.key.clone(), |key, axis| key.without(axis));
        *of_rest.entry(rest).or_insert(&cell.recipe) != &cell.recipe
    })
}

/// A dataset with what its cells have in common.
struct Used<'a> {
    recipe: &'a RecipeId,
    cells: Vec<&'a PlannedCell>,
}

impl Used<'_> {
    /// The value on `axis` that all its cells have.
    fn value(&self, axis: &str) -> Option<String> {
        let of = |cell: &PlannedCell| {
            cell.axes.iter().find(|value| value.axis == axis).map(|value| value.value.to_string())
        };
        let first = of(self.cells[0])?;
        self.cells.iter().all(|cell| of(cell).as_ref() == Some(&first)).then_some(first)
    }
}

/// Settings that move no data; a dataset is named by one of them only if nothing else tells it apart.
const RUN_SETTINGS: &[&str] =
    &["active", "cache", "clients", "io", "isolation", "measure", "os_cache", "rate", "warmup"];

/// The fewest of `axes` whose values tell datasets of one side apart, in the order of the suite.
fn telling_apart(used: &[Used], axes: Vec<String>, compared: &[String]) -> Vec<String> {
    let mut candidates: Vec<&String> = axes
        .iter()
        .filter(|axis| used.iter().all(|dataset| dataset.value(axis).is_some()))
        .collect();
    candidates.sort_by_key(|axis| RUN_SETTINGS.contains(&axis.as_str()));
    let distinct = |chosen: &[&String]| {
        let names = chosen.iter().copied().chain(compared);
        let names: Vec<&String> = names.collect();
        let values: std::collections::BTreeSet<Vec<Option<String>>> = used
            .iter()
            .map(|dataset| names.iter().map(|axis| dataset.value(axis)).collect())
            .collect();
        values.len()
    };
    let mut chosen: Vec<&String> = Vec::new();
    for axis in candidates {
        let before = distinct(&chosen);
        chosen.push(axis);
        if distinct(&chosen) == before {
            chosen.pop();
        }
    }
    axes.iter().filter(|axis| chosen.contains(axis)).cloned().collect()
}

/// A point in the making: each dataset with one of its cells.
struct Found<'a> {
    values: Vec<Option<String>>,
    sides: Vec<(LoadSide, &'a PlannedCell)>,
}

fn section(index: &Index, compared: &[String], baseline: &[String]) -> Option<LoadSection> {
    let mut used: Vec<Used> = Vec::new();
    for cell in index.planned() {
        match used.iter_mut().find(|known| known.recipe == &cell.recipe) {
            Some(known) => known.cells.push(cell),
            None => used.push(Used { recipe: &cell.recipe, cells: vec![cell] }),
        }
    }
    let mut names: Vec<String> = Vec::new();
    for axis in used.iter().flat_map(|dataset| &dataset.cells).flat_map(|cell| &cell.axes) {
        if !names.contains(&axis.axis) && !compared.contains(&axis.axis) {
            names.push(axis.axis.clone());
        }
    }
    let names = telling_apart(&used, names, compared);
    let average = index.plan.map_or(Average::Median, |plan| plan.average);
    let mut points: Vec<Found> = Vec::new();
    for dataset in &used {
        let values: Vec<Option<String>> = names.iter().map(|axis| dataset.value(axis)).collect();
        let side = side(index, dataset, compared, baseline, average);
        match points.iter_mut().find(|point| point.values == values) {
            Some(point) => point.sides.push((side, dataset.cells[0])),
            None => points.push(Found { values, sides: vec![(side, dataset.cells[0])] }),
        }
    }
    for point in &mut points {
        point.sides.sort_by_key(|(side, _)| !side.is_baseline);
        pair(index, compared, &mut point.sides);
    }
    let points: Vec<LoadPoint> = points
        .into_iter()
        .map(|Found { values, sides }| LoadPoint {
            values,
            sides: sides.into_iter().map(|(side, _)| side).collect(),
        })
        .collect();
    let mut metrics: Vec<Metric> = points
        .iter()
        .flat_map(|point| &point.sides)
        .flat_map(|side| side.series.iter().map(|series| series.metric.metric))
        .collect();
    metrics.sort();
    metrics.dedup();
    (!metrics.is_empty()).then(|| LoadSection {
        compared: compared.to_vec(),
        axes: names,
        metrics,
        points,
    })
}

fn side(
    index: &Index,
    dataset: &Used,
    compared: &[String],
    baseline: &[String],
    average: Average,
) -> LoadSide {
    let values: Vec<Option<String>> = compared.iter().map(|axis| dataset.value(axis)).collect();
    let is_baseline = !compared.is_empty()
        && values.iter().zip(baseline).all(|(value, baseline)| {
            value.as_ref().is_some_and(|value| value.eq_ignore_ascii_case(baseline))
        });
    let name =
        values.iter().map(|value| value.as_deref().unwrap_or("any")).collect::<Vec<_>>().join(", ");
    let loads = index.datasets.get(dataset.recipe);
    let Some(first) = loads.and_then(|loads| loads.values().next()).copied() else {
        return LoadSide {
            name,
            is_baseline,
            path: String::new(),
            threads: 0,
            rows: 0,
            reused: false,
            series: Vec::new(),
            ddl: BTreeMap::new(),
            absent: Some(absent(index, dataset)),
        };
    };
    let loads: Vec<&DatasetRecord> =
        loads.into_iter().flat_map(BTreeMap::values).copied().collect();
    let mut metrics: Vec<&MetricId> =
        loads.iter().flat_map(|load| load.metrics.iter().map(|value| &value.id)).collect();
    metrics.sort();
    metrics.dedup();
    let series = metrics
        .into_iter()
        .filter_map(|metric| {
            let figures = loads
                .iter()
                .filter_map(|load| {
                    let value = load.metrics.iter().find(|value| &value.id == metric)?.value;
                    Some(Figure { repetition: load.load, value, rounds: Vec::new() })
                })
                .collect();
            series(metric.clone(), figures, average)
        })
        .collect();
    LoadSide {
        name,
        is_baseline,
        path: first.path.clone(),
        threads: first.threads,
        rows: total(first.rows.values().copied()),
        reused: loads.iter().all(|load| load.reused),
        series,
        ddl: first.ddl.clone(),
        absent: None,
    }
}

fn absent(index: &Index, dataset: &Used) -> Absent {
    match dataset.cells.iter().find_map(|cell| index.failed(&cell.key)) {
        Some(failed) if not_available(failed.failure.kind) => {
            Absent::NotAvailable(failed.failure.message.clone())
        }
        Some(failed) => Absent::Failed(failed.failure.to_string()),
        None => Absent::NotRun,
    }
}

/// Whether a metric of a load depends on the path that rows took.
fn depends_on_path(metric: Metric) -> bool {
    matches!(
        metric,
        Metric::LoadTime
            | Metric::SettleTime
            | Metric::TotalLoadTime
            | Metric::LoadRate
            | Metric::LoadClientCpu
    )
}

/// Properties of a cell that bear on its dataset too.
const OF_DATASETS: &[&str] = &["transactions", "indexes", "foreign keys", "charset", "data"];

/// As the ledger names the way that rows took into the tables.
pub(super) const LOAD_PATH: &str = "load path";

fn pair(index: &Index, compared: &[String], sides: &mut [(LoadSide, &PlannedCell)]) {
    let Some(((baseline, base_cell), others)) =
        sides.split_first_mut().filter(|((first, _), _)| first.is_baseline)
    else {
        return;
    };
    let base_facts = Facts::of(index, base_cell);
    for series in &mut baseline.series {
        series.against = Against::Baseline;
    }
    for (side, cell) in others {
        let mut differences =
            ledger::differences(index, compared, &base_facts, &Facts::of(index, cell));
        differences.retain(|difference| OF_DATASETS.contains(&difference.property.as_str()));
        let unequal = unequal(&differences);
        let mut unlike_path = Vec::new();
        if !same_path(baseline, side) {
            unlike_path.push(format!(
                "{LOAD_PATH}: {} with {} threads, {} with {}",
                baseline.path, baseline.threads, side.path, side.threads
            ));
        }
        for series in &mut side.series {
            let Some(base) = baseline.series.iter().find(|base| base.metric == series.metric)
            else {
                continue;
            };
            series.against = if !unequal.is_empty() {
                Against::Unequal(unequal.clone())
            } else if depends_on_path(series.metric.metric)
                && !unlike_path.is_empty()
                && ledger::allowed(index, LOAD_PATH).is_none()
            {
                Against::Unequal(unlike_path.clone())
            } else {
                delta(series, base)
            };
        }
    }
}

/// Whether the rows of both sides came in by the same way.
pub(super) fn same_path(baseline: &LoadSide, side: &LoadSide) -> bool {
    baseline.path == side.path && baseline.threads == side.threads
}
