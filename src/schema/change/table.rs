//! CREATE TABLE.

use super::Change;
use crate::schema::catalog::{KeyKind, TableSummary};
use crate::schema::edit::delete_items;
use crate::schema::parse::alter::{AlterTable, PartKind};
use crate::schema::parse::items::{Column, Item, ItemKind, KeyPart};
use crate::schema::parse::table::CreateTable;
use crate::schema::row_format::has_invisible_columns;
use crate::schema::token::backtick;

/// Name of the column that `add primary_key` makes.
const ROW_ID: &str = "enginecmp_row_id";

impl Change<'_, '_> {
    pub(super) fn create_table(&mut self, table: &CreateTable) {
        let storage = self.script.transform.storage.map(|spec| spec.storage.to_string());
        let mut summary = TableSummary {
            line: self.line_at(table.name.first),
            temporary: table.temporary,
            storage: storage.or_else(|| self.stated_engine(table)),
            charset: self.table_charset(table),
            ..TableSummary::default()
        };
        if let Some(like) = &table.like {
            // It takes everything but foreign keys from the other table.
            if let Some(other) = self.script.catalog.get(like) {
                summary.columns.clone_from(&other.columns);
                summary.indexes.clone_from(&other.indexes);
                summary.row_format.clone_from(&other.row_format);
                summary.charset.clone_from(&other.charset);
                summary.stripped_indexes.clone_from(&other.stripped_indexes);
            } else if self.script.transform.storage.is_some() {
                let text = format!(
                    "it takes its engine from {}, which is not in this script",
                    backtick(&like.object)
                );
                self.note(table.name.first, Some(&table.name), text);
            }
            self.fit_table(table, &summary);
            self.script.catalog.put(&table.name, summary);
            return;
        }
        summary.row_format = self.create_options(table);
        self.partition_options(&table.partitions, &table.name);
        let mut removed = vec![false; table.items.len()];
        self.created_keys(table, &mut summary, &mut removed);
        self.created_foreign_keys(table, &mut summary, &mut removed);
        self.added_primary_key(table, &mut summary);
        let places: Vec<_> = table.items.iter().map(|item| (item.first, item.end)).collect();
        delete_items(&mut self.edits, self.s, &places, &removed);
        self.fit_created(table, &summary, &removed);
        self.script.catalog.put(&table.name, summary);
    }

    fn fit_created(&mut self, table: &CreateTable, summary: &TableSummary, removed: &[bool]) {
        self.fit_table(table, summary);
        for (item, removed) in table.items.iter().zip(removed) {
            match &item.kind {
                ItemKind::Column(column) => {
                    self.fit_column(item.first, &table.name, column);
                    let part = [KeyPart::whole(&column.name)];
                    for (stated, kind) in
                        [(column.primary, KeyKind::Primary), (column.unique, KeyKind::Unique)]
                    {
                        if stated {
                            self.fit_key(item.first, &table.name, kind, &part, Some(summary));
                        }
                    }
                }
                ItemKind::Key(key) if !removed => {
                    self.fit_key(item.first, &table.name, key.kind, &key.parts, Some(summary));
                }
                _ => {}
            }
        }
    }

    fn stated_engine(&self, table: &CreateTable) -> Option<String> {
        let clause = table.options.iter().rfind(|clause| clause.name == "ENGINE")?;
        Some(self.s.text_of(clause.value))
    }

    /// The character set or collation that a table has, as far as it is known.
    fn table_charset(&self, table: &CreateTable) -> Option<String> {
        let stated = |name: &str| {
            let clause = table.options.iter().find(|clause| clause.name == name)?;
            Some(self.s.text_of(clause.value).to_ascii_lowercase())
        };
        let given = || self.script.transform.charset.as_ref().map(|(charset, _)| charset.clone());
        stated("CHARSET").or_else(|| stated("COLLATE")).or_else(given)
    }

    /// `add primary_key`: a table without one gets one over its AUTO_INCREMENT column, else over a
    /// column of its own.
    fn added_primary_key(&mut self, table: &CreateTable, summary: &mut TableSummary) {
        let has = summary.indexes.iter().any(|index| index.kind == KeyKind::Primary);
        let Some((_, close)) = table.body.filter(|_| self.script.transform.add_primary_key && !has)
        else {
            return;
        };
        if table.partitioned {
            let text = "no primary key is added: each key of a partitioned table must hold the \
                        columns that it is partitioned by; `rewrite` can add one";
            return self.note(table.name.first, Some(&table.name), text);
        }
        summary.added_key = true;
        let auto = summary.columns.iter().find(|column| column.auto_increment).cloned();
        if let Some(auto) = auto {
            let text = format!(", PRIMARY KEY ({})", backtick(&auto.name));
            self.edits.insert_after(self.s, close, &text);
            summary.add_key(KeyKind::Primary, None, &[KeyPart::whole(&auto.name)]);
            let text = format!("a primary key over {} is added", backtick(&auto.name));
            self.note(table.name.first, Some(&table.name), text);
            return;
        }
        let invisible =
            if has_invisible_columns(self.script.transform) { " INVISIBLE" } else { "" };
        let text = format!(
            ", {} bigint unsigned NOT NULL AUTO_INCREMENT{invisible}, PRIMARY KEY ({})",
            backtick(ROW_ID),
            backtick(ROW_ID)
        );
        self.edits.insert_after(self.s, close, &text);
        summary.add_column(&Column {
            name: ROW_ID.to_string(),
            data_type: "BIGINT".to_string(),
            not_null: true,
            auto_increment: true,
            primary: true,
            ..Column::default()
        });
        let seen =
            if invisible.is_empty() { "; INSERT without a column list must count it" } else { "" };
        let text = format!("a primary key over a new column {} is added{seen}", backtick(ROW_ID));
        self.note(table.name.first, Some(&table.name), text);
    }

    /// A primary key that ALTER TABLE adds takes the place of one that was added before, and so does
    /// one over the AUTO_INCREMENT column that it makes: dumps of some tools make tables first and
    /// their keys later.
    pub(super) fn own_primary_key(&mut self, alter: &AlterTable) {
        let Some(table) = self.script.catalog.get_mut(&alter.name).filter(|t| t.added_key) else {
            return;
        };
        let items: Vec<&Item> = alter
            .parts
            .iter()
            .flat_map(|part| match &part.kind {
                PartKind::Add(item) | PartKind::Change(_, item) => std::slice::from_ref(item),
                PartKind::AddList(items) => items,
                _ => &[],
            })
            .collect();
        let primary = items.iter().any(|item| match &item.kind {
            ItemKind::Key(key) => key.kind == KeyKind::Primary,
            ItemKind::Column(column) => column.primary,
            _ => false,
        });
        let auto = items.iter().find_map(|item| match &item.kind {
            ItemKind::Column(column) if column.auto_increment => Some(column.name.clone()),
            _ => None,
        });
        let has_column = table.column(ROW_ID).is_some();
        let (Some(first), Some(last)) = (alter.parts.first(), alter.parts.last()) else { return };
        if !primary && (auto.is_none() || !has_column) {
            return;
        }
        table.added_key = !primary;
        table.drop_index("PRIMARY");
        table.drop_column(ROW_ID);
        let gone = if has_column {
            format!("DROP COLUMN {}, ", backtick(ROW_ID))
        } else {
            "DROP PRIMARY KEY, ".to_string()
        };
        let text = match &auto {
            Some(auto) if !primary => {
                table.add_key(KeyKind::Primary, None, &[KeyPart::whole(auto)]);
                format!("the primary key that was added moves to {}", backtick(auto))
            }
            _ => "the primary key that was added goes again: the script makes its own".to_string(),
        };
        self.edits.insert_before(self.s, first.first, &gone);
        if let Some(auto) = auto.filter(|_| !primary) {
            let key = format!(", ADD PRIMARY KEY ({})", backtick(&auto));
            self.edits.insert_after(self.s, last.end, &key);
        }
        self.note(first.first, Some(&alter.name), text);
    }
}
