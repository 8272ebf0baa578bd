//! The terminal: tables fitted to a width.

use super::Output;
use super::fit::draw;
use super::page::{Page, page};
use crate::compare::Comparison;
use crate::compare::view::Outcome;
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// The report as text of at most `output.width` columns.
pub(super) fn render(comparison: &Comparison, output: Output) -> String {
    let page = page(comparison);
    let mut out = String::new();
    head(&mut out, &page, output);
    for block in &page.blocks {
        out.push('\n');
        if !block.heading.is_empty() {
            line(&mut out, &strong(&block.heading, output), output.width, "");
        }
        for about in &block.about {
            line(&mut out, about, output.width, "  ");
        }
        if !block.grid.title.is_empty() {
            line(&mut out, &strong(&block.grid.title, output), output.width, "");
        }
        for (index, part) in draw(&block.grid, output.width, output.color).iter().enumerate() {
            if index > 0 {
                out.push('\n');
            }
            out.push_str(part);
            if index == 0 {
                for total in &block.grid.totals {
                    line(&mut out, total, output.width, "  ");
                }
            }
        }
        for note in &block.grid.notes {
            line(&mut out, note, output.width, "  ");
        }
    }
    if !page.legend.is_empty() {
        out.push('\n');
        for entry in &page.legend {
            line(&mut out, entry, output.width, "  ");
        }
    }
    tail(&mut out, &page, output);
    out
}

fn head(out: &mut String, page: &Page, output: Output) {
    line(out, &strong(&page.title, output), output.width, "");
    for about in &page.about {
        line(out, about, output.width, "  ");
    }
    if let Some(incomplete) = &page.incomplete {
        line(out, &format!("incomplete: {incomplete}"), output.width, "  ");
    }
}

fn tail(out: &mut String, page: &Page, output: Output) {
    if !page.only_in.is_empty() {
        out.push('\n');
        for only in &page.only_in {
            line(out, only, output.width, "  ");
        }
    }
    if !page.expectations.is_empty() {
        out.push('\n');
        line(out, &strong("Expectations", output), output.width, "");
        for expected in &page.expectations {
            let outcome = format!("{:<12}", expected.outcome.as_str());
            let text = format!("{} ({})", expected.text, expected.place);
            let _ = write!(out, "{}", toned(&outcome, expected.outcome, output));
            line(out, &text, output.width.saturating_sub(12), "              ");
            for case in &expected.cases {
                if case.outcome == expected.outcome && case.outcome != Outcome::Holds {
                    line(out, &format!("  {}: {}", case.cell, case.seen), output.width, "    ");
                }
            }
        }
    }
    if !page.failures.is_empty() {
        out.push('\n');
        line(out, &strong("Failures", output), output.width, "");
        for failed in &page.failures {
            line(out, &failed.what, output.width, "    ");
            for cell in &failed.cells {
                line(out, &format!("  in {cell}"), output.width, "     ");
            }
            if let Some(place) = &failed.place {
                line(out, &format!("  asked for at {place}"), output.width, "     ");
            }
            for log in &failed.log_tail {
                // A server's own words are not folded: they are searched for.
                let _ = writeln!(out, "  | {log}");
            }
            if let Some(next) = &failed.next_step {
                line(out, &format!("  next: {next}"), output.width, "    ");
            }
        }
    }
    if !page.findings.is_empty() {
        out.push('\n');
        line(out, &strong("Findings", output), output.width, "");
        for finding in &page.findings {
            let cells: String = finding.cells.iter().map(|cell| format!(" [{cell}]")).collect();
            let (code, title) = (finding.code.code(), finding.code.title());
            let text = format!("{code} {title}: {}{cells}", finding.seen);
            line(out, &text, output.width, "     ");
        }
        line(out, "`enginecmp explain CODE` says why a finding matters.", output.width, "");
    }
}

fn toned(text: &str, outcome: Outcome, output: Output) -> String {
    let color = match outcome {
        Outcome::Holds => "32",
        Outcome::Fails => "31",
        Outcome::CannotTell => "2",
    };
    if output.color { format!("\u{1b}[{color}m{text}\u{1b}[0m") } else { text.to_string() }
}

fn strong(text: &str, output: Output) -> String {
    if output.color { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_string() }
}

/// Writes `text` folded at spaces; lines after the first begin with `indent`.
fn line(out: &mut String, text: &str, width: usize, indent: &str) {
    let mut used = 0;
    for word in text.split(' ') {
        let wide = visible_width(word);
        if used > 0 && used + 1 + wide > width {
            out.push('\n');
            out.push_str(indent);
            used = indent.len();
        } else if used > 0 || !out.ends_with('\n') && !out.is_empty() {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += wide;
    }
    out.push('\n');
}

/// Width on the terminal, escape sequences left out.
fn visible_width(word: &str) -> usize {
    let mut plain = String::new();
    let mut escape = false;
    for c in word.chars() {
        match c {
            '\u{1b}' => escape = true,
            'm' if escape => escape = false,
            _ if escape => {}
            c => plain.push(c),
        }
    }
    plain.width()
}
