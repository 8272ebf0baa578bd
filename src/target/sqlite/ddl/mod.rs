//! A schema in MySQL's words, after the suite's transforms, turned into SQLite's.
//!
//! This is done once, while a suite is planned: what is shown, hashed into the recipe and sent is
//! the same text. Types become INTEGER, REAL and TEXT of STRICT tables; DECIMAL becomes INTEGER
//! that holds the unscaled number (money in hundredths). Indexes become statements of their own.
//! SQLite cannot add a foreign key to a table, so those go into CREATE TABLE, and the index that a
//! server makes for a foreign key is made here as well: both sides of a comparison have the same
//! indexes.

mod lex;
mod parse;

use super::quoted;
use parse::{Column, Element, ForeignKey, Part, Statement, Table, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A schema that SQLite takes, one statement an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SqliteSchema {
    /// Tables with primary and foreign keys, and the indexes that the tables were declared with.
    pub tables: Vec<String>,
    /// Indexes that came as statements of their own, and those that foreign keys imply.
    pub indexes: Vec<String>,
    /// Each table with the row format that it gets, `ROWID` or `WITHOUT_ROWID`.
    pub row_formats: BTreeMap<String, &'static str>,
    /// What was left out or is otherwise than on a server, in words.
    pub notes: Vec<String>,
}

/// How SQLite keeps the rows of tables that have a primary key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowFormat {
    Rowid,
    WithoutRowid,
}

/// Turns a schema into SQLite's. `row_format` is `ROWID` (the default) or `WITHOUT_ROWID`; a table
/// without primary key is always kept by rowid. Errors say, a statement each, what SQLite cannot
/// have.
pub fn translate(
    tables: &[String],
    indexes: &[String],
    foreign_keys: &[String],
    row_format: Option<&str>,
) -> Result<SqliteSchema, Vec<String>> {
    let mut errors = Vec::new();
    let format = match row_format.map(str::to_ascii_uppercase).as_deref() {
        None | Some("ROWID") => RowFormat::Rowid,
        Some("WITHOUT_ROWID") => RowFormat::WithoutRowid,
        Some(other) => {
            return Err(vec![format!(
                "SQLite has the row formats ROWID and WITHOUT_ROWID, not {other}"
            )]);
        }
    };
    let mut read = |statements: &[String]| -> Vec<Statement> {
        statements
            .iter()
            .filter_map(|sql| parse::statement(sql).map_err(|error| errors.push(error)).ok())
            .collect()
    };
    let (tables, indexes, keys) = (read(tables), read(indexes), read(foreign_keys));
    let mut schema = Builder { format, ..Builder::default() };
    for statement in tables {
        schema.add(statement, Moment::WithTables);
    }
    for statement in indexes.into_iter().chain(keys) {
        schema.add(statement, Moment::AfterRows);
    }
    schema.errors.splice(0..0, errors);
    schema.finish()
}

/// When an index is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    WithTables,
    AfterRows,
}

/// An index on its way.
struct Index {
    table: String,
    name: Option<String>,
    unique: bool,
    parts: Vec<Part>,
    moment: Moment,
}

struct Builder {
    format: RowFormat,
    drops: Vec<String>,
    tables: Vec<Table>,
    indexes: Vec<Index>,
    notes: Vec<String>,
    errors: Vec<String>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            format: RowFormat::Rowid,
            drops: Vec::new(),
            tables: Vec::new(),
            indexes: Vec::new(),
            notes: Vec::new(),
            errors: Vec::new(),
        }
    }
}

impl Builder {
    fn add(&mut self, statement: Statement, moment: Moment) {
        match statement {
            Statement::Table(mut table) => {
                let name = table.name.clone();
                self.notes.extend(table.notes.drain(..).map(|note| format!("{name}: {note}")));
                let elements = std::mem::take(&mut table.elements);
                self.tables.push(table);
                for element in elements {
                    self.element(&name, element, moment);
                }
            }
            Statement::Add(table, elements) => {
                for element in elements {
                    self.element(&table, element, moment);
                }
            }
            Statement::Drop(table) => {
                self.drops.push(format!("DROP TABLE IF EXISTS {}", quoted(&table)));
            }
            Statement::Setting(text) => {
                self.notes.push(format!("`{text}` is left out: a server's own"));
            }
        }
    }

    fn element(&mut self, table: &str, element: Element, moment: Moment) {
        if let Element::Column(column) = &element {
            let parts = vec![Part { column: column.name.clone(), descending: false, prefix: None }];
            if column.unique {
                let name = Some(column.name.clone());
                let index = Element::Index { name, unique: true, parts: parts.clone() };
                self.element(table, index, moment);
            }
            if column.primary {
                self.element(table, Element::Primary(parts), moment);
            }
        }
        match element {
            Element::Index { name, unique, parts } => {
                for part in parts.iter().filter(|part| part.prefix.is_some()) {
                    self.notes.push(format!(
                        "{table}: the index on a prefix of `{}` holds the whole column",
                        part.column
                    ));
                }
                let table = table.to_string();
                self.indexes.push(Index { table, name, unique, parts, moment });
            }
            element => match self.tables.iter_mut().find(|known| known.name == table) {
                Some(known) => known.elements.push(element),
                None => self.errors.push(format!("there is no table `{table}`")),
            },
        }
    }

    fn finish(mut self) -> Result<SqliteSchema, Vec<String>> {
        self.index_foreign_keys();
        let mut schema = SqliteSchema { tables: self.drops, ..SqliteSchema::default() };
        let mut names = BTreeSet::new();
        let mut later = Vec::new();
        for table in &self.tables {
            let format = row_format(table, self.format, &mut self.notes);
            let name = match format {
                RowFormat::Rowid => "ROWID",
                RowFormat::WithoutRowid => "WITHOUT_ROWID",
            };
            schema.row_formats.insert(table.name.clone(), name);
            match table_sql(table, format) {
                Ok(sql) => schema.tables.push(sql),
                Err(error) => self.errors.push(format!("table `{}`: {error}", table.name)),
            }
        }
        for index in &self.indexes {
            if !self.tables.iter().any(|table| table.name == index.table) {
                self.errors.push(format!("there is no table `{}`", index.table));
            }
            let sql = index_sql(index, &mut names);
            match index.moment {
                Moment::WithTables => schema.tables.push(sql),
                Moment::AfterRows => later.push(sql),
            }
        }
        schema.indexes = later;
        schema.notes = self.notes;
        if self.errors.is_empty() { Ok(schema) } else { Err(self.errors) }
    }

    /// Adds the index that a server makes for a foreign key when no other begins with its columns.
    fn index_foreign_keys(&mut self) {
        for table in &self.tables {
            for element in &table.elements {
                let Element::Foreign(key) = element else { continue };
                let columns: Vec<&str> =
                    key.columns.iter().map(|part| part.column.as_str()).collect();
                let begins = |parts: &[Part]| {
                    parts.len() >= columns.len()
                        && parts.iter().zip(&columns).all(|(part, name)| part.column == *name)
                };
                let by_primary = table
                    .elements
                    .iter()
                    .any(|element| matches!(element, Element::Primary(parts) if begins(parts)));
                let by_index = self
                    .indexes
                    .iter()
                    .any(|index| index.table == table.name && begins(&index.parts));
                if !by_primary && !by_index {
                    self.indexes.push(Index {
                        table: table.name.clone(),
                        name: key.name.clone(),
                        unique: false,
                        parts: key.columns.clone(),
                        moment: Moment::AfterRows,
                    });
                }
            }
        }
    }
}

fn primary_key(table: &Table) -> Option<&Vec<Part>> {
    table.elements.iter().find_map(|element| match element {
        Element::Primary(parts) => Some(parts),
        _ => None,
    })
}

/// A table without primary key has nothing but its rowid.
fn row_format(table: &Table, asked: RowFormat, notes: &mut Vec<String>) -> RowFormat {
    if asked == RowFormat::WithoutRowid && primary_key(table).is_none() {
        notes.push(format!("{}: no primary key, so it stays rowid", table.name));
        return RowFormat::Rowid;
    }
    asked
}

fn table_sql(table: &Table, format: RowFormat) -> Result<String, String> {
    let primary = primary_key(table);
    let without_rowid = format == RowFormat::WithoutRowid;
    let mut lines = Vec::new();
    for element in &table.elements {
        if let Element::Column(column) = element {
            if column.auto_increment && (without_rowid || !is_only(primary, &column.name)) {
                return Err(format!(
                    "column `{}`: AUTO_INCREMENT needs rowid and a primary key of this column",
                    column.name
                ));
            }
            lines.push(column_sql(column, table.collation.as_deref()));
        }
    }
    if let Some(parts) = primary {
        lines.push(format!("PRIMARY KEY ({})", parts_sql(parts)));
    }
    for element in &table.elements {
        match element {
            Element::Foreign(key) => lines.push(foreign_key_sql(key)),
            Element::Check(text) => lines.push(format!("CHECK ({text})")),
            Element::Column(_) | Element::Primary(_) | Element::Index { .. } => {}
        }
    }
    Ok(format!(
        "CREATE TABLE {} (\n  {}\n) STRICT{}",
        quoted(&table.name),
        lines.join(",\n  "),
        if without_rowid { ", WITHOUT ROWID" } else { "" }
    ))
}

fn is_only(primary: Option<&Vec<Part>>, column: &str) -> bool {
    primary.is_some_and(|parts| parts.len() == 1 && parts[0].column == column)
}

fn column_sql(column: &Column, table_collation: Option<&str>) -> String {
    let kind = match column.kind {
        Type::Integer | Type::Decimal(_) => "INTEGER",
        Type::Real => "REAL",
        Type::Text => "TEXT",
        Type::Any => "ANY",
    };
    let mut sql = format!("{} {kind}", quoted(&column.name));
    if column.not_null {
        sql.push_str(" NOT NULL");
    }
    if let Some(default) = &column.default {
        let _ = write!(sql, " DEFAULT {default}");
    }
    let collation = column.collation.as_deref().or(table_collation);
    if column.kind == Type::Text && collation.is_some_and(|name| name.ends_with("_ci")) {
        sql.push_str(" COLLATE NOCASE");
    }
    sql
}

fn parts_sql(parts: &[Part]) -> String {
    let shown: Vec<String> = parts
        .iter()
        .map(|part| {
            format!("{}{}", quoted(&part.column), if part.descending { " DESC" } else { "" })
        })
        .collect();
    shown.join(", ")
}

fn foreign_key_sql(key: &ForeignKey) -> String {
    let name = key.name.as_ref().map(|name| format!("CONSTRAINT {} ", quoted(name)));
    format!(
        "{}FOREIGN KEY ({}) REFERENCES {} ({}){}{}",
        name.unwrap_or_default(),
        parts_sql(&key.columns),
        quoted(&key.parent),
        parts_sql(&key.parent_columns),
        if key.actions.is_empty() { "" } else { " " },
        key.actions
    )
}

/// Index names belong to a table in MySQL and to the whole database here; one that is taken gets
/// its table's name in front.
fn index_sql(index: &Index, names: &mut BTreeSet<String>) -> String {
    let columns: Vec<&str> = index.parts.iter().map(|part| part.column.as_str()).collect();
    let mut name =
        index.name.clone().unwrap_or_else(|| format!("{}_{}", index.table, columns.join("_")));
    if names.contains(&name) {
        name = format!("{}_{name}", index.table);
    }
    names.insert(name.clone());
    format!(
        "CREATE {}INDEX {} ON {} ({})",
        if index.unique { "UNIQUE " } else { "" },
        quoted(&name),
        quoted(&index.table),
        parts_sql(&index.parts)
    )
}

#[cfg(test)]
mod tests;
