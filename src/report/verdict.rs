//! What a reader wants first: who is ahead, by how much, and whether that can be said.

use super::text::percent;
use crate::compare::Comparison;
use crate::compare::view::{Against, Judged, Section, Verdict};
use crate::model::Direction;

/// How one side of a section came out.
pub(super) struct Line {
    /// The workload of its section.
    pub(super) workload: String,
    /// The side.
    pub(super) side: String,
    /// What it is compared with.
    pub(super) baseline: String,
    /// Heading of the metric.
    pub(super) metric: &'static str,
    /// The one delta, or the mean of all; none where there is neither.
    pub(super) figure: Option<Figure>,
    /// How many rows the side is in.
    pub(super) rows: usize,
    /// How those rows came out, each part as `3 better`.
    pub(super) parts: Vec<String>,
    /// None of its rows has a number.
    pub(super) no_numbers: bool,
    /// The fewest repetitions that a row of it or of its baseline has.
    pub(super) repetitions: Option<usize>,
}

/// A delta with what it rests on.
pub(super) struct Figure {
    /// As [`crate::compare::view::Delta::relative`].
    relative: f64,
    /// What the repetitions say.
    pub(super) judged: Judged,
    /// It is the geometric mean of several rows.
    pub(super) mean: bool,
    direction: Direction,
}

impl Figure {
    /// `+12.30%`.
    pub(super) fn percent(&self) -> String {
        percent(self.relative)
    }

    /// The verdict in words; empty where there is none.
    pub(super) fn told(&self) -> String {
        let way = match self.direction {
            Direction::HigherIsBetter => "more is better",
            Direction::LowerIsBetter => "less is better",
        };
        match self.judged.verdict() {
            Some(Verdict::Same) => "no difference beyond the noise floor".to_string(),
            Some(Verdict::Undecided) => "the repetitions cannot tell".to_string(),
            Some(verdict) => format!("{} ({way})", verdict.as_str()),
            None => String::new(),
        }
    }
}

/// A line for each side of each section that compares something.
pub(super) fn lines(comparison: &Comparison) -> Vec<Line> {
    comparison.sections.iter().flat_map(of_section).collect()
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
    repetitions: Option<usize>,
}

impl Count {
    fn points(&self) -> usize {
        self.better + self.worse + self.same + self.undecided + self.no_verdict
    }
}

fn of_section(section: &Section) -> Vec<Line> {
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
                let fewest = delta.n.0.min(delta.n.1);
                count.repetitions = Some(count.repetitions.map_or(fewest, |n| n.min(fewest)));
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
    // A side that nothing stands opposite to, as in runs that do not pair, has nothing to tell.
    sides.retain(|(_, count)| count.points() + count.unequal + count.absent > 0);
    sides.iter().map(|(name, count)| line(section, name, count)).collect()
}

fn line(section: &Section, side: &str, count: &Count) -> Line {
    let overall = section.overall.iter().find(|overall| overall.side == side);
    let direction = section.headline.direction();
    let mean = count.points() > 1;
    let figure = match (count.points(), &count.only, overall) {
        (1, Some((relative, judged)), _) => {
            Some(Figure { relative: *relative, judged: judged.clone(), mean, direction })
        }
        (_, _, Some(overall)) => Some(Figure {
            relative: overall.relative,
            judged: overall.judged.clone(),
            mean,
            direction,
        }),
        _ => None,
    };
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
    let rows = section_points(section, side);
    let no_numbers = count.absent > 0 && count.absent == rows;
    if count.absent > 0 && !no_numbers {
        parts.push(format!("{} without numbers", count.absent));
    }
    Line {
        workload: section.workload.clone(),
        side: side.to_string(),
        baseline: section.baseline.join(", "),
        metric: section.headline.heading(),
        figure,
        rows,
        parts,
        no_numbers,
        repetitions: count.repetitions,
    }
}

/// In how many points the side is.
fn section_points(section: &Section, side: &str) -> usize {
    section.points.iter().filter(|point| point.sides.iter().any(|one| one.name == side)).count()
}
