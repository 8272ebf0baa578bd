//! MySQL's DDL as tokens. Comments go; what `/*! ... */` hides from other databases stays.

/// A token of one statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A bare word or number.
    Word(String),
    /// A quoted name.
    Name(String),
    /// A string literal, its quotes and escapes resolved.
    Text(String),
    /// Anything else.
    Mark(char),
}

impl Token {
    /// Whether it is this keyword, in any case.
    pub(super) fn is(&self, keyword: &str) -> bool {
        matches!(self, Self::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    /// The token as it would be written.
    pub(super) fn show(&self) -> String {
        match self {
            Self::Word(word) => word.clone(),
            Self::Name(name) => crate::target::sqlite::quoted(name),
            Self::Text(text) => literal(text),
            Self::Mark(mark) => mark.to_string(),
        }
    }
}

/// A text as SQLite's string literal.
pub(super) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The tokens of a statement; an error names what does not end.
pub(super) fn tokens(sql: &str) -> Result<Vec<Token>, String> {
    let chars: Vec<char> = sql.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let next = chars.get(at + 1).copied();
        match c {
            c if c.is_whitespace() => at += 1,
            '#' => at = line_end(&chars, at),
            '-' if next == Some('-') => at = line_end(&chars, at),
            '/' if next == Some('*') => {
                at += 2;
                if chars.get(at) == Some(&'M') && chars.get(at + 1) == Some(&'!') {
                    at += 1;
                }
                if chars.get(at) == Some(&'!') {
                    at += 1;
                    while chars.get(at).is_some_and(char::is_ascii_digit) {
                        at += 1;
                    }
                } else {
                    at = past_comment(&chars, at).ok_or("a comment has no end")?;
                }
            }
            '*' if next == Some('/') => at += 2,
            '`' | '"' | '\'' => {
                let (text, end) = quoted_text(&chars, at, c).ok_or("a quoted text has no end")?;
                at = end;
                found.push(if c == '`' { Token::Name(text) } else { Token::Text(text) });
            }
            c if is_word(c) => {
                let start = at;
                let number = c.is_ascii_digit();
                while chars.get(at).is_some_and(|&c| is_word(c) || (number && c == '.')) {
                    at += 1;
                }
                found.push(Token::Word(chars[start..at].iter().collect()));
            }
            c => {
                found.push(Token::Mark(c));
                at += 1;
            }
        }
    }
    if found.last() == Some(&Token::Mark(';')) {
        found.pop();
    }
    Ok(found)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn line_end(chars: &[char], from: usize) -> usize {
    chars[from..].iter().position(|&c| c == '\n').map_or(chars.len(), |length| from + length)
}

fn past_comment(chars: &[char], from: usize) -> Option<usize> {
    chars.get(from..)?.windows(2).position(|pair| pair == ['*', '/']).map(|at| from + at + 2)
}

/// The text between quotes, and where it ends. A doubled quote stands for one; a backslash
/// escapes in strings, not in names.
fn quoted_text(chars: &[char], from: usize, quote: char) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut at = from + 1;
    loop {
        let c = *chars.get(at)?;
        if c == quote {
            if chars.get(at + 1) != Some(&quote) {
                return Some((text, at + 1));
            }
            at += 1;
        } else if c == '\\' && quote != '`' {
            at += 1;
            text.push(match *chars.get(at)? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                other => other,
            });
            at += 1;
            continue;
        }
        text.push(c);
        at += 1;
    }
}
