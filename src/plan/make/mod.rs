//! A suite and the servers of this machine become a plan.

mod datasets;

use super::cache::{Whole, cache_bytes};
use super::cell_settings::{count, duration, settings};
use super::expand::Combination;
use super::fair::{self, Fair};
use super::machine;
use super::option_files::{self, ServerFile};
use super::options::{self, Asked, Line, Lines};
use super::preflight::{self, Demand};
use super::servers::{self, Servers};
use super::suite::Suite;
use super::workloads::{self, Made};
use super::{
    Cell, CellOption, Comparison, Dataset, DatasetSchema, Plan, ending, estimate, findings, pace,
};
use crate::diagnostic::Diagnostic;
use crate::engine::EngineSpec;
use crate::model::{Finding, FindingCode, SettingValue};
use crate::target::{TargetDescription, TargetKind};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Makes the plan of a suite on the servers that were found: those of this machine, the preferred
/// first, those that the suite names (by the name they have there), engines inside this process.
/// Errors are complete.
pub fn make(suite: &Suite, found: &[TargetDescription]) -> Result<Plan, Vec<Diagnostic>> {
    let combinations = &suite.combinations;
    let mut wrong = Vec::new();
    let workloads = workloads::make_all(suite, combinations)?;
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
        datasets: Vec::new(),
        loads: Vec::new(),
        addresses: BTreeMap::new(),
        used: HashMap::new(),
        known: HashMap::new(),
        schemas: BTreeMap::new(),
        left_out: BTreeSet::new(),
        file_left_out: BTreeSet::new(),
        files: BTreeMap::new(),
    };
    let facts = facts(&workloads);
    let mut cells = Vec::with_capacity(combinations.len());
    for ((combination, made), &facts) in combinations.iter().zip(&workloads).zip(&facts) {
        cells.extend(maker.cell(combination, made, facts, &mut wrong));
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
        &facts.iter().map(|facts| facts.reference).collect::<Vec<u64>>(),
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

/// What is asked of a workload once.
#[derive(Clone, Copy)]
struct Facts {
    /// Bytes of its data, whatever the engine.
    reference: u64,
    /// What each of its clients needs.
    demand: Demand,
}

/// The facts of each workload; looked for once for those that are the same.
fn facts(workloads: &[Made]) -> Vec<Facts> {
    let mut known: HashMap<usize, Facts> = HashMap::new();
    workloads
        .iter()
        .map(|made| {
            *known.entry(made.id()).or_insert_with(|| Facts {
                reference: estimate::reference_bytes(made.workload.as_ref()),
                demand: Demand::of(made.workload.as_ref()),
            })
        })
        .collect()
}

/// What option lines depend on: engine, server, cache and data in bytes, and what the combination
/// asks.
type LinesOf = (usize, usize, Option<u64>, u64, String);

/// Option lines that several cells have.
struct KnownLines {
    lines: Lines,
    options: Arc<[CellOption]>,
}

/// The option lines of a start: those that are known, or others.
#[derive(Clone, Copy)]
struct StartLines<'l> {
    known: &'l Arc<KnownLines>,
    start: &'l Cow<'l, [Line]>,
}

/// What a dataset depends on: workload, its block, engine, server, and what the combination says of
/// schema and options.
type DatasetOf = (usize, usize, usize, usize, StartOf);

/// What a dataset takes from the start of its server.
#[derive(PartialEq, Eq, Hash)]
enum StartOf {
    /// All that these known lines say, row format and compression.
    Known(usize, Option<String>, Option<String>),
    /// What this text says.
    Text(String),
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
    datasets: Vec<Dataset>,
    loads: Vec<LoadStart<'s>>,
    addresses: BTreeMap<String, usize>,
    /// The dataset of what was asked before.
    used: HashMap<DatasetOf, usize>,
    /// Option lines that were worked out.
    known: HashMap<LinesOf, Arc<KnownLines>>,
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
        made: &Made,
        facts: Facts,
        wrong: &mut Vec<Diagnostic>,
    ) -> Option<Cell> {
        let suite = self.suite;
        let engine = &suite.engines[combination.engine];
        let block = &suite.workloads[combination.workload];
        let workload = made.workload.as_ref();
        let reference = facts.reference;
        let index = self.servers.index(suite, combination);
        if let Err(error) = self.read_option_file(index, combination) {
            if !wrong.contains(&error) {
                wrong.push(error);
            }
            return None;
        }
        let whole = Whole { least: self.least_cache, data: reference, memory: suite.memory };
        let cache = cache_bytes(combination, whole);
        let known = self.lines(combination, index, cache, reference, wrong)?;
        let before = wrong.len();
        let clients = count(combination, "clients");
        let server = self.servers.planned[index].description.as_ref();
        let mut start = Cow::Borrowed(known.lines.start.as_slice());
        preflight::raise(&mut start, &facts.demand.limits(clients), engine.spec, server, wrong);
        if wrong.len() > before {
            return None;
        }
        let pace = pace::of(suite, combination, workload, wrong);
        let ending = ending::of(combination, wrong);
        if wrong.len() > before {
            return None;
        }
        let runs = server.is_some_and(|server| server.kind == TargetKind::Remote);
        let begin = machine::begin(combination, duration(combination, "warmup"), runs, wrong);
        if wrong.len() > before {
            return None;
        }
        let lines = StartLines { known: &known, start: &start };
        let dataset = self.dataset(combination, made, index, lines, reference, wrong)?;
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
            let also: Vec<String> = start
                .iter()
                .filter(|line| line.from.as_ref().is_some_and(|from| names.contains(from)))
                .map(|line| line.option.name.clone())
                .filter(|name| !names.contains(name))
                .collect();
            names.extend(also);
        }
        let place =
            combination.point.map_or(&engine.place, |point| &suite.points[point].place).clone();
        Some(Cell {
            key: combination.key.clone(),
            axes: combination.axes.clone(),
            point: combination.row,
            server: index,
            dataset,
            engine: engine.name.clone(),
            spec: engine.spec,
            workload_name: block.name.clone(),
            workload: Arc::clone(&made.workload),
            parameters: Arc::clone(&made.parameters),
            clients,
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
            settings: settings(suite, combination, &begin),
            stated,
            options: match start {
                Cow::Borrowed(_) => Arc::clone(&known.options),
                Cow::Owned(lines) => lines.into_iter().map(cell_option).collect(),
            },
            set_global: known.lines.global.clone(),
            set_session: known.lines.session.clone(),
            place,
            unavailable: servers::unavailable(&self.servers.planned[index], engine.spec),
        })
    }

    /// The option lines of a combination, worked out once for those that ask the same; none where
    /// something is wrong with them, which is reported.
    fn lines(
        &mut self,
        combination: &Combination,
        server: usize,
        cache: Option<u64>,
        reference: u64,
        wrong: &mut Vec<Diagnostic>,
    ) -> Option<Arc<KnownLines>> {
        let asks = options::asks(combination);
        let key: LinesOf = (combination.engine, server, cache, reference, asks);
        if let Some(known) = self.known.get(&key) {
            return Some(Arc::clone(known));
        }
        let asked = Asked {
            combination,
            server: self.servers.planned[server].description.as_ref(),
            spec: self.suite.engines[combination.engine].spec,
            fair: &self.fair,
            file: &self.files[&server],
            defaults: self.suite.defaults,
            cache,
            reference,
            memory: self.suite.memory,
        };
        let before = wrong.len();
        let lines = options::lines(&asked, wrong);
        if wrong.len() > before {
            return None;
        }
        self.left_out.extend(lines.left_out.iter().cloned());
        self.file_left_out.extend(lines.file_left_out.iter().cloned());
        let options = lines.start.iter().cloned().map(cell_option).collect();
        let known = Arc::new(KnownLines { lines, options });
        self.known.insert(key, Arc::clone(&known));
        Some(known)
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
}

fn cell_option(line: Line) -> CellOption {
    CellOption { line: line.option, reason: line.reason, scope: line.scope }
}
