//! CREATE TABLE.

use super::items::{Item, ItemKind, item};
use super::options::{OptionClause, options};
use super::partition::{partition_by, partition_options};
use super::statement::{Name, Statement};

/// A CREATE TABLE statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CreateTable {
    pub(crate) name: Name,
    pub(crate) temporary: bool,
    /// `LIKE other` or `(LIKE other)`: it takes engine, columns and indexes of that table.
    pub(crate) like: Option<Name>,
    /// Positions of the parentheses around the definitions; none when it has none.
    pub(crate) body: Option<(usize, usize)>,
    pub(crate) items: Vec<Item>,
    pub(crate) options: Vec<OptionClause>,
    /// Options of partitions and subpartitions.
    pub(crate) partitions: Vec<OptionClause>,
    pub(crate) partitioned: bool,
    /// Columns come from a SELECT too.
    pub(crate) select: bool,
    /// Position after the last token before the options: where a clause can be added.
    pub(crate) options_at: usize,
}

impl CreateTable {
    /// Its columns.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &super::items::Column> {
        self.items.iter().filter_map(|item| match &item.kind {
            ItemKind::Column(column) => Some(column),
            _ => None,
        })
    }
}

/// Reads a CREATE TABLE whose name begins at `at`; none when it is not understood.
pub(crate) fn create_table(
    s: &Statement<'_>,
    mut at: usize,
    end: usize,
    temporary: bool,
) -> Option<CreateTable> {
    if s.are(at, &["IF", "NOT", "EXISTS"]) {
        at += 3;
    }
    let (name, behind) = s.name(at)?;
    let mut table = CreateTable {
        name,
        temporary,
        like: None,
        body: None,
        items: Vec::new(),
        options: Vec::new(),
        partitions: Vec::new(),
        partitioned: false,
        select: false,
        options_at: behind,
    };
    at = behind;
    if s.is(at, "LIKE") {
        table.like = s.name(at + 1).map(|(name, _)| name);
        return table.like.is_some().then_some(table);
    }
    if s.mark(at, b'(') && s.is(at + 1, "LIKE") {
        table.like = s.name(at + 2).map(|(name, _)| name);
        return table.like.is_some().then_some(table);
    }
    if s.mark(at, b'(') && !is_query(s, at + 1) {
        let close = s.closing(at).filter(|&close| close < end)?;
        table.body = Some((at, close));
        table.items =
            s.list(at + 1, close).into_iter().map(|(first, end)| item(s, first, end)).collect();
        at = close + 1;
        table.options_at = at;
    }
    let (clauses, behind) = options(s, at, end);
    table.options = clauses;
    at = behind;
    if s.are(at, &["PARTITION", "BY"]) {
        table.partitioned = true;
        table.partitions = partition_options(s, at, end);
        table.select = (at..end).any(|at| s.is(at, "SELECT"));
    } else if let Some(by) = partition_by(s, at, end) {
        // Options that are not understood stand between.
        table.partitioned = true;
        table.partitions = partition_options(s, by, end);
    } else {
        table.select = at < end && is_query(s, at);
    }
    (table.body.is_some() || table.select).then_some(table)
}

/// Whether a query begins here.
fn is_query(s: &Statement<'_>, mut at: usize) -> bool {
    while s.mark(at, b'(') {
        at += 1;
    }
    s.is_any(at, &["SELECT", "WITH", "AS", "IGNORE", "REPLACE", "VALUES", "TABLE"])
        && !s.are(at, &["WITH", "SYSTEM"])
}
