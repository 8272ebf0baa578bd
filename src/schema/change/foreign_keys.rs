//! Foreign keys, and the indexes that they imply.

use super::Change;
use crate::engine::ForeignKeys;
use crate::schema::catalog::{KeyKind, TableSummary};
use crate::schema::parse::items::{ForeignKey, Item, ItemKind, KeyPart};
use crate::schema::parse::statement::Name;
use crate::schema::parse::table::CreateTable;
use crate::schema::token::backtick;
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// A foreign key that a CREATE TABLE states.
struct Stated {
    /// Which item.
    item: usize,
    columns: Vec<KeyPart>,
    /// The name of the key, and of the index that it implies.
    name: Option<String>,
    /// `REFERENCES` of a column: positions of the clause.
    inline: Option<(usize, usize)>,
    /// The server really makes an index for it.
    implies_index: bool,
}

/// A comment with a hyphen between the words FOREIGN and KEY; none where they do not stand in it.
fn joined(comment: &[u8]) -> Option<String> {
    static WORDS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?i)(FOREIGN)\s+(KEY)").expect("it is well formed"));
    let text = std::str::from_utf8(comment).ok()?;
    match WORDS.replace_all(text, "$1-$2") {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => Some(text),
    }
}

impl ForeignKey {
    fn index_name(&self) -> Option<String> {
        self.constraint.clone().or_else(|| self.name.clone())
    }
}

impl Change<'_, '_> {
    /// Foreign keys of a CREATE TABLE whose other keys are in `summary`; marks items that go.
    pub(super) fn created_foreign_keys(
        &mut self,
        table: &CreateTable,
        summary: &mut TableSummary,
        removed: &mut [bool],
    ) {
        let stated = self.stated_foreign_keys(table);
        let implying: Vec<_> = stated.iter().filter(|key| key.implies_index).collect();
        let columns: Vec<_> = implying.iter().map(|key| key.columns.as_slice()).collect();
        let mut implied = summary.implied(&columns).into_iter();
        let needs: Vec<bool> =
            stated.iter().map(|key| key.implies_index && implied.next().unwrap_or(false)).collect();
        for (key, needs_index) in stated.iter().zip(needs) {
            let item = &table.items[key.item];
            let at = key.inline.map_or(item.first, |(first, _)| first);
            if !self.script.transform.strip_foreign_keys {
                self.kept_foreign_key(&table.name, at, key.inline.is_some());
                summary.foreign_keys.push(key.name.clone());
                if needs_index {
                    summary.add_key(KeyKind::Plain, key.name.as_deref(), &key.columns);
                }
                continue;
            }
            self.stripped(
                Some(summary),
                &table.name,
                at,
                key.name.as_deref(),
                &key.columns,
                needs_index,
            );
            let explicit = needs_index && self.keeps_indexes();
            match (key.inline, explicit) {
                (Some((first, end)), _) => {
                    self.edits.delete(self.s, first, end);
                    self.edits.delete_space_before(self.s, first);
                    if let Some(part) = key.columns.first().filter(|_| explicit) {
                        let text = format!(", KEY ({})", backtick(&part.column));
                        self.edits.insert_after(self.s, item.end, &text);
                    }
                }
                (None, true) => self.write_key(item, key.name.as_deref()),
                (None, false) => removed[key.item] = true,
            }
        }
    }

    /// Comments that speak of foreign keys. Measured: MyRocks looks for FOREIGN KEY in the text of a
    /// statement, comments included, and refuses it.
    pub(super) fn part_comments(&mut self, table: &Name) {
        let Some(storage) = self.script.transform.storage else { return };
        if storage.foreign_keys != ForeignKeys::Refused {
            return;
        }
        let mut changed = false;
        for (index, token) in self.s.tokens.iter().enumerate().filter(|(_, t)| t.is_comment()) {
            if let Some(text) = joined(&self.s.text[token.start..token.end]) {
                self.edits.replace_token(index, text);
                changed = true;
            }
        }
        if changed {
            let text = format!(
                "FOREIGN KEY in a comment becomes FOREIGN-KEY: {} takes it for a key",
                storage.storage
            );
            self.note(table.first, Some(table), text);
        }
    }

    /// Whether an index that a stripped key implied is made explicit. Where all secondary indexes
    /// go, this one goes too.
    fn keeps_indexes(&self) -> bool {
        let transform = self.script.transform;
        transform.keep_foreign_key_indexes && !transform.strip_secondary_indexes
    }

    fn stated_foreign_keys(&self, table: &CreateTable) -> Vec<Stated> {
        let mut stated = Vec::new();
        for (number, item) in table.items.iter().enumerate() {
            match &item.kind {
                ItemKind::ForeignKey(key) => stated.push(Stated {
                    item: number,
                    columns: key.columns.clone(),
                    name: key.index_name(),
                    inline: None,
                    implies_index: true,
                }),
                ItemKind::Column(column) if column.references.is_some() => stated.push(Stated {
                    item: number,
                    columns: vec![KeyPart::whole(&column.name)],
                    name: None,
                    inline: column.references,
                    implies_index: self.inline_keys_count(),
                }),
                _ => {}
            }
        }
        stated
    }

    /// Whether REFERENCES in a column makes a foreign key: MariaDB since 10.5; MySQL passes it
    /// over until 9.0.
    fn inline_keys_count(&self) -> bool {
        self.script.transform.family.eq_ignore_ascii_case("mariadb")
    }

    /// A foreign key that stays, at a position: says what the engine makes of it.
    fn kept_foreign_key(&mut self, table: &Name, at: usize, inline: bool) {
        let Some(storage) = self.script.transform.storage else { return };
        match storage.foreign_keys {
            ForeignKeys::Enforced => {}
            // Measured: REFERENCES in a column is passed over without an error.
            ForeignKeys::Refused if inline => {
                let text = format!(
                    "{} passes over this foreign key without a word; `strip foreign_keys` makes that plain",
                    storage.storage
                );
                self.note(at, Some(table), text);
            }
            ForeignKeys::Refused => {
                let text = format!(
                    "{} refuses foreign keys; `strip foreign_keys` leaves them out",
                    storage.storage
                );
                self.refuse(at, Some(table), text);
            }
            ForeignKeys::DroppedSilently => {
                let text = format!(
                    "{} drops foreign keys without a word; `strip foreign_keys` makes that plain",
                    storage.storage
                );
                self.note(at, Some(table), text);
            }
        }
    }

    /// Notes that a foreign key goes and what becomes of its index; keeps `summary` in step.
    fn stripped(
        &mut self,
        summary: Option<&mut TableSummary>,
        table: &Name,
        at: usize,
        name: Option<&str>,
        columns: &[KeyPart],
        needs_index: bool,
    ) {
        let keep = self.keeps_indexes();
        let list = columns.iter().map(|part| part.column.as_str()).collect::<Vec<_>>().join(", ");
        let known = summary.is_some();
        if let Some(summary) = summary {
            if let Some(name) = name {
                summary.stripped_keys.push(name.to_string());
            }
            if needs_index && keep {
                summary.add_key(KeyKind::Plain, name, columns);
            } else if needs_index
                && let Some(index) = name.or(columns.first().map(|part| part.column.as_str()))
            {
                summary.stripped_indexes.push(index.to_string());
            }
        }
        let index = match (needs_index, keep) {
            (false, _) => "it implied no index of its own",
            (true, true) if known => "the index that it implied is made explicit",
            (true, true) => {
                "its index is made explicit; the table is not in this script, so another index may serve the same columns"
            }
            (true, false) => "the index that it implied goes with it",
        };
        let name = name.map_or_else(
            || "a foreign key".to_string(),
            |name| format!("foreign key {}", backtick(name)),
        );
        self.note(at, Some(table), format!("{name} on ({list}) left out; {index}"));
    }

    /// Writes a plain key in place of a foreign one.
    fn write_key(&mut self, item: &Item, name: Option<&str>) {
        let ItemKind::ForeignKey(key) = &item.kind else { return };
        let mut text = "KEY ".to_string();
        if let Some(name) = name {
            text.push_str(&backtick(name));
            text.push(' ');
        }
        for at in key.list.0..key.list.1 {
            text.push_str(&String::from_utf8_lossy(self.s.raw(at)));
            if self.s.mark(at, b',') {
                text.push(' ');
            }
        }
        self.edits.delete(self.s, item.first, item.end);
        self.edits.replace(self.s, item.first, text);
    }

    /// A foreign key behind ADD; true when it goes and nothing comes in its place.
    pub(super) fn alter_foreign_key(
        &mut self,
        table: &Name,
        key: &ForeignKey,
        item: &Item,
    ) -> bool {
        let transform = self.script.transform;
        let needs_index =
            self.script.catalog.get(table).is_none_or(|table| !table.covers(&key.columns));
        let name = key.index_name();
        if !transform.strip_foreign_keys {
            self.kept_foreign_key(table, item.first, false);
            if let Some(summary) = self.script.catalog.get_mut(table) {
                summary.foreign_keys.push(name.clone());
                if needs_index {
                    summary.add_key(KeyKind::Plain, name.as_deref(), &key.columns);
                }
            }
            return false;
        }
        let mut summary = self.script.catalog.get(table).cloned();
        self.stripped(
            summary.as_mut(),
            table,
            item.first,
            name.as_deref(),
            &key.columns,
            needs_index,
        );
        if let (Some(known), Some(new)) = (self.script.catalog.get_mut(table), summary) {
            *known = new;
        }
        if needs_index && self.keeps_indexes() {
            self.write_key(item, name.as_deref());
            return false;
        }
        true
    }

    /// REFERENCES in a column that ALTER TABLE adds or changes. `add_key` is how a key is added
    /// behind it; none where no server makes a key of it.
    pub(super) fn altered_reference(&mut self, table: &Name, item: &Item, add_key: Option<&str>) {
        let ItemKind::Column(column) = &item.kind else { return };
        let Some((first, end)) = column.references else { return };
        let part = [KeyPart::whole(&column.name)];
        let implies = add_key.is_some() && self.inline_keys_count();
        let needs_index =
            implies && self.script.catalog.get(table).is_none_or(|table| !table.covers(&part));
        let transform = self.script.transform;
        let mut summary = self.script.catalog.get(table).cloned();
        if transform.strip_foreign_keys {
            self.edits.delete(self.s, first, end);
            self.edits.delete_space_before(self.s, first);
            self.stripped(summary.as_mut(), table, first, None, &part, needs_index);
            if let Some(add_key) = add_key.filter(|_| needs_index && self.keeps_indexes()) {
                // A place for the new column (FIRST, AFTER x) belongs to it.
                let text = format!("{add_key} ({})", backtick(&column.name));
                self.edits.insert_after(self.s, item.end, &text);
            }
        } else {
            self.kept_foreign_key(table, first, true);
            if let Some(summary) = &mut summary {
                summary.foreign_keys.push(None);
                if needs_index {
                    summary.add_key(KeyKind::Plain, None, &part);
                }
            }
        }
        if let (Some(known), Some(new)) = (self.script.catalog.get_mut(table), summary) {
            *known = new;
        }
    }

    /// DROP FOREIGN KEY; true when it goes, because the key was never made.
    pub(super) fn drop_foreign_key(&mut self, table: &Name, name: &str, at: usize) -> bool {
        if self.script.transform.strip_foreign_keys {
            let text = format!("DROP FOREIGN KEY {} left out with the key", backtick(name));
            self.note(at, Some(table), text);
            return true;
        }
        if let Some(summary) = self.script.catalog.get_mut(table) {
            summary.foreign_keys.retain(|key| key.as_deref() != Some(name));
        }
        false
    }

    /// DROP CONSTRAINT; true when it names a foreign key that was stripped.
    pub(super) fn drop_constraint(&mut self, table: &Name, name: &str, at: usize) -> bool {
        let is_key = self.script.catalog.get(table).is_some_and(|table| {
            table.stripped_keys.iter().any(|key| key.eq_ignore_ascii_case(name))
        });
        if is_key {
            let text = format!("DROP CONSTRAINT {} left out with the key", backtick(name));
            self.note(at, Some(table), text);
        } else if let Some(summary) = self.script.catalog.get_mut(table) {
            summary.foreign_keys.retain(|key| key.as_deref() != Some(name));
            summary.drop_index(name);
        }
        is_key
    }
}
