//! The reference of all statements, made from the shapes.

use super::shapes::{self, Parent, Shape, TABLES};
use std::fmt::Write as _;

/// The reference as Markdown: a section for each table, an entry for each statement.
pub fn markdown() -> String {
    let mut out = String::new();
    for (heading, rows) in TABLES {
        let _ = writeln!(out, "## {heading}\n");
        for shape in *rows {
            let _ = writeln!(out, "### `{}`\n\n{}\n", title(shape), shape.doc);
            let _ = writeln!(out, "```bench\n{}\n```\n", shape.example);
            for line in facts(shape) {
                let _ = writeln!(out, "- {line}");
            }
            out.push('\n');
        }
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// The entry of one statement as plain text, for a terminal. None for an unknown name.
pub fn plain(name: &str) -> Option<String> {
    let entries: Vec<_> = shapes::named(name)
        .map(|shape| {
            let mut entry = format!("{}\n    {}\n", shape.synopsis(), shape.doc);
            for line in facts(shape) {
                let _ = writeln!(entry, "    {}", line.replace('`', ""));
            }
            let _ = writeln!(entry, "    Example: {}", shape.example);
            entry
        })
        .collect();
    (!entries.is_empty()).then(|| entries.join("\n"))
}

/// The statement as its heading names it: with its synopsis.
fn title(shape: &Shape) -> String {
    shape.synopsis()
}

/// What there is to know beside the meaning.
fn facts(shape: &Shape) -> Vec<String> {
    let mut facts = vec![format!("Stands {}.", Parent::list(shape.parents))];
    if let Some(default) = shape.default {
        facts.push(format!("Without it: {default}."));
    }
    if shape.axis {
        facts.push("Several values make an axis.".to_string());
    }
    if !shape.executed {
        facts.push("Parses, but `run` refuses it: not supported in this version.".to_string());
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_statement_has_an_entry() {
        let text = markdown();
        for shape in shapes::all() {
            assert!(text.contains(&format!("### `{}`", shape.synopsis())), "{}", shape.name);
            assert!(plain(shape.name).is_some());
        }
        assert_eq!(plain("nothing"), None);
    }

    #[test]
    fn an_entry_says_where_the_statement_stands_and_what_holds_without_it() {
        let entry = plain("os_cache").unwrap_or_default();
        assert!(entry.starts_with("os_cache keep|drop, ...\n"), "{entry}");
        assert!(entry.contains("Stands at the top level or inside server"), "{entry}");
        assert!(entry.contains("Without it: keep."), "{entry}");
        assert!(entry.contains("Several values make an axis."), "{entry}");
    }
}
