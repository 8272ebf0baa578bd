//! Table options: engine, row format, character set, and what the new engine or family refuses.

use super::Change;
use crate::engine::CompressionSyntax;
use crate::schema::edit::delete_items;
use crate::schema::option_rules::{Verdict, verdict};
use crate::schema::parse::alter::AlterTable;
use crate::schema::parse::options::OptionClause;
use crate::schema::parse::statement::Name;
use crate::schema::parse::table::CreateTable;
use crate::schema::row_format::{self, Wanted};

/// What becomes of the options of a table.
struct Outcome {
    /// Which clauses go.
    removed: Vec<bool>,
    /// Text to add.
    added: String,
    /// Row format as information_schema shows it.
    shown: Option<String>,
}

impl Change<'_, '_> {
    /// Options of a CREATE TABLE. Gives the row format that information_schema must show.
    pub(super) fn create_options(&mut self, table: &CreateTable) -> Option<String> {
        let transform = self.script.transform;
        let mut outcome = self.weigh(&table.options, &table.name, true);
        let has = |name: &str| table.options.iter().any(|clause| clause.name == name);
        let mut added = String::new();
        if let Some(storage) = transform.storage
            && !table
                .options
                .iter()
                .any(|clause| clause.name == "ENGINE" && self.surely_runs(clause))
        {
            added = format!(" ENGINE={}", storage.storage);
        }
        added.push_str(&outcome.added);
        if let Some((charset, collation)) = &transform.charset {
            let stated = table.options.iter().find(|clause| clause.name == "CHARSET");
            let same = stated
                .is_some_and(|clause| self.s.text_of(clause.value).eq_ignore_ascii_case(charset));
            if !has("COLLATE") && (stated.is_none() || same) {
                if stated.is_none() {
                    added.extend([" DEFAULT CHARSET=", charset]);
                }
                added.extend([" COLLATE=", collation]);
            }
        }
        if !added.is_empty() {
            self.edits.insert_after(self.s, table.options_at, &added);
        }
        let last = table.options.len();
        if last > 0 && outcome.removed.iter().any(|gone| *gone) {
            self.remove_options(&table.options, &outcome.removed);
        }
        outcome.shown.take()
    }

    /// Options in one part of an ALTER TABLE; true when none of them is left.
    pub(super) fn alter_options(&mut self, alter: &AlterTable, clauses: &[OptionClause]) -> bool {
        let outcome = self.weigh(clauses, &alter.name, false);
        if outcome.removed.iter().all(|gone| *gone) {
            return true;
        }
        self.remove_options(clauses, &outcome.removed);
        if let (Some(shown), Some(table)) =
            (outcome.shown, self.script.catalog.get_mut(&alter.name))
        {
            table.row_format = Some(shown);
        }
        if let Some(storage) = self.script.transform.storage
            && let Some(table) = self.script.catalog.get_mut(&alter.name)
        {
            table.storage = Some(storage.storage.to_string());
        }
        false
    }

    /// Options of partitions.
    pub(super) fn partition_options(&mut self, clauses: &[OptionClause], table: &Name) {
        self.swap_engines(clauses, Some(table));
        for clause in clauses {
            if let Verdict::Drop(why) = self.verdict_of(clause) {
                self.edits.delete(self.s, clause.first, clause.end);
                self.edits.delete_space_before(self.s, clause.first);
                self.note(
                    clause.first,
                    Some(table),
                    format!("{} of a partition left out: {why}", clause.name),
                );
            }
        }
    }

    fn verdict_of(&self, clause: &OptionClause) -> Verdict {
        let value = self.s.text_of(clause.value);
        verdict(self.script.transform, &clause.name, &value)
    }

    /// Whether every server executes a clause: it may stand in a conditional comment.
    fn surely_runs(&self, clause: &OptionClause) -> bool {
        self.s.token(clause.value).is_some_and(|token| token.region == 0)
            || self.s.token(0).is_some_and(|token| token.region != 0)
    }

    fn weigh(&mut self, clauses: &[OptionClause], table: &Name, create: bool) -> Outcome {
        self.swap_engines(clauses, Some(table));
        let wanted = row_format::wanted(self.script.transform);
        if let Some(refusal) = wanted.as_ref().and_then(|wanted| wanted.refusal.clone()) {
            let at = clauses.first().map_or(table.first, |clause| clause.first);
            self.refuse(at, Some(table), refusal);
        }
        let mut removed = vec![false; clauses.len()];
        let mut shown = None;
        for (number, clause) in clauses.iter().enumerate() {
            let decided = wanted.as_ref().filter(|wanted| wanted.refusal.is_none());
            if let Some(decided) = decided
                && decided.replaces.contains(&clause.name.as_str())
            {
                removed[number] = self.replaced(clause, decided, table);
                continue;
            }
            if self.tokudb_clause(clause) {
                shown = row_format::tokudb_shown(&self.s.text_of(clause.value));
                continue;
            }
            match self.verdict_of(clause) {
                Verdict::Keep => {
                    if clause.name == "ROW_FORMAT" && !self.s.is(clause.value, "DEFAULT") {
                        let format = self.s.text_of(clause.value);
                        shown = row_format::shown(self.script.transform.storage, &format);
                    }
                }
                Verdict::Drop(why) => {
                    removed[number] = true;
                    let text =
                        format!("{} {} left out: {why}", clause.name, self.s.text_of(clause.value));
                    self.note(clause.first, Some(table), text);
                }
            }
        }
        let mut added = String::new();
        if let Some(wanted) = wanted.filter(|wanted| wanted.refusal.is_none()) {
            for (name, value) in &wanted.clauses {
                let stated = clauses
                    .iter()
                    .zip(&removed)
                    .any(|(clause, gone)| clause.name == *name && !gone);
                if create && !stated {
                    added.extend([" ", name, "=", value]);
                }
            }
            if create || !wanted.clauses.is_empty() {
                shown = wanted.shown;
            }
        }
        Outcome { removed, added, shown }
    }

    /// An option that the transform decides; true when it goes.
    fn replaced(&mut self, clause: &OptionClause, wanted: &Wanted, table: &Name) -> bool {
        let Some((_, value)) = wanted.clauses.iter().find(|(name, _)| *name == clause.name) else {
            let text = format!(
                "{} {} left out: the row format or compression asked for takes its place",
                clause.name,
                self.s.text_of(clause.value)
            );
            self.note(clause.first, Some(table), text);
            return true;
        };
        let old = self.s.text_of(clause.value);
        if !old.eq_ignore_ascii_case(value.trim_matches('\'')) {
            self.edits.replace(self.s, clause.value, value.clone());
            let text = format!("{} {old} becomes {value}", clause.name);
            self.note(clause.first, Some(table), text);
        }
        false
    }

    /// A row format of TokuDB that the script states and TokuDB shall have: written as the family
    /// writes it. False when the clause is none.
    fn tokudb_clause(&mut self, clause: &OptionClause) -> bool {
        let transform = self.script.transform;
        let value = self.s.text_of(clause.value).to_ascii_uppercase();
        let is_toku = transform.storage.is_some_and(|s| {
            s.compression_syntax == CompressionSyntax::TokudbRowFormat
                && s.row_formats.contains(&value.as_str())
        });
        if !is_toku || !matches!(clause.name.as_str(), "ROW_FORMAT" | "COMPRESSION") {
            return false;
        }
        let option = row_format::tokudb_option(transform);
        if clause.name != option {
            self.edits.replace(self.s, clause.key, option);
            if self.s.kind(clause.value) != Some(crate::schema::token::Kind::Word) {
                self.edits.replace(self.s, clause.value, value);
            }
        }
        true
    }

    /// Leaves options out, with the commas between them where there are any.
    fn remove_options(&mut self, clauses: &[OptionClause], removed: &[bool]) {
        let places: Vec<_> = clauses.iter().map(|clause| (clause.first, clause.end)).collect();
        delete_items(&mut self.edits, self.s, &places, removed);
    }
}
