//! Throughput and latency over time, a panel a point.

use super::thin::{MOST, averaged, thinned};
use super::{
    Axis, Content, Figure, Form, Line, Panel, Shade, ShadeKind, about, label, named, series_of,
    side_names, stalls,
};
use crate::compare::view::{Point, Section, Side, Trace};
use crate::model::{FigureWish, Phase};

/// Throughput over time; none without windows.
pub(super) fn throughput(section: &Section, wishes: &[FigureWish]) -> Option<Figure> {
    let every = every(wishes, "throughput");
    let mut panels = panels(section, "transactions/s", Form::Count, |trace| course(trace, every));
    let mut notes = Vec::new();
    for (point, panel) in &mut panels {
        if let Content::Lines { shades, .. } = &mut panel.content {
            for side in &point.sides {
                let shown = typical(side);
                let trace = side.traces.iter().find(|trace| Some(trace.repetition) == shown);
                shades.extend(trace.into_iter().flat_map(|t| stalls::mark(side, t, &mut notes)));
            }
        }
    }
    let panels = panels.into_iter().map(|(_, panel)| panel).collect();
    figure(section, "Throughput over time", panels, notes)
}

/// The 95th percentile of latency over time; none without windows.
pub(super) fn latency(section: &Section, wishes: &[FigureWish]) -> Option<Figure> {
    let every = every(wishes, "latency");
    let panels = panels(section, "p95 of latency", Form::Seconds, |trace| slowest(trace, every));
    let panels = panels.into_iter().map(|(_, panel)| panel).collect();
    figure(section, "Latency over time", panels, Vec::new())
}

/// The window that the suite asks for, seconds.
fn every(wishes: &[FigureWish], what: &str) -> Option<f64> {
    wishes.iter().find(|wish| wish.what == what)?.every_ms.map(|ms| ms as f64 / 1e3)
}

fn figure(
    section: &Section,
    title: &str,
    panels: Vec<Panel>,
    notes: Vec<String>,
) -> Option<Figure> {
    (!panels.is_empty()).then(|| Figure {
        title: title.to_string(),
        caption: about(section)
            + "Time since the clients started. Of each side the repetition nearest to its level; \
               the others faint.",
        legend: named(side_names(section), &panels),
        panels,
        notes,
    })
}

type Points = Vec<(f64, Option<f64>)>;

/// A panel for each point that has windows.
fn panels<'a>(
    section: &'a Section,
    y: &str,
    form: Form,
    points: impl Fn(&Trace) -> Points,
) -> Vec<(&'a Point, Panel)> {
    let names = side_names(section);
    let titles = section.points.len() > 1;
    section
        .points
        .iter()
        .filter_map(|point| {
            let lines: Vec<Line> = point
                .sides
                .iter()
                .flat_map(|side| lines(side, series_of(&names, &side.name), &points))
                .collect();
            // Windows may lack the figure, as those of tools whose latencies say nothing.
            let drawn = |line: &Line| line.points.iter().filter(|at| at.1.is_some()).count() > 1;
            let panel = lines.iter().any(drawn).then(|| Panel {
                title: if titles { label(section, point) } else { String::new() },
                x: Axis { label: String::new(), form: Form::Seconds, from_zero: true },
                y: Axis { label: y.to_string(), form, from_zero: true },
                content: Content::Lines { lines, shades: warm_ups(point) },
            })?;
            Some((point, panel))
        })
        .collect()
}

/// A line a repetition, the one nearest to the side's level last.
fn lines(side: &Side, series: usize, points: impl Fn(&Trace) -> Points) -> Vec<Line> {
    let shown = typical(side);
    let mut lines: Vec<Line> = side
        .traces
        .iter()
        .map(|trace| Line {
            series,
            faint: Some(trace.repetition) != shown,
            marked: false,
            points: thinned(&points(trace), MOST),
            ends: Vec::new(),
        })
        .collect();
    lines.sort_by_key(|line| !line.faint);
    lines
}

/// The repetition whose figure is nearest to the level.
fn typical(side: &Side) -> Option<u32> {
    let series = side.headline()?;
    series
        .samples
        .iter()
        .filter(|sample| side.traces.iter().any(|trace| trace.repetition == sample.repetition))
        .min_by(|left, right| {
            let far = |value: f64| (value - series.level).abs();
            far(left.value).total_cmp(&far(right.value))
        })
        .map(|sample| sample.repetition)
}

/// All stretches after each other.
fn course(trace: &Trace, every: Option<f64>) -> Points {
    let mut points = Vec::new();
    let mut start = 0.0;
    for stretch in &trace.stretches {
        let (means, window) = averaged(&stretch.throughput, stretch.window, every);
        points.extend(
            means
                .into_iter()
                .enumerate()
                .map(|(at, mean)| (start + (at as f64 + 0.5) * window, Some(mean))),
        );
        start += stretch.throughput.len() as f64 * stretch.window;
    }
    points
}

/// The 95th percentiles of all stretches; of several windows the highest, since percentiles are
/// never averaged.
fn slowest(trace: &Trace, every: Option<f64>) -> Points {
    let mut points = Vec::new();
    let mut start = 0.0;
    for stretch in &trace.stretches {
        let width = every.map_or(1, |every| (every / stretch.window).round().max(1.0) as usize);
        for (at, chunk) in stretch.p95.chunks(width).enumerate() {
            let highest = chunk.iter().flatten().copied().reduce(f64::max);
            points.push((start + (at as f64 + 0.5) * width as f64 * stretch.window, highest));
        }
        start += stretch.p95.len() as f64 * stretch.window;
    }
    points
}

/// The warm-up that all sides have in common.
fn warm_ups(point: &Point) -> Vec<Shade> {
    let length = |trace: &Trace| {
        let first = trace.stretches.first()?;
        (first.phase == Phase::WarmUp).then_some(first.throughput.len() as f64 * first.window)
    };
    let longest = point
        .sides
        .iter()
        .flat_map(|side| &side.traces)
        .filter_map(length)
        .reduce(f64::max)
        .filter(|length| *length > 0.0);
    let shade = |to| Shade { from: 0.0, to, label: "warm-up".to_string(), kind: ShadeKind::WarmUp };
    longest.map(shade).into_iter().collect()
}
