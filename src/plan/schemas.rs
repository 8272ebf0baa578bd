//! The schema of a dataset: the workload's script after the transforms of suite and engine.

use super::defaults;
use super::suite::{Engine, RewriteLine, SchemaSettings};
use super::{DatasetSchema, ExpectedTable, IndexMoment, SchemaFile};
use crate::engine::{EngineSpec, Home};
use crate::schema::{Rewrite, Transform, Transformer, phases};
use crate::target::sqlite;
use crate::workload::Workload;

/// What a schema is made for.
pub(super) struct Wanted<'a> {
    /// The workload whose script it is.
    pub(super) workload: &'a dyn Workload,
    /// Its kind.
    pub(super) kind: &'a str,
    /// The engine.
    pub(super) engine: &'a Engine,
    /// Family of its server.
    pub(super) family: &'a str,
    /// Its release, where there is such a server.
    pub(super) release: Option<(u32, u32)>,
    /// The suite's transforms with the engine's.
    pub(super) settings: &'a SchemaSettings,
    /// Row format, as the suite names it.
    pub(super) row_format: Option<&'a str>,
    /// Portable compression.
    pub(super) compression: Option<&'a str>,
    /// Foreign keys are left out although the suite does not say so.
    pub(super) strip_foreign_keys: bool,
    /// When indexes are made.
    pub(super) indexes: IndexMoment,
}

/// The scripts with their names: the user's, else the workload's own.
fn sources(wanted: &Wanted<'_>) -> Vec<(String, String)> {
    if wanted.settings.from.is_empty() {
        let parts = wanted.workload.source_ddl();
        let whole = [parts.tables, parts.indexes, parts.foreign_keys].join("\n");
        return vec![(format!("{}.sql", wanted.kind), whole)];
    }
    let scripts = wanted.settings.from.iter();
    scripts.map(|script| (script.name.clone(), script.text.to_string())).collect()
}

/// Character set and collation; one of them alone says the other.
fn charset(settings: &SchemaSettings) -> (String, String) {
    match (&settings.charset, &settings.collation) {
        (Some(charset), Some(collation)) => (charset.clone(), collation.clone()),
        (Some(charset), None) => (charset.clone(), format!("{charset}_bin")),
        (None, Some(collation)) => {
            let charset = collation.split('_').next().unwrap_or(collation);
            (charset.to_string(), collation.clone())
        }
        // Rows of the user's may hold any character.
        (None, None) if !settings.from.is_empty() => ("utf8mb4".into(), "utf8mb4_bin".into()),
        (None, None) => (defaults::CHARSET.to_string(), defaults::COLLATION.to_string()),
    }
}

/// Whether a statement of a script brings rows in: those of a schema come in by `load`.
fn brings_rows(statement: &str) -> bool {
    let first = statement.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    first.eq_ignore_ascii_case("INSERT") || first.eq_ignore_ascii_case("REPLACE")
}

/// A rewrite whose pattern was accepted when the suite was read.
pub(super) fn compiled(line: &RewriteLine) -> Option<Rewrite> {
    Rewrite::new(&line.pattern, &line.text, Some(&line.tables)).ok()
}

/// Makes it; errors say what the engine cannot take, a statement each.
pub(super) fn make(wanted: &Wanted<'_>) -> Result<DatasetSchema, Vec<String>> {
    let spec: &'static EngineSpec = wanted.engine.spec;
    let settings = wanted.settings;
    let rules = Transform {
        storage: Some(spec),
        family: wanted.family.to_string(),
        release: wanted.release,
        row_format: wanted.row_format.map(str::to_uppercase),
        compression: wanted.compression.map(str::to_string),
        strip_foreign_keys: wanted.strip_foreign_keys || settings.strips("foreign_keys"),
        keep_foreign_key_indexes: settings.keep_foreign_key_indexes.unwrap_or(true),
        strip_secondary_indexes: settings.strips("secondary_indexes"),
        strip_fulltext: settings.strips("fulltext"),
        strip_spatial: settings.strips("spatial"),
        add_primary_key: settings.add_primary_key,
        rewrites: settings.rewrites.iter().filter_map(compiled).collect(),
        charset: Some(charset(settings)),
    };
    let mut transformer = Transformer::new(&rules);
    let mut statements = Vec::new();
    let (mut notes, mut refused) = (Vec::new(), Vec::new());
    let mut files = Vec::new();
    let mut tables = Vec::new();
    for (name, source) in sources(wanted) {
        let transformed = transformer.text(&source);
        for note in transformed.notes {
            let table = note.table.as_ref().map_or_else(String::new, |table| format!("{table}: "));
            let said = format!("{name}:{}: {table}{}", note.line, note.text);
            if note.refused { refused.push(said) } else { notes.push(said) }
        }
        let (rows, made): (Vec<_>, Vec<_>) =
            transformed.statements.into_iter().partition(|statement| brings_rows(statement));
        if !rows.is_empty() {
            notes.push(format!(
                "{name}: {} statements with rows passed over; `load` brings rows in",
                rows.len()
            ));
        }
        statements.extend(made);
        tables = transformed.tables;
        files.push(SchemaFile { name, source, transformed: transformed.script });
    }
    if !refused.is_empty() {
        return Err(refused);
    }
    let made = phases(&statements);
    let mut schema = DatasetSchema {
        files,
        tables: made.tables,
        indexes: made.indexes,
        foreign_keys: made.foreign_keys.into_iter().chain(made.triggers).collect(),
        notes,
        expected: tables
            .into_iter()
            .filter(|table| !table.temporary)
            .map(|table| ExpectedTable {
                table: table.name,
                storage: table.storage.unwrap_or_else(|| spec.storage.to_string()),
                row_format: table.row_format,
            })
            .collect(),
        charset: rules.charset.clone(),
        ..DatasetSchema::default()
    };
    if spec.home == Home::InProcess {
        let translated = sqlite::ddl::translate(
            &schema.tables,
            &schema.indexes,
            &schema.foreign_keys,
            wanted.row_format,
        )?;
        schema.tables = translated.tables;
        schema.indexes = translated.indexes;
        schema.foreign_keys = Vec::new();
        schema.notes.extend(translated.notes);
        schema.charset = None;
        for table in &mut schema.expected {
            table.row_format =
                translated.row_formats.get(&table.table).map(|format| (*format).to_string());
        }
    }
    if wanted.indexes == IndexMoment::Before {
        let indexes = std::mem::take(&mut schema.indexes);
        schema.tables.extend(indexes);
    }
    schema.script = schema
        .tables
        .iter()
        .chain(&schema.indexes)
        .chain(&schema.foreign_keys)
        .map(|statement| format!("{statement};\n"))
        .collect();
    Ok(schema)
}
