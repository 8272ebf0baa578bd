//! Table and partition options, in any order, with or without `=` and commas.

use super::statement::Statement;
use crate::schema::token::Kind;

/// One option clause, such as `ENGINE = InnoDB`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OptionClause {
    /// Canonical name, upper case: `ENGINE`, `ROW_FORMAT`, `CHARSET`, `DATA DIRECTORY`.
    pub(crate) name: String,
    /// Position of its first token.
    pub(crate) first: usize,
    /// Position of the token that says what the option is (`ENGINE` of `STORAGE ENGINE`).
    pub(crate) key: usize,
    /// Position of the first token of its value; after the clause where there is none.
    pub(crate) value: usize,
    /// Position after its last token, a comma behind it not counted.
    pub(crate) end: usize,
}

/// Options that may be written without `=`, and the shape of their value.
const BARE: &[&str] = &[
    "AUTO_INCREMENT",
    "AUTOEXTEND_SIZE",
    "AVG_ROW_LENGTH",
    "CHARSET",
    "CHECKSUM",
    "COLLATE",
    "COMMENT",
    "COMPRESSION",
    "CONNECTION",
    "DELAY_KEY_WRITE",
    "ENCRYPTION",
    "ENGINE",
    "ENGINE_ATTRIBUTE",
    "INSERT_METHOD",
    "KEY_BLOCK_SIZE",
    "MAX_ROWS",
    "MIN_ROWS",
    "NODEGROUP",
    "PACK_KEYS",
    "PAGE_CHECKSUM",
    "PASSWORD",
    "ROW_FORMAT",
    "SECONDARY_ENGINE",
    "SECONDARY_ENGINE_ATTRIBUTE",
    "SEQUENCE",
    "STATS_AUTO_RECALC",
    "STATS_PERSISTENT",
    "STATS_SAMPLE_PAGES",
    "STORAGE",
    "TABLE_CHECKSUM",
    "TABLESPACE",
    "TRANSACTIONAL",
    "TYPE",
    "UNION",
];

/// Words that end the options of a CREATE TABLE.
const ENDS: &[&str] =
    &["PARTITION", "AS", "SELECT", "IGNORE", "REPLACE", "VALUES", "TABLE", "REMOVE"];

/// Reads the options that begin at `at`, up to `limit`. Gives them and the position where it
/// stopped: at a word that is no option, at a mark, or at the limit.
pub(crate) fn options(
    statement: &Statement<'_>,
    mut at: usize,
    limit: usize,
) -> (Vec<OptionClause>, usize) {
    let mut clauses = Vec::new();
    loop {
        let start = if !clauses.is_empty() && statement.mark(at, b',') { at + 1 } else { at };
        match option(statement, start, limit) {
            Some(clause) => {
                at = clause.end;
                clauses.push(clause);
            }
            None => return (clauses, at),
        }
    }
}

/// Reads one option clause.
pub(crate) fn option(statement: &Statement<'_>, at: usize, limit: usize) -> Option<OptionClause> {
    if at >= limit || !statement.is_name(at) {
        return None;
    }
    let upper = statement.text_of(at).to_ascii_uppercase();
    let is_word = statement.kind(at) == Some(Kind::Word);
    let equals = |at: usize| if statement.mark(at, b'=') { at + 1 } else { at };
    let clause = |name: &str, key: usize, value: usize, end: usize| {
        (value < limit && end <= limit).then(|| OptionClause {
            name: name.to_string(),
            first: at,
            key,
            value,
            end,
        })
    };
    let bare = |name: &str, end: usize| {
        (end <= limit).then(|| OptionClause {
            name: name.to_string(),
            first: at,
            key: at,
            value: end,
            end,
        })
    };
    if is_word {
        if statement.are(at, &["WITH", "SYSTEM", "VERSIONING"]) {
            return bare("WITH SYSTEM VERSIONING", at + 3);
        }
        if statement.are(at, &["START", "TRANSACTION"]) {
            return bare("START TRANSACTION", at + 2);
        }
        if ENDS.iter().any(|word| upper == *word) {
            return None;
        }
        let after_default = if upper == "DEFAULT" { at + 1 } else { at };
        if statement.are(after_default, &["CHARACTER", "SET"]) {
            let value = equals(after_default + 2);
            return clause("CHARSET", after_default, value, value + 1);
        }
        if upper == "DEFAULT" {
            return ["CHARSET", "COLLATE", "ENCRYPTION"].iter().find_map(|name| {
                let value = equals(at + 2);
                statement.is(at + 1, name).then(|| clause(name, at + 1, value, value + 1)).flatten()
            });
        }
        if statement.is_any(at, &["DATA", "INDEX"]) && statement.is(at + 1, "DIRECTORY") {
            let value = equals(at + 2);
            return clause(&format!("{upper} DIRECTORY"), at, value, value + 1);
        }
        if statement.are(at, &["STORAGE", "ENGINE"]) {
            let value = equals(at + 2);
            return clause("ENGINE", at + 1, value, value + 1);
        }
        if upper == "TYPE" {
            let value = equals(at + 1);
            return clause("ENGINE", at, value, value + 1);
        }
    }
    if statement.mark(at + 1, b'=') {
        // `UNION=()` and attributes of engines; a negative number does not occur.
        return clause(&upper, at, at + 2, statement.after(at + 2));
    }
    if is_word && BARE.contains(&upper.as_str()) {
        return clause(&upper, at, at + 1, statement.after(at + 1));
    }
    None
}
