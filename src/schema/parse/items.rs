//! What stands between the parentheses of CREATE TABLE, and behind ADD in ALTER TABLE: columns,
//! keys, constraints.

use super::statement::{Name, Statement};

/// A column, key or constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// Position of its first token.
    pub(crate) first: usize,
    /// Position after its last token.
    pub(crate) end: usize,
    pub(crate) kind: ItemKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    Column(Column),
    Key(Key),
    ForeignKey(ForeignKey),
    /// `LIKE other`.
    Like,
    /// CHECK, PERIOD and whatever is not understood.
    Other,
}

/// The kind of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// The primary key.
    Primary,
    /// A unique key.
    Unique,
    /// A plain key.
    Plain,
    /// A full-text index.
    Fulltext,
    /// A spatial index.
    Spatial,
    /// A vector index.
    Vector,
}

/// A key other than a foreign one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) kind: KeyKind,
    /// As written: its own name, else that of its constraint.
    pub(crate) name: Option<String>,
    pub(crate) parts: Vec<KeyPart>,
    /// Position of a `CLUSTERING` before KEY (Tokutek and Percona).
    pub(crate) clustering_word: Option<usize>,
    /// Positions of `CLUSTERING = YES` behind the parts (mariadb.org): first and end.
    pub(crate) clustering_option: Option<(usize, usize)>,
    /// Position after the parenthesis that closes the parts.
    pub(crate) parts_end: usize,
    /// Position of `KEY` or `INDEX`, or of the word that stands for it.
    pub(crate) keyword: usize,
}

/// One column of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyPart {
    /// The column; empty for an expression.
    pub(crate) column: String,
    /// Length of its prefix, characters.
    pub(crate) prefix: Option<u64>,
    pub(crate) descending: bool,
}

impl KeyPart {
    /// A whole column.
    pub(crate) fn whole(column: &str) -> Self {
        Self { column: column.to_string(), prefix: None, descending: false }
    }
}

/// A foreign key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ForeignKey {
    /// Name of the constraint.
    pub(crate) constraint: Option<String>,
    /// Name behind FOREIGN KEY.
    pub(crate) name: Option<String>,
    /// Columns.
    pub(crate) columns: Vec<KeyPart>,
    /// Positions of the column list, parentheses included: first and end.
    pub(crate) list: (usize, usize),
    /// The table it refers to.
    pub(crate) parent: Option<Name>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// Type without arguments, upper case: `VARCHAR`, `BIGINT`.
    pub(crate) data_type: String,
    /// Arguments of the type, where they are numbers.
    pub(crate) arguments: Vec<u64>,
    /// Character set or collation, where it states one.
    pub(crate) charset: Option<String>,
    /// Positions of `COLLATE name`.
    pub(crate) collate: Option<(usize, usize)>,
    pub(crate) not_null: bool,
    pub(crate) auto_increment: bool,
    pub(crate) primary: bool,
    pub(crate) unique: bool,
    pub(crate) generated: bool,
    /// A generated one that is kept in the row.
    pub(crate) stored: bool,
    /// Positions of an inline `REFERENCES ...`, `CONSTRAINT name` before it included.
    pub(crate) references: Option<(usize, usize)>,
}

/// Reads the item in `first..end`.
pub(crate) fn item(statement: &Statement<'_>, first: usize, end: usize) -> Item {
    let s = statement;
    let mut at = first;
    let mut constraint = None;
    if s.is(at, "CONSTRAINT") {
        at += 1;
        if s.are(at, &["IF", "NOT", "EXISTS"]) {
            at += 3;
        }
        if !s.is_any(at, &["FOREIGN", "PRIMARY", "UNIQUE", "CHECK"]) && s.is_name(at) {
            constraint = Some(s.text_of(at));
            at += 1;
        }
    }
    let kind = if s.are(at, &["FOREIGN", "KEY"]) {
        foreign_key(s, at + 2, end, constraint).map(ItemKind::ForeignKey)
    } else if let Some((kind, keyword)) = key_head(s, at) {
        key(s, at, kind, keyword, end, constraint).map(ItemKind::Key)
    } else if at == first && s.is(at, "LIKE") {
        Some(ItemKind::Like)
    } else if s.is(at, "CHECK") || constraint.is_some() || s.are(at, &["PERIOD", "FOR"]) {
        None
    } else {
        column(s, at, end).map(ItemKind::Column)
    };
    Item { first, end, kind: kind.unwrap_or(ItemKind::Other) }
}

/// Whether a key definition begins here: its kind and the position of its last keyword.
fn key_head(s: &Statement<'_>, at: usize) -> Option<(KeyKind, usize)> {
    let is_key = |at: usize| s.is_any(at, &["KEY", "INDEX"]);
    let skip = |at: usize| if s.is(at, "CLUSTERING") { at + 1 } else { at };
    if s.are(at, &["PRIMARY", "KEY"]) {
        return Some((KeyKind::Primary, at + 1));
    }
    if s.is(at, "UNIQUE") || (s.are(at, &["CLUSTERING", "UNIQUE"])) {
        let behind = skip(skip(at) + 1);
        return Some((KeyKind::Unique, if is_key(behind) { behind } else { behind - 1 }));
    }
    for (word, kind) in [
        ("FULLTEXT", KeyKind::Fulltext),
        ("SPATIAL", KeyKind::Spatial),
        ("VECTOR", KeyKind::Vector),
    ] {
        // VECTOR is no reserved word: a column may have that name.
        if s.is(at, word) && (kind != KeyKind::Vector || is_key(at + 1)) {
            return Some((kind, if is_key(at + 1) { at + 1 } else { at }));
        }
    }
    if is_key(at) || (s.is(at, "CLUSTERING") && is_key(at + 1)) {
        return Some((KeyKind::Plain, skip(at)));
    }
    None
}

fn key(
    s: &Statement<'_>,
    first: usize,
    kind: KeyKind,
    keyword: usize,
    end: usize,
    constraint: Option<String>,
) -> Option<Key> {
    let mut at = keyword + 1;
    if s.are(at, &["IF", "NOT", "EXISTS"]) {
        at += 3;
    }
    let mut name = None;
    if s.is_name(at) && !is_index_type(s, at) {
        name = Some(s.text_of(at));
        at += 1;
    }
    if is_index_type(s, at) {
        at += 2;
    }
    let clustering_word = (first..=keyword).find(|&at| s.is(at, "CLUSTERING"));
    key_body(s, at, end).map(|(parts, parts_end, clustering_option)| Key {
        kind,
        name: name.or(constraint),
        parts,
        clustering_word,
        clustering_option,
        parts_end,
        keyword,
    })
}

fn is_index_type(s: &Statement<'_>, at: usize) -> bool {
    s.is_any(at, &["USING", "TYPE"]) && s.is_any(at + 1, &["BTREE", "HASH", "RTREE"])
}

type KeyBody = (Vec<KeyPart>, usize, Option<(usize, usize)>);

/// The column list of a key at `open` and what of its options matters.
pub(crate) fn key_body(s: &Statement<'_>, open: usize, end: usize) -> Option<KeyBody> {
    if !s.mark(open, b'(') {
        return None;
    }
    let close = s.closing(open).filter(|&close| close < end)?;
    let clustering = (close + 1..end).find(|&at| s.is(at, "CLUSTERING")).map(|at| {
        let value = if s.mark(at + 1, b'=') { at + 2 } else { at + 1 };
        (at, (value + 1).min(end))
    });
    Some((key_parts(s, open, close), close + 1, clustering))
}

fn key_parts(s: &Statement<'_>, open: usize, close: usize) -> Vec<KeyPart> {
    s.list(open + 1, close)
        .into_iter()
        .map(|(first, end)| {
            let column = if s.is_name(first) { s.text_of(first) } else { String::new() };
            let prefix = (s.mark(first + 1, b'(') && first + 2 < end)
                .then(|| s.text_of(first + 2).parse().ok())
                .flatten();
            KeyPart { column, prefix, descending: s.is(end - 1, "DESC") }
        })
        .collect()
}

fn foreign_key(
    s: &Statement<'_>,
    mut at: usize,
    end: usize,
    constraint: Option<String>,
) -> Option<ForeignKey> {
    if s.are(at, &["IF", "NOT", "EXISTS"]) {
        at += 3;
    }
    let mut name = None;
    if s.is_name(at) {
        name = Some(s.text_of(at));
        at += 1;
    }
    if !s.mark(at, b'(') {
        return None;
    }
    let close = s.closing(at).filter(|&close| close < end)?;
    let parent = s.is(close + 1, "REFERENCES").then(|| s.name(close + 2)).flatten();
    let list = (at, close + 1);
    let columns = key_parts(s, at, close);
    Some(ForeignKey { constraint, name, columns, list, parent: parent.map(|(name, _)| name) })
}

fn column(s: &Statement<'_>, first: usize, end: usize) -> Option<Column> {
    if !s.is_name(first) || first + 1 >= end {
        return None;
    }
    // A qualified column name (`t.c INT`, even `db.t.c INT`) is legal and means `c`.
    let mut at = first;
    while s.mark(at + 1, b'.') && s.is_name(at + 2) {
        at += 2;
    }
    let mut column = Column { name: s.text_of(at), ..Column::default() };
    at += 1;
    column.data_type = s.text_of(at).to_ascii_uppercase();
    if column.data_type == "SERIAL" {
        (column.not_null, column.auto_increment, column.unique) = (true, true, true);
    }
    at += 1;
    if s.mark(at, b'(') && s.kind(at).is_some() {
        let close = s.closing(at).map_or(end, |close| close.min(end));
        column.arguments = (at + 1..close).filter_map(|at| s.text_of(at).parse().ok()).collect();
        at = close + 1;
    }
    while at < end {
        at = attribute(s, at, end, &mut column);
    }
    Some(column)
}

/// Takes in the attribute at `at` and gives the position after it.
fn attribute(s: &Statement<'_>, at: usize, end: usize, column: &mut Column) -> usize {
    if s.are(at, &["NOT", "NULL"]) {
        column.not_null = true;
        return at + 2;
    }
    if s.is(at, "AUTO_INCREMENT") {
        column.auto_increment = true;
        return at + 1;
    }
    if s.are(at, &["SERIAL", "DEFAULT", "VALUE"]) {
        (column.not_null, column.auto_increment, column.unique) = (true, true, true);
        return at + 3;
    }
    if s.is(at, "PRIMARY") || s.is(at, "KEY") {
        column.primary = true;
        return if s.are(at, &["PRIMARY", "KEY"]) { at + 2 } else { at + 1 };
    }
    if s.is(at, "UNIQUE") {
        column.unique = true;
        return if s.is(at + 1, "KEY") { at + 2 } else { at + 1 };
    }
    if s.is(at, "AS") && s.mark(at + 1, b'(') {
        column.generated = true;
        return s.after(at + 1);
    }
    if s.is_any(at, &["STORED", "PERSISTENT"]) {
        column.stored = true;
        return at + 1;
    }
    if s.are(at, &["GENERATED", "ALWAYS", "AS", "ROW"]) {
        // A column of system versioning; no generated one in the sense of engines.
        return at + 5;
    }
    if s.is(at, "CHARSET") || s.is(at, "COLLATE") {
        let value = if s.mark(at + 1, b'=') { at + 2 } else { at + 1 };
        column.charset = Some(s.text_of(value).to_ascii_lowercase());
        if s.is(at, "COLLATE") {
            column.collate = Some((at, value + 1));
        }
        return value + 1;
    }
    if s.are(at, &["CHARACTER", "SET"]) {
        column.charset = Some(s.text_of(at + 2).to_ascii_lowercase());
        return at + 3;
    }
    if s.is(at, "CONSTRAINT") && s.is_name(at + 1) && s.is(at + 2, "REFERENCES") {
        let behind = references_end(s, at + 2, end);
        column.references = Some((at, behind));
        return behind;
    }
    if s.is(at, "REFERENCES") {
        let behind = references_end(s, at, end);
        column.references = Some((at, behind));
        return behind;
    }
    s.after(at)
}

/// The position after the REFERENCES clause at `at`.
fn references_end(s: &Statement<'_>, at: usize, end: usize) -> usize {
    let mut at = s.name(at + 1).map_or(at + 1, |(_, behind)| behind);
    if s.mark(at, b'(') {
        at = s.after(at);
    }
    loop {
        if s.is(at, "MATCH") && s.is_any(at + 1, &["FULL", "PARTIAL", "SIMPLE"]) {
            at += 2;
        } else if s.is(at, "ON") && s.is_any(at + 1, &["DELETE", "UPDATE"]) {
            if s.is_any(at + 2, &["RESTRICT", "CASCADE"]) {
                at += 3;
            } else if s.are(at + 2, &["SET", "NULL"])
                || s.are(at + 2, &["SET", "DEFAULT"])
                || s.are(at + 2, &["NO", "ACTION"])
            {
                at += 4;
            } else {
                return at.min(end);
            }
        } else {
            return at.min(end);
        }
    }
}
