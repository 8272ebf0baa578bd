//! What the target engine cannot take, found before a server does.

use super::Change;
use crate::engine::{CompressionSyntax, EngineSpec};
use crate::schema::catalog::{KeyKind, TableSummary};
use crate::schema::column_size::{Size, key_bytes, row_in_page, size};
use crate::schema::parse::items::{Column, KeyPart};
use crate::schema::parse::statement::Name;
use crate::schema::parse::table::CreateTable;
use crate::schema::row_format::is_mariadb;

impl Change<'_, '_> {
    /// Reports what the engine cannot take of a new table as a whole.
    pub(super) fn fit_table(&mut self, table: &CreateTable, summary: &TableSummary) {
        let Some(storage) = self.script.transform.storage else { return };
        if table.temporary && !storage.ddl.temporary_tables {
            let text = format!("{} has no temporary tables", storage.storage);
            self.refuse(table.name.first, Some(&table.name), text);
        }
        let limit = storage.ddl.row_bytes;
        let row = row_in_page(summary.columns.iter(), summary.charset.as_deref());
        if limit > 0 && row > limit {
            let text = format!(
                "a row takes {row} bytes of its page, {} allows {limit}; `rewrite` can make some \
                 columns TEXT",
                storage.storage
            );
            self.refuse(table.name.first, Some(&table.name), text);
        }
        self.fit_auto_increment(table.name.first, &table.name, summary, storage);
    }

    fn fit_auto_increment(
        &mut self,
        at: usize,
        name: &Name,
        summary: &TableSummary,
        storage: &EngineSpec,
    ) {
        let Some(auto) = summary.columns.iter().find(|column| column.auto_increment) else {
            return;
        };
        let in_key = |first_only: bool| {
            summary.indexes.iter().any(|index| {
                let looked = if first_only { 1 } else { index.columns.len() };
                let mut columns = index.columns.iter().take(looked);
                columns.any(|column| column.eq_ignore_ascii_case(&auto.name))
            })
        };
        if !storage.ddl.late_auto_increment && in_key(false) && !in_key(true) {
            let text = format!(
                "{} wants the AUTO_INCREMENT column {} first in a key; `rewrite` can add one",
                storage.storage, auto.name
            );
            self.refuse(at, Some(name), text);
        }
    }

    /// Reports what the engine cannot take of a column.
    pub(super) fn fit_column(&mut self, at: usize, table: &Name, column: &Column) {
        let Some(storage) = self.script.transform.storage else { return };
        let engine = storage.storage;
        let name = &column.name;
        if column.generated && !storage.ddl.generated_columns {
            let text =
                format!("{engine} has no generated columns; `rewrite` can make {name} a plain one");
            self.refuse(at, Some(table), text);
        }
        match size(column, None) {
            Size::Blob if !storage.blobs => {
                let text = format!(
                    "{engine} has no TEXT, BLOB or JSON columns; `rewrite` can make {name} a VARCHAR"
                );
                self.refuse(at, Some(table), text);
            }
            Size::Geometry if !storage.spatial => {
                let text =
                    format!("{engine} has no geometry columns; `rewrite` can make {name} a BLOB");
                self.refuse(at, Some(table), text);
            }
            _ => {}
        }
    }

    /// Reports what the engine cannot take of an index.
    pub(super) fn fit_key(
        &mut self,
        at: usize,
        table: &Name,
        kind: KeyKind,
        parts: &[KeyPart],
        summary: Option<&TableSummary>,
    ) {
        let Some(storage) = self.script.transform.storage else { return };
        let engine = storage.storage;
        match kind {
            KeyKind::Fulltext if !storage.fulltext => {
                let text =
                    format!("{engine} has no FULLTEXT indexes; `strip fulltext` leaves them out");
                return self.refuse(at, Some(table), text);
            }
            KeyKind::Spatial if !storage.spatial => {
                let text =
                    format!("{engine} has no SPATIAL indexes; `strip spatial` leaves them out");
                return self.refuse(at, Some(table), text);
            }
            KeyKind::Fulltext | KeyKind::Spatial | KeyKind::Vector => return,
            KeyKind::Primary | KeyKind::Unique | KeyKind::Plain => {}
        }
        if !storage.ddl.descending_keys
            && is_mariadb(self.script.transform)
            && parts.iter().any(|part| part.descending)
        {
            let text =
                format!("{engine} has no descending index columns; `rewrite` can take DESC out");
            self.refuse(at, Some(table), text);
        }
        if let Some(summary) = summary {
            self.fit_virtual(at, table, parts, summary, storage);
            self.fit_key_length(at, table, kind, parts, summary, storage);
        }
    }

    fn fit_virtual(
        &mut self,
        at: usize,
        table: &Name,
        parts: &[KeyPart],
        summary: &TableSummary,
        storage: &EngineSpec,
    ) {
        if storage.ddl.virtual_indexes || !storage.ddl.generated_columns {
            return;
        }
        let mut columns = parts.iter().filter_map(|part| summary.column(&part.column));
        if let Some(column) = columns.find(|column| column.generated && !column.stored) {
            let text = format!(
                "{} has no indexes on virtual columns; `rewrite` can make {} STORED",
                storage.storage, column.name
            );
            self.refuse(at, Some(table), text);
        }
    }

    /// Measured: a plain key whose column is too long is shortened with a note, any other key is
    /// an error, but that a unique one can become a hash.
    fn fit_key_length(
        &mut self,
        at: usize,
        table: &Name,
        kind: KeyKind,
        parts: &[KeyPart],
        summary: &TableSummary,
        storage: &EngineSpec,
    ) {
        let charset = summary.charset.as_deref();
        let longest_part = part_limit(storage, summary);
        let longest = storage.ddl.key_bytes;
        let more = storage.ddl.longer_keys.map_or_else(
            || "a prefix (by `rewrite`) or another character set makes it shorter".to_string(),
            |way| format!("{way}, or `rewrite` makes it a prefix"),
        );
        let mut total = 0_u64;
        let mut over = None;
        let mut whole_blob = false;
        for part in parts {
            let Some(column) = summary.column(&part.column) else { continue };
            whole_blob |= size(column, charset) == Size::Blob && part.prefix.is_none();
            let Some(bytes) = key_bytes(column, part.prefix, charset) else { continue };
            if bytes > longest_part {
                over = over.or(Some((column.name.clone(), bytes)));
            }
            let counted = if kind == KeyKind::Plain { bytes.min(longest_part) } else { bytes };
            total = total.saturating_add(counted);
        }
        let engine = storage.storage;
        let hashed = kind == KeyKind::Unique && is_mariadb(self.script.transform);
        if hashed && (whole_blob || over.is_some() || total > longest) {
            if !storage.ddl.unique_hash {
                let text = format!(
                    "{engine} has no unique keys over columns longer than {} bytes; {more}",
                    longest_part.min(longest)
                );
                self.refuse(at, Some(table), text);
            }
        } else if total > longest {
            let text = format!("a key takes {total} bytes, {engine} allows {longest}; {more}");
            self.refuse(at, Some(table), text);
        } else if let Some((column, bytes)) = over {
            let text = format!(
                "column {column} takes {bytes} bytes of a key, {engine} allows {longest_part}"
            );
            if kind == KeyKind::Plain {
                self.note(at, Some(table), format!("{text}: the server shortens the index"));
            } else {
                self.refuse(at, Some(table), format!("{text}; {more}"));
            }
        }
    }
}

/// Longest column of a key. InnoDB's old row formats keep 767 bytes.
fn part_limit(storage: &EngineSpec, summary: &TableSummary) -> u64 {
    let old = summary.row_format.as_deref().is_some_and(|format| {
        format.eq_ignore_ascii_case("COMPACT") || format.eq_ignore_ascii_case("REDUNDANT")
    });
    if old && storage.compression_syntax == CompressionSyntax::InnodbTableOption {
        767
    } else {
        storage.ddl.key_part_bytes
    }
}
