//! Panels as SVG. Colours come from classes, so that a page can be light or dark.

use super::scale::{Scale, written};
use super::{Bar, Content, Form, Interval, Line, Panel, Shade, ShadeKind};
use crate::model::units::grouped;
use crate::report::grid::Tone;
use crate::report::text::escaped_markup as escaped;
use std::fmt::Write;

/// How a standalone drawing and a page colour what is drawn: eight series that stay apart for the
/// colour-blind, on light and on dark.
pub(in crate::report) const STYLE: &str = include_str!("figure.css");

/// Height of a legend.
pub(in crate::report) const LEGEND_HEIGHT: f64 = 24.0;

/// Series that have a colour of their own; more begin again.
const COLORS: usize = 8;

/// Width of a letter in the drawings' type, for room that text needs; digits and lower case letters
/// of a sans-serif face at 12 px stay below it.
const LETTER: f64 = 6.6;

/// The room of a panel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::report) struct Size {
    /// Across, in units of the drawing.
    pub(in crate::report) width: f64,
    /// Down.
    pub(in crate::report) height: f64,
}

impl Size {
    /// The room that `panel` needs when it is `width` wide.
    pub(in crate::report) fn of(panel: &Panel, width: f64) -> Self {
        let title = title_height(panel);
        let height = match &panel.content {
            Content::Lines { .. } => title + (width * 0.46).clamp(210.0, 330.0),
            Content::Bars(bars) => title + bars.len() as f64 * ROW + 8.0,
            Content::Intervals(rows) => title + rows.len() as f64 * ROW + AXIS,
        };
        Self { width, height }
    }
}

/// Height of a bar or an interval with its name.
const ROW: f64 = 42.0;
/// Height of an axis across.
const AXIS: f64 = 44.0;

fn title_height(panel: &Panel) -> f64 {
    if panel.title.is_empty() { 4.0 } else { 24.0 }
}

/// One panel as the inside of an `<svg>` of its size.
pub(in crate::report) fn panel(panel: &Panel, size: Size) -> String {
    let mut out = String::new();
    if !panel.title.is_empty() {
        text(&mut out, 0.0, 14.0, "title", "start", &panel.title);
    }
    let top = title_height(panel);
    match &panel.content {
        Content::Lines { lines, shades } => draw_lines(&mut out, panel, lines, shades, size, top),
        Content::Bars(bars) => draw_bars(&mut out, panel, bars, size, top),
        Content::Intervals(rows) => draw_intervals(&mut out, panel, rows, size, top),
    }
    out
}

/// The legend as the inside of an `<svg>`, [`LEGEND_HEIGHT`] high.
pub(in crate::report) fn legend(names: &[(usize, String)]) -> String {
    let mut out = String::new();
    let mut x = 0.0;
    for (series, name) in names {
        let _ = write!(
            out,
            "<rect class=\"f{}\" x=\"{x:.0}\" y=\"6\" width=\"18\" height=\"4\" rx=\"2\"/>",
            series % COLORS
        );
        text(&mut out, x + 24.0, 13.0, "name", "start", name);
        x += 24.0 + name.chars().count() as f64 * LETTER + 22.0;
    }
    out
}

fn text(out: &mut String, x: f64, y: f64, class: &str, anchor: &str, words: &str) {
    let _ = write!(
        out,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
        escaped(words)
    );
}

/// The plotting area of lines: left, top, right, bottom.
struct Area {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

fn draw_lines(
    out: &mut String,
    panel: &Panel,
    lines: &[Line],
    shades: &[Shade],
    size: Size,
    top: f64,
) {
    let (area, x, y) = scales(panel, lines, size, top);
    grid_lines(out, panel, &area, x, y, lines);
    for shade in shades {
        let (from, to) = (x.place(shade.from), x.place(shade.to));
        let class = match shade.kind {
            ShadeKind::WarmUp => "shade",
            ShadeKind::Stall => "stall",
        };
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            area.top,
            (to - from).max(1.5),
            area.bottom - area.top
        );
        if shade.kind == ShadeKind::Stall || to - from > shade.label.len() as f64 * LETTER {
            text(out, f64::midpoint(from, to), area.top + 13.0, "tick", "middle", &shade.label);
        }
    }
    for line in lines {
        draw_line(out, line, x, y);
    }
}

fn scales(panel: &Panel, lines: &[Line], size: Size, top: f64) -> (Area, Scale, Scale) {
    let points = || lines.iter().flat_map(|line| &line.points);
    let ends = lines.iter().flat_map(|line| &line.ends).flatten().map(|(_, high)| *high);
    let ys = points().filter_map(|(_, y)| *y).chain(ends);
    let top = top + 18.0;
    let bottom = size.height - if panel.x.label.is_empty() { 24.0 } else { 40.0 };
    let y = Scale::of(&panel.y, ys, (bottom, top)).widened(panel.y.form);
    let widest = y.ticks(panel.y.form, 5).iter().map(|(_, text)| text.chars().count()).max();
    let left = widest.unwrap_or(0) as f64 * LETTER + 10.0;
    let right = size.width - 14.0;
    let x = match stops(lines) {
        Some(stops) => Scale::at(&stops, (left + 10.0, right - 10.0)),
        None => Scale::of(&panel.x, points().map(|(x, _)| *x), (left, right)),
    };
    (Area { left, top, right, bottom }, x, y)
}

/// The values across that marked lines have: ticks stand at these alone.
fn stops(lines: &[Line]) -> Option<Vec<f64>> {
    let marked = lines.iter().filter(|line| line.marked);
    let mut stops: Vec<f64> = marked.flat_map(|l| l.points.iter().map(|(x, _)| *x)).collect();
    stops.sort_by(f64::total_cmp);
    stops.dedup();
    (!stops.is_empty()).then_some(stops)
}

/// Ticks across: at the stops, those left out that would run into the one before.
fn ticks_across(panel: &Panel, lines: &[Line], area: &Area, x: Scale) -> Vec<(f64, String)> {
    let wanted = (((area.right - area.left) / 80.0) as usize).max(2);
    let Some(stops) = stops(lines) else { return x.ticks(panel.x.form, wanted) };
    let mut free = f64::NEG_INFINITY;
    let mut ticks = Vec::new();
    for stop in stops {
        let words = match panel.x.form {
            Form::Count => grouped(stop, usize::from(stop.fract() != 0.0)),
            form => written(form, stop),
        };
        let half = words.chars().count() as f64 * LETTER / 2.0;
        if x.place(stop) - half > free {
            free = x.place(stop) + half + 4.0;
            ticks.push((stop, words));
        }
    }
    ticks
}

fn grid_lines(out: &mut String, panel: &Panel, area: &Area, x: Scale, y: Scale, lines: &[Line]) {
    for (value, words) in y.ticks(panel.y.form, 5) {
        let at = y.place(value);
        let class = if value == 0.0 { "axis" } else { "grid" };
        let _ = write!(
            out,
            "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\"/>",
            area.left, area.right
        );
        text(out, area.left - 6.0, at + 4.0, "tick", "end", &words);
    }
    for (value, words) in ticks_across(panel, lines, area, x) {
        let at = x.place(value);
        let _ = write!(
            out,
            "<line class=\"axis\" x1=\"{at:.1}\" y1=\"{:.1}\" x2=\"{at:.1}\" y2=\"{:.1}\"/>",
            area.bottom,
            area.bottom + 4.0
        );
        text(out, at, area.bottom + 17.0, "tick", "middle", &words);
    }
    text(out, area.left, area.top - 8.0, "label", "start", &panel.y.label);
    if !panel.x.label.is_empty() {
        text(out, area.right, area.bottom + 34.0, "label", "end", &panel.x.label);
    }
}

fn draw_line(out: &mut String, line: &Line, x: Scale, y: Scale) {
    let series = line.series % COLORS;
    let mut path = String::new();
    let mut pen_down = false;
    for (at, value) in &line.points {
        let Some(value) = value else {
            pen_down = false;
            continue;
        };
        let _ = write!(
            path,
            "{}{:.1} {:.1}",
            if pen_down { 'L' } else { 'M' },
            x.place(*at),
            y.place(*value)
        );
        pen_down = true;
    }
    let faint = if line.faint { " faint" } else { "" };
    let _ = write!(out, "<path class=\"line s{series}{faint}\" d=\"{path}\"/>");
    for ((at, _), ends) in line.points.iter().zip(&line.ends) {
        if let Some((low, high)) = ends {
            let at = x.place(*at);
            let _ = write!(
                out,
                "<line class=\"whisker s{series}\" x1=\"{at:.1}\" y1=\"{:.1}\" x2=\"{at:.1}\" \
                 y2=\"{:.1}\"/>",
                y.place(*low),
                y.place(*high)
            );
        }
    }
    if line.marked {
        for (at, value) in &line.points {
            if let Some(value) = value {
                let _ = write!(
                    out,
                    "<circle class=\"f{series}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\"/>",
                    x.place(*at),
                    y.place(*value)
                );
            }
        }
    }
}

fn draw_bars(out: &mut String, panel: &Panel, bars: &[Bar], size: Size, top: f64) {
    let widest = bars.iter().map(|bar| bar.text.chars().count()).max().unwrap_or(0);
    let right = size.width - widest as f64 * LETTER - 14.0;
    let values = bars.iter().flat_map(|bar| [bar.value, bar.ends.map_or(0.0, |ends| ends.1)]);
    let x = Scale::of(&panel.x, values, (0.0, right));
    for (row, bar) in bars.iter().enumerate() {
        let y = top + row as f64 * ROW;
        text(out, 0.0, y + 13.0, "name", "start", &bar.name);
        let series = bar.series % COLORS;
        let _ = write!(
            out,
            "<rect class=\"f{series}\" x=\"0\" y=\"{:.1}\" width=\"{:.1}\" height=\"14\" rx=\"2\"/>",
            y + 19.0,
            x.place(bar.value).max(1.0)
        );
        let mut end = x.place(bar.value);
        if let Some((low, high)) = bar.ends {
            let (low, high) = (x.place(low), x.place(high));
            let _ = write!(
                out,
                "<path class=\"error\" d=\"M{low:.1} {m:.1}H{high:.1}M{low:.1} {t:.1}V{b:.1}\
                 M{high:.1} {t:.1}V{b:.1}\"/>",
                m = y + 26.0,
                t = y + 22.0,
                b = y + 30.0
            );
            end = end.max(high);
        }
        text(out, end + 8.0, y + 30.0, "value", "start", &bar.text);
    }
}

fn draw_intervals(out: &mut String, panel: &Panel, rows: &[Interval], size: Size, top: f64) {
    let values = rows.iter().flat_map(|row| {
        let (low, high) = row.ends.unwrap_or((row.value, row.value));
        [row.value, low, high]
    });
    let x = Scale::of(&panel.x, values, (18.0, size.width - 18.0)).widened(Form::Percent);
    let bottom = top + rows.len() as f64 * ROW + 4.0;
    let wanted = ((size.width / 90.0) as usize).max(2);
    for (value, words) in x.ticks(Form::Percent, wanted) {
        let at = x.place(value);
        let class = if value == 0.0 { "axis" } else { "grid" };
        let _ = write!(
            out,
            "<line class=\"{class}\" x1=\"{at:.1}\" y1=\"{top:.1}\" x2=\"{at:.1}\" y2=\"{bottom:.1}\"/>"
        );
        text(out, at, bottom + 15.0, "tick", "middle", &words);
    }
    text(out, size.width - 2.0, bottom + 33.0, "label", "end", &panel.x.label);
    for (index, row) in rows.iter().enumerate() {
        let y = top + index as f64 * ROW;
        let tone = match row.tone {
            Tone::Good => "good",
            Tone::Bad => "bad",
            Tone::Plain | Tone::Quiet => "quiet",
        };
        text(out, 0.0, y + 13.0, "name halo", "start", &row.name);
        text(out, size.width - 2.0, y + 13.0, "value halo", "end", &row.text);
        if let Some((low, high)) = row.ends {
            let _ = write!(
                out,
                "<line class=\"interval {tone}\" x1=\"{:.1}\" y1=\"{m:.1}\" x2=\"{:.1}\" y2=\"{m:.1}\"/>",
                x.place(low),
                x.place(high),
                m = y + 27.0
            );
        }
        let _ = write!(
            out,
            "<circle class=\"dot {tone}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4.5\"/>",
            x.place(row.value),
            y + 27.0
        );
    }
}

/// What a page needs to tell the values under the pointer: where the plot lies and what its ends
/// are. None for panels that write their values out.
pub(in crate::report) fn hover(panel: &Panel, size: Size) -> Option<serde_json::Value> {
    let Content::Lines { lines, .. } = &panel.content else { return None };
    let (area, x, y) = scales(panel, lines, size, title_height(panel));
    let short = |value: f64| format!("{value:.6e}").parse::<f64>().unwrap_or(value);
    Some(serde_json::json!({
        "plot": [area.left, area.top, area.right, area.bottom],
        "x": { "label": panel.x.label, "form": form(panel.x.form) },
        "y": { "label": panel.y.label, "form": form(panel.y.form) },
        "lines": lines.iter().filter(|line| !line.faint).map(|line| serde_json::json!({
            "series": line.series,
            "points": line.points.iter().filter_map(|(at, value)| {
                let value = (*value)?;
                Some([short(*at), short(value), x.place(*at).round(), y.place(value).round()])
            }).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    }))
}

fn form(form: Form) -> &'static str {
    match form {
        Form::Count => "count",
        Form::Seconds => "seconds",
        Form::Bytes => "bytes",
        Form::Percent => "percent",
        Form::Quantile => "quantile",
    }
}

/// The rows of the table behind a panel that writes its values out; none for lines.
pub(in crate::report) fn rows(panel: &Panel) -> Option<Vec<[String; 3]>> {
    let form = panel.x.form;
    let between = |ends: Option<(f64, f64)>| {
        ends.map_or_else(String::new, |(low, high)| {
            format!("{} to {}", written(form, low), written(form, high))
        })
    };
    match &panel.content {
        Content::Lines { .. } => None,
        Content::Bars(bars) => Some(
            bars.iter()
                .map(|bar| [bar.name.clone(), bar.text.clone(), between(bar.ends)])
                .collect(),
        ),
        Content::Intervals(rows) => Some(
            rows.iter()
                .map(|row| [row.name.clone(), written(form, row.value), between(row.ends)])
                .collect(),
        ),
    }
}
