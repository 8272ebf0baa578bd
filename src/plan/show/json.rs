//! A plan as JSON. The document carries a version; its keys are described in `docs/plan-json.md`.

use super::{shared_across, sharing_reason};
use crate::model::{AxisValue, Condition, Finding, Metric, Place};
use crate::plan::advice::Advice;
use crate::plan::estimate::{estimate, repetition};
use crate::plan::{Average, Cell, Dataset, OsCache, Plan, maxima, order};
use crate::target::OptionLine;
use serde::Serialize;
use std::collections::BTreeMap;

/// Version of the document. Raised when a key changes its meaning or goes away.
pub const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'p> {
    version: u32,
    title: &'p str,
    suite: &'p str,
    profiles: &'p [String],
    sets: &'p [String],
    seed: u64,
    repeat: u32,
    average: &'static str,
    servers: Vec<Server<'p>>,
    datasets: Vec<DatasetView<'p>>,
    cells: Vec<CellView<'p>>,
    order: Vec<SlotView>,
    maxima: Vec<MaximumView>,
    probes: Vec<ProbeView<'p>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    collectors: Vec<CollectorView<'p>>,
    comparisons: Vec<ComparisonView<'p>>,
    expectations: Vec<ExpectationView<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<TableView<'p>>,
    estimate: EstimateView,
    noise_floors: Vec<FloorView>,
    repetitions_needed: Vec<NeededView<'p>>,
    findings: &'p [Finding],
    unsupported: Vec<UnsupportedView<'p>>,
}

#[derive(Serialize)]
struct Server<'p> {
    name: &'p str,
    wanted: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    binary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    build: Option<&'p str>,
    engines: &'p [String],
}

#[derive(Serialize)]
struct Named<'p> {
    name: &'p str,
    value: &'p str,
}

#[derive(Serialize)]
struct DatasetView<'p> {
    recipe: &'p str,
    ingredients: Vec<Named<'p>>,
    server: usize,
    engine: &'p str,
    storage: &'p str,
    cells: Vec<usize>,
    shared_across: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_because: Option<&'static str>,
    source: &'static str,
    load: String,
    settle: String,
    options: Vec<OptionView<'p>>,
    init_options: Vec<OptionView<'p>>,
    schema_notes: &'p [String],
    estimated_bytes: u64,
}

#[derive(Serialize)]
struct CellView<'p> {
    key: &'p crate::model::CellKey,
    axes: &'p [AxisValue],
    row: usize,
    server: usize,
    dataset: usize,
    engine: &'p str,
    storage: &'p str,
    workload: &'p str,
    parameters: BTreeMap<&'p str, String>,
    clients: u32,
    warmup_ms: u64,
    measure_ms: u64,
    rounds: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    steady: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count_last_ms: Option<u64>,
    isolation: &'p str,
    os_cache: &'static str,
    settings: BTreeMap<&'p str, String>,
    options: Vec<OptionView<'p>>,
    set_global: Vec<OptionView<'p>>,
    set_session: Vec<OptionView<'p>>,
    place: &'p Place,
    estimated_repetition_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    unavailable: Option<UnavailableView<'p>>,
}

#[derive(Serialize)]
struct OptionView<'p> {
    name: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<&'p Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'p str>,
}

#[derive(Serialize)]
struct UnavailableView<'p> {
    reason: &'p str,
    how_to_get: &'p str,
}

#[derive(Serialize)]
struct MaximumView {
    cells: Vec<usize>,
}

#[derive(Serialize)]
struct SlotView {
    order: u32,
    repetition: u32,
    cell: usize,
}

#[derive(Serialize)]
struct ProbeView<'p> {
    name: &'p str,
    sql: &'p str,
    cold: bool,
    place: &'p Place,
}

#[derive(Serialize)]
struct CollectorView<'p> {
    arguments: &'p [String],
    place: &'p Place,
}

#[derive(Serialize)]
struct ComparisonView<'p> {
    axes: &'p [String],
    baseline: &'p [String],
    place: &'p Place,
}

#[derive(Serialize)]
struct ExpectationView<'p> {
    text: &'p str,
    metric: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<&'p Condition>,
    place: &'p Place,
}

#[derive(Serialize)]
struct TableView<'p> {
    rows: &'p str,
    columns: &'p str,
}

#[derive(Serialize)]
struct EstimateView {
    load_ms: u64,
    repetitions_ms: u64,
    time_ms: u64,
    disk_bytes: u64,
}

/// The noise floor of a headline, and what the planned repetitions show above it.
#[derive(Serialize)]
struct FloorView {
    metric: Metric,
    floor: f64,
    measured: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    shows: Option<f64>,
}

/// How many repetitions an expectation needs.
#[derive(Serialize)]
struct NeededView<'p> {
    text: &'p str,
    place: &'p Place,
    #[serde(skip_serializing_if = "Option::is_none")]
    repetitions: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_ms: Option<u64>,
}

#[derive(Serialize)]
struct UnsupportedView<'p> {
    what: &'p str,
    place: &'p Place,
}

/// The plan as an indented JSON document with a newline at its end.
pub fn json(plan: &Plan, advice: &Advice) -> String {
    let shared = shared_across(plan);
    let took = estimate(plan);
    let ms = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let document = Document {
        version: VERSION,
        title: &plan.title,
        suite: &plan.suite_name,
        profiles: &plan.profiles,
        sets: &plan.sets,
        seed: plan.seed,
        repeat: plan.repeat,
        average: match plan.average {
            Average::Median => "median",
            Average::Mean => "mean",
        },
        servers: plan
            .servers
            .iter()
            .map(|server| {
                let found = server.description.as_ref();
                Server {
                    name: &server.name,
                    wanted: &server.wanted,
                    missing: server.missing.as_deref(),
                    family: found.map(|found| found.family.as_str()),
                    version: found.map(|found| found.version.as_str()),
                    binary: found
                        .and_then(|found| found.binary.as_ref())
                        .map(|path| path.display().to_string()),
                    build: found.map(|found| found.build.as_str()),
                    engines: found.map_or(&[], |found| &found.engines),
                }
            })
            .collect(),
        datasets: plan
            .datasets
            .iter()
            .zip(shared)
            .zip(plan.users())
            .map(|((dataset, shared), users)| dataset_view(dataset, shared, users))
            .collect(),
        cells: plan.cells.iter().map(|cell| cell_view(cell, ms(repetition(plan, cell)))).collect(),
        order: order(plan)
            .into_iter()
            .map(|slot| SlotView {
                order: slot.order,
                repetition: slot.repetition,
                cell: slot.cell,
            })
            .collect(),
        maxima: maxima(plan).into_iter().map(|slot| MaximumView { cells: slot.cells }).collect(),
        probes: plan
            .probes
            .iter()
            .map(|probe| ProbeView {
                name: &probe.name,
                sql: &probe.sql,
                cold: probe.cold,
                place: &probe.place,
            })
            .collect(),
        collectors: plan
            .collectors
            .iter()
            .map(|one| CollectorView { arguments: &one.arguments, place: &one.place })
            .collect(),
        comparisons: plan
            .comparisons
            .iter()
            .map(|compare| ComparisonView {
                axes: &compare.axes,
                baseline: &compare.baseline,
                place: &compare.place,
            })
            .collect(),
        expectations: plan
            .expectations
            .iter()
            .map(|expect| ExpectationView {
                text: &expect.text,
                metric: expect.metric.to_string(),
                condition: expect.condition.as_ref(),
                place: &expect.place,
            })
            .collect(),
        table: plan.table.as_ref().map(|(rows, columns)| TableView { rows, columns }),
        estimate: EstimateView {
            load_ms: ms(took.load),
            repetitions_ms: ms(took.repetitions),
            time_ms: ms(took.time()),
            disk_bytes: took.disk,
        },
        noise_floors: advice
            .shown
            .iter()
            .map(|shown| FloorView {
                metric: shown.metric,
                floor: rounded(shown.floor),
                measured: shown.measured,
                shows: shown.effect.map(rounded),
            })
            .collect(),
        repetitions_needed: advice
            .needed
            .iter()
            .map(|needed| NeededView {
                text: &needed.text,
                place: &needed.place,
                repetitions: needed.repetitions.map(|(n, _)| n),
                time_ms: needed.repetitions.map(|(_, time)| ms(time)),
            })
            .collect(),
        findings: &plan.findings,
        unsupported: plan
            .unsupported
            .iter()
            .map(|unsupported| UnsupportedView {
                what: &unsupported.what,
                place: &unsupported.place,
            })
            .collect(),
    };
    let mut text = serde_json::to_string_pretty(&document)
        .expect("numbers, texts and maps with text keys are JSON");
    text.push('\n');
    text
}

/// A ratio to a ten-thousandth: what lies beyond says nothing, and differs from machine to machine.
fn rounded(ratio: f64) -> f64 {
    (ratio * 1e4).round() / 1e4
}

fn lines(lines: &[OptionLine]) -> Vec<OptionView<'_>> {
    lines
        .iter()
        .map(|line| OptionView {
            name: &line.name,
            value: line.value.as_deref(),
            place: line.place.as_ref(),
            reason: None,
        })
        .collect()
}

fn dataset_view(dataset: &Dataset, shared: Vec<String>, cells: Vec<usize>) -> DatasetView<'_> {
    DatasetView {
        recipe: &dataset.recipe.0,
        ingredients: dataset
            .ingredients
            .iter()
            .map(|(name, value)| Named { name, value })
            .collect(),
        server: dataset.server,
        engine: &dataset.engine,
        storage: dataset.spec.storage,
        cells,
        shared_because: (!shared.is_empty()).then(|| sharing_reason(dataset.source)),
        shared_across: shared,
        source: dataset.source.as_str(),
        load: dataset.load.describe(),
        settle: dataset.settle.describe(),
        options: lines(&dataset.options),
        init_options: lines(&dataset.init_options),
        schema_notes: &dataset.schema.notes,
        estimated_bytes: dataset.estimated_bytes,
    }
}

fn cell_view(cell: &Cell, estimated_repetition_ms: u64) -> CellView<'_> {
    let ms = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    CellView {
        key: &cell.key,
        axes: &cell.axes,
        row: cell.point,
        server: cell.server,
        dataset: cell.dataset,
        engine: &cell.engine,
        storage: cell.spec.storage,
        workload: &cell.workload_name,
        parameters: cell
            .parameters
            .iter()
            .map(|(name, v)| (name.as_str(), v.to_string()))
            .collect(),
        clients: cell.clients,
        warmup_ms: ms(cell.warmup),
        measure_ms: ms(cell.measure),
        rounds: cell.rounds,
        steady: cell.steady,
        count_last_ms: cell.count_last.map(ms),
        isolation: &cell.isolation,
        os_cache: match cell.os_cache {
            OsCache::Keep => "keep",
            OsCache::Drop => "drop",
        },
        settings: cell.settings.iter().map(|(name, v)| (name.as_str(), v.to_string())).collect(),
        options: cell
            .options
            .iter()
            .map(|option| OptionView {
                name: &option.line.name,
                value: option.line.value.as_deref(),
                place: option.line.place.as_ref(),
                reason: option.reason.as_deref(),
            })
            .collect(),
        set_global: lines(&cell.set_global),
        set_session: lines(&cell.set_session),
        place: &cell.place,
        estimated_repetition_ms,
        unavailable: cell.unavailable.as_ref().map(|missing| UnavailableView {
            reason: &missing.reason,
            how_to_get: &missing.how_to_get,
        }),
    }
}
