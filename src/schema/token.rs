//! The tokens of one statement. Every byte belongs to exactly one token, so that a statement can be
//! put together again byte for byte. No input is an error: what is unterminated ends at the end.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// White space.
    Space,
    /// `/* ... */`, an optimizer hint, or a conditional comment that no server executes.
    Comment,
    /// `-- ...` or `# ...` without its line end.
    LineComment,
    /// `/*!`, `/*!50503`, `/*M!`, `/*M!100100`: what follows is executed.
    ConditionalOpen,
    /// The `*/` that ends a conditional comment.
    ConditionalClose,
    /// A keyword, an unquoted name, or a number with letters.
    Word,
    /// `` `name` ``.
    Backticked,
    /// `"text"`: a string, or a name with ANSI_QUOTES.
    DoubleQuoted,
    /// `'text'`.
    SingleQuoted,
    /// Digits alone.
    Number,
    /// Any other single byte.
    Punctuation,
}

/// A stretch of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// What it is.
    pub(crate) kind: Kind,
    /// First byte.
    pub(crate) start: usize,
    /// Byte after the last.
    pub(crate) end: usize,
    /// Number of the conditional comment that it stands in, from 1; 0 outside. The markers
    /// themselves carry the number that they open or close.
    pub(crate) region: u32,
}

impl Token {
    /// Whether it means something to the server.
    pub(crate) fn is_significant(self) -> bool {
        !matches!(
            self.kind,
            Kind::Space
                | Kind::Comment
                | Kind::LineComment
                | Kind::ConditionalOpen
                | Kind::ConditionalClose
        )
    }

    /// Whether it is an ordinary comment.
    pub(crate) fn is_comment(self) -> bool {
        matches!(self.kind, Kind::Comment | Kind::LineComment)
    }
}

/// Conditional comments of this version and later are executed by no server.
pub(crate) const NEVER_EXECUTED: u32 = 999_999;

pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// The length of a conditional comment's opening at the start of `rest` and its version
/// (0 where it states none); none when `rest` opens no conditional comment.
pub(crate) fn conditional_open(rest: &[u8]) -> Option<(usize, u32)> {
    let head = if rest.starts_with(b"/*!") {
        3
    } else if rest.starts_with(b"/*M!") {
        4
    } else {
        return None;
    };
    let digits = rest[head..].iter().take(6).take_while(|byte| byte.is_ascii_digit()).count();
    // The server reads a version of five or six digits; fewer are no version.
    if digits < 5 {
        return Some((head, 0));
    }
    let version = rest[head..head + digits]
        .iter()
        .fold(0, |version, digit| version * 10 + u32::from(digit - b'0'));
    Some((head + digits, version))
}

/// Whether a `--` comment begins at the start of `rest`: white space or the end must follow.
pub(crate) fn dash_comment(rest: &[u8]) -> bool {
    rest.starts_with(b"--") && rest.get(2).is_none_or(|&byte| is_space(byte))
}

/// Cuts a statement into tokens.
pub(crate) fn tokenize(text: &[u8], no_backslash_escapes: bool) -> Vec<Token> {
    let mut lexer = Lexer {
        text,
        at: 0,
        open: Vec::new(),
        regions: 0,
        tokens: Vec::new(),
        no_backslash_escapes,
    };
    while lexer.at < text.len() {
        lexer.next();
    }
    lexer.tokens
}

struct Lexer<'t> {
    text: &'t [u8],
    at: usize,
    /// Conditional comments that are open, innermost last.
    open: Vec<u32>,
    regions: u32,
    tokens: Vec<Token>,
    no_backslash_escapes: bool,
}

impl Lexer<'_> {
    fn push(&mut self, kind: Kind, length: usize) {
        let end = (self.at + length).min(self.text.len());
        let region = self.open.last().copied().unwrap_or(0);
        self.tokens.push(Token { kind, start: self.at, end, region });
        self.at = end;
    }

    fn next(&mut self) {
        let rest = &self.text[self.at..];
        let run = |accept: fn(u8) -> bool| rest.iter().take_while(|&&byte| accept(byte)).count();
        match rest[0] {
            byte if is_space(byte) => self.push(Kind::Space, run(is_space)),
            b'\'' => self.push(Kind::SingleQuoted, self.quoted(rest, b'\'')),
            b'"' => self.push(Kind::DoubleQuoted, self.quoted(rest, b'"')),
            b'`' => self.push(Kind::Backticked, self.quoted(rest, b'`')),
            b'#' => self.push(Kind::LineComment, line_length(rest)),
            b'-' if dash_comment(rest) => self.push(Kind::LineComment, line_length(rest)),
            b'/' if rest.starts_with(b"/*") => self.comment(rest),
            b'*' if rest.starts_with(b"*/") && !self.open.is_empty() => {
                self.push(Kind::ConditionalClose, 2);
                self.open.pop();
            }
            byte if is_word(byte) => {
                let length = run(is_word);
                let digits = rest[..length].iter().all(u8::is_ascii_digit);
                self.push(if digits { Kind::Number } else { Kind::Word }, length);
            }
            _ => self.push(Kind::Punctuation, 1),
        }
    }

    fn comment(&mut self, rest: &[u8]) {
        match conditional_open(rest) {
            Some((length, version)) if version < NEVER_EXECUTED => {
                self.regions += 1;
                self.open.push(self.regions);
                self.push(Kind::ConditionalOpen, length);
            }
            // A skipped conditional comment may hold ordinary comments; an ordinary one may not.
            Some(_) => self.push(Kind::Comment, skipped_length(rest)),
            None => self.push(Kind::Comment, block_length(rest)),
        }
    }

    /// Length of the quoted token at the start of `rest`.
    fn quoted(&self, rest: &[u8], quote: u8) -> usize {
        let escapes = quote != b'`' && !self.no_backslash_escapes;
        let mut at = 1;
        while at < rest.len() {
            match rest[at] {
                b'\\' if escapes => at += 2,
                byte if byte == quote && rest.get(at + 1) == Some(&quote) => at += 2,
                byte if byte == quote => return at + 1,
                _ => at += 1,
            }
        }
        rest.len()
    }
}

fn line_length(rest: &[u8]) -> usize {
    rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len())
}

fn block_length(rest: &[u8]) -> usize {
    rest.windows(2).skip(2).position(|pair| pair == b"*/").map_or(rest.len(), |at| at + 4)
}

fn skipped_length(rest: &[u8]) -> usize {
    let mut at = 2;
    while at < rest.len() {
        if rest[at..].starts_with(b"*/") {
            return at + 2;
        }
        at += if rest[at..].starts_with(b"/*") { block_length(&rest[at..]) } else { 1 };
    }
    rest.len()
}

/// How many lines end in a text.
#[expect(clippy::naive_bytecount, reason = "the compiler makes vector code of it")]
pub(crate) fn line_ends(text: &[u8]) -> u32 {
    text.iter().filter(|&&byte| byte == b'\n').count() as u32
}

/// The text of a quoted token without its quotes, escapes and doubled quotes resolved; of any
/// other token as it is.
pub(crate) fn unquote(raw: &[u8]) -> String {
    let Some(&quote @ (b'\'' | b'"' | b'`')) = raw.first() else {
        return String::from_utf8_lossy(raw).into_owned();
    };
    let mut out = Vec::with_capacity(raw.len());
    let mut at = 1;
    while at < raw.len() {
        let byte = raw[at];
        if byte == quote {
            if raw.get(at + 1) != Some(&quote) {
                break;
            }
            at += 1;
        } else if byte == b'\\' && quote == b'\'' && at + 1 < raw.len() {
            at += 1;
        }
        out.push(raw[at]);
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A name as SQL writes it safely.
pub(crate) fn backtick(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        tokenize(text.as_bytes(), false)
            .into_iter()
            .filter(|token| token.kind != Kind::Space)
            .map(|token| (token.kind, &text[token.start..token.end]))
            .collect()
    }

    #[test]
    fn tokens_cover_every_byte_once() {
        let text = "a`b``c` 'it''s' \"x\\\"y\" /*!50503 z /* n */ */ -- end\n#x\n1e5 12 é=(*/";
        let tokens = tokenize(text.as_bytes(), false);
        let mut at = 0;
        for token in &tokens {
            assert_eq!(token.start, at);
            assert!(token.end > token.start);
            at = token.end;
        }
        assert_eq!(at, text.len());
    }

    #[test]
    fn quotes_end_where_the_server_ends_them() {
        assert_eq!(kinds(r"'a\'b' c")[0], (Kind::SingleQuoted, r"'a\'b'"));
        assert_eq!(kinds("'a''b' c")[0], (Kind::SingleQuoted, "'a''b'"));
        assert_eq!(kinds(r"`a\` c")[0], (Kind::Backticked, r"`a\`"));
        assert_eq!(kinds("`a``b` c")[0], (Kind::Backticked, "`a``b`"));
        assert_eq!(kinds("'never closed")[0], (Kind::SingleQuoted, "'never closed"));
        let plain = tokenize(br"'a\' c", true);
        assert_eq!((plain[0].start, plain[0].end), (0, 4));
    }

    #[test]
    fn comments_are_told_from_operators() {
        assert_eq!(kinds("a--1")[1], (Kind::Punctuation, "-"));
        assert_eq!(kinds("a --\t1\nb")[1], (Kind::LineComment, "--\t1"));
        assert_eq!(kinds("--")[0], (Kind::LineComment, "--"));
        assert_eq!(kinds("a*/b")[1], (Kind::Punctuation, "*"));
        assert_eq!(kinds("/*/ x */ a")[0], (Kind::Comment, "/*/ x */"));
    }

    #[test]
    fn conditional_comments_are_seen_through() {
        let seen = kinds("/*!50503 a /*M!100100 b */ c */ d");
        assert_eq!(seen[0], (Kind::ConditionalOpen, "/*!50503"));
        assert_eq!(seen[2], (Kind::ConditionalOpen, "/*M!100100"));
        assert_eq!(seen[4], (Kind::ConditionalClose, "*/"));
        assert_eq!(seen[6], (Kind::ConditionalClose, "*/"));
        assert_eq!(seen[7], (Kind::Word, "d"));
        let regions: Vec<u32> = tokenize(b"/*! a /*! b */ c */ d", false)
            .iter()
            .filter(|token| token.kind == Kind::Word)
            .map(|token| token.region)
            .collect();
        assert_eq!(regions, [1, 2, 1, 0]);
        let never = kinds("/*M!999999\\- enable the sandbox mode */ a");
        assert_eq!(never[0].0, Kind::Comment);
        assert_eq!(never[1], (Kind::Word, "a"));
    }

    #[test]
    fn names_lose_their_quotes() {
        assert_eq!(unquote(b"`a``b`"), "a`b");
        assert_eq!(unquote(br"'it\'s'"), "it's");
        assert_eq!(unquote(b"\"a\"\"b\""), "a\"b");
        assert_eq!(unquote(b"plain"), "plain");
        assert_eq!(backtick("a`b"), "`a``b`");
    }
}
