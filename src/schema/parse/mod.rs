//! Statements that transforms understand. Everything else is [`Parsed::Other`] and passes through.

pub(crate) mod alter;
pub(crate) mod items;
pub(crate) mod options;
pub(crate) mod partition;
pub(crate) mod statement;
pub(crate) mod table;

use crate::schema::token::Kind;
use alter::{AlterTable, alter_table};
use items::{KeyKind, KeyPart, key_body};
use options::{OptionClause, option};
use statement::{Name, Statement};
use table::{CreateTable, create_table};

/// What a statement is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    CreateTable(CreateTable),
    AlterTable(AlterTable),
    CreateIndex(CreateIndex),
    DropIndex {
        name: String,
        table: Name,
    },
    DropTable(Vec<Name>),
    RenameTable(Vec<(Name, Name)>),
    /// Something else that has an engine: a tablespace, a log file group.
    Engines(Vec<OptionClause>),
    /// CREATE SEQUENCE or ALTER SEQUENCE, with its clauses that name an engine.
    Sequence {
        name: Name,
        created: bool,
        engines: Vec<OptionClause>,
    },
    /// SET: settings that name an engine, and what it does to backslashes.
    Set(Set),
    /// USE.
    Use(String),
    /// A stored program: positions of its body.
    Program(usize),
    Other,
}

/// CREATE INDEX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CreateIndex {
    pub(crate) kind: KeyKind,
    pub(crate) name: String,
    pub(crate) table: Name,
    pub(crate) parts: Vec<KeyPart>,
    /// Position of a `CLUSTERING` before INDEX.
    pub(crate) clustering_word: Option<usize>,
    /// Positions of `CLUSTERING = YES`: first and end.
    pub(crate) clustering_option: Option<(usize, usize)>,
    /// Position of INDEX.
    pub(crate) keyword: usize,
    /// Position after the parenthesis that closes the parts.
    pub(crate) parts_end: usize,
}

/// SET.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Set {
    /// Positions of values that name an engine.
    pub(crate) engines: Vec<usize>,
    /// The same of the engine for temporary tables alone.
    pub(crate) temporary_engines: Vec<usize>,
    /// Position of the statement that SET STATEMENT ... FOR carries.
    pub(crate) statement: Option<usize>,
    /// What it makes of NO_BACKSLASH_ESCAPES, where it sets the SQL mode to a text.
    pub(crate) no_backslash_escapes: Option<bool>,
}

/// Words that carry other statements: MariaDB's compound statements outside of programs, and
/// commands of mysqltest, whose blocks stand in braces.
pub(crate) const CARRIERS: &[&str] =
    &["IF", "WHILE", "LOOP", "REPEAT", "CASE", "FOR", "EVAL", "SEND", "SEND_EVAL"];

/// Reads the statement in `at..end`.
pub(crate) fn parse(s: &Statement<'_>, at: usize, end: usize) -> Parsed {
    let parsed = if s.is(at, "CREATE") {
        create(s, at + 1, end)
    } else if s.is(at, "ALTER") {
        alter(s, at + 1, end)
    } else if s.is(at, "DROP") {
        drop(s, at + 1, end)
    } else if s.are(at, &["RENAME", "TABLE"]) || s.are(at, &["RENAME", "TABLES"]) {
        rename(s, at + 2, end)
    } else if s.are(at, &["SET", "STATEMENT"]) {
        let inner = (at + 2..end).find(|&at| s.is(at, "FOR"));
        inner.map(|inner| {
            let settings = set(s, at + 2, inner);
            Parsed::Set(Set { statement: Some(inner + 1), ..settings })
        })
    } else if s.is(at, "SET") {
        Some(Parsed::Set(set(s, at + 1, end)))
    } else if s.are(at, &["BEGIN", "NOT", "ATOMIC"]) {
        Some(Parsed::Program(at + 3))
    } else if s.is_any(at, CARRIERS) || s.mark(at, b'{') || s.mark(at, b'}') {
        Some(Parsed::Program(at + 1))
    } else if s.is(at, "USE") && s.is_name(at + 1) {
        Some(Parsed::Use(s.text_of(at + 1)))
    } else {
        None
    };
    parsed.unwrap_or(Parsed::Other)
}

fn create(s: &Statement<'_>, mut at: usize, end: usize) -> Option<Parsed> {
    if s.are(at, &["OR", "REPLACE"]) {
        at += 2;
    }
    let temporary = s.is(at, "TEMPORARY");
    if temporary {
        at += 1;
    }
    if s.is(at, "TABLE") {
        return create_table(s, at + 1, end, temporary).map(Parsed::CreateTable);
    }
    if s.is(at, "SEQUENCE") {
        return sequence(s, at + 1, end, true);
    }
    if s.is(at, "TABLESPACE")
        || s.are(at, &["UNDO", "TABLESPACE"])
        || s.are(at, &["LOGFILE", "GROUP"])
    {
        return Some(Parsed::Engines(engine_clauses(s, at, end)));
    }
    if let Some(index) = create_index(s, at, end) {
        return Some(Parsed::CreateIndex(index));
    }
    // DEFINER = user, AGGREGATE and the like may come first.
    let program =
        (at..end.min(at + 16))
            .take_while(|&at| !s.mark(at, b'(') && !s.is(at, "VIEW"))
            .find(|&at| s.is_any(at, &["PROCEDURE", "FUNCTION", "TRIGGER", "EVENT", "PACKAGE"]))?;
    Some(Parsed::Program(program + 1))
}

fn create_index(s: &Statement<'_>, mut at: usize, end: usize) -> Option<CreateIndex> {
    if s.is_any(at, &["ONLINE", "OFFLINE"]) {
        at += 1;
    }
    let mut kind = KeyKind::Plain;
    let mut clustering_word = None;
    loop {
        if s.is(at, "UNIQUE") {
            kind = KeyKind::Unique;
        } else if s.is(at, "FULLTEXT") {
            kind = KeyKind::Fulltext;
        } else if s.is(at, "SPATIAL") {
            kind = KeyKind::Spatial;
        } else if s.is(at, "VECTOR") {
            kind = KeyKind::Vector;
        } else if s.is(at, "CLUSTERING") {
            clustering_word = Some(at);
        } else {
            break;
        }
        at += 1;
    }
    if !s.is(at, "INDEX") {
        return None;
    }
    let keyword = at;
    at += 1;
    if s.are(at, &["IF", "NOT", "EXISTS"]) {
        at += 3;
    }
    let name = s.is_name(at).then(|| s.text_of(at))?;
    at += 1;
    while at < end && !s.is(at, "ON") {
        at += 1;
    }
    let (table, behind) = s.name(at + 1)?;
    let (parts, parts_end, clustering_option) = key_body(s, behind, end)?;
    Some(CreateIndex {
        kind,
        name,
        table,
        parts,
        clustering_word,
        clustering_option,
        keyword,
        parts_end,
    })
}

fn alter(s: &Statement<'_>, mut at: usize, end: usize) -> Option<Parsed> {
    while s.is_any(at, &["ONLINE", "OFFLINE", "IGNORE"]) {
        at += 1;
    }
    if s.is(at, "TABLE") {
        return alter_table(s, at + 1, end).map(Parsed::AlterTable);
    }
    if s.is(at, "SEQUENCE") {
        return sequence(s, at + 1, end, false);
    }
    if s.is(at, "TABLESPACE")
        || s.are(at, &["UNDO", "TABLESPACE"])
        || s.are(at, &["LOGFILE", "GROUP"])
    {
        return Some(Parsed::Engines(engine_clauses(s, at, end)));
    }
    None
}

fn sequence(s: &Statement<'_>, mut at: usize, end: usize, created: bool) -> Option<Parsed> {
    if s.are(at, &["IF", "NOT", "EXISTS"]) {
        at += 3;
    } else if s.are(at, &["IF", "EXISTS"]) {
        at += 2;
    }
    let (name, behind) = s.name(at)?;
    let engines = engine_clauses(s, behind - 2, end);
    Some(Parsed::Sequence { name, created, engines })
}

/// ENGINE clauses among the words of a statement that has no parentheses to hide names in.
fn engine_clauses(s: &Statement<'_>, from: usize, end: usize) -> Vec<OptionClause> {
    // The first two words are what it is and its name, which may be `engine`.
    (from + 2..end)
        .filter(|&at| s.is(at, "ENGINE") && !s.mark(at - 1, b'='))
        .filter_map(|at| option(s, at, end))
        .filter(|clause| s.is_name_or_text(clause.value))
        .collect()
}

fn drop(s: &Statement<'_>, mut at: usize, end: usize) -> Option<Parsed> {
    if s.is_any(at, &["ONLINE", "OFFLINE"]) && s.is(at + 1, "INDEX") {
        at += 1;
    }
    if s.is(at, "INDEX") {
        at += 1;
        if s.are(at, &["IF", "EXISTS"]) {
            at += 2;
        }
        let name = s.is_name(at).then(|| s.text_of(at))?;
        let (table, _) = s.is(at + 1, "ON").then(|| s.name(at + 2)).flatten()?;
        return Some(Parsed::DropIndex { name, table });
    }
    if s.is(at, "TEMPORARY") {
        at += 1;
    }
    if s.is_any(at, &["TABLE", "TABLES"]) {
        at += 1;
        if s.are(at, &["IF", "EXISTS"]) {
            at += 2;
        }
        let names = s.list(at, end).into_iter().filter_map(|(first, _)| s.name(first));
        return Some(Parsed::DropTable(names.map(|(name, _)| name).collect()));
    }
    None
}

fn rename(s: &Statement<'_>, from: usize, end: usize) -> Option<Parsed> {
    let mut renamed = Vec::new();
    let from = if s.are(from, &["IF", "EXISTS"]) { from + 2 } else { from };
    for (first, end) in s.list(from, end) {
        let (old, behind) = s.name(first)?;
        let to = (behind..end).find(|&at| s.is(at, "TO"))?;
        renamed.push((old, s.name(to + 1)?.0));
    }
    Some(Parsed::RenameTable(renamed))
}

/// The variable whose value is the engine of temporary tables.
const TEMPORARY_ENGINE: &str = "default_tmp_storage_engine";

/// Variables whose value is a storage engine.
const ENGINE_VARIABLES: &[&str] = &[
    "default_storage_engine",
    "storage_engine",
    TEMPORARY_ENGINE,
    "table_type",
    "enforce_storage_engine",
];

fn set(s: &Statement<'_>, from: usize, end: usize) -> Set {
    let mut set = Set::default();
    for (first, end) in s.list(from, end) {
        // [GLOBAL|SESSION|LOCAL|PERSIST|@@[scope.]] name = value
        let Some(equals) = (first..end).find(|&at| s.mark(at, b'=')) else { continue };
        let mut name_at = equals - usize::from(equals > first);
        if s.mark(name_at, b':') && name_at > first {
            name_at -= 1;
        }
        let is_user_variable = name_at > first
            && s.mark(name_at - 1, b'@')
            && !(name_at > first + 1 && s.mark(name_at - 2, b'@'));
        if !s.is_name(name_at) || is_user_variable {
            continue;
        }
        let name = s.text_of(name_at).to_ascii_lowercase();
        let value = equals + 1;
        if ENGINE_VARIABLES.contains(&name.as_str()) {
            let names_engine = s.is_name_or_text(value) && value + 1 == end;
            if names_engine && !s.is(value, "NULL") {
                let temporary = name == TEMPORARY_ENGINE;
                if temporary { &mut set.temporary_engines } else { &mut set.engines }.push(value);
            }
        } else if name == "sql_mode" && value < end {
            // A mode that comes from a variable or is taken out by REPLACE() is off.
            set.no_backslash_escapes = Some(
                !s.is(value, "REPLACE")
                    && (value..end).any(|at| {
                        matches!(s.kind(at), Some(Kind::SingleQuoted | Kind::DoubleQuoted))
                            && s.text_of(at).to_ascii_uppercase().contains("NO_BACKSLASH_ESCAPES")
                    }),
            );
        }
    }
    set
}
