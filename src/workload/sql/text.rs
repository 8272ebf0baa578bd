//! SQL text of suites and of load scripts: where statements end, which words are parameters, what a
//! statement does to the number of rows.

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A bare word or number.
    Word,
    /// A quoted name.
    Name,
    /// A string.
    Text,
    /// `:name`.
    Parameter,
    /// `;`
    End,
    /// Any other mark.
    Mark,
}

/// A piece of SQL that is neither white space nor an ordinary comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// The end of a quoted text that begins at `at`; the end of `sql` when it has none.
fn quoted(sql: &[u8], at: usize) -> usize {
    let quote = sql[at];
    let mut at = at + 1;
    while at < sql.len() {
        match sql[at] {
            b'\\' if quote != b'`' => at += 1,
            byte if byte == quote && sql.get(at + 1) == Some(&quote) => at += 1,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    sql.len()
}

/// The end of a comment that begins at `at`; none when there is none. What `/*! ... */` hides from
/// other databases is no comment.
fn comment(sql: &[u8], at: usize) -> Option<usize> {
    let line = || sql[at..].iter().position(|&b| b == b'\n').map_or(sql.len(), |n| at + n);
    match sql[at] {
        b'#' => Some(line()),
        b'-' if sql[at..].starts_with(b"--")
            && sql.get(at + 2).is_none_or(u8::is_ascii_whitespace) =>
        {
            Some(line())
        }
        b'/' if sql[at..].starts_with(b"/*") && !matches!(sql.get(at + 2), Some(b'!' | b'M')) => {
            let inside = &sql[at + 2..];
            let end = inside.windows(2).position(|pair| pair == b"*/");
            Some(end.map_or(sql.len(), |end| at + 2 + end + 2))
        }
        _ => None,
    }
}

/// The tokens of a text.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let sql = text.as_bytes();
    let mut found: Vec<Token> = Vec::new();
    let mut at = 0;
    while at < sql.len() {
        if sql[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if let Some(end) = comment(sql, at) {
            at = end;
            continue;
        }
        let start = at;
        let word_end = |from: usize| {
            sql[from..].iter().position(|&byte| !is_word(byte)).map_or(sql.len(), |n| from + n)
        };
        // `a:b` and `::` are no parameters.
        let apart = start == 0 || !(is_word(sql[start - 1]) || sql[start - 1] == b':');
        let kind = match sql[at] {
            b'\'' | b'"' => {
                at = quoted(sql, at);
                Kind::Text
            }
            b'`' => {
                at = quoted(sql, at);
                Kind::Name
            }
            b':' if apart
                && sql.get(at + 1).is_some_and(|&b| is_word(b) && !b.is_ascii_digit()) =>
            {
                at = word_end(at + 1);
                Kind::Parameter
            }
            b';' => {
                at += 1;
                Kind::End
            }
            byte if is_word(byte) => {
                at = word_end(at);
                Kind::Word
            }
            _ => {
                at += 1;
                Kind::Mark
            }
        };
        found.push(Token { kind, start, end: at });
    }
    found
}

/// What a statement does to the number of rows of its table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// None.
    Nothing,
    /// As many more as it says it changed.
    Adds(String),
    /// As many fewer.
    Removes(String),
    /// Some, not as it says: REPLACE, ON DUPLICATE KEY.
    Blurs(String),
    /// Rows of tables that cannot be told.
    Unknown,
    /// It makes, changes or drops a table.
    Defines,
    /// It ends a transaction, by its words or by what servers do before it.
    Commits,
}

/// One statement: its tokens, terminator left out.
#[derive(Clone, Copy)]
pub(super) struct Piece<'t> {
    pub(super) text: &'t str,
    pub(super) tokens: &'t [Token],
}

impl<'t> Piece<'t> {
    pub(super) fn of(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| &self.text[token.start..token.end])
    }

    /// Whether the token is this keyword.
    pub(super) fn is(&self, at: usize, keyword: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Word)
            && self.of(at).eq_ignore_ascii_case(keyword)
    }

    fn is_any(&self, at: usize, keywords: &[&str]) -> bool {
        keywords.iter().any(|keyword| self.is(at, keyword))
    }

    /// Whether the keywords stand one after the other anywhere.
    pub(super) fn has(&self, keywords: &[&str]) -> bool {
        (0..self.tokens.len())
            .any(|at| keywords.iter().enumerate().all(|(n, keyword)| self.is(at + n, keyword)))
    }

    /// The table named at a token, without its database; and the token behind it.
    fn table(&self, at: usize) -> Option<(String, usize)> {
        let name = |at: usize| {
            let token = self.tokens.get(at)?;
            matches!(token.kind, Kind::Word | Kind::Name)
                .then(|| self.of(at).trim_matches('`').replace("``", "`"))
        };
        if self.of(at + 1) == "." {
            return Some((name(at + 2)?, at + 3));
        }
        Some((name(at)?, at + 1))
    }

    /// What it does to the number of rows.
    pub(super) fn effect(&self) -> Effect {
        let after = |words: &[&str]| {
            let mut at = 1;
            while self.is_any(at, words) {
                at += 1;
            }
            at
        };
        if self.is(0, "INSERT") {
            let at = after(&["LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED", "IGNORE", "INTO"]);
            let Some((table, _)) = self.table(at) else { return Effect::Unknown };
            let blurred = self.has(&["ON", "DUPLICATE"]) || self.has(&["ON", "CONFLICT"]);
            return if blurred { Effect::Blurs(table) } else { Effect::Adds(table) };
        }
        if self.is(0, "REPLACE") {
            let at = after(&["LOW_PRIORITY", "DELAYED", "INTO"]);
            return self.table(at).map_or(Effect::Unknown, |(table, _)| Effect::Blurs(table));
        }
        if self.is(0, "DELETE") {
            let at = after(&["LOW_PRIORITY", "QUICK", "IGNORE"]);
            return match self.table(at + 1) {
                Some((table, next))
                    if self.is(at, "FROM")
                        && self.of(next) != ","
                        && !self.has(&["JOIN"])
                        && !self.is(next, "USING") =>
                {
                    Effect::Removes(table)
                }
                _ => Effect::Unknown,
            };
        }
        if self.is_any(0, &["CREATE", "DROP", "ALTER", "RENAME", "TRUNCATE"]) {
            return Effect::Defines;
        }
        if self.is_any(0, &["BEGIN", "START", "COMMIT", "ROLLBACK", "LOCK", "UNLOCK", "USE"]) {
            return Effect::Commits;
        }
        if self.is_any(0, &["SELECT", "UPDATE", "SET", "VALUES", "DO", "SHOW", "EXPLAIN"]) {
            return Effect::Nothing;
        }
        Effect::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(sql: &str) -> Effect {
        let tokens = tokens(sql);
        Piece { text: sql, tokens: &tokens }.effect()
    }

    #[test]
    fn parameters_stand_outside_of_strings_and_comments() {
        let sql = "SELECT ':a', `:b`, :c -- :d\n, x::int, '\\':e', :f_1 /* :g */ # :h";
        let found: Vec<&str> = tokens(sql)
            .iter()
            .filter(|token| token.kind == Kind::Parameter)
            .map(|token| &sql[token.start..token.end])
            .collect();
        assert_eq!(found, [":c", ":f_1"]);
    }

    #[test]
    fn what_statements_do_to_row_counts_is_told_where_it_can_be() {
        let table = |name: &str| name.to_string();
        assert_eq!(effect("INSERT IGNORE INTO `o``x` VALUES (1)"), Effect::Adds(table("o`x")));
        assert_eq!(effect("insert shop.orders SET a = 1"), Effect::Adds(table("orders")));
        assert_eq!(
            effect("INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 2"),
            Effect::Blurs(table("t"))
        );
        assert_eq!(effect("REPLACE INTO t VALUES (1)"), Effect::Blurs(table("t")));
        assert_eq!(effect("DELETE FROM t WHERE a = 1"), Effect::Removes(table("t")));
        assert_eq!(effect("DELETE a, b FROM a JOIN b"), Effect::Unknown);
        assert_eq!(effect("DELETE FROM a USING a JOIN b"), Effect::Unknown);
        assert_eq!(effect("SELECT 1"), Effect::Nothing);
        assert_eq!(effect("CALL p()"), Effect::Unknown);
        assert_eq!(effect("ALTER TABLE t DISABLE KEYS"), Effect::Defines);
        assert_eq!(effect("commit"), Effect::Commits);
    }
}
