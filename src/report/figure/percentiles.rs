//! Latency by percentile, a panel a point.

use super::{Axis, Content, Figure, Form, Line, Panel, about, label, named, series_of, side_names};
use crate::compare::view::Section;

/// None where no histogram was kept.
pub(super) fn figure(section: &Section) -> Option<Figure> {
    let names = side_names(section);
    let titles = section.points.len() > 1;
    let panels: Vec<Panel> = section
        .points
        .iter()
        .filter_map(|point| {
            let lines: Vec<Line> = point
                .sides
                .iter()
                .filter(|side| !side.percentiles.is_empty())
                .map(|side| Line {
                    series: series_of(&names, &side.name),
                    faint: false,
                    marked: false,
                    points: side.percentiles.iter().map(|(q, s)| (*q, Some(*s))).collect(),
                    ends: Vec::new(),
                })
                .collect();
            (!lines.is_empty()).then(|| Panel {
                title: if titles { label(section, point) } else { String::new() },
                x: Axis { label: "percentile".to_string(), form: Form::Quantile, from_zero: true },
                y: Axis { label: "latency".to_string(), form: Form::Seconds, from_zero: true },
                content: Content::Lines { lines, shades: Vec::new() },
            })
        })
        .collect();
    let of = section.headline_type.as_ref().map_or_else(
        || "all transactions".to_string(),
        |name| format!("{} transactions", name.replace('_', "-")),
    );
    (!panels.is_empty()).then(|| Figure {
        title: "Latency by percentile".to_string(),
        caption: format!("{}Of {of}, all repetitions taken together.", about(section)),
        legend: named(names, &panels),
        panels,
        notes: Vec::new(),
    })
}
