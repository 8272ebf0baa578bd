//! The terminal: tables fitted to a width.

use super::Output;
use super::fit::draw;
use super::grid::Grid;
use super::page::{Block, Brief, Page, page};
use super::text::ends;
use super::verdict;
use crate::compare::Comparison;
use crate::compare::view::{Outcome, Verdict};
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// Cells of a finding that are named where a report shall be short.
const NAMED: usize = 2;

/// Sides of which the verdict is told at the head; the tables have them all.
const TOLD: usize = 12;

/// The report as text of at most `output.width` columns.
pub(super) fn render(comparison: &Comparison, output: Output) -> String {
    let page = page(comparison);
    let mut out = String::new();
    head(&mut out, &page, output);
    told(&mut out, comparison, &page, output);
    let mut folded = Vec::new();
    for block in &page.blocks {
        match &block.brief {
            Brief::Line(line) if !output.whole => folded.push(line.as_str()),
            Brief::Columns(grid) if !output.whole => draw_block(&mut out, block, grid, output),
            _ => draw_block(&mut out, block, &block.grid, output),
        }
    }
    if !page.legend.is_empty() {
        out.push('\n');
        for entry in &page.legend {
            line(&mut out, entry, output.width, "  ");
        }
    }
    collected(&mut out, &page, output);
    tail(&mut out, &page, output);
    if !folded.is_empty() {
        out.push('\n');
        line(&mut out, &strong("Folded, whole with --verbose", output), output.width, "");
        for entry in folded {
            line(&mut out, entry, output.width, "    ");
        }
    }
    out
}

/// Who is ahead, by how much, and what speaks against believing it.
fn told(out: &mut String, comparison: &Comparison, page: &Page, output: Output) {
    let lines = verdict::lines(comparison);
    if lines.is_empty() {
        return;
    }
    out.push('\n');
    let mut workloads: Vec<&str> = lines.iter().map(|line| line.workload.as_str()).collect();
    workloads.dedup();
    for one in lines.iter().take(TOLD) {
        let workload =
            if workloads.len() > 1 { format!("{}: ", one.workload) } else { String::new() };
        line(out, &format!("{workload}{}", in_words(one, output)), output.width, "  ");
    }
    if lines.len() > TOLD {
        line(out, &format!("and {} more, in the tables", lines.len() - TOLD), output.width, "");
    }
    if let Some(rests) = rests_on(&lines, page) {
        line(out, &rests, output.width, "  ");
    }
}

/// `toku against innodb: TpmC +12.66% [+12.0%, +13.3%], better; of 6 rows: 5 better, 1 worse`.
fn in_words(one: &verdict::Line, output: Output) -> String {
    let mut words = format!("{} against {}:", one.side, one.baseline);
    if let Some(figure) = &one.figure {
        let color = match figure.judged.verdict() {
            Some(Verdict::Better) => "1;32",
            Some(Verdict::Worse) => "1;31",
            _ => "1",
        };
        let mean = if figure.mean { " (geometric mean)" } else { "" };
        let delta = painted(&figure.percent(), color, output);
        let _ = write!(words, " {} {delta} {}{mean}", one.metric, ends(&figure.judged));
        let verdict = figure.told();
        if !verdict.is_empty() {
            let _ = write!(words, ": {verdict}");
        }
    }
    if one.no_numbers {
        words.push_str(" no numbers");
    }
    if !one.parts.is_empty() {
        let rows = if one.rows == 1 { "row" } else { "rows" };
        let and = if words.ends_with(':') { "" } else { ";" };
        let _ = write!(words, "{and} of {} {rows} {}", one.rows, one.parts.join(", "));
    }
    words
}

/// On how many repetitions the verdicts rest, and what is said against them below.
fn rests_on(lines: &[verdict::Line], page: &Page) -> Option<String> {
    let fewest = lines.iter().filter_map(|line| line.repetitions).min()?;
    let count = |number: usize, what: &str| {
        (number > 0).then(|| format!("{number} {what}{}", if number == 1 { "" } else { "s" }))
    };
    let against: Vec<String> =
        [count(page.failures.len(), "failure"), count(page.findings.len(), "finding")]
            .into_iter()
            .flatten()
            .collect();
    let rests = match fewest {
        1 => "It rests on a single repetition a side".to_string(),
        _ => format!("It rests on at least {fewest} repetitions a side"),
    };
    Some(if against.is_empty() {
        format!("{rests}; nothing was found against it.")
    } else {
        format!("{rests}; read the {} below before you believe it.", against.join(" and "))
    })
}

fn draw_block(out: &mut String, block: &Block, grid: &Grid, output: Output) {
    out.push('\n');
    if !block.heading.is_empty() {
        line(out, &strong(&block.heading, output), output.width, "");
    }
    for about in &block.about {
        line(out, about, output.width, "  ");
    }
    if !grid.title.is_empty() {
        line(out, &strong(&grid.title, output), output.width, "");
    }
    for (index, part) in draw(grid, output.width, output.color).iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        out.push_str(part);
        if index == 0 {
            for total in &grid.totals {
                line(out, total, output.width, "  ");
            }
        }
    }
    for note in &grid.notes {
        line(out, note, output.width, "  ");
    }
}

/// A line a command: its files have names that follow one another.
fn collected(out: &mut String, page: &Page, output: Output) {
    if page.collected.is_empty() {
        return;
    }
    out.push('\n');
    line(out, &strong("Collected", output), output.width, "");
    for command in &page.collected {
        let files = match command.files.as_slice() {
            [] => continue,
            [only] => only.file.clone(),
            [first, .., last] => {
                format!("{} files, {} to {}", command.files.len(), first.file, last.file)
            }
        };
        line(out, &format!("`{}`: {files}", command.command), output.width, "  ");
    }
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
            let named = if output.whole { finding.cells.len() } else { NAMED };
            let mut cells: String =
                finding.cells.iter().take(named).map(|cell| format!(" [{cell}]")).collect();
            if finding.cells.len() > named {
                let _ = write!(cells, " and {} more", finding.cells.len() - named);
            }
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
    painted(text, color, output)
}

fn strong(text: &str, output: Output) -> String {
    painted(text, "1", output)
}

fn painted(text: &str, color: &str, output: Output) -> String {
    if output.color { format!("\u{1b}[{color}m{text}\u{1b}[0m") } else { text.to_string() }
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
