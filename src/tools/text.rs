//! Text as people hand it on, made plain: colours of a terminal, escapes of web pages and JSON,
//! quotation marks of mails, line ends of any system.

use regex::Regex;
use std::sync::LazyLock;

/// A line with its place in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// From 1.
    pub(super) number: usize,
    pub(super) text: String,
}

/// A pattern of this room; it is wrong only by a mistake of ours, which every test would show.
pub(super) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("patterns are constants and tested")
}

macro_rules! patterns {
    ($($(#[$doc:meta])* $name:ident = $text:expr;)*) => {
        $($(#[$doc])* static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| $crate::tools::text::pattern($text));)*
    };
}
pub(super) use patterns;

static ESCAPES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
});
static TAGS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)</?(?:pre|code|p|div|span|font|tt|b|i|em|strong|td|tr|table|tbody|blockquote)(?:\s[^<>]*)?/?>",
    )
});
static BREAKS: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)<br\s*/?>"));
static NUMBERED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"&#(?:(\d{1,7})|[xX]([0-9a-fA-F]{1,6}));"));
static MARKDOWN: LazyLock<Regex> = LazyLock::new(|| pattern(r"\\([|_\[\]()*<>#`~.+\-!])"));

/// The lines of an output, made plain.
pub(super) fn lines(output: &[u8]) -> Vec<Line> {
    let text = unescaped_json(decoded(output));
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines = Vec::new();
    for (at, raw) in text.split('\n').enumerate() {
        for part in BREAKS.split(raw) {
            lines.push(Line { number: at + 1, text: plain(part) });
        }
    }
    unquote(&mut lines);
    while lines.last().is_some_and(|line| line.text.trim().is_empty()) {
        lines.pop();
    }
    lines
}

/// Text from bytes: UTF-16 by its mark, else UTF-8 with what is none replaced.
fn decoded(output: &[u8]) -> String {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match output {
        [0xFF, 0xFE, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] | rest => String::from_utf8_lossy(rest).into_owned(),
    }
}

/// A text whose line ends are the two characters `\n`, as JSON and shells print it.
fn unescaped_json(text: String) -> String {
    let escaped = text.matches("\\n").count();
    if escaped < 5 || escaped < 4 * text.matches('\n').count() {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match rest.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('u') => {
                let code: String = rest.clone().take(4).collect();
                match u32::from_str_radix(&code, 16).ok().and_then(char::from_u32) {
                    Some(c) if code.len() == 4 => {
                        plain.push(c);
                        rest.by_ref().take(4).for_each(drop);
                    }
                    _ => plain.push('u'),
                }
            }
            Some(c) if c != 'r' => plain.push(c),
            Some(_) | None => {}
        }
    }
    plain
}

/// Whether a figure can be a rate or a time. What the arithmetic of a broken run prints cannot:
/// `nan`, `inf`, less than nothing.
pub(super) fn is_amount(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

/// A rate or a time as a tool prints it.
pub(super) fn amount(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value| is_amount(*value))
}

fn plain(line: &str) -> String {
    let line = ESCAPES.replace_all(line, "");
    let line = if line.contains('<') { TAGS.replace_all(&line, "") } else { line };
    let line = if line.contains('&') { entities(&line).into() } else { line };
    let line = if line.contains('\\') { MARKDOWN.replace_all(&line, "$1") } else { line };
    line.chars()
        .filter_map(|c| match c {
            '\t' | '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{3000}' => Some(' '),
            '\u{200b}'..='\u{200f}' | '\u{feff}' => None,
            '\u{2212}' | '\u{2013}' => Some('-'),
            '\u{201c}' | '\u{201d}' => Some('"'),
            '\u{2018}' | '\u{2019}' => Some('\''),
            c if c.is_control() => None,
            c => Some(c),
        })
        .collect()
}

fn entities(line: &str) -> String {
    let numbered = NUMBERED.replace_all(line, |found: &regex::Captures| {
        let decimal = found.get(1).and_then(|digits| digits.as_str().parse().ok());
        let hex = found.get(2).and_then(|digits| u32::from_str_radix(digits.as_str(), 16).ok());
        decimal.or(hex).and_then(char::from_u32).map_or_else(String::new, String::from)
    });
    numbered
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&nbsp;", " ")
        .replace("&vert;", "|")
        .replace("&amp;", "&")
}

/// Takes off the mark that a mail or a forum puts before lines it quotes.
fn unquote(lines: &mut [Line]) {
    let filled = lines.iter().filter(|line| !line.text.trim().is_empty()).count();
    let quoted = lines.iter().filter(|line| line.text.starts_with('>')).count();
    if quoted * 10 < filled * 6 {
        return;
    }
    for line in lines {
        if let Some(rest) = line.text.strip_prefix('>') {
            line.text = rest.strip_prefix(' ').unwrap_or(rest).to_string();
        }
    }
}

/// A match of `whole` at `lines[at]`, put together from up to four following lines where a
/// terminal wrapped it, and how many lines it took. `begins` is how such a line starts. A line that
/// is whole by itself is never joined to one before it.
pub(super) fn wrapped(
    lines: &[Line],
    at: usize,
    whole: &Regex,
    begins: &Regex,
) -> Option<(String, usize)> {
    const MOST: usize = 5;
    let first = &lines.get(at)?.text;
    if whole.is_match(first) {
        return Some((first.clone(), 1));
    }
    if !begins.is_match(first) {
        return None;
    }
    for keep_blanks in [true, false] {
        let mut joined = first.clone();
        for (extra, next) in lines[at + 1..].iter().take(MOST - 1).enumerate() {
            if next.text.trim().is_empty() || whole.is_match(&next.text) {
                break;
            }
            if keep_blanks {
                joined.push_str(&next.text);
            } else {
                joined.truncate(joined.trim_end().len());
                joined.push_str(next.text.trim_start());
            }
            if whole.is_match(&joined) {
                return Some((joined, extra + 2));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(input: &[u8]) -> Vec<String> {
        lines(input).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn escapes_of_terminals_web_pages_and_markdown_go() {
        assert_eq!(texts(b"\x1b[32m  10, 5\x1b[0m\r\n\x1b]0;title\x07x"), ["  10, 5", "x"]);
        assert_eq!(texts(b"&lt;TpmC&gt;&nbsp;&#124;&#x7c;<br/>two"), ["<TpmC> ||", "two"]);
        assert_eq!(texts(b"<pre><span class=\"a\">1\\|2</span></pre>\n<TpmC>"), ["1|2", "<TpmC>"]);
        assert_eq!(texts("a\u{a0}b \u{2212}1".as_bytes()), ["a b -1"]);
    }

    #[test]
    fn json_and_wide_characters_are_read() {
        let escaped = br#"{"out":"a\nb \u003cTpmC\u003e\n\n\"q\"\nc\td\ne"}"#;
        assert_eq!(texts(escaped)[..4], ["{\"out\":\"a", "b <TpmC>", "", "\"q\""]);
        let wide: Vec<u8> = [0xFF, 0xFE]
            .into_iter()
            .chain("tps\r\n1".encode_utf16().flat_map(u16::to_le_bytes))
            .collect();
        assert_eq!(texts(&wide), ["tps", "1"]);
    }

    #[test]
    fn quoted_mails_lose_their_marks_and_other_lines_keep_theirs() {
        assert_eq!(texts(b"> a\n>  b\n\nwrote"), ["a", " b", "", "wrote"]);
        assert_eq!(texts(b"> a\nb\nc"), ["> a", "b", "c"]);
    }

    #[test]
    fn a_wrapped_line_is_joined_and_a_new_one_is_not() {
        let whole = pattern(r"^n (\d+\.\d{3}) end");
        let begins = pattern(r"^n ");
        let of = |text: &str| wrapped(&lines(text.as_bytes()), 0, &whole, &begins);
        assert_eq!(of("n 1.23\n4 end"), Some(("n 1.234 end".to_string(), 2)));
        assert_eq!(of("n 1.23 \n  4 end"), Some(("n 1.234 end".to_string(), 2)));
        assert_eq!(of("n 1.23\nn 1.234 end"), None);
        assert_eq!(of("x 1.23\n4 end"), None);
        assert_eq!(of("n 1.23\n\n4 end"), None);
    }

    #[test]
    fn line_numbers_are_those_of_the_input() {
        let numbers: Vec<usize> = lines(b"a<br>b\nc").iter().map(|line| line.number).collect();
        assert_eq!(numbers, [1, 1, 2]);
    }
}
