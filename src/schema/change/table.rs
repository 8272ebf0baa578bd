//! CREATE TABLE.

use super::Change;
use crate::schema::catalog::TableSummary;
use crate::schema::edit::delete_items;
use crate::schema::parse::table::CreateTable;

impl Change<'_, '_> {
    pub(super) fn create_table(&mut self, table: &CreateTable) {
        let storage = self.script.transform.storage.map(|spec| spec.storage.to_string());
        let mut summary = TableSummary {
            line: self.line_at(table.name.first),
            temporary: table.temporary,
            storage: storage.or_else(|| self.stated_engine(table)),
            ..TableSummary::default()
        };
        if let Some(like) = &table.like {
            // It takes everything but foreign keys from the other table.
            if let Some(other) = self.script.catalog.get(like) {
                summary.columns.clone_from(&other.columns);
                summary.indexes.clone_from(&other.indexes);
                summary.row_format.clone_from(&other.row_format);
                summary.stripped_indexes.clone_from(&other.stripped_indexes);
            }
            self.script.catalog.put(&table.name, summary);
            return;
        }
        let mut removed = vec![false; table.items.len()];
        self.created_keys(table, &mut summary, &mut removed);
        self.created_foreign_keys(table, &mut summary, &mut removed);
        let places: Vec<_> = table.items.iter().map(|item| (item.first, item.end)).collect();
        delete_items(&mut self.edits, self.s, &places, &removed);
        summary.row_format = self.create_options(table);
        self.partition_options(&table.partitions, &table.name);
        self.script.catalog.put(&table.name, summary);
    }

    fn stated_engine(&self, table: &CreateTable) -> Option<String> {
        let clause = table.options.iter().rfind(|clause| clause.name == "ENGINE")?;
        Some(self.s.text_of(clause.value))
    }
}
