//! Datasets of a plan: which one each combination uses, and the options of the start in which each is
//! loaded.

use super::{DatasetOf, LoadStart, Maker, StartLines, StartOf};
use crate::diagnostic::{Diagnostic, codes};
use crate::engine::EngineSpec;
use crate::model::SettingValue;
use crate::plan::datasets::{self, Recipe};
use crate::plan::expand::{Combination, Level, Resolved};
use crate::plan::options::{self, Asked};
use crate::plan::schemas::{self, Wanted};
use crate::plan::suite::{SchemaSettings, SettingName};
use crate::plan::workloads::{self, Made};
use crate::plan::{DataSource, Dataset, DatasetSchema, estimate, programs, servers};
use crate::target::families::OptionScope;
use crate::target::{OptionLine, TargetDescription};
use crate::workload::Parameters;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

impl<'s> Maker<'s> {
    /// The dataset of a combination that starts its server with `lines`, as an index; a new one
    /// where no earlier one has its recipe.
    pub(super) fn dataset(
        &mut self,
        combination: &'s Combination,
        made: &Made,
        server: usize,
        lines: StartLines<'_>,
        reference: u64,
        wrong: &mut Vec<Diagnostic>,
    ) -> Option<usize> {
        let suite = self.suite;
        let (workload, parameters) = (&made.workload, made.parameters.as_ref());
        let engine = &suite.engines[combination.engine];
        let planned = &self.servers.planned[server];
        let description = planned.description.as_ref();
        let block = &suite.workloads[combination.workload];
        let load = block.load.as_ref().unwrap_or(&suite.load);
        let settle = block.settle.unwrap_or(suite.settle);
        let by_dsn = servers::source_by_dsn(suite, &planned.name);
        let each = block.dataset_each.unwrap_or(suite.dataset_each);
        let source = by_dsn.unwrap_or(if each { DataSource::Load } else { DataSource::Store });
        // A server that runs already has its options before and after the load: the data are the
        // same whether a repetition loads them or finds them.
        let runs_as_loaded = source == DataSource::Load && by_dsn.is_none();
        let options =
            || lines.start.iter().filter(|line| runs_as_loaded || line.scope != OptionScope::Run);
        let word = |name: &str| combination.setting(name).and_then(|r| r.value.value.as_str());
        let (row_format, compression) = (word("row_format"), word("compression"));
        let asks = if matches!(lines.start, Cow::Borrowed(_)) {
            let owned = |word: Option<&str>| word.map(str::to_string);
            let known = Arc::as_ptr(lines.known) as usize;
            StartOf::Known(known, owned(row_format), owned(compression))
        } else {
            let mut text = format!("{row_format:?} {compression:?}");
            for line in options() {
                let _ = write!(text, "\n{}={:?}", line.option.name, line.option.value);
            }
            StartOf::Text(text)
        };
        let key: DatasetOf = (made.id(), combination.workload, combination.engine, server, asks);
        if let Some(&known) = self.used.get(&key) {
            return Some(known);
        }
        let kind = block.kind;
        let must_last = source == DataSource::Store || kind.wants_lasting_rows;
        if must_last && !datasets::keeps_rows(engine, kind, wrong)
            || !programs::can_be_had(block, workload.as_ref(), parameters, load, engine, wrong)
        {
            return None;
        }
        let mut settings: SchemaSettings = suite.schema.clone();
        settings.add(&block.schema);
        settings.add(&engine.schema);
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
        let made_for = schema(&mut self.schemas, &wanted, &data, wrong)?;
        let (schema, schema_hash) = &self.schemas[&made_for];
        let ingredients = datasets::ingredients(&Recipe {
            kind,
            seed: suite.seed,
            parameters: &data,
            data: workload.data_ingredients(),
            storage: engine.spec.storage,
            schema,
            schema_hash,
            server: description,
            wanted: &planned.wanted,
            load,
            settle,
            runs_as_loaded,
            options: options().collect(),
        });
        let recipe = datasets::address(&ingredients);
        if let Some(&known) = self.addresses.get(&recipe.0) {
            self.used.insert(key, known);
            return Some(known);
        }
        let next = self.datasets.len();
        self.used.insert(key, next);
        self.addresses.insert(recipe.0.clone(), next);
        self.loads.push(LoadStart { combination, cache: None, reference });
        self.datasets.push(Dataset {
            recipe,
            ingredients,
            server,
            engine: engine.name.clone(),
            spec: engine.spec,
            kind,
            workload: Arc::clone(workload),
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
    pub(super) fn finish_datasets(&mut self, wrong: &mut Vec<Diagnostic>) {
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
    let stays = |name: &SettingName, resolved: &Resolved| {
        resolved.level < Level::Axis
            || options::scope(spec, server, &name.name) != OptionScope::Run
            || matches!(name.name.as_str(), "row_format" | "compression")
            || (name.name == "cache" && cache.is_some())
    };
    calm.resolved = combination
        .resolved
        .iter()
        .filter(|(name, resolved)| stays(name, resolved))
        .map(|(name, resolved)| (name.clone(), resolved.clone()))
        .collect();
    if let (Some(bytes), Some(resolved)) = (cache, combination.setting("cache")) {
        let mut largest = resolved.clone();
        largest.value.value = SettingValue::Size(bytes);
        calm.resolved.insert(SettingName::setting("cache"), largest);
    }
    calm.repeated.retain(|(_, resolved)| resolved.level < Level::Axis);
    calm
}
