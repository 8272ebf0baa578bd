//! The draft becomes the suite: `extends` worked in, what must be there is there.

use super::Arguments;
use super::draft::{Draft, EngineDraft, LoadDraft, ServerDraft, WorkloadDraft};
use super::extends::flatten;
use super::givens::parameter_kind;
use super::resolver::Resolver;
use super::sets::Overrides;
use crate::diagnostic::{Diagnostic, Span, codes};
use crate::engine::CompressionSyntax;
use crate::model::SettingValue;
use crate::plan::suite::{
    AxisEntry, Choice, Engine, NamedAxis, Point, Server, ServerSource, SettingName, Suite,
    WorkloadBlock,
};
use crate::plan::{IndexMoment, LoadPath, LoadSettings, SettlePolicy, Unsupported, defaults};
use crate::syntax::tree::{Word, WordKind};
use crate::syntax::values;
use crate::target::remote::Dsn;
use crate::workload::WorkloadKind;
use crate::workload::sql::Definition;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the suite is called when it says no title, and its text.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) start: Span,
}

/// Makes the suite. None when something is missing; all that is wrong is reported.
pub(super) fn finish(
    resolver: &mut Resolver<'_>,
    draft: Draft,
    overrides: Overrides,
    named: Named,
    arguments: &Arguments,
) -> Option<Suite> {
    let engines: Vec<Engine> = flatten(&draft.engines, resolver)
        .into_iter()
        .filter_map(|engine| finished_engine(resolver, engine))
        .collect();
    let servers: Vec<Server> = flatten(&draft.servers, resolver)
        .into_iter()
        .filter_map(|server| finished_server(resolver, server))
        .collect();
    let load = load_settings(draft.load.as_ref(), arguments.processors);
    let workloads: Vec<WorkloadBlock> = flatten(&draft.workloads, resolver)
        .into_iter()
        .map(|workload| {
            let sql = resolver.sql_definition(&workload, draft.schema.as_ref());
            finished_workload(workload, sql, arguments.processors)
        })
        .collect();
    let axes = draft
        .axes
        .iter()
        .map(|axis| NamedAxis {
            name: axis.name.clone(),
            entries: flatten(&axis.entries, resolver)
                .into_iter()
                .map(|entry| AxisEntry {
                    name: entry.head.name,
                    layer: entry.layer,
                    span: entry.head.span,
                })
                .collect(),
            span: axis.span,
        })
        .collect();
    let points = draft
        .points
        .iter()
        .map(|point| {
            for name in &point.only {
                if !draft.engines.iter().any(|e| e.head.name.eq_ignore_ascii_case(&name.name)) {
                    let known: Vec<&str> =
                        draft.engines.iter().map(|engine| engine.head.name.as_str()).collect();
                    resolver.unknown("engine", name, known);
                }
            }
            let only = Choice { axis: "engine".to_string(), values: point.only.clone() };
            Point {
                choices: if point.only.is_empty() { Vec::new() } else { vec![only] },
                layer: point.layer.clone(),
                span: point.span,
                place: point.place.clone(),
            }
        })
        .collect();
    let mut forced = Vec::new();
    for (workload, given) in &draft.dotted {
        resolver.force(workload, given.clone(), &draft, &mut forced);
    }
    forced.extend(overrides.forced);
    if draft.engines.is_empty() {
        missing(
            resolver,
            named.start,
            "the suite names no engine",
            "engine innodb { storage InnoDB }",
        );
    }
    // One of an unknown kind is named all the same.
    if draft.workloads.is_empty() && !draft.mentioned.iter().any(|name| name == "workload") {
        missing(
            resolver,
            named.start,
            "the suite names no workload",
            "workload tpcc { warehouses 1 }",
        );
    }
    if !resolver.wrong.is_empty() {
        return None;
    }
    Some(Suite {
        title: draft.title.unwrap_or_else(|| named.name.clone()),
        name: named.name,
        text: named.text,
        profiles: arguments.profiles.clone(),
        sets: arguments.sets.clone(),
        seed: draft.seed.unwrap_or(defaults::SEED),
        memory: arguments.memory,
        repeat: draft.repeat.unwrap_or(defaults::REPEAT),
        average: draft.average.unwrap_or_default(),
        layer: draft.layer,
        defaults_file: draft.defaults_file,
        servers,
        engines,
        workloads,
        axes,
        points,
        choices: overrides.choices,
        forced,
        conditions: draft.conditions,
        schema: draft.schema.unwrap_or_default(),
        load,
        settle: draft.settle.unwrap_or(SettlePolicy::Full),
        dataset_each: draft.dataset_each.unwrap_or(false),
        disk: draft.disk,
        collectors: draft.collectors,
        machine: draft.machine,
        defaults: draft.defaults,
        probes: draft.probes,
        comparisons: draft.comparisons,
        expectations: draft.expectations,
        table: draft.table,
        figures: draft.figures,
        allowed: draft.allowed,
        unsupported: once_each(draft.unsupported),
        axis_order: draft.mentioned,
        profile_names: draft.profiles.into_iter().map(|profile| profile.head.name).collect(),
        findings: Vec::new(),
        combinations: Vec::new(),
    })
}

fn once_each(all: Vec<Unsupported>) -> Vec<Unsupported> {
    let mut seen = BTreeSet::new();
    all.into_iter().filter(|unsupported| seen.insert(unsupported.what.clone())).collect()
}

fn missing(resolver: &mut Resolver<'_>, span: Span, message: &str, example: &str) {
    resolver.wrong.push(
        Diagnostic::error(codes::INCOMPLETE, span, message).help(format!("write `{example}`")),
    );
}

fn finished_engine(resolver: &mut Resolver<'_>, engine: EngineDraft) -> Option<Engine> {
    let Some(spec) = engine.storage else {
        if !engine.wrong_storage && engine.head.extends.is_none() {
            missing(
                resolver,
                engine.head.span,
                &format!("engine `{}` has no storage", engine.head.name),
                "storage InnoDB",
            );
        }
        return None;
    };
    let part = |name: &str| engine.layer.get(&SettingName::setting(name));
    if spec.compression_syntax == CompressionSyntax::TokudbRowFormat
        && let (Some(format), Some(compression)) = (part("row_format"), part("compression"))
    {
        resolver.wrong.push(
            Diagnostic::error(
                codes::LEVEL_TWICE,
                compression.span,
                format!("`row_format` and `compression` are one property of {}", spec.storage),
            )
            .label("set here")
            .also(format.span, "and here")
            .help("leave one of them out"),
        );
        return None;
    }
    Some(Engine {
        name: engine.head.name,
        spec,
        layer: engine.layer,
        schema: engine.schema,
        span: engine.head.span,
        place: engine.head.place,
    })
}

fn finished_server(resolver: &mut Resolver<'_>, server: ServerDraft) -> Option<Server> {
    let Some(mut source) = server.source else {
        missing(
            resolver,
            server.head.span,
            &format!("server `{}` does not say where it is", server.head.name),
            "release \"mysql 5.6\"`, `basedir \"...\"` or `dsn \"...\"",
        );
        return None;
    };
    if let ServerSource::Dsn { dsn, password_env, tls_ca, reuse_data } = &mut source {
        // One that cannot be read was told where it stands.
        if let Ok(dsn) = Dsn::parse(dsn)
            && let Err(why) = dsn.check_tls(server.tls_ca.is_some())
        {
            resolver.wrong.push(Diagnostic::error(codes::BAD_DSN, server.head.span, why));
        }
        *password_env = server.password_env;
        *tls_ca = server.tls_ca;
        *reuse_data = server.reuse_data;
        if let Some(file) = &server.defaults_file {
            resolver.wrong.push(
                Diagnostic::error(
                    codes::OPTION_FILE,
                    file.span,
                    "a server that runs already has an option file of its own",
                )
                .help("enginecmp starts no server by `dsn`; leave `defaults_file` out"),
            );
        }
    } else if server.tls_ca.is_some() {
        missing(
            resolver,
            server.head.span,
            &format!(
                "server `{}` has `tls_ca` and no `dsn`: enginecmp reaches the servers that it \
                 starts by a socket",
                server.head.name
            ),
            "dsn \"mysql://bench@db.example.org:3306/bench\"",
        );
    } else if server.reuse_data {
        missing(
            resolver,
            server.head.span,
            &format!(
                "server `{}` has `reuse data` and no `dsn`: enginecmp gives the servers that it \
                 starts a fresh copy of their data",
                server.head.name
            ),
            "dsn \"mysql://bench@127.0.0.1:3306/bench\"",
        );
    }
    Some(Server {
        name: server.head.name,
        source,
        defaults_file: server.defaults_file,
        layer: server.layer,
        span: server.head.span,
        place: server.head.place,
    })
}

fn finished_workload(
    workload: WorkloadDraft,
    sql: Option<Arc<Definition>>,
    processors: u32,
) -> WorkloadBlock {
    WorkloadBlock {
        name: workload.head.name,
        defaults: parameter_defaults(workload.kind),
        kind: workload.kind,
        layer: workload.layer,
        sql,
        schema: workload.schema,
        load: workload.load.map(|load| load_settings(Some(&load), processors)),
        settle: workload.settle,
        dataset_each: workload.dataset_each,
        span: workload.head.span,
        place: workload.head.place,
    }
}

/// The defaults of a kind's parameters. They are the language's own text, read by the same rules.
fn parameter_defaults(kind: &WorkloadKind) -> BTreeMap<String, SettingValue> {
    let nowhere = Span { file: crate::diagnostic::FileId(0), start: 0, end: 0 };
    kind.parameters
        .iter()
        .filter_map(|parameter| {
            let text = parameter.default?.to_string();
            let number = text.starts_with(|c: char| c.is_ascii_digit());
            let word = if number { WordKind::Number(text) } else { WordKind::Bare(text) };
            let words = [Word { kind: word, span: nowhere }];
            let value = values(&words, &parameter_kind(parameter.kind)).ok()?.into_iter().next()?;
            Some((parameter.name.to_string(), value.value))
        })
        .collect()
}

fn load_settings(draft: Option<&LoadDraft>, processors: u32) -> LoadSettings {
    let draft = draft.cloned().unwrap_or_default();
    LoadSettings {
        path: draft.path.unwrap_or(LoadPath::Bulk),
        threads: draft.threads.unwrap_or(processors.max(1)),
        indexes: draft.indexes.unwrap_or(IndexMoment::After),
        repeat: draft.repeat.unwrap_or(1),
    }
}
