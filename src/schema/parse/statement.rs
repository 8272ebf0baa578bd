//! One statement as tokens, with the questions that a parser asks of it. Positions count the
//! significant tokens, those that are neither white space nor comment.

use crate::schema::token::{Kind, Token, conditional_open, tokenize, unquote};

/// A statement cut into tokens.
pub(crate) struct Statement<'t> {
    pub(crate) text: &'t [u8],
    pub(crate) tokens: Vec<Token>,
    /// Indexes of the significant tokens.
    significant: Vec<usize>,
}

/// A name with its database, where one was written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Name {
    pub(crate) database: Option<String>,
    pub(crate) object: String,
    /// Positions of the first and the last token.
    pub(crate) first: usize,
    pub(crate) last: usize,
}

impl<'t> Statement<'t> {
    pub(crate) fn new(text: &'t [u8], no_backslash_escapes: bool) -> Self {
        let tokens = tokenize(text, no_backslash_escapes);
        let significant = (0..tokens.len()).filter(|&at| tokens[at].is_significant()).collect();
        Self { text, tokens, significant }
    }

    /// How many significant tokens there are.
    pub(crate) fn len(&self) -> usize {
        self.significant.len()
    }

    /// The token index of a position; the end of the tokens for positions past the last.
    pub(crate) fn index(&self, at: usize) -> usize {
        self.significant.get(at).copied().unwrap_or(self.tokens.len())
    }

    pub(crate) fn token(&self, at: usize) -> Option<Token> {
        self.significant.get(at).map(|&index| self.tokens[index])
    }

    /// The bytes of a token; empty past the end.
    pub(crate) fn raw(&self, at: usize) -> &'t [u8] {
        self.token(at).map_or(&[], |token| &self.text[token.start..token.end])
    }

    pub(crate) fn kind(&self, at: usize) -> Option<Kind> {
        self.token(at).map(|token| token.kind)
    }

    /// Whether it is this keyword: an unquoted word, in any case.
    pub(crate) fn is(&self, at: usize, keyword: &str) -> bool {
        self.kind(at) == Some(Kind::Word) && self.raw(at).eq_ignore_ascii_case(keyword.as_bytes())
    }

    /// Whether it is one of these keywords.
    pub(crate) fn is_any(&self, at: usize, keywords: &[&str]) -> bool {
        keywords.iter().any(|keyword| self.is(at, keyword))
    }

    /// Whether these keywords stand here one after another.
    pub(crate) fn are(&self, at: usize, keywords: &[&str]) -> bool {
        keywords.iter().enumerate().all(|(offset, keyword)| self.is(at + offset, keyword))
    }

    /// Whether it is this mark.
    pub(crate) fn mark(&self, at: usize, mark: u8) -> bool {
        self.kind(at) == Some(Kind::Punctuation) && self.raw(at) == [mark]
    }

    /// Whether it can be a name.
    pub(crate) fn is_name(&self, at: usize) -> bool {
        matches!(self.kind(at), Some(Kind::Word | Kind::Backticked | Kind::DoubleQuoted))
    }

    /// Whether it can be a name or a string.
    pub(crate) fn is_name_or_text(&self, at: usize) -> bool {
        self.is_name(at) || self.kind(at) == Some(Kind::SingleQuoted)
    }

    /// Its text without quotes.
    pub(crate) fn text_of(&self, at: usize) -> String {
        unquote(self.raw(at))
    }

    /// Position of the parenthesis that closes the one at `open`; none when it is not closed.
    pub(crate) fn closing(&self, open: usize) -> Option<usize> {
        if !self.mark(open, b'(') {
            return None;
        }
        let mut depth = 0usize;
        for at in open..self.len() {
            if self.mark(at, b'(') {
                depth += 1;
            } else if self.mark(at, b')') {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
        }
        None
    }

    /// The position after the token here, or after the parenthesis that closes the one here.
    pub(crate) fn after(&self, at: usize) -> usize {
        if self.mark(at, b'(') {
            self.closing(at).map_or(self.len(), |end| end + 1)
        } else {
            at + 1
        }
    }

    /// The stretches between commas in `from..to`, parentheses skipped: first and end of each.
    /// Empty stretches are left out.
    pub(crate) fn list(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let mut parts = Vec::new();
        let (mut first, mut at) = (from, from);
        while at < to {
            if self.mark(at, b',') {
                parts.push((first, at));
                first = at + 1;
            }
            at = self.after(at);
        }
        parts.push((first, to));
        parts.retain(|(first, end)| first < end);
        parts
    }

    /// The position of a possibly qualified name that begins here, and the one after it.
    pub(crate) fn name(&self, at: usize) -> Option<(Name, usize)> {
        if !self.is_name(at) {
            return None;
        }
        if self.mark(at + 1, b'.') && self.is_name(at + 2) {
            let database = Some(self.text_of(at));
            let name = Name { database, object: self.text_of(at + 2), first: at, last: at + 2 };
            return Some((name, at + 3));
        }
        Some((Name { database: None, object: self.text_of(at), first: at, last: at }, at + 1))
    }

    /// The conditional comments around a position, outermost first: whether each is MariaDB's own
    /// kind, and its version.
    pub(crate) fn conditions(&self, at: usize) -> Vec<(bool, u32)> {
        let mut open = Vec::new();
        for token in &self.tokens[..self.index(at)] {
            let text = &self.text[token.start..token.end];
            match token.kind {
                Kind::ConditionalOpen => {
                    let version = conditional_open(text).map_or(0, |(_, version)| version);
                    open.push((text.starts_with(b"/*M"), version));
                }
                Kind::ConditionalClose => {
                    open.pop();
                }
                _ => {}
            }
        }
        open
    }

    /// Byte offset of a position.
    pub(crate) fn offset(&self, at: usize) -> usize {
        self.token(at).map_or(self.text.len(), |token| token.start)
    }
}
