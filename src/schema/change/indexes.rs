//! Indexes: stripping, clustering keys by family, and what ALTER does to them.

use super::Change;
use crate::engine::CompressionSyntax;
use crate::schema::catalog::{KeyKind, TableSummary};
use crate::schema::option_rules::unknown_collation;
use crate::schema::parse::CreateIndex;
use crate::schema::parse::items::{Column, Item, ItemKind, Key};
use crate::schema::parse::statement::Name;
use crate::schema::parse::table::CreateTable;
use crate::schema::token::backtick;

/// Where the words of a key stand that make it a clustering one.
struct Clustering {
    word: Option<usize>,
    option: Option<(usize, usize)>,
    /// Position of KEY or INDEX.
    keyword: usize,
    /// Position after the column list.
    parts_end: usize,
}

impl From<&Key> for Clustering {
    fn from(key: &Key) -> Self {
        Self {
            word: key.clustering_word,
            option: key.clustering_option,
            keyword: key.keyword,
            parts_end: key.parts_end,
        }
    }
}

impl From<&CreateIndex> for Clustering {
    fn from(index: &CreateIndex) -> Self {
        Self {
            word: index.clustering_word,
            option: index.clustering_option,
            keyword: index.keyword,
            parts_end: index.parts_end,
        }
    }
}

impl Change<'_, '_> {
    /// Whether indexes of this kind are stripped.
    fn strips(&self, kind: KeyKind) -> bool {
        let transform = self.script.transform;
        match kind {
            KeyKind::Primary | KeyKind::Unique => false,
            KeyKind::Fulltext => transform.strip_fulltext || transform.strip_secondary_indexes,
            KeyKind::Spatial => transform.strip_spatial || transform.strip_secondary_indexes,
            KeyKind::Plain | KeyKind::Vector => transform.strip_secondary_indexes,
        }
    }

    /// Keys of a CREATE TABLE: those that stay go to `summary`, the others are marked.
    pub(super) fn created_keys(
        &mut self,
        table: &CreateTable,
        summary: &mut TableSummary,
        removed: &mut [bool],
    ) {
        let keys = |item: &Item| match &item.kind {
            ItemKind::Key(key) => Some(key.clone()),
            _ => None,
        };
        let auto = table.columns().find(|column| column.auto_increment);
        let begins_with_auto = |key: &Key| {
            auto.is_some_and(|column| {
                key.parts.first().is_some_and(|part| part.column.eq_ignore_ascii_case(&column.name))
            })
        };
        // AUTO_INCREMENT must be the first column of a key.
        let mut served = auto.is_some_and(|column| column.primary || column.unique)
            || table
                .items
                .iter()
                .filter_map(keys)
                .any(|key| !self.strips(key.kind) && begins_with_auto(&key));
        for (number, item) in table.items.iter().enumerate() {
            let Some(key) = keys(item) else {
                if let ItemKind::Column(column) = &item.kind {
                    self.column_collation(&table.name, column);
                }
                summary.add_item(item);
                continue;
            };
            if self.strips(key.kind) {
                if served || !begins_with_auto(&key) {
                    removed[number] = true;
                    self.stripped_index(
                        Some(&mut *summary),
                        &table.name,
                        item.first,
                        key.kind,
                        key.name.as_deref(),
                    );
                    continue;
                }
                served = true;
                let text = "an index stays: the AUTO_INCREMENT column must begin one".to_string();
                self.note(item.first, Some(&table.name), text);
            }
            self.clustering(&Clustering::from(&key), &table.name);
            summary.add_written_key(&key);
        }
    }

    fn stripped_index(
        &mut self,
        summary: Option<&mut TableSummary>,
        table: &Name,
        at: usize,
        kind: KeyKind,
        name: Option<&str>,
    ) {
        if let (Some(summary), Some(name)) = (summary, name) {
            summary.stripped_indexes.push(name.to_string());
        }
        let name = name.map_or_else(String::new, |name| format!(" {}", backtick(name)));
        let what = match kind {
            KeyKind::Fulltext => "FULLTEXT index",
            KeyKind::Spatial => "SPATIAL index",
            KeyKind::Vector => "VECTOR index",
            _ => "secondary index",
        };
        self.note(at, Some(table), format!("{what}{name} left out"));
    }

    /// Clustering keys are TokuDB's, and each family writes them in its own way.
    fn clustering(&mut self, key: &Clustering, table: &Name) {
        let transform = self.script.transform;
        let Some(storage) = transform.storage else { return };
        if key.word.is_none() && key.option.is_none() {
            return;
        }
        let is_toku = storage.compression_syntax == CompressionSyntax::TokudbRowFormat;
        let as_option = is_toku && transform.family.eq_ignore_ascii_case("mariadb");
        let as_word = is_toku && !as_option;
        if !is_toku {
            let text =
                format!("{} has no clustering keys; the key becomes a plain one", storage.storage);
            self.note(key.keyword, Some(table), text);
        }
        if let Some(word) = key.word.filter(|_| !as_word) {
            self.edits.delete(self.s, word, word + 1);
            self.edits.delete_space_before(self.s, word + 1);
            if as_option && key.option.is_none() {
                self.edits.insert_after(self.s, key.parts_end, " CLUSTERING=YES");
            }
        }
        if let Some((first, end)) = key.option.filter(|_| !as_option) {
            self.edits.delete(self.s, first, end);
            self.edits.delete_space_before(self.s, first);
            if as_word && key.word.is_none() {
                self.edits.insert_before(self.s, key.keyword, "CLUSTERING ");
            }
        }
    }

    /// A key behind ADD; true when it goes.
    pub(super) fn alter_key(&mut self, table: &Name, key: &Key, item: &Item) -> bool {
        if self.strips(key.kind) {
            let mut summary = self.script.catalog.get(table).cloned();
            self.stripped_index(summary.as_mut(), table, item.first, key.kind, key.name.as_deref());
            if let (Some(known), Some(new)) = (self.script.catalog.get_mut(table), summary) {
                *known = new;
            }
            return true;
        }
        self.clustering(&Clustering::from(key), table);
        let summary = self.script.catalog.get(table).cloned();
        self.fit_key(item.first, table, key.kind, &key.parts, summary.as_ref());
        if let Some(summary) = self.script.catalog.get_mut(table) {
            summary.add_written_key(key);
        }
        false
    }

    /// Leaves out a collation that the server does not know.
    fn column_collation(&mut self, table: &Name, column: &Column) {
        let transform = self.script.transform;
        let Some((first, end)) = column.collate.filter(|_| transform.storage.is_some()) else {
            return;
        };
        let collation = self.s.text_of(end - 1);
        if let Some(why) = unknown_collation(transform, &collation) {
            self.edits.delete(self.s, first, end);
            self.edits.delete_space_before(self.s, first);
            let text = format!("COLLATE {collation} of {} left out: {why}", backtick(&column.name));
            self.note(first, Some(table), text);
        }
    }

    /// A column that ALTER TABLE adds or changes.
    pub(super) fn changed_column(&mut self, table: &Name, item: &Item) {
        if let ItemKind::Column(column) = &item.kind {
            self.fit_column(item.first, table, column);
            self.column_collation(table, column);
        }
        if let Some(summary) = self.script.catalog.get_mut(table) {
            summary.add_item(item);
        }
    }

    /// CREATE INDEX; false when it goes.
    pub(super) fn create_index(&mut self, index: &CreateIndex) -> bool {
        if self.strips(index.kind) {
            let mut summary = self.script.catalog.get(&index.table).cloned();
            self.stripped_index(
                summary.as_mut(),
                &index.table,
                index.keyword,
                index.kind,
                Some(&index.name),
            );
            if let (Some(known), Some(new)) = (self.script.catalog.get_mut(&index.table), summary) {
                *known = new;
            }
            return false;
        }
        self.clustering(&Clustering::from(index), &index.table);
        let summary = self.script.catalog.get(&index.table).cloned();
        self.fit_key(index.keyword, &index.table, index.kind, &index.parts, summary.as_ref());
        if let Some(summary) = self.script.catalog.get_mut(&index.table) {
            summary.add_key(index.kind, Some(&index.name), &index.parts);
        }
        true
    }

    /// Whether an index that is dropped was made; takes it out of the catalog.
    pub(super) fn index_is_there(&mut self, table: &Name, name: &str, at: usize) -> bool {
        let Some(summary) = self.script.catalog.get_mut(table) else { return true };
        let stripped = summary.lacks_index(name);
        if stripped {
            let text = format!("DROP INDEX {} left out with the index", backtick(name));
            self.note(at, Some(table), text);
        } else {
            summary.drop_index(name);
        }
        !stripped
    }

    /// DROP INDEX; false when it goes.
    pub(super) fn drop_index(&mut self, name: &str, table: &Name) -> bool {
        self.index_is_there(table, name, 0)
    }

    /// ALTER INDEX; true when it goes, because the index was stripped.
    pub(super) fn alter_index(&mut self, table: &Name, name: &str, at: usize) -> bool {
        let stripped = self.script.catalog.get(table).is_some_and(|table| table.lacks_index(name));
        if stripped {
            let text = format!("ALTER INDEX {} left out with the index", backtick(name));
            self.note(at, Some(table), text);
        }
        stripped
    }

    /// RENAME INDEX; true when it goes, because the index was stripped.
    pub(super) fn rename_index(&mut self, table: &Name, old: &str, new: &str, at: usize) -> bool {
        let Some(summary) = self.script.catalog.get_mut(table) else { return false };
        if let Some(index) =
            summary.indexes.iter_mut().find(|index| index.name.eq_ignore_ascii_case(old))
        {
            index.name = new.to_string();
            return false;
        }
        let stripped = summary.stripped_indexes.iter().any(|index| index.eq_ignore_ascii_case(old));
        if stripped {
            summary.stripped_indexes.push(new.to_string());
            let text = format!("RENAME INDEX {} left out with the index", backtick(old));
            self.note(at, Some(table), text);
        }
        stripped
    }
}
