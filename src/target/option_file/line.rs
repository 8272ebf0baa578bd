//! One line of an option file.

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    Blank,
    Group(String),
    Include(String),
    IncludeDir(String),
    /// Name with underscores, lower case; value without quotes, escapes resolved.
    Option {
        name: String,
        value: Option<String>,
    },
    /// None of these.
    Unknown(String),
}

/// Reads a line.
pub(super) fn parse(text: &str) -> Line {
    let text = text.trim();
    if text.is_empty() || text.starts_with(['#', ';']) {
        return Line::Blank;
    }
    if let Some(rest) = text.strip_prefix('!') {
        return match rest.split_once(char::is_whitespace) {
            Some(("include", path)) => Line::Include(path.trim().to_string()),
            Some(("includedir", path)) => Line::IncludeDir(path.trim().to_string()),
            _ => Line::Unknown(text.to_string()),
        };
    }
    if let Some(rest) = text.strip_prefix('[') {
        return match rest.split_once(']') {
            Some((name, _)) => Line::Group(name.trim().to_string()),
            None => Line::Unknown(text.to_string()),
        };
    }
    let text = without_comment(text).trim_end();
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name.trim(), Some(unquoted(value.trim()))),
        None => (text, None),
    };
    let name = name.trim_start_matches("--").replace('-', "_").to_ascii_lowercase();
    // A key cache has a dot in its name: `hot_cache.key_buffer_size`.
    let may_stand = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    if name.is_empty() || !name.chars().all(may_stand) {
        return Line::Unknown(text.to_string());
    }
    Line::Option { name, value }
}

/// The text up to a `#` outside quotes.
fn without_comment(text: &str) -> &str {
    let mut quote = None;
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (None, '#') => return &text[..at],
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), _) if character == open && !escaped => quote = None,
            _ => {}
        }
        escaped = character == '\\' && !escaped;
    }
    text
}

/// A value without the quotes around it, escapes resolved.
fn unquoted(value: &str) -> String {
    let inner = ['\'', '"']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value);
    let mut out = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('s') => out.push(' '),
            Some(quote @ ('\\' | '\'' | '"')) => out.push(quote),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}
