//! A suite and the servers of this machine become a plan.

use super::cache::{Whole, cache_bytes};
use super::cell_settings::{count, duration, settings};
use super::datasets::{self, Recipe};
use super::expand::{Combination, Level};
use super::fair::{self, Fair};
use super::machine;
use super::option_files::{self, ServerFile};
use super::options::{self, Asked, Line, Lines};
use super::schemas::{self, Wanted};
use super::servers::{self, Servers};
use super::suite::{SchemaSettings, Suite};
use super::workloads::{self, Made};
use super::{
    Cell, CellOption, Comparison, DataSource, Dataset, DatasetSchema, Plan, ending, estimate,
    findings, limits, pace, preflight, programs,
};
use crate::diagnostic::{Diagnostic, codes};
use crate::engine::EngineSpec;
use crate::model::{Finding, FindingCode, SettingValue};
use crate::target::families::OptionScope;
use crate::target::{OptionLine, TargetDescription, TargetKind};
use crate::workload::{Parameters, Workload};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Makes the plan of a suite on the servers that were found: those of this machine, the preferred
/// first, those that the suite names (by the name they have there), engines inside this process.
/// Errors are complete.
pub fn make(suite: &Suite, found: &[TargetDescription]) -> Result<Plan, Vec<Diagnostic>> {
    let combinations = &suite.combinations;
    let mut wrong = Vec::new();
    let mut made = Made::default();
    let workloads = workloads::make_all(suite, combinations, &mut made)?;
    let servers = servers::choose(suite, combinations, found);
    let mut engines: Vec<&EngineSpec> = Vec::new();
    for combination in combinations {
        let spec = suite.engines[combination.engine].spec;
        if !engines.iter().any(|known| known.storage == spec.storage) {
            engines.push(spec);
        }
    }
    let fair = fair::choose(&engines);
    let least_cache = engines.iter().map(|spec| spec.cache_minimum).max().unwrap_or_default();
    let mut maker = Maker {
        suite,
        servers,
        fair,
        least_cache,
        made,
        datasets: Vec::new(),
        loads: Vec::new(),
        addresses: BTreeMap::new(),
        schemas: BTreeMap::new(),
        left_out: BTreeSet::new(),
        file_left_out: BTreeSet::new(),
        files: BTreeMap::new(),
    };
    let sizes = sizes(&workloads);
    let mut cells = Vec::with_capacity(combinations.len());
    for ((combination, workload), &size) in combinations.iter().zip(&workloads).zip(&sizes) {
        cells.extend(maker.cell(combination, workload, size, &mut wrong));
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    maker.finish_datasets(&mut wrong);
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let mut findings = findings::of_plan(
        suite,
        &maker.datasets,
        &cells,
        &maker.servers.planned,
        &sizes,
        least_cache,
    );
    let left_out = std::mem::take(&mut maker.left_out).into_iter();
    findings.extend(left_out.map(|why| Finding::new(FindingCode::OptionLeftOut, why)));
    let lines: BTreeSet<&String> =
        maker.files.values().flat_map(|file| &file.left_out).chain(&maker.file_left_out).collect();
    findings.extend(
        lines.into_iter().map(|said| Finding::new(FindingCode::OptionFileLines, said.as_str())),
    );
    Ok(Plan {
        title: suite.title.clone(),
        suite_name: suite.name.clone(),
        suite_text: suite.text.clone(),
        profiles: suite.profiles.clone(),
        sets: suite.sets.clone(),
        seed: suite.seed,
        servers: maker.servers.planned,
        datasets: maker.datasets,
        cells,
        disk: suite.disk.clone(),
        collectors: suite.collectors.clone(),
        machine: suite.machine.clone(),
        probes: suite.probes.clone(),
        repeat: suite.repeat,
        average: suite.average,
        comparisons: suite
            .comparisons
            .iter()
            .map(|compare| Comparison {
                axes: compare.axes.iter().map(|axis| axis.name.clone()).collect(),
                baseline: compare
                    .baseline
                    .iter()
                    .map(|value| value.value.to_string().to_lowercase())
                    .collect(),
                place: compare.place.clone(),
            })
            .collect(),
        expectations: suite
            .expectations
            .iter()
            .map(|statement| statement.expectation.clone())
            .collect(),
        table: suite
            .table
            .as_ref()
            .map(|(rows, columns)| (rows.name.clone(), columns.name.clone())),
        figures: suite.figures.clone(),
        allowed: suite.allowed.clone(),
        findings,
        unsupported: suite.unsupported.clone(),
        shard: None,
    })
}

/// Bytes of the data of each workload; counted once for those that are the same.
fn sizes(workloads: &[Arc<dyn Workload>]) -> Vec<u64> {
    let mut known: BTreeMap<*const (), u64> = BTreeMap::new();
    workloads
        .iter()
        .map(|workload| {
            *known
                .entry(Arc::as_ptr(workload).cast())
                .or_insert_with(|| estimate::reference_bytes(workload.as_ref()))
        })
        .collect()
}

/// How a dataset is started while it loads: the combination whose options it takes, and the
/// largest cache.
struct LoadStart<'s> {
    combination: &'s Combination,
    cache: Option<u64>,
    reference: u64,
}

struct Maker<'s> {
    suite: &'s Suite,
    servers: Servers,
    fair: Fair,
    /// The smallest cache with which every engine of the plan starts, bytes.
    least_cache: u64,
    made: Made,
    datasets: Vec<Dataset>,
    loads: Vec<LoadStart<'s>>,
    addresses: BTreeMap<String, usize>,
    /// Schemas that were made, with the hash of each script.
    schemas: BTreeMap<String, (DatasetSchema, String)>,
    /// Options that servers lack, in words.
    left_out: BTreeSet<String>,
    /// Lines of the user's option files that are not for the servers of some engines, in words.
    file_left_out: BTreeSet<String>,
    /// The user's option file for each planned server.
    files: BTreeMap<usize, ServerFile>,
}

impl<'s> Maker<'s> {
    fn cell(
        &mut self,
        combination: &'s Combination,
        workload: &Arc<dyn Workload>,
        reference: u64,
        wrong: &mut Vec<Diagnostic>,
    ) -> Option<Cell> {
        let engine = &self.suite.engines[combination.engine];
        let block = &self.suite.workloads[combination.workload];
        let index = self.servers.index(self.suite, combination);
        let server = self.servers.planned[index].description.clone();
        if let Err(error) = self.read_option_file(index, combination) {
            if !wrong.contains(&error) {
                wrong.push(error);
            }
            return None;
        }
        let whole = Whole { least: self.least_cache, data: reference, memory: self.suite.memory };
        let cache = cache_bytes(combination, whole);
        let asked = Asked {
            combination,
            server: server.as_ref(),
            spec: engine.spec,
            fair: &self.fair,
            file: &self.files[&index],
            defaults: self.suite.defaults,
            cache,
            reference,
            memory: self.suite.memory,
        };
        let before = wrong.len();
        let mut lines = options::lines(&asked, wrong);
        let needs = limits(workload.as_ref(), count(combination, "clients"));
        preflight::raise(&mut lines.start, &needs, engine.spec, server.as_ref(), wrong);
        if wrong.len() > before {
            return None;
        }
        let pace = pace::of(self.suite, combination, workload.as_ref(), wrong);
        let ending = ending::of(combination, wrong);
        if wrong.len() > before {
            return None;
        }
        self.left_out.extend(lines.left_out.iter().cloned());
        self.file_left_out.extend(lines.file_left_out.iter().cloned());
        let runs = server.as_ref().is_some_and(|server| server.kind == TargetKind::Remote);
        let begin = machine::begin(combination, duration(combination, "warmup"), runs, wrong);
        if wrong.len() > before {
            return None;
        }
        let parameters = workloads::parameters(self.suite, combination);
        let dataset =
            self.dataset(combination, workload, index, &parameters, &lines, reference, wrong)?;
        let load = &mut self.loads[dataset];
        if cache > load.cache {
            load.cache = cache;
        }
        let isolation = combination.setting("isolation").map_or_else(
            || self.fair.isolation.0.clone(),
            |resolved| resolved.value.value.to_string().to_uppercase().replace('_', " "),
        );
        let mut stated = combination.stated.clone();
        for names in stated.values_mut() {
            let also: Vec<String> = lines
                .start
                .iter()
                .filter(|line| line.from.as_ref().is_some_and(|from| names.contains(from)))
                .map(|line| line.option.name.clone())
                .filter(|name| !names.contains(name))
                .collect();
            names.extend(also);
        }
        let place = combination
            .point
            .map_or(&engine.place, |point| &self.suite.points[point].place)
            .clone();
        Some(Cell {
            key: combination.key.clone(),
            axes: combination.axes.clone(),
            point: combination.row,
            server: index,
            dataset,
            engine: engine.name.clone(),
            spec: engine.spec,
            workload_name: block.name.clone(),
            workload: Arc::clone(workload),
            parameters,
            clients: count(combination, "clients"),
            pace,
            warmup: begin.warmup,
            measure: ending.measure,
            requests: ending.requests,
            rounds: count(combination, "rounds"),
            steady: match combination.settings.get("steady") {
                Some(SettingValue::Percent(percent)) => Some(percent / 100.0),
                _ => None,
            },
            count_last: Some(duration(combination, "count")).filter(|last| !last.is_zero()),
            isolation,
            os_cache: begin.os_cache,
            start: begin.start,
            settings: settings(self.suite, combination, &begin),
            stated,
            options: lines.start.into_iter().map(cell_option).collect(),
            set_global: lines.global,
            set_session: lines.session,
            place,
            unavailable: servers::unavailable(&self.servers.planned[index], engine.spec),
        })
    }

    /// Reads the user's option file for a planned server, once.
    fn read_option_file(
        &mut self,
        server: usize,
        combination: &Combination,
    ) -> Result<(), Diagnostic> {
        if !self.files.contains_key(&server) {
            let description = self.servers.planned[server].description.as_ref();
            let file = option_files::of(self.suite, combination.server, description)?;
            self.files.insert(server, file);
        }
        Ok(())
    }

    /// The dataset of a combination, as an index; a new one where no earlier one has its recipe.
    #[allow(clippy::too_many_arguments)]
    fn dataset(
        &mut self,
        combination: &'s Combination,
        workload: &Arc<dyn Workload>,
        server: usize,
        parameters: &Parameters,
        lines: &Lines,
        reference: u64,
        wrong: &mut Vec<Diagnostic>,
    ) -> Option<usize> {
        let suite = self.suite;
        let engine = &suite.engines[combination.engine];
        let planned = &self.servers.planned[server];
        let description = planned.description.as_ref();
        let block = &suite.workloads[combination.workload];
        let load = block.load.as_ref().unwrap_or(&suite.load);
        let settle = block.settle.unwrap_or(suite.settle);
        let by_dsn = servers::source_by_dsn(suite, &planned.name);
        let each = block.dataset_each.unwrap_or(suite.dataset_each);
        let source = by_dsn.unwrap_or(if each { DataSource::Load } else { DataSource::Store });
        if source == DataSource::Store && !datasets::keeps_rows(engine, wrong)
            || !programs::can_be_had(block, workload.as_ref(), parameters, load, engine, wrong)
        {
            return None;
        }
        let mut settings: SchemaSettings = suite.schema.clone();
        settings.add(&block.schema);
        settings.add(&engine.schema);
        let word = |name: &str| combination.setting(name).and_then(|r| r.value.value.as_str());
        let (row_format, compression) = (word("row_format"), word("compression"));
        let kind = block.kind;
        let data = workloads::data_parameters(kind, parameters);
        let wanted = Wanted {
            workload: workload.as_ref(),
            kind: kind.name,
            engine,
            family: description.map_or("mariadb", |server| server.family.as_str()),
            release: description.map(|server| server.release),
            settings: &settings,
            row_format,
            compression,
            strip_foreign_keys: self.fair.strip_foreign_keys.is_some(),
            indexes: load.indexes,
        };
        let key = schema(&mut self.schemas, &wanted, &data, wrong)?;
        let (schema, schema_hash) = &self.schemas[&key];
        let ingredients = datasets::ingredients(&Recipe {
            kind,
            seed: suite.seed,
            parameters: &data,
            data: workload.data_ingredients(),
            storage: engine.spec.storage,
            schema_hash,
            server: description,
            wanted: &planned.wanted,
            load,
            settle,
            // A server that runs already has its options before and after the load: the data are
            // the same whether a repetition loads them or finds them.
            runs_as_loaded: source == DataSource::Load && by_dsn.is_none(),
            options: &lines.start,
        });
        let recipe = datasets::address(&ingredients);
        if let Some(&known) = self.addresses.get(&recipe.0) {
            return Some(known);
        }
        let workload = self.made.get(block, parameters).unwrap_or_else(|_| Arc::clone(workload));
        let next = self.datasets.len();
        self.addresses.insert(recipe.0.clone(), next);
        self.loads.push(LoadStart { combination, cache: None, reference });
        self.datasets.push(Dataset {
            recipe,
            ingredients,
            server,
            engine: engine.name.clone(),
            spec: engine.spec,
            kind,
            workload,
            schema: schema.clone(),
            load: load.clone(),
            settle,
            source,
            init_options: Vec::new(),
            options: Vec::new(),
            database: servers::database(suite, &planned.name),
            estimated_bytes: estimate::bytes_in(engine.spec, row_format.or(compression), reference),
        });
        Some(next)
    }

    /// Options of the start in which each dataset is loaded.
    fn finish_datasets(&mut self, wrong: &mut Vec<Diagnostic>) {
        for (dataset, start) in self.datasets.iter_mut().zip(&self.loads) {
            let server = self.servers.planned[dataset.server].description.as_ref();
            let asked = |combination| Asked {
                combination,
                server,
                spec: dataset.spec,
                fair: &self.fair,
                file: &self.files[&dataset.server],
                defaults: self.suite.defaults,
                cache: start.cache,
                reference: start.reference,
                memory: self.suite.memory,
            };
            let lines = if dataset.source == DataSource::Store {
                let calm = for_loading(dataset.spec, server, start.combination, start.cache);
                options::lines(&asked(&calm), wrong)
            } else {
                options::lines(&asked(start.combination), wrong)
            };
            let of = |scope: Option<OptionScope>| -> Vec<OptionLine> {
                lines
                    .start
                    .iter()
                    .filter(|line| scope.is_none_or(|scope| line.scope == scope))
                    .map(|line| line.option.clone())
                    .collect()
            };
            dataset.init_options = of(Some(OptionScope::Init));
            dataset.options = of(None);
        }
    }
}

/// The schema of a dataset, made once for equal ones: its key in `known`.
fn schema(
    known: &mut BTreeMap<String, (DatasetSchema, String)>,
    wanted: &Wanted<'_>,
    data: &Parameters,
    wrong: &mut Vec<Diagnostic>,
) -> Option<String> {
    let engine = wanted.engine;
    let asked = format!(
        "{}\n{}\n{}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{data:?}",
        engine.name,
        wanted.kind,
        wanted.family,
        wanted.release,
        wanted.row_format,
        wanted.compression,
        wanted.settings,
        wanted.indexes
    );
    if known.contains_key(&asked) {
        return Some(asked);
    }
    match schemas::make(wanted) {
        Ok(schema) => {
            let hash = datasets::short_hash(schema.script.as_bytes());
            known.insert(asked.clone(), (schema, hash));
            Some(asked)
        }
        Err(refused) => {
            let error = Diagnostic::error(
                codes::ENGINE_CANNOT,
                engine.span,
                format!("{} cannot take this schema", engine.spec.storage),
            );
            let error = refused.into_iter().fold(error, Diagnostic::help);
            if !wrong.contains(&error) {
                wrong.push(error);
            }
            None
        }
    }
}

/// The combination as its dataset is loaded: without what axes and variants set on the running
/// server, at the largest cache.
fn for_loading(
    spec: &EngineSpec,
    server: Option<&TargetDescription>,
    combination: &Combination,
    cache: Option<u64>,
) -> Combination {
    let mut calm = combination.clone();
    calm.resolved.retain(|name, resolved| {
        resolved.level < Level::Axis
            || options::scope(spec, server, &name.name) != OptionScope::Run
            || matches!(name.name.as_str(), "row_format" | "compression")
            || (name.name == "cache" && cache.is_some())
    });
    if let (Some(bytes), Some(resolved)) =
        (cache, calm.resolved.get_mut(&super::suite::SettingName::setting("cache")))
    {
        resolved.value.value = SettingValue::Size(bytes);
    }
    calm.repeated.retain(|(_, resolved)| resolved.level < Level::Axis);
    calm
}

fn cell_option(line: Line) -> CellOption {
    CellOption { line: line.option, reason: line.reason, scope: line.scope }
}
