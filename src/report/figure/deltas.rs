//! Every delta of a section with its interval: the verdict at a glance.

use super::{Axis, Content, Figure, Form, Interval, Panel, about, label};
use crate::compare::view::{Against, Judged, Section, Verdict};
use crate::report::grid::Tone;
use crate::report::text::{ends, percent};

/// None where nothing is compared.
pub(super) fn figure(section: &Section) -> Option<Figure> {
    let mut rows = Vec::new();
    for point in &section.points {
        let place = label(section, point);
        for side in &point.sides {
            let Some(series) = side.headline() else { continue };
            let Against::Delta(delta) = &series.against else { continue };
            let (interval, tone) = match &delta.judged {
                Judged::Verdict { low, high, verdict, .. } => (
                    Some((*low, *high)),
                    match verdict {
                        Verdict::Better => Tone::Good,
                        Verdict::Worse => Tone::Bad,
                        Verdict::Same | Verdict::Undecided => Tone::Quiet,
                    },
                ),
                Judged::NoVerdict(_) => (None, Tone::Quiet),
            };
            let name = if place.is_empty() {
                side.name.clone()
            } else {
                format!("{}: {place}", side.name)
            };
            rows.push(Interval {
                name,
                value: delta.relative,
                ends: interval,
                text: format!("{} {}", percent(delta.relative), ends(&delta.judged)),
                tone,
            });
        }
    }
    (!rows.is_empty()).then(|| Figure {
        title: format!("{} deltas", section.headline.heading()),
        caption: about(section)
            + "Each delta with its interval; one that contains 0 says that the sides cannot be \
               told apart.",
        legend: Vec::new(),
        panels: vec![Panel {
            title: String::new(),
            x: Axis {
                label: format!("against {}", section.baseline.join(", ")),
                form: Form::Percent,
                from_zero: true,
            },
            y: Axis { label: String::new(), form: Form::Count, from_zero: true },
            content: Content::Intervals(rows),
        }],
        notes: Vec::new(),
    })
}
