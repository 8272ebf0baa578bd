//! The syntax tree: generic statements of words and blocks, with spans. What a statement means is
//! decided by its first word and the shapes (`shapes`), not by the grammar.

use crate::diagnostic::Span;

/// A whole file.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// Its statements, in order.
    pub statements: Vec<Statement>,
    /// Comment lines after the last statement, as in [`Comments::above`].
    pub trailing: Vec<String>,
}

/// One statement: words up to the end of the line, `;` or `}`, then an optional block.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The words; the first is a bare word unless the statement is `broken`. At least one.
    pub words: Vec<Word>,
    /// `{ ... }`, where there is one.
    pub block: Option<Block>,
    /// From the first word to the end of the block.
    pub span: Span,
    /// Comments that belong to it.
    pub comments: Comments,
    /// A syntax error was reported inside its words: what is left of them should not be
    /// complained about again.
    pub broken: bool,
}

/// A block of statements.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// What is inside.
    pub statements: Vec<Statement>,
    /// The comment behind its opening brace.
    pub beside: Option<String>,
    /// Comment lines after the last statement.
    pub trailing: Vec<String>,
    /// With its braces.
    pub span: Span,
    /// It was written on one line.
    pub inline: bool,
}

/// Comments that travel with a statement through the formatter: what stands behind `#`, which
/// begins with a space as a rule.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comments {
    /// Lines above; an empty string stands for a blank line that separates.
    pub above: Vec<String>,
    /// Between the lines of a continued statement: the index of the word (a comma) that each
    /// stands behind, and its text.
    pub within: Vec<(usize, String)>,
    /// At the end of its last line.
    pub beside: Option<String>,
}

/// A word with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// What it is.
    pub kind: WordKind,
    /// Where.
    pub span: Span,
}

/// What a word can be. The text of every word is kept as written.
#[derive(Clone, Debug, PartialEq)]
pub enum WordKind {
    /// A name or any bare word: `engine`, `option+`, `TOKUDB_FAST`, `tpcc.warehouses`.
    Bare(String),
    /// A literal that begins with a digit or a sign: `4GB`, `20m`, `2x4GB`, `+10%`, `1..64`, `500/s`.
    Number(String),
    /// A quoted string, escapes resolved.
    Quoted(String),
    /// A `"""raw"""` string.
    Raw(String),
    /// An operator or mark: `=`, `==`, `!=`, `<`, `<=`, `>`, `>=`, `,`, `(`, `)`.
    Mark(String),
    /// `$NAME`, the name without its sign.
    Variable(String),
}

impl Statement {
    /// The first word's text.
    pub fn name(&self) -> &str {
        self.words.first().map_or("", Word::text)
    }

    /// The words after the first.
    pub fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Where its words are, without its block.
    pub fn head(&self) -> Span {
        match (self.words.first(), self.words.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => self.span,
        }
    }

    /// What is inside its block; nothing without one.
    pub fn children(&self) -> &[Statement] {
        self.block.as_ref().map_or(&[], |block| &block.statements)
    }
}

impl Word {
    /// The text, whatever the kind.
    pub fn text(&self) -> &str {
        match &self.kind {
            WordKind::Bare(s)
            | WordKind::Number(s)
            | WordKind::Quoted(s)
            | WordKind::Raw(s)
            | WordKind::Mark(s)
            | WordKind::Variable(s) => s,
        }
    }

    /// Whether it is the bare word or mark `text`.
    pub fn is(&self, text: &str) -> bool {
        matches!(&self.kind, WordKind::Bare(s) | WordKind::Mark(s) if s == text)
    }

    /// Whether it is a name: a letter or `_`, then letters, digits, `_`.
    pub fn is_name(&self) -> bool {
        matches!(&self.kind, WordKind::Bare(s) if is_name(s))
    }
}

/// Whether `text` is a name: a letter or `_`, then letters, digits, `_`.
pub fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|c| c.is_alphanumeric() || c == '_')
}
