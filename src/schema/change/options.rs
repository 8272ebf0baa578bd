//! Table options: engine, row format, character set, and what the new engine or family refuses.

use super::Change;
use crate::engine::CompressionSyntax;
use crate::schema::Transform;
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
        let stated = |name: &str| {
            let mut kept = table.options.iter().zip(&outcome.removed).filter(|(_, gone)| !**gone);
            kept.find(|(clause, _)| clause.name == name).map(|(clause, _)| clause)
        };
        let mut added = String::new();
        if let Some(storage) = transform.storage
            && !table
                .options
                .iter()
                .any(|clause| clause.name == "ENGINE" && self.surely_runs(clause))
        {
            let text = format!(" ENGINE={}", storage.storage);
            self.edits.insert_after(self.s, table.options_at, &text);
        }
        added.push_str(&outcome.added);
        if let Some((charset, collation)) = &transform.charset {
            let own = stated("CHARSET");
            let same = own
                .is_some_and(|clause| self.s.text_of(clause.value).eq_ignore_ascii_case(charset));
            if stated("COLLATE").is_none() && (own.is_none() || same) {
                if own.is_none() {
                    added.extend([" DEFAULT CHARSET=", charset]);
                }
                added.extend([" COLLATE=", collation]);
            }
        }
        if !added.is_empty() {
            // Behind the last option, unless that stands in a conditional comment.
            let last = table.options.last().map_or(table.options_at, |clause| clause.end);
            let inside = self.s.token(last - 1).is_some_and(|token| token.region != 0);
            let at = if inside { table.options_at } else { last };
            self.edits.insert_after(self.s, at, &added);
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

    /// Whether the server surely executes a clause wherever it executes the statement: it may stand
    /// in a conditional comment.
    fn surely_runs(&self, clause: &OptionClause) -> bool {
        let region = |at: usize| self.s.token(at).map_or(0, |token| token.region);
        region(clause.value) == region(0)
            || self
                .s
                .conditions(clause.value)
                .iter()
                .all(|&(mariadb, version)| runs(self.script.transform, mariadb, version))
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
                        format!("{}{} left out: {why}", clause.name, self.shown_value(clause));
                    self.note(clause.first, Some(table), text);
                }
            }
        }
        if wanted.is_none() {
            self.key_block_size(clauses, table, create, &mut removed, &mut shown);
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

    /// On InnoDB KEY_BLOCK_SIZE makes a compressed table, and contradicts other row formats; on other
    /// engines it is a hint.
    fn key_block_size(
        &mut self,
        clauses: &[OptionClause],
        table: &Name,
        create: bool,
        removed: &mut [bool],
        shown: &mut Option<String>,
    ) {
        let transform = self.script.transform;
        let is_innodb = transform
            .storage
            .is_some_and(|s| s.compression_syntax == CompressionSyntax::InnodbTableOption);
        let Some(size) = clauses.iter().position(|clause| clause.name == "KEY_BLOCK_SIZE") else {
            return;
        };
        if !is_innodb || removed[size] || self.s.text_of(clauses[size].value) == "0" {
            return;
        }
        let value = |name: &str| {
            let found = clauses
                .iter()
                .zip(&*removed)
                .rfind(|(clause, gone)| clause.name == name && !**gone);
            found.map(|(clause, _)| self.s.text_of(clause.value))
        };
        let known = self.script.catalog.get(table).filter(|_| !create);
        let compressed = value("ROW_FORMAT")
            .or_else(|| known.and_then(|table| table.row_format.clone()))
            .map(|format| format.eq_ignore_ascii_case("COMPRESSED"));
        let from_innodb = value("ENGINE").is_none_or(|engine| {
            engine.eq_ignore_ascii_case("InnoDB") || engine.eq_ignore_ascii_case("XtraDB")
        });
        let why = match (compressed, from_innodb) {
            (Some(true), _) => return,
            (None, true) => {
                *shown = Some("Compressed".to_string());
                return;
            }
            (Some(false), _) => "it contradicts the row format",
            (None, false) => "it was a hint and would compress the table on InnoDB",
        };
        removed[size] = true;
        let text =
            format!("KEY_BLOCK_SIZE {} left out: {why}", self.s.text_of(clauses[size].value));
        self.note(clauses[size].first, Some(table), text);
    }

    /// An option that the transform decides; true when it goes.
    fn replaced(&mut self, clause: &OptionClause, wanted: &Wanted, table: &Name) -> bool {
        let Some((_, value)) = wanted.clauses.iter().find(|(name, _)| *name == clause.name) else {
            let text = format!(
                "{}{} left out: the row format or compression asked for takes its place",
                clause.name,
                self.shown_value(clause)
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

    /// The value of a clause for a note. What may hold a password is not shown.
    fn shown_value(&self, clause: &OptionClause) -> String {
        if matches!(clause.name.as_str(), "CONNECTION" | "PASSWORD") {
            return String::new();
        }
        let value = (clause.value..clause.end).map(|at| self.s.text_of(at)).collect::<String>();
        if value.is_empty() { value } else { format!(" {value}") }
    }

    /// Leaves options out, with the commas between them where there are any.
    fn remove_options(&mut self, clauses: &[OptionClause], removed: &[bool]) {
        let places: Vec<_> = clauses.iter().map(|clause| (clause.first, clause.end)).collect();
        delete_items(&mut self.edits, self.s, &places, removed);
    }
}

/// Whether a server of this transform surely executes a conditional comment: one of its own kind
/// and of no later version. MariaDB passes over the versions of MySQL 5.7 and later.
fn runs(transform: &Transform, mariadb_only: bool, version: u32) -> bool {
    let mariadb = row_format::is_mariadb(transform);
    let (major, minor) = transform.release.unwrap_or((5, 5));
    let own_kind = mariadb || !mariadb_only;
    let foreign = mariadb && !mariadb_only && (50_700..100_000).contains(&version);
    own_kind && !foreign && version <= major * 10_000 + minor * 100
}
