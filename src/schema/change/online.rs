//! What statements say about how they shall be carried out: engines take it for online changes of
//! tables, and others refuse it. While a schema is made tables are empty, so nothing is lost.

use super::Change;
use crate::engine::CompressionSyntax;
use crate::schema::parse::alter::{AlterTable, Part};
use crate::schema::parse::statement::Name;
use crate::schema::row_format::is_mariadb;

impl Change<'_, '_> {
    /// Whether the target engine takes every wish for an online change.
    fn changes_online(&self) -> bool {
        let storage = self.script.transform.storage;
        storage.is_none_or(|s| s.compression_syntax == CompressionSyntax::InnodbTableOption)
    }

    /// A part of ALTER TABLE that changes neither columns nor options; true when it goes.
    pub(super) fn other_part(&mut self, alter: &AlterTable, part: &Part) -> bool {
        let s = self.s;
        if s.are(part.first, &["EXCHANGE", "PARTITION"])
            && let Some(storage) = self.script.transform.storage
            && !storage.ddl.exchange_partitions
        {
            let text = format!("{} cannot exchange partitions", storage.storage);
            self.refuse(part.first, Some(&alter.name), text);
            return false;
        }
        let Some(value) = self.wish(part.first, false) else { return false };
        self.wish_left_out(part.first, value, &alter.name);
        true
    }

    /// ALTER ONLINE TABLE, whose table's name this is: the word goes where the engine may refuse it.
    pub(super) fn online_word(&mut self, table: &Name) {
        if self.changes_online() {
            return;
        }
        // IGNORE, TABLE, IF EXISTS and itself stand before the name.
        let from = table.first.saturating_sub(5);
        if let Some(word) = (from..table.first).find(|&at| self.s.is(at, "ONLINE")) {
            self.edits.delete(self.s, word, word + 1);
            self.edits.delete_space_before(self.s, word + 1);
            self.wish_left_out(word, word, table);
        }
    }

    /// ALGORITHM and LOCK behind CREATE INDEX or DROP INDEX.
    pub(super) fn online_clauses(&mut self, from: usize, end: usize, table: &Name) {
        let is_drop = from == table.last + 1;
        for at in from..end {
            if let Some(value) = self.wish(at, is_drop) {
                self.edits.delete(self.s, at, value + 1);
                self.edits.delete_space_before(self.s, at);
                self.wish_left_out(at, value, table);
            }
        }
    }

    /// The position of the value of an ALGORITHM or LOCK clause that the target may refuse. MariaDB
    /// has none in DROP INDEX.
    fn wish(&self, at: usize, drop_index: bool) -> Option<usize> {
        let s = self.s;
        if !s.is_any(at, &["ALGORITHM", "LOCK"]) {
            return None;
        }
        let unknown = drop_index && is_mariadb(self.script.transform);
        if self.script.transform.storage.is_none() || self.changes_online() && !unknown {
            return None;
        }
        let value = if s.mark(at + 1, b'=') { at + 2 } else { at + 1 };
        let always = s.is_any(value, &["DEFAULT", "COPY", "SHARED", "EXCLUSIVE"]);
        (unknown || !always).then_some(value)
    }

    fn wish_left_out(&mut self, first: usize, last: usize, table: &Name) {
        let words: Vec<String> = (first..=last)
            .filter(|&at| !self.s.mark(at, b'='))
            .map(|at| self.s.text_of(at).to_ascii_uppercase())
            .collect();
        let engine = self.script.transform.storage.map_or("the target", |s| s.storage);
        let text = format!("{} left out: {engine} may refuse it", words.join(" "));
        self.note(first, Some(table), text);
    }
}
