//! Markdown: the same tables, a line a side with all its values.

use super::grid::{Grid, Tone};
use super::page::{Collected, page};
use crate::compare::Comparison;
use std::fmt::Write;

/// The report as Markdown.
pub(super) fn render(comparison: &Comparison) -> String {
    let page = page(comparison);
    let mut out = format!("# {}\n\n", escaped(&page.title));
    for about in &page.about {
        let _ = writeln!(out, "{}  ", escaped(about));
    }
    if let Some(incomplete) = &page.incomplete {
        let _ = writeln!(out, "\n**Incomplete:** {}", escaped(incomplete));
    }
    for block in &page.blocks {
        if !block.heading.is_empty() {
            let _ = writeln!(out, "\n## {}\n", escaped(&block.heading));
        }
        for about in &block.about {
            let _ = writeln!(out, "{}  ", escaped(about));
        }
        if !block.grid.title.is_empty() {
            let _ = writeln!(out, "\n### {}", escaped(&block.grid.title));
        }
        if !block.grid.points.is_empty() {
            out.push('\n');
            grid(&mut out, &block.grid);
        }
        list(&mut out, &block.grid.totals);
        list(&mut out, &block.grid.notes);
    }
    list(&mut out, &page.legend);
    collected(&mut out, &page.collected);
    if !page.failures.is_empty() {
        out.push_str("\n## Failures\n\n");
        for failed in &page.failures {
            let _ = writeln!(out, "- {} ({})", escaped(&failed.what), failed.cells.join("; "));
            if let Some(next) = &failed.next_step {
                let _ = writeln!(out, "  Next: {}", escaped(next));
            }
            if !failed.log_tail.is_empty() {
                let _ = writeln!(out, "\n  ```\n  {}\n  ```", failed.log_tail.join("\n  "));
            }
        }
    }
    list(&mut out, &page.only_in);
    if !page.expectations.is_empty() {
        out.push_str("\n## Expectations\n\n");
        for expected in &page.expectations {
            let _ = writeln!(
                out,
                "- **{}**: `{}` ({})",
                expected.outcome.as_str(),
                expected.text,
                expected.place
            );
            for case in &expected.cases {
                let _ = writeln!(
                    out,
                    "  - {}: `{}`: {}",
                    case.outcome.as_str(),
                    case.cell,
                    escaped(&case.seen)
                );
            }
        }
    }
    if !page.findings.is_empty() {
        out.push_str("\n## Findings\n\n");
        for finding in &page.findings {
            let cells: String = finding.cells.iter().map(|cell| format!(" `{cell}`")).collect();
            let _ = writeln!(
                out,
                "- **{}** {}: {}{cells}",
                finding.code.code(),
                finding.code.title(),
                escaped(&finding.seen)
            );
        }
    }
    out
}

/// Links to what commands of the user said, beside the journal.
fn collected(out: &mut String, commands: &[Collected]) {
    if commands.is_empty() {
        return;
    }
    out.push_str("\n## Collected\n");
    for command in commands {
        let _ = writeln!(out, "\n`{}`\n", command.command.replace('`', "'"));
        for one in &command.files {
            let _ = writeln!(out, "- [{}](<{}>): {}", one.file, one.file, escaped(&one.about));
        }
    }
}

/// A grid as a table of Markdown.
pub(super) fn grid(out: &mut String, grid: &Grid) {
    let mut headings: Vec<&str> = grid.axes.iter().map(String::as_str).collect();
    if !grid.sides.is_empty() {
        headings.push(&grid.sides);
    }
    let leading = headings.len();
    headings.extend(grid.columns().map(|column| column.heading.trim()));
    let _ = writeln!(out, "| {} |", headings.join(" | ").replace('\n', " "));
    let rules: Vec<&str> = std::iter::repeat_n("---", leading)
        .chain(grid.columns().map(|column| if column.right { "---:" } else { "---" }))
        .collect();
    let _ = writeln!(out, "| {} |", rules.join(" | "));
    for point in &grid.points {
        for (side, entries) in &point.lines {
            let mut cells: Vec<String> = point.values.iter().map(|value| escaped(value)).collect();
            if !grid.sides.is_empty() {
                cells.push(escaped(side));
            }
            cells.extend(entries.iter().map(|entry| {
                let text = escaped(entry.text.trim());
                match entry.tone {
                    Tone::Good | Tone::Bad if !text.is_empty() => format!("**{text}**"),
                    _ => text,
                }
            }));
            let _ = writeln!(out, "| {} |", cells.join(" | "));
        }
    }
}

fn list(out: &mut String, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    out.push('\n');
    for line in lines {
        let _ = writeln!(out, "- {}", escaped(line));
    }
}

/// Text in which nothing is taken for markup.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '*' | '_' | '<' | '~' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
