//! Changes of one statement, token by token. What no change touches comes out as it went in.

use super::parse::statement::Statement;
use super::token::{Kind, is_word};
use std::collections::BTreeMap;

/// Changes to come.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    /// New text of a token; empty to leave it out. By token index.
    replaced: BTreeMap<usize, String>,
    /// Text to put before a token. By token index; the number of tokens stands for the end.
    inserted: BTreeMap<usize, String>,
}

impl Edits {
    pub(crate) fn is_empty(&self) -> bool {
        self.replaced.is_empty() && self.inserted.is_empty()
    }

    /// Writes `text` in place of the token at a position.
    pub(crate) fn replace(&mut self, s: &Statement<'_>, at: usize, text: impl Into<String>) {
        self.replaced.insert(s.index(at), text.into());
    }

    /// Writes `text` in place of the token at an index, which may be a comment.
    pub(crate) fn replace_token(&mut self, index: usize, text: String) {
        self.replaced.insert(index, text);
    }

    /// Writes `text` directly behind the token before position `at`.
    pub(crate) fn insert_after(&mut self, s: &Statement<'_>, at: usize, text: &str) {
        let index = if at == 0 { 0 } else { s.index(at - 1) + 1 };
        self.inserted.entry(index).or_default().push_str(text);
    }

    /// Writes `text` directly before the token at a position.
    pub(crate) fn insert_before(&mut self, s: &Statement<'_>, at: usize, text: &str) {
        self.inserted.entry(s.index(at)).or_default().push_str(text);
    }

    /// Leaves out the tokens in `first..end`; ordinary comments between them stay.
    pub(crate) fn delete(&mut self, s: &Statement<'_>, first: usize, end: usize) {
        if first >= end || first >= s.len() {
            return;
        }
        let (from, to) = (s.index(first), s.index(end - 1).min(s.tokens.len() - 1));
        for index in from..=to {
            let near_comment = |index: Option<usize>| {
                index.and_then(|index| s.tokens.get(index)).is_some_and(|token| token.is_comment())
            };
            let token = s.tokens[index];
            let goes = match token.kind {
                Kind::Comment
                | Kind::LineComment
                | Kind::ConditionalOpen
                | Kind::ConditionalClose => false,
                Kind::Space => {
                    !near_comment(index.checked_sub(1)) && !near_comment(Some(index + 1))
                }
                _ => true,
            };
            if goes {
                self.replaced.insert(index, String::new());
            }
        }
    }

    /// Leaves out the white space directly before a position.
    pub(crate) fn delete_space_before(&mut self, s: &Statement<'_>, at: usize) {
        if let Some(index) = s.index(at).checked_sub(1)
            && s.tokens[index].kind == Kind::Space
        {
            self.replaced.insert(index, String::new());
        }
    }

    /// The statement with every change made.
    pub(crate) fn apply(&self, s: &Statement<'_>) -> Vec<u8> {
        let mut out = Vec::with_capacity(s.text.len() + 64);
        let mut glue = false;
        let mut line_comment = false;
        for index in 0..=s.tokens.len() {
            if let Some(text) = self.inserted.get(&index) {
                glue = true;
                join(&mut out, text.as_bytes(), &mut line_comment, &mut glue);
                glue = true;
            }
            let Some(token) = s.tokens.get(index) else { break };
            match self.replaced.get(&index) {
                Some(text) if text.is_empty() => glue = true,
                Some(text) => {
                    glue = true;
                    join(&mut out, text.as_bytes(), &mut line_comment, &mut glue);
                    glue = true;
                }
                None => {
                    let text = &s.text[token.start..token.end];
                    join(&mut out, text, &mut line_comment, &mut glue);
                    line_comment = token.kind == Kind::LineComment;
                }
            }
        }
        out
    }
}

/// Adds a piece. Where something was changed before it (`glue`), what would run into each other is
/// kept apart: a line comment ends its line, words and quotes get a space.
fn join(out: &mut Vec<u8>, piece: &[u8], line_comment: &mut bool, glue: &mut bool) {
    let (Some(&last), Some(&first)) = (out.last(), piece.first()) else {
        out.extend_from_slice(piece);
        return;
    };
    if std::mem::take(line_comment) && !matches!(first, b'\n' | b'\r') {
        out.push(b'\n');
    } else if std::mem::take(glue)
        && ((is_word(last) && is_word(first))
            || (last == first && matches!(last, b'\'' | b'"' | b'`' | b'-' | b'/' | b'*')))
    {
        out.push(b' ');
    }
    out.extend_from_slice(piece);
    *glue = false;
}

/// Leaves items of a comma-separated list out, with the commas that belong to them.
///
/// `items` are the positions (first, end) of all items in order; `removed` tells which go. An item
/// with a kept one behind it takes the comma behind it along, else the one before it; a comma in
/// the same conditional comment goes first.
pub(crate) fn delete_items(
    edits: &mut Edits,
    s: &Statement<'_>,
    items: &[(usize, usize)],
    removed: &[bool],
) {
    let last_kept = removed.iter().rposition(|gone| !gone);
    let mut used = vec![false; items.len() + 1];
    for (number, &(first, end)) in items.iter().enumerate() {
        if !removed[number] {
            continue;
        }
        let before = (number > 0 && s.mark(first.wrapping_sub(1), b',')).then(|| first - 1);
        let behind = (number + 1 < items.len() && s.mark(end, b',')).then_some(end);
        let kept_behind = last_kept.is_some_and(|kept| kept > number);
        let region = s.token(first).map_or(0, |token| token.region);
        let in_region =
            |at: Option<usize>| at.and_then(|at| s.token(at)).is_some_and(|t| t.region == region);
        // A comma at the start of its line belongs to the item behind it.
        let leads = before.is_some_and(|comma| leads_line(s, comma));
        let mut take_behind = kept_behind && !leads;
        if region != 0 && in_region(before) != in_region(behind) {
            take_behind = in_region(behind);
        }
        // Commas are numbered by the item behind them.
        let comma = |take_behind: bool| if take_behind { number + 1 } else { number };
        if used[comma(take_behind)] && !used[comma(!take_behind)] {
            take_behind = !take_behind;
        }
        used[comma(take_behind)] = true;
        edits.delete(s, first, end);
        if take_behind {
            if let Some(comma) = behind {
                edits.delete(s, comma, comma + 1);
                delete_space_behind(edits, s, first, end);
            } else {
                edits.delete_space_before(s, first);
            }
        } else {
            if let Some(comma) = before {
                edits.delete(s, comma, comma + 1);
                if leads {
                    edits.delete_space_before(s, comma);
                }
            }
            edits.delete_space_before(s, first);
        }
    }
}

/// Whether a comma is the first thing on its line and its item follows on the same line.
fn leads_line(s: &Statement<'_>, comma: usize) -> bool {
    let index = s.index(comma);
    let breaks = |index: Option<usize>| {
        let token = index.and_then(|index| s.tokens.get(index));
        token.is_some_and(|token| {
            token.kind == Kind::Space && s.text[token.start..token.end].contains(&b'\n')
        })
    };
    breaks(index.checked_sub(1)) && !breaks(Some(index + 1))
}

/// Leaves out one of the two stretches of white space around an item that went with the comma
/// behind it.
fn delete_space_behind(edits: &mut Edits, s: &Statement<'_>, first: usize, end: usize) {
    let comma = s.index(end);
    let is_space = |index: usize| s.tokens.get(index).is_some_and(|t| t.kind == Kind::Space);
    let is_comment = |index: usize| s.tokens.get(index).is_some_and(|t| t.is_comment());
    if is_space(comma + 1) && !is_comment(comma + 2) {
        edits.replaced.insert(comma + 1, String::new());
    } else if is_space(comma + 1) && s.index(first) > 0 && is_space(s.index(first) - 1) {
        // `item, -- why`: the comment moves to where the item stood.
        edits.replaced.insert(comma + 1, String::new());
    }
}
