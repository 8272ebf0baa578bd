//! Pairs of the grammar to the tree: matches braces with a stack instead of recursion, hands
//! comments to the statements they belong to, and goes on after every error.

use super::grammar::Rule;
use super::tree::{Block, File, Statement};
use super::words::{self, Names};
use crate::diagnostic::{Diagnostic, FileId, Span, codes};
use pest::iterators::{Pair, Pairs};

/// Blocks may be nested so deep. The language itself needs four.
const MAX_DEPTH: usize = 32;

/// Missing braces whose place is looked for by indentation.
const MAX_REPAIRS: usize = 8;

/// The tree of `text` and everything that is wrong with it.
pub(super) fn tree(file: FileId, text: &str, pairs: Pairs<'_, Rule>) -> (File, Vec<Diagnostic>) {
    let mut close_before = Vec::new();
    loop {
        let mut builder = Builder::new(file, text, close_before);
        builder.read(pairs.clone());
        // Which of the open blocks lacks its brace shows by the indentation of what follows.
        match builder.outdented {
            Some(at) if !builder.frames.is_empty() && builder.close_before.len() < MAX_REPAIRS => {
                close_before = builder.close_before;
                close_before.push(at);
            }
            _ => return builder.finish(),
        }
    }
}

/// A block that is not closed yet.
struct Frame {
    /// Its statement; none for a block that stands alone, whose content is dropped.
    header: Option<Statement>,
    /// Its opening brace.
    brace: Span,
    line: usize,
    statements: Vec<Statement>,
    beside: Option<String>,
}

/// What stands before the current place on its line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Statement,
    OpenBrace,
    CloseBrace,
    Semicolon,
}

struct Builder<'t> {
    file: FileId,
    text: &'t str,
    diagnostics: Vec<Diagnostic>,
    frames: Vec<Frame>,
    statements: Vec<Statement>,
    /// The statement whose block may follow.
    current: Option<Statement>,
    above: Vec<String>,
    before: Before,
    line: usize,
    /// Braces opened beyond [`MAX_DEPTH`].
    too_deep: usize,
    /// Close the innermost block before the statement or brace that begins here.
    close_before: Vec<usize>,
    /// The first line that is indented as if the innermost block were closed already.
    outdented: Option<usize>,
}

impl<'t> Builder<'t> {
    fn new(file: FileId, text: &'t str, close_before: Vec<usize>) -> Self {
        Self {
            file,
            text,
            diagnostics: Vec::new(),
            frames: Vec::new(),
            statements: Vec::new(),
            current: None,
            above: Vec::new(),
            before: Before::Nothing,
            line: 0,
            too_deep: 0,
            close_before,
            outdented: None,
        }
    }

    fn read(&mut self, pairs: Pairs<'_, Rule>) {
        for pair in pairs {
            match pair.as_rule() {
                Rule::line_end => self.line_end(),
                Rule::comment => self.comment(&pair),
                Rule::open => self.open(self.span(&pair)),
                Rule::close => self.close(self.span(&pair)),
                Rule::end => {
                    self.end_statement();
                    self.before = Before::Semicolon;
                }
                Rule::statement => self.statement(pair),
                _ => {}
            }
        }
        self.end_statement();
    }

    fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let span = pair.as_span();
        Span { file: self.file, start: span.start(), end: span.end() }
    }

    fn siblings(&mut self) -> &mut Vec<Statement> {
        match self.frames.last_mut() {
            Some(frame) => &mut frame.statements,
            None => &mut self.statements,
        }
    }

    fn end_statement(&mut self) {
        if let Some(statement) = self.current.take() {
            self.siblings().push(statement);
        }
    }

    fn line_end(&mut self) {
        self.line += 1;
        if self.before == Before::Nothing {
            let first = self.current.is_none() && self.siblings().is_empty();
            let worth_keeping = match self.above.last() {
                Some(last) => !last.is_empty(),
                None => !first,
            };
            if worth_keeping {
                self.above.push(String::new());
            }
        }
        self.before = Before::Nothing;
    }

    fn comment(&mut self, pair: &Pair<'_, Rule>) {
        let text = words::comment_text(pair.as_str());
        let slot = match self.before {
            Before::Nothing => None,
            Before::OpenBrace => self.frames.last_mut().map(|frame| &mut frame.beside),
            _ => match self.current.as_mut() {
                Some(statement) => Some(&mut statement.comments.beside),
                None => self.siblings().last_mut().map(|last| &mut last.comments.beside),
            },
        };
        match slot {
            Some(slot) if slot.is_none() => *slot = Some(text),
            _ => self.above.push(text),
        }
        // The comment reaches to the end of the line; what follows is no blank line.
        if self.before == Before::Nothing {
            self.before = Before::Semicolon;
        }
    }

    fn statement(&mut self, pair: Pair<'_, Rule>) {
        let span = self.span(&pair);
        self.repair(span, 1);
        self.end_statement();
        if self.before == Before::CloseBrace {
            let diagnostic = Diagnostic::error(
                codes::NO_SEPARATOR,
                span,
                "a statement follows a block directly",
            )
            .label("begin a new line, or write `;` before it");
            self.diagnostics.push(diagnostic);
        }
        let above = std::mem::take(&mut self.above);
        let mut read = words::read(self.file, pair, Names::Statement, &mut self.diagnostics);
        self.line += read.lines;
        read.comments.above = above;
        self.before = Before::Statement;
        if read.list.is_empty() {
            self.above = read.comments.above;
            return;
        }
        self.current = Some(Statement {
            span: read.list[0].span.to(span),
            words: read.list,
            block: None,
            comments: read.comments,
            broken: read.broken,
        });
    }

    fn open(&mut self, brace: Span) {
        if self.too_deep > 0 || self.frames.len() == MAX_DEPTH {
            if self.too_deep == 0 {
                let message = format!("blocks are nested deeper than {MAX_DEPTH}");
                self.diagnostics.push(Diagnostic::error(codes::TOO_DEEP, brace, message));
            }
            self.too_deep += 1;
            self.end_statement();
            self.before = Before::OpenBrace;
            return;
        }
        let mut header = self.current.take();
        if self.before != Before::Statement || header.is_none() {
            let mut diagnostic =
                Diagnostic::error(codes::LONE_BLOCK, brace, "a block without its statement");
            if header.is_none()
                && self.before == Before::Nothing
                && self.siblings().last().is_some_and(|last| last.block.is_none())
            {
                header = self.siblings().pop();
            }
            if let Some(header) = &header {
                diagnostic = diagnostic
                    .also(header.head(), "its statement?")
                    .help("write `{` on the line of the statement it belongs to");
            } else {
                diagnostic = diagnostic.label("nothing stands before this `{`");
            }
            self.diagnostics.push(diagnostic);
        }
        self.frames.push(Frame {
            header,
            brace,
            line: self.line,
            statements: Vec::new(),
            beside: None,
        });
        self.before = Before::OpenBrace;
    }

    fn close(&mut self, brace: Span) {
        self.repair(brace, 0);
        self.end_statement();
        self.before = Before::CloseBrace;
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        if self.frames.is_empty() {
            let diagnostic = Diagnostic::error(codes::LONE_BRACE, brace, "a `}` without its `{`")
                .label("no block is open here");
            self.diagnostics.push(diagnostic);
            return;
        }
        self.close_frame(brace);
    }

    fn close_frame(&mut self, brace: Span) {
        let Some(frame) = self.frames.pop() else { return };
        let trailing = without_last_blank(std::mem::take(&mut self.above));
        let Some(mut statement) = frame.header else { return };
        let inline = frame.line == self.line && frame.beside.is_none() && trailing.is_empty();
        statement.span = statement.span.to(brace);
        statement.block = Some(Block {
            statements: frame.statements,
            beside: frame.beside,
            trailing,
            span: frame.brace.to(brace),
            inline,
        });
        self.siblings().push(statement);
    }

    /// Closes the innermost block before the line that begins at `span` if that was found to be
    /// missing; else notes whether the line's indentation says so. A statement stands at least
    /// `inside` deeper than the line that opened its block.
    fn repair(&mut self, span: Span, inside: usize) {
        let Some(frame) = self.frames.last() else { return };
        let (brace, here) = (frame.brace, Span { end: span.start, ..span });
        if self.close_before.contains(&span.start) {
            let diagnostic =
                Diagnostic::error(codes::OPEN_BLOCK, brace, "this block is not closed")
                    .label("opened here")
                    .also(here, "a `}` is missing before this line");
            self.diagnostics.push(diagnostic);
            self.end_statement();
            self.close_frame(here);
        } else if self.outdented.is_none()
            && self.before == Before::Nothing
            && let Some(indent) = self.indent(span.start)
            && let Some(opener) = self.indent(brace.start)
            && indent < opener + inside
        {
            self.outdented = Some(span.start);
        }
    }

    /// How far the line of `at` is indented.
    fn indent(&self, at: usize) -> Option<usize> {
        let line = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        self.text[line..].find(|c: char| c != ' ' && c != '\t')
    }

    fn finish(mut self) -> (File, Vec<Diagnostic>) {
        let end = Span { file: self.file, start: self.text.len(), end: self.text.len() };
        while let Some(frame) = self.frames.last() {
            let diagnostic =
                Diagnostic::error(codes::OPEN_BLOCK, frame.brace, "this block is not closed")
                    .label("opened here; a `}` is missing");
            self.diagnostics.push(diagnostic);
            self.close_frame(end);
        }
        let trailing = without_last_blank(self.above);
        (File { statements: self.statements, trailing }, self.diagnostics)
    }
}

fn without_last_blank(mut lines: Vec<String>) -> Vec<String> {
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}
