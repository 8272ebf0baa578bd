//! Statements inside stored programs.

use super::Change;
use crate::schema::parse::{Parsed, parse};

/// Words behind which a statement can begin.
const OPENERS: &[&str] = &["BEGIN", "THEN", "ELSE", "DO", "LOOP", "REPEAT"];

impl Change<'_, '_> {
    /// Changes the tables that a program makes when it runs. What it does is no part of the
    /// catalog; what the engine cannot take matters only where the program runs at once, not
    /// `later`.
    pub(super) fn program(&mut self, body: usize, end: usize, later: bool) {
        let catalog = self.script.catalog.clone();
        let noted = self.script.notes.len();
        let mut at = body;
        while at < end {
            let starts = self.s.is_any(at, &["CREATE", "ALTER"])
                || (self.s.is(at, "SET")
                    && (self.s.mark(at - 1, b';') || self.s.is_any(at - 1, OPENERS)));
            if !starts {
                at += 1;
                continue;
            }
            let mut behind = at;
            while behind < end && !self.s.mark(behind, b';') {
                behind = self.s.after(behind);
            }
            let behind = behind.min(end);
            let concerns = matches!(
                parse(self.s, at, behind),
                Parsed::CreateTable(_)
                    | Parsed::AlterTable(_)
                    | Parsed::CreateIndex(_)
                    | Parsed::Engines(_)
                    | Parsed::Set(_)
            );
            if concerns && !self.statement(at, behind) {
                // An empty statement is an error where one is expected.
                self.edits.delete(self.s, at, behind);
                self.edits.replace(self.s, at, "DO 0");
            }
            at = behind.max(at + 1);
        }
        self.script.catalog = catalog;
        for note in self.script.notes[noted..].iter_mut().filter(|note| later && note.refused) {
            note.refused = false;
            note.text = format!("when the program runs: {}", note.text);
        }
    }
}
