//! What is known while statements are resolved, and the walk over one level of a file.

use super::beside::Beside;
use super::draft::{Draft, Head, ProfileDraft};
use crate::diagnostic::{Diagnostic, SourceMap, codes, did_you_mean};
use crate::model::{FigureWish, SettingValue};
use crate::plan::suite::{Class, NamedAt};
use crate::plan::{Average, Probe, Unsupported};
use crate::syntax::shapes::{self, Kind, Parent};
use crate::syntax::tree::{Statement, Word};
use crate::syntax::{BlockReader, Reading, Variables};
use crate::target::families::Defaults;
use crate::workload::{ParameterKind, WorkloadKind};
use std::collections::{BTreeMap, BTreeSet};

/// Resolves statements one after the other.
pub(super) struct Resolver<'a> {
    pub(super) sources: &'a SourceMap,
    /// Where files that the suite names are found.
    pub(super) beside: &'a Beside<'a>,
    /// Kinds of workloads that the suite names, wherever it names them.
    kinds: Vec<&'static WorkloadKind>,
    pub(super) variables: Variables,
    /// What the suite declares, while its profiles are read.
    outer: Known,
    pub(super) wrong: Vec<Diagnostic>,
    /// What is wrong with comparisons, expectations and conditions: the cells can be worked out all
    /// the same.
    pub(super) wrong_questions: Vec<Diagnostic>,
}

/// Statements whose meaning hangs on names that may be declared below them.
#[derive(Default)]
pub(super) struct Later<'s> {
    pub(super) results: Vec<Reading<'s>>,
    profiles: Vec<Reading<'s>>,
}

impl<'a> Resolver<'a> {
    /// A resolver for these top-level statements.
    pub(super) fn new(
        sources: &'a SourceMap,
        beside: &'a Beside<'a>,
        statements: &[Statement],
    ) -> Self {
        let mut kinds: Vec<&'static WorkloadKind> = Vec::new();
        let profiles = statements.iter().filter(|statement| statement.name() == "profile");
        for statement in statements.iter().chain(profiles.flat_map(Statement::children)) {
            let named = statement.arguments().first().map(Word::text);
            if statement.name() == "workload"
                && let Some(kind) = named.and_then(WorkloadKind::find)
                && !kinds.iter().any(|known| known.name == kind.name)
            {
                kinds.push(kind);
            }
        }
        Self {
            sources,
            beside,
            kinds,
            variables: Variables::default(),
            outer: Known::default(),
            wrong: Vec::new(),
            wrong_questions: Vec::new(),
        }
    }

    /// The kind of a parameter that some workload of the suite has.
    pub(super) fn parameter(&self, name: &str) -> Option<ParameterKind> {
        self.kinds
            .iter()
            .flat_map(|kind| kind.parameters)
            .find(|parameter| parameter.name == name)
            .map(|parameter| parameter.kind)
    }

    pub(super) fn parameter_names(&self) -> impl Iterator<Item = &'static str> {
        self.kinds.iter().flat_map(|kind| kind.parameters).map(|parameter| parameter.name)
    }

    /// The head of a block named by the part `name`.
    pub(super) fn head(&self, reading: &Reading<'_>, name: String) -> Head {
        let span = reading.span();
        Head { name, extends: None, span, place: self.sources.place(span) }
    }

    /// A name with its place.
    pub(super) fn named(reading: &Reading<'_>, part: &str) -> Option<NamedAt> {
        let value = reading.value(part)?;
        Some(NamedAt { name: value.value.to_string(), span: value.span })
    }

    /// Reads the statements of a block and hands each to `take`.
    pub(super) fn block<'s>(
        &mut self,
        statements: &'s [Statement],
        parent: Parent,
        draft: &mut Draft,
        mut take: impl FnMut(&mut Self, Reading<'s>, &mut Draft),
    ) {
        let mut reader = BlockReader::new(parent);
        for statement in statements {
            let read = reader.read(statement, &self.variables, &mut self.wrong);
            if let Some(reading) = read {
                self.note(&reading, draft);
                take(self, reading, draft);
            }
        }
    }

    /// Remembers what this version cannot execute.
    fn note(&self, reading: &Reading<'_>, draft: &mut Draft) {
        // Of a workload that is not executed its name says enough.
        let parameter = self.parameter(reading.name()).is_some();
        if reading.shape.executed || parameter {
            return;
        }
        let what = match (reading.name(), reading.statement.arguments().first()) {
            (name @ ("workload" | "path" | "load"), Some(word)) => {
                format!("{name} {}", word.text())
            }
            (name, _) => name.to_string(),
        };
        self.unsupported(reading, what, draft);
    }

    pub(super) fn unsupported(&self, reading: &Reading<'_>, what: String, draft: &mut Draft) {
        let place = self.sources.place(reading.span());
        draft.unsupported.push(Unsupported { what, place });
    }

    /// One level of a file: the suite, or the inside of a profile.
    pub(super) fn level(&mut self, statements: &[Statement], parent: Parent) -> Draft {
        let mut draft = Draft::default();
        let mut later = Later::default();
        self.block(statements, parent, &mut draft, |resolver, reading, draft| {
            resolver.statement(reading, parent, draft, &mut later);
        });
        let known = self.outer.with(&draft);
        self.asking(|resolver| resolver.results(&later.results, &mut draft, &known));
        self.outer = known;
        for reading in &later.profiles {
            self.profile(reading, &mut draft);
        }
        draft
    }

    /// Keeps what is wrong with questions apart.
    pub(super) fn asking(&mut self, read: impl FnOnce(&mut Self)) {
        let before = self.wrong.len();
        read(self);
        let found = self.wrong.split_off(before);
        self.wrong_questions.extend(found);
    }

    fn statement<'s>(
        &mut self,
        reading: Reading<'s>,
        parent: Parent,
        draft: &mut Draft,
        later: &mut Later<'s>,
    ) {
        let count = |reading: &Reading<'_>| match reading.value("value").map(|value| &value.value) {
            Some(SettingValue::Count(count)) => Some(*count),
            _ => None,
        };
        match reading.name() {
            "suite" => draft.title = reading.text("title").map(str::to_string),
            "let" => {
                if let Some(name) = reading.text("name") {
                    self.variables.define(name, reading.words("value").to_vec());
                }
            }
            "seed" => draft.seed = count(&reading),
            "repeat" => draft.repeat = count(&reading).and_then(|count| u32::try_from(count).ok()),
            "average" => {
                draft.average = Some(match reading.text("value") {
                    Some("mean") => Average::Mean,
                    _ => Average::Median,
                });
            }
            "server" => self.server(&reading, draft),
            "engine" => self.engine(&reading, draft),
            "variant" => self.variant(&reading, draft),
            "axis" => self.axis(&reading, draft),
            "point" => self.point(&reading, draft),
            "workload" => self.workload(&reading, draft),
            "profile" => later.profiles.push(reading),
            "schema" => {
                let schema = self.schema(&reading, draft);
                draft.schema = Some(schema);
            }
            "load" => draft.load = Some(self.load(&reading, draft)),
            "settle" => draft.settle = Self::settle(&reading),
            "dataset" => draft.dataset_each = Some(reading.text("value") == Some("each")),
            "probe" => draft.probes.extend(self.probe(&reading)),
            "figure" => draft.figures.extend(figure(&reading)),
            "allow" => {
                let part = |name: &str| reading.text(name).unwrap_or_default().to_string();
                draft.allowed.push((part("what"), part("reason")));
            }
            "defaults" => draft.defaults = reading.text("value").and_then(Defaults::find),
            "extends" => draft.extends = Self::named(&reading, "name"),
            "compare" | "expect" | "where" | "table" => later.results.push(reading),
            "disk" => draft.disk = Some(self.disk(&reading, draft)),
            "machine" => draft.machine = Some(self.machine(&reading, draft)),
            "defaults_file" => draft.defaults_file = self.defaults_file(&reading),
            "collect" => draft.collectors.extend(self.collectors(&reading)),
            "include" => {}
            _ => self.plain(&reading, parent, draft),
        }
    }

    /// A setting or an option of the level itself; in a profile also of one workload.
    fn plain(&mut self, reading: &Reading<'_>, parent: Parent, draft: &mut Draft) {
        if let Some((workload, name)) = reading.name().split_once('.') {
            let workload =
                NamedAt { name: workload.to_string(), span: reading.statement.words[0].span };
            let known = self.outer.values.get("workload").cloned().unwrap_or_default();
            if !known.contains(&workload.name) {
                self.unknown("workload", &workload, known.iter().map(String::as_str));
                return;
            }
            if let Some(given) = self.dotted(reading, name, parent) {
                draft.mention(&given.name.axis());
                draft.dotted.push((workload, given));
            }
            return;
        }
        self.give(reading, parent, &mut draft.layer);
        if let Some(axis) = draft.layer.givens.last().map(|given| given.name.axis()) {
            draft.mention(&axis);
        }
    }

    fn profile(&mut self, reading: &Reading<'_>, draft: &mut Draft) {
        let Some((parent, statements)) = reading.inside() else { return };
        let Some(name) = reading.text("name") else { return };
        let head = self.head(reading, name.to_string());
        let suite = self.outer.clone();
        let mut inside = self.level(statements, parent);
        self.outer = suite;
        let head = Head { extends: inside.extends.take(), ..head };
        draft.profiles.push(ProfileDraft { head, draft: inside });
    }

    pub(super) fn probe(&mut self, reading: &Reading<'_>) -> Option<Probe> {
        Some(Probe {
            name: reading.text("name")?.to_string(),
            sql: reading.text("sql")?.to_string(),
            cold: reading.has("cold"),
            place: self.sources.place(reading.span()),
        })
    }

    /// Reports a name that nothing has.
    pub(super) fn unknown<'n>(
        &mut self,
        what: &str,
        at: &NamedAt,
        known: impl IntoIterator<Item = &'n str>,
    ) {
        let known: Vec<&str> = known.into_iter().collect();
        let list = if known.is_empty() {
            format!("the suite has no {what}")
        } else {
            format!("known: {}", known.join(", "))
        };
        self.wrong.push(
            Diagnostic::error(
                codes::UNKNOWN_NAME,
                at.span,
                format!("unknown {what} `{}`", at.name),
            )
            .maybe_help(did_you_mean(&at.name, known.iter().copied()))
            .help(list),
        );
    }

    /// Kind of the values of a setting, where a statement of another name tells values of it.
    pub(super) fn kind_of(&self, known: &Known, name: &str) -> Option<Kind> {
        if known.values.contains_key(name) {
            return Some(Kind::Any);
        }
        if let Some(parameter) = self.parameter(name) {
            return Some(super::givens::parameter_kind(parameter));
        }
        known.options.contains(name).then_some(Kind::OptionValue)
    }

    /// Every name that a condition or a comparison may use, whatever the cells turn out to have.
    pub(super) fn names(&self, known: &Known) -> BTreeSet<String> {
        ["engine", "server", "storage", "workload"]
            .into_iter()
            .chain(self.parameter_names())
            .chain(shapes::all().filter(|shape| settable(shape)).map(|shape| shape.name))
            .map(str::to_string)
            .chain(known.names.iter().cloned())
            .collect()
    }
}

/// `figure WHAT [every WINDOW]`.
fn figure(reading: &Reading<'_>) -> Option<FigureWish> {
    let every_ms = match reading.value("window").map(|value| &value.value) {
        Some(SettingValue::Duration(length)) => Some(length.as_millis() as u64),
        _ => None,
    };
    Some(FigureWish { what: reading.text("what")?.to_string(), every_ms })
}

/// Whether a row of the table is a setting that stands for itself.
pub(super) fn settable(shape: &shapes::Shape) -> bool {
    let a_value = shape.kind_of("value").is_some() && shape.kind_of("name").is_none();
    let of_the_suite =
        ["repeat", "seed", "average", "settle", "dataset", "defaults"].contains(&shape.name);
    a_value && shape.fits(Parent::Profile) && !of_the_suite
}

/// What a suite declares.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Every setting, option and axis that it names.
    pub(super) names: BTreeSet<String>,
    /// Options.
    pub(super) options: BTreeSet<String>,
    /// Axes whose values are names, with those.
    pub(super) values: BTreeMap<String, Vec<String>>,
}

impl Known {
    /// The same with what `draft` declares.
    pub(super) fn with(&self, draft: &Draft) -> Self {
        let mut known = self.clone();
        known.names.extend(draft.mentioned.iter().cloned());
        for given in draft.layers().flat_map(|layer| &layer.givens) {
            if given.name.class != Class::Setting {
                known.options.insert(given.name.name.clone());
            }
        }
        let mut add = |axis: &str, name: &str| {
            known.values.entry(axis.to_string()).or_default().push(name.to_string());
        };
        draft.engines.iter().for_each(|engine| add("engine", &engine.head.name));
        draft.servers.iter().for_each(|server| add("server", &server.head.name));
        draft.workloads.iter().for_each(|workload| add("workload", &workload.head.name));
        for axis in &draft.axes {
            axis.entries.iter().for_each(|entry| add(&axis.name, &entry.head.name));
        }
        known
    }
}
