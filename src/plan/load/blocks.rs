//! Blocks that declare something: servers, engines, variants, axes, points, workloads.

use super::draft::{
    AxisDraft, Draft, EngineDraft, EntryDraft, PointDraft, ServerDraft, WorkloadDraft,
};
use super::resolver::Resolver;
use super::sql::SqlDraft;
use crate::diagnostic::{Diagnostic, codes, did_you_mean};
use crate::engine::{ENGINES, EngineSpec};
use crate::model::SettingValue;
use crate::plan::suite::{Layer, NamedAt, SchemaSettings, ServerSource};
use crate::syntax::Reading;
use crate::syntax::shapes::Parent;
use crate::target::remote::Dsn;
use crate::workload::{KINDS, WorkloadKind, external, sql};
use std::path::Path;

impl Resolver<'_> {
    pub(super) fn server(&mut self, reading: &Reading<'_>, draft: &mut Draft) {
        let Some(name) = reading.text("name").map(str::to_string) else { return };
        draft.mention("server");
        let mut server = ServerDraft {
            head: self.head(reading, name),
            source: None,
            password_env: None,
            tls_ca: None,
            defaults_file: None,
            reuse_data: false,
            layer: Layer::default(),
        };
        let Some((parent, statements)) = reading.inside() else { return };
        let mut first = None;
        self.block(statements, parent, draft, |resolver, inner, draft| {
            let text = |part: &str| inner.text(part).unwrap_or_default().to_string();
            let source = match inner.name() {
                "release" => ServerSource::Release(text("release")),
                "basedir" => {
                    let folder = text("folder");
                    if Path::new(&folder).is_relative() && resolver.beside.folder.is_some() {
                        resolver.wrong.push(
                            Diagnostic::error(
                                codes::RELATIVE_BASEDIR,
                                inner.span(),
                                "a suite may not bring the server that it starts",
                            )
                            .help(
                                "name the whole path of the tree, or say `--allow-external` when \
                                 you know what lies there",
                            ),
                        );
                    }
                    ServerSource::Basedir(folder)
                }
                "dsn" => {
                    if let Err(why) = Dsn::parse(&text("address")) {
                        resolver.wrong.push(Diagnostic::error(codes::BAD_DSN, inner.span(), why));
                    }
                    ServerSource::Dsn {
                        dsn: text("address"),
                        password_env: None,
                        tls_ca: None,
                        reuse_data: false,
                    }
                }
                "password_env" => {
                    server.password_env = Some(text("variable"));
                    return;
                }
                "extends" => {
                    server.head.extends = Self::named(&inner, "name");
                    return;
                }
                "reuse" => {
                    server.reuse_data = true;
                    return;
                }
                "defaults_file" => {
                    server.defaults_file = resolver.defaults_file(&inner);
                    return;
                }
                "tls_ca" => {
                    server.tls_ca = resolver.authorities(&inner);
                    return;
                }
                _ => {
                    resolver.inside(&inner, parent, &mut server.layer, draft);
                    return;
                }
            };
            if let Some(before) = first.replace(inner.span()) {
                resolver.wrong.push(
                    Diagnostic::error(codes::SET_TWICE, inner.span(), "a server has one source")
                        .also(before, "first here"),
                );
            }
            server.source = Some(source);
        });
        draft.servers.push(server);
    }

    pub(super) fn engine(&mut self, reading: &Reading<'_>, draft: &mut Draft) {
        let Some(name) = reading.text("name").map(str::to_string) else { return };
        draft.mention("engine");
        let mut engine = EngineDraft {
            head: self.head(reading, name),
            storage: None,
            wrong_storage: false,
            layer: Layer::default(),
            schema: SchemaSettings::default(),
        };
        let Some((parent, statements)) = reading.inside() else { return };
        self.block(statements, parent, draft, |resolver, inner, draft| match inner.name() {
            "storage" => {
                engine.storage = resolver.storage(&inner);
                engine.wrong_storage = engine.storage.is_none();
            }
            "extends" => engine.head.extends = Self::named(&inner, "name"),
            "strip" | "keep" | "add" => resolver.schema_line(&inner, &mut engine.schema),
            "schema" => {
                let schema = resolver.engine_schema(&inner, draft);
                engine.schema.add(&schema);
            }
            _ => resolver.inside(&inner, parent, &mut engine.layer, draft),
        });
        draft.engines.push(engine);
    }

    fn storage(&mut self, reading: &Reading<'_>) -> Option<&'static EngineSpec> {
        let name = reading.text("engine")?;
        let found = EngineSpec::find(name);
        if found.is_none() {
            let known: Vec<&str> = ENGINES.iter().map(|engine| engine.storage).collect();
            let every = ENGINES
                .iter()
                .flat_map(|engine| engine.aliases.iter().copied().chain([engine.storage]));
            self.wrong.push(
                Diagnostic::error(
                    codes::UNKNOWN_NAME,
                    reading.span_of("engine"),
                    format!("unknown storage engine `{name}`"),
                )
                .maybe_help(did_you_mean(name, every))
                .help(format!("enginecmp knows {}", known.join(", "))),
            );
        }
        found
    }

    /// A setting or an option inside a block.
    fn inside(
        &mut self,
        reading: &Reading<'_>,
        parent: Parent,
        layer: &mut Layer,
        draft: &mut Draft,
    ) {
        let before = layer.givens.len();
        self.give(reading, parent, layer);
        for given in &mut layer.givens[before..] {
            if given.name.name == "row_format" {
                for value in &mut given.values {
                    value.value = SettingValue::Word(value.value.to_string().to_uppercase());
                }
            }
        }
        if let Some(given) = layer.givens.get(before) {
            draft.mention(&given.name.axis());
        }
    }

    pub(super) fn variant(&mut self, reading: &Reading<'_>, draft: &mut Draft) {
        draft.mention("variant");
        let Some(entry) = self.entry(reading, draft) else { return };
        match draft.axes.iter_mut().find(|axis| axis.name == "variant") {
            Some(axis) => axis.entries.push(entry),
            None => draft.axes.push(AxisDraft {
                name: "variant".to_string(),
                span: reading.span(),
                entries: vec![entry],
            }),
        }
    }

    /// A variant, or a named value of an axis.
    fn entry(&mut self, reading: &Reading<'_>, draft: &mut Draft) -> Option<EntryDraft> {
        let name = reading.text("name").unwrap_or(reading.name()).to_string();
        let mut entry = EntryDraft { head: self.head(reading, name), layer: Layer::default() };
        let (parent, statements) = reading.inside()?;
        self.block(statements, parent, draft, |resolver, inner, draft| match inner.name() {
            "extends" => entry.head.extends = Self::named(&inner, "name"),
            _ => resolver.inside(&inner, parent, &mut entry.layer, draft),
        });
        Some(entry)
    }

    pub(super) fn axis(&mut self, reading: &Reading<'_>, draft: &mut Draft) {
        let Some(name) = reading.text("name").map(str::to_string) else { return };
        if matches!(name.as_str(), "engine" | "server" | "workload" | "variant" | "storage") {
            self.wrong.push(
                Diagnostic::error(
                    codes::DECLARED_TWICE,
                    reading.span_of("name"),
                    format!("`{name}` is an axis of the language itself"),
                )
                .help("give the axis another name"),
            );
            return;
        }
        draft.mention(&name);
        let Some((parent, statements)) = reading.inside() else { return };
        let mut entries: Vec<EntryDraft> = Vec::new();
        self.block(statements, parent, draft, |resolver, inner, draft| {
            let Some(entry) = resolver.entry(&inner, draft) else { return };
            let same = |known: &&EntryDraft| known.head.name.eq_ignore_ascii_case(&entry.head.name);
            if let Some(first) = entries.iter().find(same) {
                resolver.declared_twice("value", &entry.head.name, inner.span(), first.head.span);
                return;
            }
            entries.push(entry);
        });
        if entries.is_empty() {
            self.wrong.push(
                Diagnostic::error(codes::INCOMPLETE, reading.span(), "the axis has no values")
                    .help("write `axis redo { small { redo 2x4GB }; large { redo 2x8GB } }`"),
            );
            return;
        }
        draft.axes.push(AxisDraft { name, span: reading.span(), entries });
    }

    fn declared_twice(
        &mut self,
        what: &str,
        name: &str,
        span: crate::diagnostic::Span,
        first: crate::diagnostic::Span,
    ) {
        self.wrong.push(
            Diagnostic::error(
                codes::DECLARED_TWICE,
                span,
                format!("the {what} `{name}` is declared twice"),
            )
            .label("again")
            .also(first, "first here"),
        );
    }

    pub(super) fn point(&mut self, reading: &Reading<'_>, draft: &mut Draft) {
        let Some((parent, statements)) = reading.inside() else { return };
        let span = reading.span();
        let mut point = PointDraft {
            only: Vec::new(),
            layer: Layer::default(),
            span,
            place: self.sources.place(span),
        };
        self.block(statements, parent, draft, |resolver, inner, draft| match inner.name() {
            "only" => {
                point.only = inner
                    .values("engine")
                    .iter()
                    .map(|value| NamedAt { name: value.value.to_string(), span: value.span })
                    .collect();
            }
            _ => resolver.inside(&inner, parent, &mut point.layer, draft),
        });
        draft.points.push(point);
    }

    pub(super) fn workload(&mut self, reading: &Reading<'_>, draft: &mut Draft) {
        draft.mention("workload");
        let Some(kind) = self.workload_kind(reading) else { return };
        let name = reading.text("name").unwrap_or(kind.name).to_string();
        if let Some(first) = draft.workloads.iter().find(|known| known.head.name == name) {
            let first = first.head.span;
            self.declared_twice("workload", &name, reading.span(), first);
            return;
        }
        let mut workload = WorkloadDraft {
            head: self.head(reading, name),
            kind,
            layer: Layer::default(),
            sql: SqlDraft::default(),
            schema: SchemaSettings::default(),
            load: None,
            settle: None,
            dataset_each: None,
        };
        let mut words: Vec<Reading<'_>> = Vec::new();
        if let Some((parent, statements)) = reading.inside() {
            self.block(statements, parent, draft, |resolver, inner, draft| match inner.name() {
                "extends" => workload.head.extends = Self::named(&inner, "name"),
                "schema" => {
                    let schema = resolver.schema(&inner, draft);
                    workload.schema.add(&schema);
                }
                "load" if parent != Parent::SqlWorkload => {
                    workload.load = Some(resolver.load(&inner, draft));
                }
                "settle" => workload.settle = Self::settle(&inner),
                "dataset" => workload.dataset_each = Some(inner.text("value") == Some("each")),
                "probe" => draft.probes.extend(resolver.probe(&inner)),
                "load" | "draw" | "transaction" | "generate" | "column"
                    if parent == Parent::SqlWorkload =>
                {
                    resolver.sql_line(&inner, &mut workload.sql);
                }
                "argument" | "prepare" => words.push(inner),
                _ => resolver.inside(&inner, parent, &mut workload.layer, draft),
            });
        }
        for name in ["argument", "prepare"] {
            let of: Vec<&Reading<'_>> = words.iter().filter(|w| w.name() == name).collect();
            workload.layer.givens.extend(self.joined(&of));
        }
        draft.workloads.push(workload);
    }

    fn workload_kind(&mut self, reading: &Reading<'_>) -> Option<&'static WorkloadKind> {
        let name = match reading.shape.block.inside() {
            Some(Parent::SqlWorkload) => return Some(&sql::KIND),
            Some(Parent::ExternalWorkload) => return Some(&external::KIND),
            _ => reading.text("kind")?,
        };
        let kind = WorkloadKind::find(name);
        if kind.is_none() {
            let at = NamedAt { name: name.to_string(), span: reading.span_of("kind") };
            let every = KINDS.iter().map(|kind| kind.name);
            self.unknown("kind of workload", &at, every);
        }
        kind
    }
}
