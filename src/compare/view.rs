//! What a comparison has found, ready to be shown: the only input of every report format.

pub use super::course::{Cause, Course, Dip, LevelChange};
pub use super::open_loop::OpenSide;
pub use super::trace::{Stretch, Trace};
pub use crate::journal::record::Average;
use crate::journal::record::{
    CalibrationRecord, CollectedRecord, DiskTestRecord, MachineRecord, TableShape,
};
use crate::model::{CellKey, Failure, FigureWish, Finding, Metric, MetricId, Place};
pub use crate::stats::rank::RankTest;
use std::collections::BTreeMap;

/// Everything that is known of one run, compared.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// What ran, where, and whether it came to its end.
    pub heading: Heading,
    /// The machine, where the journal says.
    pub machine: Option<MachineRecord>,
    /// Tests of the disk, in order.
    pub disk: Vec<DiskTestRecord>,
    /// What of several repetitions is printed and compared.
    pub average: Average,
    /// How far repetitions of one thing stray, by which deltas were judged.
    pub noise: Noise,
    /// One for each `compare` statement and workload.
    pub sections: Vec<Section>,
    /// Load time and size, by comparison.
    pub loads: Vec<LoadSection>,
    /// What the suite expected, in order.
    pub expectations: Vec<Expected>,
    /// Cells that only one of several runs has: the run, the cell, and how the nearest cell of the
    /// others differs.
    pub only_in: Vec<OnlyIn>,
    /// Figures that the suite asked for, beside those that every report has.
    pub figures: Vec<FigureWish>,
    /// What collectors of the user said, as files beside the journal; empty where several runs are
    /// compared, since each has its own.
    pub collected: Vec<CollectedRecord>,
    /// What broke, each with the cells that have no numbers because of it.
    pub failures: Vec<Broken>,
    /// Warnings about our own numbers, those of the journal first.
    pub findings: Vec<Finding>,
}

impl Comparison {
    /// Whether an expectation failed.
    pub fn failed(&self) -> bool {
        self.expectations.iter().any(|expected| expected.outcome == Outcome::Fails)
    }

    /// Whether an expectation could not be judged.
    pub fn cannot_tell(&self) -> bool {
        self.expectations.iter().any(|expected| expected.outcome == Outcome::CannotTell)
    }

    /// Whether something that was planned has no number.
    pub fn unmeasured(&self) -> bool {
        let sides = self.sections.iter().flat_map(|s| &s.points).flat_map(|p| &p.sides);
        sides.into_iter().any(|side| side.absent.is_some() || !side.failed.is_empty())
    }
}

/// The noise floors that deltas were judged by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Noise {
    /// The floor of each headline, as a fraction, and whether it was measured rather than assumed.
    pub floors: Vec<(Metric, f64, bool)>,
    /// What was measured before the run; none when the machine was not calibrated for it.
    pub calibration: Option<CalibrationRecord>,
}

/// A cell that only one of several runs has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnlyIn {
    /// The run.
    pub run: String,
    /// The cell.
    pub cell: CellKey,
    /// How the nearest cell of the other runs differs; none where they have none.
    pub nearest: Option<String>,
}

/// An expectation, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// As the suite writes it.
    pub text: String,
    /// Where.
    pub place: Place,
    /// What came of it.
    pub outcome: Outcome,
    /// Cell by cell.
    pub cases: Vec<Case>,
}

/// What came of an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The whole interval fits the bound.
    Holds,
    /// None of it does.
    Fails,
    /// Part of it does, or there is no interval.
    CannotTell,
}

impl Outcome {
    /// In words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::CannotTell => "cannot tell",
        }
    }
}

/// An expectation in one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The cell.
    pub cell: CellKey,
    /// Its name in the table.
    pub side: String,
    /// What was seen, with its interval, or why nothing can be said.
    pub seen: String,
    /// What came of it.
    pub outcome: Outcome,
}

/// What stands above every report.
#[derive(Clone, Debug, Default)]
pub struct Heading {
    /// The suite's title.
    pub title: String,
    /// The suite's file name.
    pub suite_file: String,
    /// Identity of the run.
    pub run: String,
    /// When it started, RFC 3339.
    pub at: String,
    /// Version of enginecmp that measured, or the tool that was imported from.
    pub tool: String,
    /// Profiles in force.
    pub profiles: Vec<String>,
    /// `--set` arguments.
    pub sets: Vec<String>,
    /// Seed of data and order; none of what another tool measured.
    pub seed: Option<u64>,
    /// The suite's text, includes expanded.
    pub suite_text: String,
    /// Why the run is not whole; none when it is.
    pub incomplete: Option<String>,
}

/// The rows of one `compare` statement for one workload.
#[derive(Clone, Debug)]
pub struct Section {
    /// Compared axes; empty when the suite compares nothing.
    pub compared: Vec<String>,
    /// The baseline's value on each.
    pub baseline: Vec<String>,
    /// Workload kind, mode and what else makes its figures unlike others.
    pub workload: String,
    /// Words that must stand in the heading.
    pub remarks: Vec<String>,
    /// Servers of its cells: name, family, version as the running server reports it.
    pub servers: Vec<ServerLabel>,
    /// The metric its rows show.
    pub headline: Metric,
    /// The transaction type that the headline counts; none for all.
    pub headline_type: Option<String>,
    /// What all its cells have in common: name and value.
    pub constants: Vec<(String, String)>,
    /// Axes that tell its points apart, in the order of the suite.
    pub axes: Vec<String>,
    /// Its rows.
    pub points: Vec<Point>,
    /// One for each side that has deltas in several points.
    pub overall: Vec<Overall>,
    /// In what its sides are alike and differ, property by property.
    pub ledger: Vec<LedgerRow>,
    /// How it shall be laid out, where the suite says.
    pub shape: Option<TableShape>,
}

/// A property that bears on fairness, with its value on each side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRow {
    /// Its name.
    pub property: String,
    /// By side: the value; empty where it is not known or does not apply, `by row` where it is one
    /// of the things that tell rows apart.
    pub values: Vec<(String, String)>,
}

impl LedgerRow {
    /// The value that all sides have; none when they differ or some have none.
    pub fn common(&self) -> Option<&str> {
        let (_, first) = self.values.first()?;
        self.values.iter().all(|(_, value)| value == first).then_some(first)
    }
}

/// Something in which a side differs from its baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Which property.
    pub property: String,
    /// The baseline's value against the side's.
    pub detail: String,
    /// Whether the compared axis says so.
    pub standing: Standing,
}

/// What a difference means for the delta.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// The compared axis states it: the delta stays.
    Declared,
    /// Figures hardly depend on it, or it follows from the engine: the delta stays.
    Told,
    /// The suite allows it and says why: the delta stays.
    Allowed(String),
    /// Nobody said so: the delta is lost.
    Unequal,
}

/// The geometric mean of a side's ratios over the points of a section.
#[derive(Clone, Debug, PartialEq)]
pub struct Overall {
    /// The side.
    pub side: String,
    /// How many points it is over.
    pub points: usize,
    /// As a delta: 0.1 is `+10%`.
    pub relative: f64,
    /// What the repetitions say about it.
    pub judged: Judged,
}

/// A server as headings name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerLabel {
    /// Its name in the suite, or `found`.
    pub name: String,
    /// Its family.
    pub family: String,
    /// Version as the running server reports it; empty when it never ran.
    pub version: String,
}

/// Cells that differ in compared axes alone.
#[derive(Clone, Debug)]
pub struct Point {
    /// Its value on each of the section's axes; none where its cells lack the axis.
    pub values: Vec<Option<String>>,
    /// Its cells, the baseline first.
    pub sides: Vec<Side>,
}

/// One cell, as a side of its point.
#[derive(Clone, Debug)]
pub struct Side {
    /// Its values on the compared axes, as shown.
    pub name: String,
    /// The cell.
    pub cell: CellKey,
    /// Whether the others are compared with it.
    pub is_baseline: bool,
    /// Every metric that has a figure; the headline first.
    pub series: Vec<Series>,
    /// In what it differs from its baseline.
    pub differences: Vec<Difference>,
    /// What an open loop offered; none of a closed one.
    pub open: Option<OpenSide>,
    /// How its measured phases went; none where they are too short to say.
    pub course: Option<Course>,
    /// Transactions given up, in all repetitions and rounds.
    pub errors: u64,
    /// Transactions tried again.
    pub retries: u64,
    /// Transactions committed or rolled back as intended.
    pub transactions: u64,
    /// Repetitions without a number, each with why.
    pub failed: Vec<(u32, Failure)>,
    /// Why there is no number at all.
    pub absent: Option<Absent>,
    /// Its repetitions, window by window.
    pub traces: Vec<Trace>,
    /// Latency in seconds by quantile (0 to 1), all repetitions taken together.
    pub percentiles: Vec<(f64, f64)>,
}

/// Why a cell has no numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Absent {
    /// The server lacks the engine, or there is no such server.
    NotAvailable(String),
    /// Something broke, in words.
    Failed(String),
    /// The run ended before it was its turn.
    NotRun,
}

/// The figures of one cell in one metric.
#[derive(Clone, Debug)]
pub struct Series {
    /// What was measured.
    pub metric: MetricId,
    /// One for each repetition that has the figure.
    pub samples: Vec<Sample>,
    /// What they come to: median or mean.
    pub level: f64,
    /// Half the width of the level's own 95 % interval, on the log scale; none for a single
    /// repetition and for figures that may be 0.
    pub half_width: Option<f64>,
    /// How it compares with the baseline.
    pub against: Against,
}

/// The figure of one repetition.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Which repetition (or load), from 1.
    pub repetition: u32,
    /// Its figure.
    pub value: f64,
    /// The figure of each round, in order; empty where rounds have none.
    pub rounds: Vec<f64>,
    /// Far from the others; shown, never dropped.
    pub outlier: bool,
}

/// How a figure compares with the baseline's.
#[derive(Clone, Debug, PartialEq)]
pub enum Against {
    /// It is the baseline.
    Baseline,
    /// There is nothing to compare with.
    NoBaseline,
    /// The sides differ in more than the compared axis states: `≠`.
    Unequal(Vec<String>),
    /// It has a delta.
    Delta(Delta),
}

impl Against {
    /// The delta, if there is one.
    pub fn delta(&self) -> Option<&Delta> {
        match self {
            Self::Delta(delta) => Some(delta),
            _ => None,
        }
    }
}

/// (value - baseline) / baseline, and how far it can be trusted.
#[derive(Clone, Debug, PartialEq)]
pub struct Delta {
    /// 0.123 is `+12.30%`.
    pub relative: f64,
    /// Repetitions of the baseline and of this side.
    pub n: (usize, usize),
    /// The exact rank test of the two, as a cross-check; none where all values are equal.
    pub rank: Option<RankTest>,
    /// What the repetitions say about it.
    pub judged: Judged,
}

/// What the repetitions say about a delta.
#[derive(Clone, Debug, PartialEq)]
pub enum Judged {
    /// Nothing, and why.
    NoVerdict(NoVerdict),
    /// An interval and a verdict.
    Verdict {
        /// Lower end, as [`Delta::relative`].
        low: f64,
        /// Upper end.
        high: f64,
        /// How often sides that do not differ show so large a delta.
        p: f64,
        /// The same for the table as a whole (Holm).
        p_table: f64,
        /// The level of the interval: 0.05 or, in a table of several deltas, as much less as it
        /// takes to keep 0.05 for all of them together.
        level: f64,
        /// The verdict.
        verdict: Verdict,
    },
}

impl Judged {
    /// The verdict, where there is one.
    pub const fn verdict(&self) -> Option<Verdict> {
        match self {
            Self::Verdict { verdict, .. } => Some(*verdict),
            Self::NoVerdict(_) => None,
        }
    }
}

/// Why a delta has no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoVerdict {
    /// One side has a single repetition.
    OneRepetition,
    /// One side was loaded once.
    OneLoad,
    /// A value of zero has no ratio.
    NoRatio,
    /// Repetitions ran on what earlier ones left (`reuse data`), so they are no equal trials.
    DataReused,
}

impl NoVerdict {
    /// In words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OneRepetition => "one repetition",
            Self::OneLoad => "one load",
            Self::NoRatio => "no ratio",
            Self::DataReused => "data reused",
        }
    }
}

/// What is said of a side against its baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Better than the baseline, whichever way that is for the metric.
    Better,
    /// Worse.
    Worse,
    /// The interval lies within the noise floor.
    Same,
    /// The interval contains 0 and reaches beyond the noise floor.
    Undecided,
}

impl Verdict {
    /// The word, as JSON has it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Same => "same",
            Self::Undecided => "undecided",
        }
    }
}

/// Load time and size of the datasets of one comparison.
#[derive(Clone, Debug)]
pub struct LoadSection {
    /// Compared axes.
    pub compared: Vec<String>,
    /// Axes that tell its datasets apart.
    pub axes: Vec<String>,
    /// Metrics that any of them has, in order.
    pub metrics: Vec<Metric>,
    /// Its rows.
    pub points: Vec<LoadPoint>,
}

/// Datasets of one content.
#[derive(Clone, Debug)]
pub struct LoadPoint {
    /// Value on each of the section's axes.
    pub values: Vec<Option<String>>,
    /// Its datasets, the baseline first.
    pub sides: Vec<LoadSide>,
}

/// One dataset.
#[derive(Clone, Debug)]
pub struct LoadSide {
    /// Its values on the compared axes, as shown.
    pub name: String,
    /// Whether the others are compared with it.
    pub is_baseline: bool,
    /// The path that its rows took.
    pub path: String,
    /// Loader threads.
    pub threads: u32,
    /// Rows of all its tables.
    pub rows: u64,
    /// Taken from the store: its figures are of an earlier run.
    pub reused: bool,
    /// Its figures.
    pub series: Vec<Series>,
    /// SHOW CREATE TABLE by table.
    pub ddl: BTreeMap<String, String>,
    /// Why there is none.
    pub absent: Option<Absent>,
}

/// Something that broke, and whom it left without numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    /// What broke.
    pub failure: Failure,
    /// In which cells, as shown.
    pub cells: Vec<String>,
    /// In which repetition, where it was one alone.
    pub repetition: Option<u32>,
}

impl Side {
    /// The figures of `metric`.
    pub fn series(&self, metric: &MetricId) -> Option<&Series> {
        self.series.iter().find(|series| &series.metric == metric)
    }

    /// The figures of the headline.
    pub fn headline(&self) -> Option<&Series> {
        self.series.first()
    }
}
