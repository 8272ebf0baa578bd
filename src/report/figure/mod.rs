//! Figures: one model, drawn once as SVG, used by the page and by `--format svg`.

mod bars;
mod deltas;
mod draw;
mod over_time;
mod percentiles;
mod scale;
mod stalls;
mod sweep;
mod thin;

pub(super) use draw::{LEGEND_HEIGHT, STYLE, Size, hover, legend, panel, rows};

use crate::compare::Comparison;
use crate::compare::view::{Point, Section};

/// One figure: panels that share a legend.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    /// What it shows.
    pub(super) title: String,
    /// What must be known to read it.
    pub(super) caption: String,
    /// Its series, each with its name; empty when bars name themselves.
    pub(super) legend: Vec<(usize, String)>,
    /// One or more.
    pub(super) panels: Vec<Panel>,
    /// What its numbered marks mean.
    pub(super) notes: Vec<String>,
}

/// One pair of axes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Panel {
    /// What tells it from the figure's other panels; empty when it is alone.
    pub(super) title: String,
    /// Across.
    pub(super) x: Axis,
    /// Up.
    pub(super) y: Axis,
    /// What is drawn.
    pub(super) content: Content,
}

/// One axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    /// What it counts, with its unit.
    pub(super) label: String,
    /// How its ticks are written.
    pub(super) form: Form,
    /// Whether it must show 0.
    pub(super) from_zero: bool,
}

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A count: `12,000`.
    Count,
    /// Seconds in a fitting unit.
    Seconds,
    /// Bytes in a fitting unit.
    Bytes,
    /// A ratio as a signed percentage.
    Percent,
    /// A quantile (0 to 1) as `99.9 %`; spaced so that tails are seen.
    Quantile,
}

/// What a panel draws.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content {
    /// Lines over a common axis.
    Lines {
        /// One a series.
        lines: Vec<Line>,
        /// Greyed stretches, with a word for each.
        shades: Vec<Shade>,
    },
    /// Bars with intervals, a group a row.
    Bars(Vec<Bar>),
    /// Points with intervals around 0, a row each.
    Intervals(Vec<Interval>),
}

/// A line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    /// Its series: index into the legend.
    pub(super) series: usize,
    /// Faint: one of several repetitions, drawn behind the others.
    pub(super) faint: bool,
    /// Whether its points are marked.
    pub(super) marked: bool,
    /// Its points, by growing x; a gap where y is none.
    pub(super) points: Vec<(f64, Option<f64>)>,
    /// Ends of the interval at each point, where there are.
    pub(super) ends: Vec<Option<(f64, f64)>>,
}

/// A greyed stretch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shade {
    /// Start, in units of x.
    pub(super) from: f64,
    /// End.
    pub(super) to: f64,
    /// What it is, or the number of its note.
    pub(super) label: String,
    /// Why it is marked.
    pub(super) kind: ShadeKind,
}

/// Why a stretch is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShadeKind {
    /// It counts for nothing.
    WarmUp,
    /// Throughput dipped.
    Stall,
}

/// A bar.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bar {
    /// Its series: index into the legend.
    pub(super) series: usize,
    /// What it is named.
    pub(super) name: String,
    /// Its length.
    pub(super) value: f64,
    /// The value in words.
    pub(super) text: String,
    /// Ends of its interval.
    pub(super) ends: Option<(f64, f64)>,
}

/// A delta with its interval.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Interval {
    /// What it is named.
    pub(super) name: String,
    /// The delta.
    pub(super) value: f64,
    /// Ends; none without a verdict.
    pub(super) ends: Option<(f64, f64)>,
    /// In words.
    pub(super) text: String,
    /// Better, worse, or neither.
    pub(super) tone: super::grid::Tone,
}

/// Every figure that a comparison has, in the order of reading.
pub(super) fn figures(comparison: &Comparison) -> Vec<Figure> {
    let mut figures = Vec::new();
    for section in &comparison.sections {
        figures.extend(deltas::figure(section));
        figures.extend(sweep::figures(section));
        figures.extend(over_time::throughput(section, &comparison.figures));
        figures.extend(over_time::latency(section, &comparison.figures));
        figures.extend(percentiles::figure(section));
    }
    figures.extend(bars::loads(&comparison.loads));
    figures
}

/// The names of a section's sides, in the order in which they first occur.
fn side_names(section: &Section) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for side in section.points.iter().flat_map(|point| &point.sides) {
        if !names.contains(&side.name) {
            names.push(side.name.clone());
        }
    }
    if section.compared.is_empty() && names == [String::new()] {
        names = vec![section.headline.heading().to_string()];
    }
    names
}

/// Which series a side is.
fn series_of(names: &[String], side: &str) -> usize {
    names.iter().position(|name| name == side).unwrap_or(0)
}

/// `warehouses 100, cache 4GB`.
fn point_label(axes: &[String], values: &[Option<String>]) -> String {
    let parts: Vec<String> = axes
        .iter()
        .zip(values)
        .filter_map(|(axis, value)| Some(format!("{axis} {}", value.as_ref()?)))
        .collect();
    parts.join(", ")
}

/// The label of a point of a section.
fn label(section: &Section, point: &Point) -> String {
    point_label(&section.axes, &point.values)
}

/// What a figure is of, as the beginning of its caption: `tpcc, engine against innodb. `
fn about(section: &Section) -> String {
    if section.compared.is_empty() {
        format!("{}. ", section.workload)
    } else {
        let (compared, baseline) = (section.compared.join(", "), section.baseline.join(", "));
        format!("{}: {compared} against {baseline}. ", section.workload)
    }
}

/// The legend without names that no line has.
fn named(names: Vec<String>, panels: &[Panel]) -> Vec<(usize, String)> {
    let drawn = |series: usize| {
        panels.iter().any(|panel| match &panel.content {
            Content::Lines { lines, .. } => lines.iter().any(|line| line.series == series),
            Content::Bars(_) | Content::Intervals(_) => false,
        })
    };
    names.into_iter().enumerate().filter(|(series, _)| drawn(*series)).collect()
}
