//! ALTER TABLE.

use super::items::{Item, item};
use super::options::{OptionClause, option, options};
use super::partition::partition_options;
use super::statement::{Name, Statement};

/// An ALTER TABLE statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AlterTable {
    pub(crate) name: Name,
    pub(crate) parts: Vec<Part>,
    /// Options of partitions and subpartitions, wherever they stand.
    pub(crate) partitions: Vec<OptionClause>,
}

/// One part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Position of its first token.
    pub(crate) first: usize,
    /// Position after its last token.
    pub(crate) end: usize,
    pub(crate) kind: PartKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PartKind {
    /// ADD of one item; the item begins behind ADD [COLUMN].
    Add(Item),
    /// ADD of items in parentheses; positions of the parentheses.
    AddList(Vec<Item>),
    /// MODIFY of a column, or CHANGE with its old name.
    Change(Option<String>, Item),
    /// RENAME COLUMN.
    RenameColumn(String, String),
    DropForeignKey(String),
    /// DROP CONSTRAINT, whatever it is.
    DropConstraint(String),
    /// DROP INDEX or KEY.
    DropIndex(String),
    /// ALTER INDEX or KEY, which hides or shows it.
    AlterIndex(String),
    DropPrimaryKey,
    DropColumn(String),
    /// RENAME INDEX or KEY.
    RenameIndex(String, String),
    /// RENAME TO.
    Rename(Name),
    /// Table options.
    Options(Vec<OptionClause>),
    /// Anything else.
    Other,
}

/// Reads an ALTER TABLE whose name begins at `at`.
pub(crate) fn alter_table(s: &Statement<'_>, mut at: usize, end: usize) -> Option<AlterTable> {
    if s.are(at, &["IF", "EXISTS"]) {
        at += 2;
    }
    let (name, behind) = s.name(at)?;
    at = behind;
    if s.is(at, "WAIT") {
        at += 2;
    } else if s.is(at, "NOWAIT") {
        at += 1;
    }
    let partitions = partition_options(s, at, end);
    let mut parts = Vec::new();
    let mut rest = s.list(at, end).into_iter();
    while let Some((first, end_of_part)) = rest.next() {
        // These take a list with commas of their own, and nothing comes after it.
        let swallows = s.are(first, &["ORDER", "BY"])
            || (s.is_any(
                first,
                &["DROP", "REORGANIZE", "TRUNCATE", "ANALYZE", "CHECK", "OPTIMIZE", "REBUILD"],
            ) && s.is(first + 1, "PARTITION"))
            || (s.is_any(first, &["REPAIR", "COALESCE", "DISCARD", "IMPORT", "EXCHANGE"])
                && s.is(first + 1, "PARTITION"));
        let end_of_part =
            if swallows { rest.by_ref().last().map_or(end_of_part, |r| r.1) } else { end_of_part };
        parts.push(Part { first, end: end_of_part, kind: part(s, first, end_of_part) });
    }
    Some(AlterTable { name, parts, partitions })
}

fn part(s: &Statement<'_>, first: usize, end: usize) -> PartKind {
    if s.is(first, "ADD") {
        return add(s, first + 1, end);
    }
    if s.is(first, "DROP") {
        return drop(s, first + 1);
    }
    if s.is(first, "ALTER") && s.is_any(first + 1, &["INDEX", "KEY"]) {
        let if_exists = s.are(first + 2, &["IF", "EXISTS"]);
        return PartKind::AlterIndex(s.text_of(if if_exists { first + 4 } else { first + 2 }));
    }
    if s.is_any(first, &["MODIFY", "CHANGE"]) {
        let mut at = first + 1;
        if s.is(at, "COLUMN") {
            at += 1;
        }
        if s.are(at, &["IF", "EXISTS"]) {
            at += 2;
        }
        let mut old = None;
        if s.is(first, "CHANGE") {
            old = Some(s.text_of(at));
            at += 1;
        }
        return PartKind::Change(old, item(s, at, end));
    }
    if s.is(first, "RENAME") {
        if s.is_any(first + 1, &["KEY", "INDEX"]) && s.is(first + 3, "TO") {
            return PartKind::RenameIndex(s.text_of(first + 2), s.text_of(first + 4));
        }
        if s.is(first + 1, "COLUMN") {
            return PartKind::RenameColumn(s.text_of(first + 2), s.text_of(first + 4));
        }
        let at = if s.is_any(first + 1, &["TO", "AS"]) || s.mark(first + 1, b'=') {
            first + 2
        } else {
            first + 1
        };
        return s.name(at).map_or(PartKind::Other, |(name, _)| PartKind::Rename(name));
    }
    // `ORDER BY`, `FORCE`, `CONVERT TO`, `ALGORITHM =` and the like are no options.
    if s.is_any(first, &["ALGORITHM", "LOCK"]) || option(s, first, end).is_none() {
        return PartKind::Other;
    }
    PartKind::Options(options(s, first, end).0)
}

fn add(s: &Statement<'_>, mut at: usize, end: usize) -> PartKind {
    if s.is_any(at, &["PARTITION", "SYSTEM"]) {
        return PartKind::Other;
    }
    let column = s.is(at, "COLUMN");
    if column {
        at += 1;
    }
    if s.mark(at, b'(') {
        let close = s.closing(at).map_or(end, |close| close.min(end));
        let items = s.list(at + 1, close).into_iter();
        return PartKind::AddList(items.map(|(first, end)| item(s, first, end)).collect());
    }
    if s.are(at, &["IF", "NOT", "EXISTS"]) {
        at += 3;
    }
    if at >= end {
        return PartKind::Other;
    }
    PartKind::Add(item(s, at, end))
}

fn drop(s: &Statement<'_>, at: usize) -> PartKind {
    let named = |at: usize| {
        let at = if s.are(at, &["IF", "EXISTS"]) { at + 2 } else { at };
        s.text_of(at)
    };
    if s.are(at, &["FOREIGN", "KEY"]) {
        PartKind::DropForeignKey(named(at + 2))
    } else if s.is(at, "CONSTRAINT") {
        PartKind::DropConstraint(named(at + 1))
    } else if s.are(at, &["PRIMARY", "KEY"]) {
        PartKind::DropPrimaryKey
    } else if s.is_any(at, &["INDEX", "KEY"]) {
        PartKind::DropIndex(named(at + 1))
    } else if s.is_any(at, &["PARTITION", "SYSTEM", "PERIOD", "CHECK"]) {
        PartKind::Other
    } else if s.is(at, "COLUMN") {
        PartKind::DropColumn(named(at + 1))
    } else {
        PartKind::DropColumn(named(at))
    }
}
