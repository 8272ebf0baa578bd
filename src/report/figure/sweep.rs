//! The headline against an axis of numbers: throughput by clients, warehouses, cache.

use super::{
    Axis, Content, Figure, Form, Line, Panel, about, named, point_label, series_of, side_names,
};
use crate::compare::view::{Point, Section, Series};
use crate::model::Unit;

/// A figure for each axis that has at least three numbers.
pub(super) fn figures(section: &Section) -> Vec<Figure> {
    (0..section.axes.len()).filter_map(|axis| figure(section, axis)).collect()
}

/// The leading number of a value: `64` of `64`, `4` of `4GB`, with its unit.
fn number(value: &str) -> Option<(f64, &str)> {
    let end = value.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(value.len());
    Some((value[..end].parse().ok()?, &value[end..]))
}

/// The place of a value on the axis: bytes for sizes.
fn place(value: &str) -> Option<f64> {
    let (number, unit) = number(value)?;
    let bytes: u64 = match unit {
        "" | "B" => 1,
        "KB" => 1 << 10,
        "MB" => 1 << 20,
        "GB" => 1 << 30,
        "TB" => 1 << 40,
        _ => return None,
    };
    Some(number * bytes as f64)
}

fn figure(section: &Section, axis: usize) -> Option<Figure> {
    let names = side_names(section);
    // Points that differ on this axis alone make a panel.
    let mut panels: Vec<(Vec<Option<String>>, Vec<&Point>)> = Vec::new();
    for point in &section.points {
        place(point.values.get(axis)?.as_deref()?)?;
        let mut rest = point.values.clone();
        rest.remove(axis);
        match panels.iter_mut().find(|(known, _)| *known == rest) {
            Some((_, points)) => points.push(point),
            None => panels.push((rest, vec![point])),
        }
    }
    let mut others = section.axes.clone();
    let name = others.remove(axis);
    let sizes = section.points.iter().any(|point| {
        point.values[axis].as_deref().and_then(number).is_some_and(|(_, unit)| !unit.is_empty())
    });
    let panels: Vec<Panel> = panels
        .into_iter()
        .filter(|(_, points)| points.len() >= 3)
        .map(|(rest, points)| Panel {
            title: point_label(&others, &rest),
            x: Axis {
                label: name.clone(),
                form: if sizes { Form::Bytes } else { Form::Count },
                from_zero: true,
            },
            y: Axis {
                label: section.headline.heading().to_string(),
                form: if section.headline.unit() == Unit::Seconds {
                    Form::Seconds
                } else {
                    Form::Count
                },
                from_zero: true,
            },
            content: Content::Lines { lines: lines(&names, axis, &points), shades: Vec::new() },
        })
        .collect();
    (!panels.is_empty()).then(|| Figure {
        title: format!("{} by {name}", section.headline.heading()),
        caption: about(section)
            + "Upright bars are 95 % intervals of each level, where repetitions give one.",
        legend: named(names, &panels),
        panels,
        notes: Vec::new(),
    })
}

fn lines(names: &[String], axis: usize, points: &[&Point]) -> Vec<Line> {
    names
        .iter()
        .enumerate()
        .filter_map(|(series, name)| {
            let mut found: Vec<(f64, &Series)> = points
                .iter()
                .filter_map(|point| {
                    let at = place(point.values[axis].as_deref()?)?;
                    let side = point
                        .sides
                        .iter()
                        .find(|side| series_of(names, &side.name) == series)
                        .filter(|side| &side.name == name || side.name.is_empty())?;
                    Some((at, side.headline().filter(|_| side.absent.is_none())?))
                })
                .collect();
            found.sort_by(|left, right| left.0.total_cmp(&right.0));
            (!found.is_empty()).then(|| Line {
                series,
                faint: false,
                marked: true,
                points: found.iter().map(|(at, series)| (*at, Some(series.level))).collect(),
                ends: found.iter().map(|(_, series)| ends(series)).collect(),
            })
        })
        .collect()
}

/// The interval of a level: its half width is on the log scale.
pub(super) fn ends(series: &Series) -> Option<(f64, f64)> {
    let factor = series.half_width?.exp();
    Some((series.level / factor, series.level * factor))
}
