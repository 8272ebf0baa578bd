//! A page over many runs: by suite and machine, the newest first.

use super::markdown::escaped;
use super::text::{delta, interval};
use crate::compare::Comparison;
use crate::compare::view::{Section, Side};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Deltas that a line of the page shows; the rest is in the report.
const DELTAS: usize = 3;

/// A run on the page.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// Its directory, relative to the page.
    pub folder: String,
    /// Files of reports beside its journal.
    pub reports: Vec<String>,
    /// What it came to.
    pub comparison: &'a Comparison,
}

/// The page as Markdown.
pub fn render(entries: &[Entry]) -> String {
    let mut by_suite: BTreeMap<(&str, &str), Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        let machine = entry.comparison.machine.as_ref();
        let machine = machine.map_or("machine not said", |machine| machine.name.as_str());
        by_suite.entry((&entry.comparison.heading.title, machine)).or_default().push(entry);
    }
    let mut out = String::from("# Reports\n\nMade by `enginecmp report --index`.\n");
    let mut suite = "";
    for ((title, machine), mut entries) in by_suite {
        if title != suite {
            let _ = writeln!(out, "\n## {}", escaped(title));
            suite = title;
        }
        let _ = writeln!(out, "\n### {}\n", escaped(machine));
        out.push_str(
            "| run | measured by | against | deltas | reports |\n| --- | --- | --- | --- | --- |\n",
        );
        entries.sort_by(|a, b| b.comparison.heading.at.cmp(&a.comparison.heading.at));
        for entry in entries {
            line(&mut out, entry);
        }
    }
    out
}

fn line(out: &mut String, entry: &Entry) {
    let heading = &entry.comparison.heading;
    let day = heading.at.get(..10).unwrap_or(&heading.at);
    let mut state = String::new();
    if heading.incomplete.is_some() {
        state.push_str(" (incomplete)");
    }
    if !heading.profiles.is_empty() {
        let _ = write!(state, " ({})", escaped(&heading.profiles.join(", ")));
    }
    let reports: Vec<String> = entry
        .reports
        .iter()
        .map(|file| {
            let ending = file.split_once('.').map_or(file.as_str(), |(_, ending)| ending);
            format!("[{ending}]({}/{})", address(&entry.folder), address(file))
        })
        .collect();
    let against: Vec<String> = entry
        .comparison
        .sections
        .iter()
        .filter(|section| !section.compared.is_empty())
        .map(|section| section.baseline.join(", "))
        .collect();
    let _ = writeln!(
        out,
        "| [{day}]({}){state} | {} | {} | {} | {} |",
        address(&entry.folder),
        escaped(&heading.tool),
        escaped(&distinct(against).join(", ")),
        deltas(entry.comparison),
        reports.join(" ")
    );
}

fn distinct(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    names
}

/// The headline deltas, those that say most first.
fn deltas(comparison: &Comparison) -> String {
    let mut found: Vec<(f64, String)> = Vec::new();
    for section in &comparison.sections {
        for point in &section.points {
            for side in &point.sides {
                found.extend(one(section, &point.values, side));
            }
        }
    }
    let count = found.len();
    found.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    let mut shown: Vec<String> = found.into_iter().take(DELTAS).map(|(_, text)| text).collect();
    if count > DELTAS {
        shown.push(format!("{} more", count - DELTAS));
    }
    shown.join("; ")
}

fn one(section: &Section, values: &[Option<String>], side: &Side) -> Option<(f64, String)> {
    let series = side.headline()?;
    let relative = series.against.delta()?.relative;
    let at: Vec<String> = section
        .axes
        .iter()
        .zip(values)
        .filter_map(|(axis, value)| Some(format!("{axis} {}", value.as_ref()?)))
        .collect();
    let at = if at.is_empty() { String::new() } else { format!(" at {}", at.join(", ")) };
    let parts = [
        format!("{} of {}{at}", section.headline.heading(), side.name),
        delta(&series.against).trim().to_string(),
        interval(&series.against),
    ];
    Some((relative, escaped(&parts.join(" "))))
}

/// A path as the address of a link.
fn address(path: &str) -> String {
    path.replace('%', "%25").replace(' ', "%20").replace('(', "%28").replace(')', "%29")
}
