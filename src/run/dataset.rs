//! A dataset: made once, from an empty data directory to a checked copy in the store.

use super::checksums::checksums;
use super::external::{self, Outputs};
use super::load::{LoadSpec, Loaded, ScriptRows, load_rows, run_scripts};
use super::places::{self, Instance, Stored};
use super::pool::{CONTROL, set_up};
use super::preflight;
use super::readback;
use super::repetition::{Env, SeenServer, violated};
use super::rest::{self, Rest};
use super::server::{abandon, control, start, stop, use_database};
use super::watch::{interrupted, sql_failure, watched};
use crate::host::interrupt::Interrupt;
use crate::journal::record::{CheckResult, DatasetRecord};
use crate::model::{Failure, FailureKind, Metric, MetricId, MetricValue, Phase};
use crate::plan::{Dataset, LoadPath};
use crate::target::session::{Dialect, Session, SqlError};
use crate::target::{Running, Target};
use crate::workload::{CheckMoment, Drive};
use std::collections::BTreeMap;
use std::time::Duration;

/// A dataset on a server that runs.
pub(super) struct LoadStep<'a> {
    pub(super) env: Env<'a>,
    pub(super) dataset: &'a Dataset,
    pub(super) running: &'a dyn Running,
}

/// Makes a dataset on a server start of its own and puts it into the store. What outside tools
/// wrote meanwhile comes into `outputs`, also when the load failed.
pub(super) fn make(
    env: Env<'_>,
    dataset: &Dataset,
    target: &dyn Target,
    load: u32,
    outputs: &mut Outputs,
) -> Result<(DatasetRecord, Stored, SeenServer), Failure> {
    let interrupt = &env.settings.interrupt;
    let instance =
        Instance::new(env.settings.work, &format!("load-{}", dataset.engine), Phase::Load)?;
    env.phase(Phase::Initialise);
    target.initialise(&instance.data_dir(), &dataset.init_options)?;
    if interrupt.is_raised() {
        return Err(interrupted(Phase::Initialise));
    }
    env.phase(Phase::Start);
    let running =
        start(target, &instance, dataset.options.clone(), dataset.spec.storage, interrupt)?;
    let step = LoadStep { env, dataset, running: &*running };
    let loaded = watched(&*running, interrupt, env.settings.patience, || {
        let mut control = control(&*running, interrupt, Phase::Load)?;
        load_into(&step, &mut *control, load, outputs)
    });
    let seen = SeenServer { version: running.version(), variables: running.variables().clone() };
    let record = match loaded {
        Ok(record) => record,
        Err(failure) => {
            abandon(running);
            return Err(failure);
        }
    };
    env.phase(Phase::Stop);
    stop(running)?;
    if interrupt.is_raised() {
        return Err(interrupted(Phase::Stop));
    }
    let stored = places::keep(env.settings.work, dataset, &instance, &record, interrupt)?;
    Ok((record, stored, seen))
}

/// Loads a dataset into an empty server: tables, rows, indexes, settle, check.
pub(super) fn load_into(
    step: &LoadStep<'_>,
    control: &mut dyn Session,
    load: u32,
    outputs: &mut Outputs,
) -> Result<DatasetRecord, Failure> {
    let LoadStep { env, dataset, running } = step;
    let interrupt = &env.settings.interrupt;
    preflight::reserve(dataset, *running, env.settings.work)?;
    env.phase(Phase::Load);
    if control.dialect() == Dialect::MySql
        && let Some(text) = database(dataset, running.capabilities().files)
    {
        statement(step, control, &text)?;
    }
    let setup = use_database(control.dialect(), &dataset.database);
    set_up(control, &setup).map_err(|(text, error)| failed(step, text, &error))?;
    for text in &dataset.schema.tables {
        statement(step, control, text)?;
    }
    let spec = LoadSpec {
        running: *running,
        dataset,
        seed: env.plan.seed,
        session_setup: &setup,
        interrupt,
        observer: env.observer,
    };
    let by_tool = external::Load { env: *env, running: *running, dataset };
    let mut loaded = match &dataset.load.path {
        LoadPath::External(loader) => by_tool.rows(loader, outputs)?,
        LoadPath::Bulk | LoadPath::Rows(_) => load_rows(&spec, control)?,
    };
    if let Drive::Program(program) = dataset.workload.drive(control.dialect())
        && let Some(argv) = &program.load
    {
        loaded.elapsed += by_tool.own_data(argv, outputs)?;
        loaded.path = "by the tool".to_string();
    }
    let scripts = run_scripts(&spec, control)?;
    if scripts.scripts > 0 {
        loaded.elapsed += scripts.elapsed;
        loaded.rows += scripts.rows();
        let plural = if scripts.scripts == 1 { "script" } else { "scripts" };
        loaded.path = format!("{}, {} {plural}", loaded.path, scripts.scripts);
    }
    let indexing = timed(step, control, |control| {
        let later = dataset.schema.indexes.iter().chain(&dataset.schema.foreign_keys);
        later.into_iter().try_for_each(|text| statement(step, control, text))
    })?;
    let rest = rest::come_to_rest(step, control)?;
    let failed = |doing: &str, error| failed(step, doing, &error);
    let tables = readback::tables(control, &dataset.database)
        .map_err(|error| failed("reading the tables back", error))?;
    readback::as_asked(&dataset.schema.expected, &tables)?;
    let mut expected = expected_rows(dataset);
    let rows = readback::row_counts(control, expected.keys())
        .map_err(|error| failed("counting rows", error))?;
    with_scripts(&mut expected, &scripts, &rows);
    if matches!(dataset.load.path, LoadPath::External(_)) {
        as_others_draw(dataset, &mut expected, &rows);
        loaded.rows += rows.values().sum::<u64>();
    }
    counts_agree(&expected, &rows)?;
    let checksums = checksums(step, control)?;
    let ddl = readback::ddl(control, expected.keys())
        .map_err(|error| failed("reading the tables' DDL", error))?;
    let checks = checked(step, control)?;
    Ok(DatasetRecord {
        recipe: dataset.recipe.clone(),
        engine: dataset.engine.clone(),
        server: env.plan.servers[dataset.server].name.clone(),
        load,
        path: loaded.path.clone(),
        threads: loaded.threads,
        rows,
        checksums,
        metrics: metrics(dataset, &loaded, indexing, &rest),
        table_sizes: rest.table_sizes(),
        reported_sizes: rest.reported.clone(),
        files: rest.files(),
        ddl,
        checks,
        reused: false,
    })
}

/// What an earlier run left on a server that runs already: looked at, not loaded.
pub(super) fn found_on(
    step: &LoadStep<'_>,
    control: &mut dyn Session,
    load: u32,
) -> Result<DatasetRecord, Failure> {
    let LoadStep { env, dataset, .. } = step;
    let failed = |doing: &str, error| failed(step, doing, &error);
    let setup = use_database(control.dialect(), &dataset.database);
    set_up(control, &setup).map_err(|(text, error)| failed(text, error))?;
    let tables = readback::tables(control, &dataset.database)
        .map_err(|error| failed("reading the tables back", error))?;
    readback::as_asked(&dataset.schema.expected, &tables)?;
    let names = expected_rows(dataset);
    let rows = readback::row_counts(control, names.keys())
        .map_err(|error| failed("counting rows", error))?;
    let ddl = readback::ddl(control, names.keys())
        .map_err(|error| failed("reading the tables' DDL", error))?;
    let reported_sizes = rest::told_sizes(step, control)?;
    Ok(DatasetRecord {
        recipe: dataset.recipe.clone(),
        engine: dataset.engine.clone(),
        server: env.plan.servers[dataset.server].name.clone(),
        load,
        path: "found there".to_string(),
        threads: 0,
        rows,
        checksums: BTreeMap::new(),
        metrics: rest::reported_size(&reported_sizes)
            .map(|(metric, bytes)| MetricValue { id: MetricId::whole(metric), value: bytes as f64 })
            .into_iter()
            .collect(),
        table_sizes: BTreeMap::new(),
        reported_sizes,
        files: Vec::new(),
        ddl,
        checks: Vec::new(),
        reused: true,
    })
}

pub(super) fn failed(step: &LoadStep<'_>, doing: &str, error: &SqlError) -> Failure {
    let interrupt: &Interrupt = &step.env.settings.interrupt;
    sql_failure(Phase::Load, step.running, interrupt, doing, error)
}

fn statement(step: &LoadStep<'_>, control: &mut dyn Session, text: &str) -> Result<(), Failure> {
    if step.env.settings.interrupt.is_raised() {
        return Err(interrupted(Phase::Load));
    }
    control.text(text).map(drop).map_err(|error| {
        let first_line = text.lines().next().unwrap_or_default();
        failed(step, &format!("`{first_line}`"), &error)
    })
}

/// What makes the database, or gives the one that was made empty of a server that runs already the
/// character set that tables have which state none.
fn database(dataset: &Dataset, absent: bool) -> Option<String> {
    let (name, verb) = (&dataset.database, if absent { "CREATE" } else { "ALTER" });
    match &dataset.schema.charset {
        Some((charset, collation)) => {
            Some(format!("{verb} DATABASE `{name}` CHARACTER SET {charset} COLLATE {collation}"))
        }
        None => absent.then(|| format!("{verb} DATABASE `{name}`")),
    }
}

/// Does `work` and gives its time by the server's clock.
fn timed(
    step: &LoadStep<'_>,
    control: &mut dyn Session,
    work: impl FnOnce(&mut dyn Session) -> Result<(), Failure>,
) -> Result<Duration, Failure> {
    let clock = step.running.clock(CONTROL);
    let began = clock.now();
    work(control)?;
    Ok(clock.now().saturating_sub(began))
}

fn expected_rows(dataset: &Dataset) -> BTreeMap<String, u64> {
    dataset
        .workload
        .tables()
        .into_iter()
        .map(|table| (table.table, table.parts.iter().map(|part| part.rows).sum()))
        .collect()
}

/// Adds what scripts brought in. A table whose statements do not say how many rows they leave has
/// as many as it has.
fn with_scripts(
    expected: &mut BTreeMap<String, u64>,
    scripts: &ScriptRows,
    found: &BTreeMap<String, u64>,
) {
    for (table, rows) in expected {
        match scripts.tables.get(&table.to_lowercase()) {
            None => {}
            Some(Some(more)) => *rows = rows.saturating_add_signed(*more),
            Some(None) => *rows = found.get(table).copied().unwrap_or_default(),
        }
    }
}

/// An outside tool draws how many rows some tables have: what is there counts where it can be.
fn as_others_draw(
    dataset: &Dataset,
    expected: &mut BTreeMap<String, u64>,
    found: &BTreeMap<String, u64>,
) {
    for (table, rows) in expected {
        let Some(bounds) = dataset.workload.rows_by_others(table) else { continue };
        let there = found.get(table).copied().unwrap_or_default();
        *rows = there.clamp(*bounds.start(), *bounds.end());
    }
}

fn counts_agree(
    expected: &BTreeMap<String, u64>,
    rows: &BTreeMap<String, u64>,
) -> Result<(), Failure> {
    for (table, expected) in expected {
        let found = rows.get(table).copied().unwrap_or(0);
        if found != *expected {
            return Err(Failure::new(
                Phase::Load,
                FailureKind::Check,
                format!("{table} has {found} rows after the load, and {expected} were to come"),
            ));
        }
    }
    Ok(())
}

fn checked(step: &LoadStep<'_>, control: &mut dyn Session) -> Result<Vec<CheckResult>, Failure> {
    step.env.phase(Phase::Check);
    let by_others = matches!(step.dataset.load.path, LoadPath::External(_));
    let checked = step
        .dataset
        .workload
        .check(control, &CheckMoment::AfterLoad { by_others })
        .map_err(|error| failed(step, "checking the data", &error))?;
    let results: Vec<CheckResult> = checked
        .into_iter()
        .map(|one| CheckResult {
            name: one.name,
            violations: one.violations,
            tolerated: one.tolerated,
            detail: one.detail,
        })
        .collect();
    match violated(&results, Phase::Load) {
        Some(failure) => Err(failure),
        None => Ok(results),
    }
}

fn metrics(
    dataset: &Dataset,
    loaded: &Loaded,
    indexing: Duration,
    rest: &Rest,
) -> Vec<MetricValue> {
    let mut metrics = Vec::new();
    let mut add = |metric, value: f64| {
        if value.is_finite() {
            metrics.push(MetricValue { id: MetricId::whole(metric), value });
        }
    };
    let seconds = loaded.elapsed.as_secs_f64();
    add(Metric::LoadTime, seconds);
    if !dataset.schema.indexes.is_empty() || !dataset.schema.foreign_keys.is_empty() {
        add(Metric::IndexTime, indexing.as_secs_f64());
    }
    if let Some(settling) = rest.took {
        add(Metric::SettleTime, settling.as_secs_f64());
    }
    let settling = rest.took.unwrap_or_default();
    add(Metric::TotalLoadTime, seconds + (indexing + settling).as_secs_f64());
    if seconds > 0.0 && loaded.rows > 0 {
        add(Metric::LoadRate, loaded.rows as f64 / seconds);
    }
    if let Some(cpu) = loaded.client_cpu {
        add(Metric::LoadClientCpu, cpu.as_secs_f64());
    }
    // Rows of an outside tool are not seen on their way.
    if loaded.bytes > 0 {
        add(Metric::RowBytes, loaded.bytes as f64);
    }
    for (metric, bytes) in rest.sizes() {
        add(metric, bytes as f64);
        if metric == Metric::SizeSettled && bytes > 0 && loaded.bytes > 0 {
            add(Metric::SpaceAmplification, bytes as f64 / loaded.bytes as f64);
        }
    }
    metrics
}
