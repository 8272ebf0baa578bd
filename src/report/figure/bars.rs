//! Load time and size as bars with intervals.

use super::sweep::ends;
use super::{Axis, Bar, Content, Figure, Form, Panel, point_label};
use crate::compare::view::{LoadPoint, LoadSection};
use crate::model::{Metric, MetricId, Unit};
use crate::report::text::level;

/// What is drawn, in order.
const SHOWN: &[Metric] = &[Metric::TotalLoadTime, Metric::SizeLoaded, Metric::SizeSettled];

/// A figure for each section that tells datasets apart.
pub(super) fn loads(sections: &[LoadSection]) -> Vec<Figure> {
    sections.iter().filter_map(figure).collect()
}

fn figure(section: &LoadSection) -> Option<Figure> {
    let mut names: Vec<String> = Vec::new();
    for side in section.points.iter().flat_map(|point| &point.sides) {
        if !names.contains(&side.name) {
            names.push(side.name.clone());
        }
    }
    let panels: Vec<Panel> = SHOWN
        .iter()
        .filter_map(|metric| {
            let bars: Vec<Bar> = section
                .points
                .iter()
                .flat_map(|point| bars(section, point, *metric, &names))
                .collect();
            (!bars.is_empty()).then(|| Panel {
                title: metric.heading().to_string(),
                x: Axis {
                    label: String::new(),
                    form: if metric.unit() == Unit::Bytes { Form::Bytes } else { Form::Seconds },
                    from_zero: true,
                },
                y: Axis { label: String::new(), form: Form::Count, from_zero: true },
                content: Content::Bars(bars),
            })
        })
        .collect();
    (!panels.is_empty() && !section.compared.is_empty()).then(|| Figure {
        title: format!("Load time and size, by {}", section.compared.join(", ")),
        caption: "Load total is rows, indexes and settling. Sizes are blocks on disk.".to_string(),
        legend: Vec::new(),
        panels,
        notes: Vec::new(),
    })
}

fn bars(section: &LoadSection, point: &LoadPoint, metric: Metric, names: &[String]) -> Vec<Bar> {
    let place = point_label(&section.axes, &point.values);
    point
        .sides
        .iter()
        .filter_map(|side| {
            let series =
                side.series.iter().find(|series| series.metric == MetricId::whole(metric))?;
            Some(Bar {
                series: names.iter().position(|name| *name == side.name).unwrap_or(0),
                name: if place.is_empty() {
                    side.name.clone()
                } else {
                    format!("{}: {place}", side.name)
                },
                value: series.level,
                text: level(series),
                ends: ends(series),
            })
        })
        .collect()
}
