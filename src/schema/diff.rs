//! What a transform changed, as a unified patch.

use crate::model::line_diff::{ChangeTag, Hunk, LineDiff};

const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const CYAN: &str = "\u{1b}[36m";
const BOLD: &str = "\u{1b}[1m";
const PLAIN: &str = "\u{1b}[0m";

/// Unchanged lines around those that changed.
const CONTEXT: usize = 3;

/// The unified patch that turns `old` into `new`, with three lines of context; empty when they are
/// equal. `name` is the file that its headings name. Coloured for terminals, or a patch as `patch`
/// and `git apply` take it.
pub fn diff(name: &str, old: &str, new: &str, colored: bool) -> String {
    let line_diff = LineDiff::new(old, new);
    let name = name.trim_start_matches('/');
    let (from, to) = (format!("a/{name}"), format!("b/{name}"));
    if !colored {
        return line_diff.patch(CONTEXT, &from, &to);
    }
    let mut out = String::new();
    for (number, Hunk { header, lines }) in line_diff.hunks(CONTEXT).into_iter().enumerate() {
        if number == 0 {
            out.extend([BOLD, "--- ", &from, PLAIN, "\n", BOLD, "+++ ", &to, PLAIN, "\n"]);
        }
        out.extend([CYAN, &header, PLAIN, "\n"]);
        for (tag, line) in lines {
            let (color, sign) = match tag {
                ChangeTag::Delete => (RED, "-"),
                ChangeTag::Insert => (GREEN, "+"),
                ChangeTag::Equal => ("", " "),
            };
            let text = line.strip_suffix('\n').unwrap_or(line);
            let end = if color.is_empty() { "" } else { PLAIN };
            out.extend([color, sign, text, end, "\n"]);
            if !line.ends_with(['\n', '\r']) {
                out.push_str("\\ No newline at end of file\n");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_plain_or_coloured() {
        let plain = diff("a.sql", "one\ntwo\n", "one\n2\n", false);
        assert_eq!(plain, "--- a/a.sql\n+++ b/a.sql\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
        let colored = diff("a.sql", "one\ntwo\n", "one\n2\n", true);
        let bare = [RED, GREEN, CYAN, BOLD, PLAIN]
            .iter()
            .fold(colored.clone(), |text, color| text.replace(color, ""));
        assert_eq!(bare, plain);
        assert!(colored.contains("\u{1b}[31m-two\u{1b}[0m"));
        assert_eq!(diff("a", "same", "same", true), "");
        assert!(diff("a", "x", "y", true).contains("\\ No newline at end of file"));
    }
}
