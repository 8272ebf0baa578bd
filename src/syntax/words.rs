//! One statement of the grammar to words, with what is wrong inside it.

use super::grammar::Rule;
use super::tree::{Comments, Word, WordKind};
use crate::diagnostic::{Diagnostic, FileId, Span, codes};
use pest::iterators::Pair;

/// What one statement is made of.
pub(super) struct Words {
    pub(super) list: Vec<Word>,
    pub(super) comments: Comments,
    /// Line ends inside it.
    pub(super) lines: usize,
    pub(super) broken: bool,
}

/// What the first word may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// The name of a statement.
    Statement,
    /// Anything: the text is an argument of the command line.
    Anything,
}

/// What stands behind the `#` of a comment: a space, unless there is none before another `#` or
/// `!`, and the text without white space at its end. A space alone for a comment without text.
pub(super) fn comment_text(comment: &str) -> String {
    let text = comment[1..].trim_end();
    let joined = text.starts_with([' ', '\t', '#', '!']);
    if joined { text.to_string() } else { format!(" {text}") }
}

/// Reads the words of a statement; errors go to `diagnostics`.
pub(super) fn read(
    file: FileId,
    pair: Pair<'_, Rule>,
    names: Names,
    diagnostics: &mut Vec<Diagnostic>,
) -> Words {
    let mut read =
        Words { list: Vec::new(), comments: Comments::default(), lines: 0, broken: false };
    let known = diagnostics.len();
    for inner in pair.into_inner() {
        let place = inner.as_span();
        let span = Span { file, start: place.start(), end: place.end() };
        let text = inner.as_str();
        let mut wrong = None;
        let kind = match inner.as_rule() {
            Rule::line_end => {
                read.lines += 1;
                continue;
            }
            Rule::comment => {
                let behind = read.list.len().saturating_sub(1);
                read.comments.within.push((behind, comment_text(text)));
                continue;
            }
            Rule::bare => WordKind::Bare(text.to_string()),
            Rule::number => WordKind::Number(text.to_string()),
            Rule::mark | Rule::comma => WordKind::Mark(text.to_string()),
            Rule::variable => WordKind::Variable(text[1..].to_string()),
            Rule::raw => {
                read.lines += text.matches('\n').count();
                WordKind::Raw(text[3..text.len() - 3].to_string())
            }
            Rule::string => {
                let inside = Span { start: span.start + 1, end: span.end - 1, ..span };
                WordKind::Quoted(unescape(&text[1..text.len() - 1], inside, diagnostics))
            }
            Rule::open_raw => {
                read.lines += text.matches('\n').count();
                let mark = Span { end: span.start + 3, ..span };
                wrong = Some(
                    Diagnostic::error(codes::OPEN_RAW, mark, "this raw string is not closed")
                        .label("opened here; `\"\"\"` is missing behind it"),
                );
                WordKind::Raw(text[3..].to_string())
            }
            Rule::open_string => {
                wrong = Some(
                    Diagnostic::error(codes::OPEN_STRING, span, "this string is not closed")
                        .label("`\"` is missing at its end")
                        .help(
                            "a string ends on its line; text over several lines is written \
                               \"\"\"like this\"\"\"",
                        ),
                );
                WordKind::Quoted(text[1..].to_string())
            }
            Rule::quote => {
                wrong = Some(
                    Diagnostic::error(codes::WRONG_QUOTES, span, "quotes of the wrong kind")
                        .label("strings stand between double quotes: \"text\""),
                );
                WordKind::Quoted(
                    text.trim_matches(|c| "'`\u{201C}\u{201D}\u{201E}".contains(c)).to_string(),
                )
            }
            _ => {
                diagnostics.push(stray(text, span));
                continue;
            }
        };
        diagnostics.extend(wrong);
        read.list.push(Word { kind, span });
    }
    check_commas(&read.list, diagnostics);
    if let Some(first) = read.list.first()
        && names == Names::Statement
        && !matches!(first.kind, WordKind::Bare(_))
        && diagnostics.len() == known
    {
        diagnostics.push(
            Diagnostic::error(codes::NO_NAME, first.span, "a statement begins with its name")
                .label("this is no name")
                .help("to continue the line above, end it with a comma"),
        );
    }
    read.broken = diagnostics.len() > known;
    read
}

/// A comma stands between two values.
fn check_commas(words: &[Word], diagnostics: &mut Vec<Diagnostic>) {
    for (index, word) in words.iter().enumerate() {
        if !word.is(",") {
            continue;
        }
        let before = index.checked_sub(1).map(|at| &words[at]);
        if before.is_none_or(|before| before.is(",") || before.is("(")) {
            diagnostics.push(Diagnostic::error(
                codes::LONE_COMMA,
                word.span,
                "a comma without a value before it",
            ));
        } else if words.get(index + 1).is_none() {
            diagnostics.push(
                Diagnostic::error(codes::LONE_COMMA, word.span, "a comma without a value after it")
                    .help("a comma at the end of a line continues the statement on the next line"),
            );
        }
    }
}

fn stray(text: &str, span: Span) -> Diagnostic {
    let character = text.chars().next().unwrap_or(' ');
    let unseen = unicode_width::UnicodeWidthChar::width(character).unwrap_or(0) == 0;
    let shown = if unseen || character.is_whitespace() {
        format!("the character U+{:04X}", character as u32)
    } else {
        format!("`{character}`")
    };
    let diagnostic = Diagnostic::error(codes::STRAY, span, format!("{shown} has no meaning here"));
    if character.is_whitespace() {
        diagnostic.help("use an ordinary space")
    } else if unseen {
        diagnostic.help("it cannot be seen: remove it")
    } else if character == '$' {
        diagnostic.help("the values of `let NAME ...` are used as `$NAME`")
    } else {
        diagnostic.help("text with such characters stands between double quotes: \"text\"")
    }
}

fn unescape(text: &str, place: Span, diagnostics: &mut Vec<Diagnostic>) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        let Some((_, escaped)) = characters.next() else { break };
        match escaped {
            '"' | '\\' => plain.push(escaped),
            'n' => plain.push('\n'),
            't' => plain.push('\t'),
            _ => {
                let start = place.start + at;
                let span = Span { start, end: start + 1 + escaped.len_utf8(), ..place };
                diagnostics.push(
                    Diagnostic::error(
                        codes::BAD_ESCAPE,
                        span,
                        format!("unknown escape `\\{escaped}`"),
                    )
                    .help(
                        "known are \\\" \\\\ \\n \\t; a backslash itself is written \\\\, or \
                               the text as \"\"\"raw\"\"\"",
                    ),
                );
                plain.push(escaped);
            }
        }
    }
    plain
}
