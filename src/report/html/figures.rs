//! Figures in the page: each panel an SVG of its own, so that panels wrap on a narrow screen.

use super::escaped;
use crate::compare::Comparison;
use crate::report::figure::{Figure, Panel, Size, figures, hover, panel, rows};
use std::fmt::Write;

/// Width of one of several panels, and of a lone one on a narrow screen.
const NARROW: f64 = 440.0;
/// Width of a lone panel.
const WIDE: f64 = 860.0;

pub(super) fn write(out: &mut String, comparison: &Comparison) {
    let figures = figures(comparison);
    if figures.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2>Figures</h2>\n");
    for figure in &figures {
        write_figure(out, figure);
    }
    out.push_str("</section>\n");
}

fn write_figure(out: &mut String, figure: &Figure) {
    let _ = write!(
        out,
        "<figure>\n<figcaption><h3>{}</h3><p class=\"about\">{}</p></figcaption>\n",
        escaped(&figure.title),
        escaped(&figure.caption)
    );
    if !figure.legend.is_empty() {
        out.push_str("<p class=\"keys\">");
        for (series, name) in &figure.legend {
            let _ = write!(
                out,
                "<span data-series=\"{series}\"><svg width=\"18\" height=\"6\" aria-hidden=\"true\"><rect class=\"f{}\" \
                 width=\"18\" height=\"4\" y=\"1\" rx=\"2\"/></svg> {}</span>",
                series % 8,
                escaped(name)
            );
        }
        out.push_str("</p>\n");
    }
    out.push_str("<div class=\"panels\">\n");
    if let [one] = figure.panels.as_slice() {
        drawing(out, figure, one, WIDE, "wide");
        drawing(out, figure, one, NARROW, "narrow");
    } else {
        for one in &figure.panels {
            drawing(out, figure, one, NARROW, "panel");
        }
    }
    out.push_str("</div>\n");
    super::list(out, "stalls", &figure.notes);
    table(out, figure);
    out.push_str("</figure>\n");
}

fn drawing(out: &mut String, figure: &Figure, one: &Panel, width: f64, class: &str) {
    let size = Size::of(one, width);
    let title = if one.title.is_empty() { &figure.title } else { &one.title };
    let _ = write!(
        out,
        "<div class=\"{class}\" data-title=\"{}\"><svg viewBox=\"0 0 {:.0} {:.0}\" role=\"img\" \
         aria-label=\"{}\">{}</svg>",
        escaped(&one.title),
        size.width,
        size.height,
        escaped(title),
        panel(one, size)
    );
    if let Some(data) = hover(one, size) {
        // Text of a script ends at the first `</`, whatever stands before it.
        let data = data.to_string().replace('<', "\\u003c");
        let _ = write!(out, "<script type=\"application/json\">{data}</script>");
    }
    out.push_str("</div>\n");
}

/// The table behind the figure. Lines have too many points to be written twice: the script makes
/// their table when it is opened.
fn table(out: &mut String, figure: &Figure) {
    let known: Vec<(&Panel, Vec<[String; 3]>)> =
        figure.panels.iter().filter_map(|one| Some((one, rows(one)?))).collect();
    if known.is_empty() {
        out.push_str("<details class=\"data\" data-lines><summary>Data</summary></details>\n");
        return;
    }
    out.push_str("<details class=\"data\"><summary>Data</summary><div class=\"scroll\"><table>\n");
    for (one, rows) in known {
        if !one.title.is_empty() {
            let _ = writeln!(out, "<tr><th colspan=\"3\">{}</th></tr>", escaped(&one.title));
        }
        for [name, value, ends] in rows {
            let _ = writeln!(
                out,
                "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>",
                escaped(&name),
                escaped(&value),
                escaped(&ends)
            );
        }
    }
    out.push_str("</table></div></details>\n");
}
