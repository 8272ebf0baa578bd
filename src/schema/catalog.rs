//! The tables that a script has made so far, as they are after the transforms.

use super::parse::items::{Column, Item, ItemKind, Key, KeyPart};
use super::parse::statement::Name;
use std::collections::BTreeMap;

pub use super::parse::items::KeyKind;

/// A table as the transformed script leaves it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableSummary {
    /// The database that the script names for it, by qualification or USE.
    pub database: Option<String>,
    /// Its name.
    pub name: String,
    /// Line of its CREATE TABLE, from 1.
    pub line: u32,
    /// It is a temporary one.
    pub temporary: bool,
    /// The storage engine that it must have; none where the script leaves it to the server.
    pub storage: Option<String>,
    /// Row format as information_schema.TABLES must show it, where one is asked for.
    pub row_format: Option<String>,
    /// Its indexes, named as the server names them, in the order of the script.
    pub indexes: Vec<IndexSummary>,
    /// Foreign keys that are left, named where the script names them.
    pub foreign_keys: Vec<Option<String>>,
    /// Its character set or collation, where it is known.
    pub(crate) charset: Option<String>,
    /// Columns in order, where the script states them.
    pub(crate) columns: Vec<Column>,
    /// Names of foreign keys that were stripped.
    pub(crate) stripped_keys: Vec<String>,
    /// Names of indexes that were stripped or never came to be.
    pub(crate) stripped_indexes: Vec<String>,
    /// Its primary key is none of the script's.
    pub(crate) added_key: bool,
}

/// An index of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexSummary {
    /// Its name; `PRIMARY` for the primary key.
    pub name: String,
    /// Its kind.
    pub kind: KeyKind,
    /// Its columns in order; an empty name stands for an expression.
    pub columns: Vec<String>,
    pub(crate) parts: Vec<KeyPart>,
}

impl TableSummary {
    /// Whether an index begins with these columns, whole and in this order.
    pub(crate) fn covers(&self, columns: &[KeyPart]) -> bool {
        self.indexes.iter().any(|index| {
            !matches!(index.kind, KeyKind::Fulltext | KeyKind::Spatial | KeyKind::Vector)
                && is_prefix(columns, &index.parts)
        })
    }

    /// Which foreign keys over these columns make an index of their own: those that neither an index
    /// nor another of them serves. Of equal ones the last counts, as on a server.
    pub(crate) fn implied(&self, foreign_keys: &[&[KeyPart]]) -> Vec<bool> {
        let serves = |number: usize, columns: &[KeyPart], other: usize| {
            other != number
                && is_prefix(columns, foreign_keys[other])
                && (foreign_keys[other].len() > columns.len() || other > number)
        };
        foreign_keys
            .iter()
            .enumerate()
            .map(|(number, columns)| {
                !self.covers(columns)
                    && !(0..foreign_keys.len()).any(|other| serves(number, columns, other))
            })
            .collect()
    }

    /// Whether an index of this name was stripped and none took its name.
    pub(crate) fn lacks_index(&self, name: &str) -> bool {
        self.stripped_indexes.iter().any(|index| index.eq_ignore_ascii_case(name))
            && !self.indexes.iter().any(|index| index.name.eq_ignore_ascii_case(name))
    }

    /// Takes in a key under the name that the server gives it.
    pub(crate) fn add_key(&mut self, kind: KeyKind, name: Option<&str>, parts: &[KeyPart]) {
        let name = match (kind, name) {
            (KeyKind::Primary, _) => "PRIMARY".to_string(),
            (_, Some(name)) => name.to_string(),
            (_, None) => self.free_name(parts.first().map_or("", |part| &part.column)),
        };
        let columns = parts.iter().map(|part| part.column.clone()).collect();
        self.indexes.push(IndexSummary { name, kind, columns, parts: parts.to_vec() });
    }

    /// The name that the server gives to a key without one: its first column, then `_2`, `_3` ...
    fn free_name(&self, column: &str) -> String {
        let base = if column.is_empty() { "functional_index" } else { column };
        let taken = |name: &str| {
            name.eq_ignore_ascii_case("PRIMARY")
                || self.indexes.iter().any(|index| index.name.eq_ignore_ascii_case(name))
        };
        if !taken(base) {
            return base.to_string();
        }
        let mut number = 2;
        while taken(&format!("{base}_{number}")) {
            number += 1;
        }
        format!("{base}_{number}")
    }

    /// Takes in a column, with the keys that it states itself.
    pub(crate) fn add_column(&mut self, column: &Column) {
        let part = KeyPart::whole(&column.name);
        if column.primary {
            self.add_key(KeyKind::Primary, None, std::slice::from_ref(&part));
        }
        if column.unique {
            self.add_key(KeyKind::Unique, None, &[part]);
        }
        self.columns.retain(|known| !known.name.eq_ignore_ascii_case(&column.name));
        self.columns.push(column.clone());
    }

    /// Takes in a key definition.
    pub(crate) fn add_written_key(&mut self, key: &Key) {
        self.add_key(key.kind, key.name.as_deref(), &key.parts);
    }

    /// Takes in whatever an item says, foreign keys apart.
    pub(crate) fn add_item(&mut self, item: &Item) {
        match &item.kind {
            ItemKind::Column(column) => self.add_column(column),
            ItemKind::Key(key) => self.add_written_key(key),
            ItemKind::ForeignKey(_) | ItemKind::Like | ItemKind::Other => {}
        }
    }

    pub(crate) fn drop_index(&mut self, name: &str) {
        self.indexes.retain(|index| !index.name.eq_ignore_ascii_case(name));
    }

    pub(crate) fn rename_column(&mut self, old: &str, new: &str) {
        let renamed = |name: &mut String| {
            if name.eq_ignore_ascii_case(old) {
                *name = new.to_string();
            }
        };
        self.columns.iter_mut().for_each(|column| renamed(&mut column.name));
        for index in &mut self.indexes {
            index.columns.iter_mut().for_each(renamed);
            index.parts.iter_mut().for_each(|part| renamed(&mut part.column));
        }
    }

    pub(crate) fn drop_column(&mut self, name: &str) {
        self.columns.retain(|column| !column.name.eq_ignore_ascii_case(name));
        for index in &mut self.indexes {
            index.parts.retain(|part| !part.column.eq_ignore_ascii_case(name));
            index.columns.retain(|column| !column.eq_ignore_ascii_case(name));
        }
        self.indexes.retain(|index| !index.parts.is_empty());
    }

    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))
    }
}

/// Whether `columns` are the first of `parts`, whole columns in the same order.
pub(crate) fn is_prefix(columns: &[KeyPart], parts: &[KeyPart]) -> bool {
    columns.len() <= parts.len()
        && columns.iter().zip(parts).all(|(one, other)| {
            one.column.eq_ignore_ascii_case(&other.column) && one.prefix == other.prefix
        })
}

/// Tables by database and name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Catalog {
    /// The database of the last USE.
    pub(crate) database: Option<String>,
    tables: BTreeMap<(Option<String>, String), TableSummary>,
    created: u64,
    order: BTreeMap<(Option<String>, String), u64>,
}

impl Catalog {
    pub(crate) fn key(&self, name: &Name) -> (Option<String>, String) {
        (name.database.clone().or_else(|| self.database.clone()), name.object.clone())
    }

    pub(crate) fn get(&self, name: &Name) -> Option<&TableSummary> {
        self.tables.get(&self.key(name))
    }

    pub(crate) fn get_mut(&mut self, name: &Name) -> Option<&mut TableSummary> {
        let key = self.key(name);
        self.tables.get_mut(&key)
    }

    /// Puts a table in, instead of one of the same name.
    pub(crate) fn put(&mut self, name: &Name, mut table: TableSummary) {
        let key = self.key(name);
        (table.database, table.name) = key.clone();
        self.created += 1;
        self.order.insert(key.clone(), self.created);
        self.tables.insert(key, table);
    }

    pub(crate) fn drop(&mut self, name: &Name) {
        let key = self.key(name);
        self.tables.remove(&key);
        self.order.remove(&key);
    }

    pub(crate) fn rename(&mut self, from: &Name, to: &Name) {
        let key = self.key(from);
        if let Some(table) = self.tables.remove(&key) {
            self.order.remove(&key);
            self.put(to, table);
        }
    }

    /// Every table, in the order they were made.
    pub(crate) fn tables(&self) -> Vec<TableSummary> {
        let mut tables: Vec<_> = self.tables.iter().collect();
        tables.sort_by_key(|(key, _)| self.order.get(key).copied());
        tables.into_iter().map(|(_, table)| table.clone()).collect()
    }
}
