//! Cells to points and sides: the rows of the table.

use super::cells::{CellRecords, Figure, Index};
use super::course::course;
use super::ledger::{self, Facts};
use super::not_available;
use super::open_loop::{OpenSide, saturated};
use super::trace;
use super::view::{
    Absent, Against, Delta, Difference, Judged, LedgerRow, NoVerdict, Point, Sample, Section,
    Series, ServerLabel, Side, Standing,
};
use crate::journal::record::{Average, Comparison as Statement, PlannedCell};
use crate::model::count::total;
use crate::model::{CellKey, Metric, MetricId};
use crate::stats::estimate::{mean, median};

/// Settings that a heading shows where all cells agree, beside constant axes.
const HEADING_SETTINGS: &[&str] = &[
    "defaults",
    "machine",
    "start",
    "isolation",
    "requests",
    "cache",
    "io",
    "os_cache",
    "warehouses",
    "clients",
    "rate",
    "arrival",
    "think",
    "warmup",
    "measure",
    "count",
    "steady",
    "rounds",
    "settle",
    "data",
];

/// One section for each `compare` statement and workload; one for each workload without.
pub(super) fn sections(index: &Index) -> Vec<Section> {
    let Some(plan) = index.plan else { return Vec::new() };
    let nothing = Statement {
        axes: Vec::new(),
        baseline: Vec::new(),
        place: crate::model::Place::new("", 0, 0),
    };
    let statements: Vec<&Statement> = if plan.comparisons.is_empty() {
        vec![&nothing]
    } else {
        plan.comparisons.iter().collect()
    };
    let mut sections = Vec::new();
    for statement in statements {
        for cells in by_workload(&plan.cells) {
            sections.push(section(index, statement, &cells));
        }
    }
    sections
}

/// Cells whose figures can stand in one table: one workload and one headline.
fn by_workload(cells: &[PlannedCell]) -> Vec<Vec<&PlannedCell>> {
    let mut groups: Vec<(Option<&str>, Metric, Vec<&PlannedCell>)> = Vec::new();
    for cell in cells {
        let workload = cell.key.get("workload");
        match groups.iter_mut().find(|group| group.0 == workload && group.1 == cell.headline) {
            Some(group) => group.2.push(cell),
            None => groups.push((workload, cell.headline, vec![cell])),
        }
    }
    groups.into_iter().map(|group| group.2).collect()
}

fn section(index: &Index, statement: &Statement, cells: &[&PlannedCell]) -> Section {
    let (axes, mut constants) = axes(cells, &statement.axes);
    for name in HEADING_SETTINGS {
        let mut values = cells.iter().map(|cell| cell.settings.get(*name));
        if let Some(Some(first)) = values.next()
            && values.all(|value| value == Some(first))
            && !constants.iter().any(|(known, _)| known == name)
            && !cells.iter().any(|cell| cell.key.get(name).is_some())
        {
            constants.push(((*name).to_string(), first.clone()));
        }
    }
    let average = index.plan.map_or(Average::Median, |plan| plan.average);
    let mut points: Vec<(CellKey, Point)> = Vec::new();
    for cell in cells {
        let rest =
            statement.axes.iter().fold(cell.key.clone(), |rest, compared| rest.without(compared));
        let side = side(index, statement, cell, average);
        if let Some((_, point)) = points.iter_mut().find(|(key, _)| *key == rest) {
            point.sides.push(side);
        } else {
            let values = axes.iter().map(|axis| shown(index, cell, axis)).collect();
            points.push((rest, Point { values, sides: vec![side] }));
        }
    }
    let mut points: Vec<Point> = points.into_iter().map(|(_, point)| point).collect();
    for point in &mut points {
        point.sides.sort_by_key(|side| !side.is_baseline);
        differ(index, &statement.axes, cells, &mut point.sides);
        pair(&mut point.sides);
        leave_unjudged(cells, &mut point.sides);
    }
    Section {
        compared: statement.axes.clone(),
        baseline: statement.baseline.clone(),
        workload: cells[0].workload.clone(),
        remarks: [remarks(cells), start_states(index, cells)].concat(),
        servers: servers(index, cells),
        headline: cells[0].headline,
        headline_type: cells[0].headline_type.clone(),
        constants,
        axes,
        points,
        overall: Vec::new(),
        ledger: ledger_of(index, statement, cells),
        shape: index.plan.and_then(|plan| plan.table.clone()),
    }
}

/// Axes of `cells` other than compared ones: those whose values vary, and the others with their
/// one value.
fn axes(cells: &[&PlannedCell], compared: &[String]) -> (Vec<String>, Vec<(String, String)>) {
    let mut names: Vec<&str> = Vec::new();
    for axis in cells.iter().flat_map(|cell| &cell.axes) {
        if !names.contains(&axis.axis.as_str()) && !compared.contains(&axis.axis) {
            names.push(&axis.axis);
        }
    }
    let (mut varying, mut constants) = (Vec::new(), Vec::new());
    for name in names {
        let first = written(cells[0], name);
        if cells.iter().all(|cell| written(cell, name) == first) {
            constants.push((name.to_string(), first.unwrap_or_default()));
        } else {
            varying.push(name.to_string());
        }
    }
    (varying, constants)
}

/// The value of `cell` on `axis`, as the suite writes it.
fn written(cell: &PlannedCell, axis: &str) -> Option<String> {
    cell.axes.iter().find(|value| value.axis == axis).map(|value| value.value.to_string())
}

/// The value of `cell` on `axis`, as reports show it: a server with its version.
fn shown(index: &Index, cell: &PlannedCell, axis: &str) -> Option<String> {
    let value = written(cell, axis)?;
    if axis == "server"
        && let Some(server) = index.servers.get(cell.server.as_str())
    {
        return Some(format!("{value} ({})", server.version));
    }
    Some(value)
}

fn side(index: &Index, statement: &Statement, cell: &PlannedCell, average: Average) -> Side {
    let is_baseline = !statement.axes.is_empty()
        && statement.axes.iter().zip(&statement.baseline).all(|(axis, value)| {
            cell.key.get(axis).is_some_and(|own| own.eq_ignore_ascii_case(value))
        });
    let mut side = Side {
        name: side_name(index, statement, cell),
        cell: cell.key.clone(),
        is_baseline,
        series: Vec::new(),
        differences: Vec::new(),
        open: None,
        course: None,
        errors: 0,
        retries: 0,
        transactions: 0,
        failed: Vec::new(),
        absent: None,
        traces: Vec::new(),
        percentiles: Vec::new(),
    };
    let Some(records) = index.cell(&cell.key) else {
        side.absent = Some(absent(index, &cell.key));
        return side;
    };
    measure(&mut side, records, cell, average);
    side.course = course(records);
    side.traces = trace::traces(records, cell);
    side.percentiles = trace::percentiles(records, cell);
    if side.series.first().is_none_or(|series| series.metric.metric != cell.headline) {
        side.absent = Some(side.failed.first().map_or_else(
            || absent(index, &cell.key),
            |(_, failure)| {
                if not_available(failure.kind) {
                    Absent::NotAvailable(failure.message.clone())
                } else {
                    Absent::Failed(failure.to_string())
                }
            },
        ));
    }
    side
}

fn absent(index: &Index, cell: &CellKey) -> Absent {
    match index.failed(cell) {
        Some(failed) if not_available(failed.failure.kind) => {
            Absent::NotAvailable(failed.failure.message.clone())
        }
        Some(failed) => Absent::Failed(failed.failure.to_string()),
        None => Absent::NotRun,
    }
}

fn measure(side: &mut Side, records: &CellRecords, cell: &PlannedCell, average: Average) {
    let headline = MetricId::whole(cell.headline);
    let mut metrics = records.metrics();
    metrics.sort_by_key(|metric| *metric != headline);
    for metric in metrics {
        if let Some(series) = series(metric.clone(), records.figures(&metric), average) {
            side.series.push(series);
        }
    }
    for repetition in records.repetitions.values() {
        if let Some(failure) = &repetition.failure {
            side.failed.push((repetition.repetition, failure.clone()));
        }
        OpenSide::add(&mut side.open, repetition);
        for totals in repetition.rounds.iter().flat_map(|round| &round.types) {
            side.errors = total([side.errors].into_iter().chain(totals.errors.values().copied()));
            side.retries =
                total([side.retries].into_iter().chain(totals.retries.values().copied()));
            side.transactions = total([side.transactions, totals.committed, totals.rolled_back]);
        }
    }
}

/// The figures as a series; `None` for no figures.
pub(super) fn series(metric: MetricId, figures: Vec<Figure>, average: Average) -> Option<Series> {
    let values: Vec<f64> = figures.iter().map(|figure| figure.value).collect();
    let level = match average {
        Average::Median => median(&values),
        Average::Mean => mean(&values),
    }?;
    let samples = figures
        .into_iter()
        .map(|figure| Sample {
            repetition: figure.repetition,
            value: figure.value,
            rounds: figure.rounds,
            outlier: false,
        })
        .collect();
    Some(Series { metric, samples, level, half_width: None, against: Against::NoBaseline })
}

/// Gives every series of the sides that are no baseline its delta.
fn pair(sides: &mut [Side]) {
    let Some((baseline, others)) = sides.split_first_mut().filter(|(first, _)| first.is_baseline)
    else {
        return;
    };
    for series in &mut baseline.series {
        series.against = Against::Baseline;
    }
    for side in others {
        let unequal = unequal(&side.differences);
        let too_much = saturated(&side.name, side).or_else(|| saturated(&baseline.name, baseline));
        for series in &mut side.series {
            if let Some(base) = baseline.series(&series.metric) {
                series.against = match &too_much {
                    _ if !unequal.is_empty() => Against::Unequal(unequal.clone()),
                    Some(why) if series.metric.metric.grows_in_a_queue() => {
                        Against::Unequal(vec![why.clone()])
                    }
                    _ => delta(series, base),
                };
            }
        }
    }
}

/// A pair of which a side ran on data that its earlier repetitions had changed gets no verdict.
fn leave_unjudged(cells: &[&PlannedCell], sides: &mut [Side]) {
    let reused = |side: &Side| {
        cells.iter().any(|cell| {
            cell.key == side.cell && cell.settings.get("data").is_some_and(|data| data == "reuse")
        })
    };
    let of_baseline = sides.first().is_some_and(reused);
    for side in sides.iter_mut().filter(|side| of_baseline || reused(side)) {
        for series in &mut side.series {
            if let Against::Delta(delta) = &mut series.against {
                delta.judged = Judged::NoVerdict(NoVerdict::DataReused);
            }
        }
    }
}

/// What costs the delta, in words.
pub(super) fn unequal(differences: &[Difference]) -> Vec<String> {
    differences
        .iter()
        .filter(|difference| difference.standing == Standing::Unequal)
        .map(|difference| format!("{}: {}", difference.property, difference.detail))
        .collect()
}

/// Finds in what each side differs from its baseline.
fn differ(index: &Index, compared: &[String], cells: &[&PlannedCell], sides: &mut [Side]) {
    let facts = |side: &Side| {
        cells.iter().find(|cell| cell.key == side.cell).map(|cell| Facts::of(index, cell))
    };
    let Some((baseline, others)) = sides.split_first_mut().filter(|(first, _)| first.is_baseline)
    else {
        return;
    };
    let Some(baseline) = facts(baseline) else { return };
    for side in others {
        if let Some(own) = facts(side) {
            side.differences = ledger::differences(index, compared, &baseline, &own);
        }
    }
}

fn ledger_of(index: &Index, statement: &Statement, cells: &[&PlannedCell]) -> Vec<LedgerRow> {
    let sides: Vec<(String, Facts)> = cells
        .iter()
        .filter(|cell| index.cell(&cell.key).is_some())
        .map(|cell| (side_name(index, statement, cell), Facts::of(index, cell)))
        .collect();
    ledger::rows(&sides)
}

/// A cell's values on the compared axes.
fn side_name(index: &Index, statement: &Statement, cell: &PlannedCell) -> String {
    let names: Vec<String> = statement
        .axes
        .iter()
        .map(|axis| shown(index, cell, axis).unwrap_or_else(|| "-".to_string()))
        .collect();
    names.join(", ")
}

/// The delta of two series, before anything is said about it.
pub(super) fn delta(series: &Series, baseline: &Series) -> Against {
    let relative = (series.level - baseline.level) / baseline.level;
    if !relative.is_finite() {
        return Against::NoBaseline;
    }
    Against::Delta(Delta {
        relative,
        n: (baseline.samples.len(), series.samples.len()),
        rank: None,
        judged: Judged::NoVerdict(NoVerdict::NoRatio),
    })
}

fn remarks(cells: &[&PlannedCell]) -> Vec<String> {
    let mut remarks: Vec<String> = Vec::new();
    for remark in cells.iter().flat_map(|cell| &cell.remarks) {
        if !remarks.contains(remark) {
            remarks.push(remark.clone());
        }
    }
    remarks
}

/// What was in the page cache when the measuring began, for each state that the suite asks for.
fn start_states(index: &Index, cells: &[&PlannedCell]) -> Vec<String> {
    let mut seen: Vec<(&str, f64, f64)> = Vec::new();
    for cell in cells {
        let (Some(state), Some(records)) = (cell.settings.get("start"), index.cell(&cell.key))
        else {
            continue;
        };
        for share in records.whole().filter_map(|repetition| repetition.resident_before_measure) {
            match seen.iter_mut().find(|(known, ..)| known == state) {
                Some((_, low, high)) => (*low, *high) = (low.min(share), high.max(share)),
                None => seen.push((state, share, share)),
            }
        }
    }
    seen.into_iter()
        .map(|(state, low, high)| {
            let (low, high) = (low * 100.0, high * 100.0);
            format!(
                "start {state}: {low:.1}% to {high:.1}% of the data directory in the page cache"
            )
        })
        .collect()
}

fn servers(index: &Index, cells: &[&PlannedCell]) -> Vec<ServerLabel> {
    let mut labels: Vec<ServerLabel> = Vec::new();
    for cell in cells {
        if labels.iter().any(|label| label.name == cell.server) {
            continue;
        }
        let server = index.servers.get(cell.server.as_str());
        labels.push(ServerLabel {
            name: cell.server.clone(),
            family: server.map_or_else(String::new, |server| server.family.clone()),
            version: server.map_or_else(String::new, |server| server.version.clone()),
        });
    }
    labels
}
