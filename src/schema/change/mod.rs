//! What transforms do to one statement.

mod engines;
mod fit;
mod foreign_keys;
mod indexes;
mod online;
mod options;
mod program;
mod table;

use super::catalog::Catalog;
use super::edit::{Edits, delete_items};
use super::parse::alter::{AlterTable, PartKind};
use super::parse::items::{Item, ItemKind};
use super::parse::statement::{Name, Statement};
use super::parse::{Parsed, parse};
use super::token::line_ends;
use super::{EngineClause, Note, Transform};

/// What became of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Changed {
    /// It stays as it is.
    Unchanged,
    /// Its new text.
    Text(Vec<u8>),
    /// Nothing is left of it; the comments that stood in it.
    Dropped(Vec<u8>),
}

/// A script under way: what statements before this one did.
pub(crate) struct Script<'t> {
    pub(crate) transform: &'t Transform,
    pub(crate) catalog: Catalog,
    pub(crate) notes: Vec<Note>,
    pub(crate) engines: Vec<EngineClause>,
    pub(crate) no_backslash_escapes: bool,
}

/// One statement under change.
struct Change<'s, 't> {
    s: &'s Statement<'s>,
    edits: Edits,
    /// Line of the first byte of the statement.
    line: u32,
    script: &'s mut Script<'t>,
}

impl<'t> Script<'t> {
    pub(crate) fn new(transform: &'t Transform) -> Self {
        Self {
            transform,
            catalog: Catalog::default(),
            notes: Vec::new(),
            engines: Vec::new(),
            no_backslash_escapes: false,
        }
    }

    /// Transforms one statement that begins on `line`.
    pub(crate) fn change(&mut self, text: &[u8], line: u32) -> Changed {
        let rewritten = self.rewritten(text, line);
        let was_rewritten = rewritten.is_some();
        let text = rewritten.as_deref().unwrap_or(text);
        let s = Statement::new(text, self.no_backslash_escapes);
        let noted = self.notes.len();
        let mut change = Change { s: &s, edits: Edits::default(), line, script: self };
        let keep = change.statement(0, s.len());
        let edits = change.edits;
        self.notes[noted..].sort_by_key(|note| note.line);
        if !keep {
            return Changed::Dropped(comments_of(&s));
        }
        match (edits.is_empty(), was_rewritten) {
            (true, false) => Changed::Unchanged,
            (true, true) => Changed::Text(text.to_vec()),
            (false, _) => Changed::Text(edits.apply(&s)),
        }
    }

    /// The statement after the rewrites that concern its table; none where nothing changed.
    fn rewritten(&mut self, text: &[u8], line: u32) -> Option<Vec<u8>> {
        if self.transform.rewrites.is_empty() {
            return None;
        }
        let s = Statement::new(text, self.no_backslash_escapes);
        let table = match parse(&s, 0, s.len()) {
            Parsed::CreateTable(table) => table.name.object,
            Parsed::AlterTable(alter) => alter.name.object,
            Parsed::CreateIndex(index) => index.table.object,
            _ => return None,
        };
        let mut current: Option<Vec<u8>> = None;
        for rewrite in self.transform.rewrites.iter().filter(|rewrite| rewrite.concerns(&table)) {
            match rewrite.apply(current.as_deref().unwrap_or(text)) {
                Ok(None) => {}
                Ok(Some(new)) => current = Some(new),
                Err(text) => {
                    self.notes.push(Note { line, table: Some(table.clone()), text, refused: true });
                }
            }
        }
        current
    }
}

/// The ordinary comments of a statement, one after another.
fn comments_of(s: &Statement<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    for token in s.tokens.iter().filter(|token| token.is_comment()) {
        out.extend_from_slice(&s.text[token.start..token.end]);
        out.push(b'\n');
    }
    out
}

impl Change<'_, '_> {
    /// Changes the statement in `at..end`; false when nothing of it is left.
    fn statement(&mut self, at: usize, end: usize) -> bool {
        match parse(self.s, at, end) {
            Parsed::CreateTable(table) => {
                self.part_comments(&table.name);
                self.create_table(&table);
                true
            }
            Parsed::AlterTable(alter) => {
                self.part_comments(&alter.name);
                self.alter_table(&alter)
            }
            Parsed::CreateIndex(index) => {
                self.online_clauses(index.parts_end, end, &index.table);
                self.create_index(&index)
            }
            Parsed::DropIndex { name, table } => {
                self.online_clauses(table.last + 1, end, &table);
                self.drop_index(&name, &table)
            }
            Parsed::DropTable(names) => {
                for name in &names {
                    self.script.catalog.drop(name);
                }
                true
            }
            Parsed::RenameTable(pairs) => {
                for (from, to) in &pairs {
                    self.script.catalog.rename(from, to);
                }
                true
            }
            Parsed::Engines(clauses) => {
                self.swap_engines(&clauses, None);
                true
            }
            Parsed::Sequence { name, created, engines } => {
                self.sequence(&name, created, &engines, end);
                true
            }
            Parsed::Set(set) => {
                for value in set.engines {
                    self.swap_engine_value(value, None);
                }
                for value in set.temporary_engines {
                    self.swap_temporary_engine(value);
                }
                // What SET STATEMENT sets is undone when its statement ends.
                match (set.statement, set.no_backslash_escapes) {
                    (Some(inner), _) => return self.statement(inner, end),
                    (None, Some(on)) => self.script.no_backslash_escapes = on,
                    (None, None) => {}
                }
                true
            }
            Parsed::Use(name) => {
                self.script.catalog.database = Some(name);
                true
            }
            Parsed::Program(body) => {
                let later = self.s.is(at, "CREATE");
                self.program(body, end, later);
                true
            }
            Parsed::Other => {
                self.not_understood(at);
                true
            }
        }
    }

    /// A statement that makes or changes a table in a form that is not known: what it is made of
    /// must not pass unseen.
    fn not_understood(&mut self, at: usize) {
        let transform = self.script.transform;
        if transform.storage.is_none() && !transform.strip_foreign_keys {
            return;
        }
        let modifiers = ["OR", "REPLACE", "TEMPORARY", "ONLINE", "OFFLINE", "IGNORE"];
        let mut words = at + 1..self.s.len();
        let table = words.find(|&at| !self.s.is_any(at, &modifiers)).unwrap_or(at);
        if self.s.is_any(at, &["CREATE", "ALTER"]) && self.s.is(table, "TABLE") {
            let text = "this statement is not understood and passes through as it is, with \
                        whatever engine and keys it has";
            self.refuse(at, None, text);
        }
    }

    /// The line of a position.
    fn line_at(&self, at: usize) -> u32 {
        let before = &self.s.text[..self.s.offset(at)];
        self.line + line_ends(before)
    }

    fn note(&mut self, at: usize, table: Option<&Name>, text: impl Into<String>) {
        self.remark(at, table, text.into(), false);
    }

    fn refuse(&mut self, at: usize, table: Option<&Name>, text: impl Into<String>) {
        self.remark(at, table, text.into(), true);
    }

    fn remark(&mut self, at: usize, table: Option<&Name>, text: String, refused: bool) {
        let line = self.line_at(at);
        let table = table.map(|name| name.object.clone());
        self.script.notes.push(Note { line, table, text, refused });
    }

    fn rename_column(&mut self, table: &Name, old: &str, new: &str) {
        if let Some(summary) = self.script.catalog.get_mut(table) {
            summary.rename_column(old, new);
        }
    }

    fn alter_table(&mut self, alter: &AlterTable) -> bool {
        self.own_primary_key(alter);
        let mut removed = vec![false; alter.parts.len()];
        for (number, part) in alter.parts.iter().enumerate() {
            removed[number] = match &part.kind {
                PartKind::Add(item) => self.alter_item(alter, item, ", ADD KEY"),
                PartKind::AddList(items) => {
                    let gone: Vec<bool> =
                        items.iter().map(|item| self.alter_item(alter, item, ", KEY")).collect();
                    let all = !gone.is_empty() && gone.iter().all(|gone| *gone);
                    if !all {
                        let places: Vec<_> = items.iter().map(|i| (i.first, i.end)).collect();
                        delete_items(&mut self.edits, self.s, &places, &gone);
                    }
                    all
                }
                PartKind::Change(old, item) => {
                    if let (Some(old), ItemKind::Column(new)) = (old, &item.kind) {
                        self.rename_column(&alter.name, old, &new.name);
                    }
                    self.changed_column(&alter.name, item);
                    self.altered_reference(&alter.name, item, None);
                    false
                }
                PartKind::RenameColumn(old, new) => {
                    self.rename_column(&alter.name, old, new);
                    false
                }
                PartKind::DropForeignKey(name) => {
                    self.drop_foreign_key(&alter.name, name, part.first)
                }
                PartKind::DropConstraint(name) => {
                    self.drop_constraint(&alter.name, name, part.first)
                }
                PartKind::DropIndex(name) => !self.index_is_there(&alter.name, name, part.first),
                PartKind::AlterIndex(name) => self.alter_index(&alter.name, name, part.first),
                PartKind::RenameIndex(old, new) => {
                    self.rename_index(&alter.name, old, new, part.first)
                }
                PartKind::DropPrimaryKey => {
                    if let Some(table) = self.script.catalog.get_mut(&alter.name) {
                        table.drop_index("PRIMARY");
                    }
                    false
                }
                PartKind::DropColumn(column) => {
                    if let Some(table) = self.script.catalog.get_mut(&alter.name) {
                        table.drop_column(column);
                    }
                    false
                }
                PartKind::Options(clauses) => self.alter_options(alter, clauses),
                PartKind::Other => self.other_part(alter, part),
                PartKind::Rename(_) => false,
            };
        }
        self.online_word(&alter.name);
        self.partition_options(&alter.partitions, &alter.name);
        for part in &alter.parts {
            if let PartKind::Rename(to) = &part.kind {
                self.script.catalog.rename(&alter.name, to);
            }
        }
        if !removed.is_empty() && removed.iter().all(|gone| *gone) {
            return false;
        }
        let places: Vec<_> = alter.parts.iter().map(|part| (part.first, part.end)).collect();
        delete_items(&mut self.edits, self.s, &places, &removed);
        true
    }

    /// An item behind ADD; true when it goes. `add_key` is how a key is added behind it.
    fn alter_item(&mut self, alter: &AlterTable, item: &Item, add_key: &str) -> bool {
        match &item.kind {
            ItemKind::ForeignKey(key) => self.alter_foreign_key(&alter.name, key, item),
            ItemKind::Key(key) => self.alter_key(&alter.name, key, item),
            ItemKind::Column(_) => {
                self.changed_column(&alter.name, item);
                self.altered_reference(&alter.name, item, Some(add_key));
                false
            }
            ItemKind::Like | ItemKind::Other => false,
        }
    }
}
