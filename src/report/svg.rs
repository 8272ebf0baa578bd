//! All figures below each other in one SVG document, for wikis.

use super::figure::{Figure, LEGEND_HEIGHT, STYLE, Size, figures, legend, panel};
use super::text::escaped_markup as escaped;
use crate::compare::Comparison;
use std::fmt::Write;

/// Width of the document.
const WIDTH: f64 = 960.0;
/// Room around it and between panels.
const GAP: f64 = 28.0;

/// The figures as one document; it follows the reader's light or dark scheme.
pub(super) fn render(comparison: &Comparison) -> String {
    let mut body = String::new();
    let mut y = GAP + 12.0;
    let _ = write!(
        body,
        "<text class=\"heading\" x=\"{GAP}\" y=\"{y}\">{}</text>",
        escaped(&comparison.heading.title)
    );
    y += 18.0;
    let figures = figures(comparison);
    if figures.is_empty() {
        y += 12.0;
        let _ =
            write!(body, "<text x=\"{GAP}\" y=\"{y}\">No figures: nothing was measured.</text>");
    }
    for figure in &figures {
        y = placed(&mut body, figure, y + 24.0);
    }
    let height = y + GAP;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" \
         width=\"{WIDTH}\" height=\"{height:.0}\" role=\"img\">\n<title>{}</title>\n<style>{STYLE}\n\
         svg .heading {{ font-size: 18px; font-weight: 600; }}\nsvg .caption {{ fill: var(--soft); }}\n\
         svg .figure {{ font-size: 14px; font-weight: 600; }}\n</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n{body}</svg>\n",
        escaped(&comparison.heading.title)
    )
}

/// Places a figure at `y` and gives the place below it.
fn placed(body: &mut String, figure: &Figure, y: f64) -> f64 {
    let mut y = y;
    let _ = write!(
        body,
        "<text class=\"figure\" x=\"{GAP}\" y=\"{y:.0}\">{}</text>",
        escaped(&figure.title)
    );
    for line in wrapped(&figure.caption) {
        y += 17.0;
        caption(body, y, &line);
    }
    y += 12.0;
    if !figure.legend.is_empty() {
        let _ = writeln!(
            body,
            "<g transform=\"translate({GAP} {y:.0})\">{}</g>",
            legend(&figure.legend)
        );
        y += LEGEND_HEIGHT;
    }
    let columns = figure.panels.len().min(2);
    let width = (WIDTH - GAP * (columns as f64 + 1.0)) / columns as f64;
    for row in figure.panels.chunks(columns) {
        let mut tallest: f64 = 0.0;
        for (column, one) in row.iter().enumerate() {
            let size = Size::of(one, width);
            let x = GAP + column as f64 * (width + GAP);
            let _ = writeln!(
                body,
                "<g transform=\"translate({x:.0} {y:.0})\">{}</g>",
                panel(one, size)
            );
            tallest = tallest.max(size.height);
        }
        y += tallest + 12.0;
    }
    for line in figure.notes.iter().flat_map(|note| wrapped(note)) {
        y += 17.0;
        caption(body, y, &line);
    }
    y
}

fn caption(body: &mut String, y: f64, line: &str) {
    let _ =
        write!(body, "<text class=\"caption\" x=\"{GAP}\" y=\"{y:.0}\">{}</text>", escaped(line));
}

/// A caption in lines that fit the document: at most 130 letters, broken between words.
fn wrapped(caption: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in caption.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < 130 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}
