//! The rows of a `workload sql` block: its tables by the schema, what is generated, files.

use super::draft::WorkloadDraft;
use super::resolver::Resolver;
use super::sql::LoadLine;
use crate::diagnostic::{Diagnostic, Span, codes, did_you_mean};
use crate::plan::schemas::compiled;
use crate::plan::suite::SchemaSettings;
use crate::schema::{KeyKind, TableSummary, Transform, Transformer};
use crate::workload::sql::{
    self, ColumnType, CsvLoad, Data, Drawn, Generate, ScriptLoad, Table, TableColumn,
};

impl Resolver<'_> {
    /// The rows of a block; none where something is wrong.
    pub(super) fn sql_data(
        &mut self,
        workload: &WorkloadDraft,
        schema: &SchemaSettings,
    ) -> Option<Data> {
        let before = self.wrong.len();
        if schema.from.is_empty() {
            self.wrong.push(
                Diagnostic::error(
                    codes::INCOMPLETE,
                    workload.head.span,
                    format!("workload `{}` has no schema", workload.head.name),
                )
                .help("write `schema { from \"tables.sql\" }`"),
            );
            return None;
        }
        let mut data = tables(schema);
        let draft = &workload.sql;
        for draw in &draft.draws {
            if let (Drawn::Column(_, table, column), Some(span)) = (&draw.drawn, draw.column) {
                self.known_column(&data.tables, table, column, span);
            }
        }
        for generate in &draft.generates {
            let Some(table) = self.known_table(&data.tables, &generate.table, generate.span) else {
                continue;
            };
            let columns = draft
                .columns
                .iter()
                .filter(|column| column.table.eq_ignore_ascii_case(&generate.table));
            let made = Generate {
                columns: columns
                    .map(|column| (column.column.clone(), column.drawn.clone()))
                    .collect(),
                rows: generate.rows,
                table,
            };
            if let Some((column, why)) = made.problem() {
                self.data_error(
                    generate.span,
                    format!("column `{column}` of {} cannot be generated", generate.table),
                    why,
                );
            }
            data.generated.push(made);
        }
        for column in &draft.columns {
            let generated =
                draft.generates.iter().any(|one| one.table.eq_ignore_ascii_case(&column.table));
            self.known_column(&data.tables, &column.table, &column.column, column.span);
            if !generated {
                self.data_error(
                    column.span,
                    format!("table `{}` is not generated", column.table),
                    format!("write `generate {} rows 10k` as well", column.table),
                );
            }
        }
        for line in &draft.loads {
            match &line.into {
                Some((table, span)) => {
                    if let Some(csv) = self.csv(&data, line, table, *span) {
                        data.csv.push(csv);
                    }
                }
                None => data.scripts.extend(self.script_load(line)),
            }
        }
        (self.wrong.len() == before).then_some(data)
    }

    fn data_error(&mut self, span: Span, message: String, help: impl Into<String>) {
        self.wrong.push(Diagnostic::error(codes::BAD_DATA, span, message).help(help.into()));
    }

    fn known_table(&mut self, tables: &[Table], name: &str, span: Span) -> Option<Table> {
        let found = tables.iter().find(|table| table.name.eq_ignore_ascii_case(name));
        if found.is_none() {
            let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
            let message = format!("the schema has no table `{name}`");
            self.wrong.push(
                Diagnostic::error(codes::BAD_DATA, span, message)
                    .maybe_help(did_you_mean(name, names.iter().copied()))
                    .help(format!("it has {}", names.join(", "))),
            );
        }
        found.cloned()
    }

    fn known_column(&mut self, tables: &[Table], table: &str, column: &str, span: Span) {
        let Some(table) = self.known_table(tables, table, span) else { return };
        if table.column(column).is_none() {
            let names: Vec<&str> =
                table.columns.iter().map(|column| column.name.as_str()).collect();
            let message = format!("table `{}` has no column `{column}`", table.name);
            self.wrong.push(
                Diagnostic::error(codes::BAD_DATA, span, message)
                    .maybe_help(did_you_mean(column, names.iter().copied()))
                    .help(format!("it has {}", names.join(", "))),
            );
        }
    }

    /// A CSV file whose header names columns of the table.
    fn csv(&mut self, data: &Data, line: &LoadLine, name: &str, span: Span) -> Option<CsvLoad> {
        let table = self.known_table(&data.tables, name, span)?;
        let filled = data.generated.iter().any(|one| one.table.name == table.name)
            || data.csv.iter().any(|one| one.table.name == table.name);
        if filled {
            let message = format!("table `{name}` is filled twice");
            self.data_error(span, message, "one file, or `generate`, fills a table");
            return None;
        }
        let file = &line.file;
        let opened = self.beside.reader.open(&file.path).map_err(|error| error.to_string());
        match opened.and_then(sql::scan) {
            Ok(scanned) => {
                for column in &scanned.columns {
                    if table.column(column).is_none() {
                        let names = table.columns.iter().map(|column| column.name.as_str());
                        let message = format!(
                            "\"{}\" names a column `{column}`, which {name} has not",
                            file.name
                        );
                        self.wrong.push(
                            Diagnostic::error(codes::BAD_DATA, line.span, message)
                                .maybe_help(did_you_mean(column, names))
                                .help("the first line of a CSV file names its columns"),
                        );
                    }
                }
                Some(CsvLoad { name: file.name.clone(), path: file.path.clone(), table, scanned })
            }
            Err(why) => {
                let message = format!("\"{}\" cannot be loaded: {why}", file.name);
                self.wrong.push(Diagnostic::error(codes::FILE_UNUSABLE, line.span, message));
                None
            }
        }
    }

    fn script_load(&mut self, line: &LoadLine) -> Option<ScriptLoad> {
        let file = &line.file;
        match self.beside.reader.open(&file.path).and_then(sql::hash) {
            Ok(hash) => Some(ScriptLoad { name: file.name.clone(), path: file.path.clone(), hash }),
            Err(error) => {
                let message = format!("\"{}\" cannot be read: {error}", file.name);
                self.wrong.push(Diagnostic::error(codes::FILE_UNUSABLE, line.span, message));
                None
            }
        }
    }
}

/// The tables that the scripts make, whatever the engine.
fn tables(schema: &SchemaSettings) -> Data {
    let rules = Transform {
        family: "mariadb".to_string(),
        rewrites: schema.rewrites.iter().filter_map(compiled).collect(),
        ..Transform::default()
    };
    let mut transformer = Transformer::new(&rules);
    let mut data = Data::default();
    for script in &schema.from {
        let made = transformer.text(&script.text);
        let has = |word: &str| {
            made.statements.iter().any(|text| text.to_ascii_uppercase().contains(word))
        };
        data.side_effects |= has("TRIGGER") || (has("CASCADE") && !schema.strips("foreign_keys"));
        let summaries = made.tables.into_iter().filter(|table| !table.temporary);
        data.tables = summaries.map(|summary| table(&summary)).collect();
    }
    data
}

fn table(summary: &TableSummary) -> Table {
    let key = summary.indexes.iter().find(|index| index.kind == KeyKind::Primary);
    let key = key.map(|index| index.columns.clone()).unwrap_or_default();
    let alone = |name: &str| {
        summary.indexes.iter().any(|index| {
            index.kind == KeyKind::Unique
                && index.columns.len() == 1
                && index.columns[0].eq_ignore_ascii_case(name)
        })
    };
    let columns = summary
        .columns
        .iter()
        .map(|column| TableColumn {
            name: column.name.clone(),
            column_type: column_type(&column.data_type, &column.arguments),
            optional: !column.not_null && !key.iter().any(|k| k.eq_ignore_ascii_case(&column.name)),
            generated: column.generated,
            unique: alone(&column.name),
        })
        .collect();
    Table { name: summary.name.clone(), columns, key }
}

/// What a type of MySQL's DDL can hold.
fn column_type(name: &str, arguments: &[u64]) -> ColumnType {
    let first = arguments.first().copied();
    match name {
        "BOOL" | "BOOLEAN" => ColumnType::Int { max: 1 },
        "TINYINT" | "INT1" => ColumnType::Int { max: 127 },
        "SMALLINT" | "INT2" => ColumnType::Int { max: 32_767 },
        "MEDIUMINT" | "INT3" | "MIDDLEINT" => ColumnType::Int { max: 8_388_607 },
        "INT" | "INTEGER" | "INT4" => ColumnType::Int { max: 2_147_483_647 },
        "BIGINT" | "INT8" | "SERIAL" => ColumnType::Int { max: i64::MAX as u64 },
        "FLOAT" | "DOUBLE" | "REAL" => ColumnType::Int { max: 1_000_000 },
        "DECIMAL" | "NUMERIC" | "DEC" | "FIXED" => {
            let digits = u8::try_from(first.unwrap_or(10)).unwrap_or(u8::MAX);
            let scale = arguments.get(1).copied().unwrap_or(0);
            match u8::try_from(scale) {
                Ok(scale) if digits <= 18 && scale <= digits => {
                    ColumnType::Decimal { digits, scale }
                }
                _ => ColumnType::Other(name.to_string()),
            }
        }
        "CHAR" | "NCHAR" | "CHARACTER" | "BINARY" | "VARCHAR" | "NVARCHAR" | "VARCHAR2"
        | "VARBINARY" => ColumnType::Text { longest: first.unwrap_or(1) },
        "TINYTEXT" | "TEXT" | "MEDIUMTEXT" | "LONGTEXT" | "TINYBLOB" | "BLOB" | "MEDIUMBLOB"
        | "LONGBLOB" | "LONG" => ColumnType::Text { longest: 255 },
        "DATE" => ColumnType::Date,
        "DATETIME" | "TIMESTAMP" => ColumnType::DateTime,
        other => ColumnType::Other(other.to_string()),
    }
}
