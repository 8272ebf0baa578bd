//! Markdown for a pull request: the deltas, and everything else folded.

use super::grid::Place;
use super::markdown::{self, escaped, grid};
use super::page::page;
use crate::compare::Comparison;
use crate::compare::view::Outcome;
use std::fmt::Write;

pub(super) fn render(comparison: &Comparison) -> String {
    let page = page(comparison);
    let mut out = format!("### {}\n", escaped(&page.title));
    if let Some(incomplete) = &page.incomplete {
        let _ = writeln!(out, "\n**Incomplete:** {}", escaped(incomplete));
    }
    for expected in page.expectations.iter().filter(|e| e.outcome != Outcome::Holds) {
        let _ = writeln!(out, "\n**{}**: `{}`", expected.outcome.as_str(), expected.text);
    }
    for block in page.blocks.iter().filter(|block| !block.heading.is_empty()) {
        let _ = writeln!(out, "\n{}\n", escaped(&block.heading));
        grid(&mut out, &block.grid.only(|_, group| group.place == Place::Main));
        for total in &block.grid.totals {
            let _ = writeln!(out, "\n{}", escaped(total));
        }
    }
    let counts = [(page.failures.len(), "failure"), (page.findings.len(), "finding")];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    let also = if counts.is_empty() { String::new() } else { format!(", {}", counts.join(", ")) };
    // A blank line after the summary, or the Markdown below it is not read as such.
    let _ = writeln!(out, "\n<details><summary>Repetitions, fairness{also}</summary>\n");
    out.push_str(&markdown::render(comparison));
    out.push_str("\n</details>\n");
    out
}
