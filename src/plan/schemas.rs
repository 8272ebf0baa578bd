//! The schema of a dataset: the workload's script after the transforms of suite and engine.

use super::defaults;
use super::suite::{Engine, SchemaSettings};
use super::{DatasetSchema, ExpectedTable, IndexMoment};
use crate::engine::{EngineSpec, Home};
use crate::schema::{Transform, phases, transform};
use crate::target::sqlite;
use crate::workload::Workload;

/// What a schema is made for.
pub(super) struct Wanted<'a> {
    /// The workload whose script it is.
    pub(super) workload: &'a dyn Workload,
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
        charset: Some((
            settings.charset.clone().unwrap_or_else(|| defaults::CHARSET.to_string()),
            settings.collation.clone().unwrap_or_else(|| defaults::COLLATION.to_string()),
        )),
        ..Transform::default()
    };
    let parts = wanted.workload.source_ddl();
    let source = [parts.tables, parts.indexes, parts.foreign_keys].join("\n");
    let transformed = transform(&source, &rules);
    let refused: Vec<String> = transformed
        .notes
        .iter()
        .filter(|note| note.refused)
        .map(|note| format!("line {} of the schema: {}", note.line, note.text))
        .collect();
    if !refused.is_empty() {
        return Err(refused);
    }
    let made = phases(&transformed.statements);
    let mut schema = DatasetSchema {
        source,
        tables: made.tables,
        indexes: made.indexes,
        foreign_keys: made.foreign_keys.into_iter().chain(made.triggers).collect(),
        notes: transformed.notes.into_iter().map(|note| note.text).collect(),
        expected: transformed
            .tables
            .into_iter()
            .filter(|table| !table.temporary)
            .map(|table| ExpectedTable {
                table: table.name,
                storage: table.storage.unwrap_or_else(|| spec.storage.to_string()),
                row_format: table.row_format,
            })
            .collect(),
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
