//! What doctor found, as text: items with a state, a name, what is seen, and what to do.

use std::fmt::Write as _;
use unicode_width::UnicodeWidthStr;

/// How an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// As it should be.
    Good,
    /// It can be used, but figures or some suites suffer.
    Note,
    /// It is not there, or does not work.
    Missing,
}

impl State {
    const fn word(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Note => "note",
            Self::Missing => "missing",
        }
    }

    const fn color(self) -> &'static str {
        match self {
            Self::Good => "\u{1b}[32m",
            Self::Note => "\u{1b}[33m",
            Self::Missing => "\u{1b}[31m",
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) state: State,
    pub(super) name: String,
    pub(super) seen: String,
    /// What to do: for whom (`Debian`, `RPM`, `tarball`, or empty) and the command or sentence.
    pub(super) advice: Vec<(&'static str, String)>,
}

impl Item {
    pub(super) fn new(state: State, name: impl Into<String>, seen: impl Into<String>) -> Self {
        Self { state, name: name.into(), seen: seen.into(), advice: Vec::new() }
    }

    pub(super) fn advice(mut self, who: &'static str, what: impl Into<String>) -> Self {
        self.advice.push((who, what.into()));
        self
    }
}

/// Items under one heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) title: &'static str,
    pub(super) items: Vec<Item>,
}

/// Width of the column of states, with the blanks around it.
const STATE_WIDTH: usize = 11;

/// The page, fitted to `width` columns.
pub(super) fn render(sections: &[Section], width: usize, color: bool) -> String {
    // Writing to a string cannot fail.
    let mut out = String::new();
    for section in sections {
        if !out.is_empty() {
            out.push('\n');
        }
        let (bold, plain) = if color { ("\u{1b}[1m", "\u{1b}[0m") } else { ("", "") };
        let _ = writeln!(out, "{bold}{}{plain}", section.title);
        let names = section.items.iter().map(|item| item.name.width()).max().unwrap_or_default();
        for item in &section.items {
            push_item(&mut out, item, names, width, color);
        }
    }
    out
}

fn push_item(out: &mut String, item: &Item, names: usize, width: usize, color: bool) {
    let (paint, plain) = if color { (item.state.color(), "\u{1b}[0m") } else { ("", "") };
    let word = item.state.word();
    let _ = write!(out, "  {paint}{word}{plain}{}", " ".repeat(STATE_WIDTH - 2 - word.len()));
    out.push_str(&item.name);
    let indent = STATE_WIDTH + names + 2;
    let mut lines = wrapped(&item.seen, width.saturating_sub(indent)).into_iter();
    if let Some(first) = lines.next() {
        out.push_str(&" ".repeat(indent - STATE_WIDTH - item.name.width()));
        out.push_str(&first);
    }
    out.push('\n');
    for line in lines {
        let _ = writeln!(out, "{}{line}", " ".repeat(indent));
    }
    let whom = item.advice.iter().map(|(who, _)| who.len()).max().unwrap_or_default();
    let inner = STATE_WIDTH + if whom == 0 { 0 } else { whom + 2 };
    for (who, what) in &item.advice {
        let label = if who.is_empty() { String::new() } else { format!("{who}:") };
        for (index, line) in wrapped(what, width.saturating_sub(inner)).iter().enumerate() {
            let label = if index == 0 { label.as_str() } else { "" };
            let pad = inner - STATE_WIDTH - label.len();
            let _ = writeln!(out, "{}{label}{}{line}", " ".repeat(STATE_WIDTH), " ".repeat(pad));
        }
    }
}

/// Lines of at most `width` columns, broken at blanks; a longer word stands alone.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_stand_in_columns_and_long_texts_wrap_under_themselves() {
        let section = Section {
            title: "Machine",
            items: vec![
                Item::new(State::Good, "cpu", "2 x Something"),
                Item::new(State::Missing, "libaio", "not found and rather long to read")
                    .advice("Debian", "apt-get install libaio1")
                    .advice("RPM", "dnf install libaio"),
                Item::new(State::Note, "x", "short").advice("", "do this"),
            ],
        };
        assert_eq!(
            render(std::slice::from_ref(&section), 42, false),
            "Machine\n  \
             ok       cpu     2 x Something\n  \
             missing  libaio  not found and rather\n                   long to read\n           \
             Debian: apt-get install libaio1\n           \
             RPM:    dnf install libaio\n  \
             note     x       short\n           \
             do this\n"
        );
        let colored = render(&[section], 42, true);
        assert!(colored.contains("\u{1b}[31mmissing\u{1b}[0m  libaio"), "{colored}");
    }
}
