//! The engine swap.

use super::Change;
use crate::schema::EngineClause;
use crate::schema::parse::options::OptionClause;
use crate::schema::parse::statement::Name;

impl Change<'_, '_> {
    /// Swaps the engine in every ENGINE clause among these; other clauses are left alone.
    pub(super) fn swap_engines(&mut self, clauses: &[OptionClause], table: Option<&Name>) {
        for clause in clauses.iter().filter(|clause| clause.name == "ENGINE") {
            self.swap_engine_value(clause.value, table);
            // TYPE=x was taken out of the grammar in 5.5.
            if self.s.is(clause.key, "TYPE") && self.script.transform.storage.is_some() {
                self.edits.replace(self.s, clause.key, "ENGINE");
            }
        }
    }

    /// A sequence, which is a table of one row to the engine.
    pub(super) fn sequence(
        &mut self,
        name: &Name,
        created: bool,
        engines: &[OptionClause],
        end: usize,
    ) {
        self.swap_engines(engines, Some(name));
        let Some(storage) = self.script.transform.storage else { return };
        if !storage.ddl.sequences {
            self.refuse(name.first, Some(name), format!("{} has no sequences", storage.storage));
        }
        if created && engines.is_empty() {
            self.edits.insert_after(self.s, end, &format!(" ENGINE={}", storage.storage));
        }
    }

    /// Swaps the engine of temporary tables, where the new one can make them.
    pub(super) fn swap_temporary_engine(&mut self, value: usize) {
        match self.script.transform.storage {
            Some(storage) if !storage.ddl.temporary_tables => {
                let text = format!(
                    "the engine of temporary tables stays {}: {} has none",
                    self.s.text_of(value),
                    storage.storage
                );
                self.note(value, None, text);
            }
            _ => self.swap_engine_value(value, None),
        }
    }

    /// Swaps the engine that the token at `value` names.
    pub(super) fn swap_engine_value(&mut self, value: usize, table: Option<&Name>) {
        if !self.s.is_name_or_text(value) {
            return;
        }
        let engine = self.s.text_of(value);
        let line = self.line_at(value);
        self.script.engines.push(EngineClause {
            line,
            table: table.map(|name| name.object.clone()),
            engine: engine.clone(),
        });
        if let Some(storage) = self.script.transform.storage
            && !engine.eq_ignore_ascii_case(storage.storage)
        {
            self.edits.replace(self.s, value, storage.storage);
        }
    }
}
