//! What a reader wants first: who is ahead, by how much, and whether that can be said.

use super::escaped;
use crate::compare::Comparison;
use crate::compare::view::{Against, Judged, Section, Verdict};
use crate::model::Direction;
use crate::report::text::{ends, percent};
use std::fmt::Write;

/// A line for each side of each section that compares something.
pub(super) fn write(out: &mut String, comparison: &Comparison) {
    let lines: Vec<String> = comparison.sections.iter().flat_map(lines).collect();
    if lines.is_empty() {
        return;
    }
    out.push_str("<section class=\"verdict\" aria-label=\"verdict\">\n");
    for line in lines {
        let _ = writeln!(out, "<p>{line}</p>");
    }
    out.push_str("</section>\n");
}

/// How the points of one side came out.
#[derive(Default)]
struct Count {
    better: usize,
    worse: usize,
    same: usize,
    undecided: usize,
    no_verdict: usize,
    unequal: usize,
    absent: usize,
    only: Option<(f64, Judged)>,
}

impl Count {
    fn points(&self) -> usize {
        self.better + self.worse + self.same + self.undecided + self.no_verdict
    }
}

fn lines(section: &Section) -> Vec<String> {
    if section.compared.is_empty() {
        return Vec::new();
    }
    let mut sides: Vec<(&str, Count)> = Vec::new();
    for side in section.points.iter().flat_map(|point| &point.sides).filter(|s| !s.is_baseline) {
        if !sides.iter().any(|(name, _)| *name == side.name) {
            sides.push((&side.name, Count::default()));
        }
        let Some((_, count)) = sides.iter_mut().find(|(name, _)| *name == side.name) else {
            continue;
        };
        match side.headline().map(|series| &series.against) {
            _ if side.absent.is_some() => count.absent += 1,
            Some(Against::Unequal(_)) => count.unequal += 1,
            Some(Against::Delta(delta)) => {
                count.only = Some((delta.relative, delta.judged.clone()));
                match delta.judged.verdict() {
                    Some(Verdict::Better) => count.better += 1,
                    Some(Verdict::Worse) => count.worse += 1,
                    Some(Verdict::Same) => count.same += 1,
                    Some(Verdict::Undecided) => count.undecided += 1,
                    None => count.no_verdict += 1,
                }
            }
            _ => {}
        }
    }
    sides.iter().map(|(name, count)| line(section, name, count)).collect()
}

fn line(section: &Section, side: &str, count: &Count) -> String {
    let metric = section.headline.heading();
    let baseline = escaped(&section.baseline.join(", "));
    let overall = section.overall.iter().find(|overall| overall.side == side);
    let figure = match (count.points(), &count.only, overall) {
        (1, Some((relative, judged)), _) => Some((*relative, judged)),
        (_, _, Some(overall)) => Some((overall.relative, &overall.judged)),
        _ => None,
    };
    let mut words = format!("<strong>{}</strong> against {baseline}: ", escaped(side));
    if let Some((relative, judged)) = figure {
        let class = match judged.verdict() {
            Some(Verdict::Better) => "good",
            Some(Verdict::Worse) => "bad",
            _ => "quiet",
        };
        let mean = if count.points() > 1 { "geometric mean " } else { "" };
        let _ = write!(
            words,
            "{metric} {mean}<strong class=\"{class}\">{}</strong> <small>{}</small>",
            percent(relative),
            escaped(&ends(judged))
        );
        let _ = write!(words, " {}", told(section, judged));
    }
    let mut parts: Vec<String> = Vec::new();
    if count.points() > 1 {
        for (number, what) in [
            (count.better, "better"),
            (count.worse, "worse"),
            (count.same, "same"),
            (count.undecided, "undecided"),
            (count.no_verdict, "without verdict"),
        ] {
            if number > 0 {
                parts.push(format!("{number} {what}"));
            }
        }
    }
    if count.unequal > 0 {
        parts.push(format!("{} without delta, the sides are unequal (≠)", count.unequal));
    }
    if count.absent > 0 && count.absent == section_points(section, side) {
        words.push_str("<span class=\"quiet\">no numbers</span>");
    } else if count.absent > 0 {
        parts.push(format!("{} without numbers", count.absent));
    }
    if !parts.is_empty() {
        let points = section_points(section, side);
        let _ = write!(
            words,
            " <span class=\"about\">of {points} row{}: {}</span>",
            if points == 1 { "" } else { "s" },
            parts.join(", ")
        );
    }
    words
}

/// In how many points the side is.
fn section_points(section: &Section, side: &str) -> usize {
    section.points.iter().filter(|point| point.sides.iter().any(|one| one.name == side)).count()
}

/// The verdict in a word, with what it rests on.
fn told(section: &Section, judged: &Judged) -> String {
    let way = match section.headline.direction() {
        Direction::HigherIsBetter => "more is better",
        Direction::LowerIsBetter => "less is better",
    };
    match judged.verdict() {
        Some(Verdict::Same) => "no difference beyond the noise floor".to_string(),
        Some(Verdict::Undecided) => "the repetitions cannot tell".to_string(),
        Some(verdict) => format!("{} ({way})", verdict.as_str()),
        None => String::new(),
    }
}
