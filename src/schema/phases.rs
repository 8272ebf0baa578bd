//! A script in the order of a load: tables, then rows, then secondary indexes, then foreign keys.

use super::edit::{Edits, delete_items};
use super::parse::alter::PartKind;
use super::parse::items::{Item, ItemKind, Key, KeyKind, KeyPart};
use super::parse::statement::{Name, Statement};
use super::parse::table::CreateTable;
use super::parse::{Parsed, parse};
use super::token::{Kind, backtick};
use super::{Transform, catalog};
use std::collections::BTreeSet;

/// The statements of a script by the moment at which a load needs them. Put together in this
/// order they make the tables that the script makes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// Before the rows: tables with their primary keys, and everything that is neither index, key
    /// nor trigger.
    pub tables: Vec<String>,
    /// Secondary indexes, those that foreign keys imply among them.
    pub indexes: Vec<String>,
    /// Foreign keys.
    pub foreign_keys: Vec<String>,
    /// Triggers and events, which would act on the rows while they are loaded.
    pub triggers: Vec<String>,
    /// Statements that were left out because a dataset has a database of its own: USE, CREATE
    /// DATABASE and the like.
    pub left_out: Vec<String>,
}

/// Splits the statements of a script that was already transformed.
///
/// Keys stay in their CREATE TABLE where the table needs them at once: one that begins with the
/// AUTO_INCREMENT column, the unique key that serves as primary key, all keys of a table that a
/// later statement copies, renames or takes indexes from.
pub fn phases(statements: &[String]) -> Phases {
    let mut phases = Phases::default();
    let parsed: Vec<_> = statements
        .iter()
        .map(|text| {
            let s = Statement::new(text.as_bytes(), false);
            let parsed = parse(&s, 0, s.len());
            (s, parsed)
        })
        .collect();
    let fixed = fixed_tables(&parsed);
    for (s, parsed) in &parsed {
        match parsed {
            Parsed::CreateTable(table)
                if table.body.is_some() && !table.select && !fixed.contains(&id(&table.name)) =>
            {
                create_table(s, table, &mut phases);
            }
            Parsed::AlterTable(alter) if !fixed.contains(&id(&alter.name)) => {
                let (mut rest, mut keys, mut foreign) = (Vec::new(), Vec::new(), Vec::new());
                for part in &alter.parts {
                    let text = slice(s, part.first, part.end);
                    match &part.kind {
                        PartKind::Add(Item { kind: ItemKind::Key(key), .. })
                            if key.kind != KeyKind::Primary =>
                        {
                            keys.push((key.kind, text));
                        }
                        PartKind::Add(Item { kind: ItemKind::ForeignKey(_), .. }) => {
                            foreign.push(text);
                        }
                        _ => rest.push(text),
                    }
                }
                if keys.is_empty() && foreign.is_empty() {
                    phases.tables.push(text_of(s));
                    continue;
                }
                let name = slice(s, alter.name.first, alter.name.last + 1);
                if !rest.is_empty() {
                    phases.tables.push(format!("ALTER TABLE {name} {}", rest.join(", ")));
                }
                add_keys(&name, keys, &mut phases.indexes);
                if !foreign.is_empty() {
                    let text = format!("ALTER TABLE {name} {}", foreign.join(", "));
                    phases.foreign_keys.push(text);
                }
            }
            Parsed::CreateIndex(index) if !fixed.contains(&id(&index.table)) => {
                phases.indexes.push(text_of(s));
            }
            Parsed::Program(at) if s.is_any(at - 1, &["TRIGGER", "EVENT"]) => {
                phases.triggers.push(text_of(s));
            }
            _ if is_database_statement(s) => phases.left_out.push(text_of(s)),
            _ => phases.tables.push(text_of(s)),
        }
    }
    phases
}

fn text_of(s: &Statement<'_>) -> String {
    String::from_utf8_lossy(s.text).into_owned()
}

fn id(name: &Name) -> String {
    name.object.to_lowercase()
}

fn is_database_statement(s: &Statement<'_>) -> bool {
    if s.is(0, "USE") {
        return true;
    }
    if !s.is_any(0, &["CREATE", "DROP", "ALTER"]) {
        return false;
    }
    let at = if s.are(1, &["OR", "REPLACE"]) { 3 } else { 1 };
    s.is_any(at, &["DATABASE", "SCHEMA"])
}

/// Tables whose keys must exist from the start, since a later statement builds on them.
fn fixed_tables(parsed: &[(Statement<'_>, Parsed)]) -> BTreeSet<String> {
    let mut fixed = BTreeSet::new();
    for (s, parsed) in parsed {
        match parsed {
            Parsed::CreateTable(table) => {
                fixed.extend(table.like.as_ref().map(id));
                // REFERENCES in a column stays with its table, so what it points at must be there.
                let parents = table.columns().filter_map(|column| {
                    let (first, end) = column.references?;
                    let at = (first..end).find(|&at| s.is(at, "REFERENCES"))?;
                    s.name(at + 1)
                });
                fixed.extend(parents.map(|(name, _)| id(&name)));
            }
            Parsed::AlterTable(alter) => {
                let builds_on = alter.parts.iter().any(|part| {
                    if let PartKind::Change(_, Item { kind: ItemKind::Column(column), .. }) =
                        &part.kind
                    {
                        // It must be in a key by then.
                        return column.auto_increment;
                    }
                    matches!(
                        part.kind,
                        PartKind::Rename(_)
                            | PartKind::RenameIndex(..)
                            | PartKind::AlterIndex(_)
                            | PartKind::DropIndex(_)
                            | PartKind::DropConstraint(_)
                            | PartKind::DropForeignKey(_)
                            | PartKind::DropPrimaryKey
                            | PartKind::DropColumn(_)
                            | PartKind::AddList(_)
                    )
                });
                if builds_on {
                    fixed.insert(id(&alter.name));
                }
            }
            Parsed::DropIndex { table, .. } => {
                fixed.insert(id(table));
            }
            Parsed::RenameTable(pairs) => {
                fixed.extend(pairs.iter().flat_map(|(from, to)| [id(from), id(to)]));
            }
            _ => {}
        }
    }
    fixed
}

fn create_table(s: &Statement<'_>, table: &CreateTable, phases: &mut Phases) {
    let name = slice(s, table.name.first, table.name.last + 1);
    let mut removed = vec![false; table.items.len()];
    let (mut keys, mut foreign) = (Vec::new(), Vec::new());
    let mut present = catalog::TableSummary::default();
    let mut fixed_key = clustering_key(table);
    let mut auto = table
        .columns()
        .find(|column| column.auto_increment && !column.primary && !column.unique)
        .map(|column| column.name.clone());
    for item in &table.items {
        present.add_item(item);
    }
    let foreign_columns: Vec<_> = table
        .items
        .iter()
        .filter_map(|item| match &item.kind {
            ItemKind::ForeignKey(key) => Some(key.columns.as_slice()),
            _ => None,
        })
        .collect();
    let mut implied = present.implied(&foreign_columns).into_iter();
    for (number, item) in table.items.iter().enumerate() {
        match &item.kind {
            ItemKind::Key(key) => {
                let begins_auto = auto.as_deref().is_some_and(|column| begins_with(key, column));
                if begins_auto {
                    auto = None;
                }
                if key.kind == KeyKind::Primary || begins_auto || fixed_key == Some(number) {
                    fixed_key = fixed_key.filter(|fixed| *fixed != number);
                    continue;
                }
                removed[number] = true;
                keys.push((key.kind, format!("ADD {}", slice(s, item.first, item.end))));
            }
            ItemKind::ForeignKey(key) => {
                removed[number] = true;
                foreign.push(format!("ADD {}", slice(s, item.first, item.end)));
                if implied.next() == Some(true) {
                    let index_name = key.constraint.as_deref().or(key.name.as_deref());
                    keys.push((KeyKind::Plain, implied_key(index_name, &key.columns)));
                }
            }
            _ => {}
        }
    }
    let places: Vec<_> = table.items.iter().map(|item| (item.first, item.end)).collect();
    let mut edits = Edits::default();
    delete_items(&mut edits, s, &places, &removed);
    phases.tables.push(String::from_utf8_lossy(&edits.apply(s)).into_owned());
    add_keys(&name, keys, &mut phases.indexes);
    if !foreign.is_empty() {
        phases.foreign_keys.push(format!("ALTER TABLE {name} {}", foreign.join(", ")));
    }
}

/// The index that a foreign key implies, as a part of ALTER TABLE.
fn implied_key(name: Option<&str>, columns: &[KeyPart]) -> String {
    let list: Vec<_> = columns.iter().map(|part| backtick(&part.column)).collect();
    let name = name.map_or_else(String::new, |name| backtick(name) + " ");
    format!("ADD KEY {name}({})", list.join(", "))
}

fn begins_with(key: &Key, column: &str) -> bool {
    key.parts.first().is_some_and(|part| part.column.eq_ignore_ascii_case(column))
}

/// The item that InnoDB clusters a table without a primary key by: the first unique key whose
/// columns cannot be NULL.
fn clustering_key(table: &CreateTable) -> Option<usize> {
    let has_primary = table.columns().any(|column| column.primary)
        || table
            .items
            .iter()
            .any(|item| matches!(&item.kind, ItemKind::Key(key) if key.kind == KeyKind::Primary));
    if has_primary {
        return None;
    }
    table.items.iter().position(|item| match &item.kind {
        ItemKind::Key(key) if key.kind == KeyKind::Unique => key.parts.iter().all(|part| {
            table
                .columns()
                .any(|column| column.not_null && column.name.eq_ignore_ascii_case(&part.column))
        }),
        _ => false,
    })
}

/// Statements that add keys: plain and unique ones together, others one by one, since InnoDB makes
/// one full-text index at a time.
fn add_keys(table: &str, keys: Vec<(KeyKind, String)>, into: &mut Vec<String>) {
    let (together, alone): (Vec<_>, Vec<_>) =
        keys.into_iter().partition(|(kind, _)| matches!(kind, KeyKind::Plain | KeyKind::Unique));
    if !together.is_empty() {
        let parts: Vec<_> = together.into_iter().map(|(_, text)| text).collect();
        into.push(format!("ALTER TABLE {table} {}", parts.join(", ")));
    }
    into.extend(alone.into_iter().map(|(_, text)| format!("ALTER TABLE {table} {text}")));
}

/// The text from one position up to another. Markers of conditional comments that begin or end
/// outside of it are left out.
fn slice(s: &Statement<'_>, first: usize, end: usize) -> String {
    if first >= end {
        return String::new();
    }
    let (from, to) = (s.index(first), s.index(end - 1).min(s.tokens.len().saturating_sub(1)));
    let tokens = &s.tokens[from..=to];
    let mut out = Vec::new();
    let mut line_comment = false;
    for token in tokens {
        let partner = match token.kind {
            Kind::ConditionalOpen => Kind::ConditionalClose,
            Kind::ConditionalClose => Kind::ConditionalOpen,
            _ => token.kind,
        };
        let is_marker = partner != token.kind;
        if is_marker
            && !tokens.iter().any(|other| other.kind == partner && other.region == token.region)
        {
            continue;
        }
        if std::mem::take(&mut line_comment) && s.text[token.start] != b'\n' {
            out.push(b'\n');
        }
        out.extend_from_slice(&s.text[token.start..token.end]);
        line_comment = token.kind == Kind::LineComment;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The statements of a script, without terminators, as the mysql client would send them. Commands
/// of the client are left out.
pub fn statements(script: &str) -> Vec<String> {
    super::transform(script, &Transform::default()).statements
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(script: &str) -> Phases {
        phases(&statements(script))
    }

    #[test]
    fn keys_come_after_the_rows_and_foreign_keys_last() {
        let phases = split(
            "USE shop;\nCREATE TABLE c (\n  id int NOT NULL,\n  p int, -- parent\n  t text,\n  \
             PRIMARY KEY (id),\n  KEY t (t(10)),\n  FULLTEXT KEY ft (t),\n  UNIQUE u (p, id),\n  \
             CONSTRAINT fk FOREIGN KEY (id) REFERENCES p (id),\n  FOREIGN KEY (p) REFERENCES p (id)\n\
             ) ENGINE=InnoDB;\nCREATE TRIGGER tr BEFORE INSERT ON c FOR EACH ROW SET NEW.p = 1;\n\
             CREATE INDEX late ON c (p);",
        );
        assert_eq!(phases.left_out, ["USE shop"]);
        assert_eq!(
            phases.tables,
            ["CREATE TABLE c (\n  id int NOT NULL,\n  p int, -- parent\n  t text,\n  \
              PRIMARY KEY (id)\n) ENGINE=InnoDB"]
        );
        assert_eq!(
            phases.indexes,
            [
                "ALTER TABLE c ADD KEY t (t(10)), ADD UNIQUE u (p, id)",
                "ALTER TABLE c ADD FULLTEXT KEY ft (t)",
                "CREATE INDEX late ON c (p)"
            ]
        );
        assert_eq!(
            phases.foreign_keys,
            ["ALTER TABLE c ADD CONSTRAINT fk FOREIGN KEY (id) REFERENCES p (id), \
              ADD FOREIGN KEY (p) REFERENCES p (id)"]
        );
        assert_eq!(phases.triggers.len(), 1);
    }

    #[test]
    fn indexes_that_foreign_keys_imply_are_made_with_the_others() {
        let phases = split(
            "CREATE TABLE c (id int PRIMARY KEY, p int, CONSTRAINT fk FOREIGN KEY (p) REFERENCES p (id));",
        );
        assert_eq!(phases.indexes, ["ALTER TABLE c ADD KEY `fk` (`p`)"]);
        assert_eq!(phases.tables, ["CREATE TABLE c (id int PRIMARY KEY, p int)"]);
    }

    #[test]
    fn keys_that_a_table_needs_at_once_stay() {
        let auto = split("CREATE TABLE a (i int AUTO_INCREMENT, j int, KEY (j), KEY (i, j));");
        assert_eq!(auto.tables, ["CREATE TABLE a (i int AUTO_INCREMENT, j int, KEY (i, j))"]);
        let clustered = split("CREATE TABLE a (i int NOT NULL, UNIQUE (i), UNIQUE x (i, i));");
        assert_eq!(clustered.tables, ["CREATE TABLE a (i int NOT NULL, UNIQUE (i))"]);
        let copied = split("CREATE TABLE a (i int, KEY (i)); CREATE TABLE b LIKE a;");
        assert!(copied.indexes.is_empty());
    }

    #[test]
    fn a_key_that_auto_increment_needs_later_is_made_at_once() {
        let phases = split(
            "CREATE TABLE a (i int); ALTER TABLE a ADD KEY (i); ALTER TABLE a MODIFY i int AUTO_INCREMENT;",
        );
        assert_eq!(phases.tables.len(), 3);
        assert!(phases.indexes.is_empty());
    }

    #[test]
    fn parts_of_one_alter_go_where_they_belong() {
        let phases = split(
            "ALTER TABLE `a` ADD c int, ADD KEY k (c), ADD CONSTRAINT f FOREIGN KEY (c) REFERENCES b (i), AUTO_INCREMENT=5;",
        );
        assert_eq!(phases.tables, ["ALTER TABLE `a` ADD c int, AUTO_INCREMENT=5"]);
        assert_eq!(phases.indexes, ["ALTER TABLE `a` ADD KEY k (c)"]);
        assert_eq!(
            phases.foreign_keys,
            ["ALTER TABLE `a` ADD CONSTRAINT f FOREIGN KEY (c) REFERENCES b (i)"]
        );
    }
}
