//! Grids as tables that can be sorted by each column and filtered by each axis.

use super::escaped;
use crate::report::grid::{Entry, Grid, Tone};
use std::fmt::Write;

pub(super) fn write(out: &mut String, grid: &Grid) {
    if !grid.points.is_empty() {
        let lines: usize = grid.points.iter().map(|point| point.lines.len()).sum();
        let filters = if lines > 2 { filters(grid) } else { String::new() };
        let _ =
            write!(out, "<div class=\"grid\">{filters}<div class=\"scroll\"><table>\n<thead><tr>");
        for axis in &grid.axes {
            let _ = write!(out, "<th scope=\"col\">{}</th>", heading(axis));
        }
        if !grid.sides.is_empty() {
            let _ = write!(out, "<th scope=\"col\">{}</th>", heading(&grid.sides));
        }
        for column in grid.columns() {
            let class = if column.right { " class=\"number\"" } else { "" };
            let _ = write!(out, "<th scope=\"col\"{class}>{}</th>", heading(column.heading.trim()));
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for (index, point) in grid.points.iter().enumerate() {
            for (side, entries) in &point.lines {
                let _ = write!(out, "<tr class=\"p{}\">", index % 2);
                for value in &point.values {
                    let _ = write!(out, "<td>{}</td>", escaped(value));
                }
                if !grid.sides.is_empty() {
                    let _ = write!(out, "<td>{}</td>", escaped(side));
                }
                for (entry, column) in entries.iter().zip(grid.columns()) {
                    cell(out, entry, column.right);
                }
                out.push_str("</tr>\n");
            }
        }
        out.push_str("</tbody>\n</table></div></div>\n");
    }
    super::list(out, "totals", &grid.totals);
    super::list(out, "notes", &grid.notes);
}

/// A heading that sorts; without the script it is plain text.
fn heading(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!("<button type=\"button\">{}</button>", escaped(text).replace('\n', "<br>"))
}

fn cell(out: &mut String, entry: &Entry, right: bool) {
    let mut classes: Vec<&str> = Vec::new();
    if right {
        classes.push("number");
    }
    match entry.tone {
        Tone::Plain => {}
        Tone::Good => classes.push("good"),
        Tone::Bad => classes.push("bad"),
        Tone::Quiet => classes.push("quiet"),
    }
    out.push_str("<td");
    if !classes.is_empty() {
        let _ = write!(out, " class=\"{}\"", classes.join(" "));
    }
    if let Some(value) = entry.value {
        let _ = write!(out, " data-value=\"{value}\"");
    }
    let _ = write!(out, ">{}</td>", escaped(entry.text.trim()));
}

/// A choice for each axis with several values, the compared ones among them.
fn filters(grid: &Grid) -> String {
    let mut out = String::new();
    let sides: Vec<&str> =
        grid.points.iter().flat_map(|point| &point.lines).map(|(side, _)| side.as_str()).collect();
    let of_axis = |at: usize| grid.points.iter().map(move |point| point.values[at].as_str());
    let mut choices: Vec<(usize, &str, Vec<&str>)> = grid
        .axes
        .iter()
        .enumerate()
        .map(|(at, axis)| (at, axis.as_str(), of_axis(at).collect()))
        .collect();
    if !grid.sides.is_empty() {
        choices.push((grid.axes.len(), &grid.sides, sides));
    }
    for (column, name, values) in choices {
        let mut known: Vec<&str> = Vec::new();
        for value in values {
            if !known.contains(&value) {
                known.push(value);
            }
        }
        if known.len() < 2 || name == "property" {
            continue;
        }
        let options: String =
            known.iter().map(|value| format!("<option>{}</option>", escaped(value))).collect();
        let _ = write!(
            out,
            "<label>{} <select data-column=\"{column}\"><option value=\"\">all</option>{options}</select></label>",
            escaped(name)
        );
    }
    if out.is_empty() { out } else { format!("<div class=\"filters\">{out}</div>") }
}
