//! The verdict at the head of the page.

use super::escaped;
use crate::compare::Comparison;
use crate::compare::view::Verdict;
use crate::report::text::ends;
use crate::report::verdict::{Line, lines};
use std::fmt::Write;

/// A line for each side of each section that compares something.
pub(super) fn write(out: &mut String, comparison: &Comparison) {
    let lines = lines(comparison);
    if lines.is_empty() {
        return;
    }
    out.push_str("<section class=\"verdict\" aria-label=\"verdict\">\n");
    for line in &lines {
        let _ = writeln!(out, "<p>{}</p>", in_words(line));
    }
    out.push_str("</section>\n");
}

fn in_words(line: &Line) -> String {
    let baseline = escaped(&line.baseline);
    let mut words = format!("<strong>{}</strong> against {baseline}: ", escaped(&line.side));
    if let Some(figure) = &line.figure {
        let class = match figure.judged.verdict() {
            Some(Verdict::Better) => "good",
            Some(Verdict::Worse) => "bad",
            _ => "quiet",
        };
        let _ = write!(
            words,
            "{} {}<strong class=\"{class}\">{}</strong> <small>{}</small> {}",
            line.metric,
            if figure.mean { "geometric mean " } else { "" },
            figure.percent(),
            escaped(&ends(&figure.judged)),
            figure.told()
        );
    }
    if line.no_numbers {
        words.push_str("<span class=\"quiet\">no numbers</span>");
    }
    if !line.parts.is_empty() {
        let _ = write!(
            words,
            " <span class=\"about\">of {} row{}: {}</span>",
            line.rows,
            if line.rows == 1 { "" } else { "s" },
            line.parts.join(", ")
        );
    }
    words
}
