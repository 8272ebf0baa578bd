//! Diagnostics: what is wrong with a suite, where, and what to do. Many at once.
//!
//! The data is here; drawing is done by annotate-snippets in one place (`render`).

pub mod codes;
mod render;
pub mod source;
mod suggest;

pub use render::render;
pub use source::{FileId, SourceMap, Span};
pub use suggest::{did_you_mean, suggest};

use crate::model::Place;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The suite cannot be run.
    Error,
    /// It can, but the user should know.
    Warning,
}

/// One stretch of source text with a remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What to say there; may be empty.
    pub text: String,
}

/// Something wrong with a suite or a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad.
    pub severity: Severity,
    /// Stable code such as `E0203`; `enginecmp explain` knows it.
    pub code: &'static str,
    /// One line: what is wrong.
    pub message: String,
    /// The place.
    pub primary: Label,
    /// Other places that belong to it, such as the first of two duplicates.
    pub secondary: Vec<Label>,
    /// What was expected, did-you-mean, what to do.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            message: message.into(),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            help: Vec::new(),
        }
    }

    /// The same with a remark at the place itself.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// The same with another place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// The same with a line of help.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// The same with a line of help, where there is one.
    #[must_use]
    pub fn maybe_help(mut self, text: Option<String>) -> Self {
        self.help.extend(text);
        self
    }

    /// Its place as people read it.
    pub fn place(&self, sources: &SourceMap) -> Place {
        sources.place(self.primary.span)
    }
}
