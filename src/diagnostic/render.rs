//! Diagnostics as text, with the source line and a caret. The one place that knows the crate which
//! draws them.

use super::{Diagnostic, Label, Severity, SourceMap, Span};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::ops::Range;

/// A line longer than this (bytes) is cut around the caret before it is drawn.
const LONG_LINE: usize = 2000;

/// So much of a long line is shown on each side of what is marked.
const AROUND: usize = 60;

/// Draws diagnostics in the order of their places, each with `file:line:column`, its source lines, labels
/// and help. `width` is that of the terminal in columns.
pub fn render(
    diagnostics: &[Diagnostic],
    sources: &SourceMap,
    color: bool,
    width: usize,
) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() }
        .decor_style(DecorStyle::Ascii)
        .term_width(width.clamp(40, 200));
    let mut out = String::new();
    let mut ordered: Vec<_> = diagnostics.iter().collect();
    ordered.sort_by_key(|diagnostic| (diagnostic.primary.span.file, diagnostic.primary.span.start));
    for diagnostic in ordered {
        let drawn = renderer.render(&[group(diagnostic, sources)]);
        for line in drawn.lines().filter(|line| !is_nameless(line)) {
            out.push_str(line);
            out.push('\n');
        }
        out.push('\n');
    }
    out
}

/// Whether a line is the heading of a snippet without a file: our own heading stands above it.
fn is_nameless(line: &str) -> bool {
    let mut plain = String::new();
    let mut escaped = false;
    for character in line.chars().take(60) {
        match character {
            '\u{1B}' => escaped = true,
            'm' if escaped => escaped = false,
            _ if escaped => {}
            _ => plain.push(character),
        }
    }
    plain.trim() == ":::"
}

/// A stretch of source that is drawn: whole lines, or a piece of a long one.
struct Window {
    text: String,
    /// Number of its first line, from 1.
    line: usize,
    /// Where its text begins in the file.
    start: usize,
    /// Bytes put in front of the text.
    shift: usize,
    /// It is a piece of a line, so its columns are not those of the file.
    cut: bool,
}

impl Window {
    /// The range of a span in the text drawn, no further than its first line.
    fn range(&self, span: Span) -> Range<usize> {
        let at = |offset: usize| {
            let mut inside = (offset.saturating_sub(self.start) + self.shift).min(self.text.len());
            while !self.text.is_char_boundary(inside) {
                inside -= 1;
            }
            inside
        };
        let start = at(span.start);
        let line = self.text[start..].find('\n').map_or(self.text.len(), |end| start + end);
        start..at(span.end).clamp(start, line)
    }
}

fn group<'s>(diagnostic: &'s Diagnostic, sources: &'s SourceMap) -> Group<'s> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group =
        Group::with_title(level.primary_title(diagnostic.message.as_str()).id(diagnostic.code));
    let primary = &diagnostic.primary;
    let (near, far): (Vec<_>, Vec<_>) =
        diagnostic.secondary.iter().partition(|label| label.span.file == primary.span.file);
    if sources.text(primary.span.file).is_empty() {
        return helped(group.element(origin(sources, primary.span)), diagnostic);
    }
    let mut spans = vec![primary.span];
    spans.extend(near.iter().map(|label| label.span));
    let window = window(sources, &spans);
    if window.cut {
        group = group.element(origin(sources, primary.span));
        group = group.element(snippet(&window, None).annotation(mark(&window, primary, true)));
        for label in near {
            group = group.element(origin(sources, label.span));
            group = group.element(alone(sources, label));
        }
    } else {
        let path = sources.name(primary.span.file);
        let marks = near.into_iter().map(|label| mark(&window, label, false));
        let snippet = snippet(&window, Some(path)).annotation(mark(&window, primary, true));
        group = group.element(snippet.annotations(marks));
    }
    for label in far {
        group = group.element(origin(sources, label.span));
        group = group.element(alone(sources, label));
    }
    helped(group, diagnostic)
}

fn helped<'s>(group: Group<'s>, diagnostic: &'s Diagnostic) -> Group<'s> {
    group.elements(diagnostic.help.iter().map(|help| Level::HELP.message(help.as_str())))
}

fn origin(sources: &SourceMap, span: Span) -> Origin<'static> {
    let place = sources.place(span);
    Origin::path(place.file).line(place.line as usize).char_column(place.column as usize)
}

fn snippet<'s>(
    window: &Window,
    path: Option<&'s str>,
) -> Snippet<'s, annotate_snippets::Annotation<'s>> {
    Snippet::source(window.text.clone()).line_start(window.line).path(path)
}

/// The snippet of a label in another file or far away on a long line.
fn alone<'s>(
    sources: &SourceMap,
    label: &'s Label,
) -> Snippet<'s, annotate_snippets::Annotation<'s>> {
    let window = window(sources, &[label.span]);
    snippet(&window, None).annotation(mark(&window, label, false))
}

fn mark<'s>(window: &Window, label: &'s Label, primary: bool) -> annotate_snippets::Annotation<'s> {
    let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
    let annotation = kind.span(window.range(label.span));
    if label.text.is_empty() { annotation } else { annotation.label(label.text.as_str()) }
}

/// The lines of these spans; the first span alone when its line is very long.
fn window(sources: &SourceMap, spans: &[Span]) -> Window {
    let text = sources.text(spans[0].file);
    let line_of = |at: usize| {
        let at = at.min(text.len());
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
        start..end
    };
    let lines: Vec<_> = spans.iter().map(|span| line_of(span.start)).collect();
    if lines.iter().any(|line| line.len() > LONG_LINE) {
        return piece(sources, spans[0], lines[0].clone());
    }
    let start = lines.iter().map(|line| line.start).min().unwrap_or(0);
    let end = lines.iter().map(|line| line.end).max().unwrap_or(0);
    Window {
        text: text[start..end].trim_end_matches('\r').to_string(),
        line: text[..start].matches('\n').count() + 1,
        start,
        shift: 0,
        cut: false,
    }
}

/// A piece of a long line around a span.
fn piece(sources: &SourceMap, span: Span, line: Range<usize>) -> Window {
    let text = sources.text(span.file);
    let boundary = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = boundary(span.start.saturating_sub(AROUND).max(line.start));
    let end = boundary(span.end.min(span.start + AROUND).saturating_add(AROUND).min(line.end));
    let (before, after) =
        (if start > line.start { "... " } else { "" }, if end < line.end { " ..." } else { "" });
    Window {
        text: format!("{before}{}{after}", &text[start..end]),
        line: text[..line.start].matches('\n').count() + 1,
        start,
        shift: before.len(),
        cut: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::FileId;

    fn drawn(text: &str, marked: &str, color: bool) -> String {
        let mut sources = SourceMap::new();
        let file = sources.add("a.bench", text);
        let start = text.find(marked).expect("the text holds what is marked");
        let span = Span { file, start, end: start + marked.len() };
        render(&[Diagnostic::error("E0101", span, "wrong").label("here")], &sources, color, 100)
    }

    #[test]
    fn carets_stand_below_what_they_mark() {
        let expected =
            "error[E0101]: wrong\n --> a.bench:2:5\n  |\n2 | 日本 (x) y\n  |       ^ here\n\n";
        let text = "first\n日本 (x) y\n";
        let mut shown = drawn(text, "x", false);
        assert_eq!(shown, expected, "{shown}");
        shown = drawn(text, "x", true);
        assert!(shown.contains("\u{1B}["), "{shown}");
    }

    #[test]
    fn a_long_line_is_cut_around_the_caret() {
        for color in [false, true] {
            let text = format!("{}XYZ{}", "ä ".repeat(500_000), " b".repeat(1_000_000));
            let shown = drawn(&text, "XYZ", color);
            assert!(shown.contains("a.bench:1:1000001"), "{shown}");
            assert!(shown.len() < 1000 && shown.contains("XYZ b b"), "{shown}");
            assert!(!shown.contains(":::"), "{shown}");
        }
    }

    #[test]
    fn places_at_the_end_and_in_other_files_are_drawn() {
        let mut sources = SourceMap::new();
        let one = sources.add("one.bench", "first 1\nlast");
        let two = sources.add("two.bench", "other 2\n");
        let at = |file: FileId, start, end| Span { file, start, end };
        let diagnostic = Diagnostic::error("E0133", at(one, 12, 12), "wrong")
            .also(at(two, 0, 5), "see here")
            .help("do this");
        let shown = render(&[diagnostic], &sources, false, 80);
        let expected = "error[E0133]: wrong\n --> one.bench:2:5\n  |\n2 | last\n  |     ^\n \
                        ::: two.bench:1:1\n  |\n1 | other 2\n  | ----- see here\n  |\n  \
                        = help: do this\n\n";
        assert_eq!(shown, expected, "{shown}");
    }
}
