//! The syntax tree: generic statements of words and blocks, with spans. What a statement means is
//! decided by its first word and the shapes (`shapes`), not by the grammar.

use crate::diagnostic::Span;

/// One statement: words up to the end of the line, `;` or `}`, then an optional block.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The words, at least one.
    pub words: Vec<Word>,
    /// `{ ... }`, where there is one.
    pub block: Option<Block>,
    /// From the first word to the end of the block.
    pub span: Span,
    /// Comment lines directly above it, without `#`, and the comment at its line's end.
    pub comments: Comments,
}

/// A block of statements.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// What is inside.
    pub statements: Vec<Statement>,
    /// Comments after the last statement.
    pub trailing: Vec<String>,
    /// With its braces.
    pub span: Span,
}

/// Comments that travel with a statement through the formatter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comments {
    /// Lines above; an empty string stands for a blank line that separates.
    pub above: Vec<String>,
    /// At the end of its line.
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
    /// A name or any bare word: `engine`, `TOKUDB_FAST`, `read_committed`.
    Bare(String),
    /// A literal that begins with a digit or a sign: `4GB`, `20m`, `2x4GB`, `+10%`, `1..64`, `500/s`.
    Number(String),
    /// A quoted string, escapes resolved.
    Quoted(String),
    /// A `"""raw"""` string.
    Raw(String),
    /// An operator or mark: `=`, `>=`, `,`, `(`, `)`, `+`.
    Mark(String),
    /// `$NAME`, the name without its sign.
    Variable(String),
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
}
