//! Verdicts: the statistics of the deltas, metric by metric.

use super::calibration::Calibration;
use super::view::{
    Against, Average, Comparison, Delta, Judged, NoVerdict, Overall, Section, Series, Side, Verdict,
};
use crate::model::{Direction, Metric, MetricId};
use crate::stats::estimate::{mean, median};
use crate::stats::family::{Difference, SecondOpinion, test_family};
use crate::stats::floor::NoiseFloor;
use crate::stats::interval::{Interval, Says, t_critical};
use crate::stats::median::{mean_factor, median_factor};
use crate::stats::outlier::outliers;
use crate::stats::power::ALPHA;
use crate::stats::rank::rank_test;
use crate::stats::spread::{StandardError, Variance, spread, standard_error};

/// Gives every delta its interval and verdict, and marks outliers.
pub(super) fn judge(comparison: &mut Comparison, calibration: &Calibration) {
    let average = comparison.average;
    for section in &mut comparison.sections {
        let headline = section.headline;
        let mut points: Vec<Vec<&mut Vec<Series>>> = section
            .points
            .iter_mut()
            .map(|point| point.sides.iter_mut().map(|side| &mut side.series).collect())
            .collect();
        let errors =
            judge_points(&mut points, calibration, average, NoVerdict::OneRepetition, headline);
        section.overall = overall(section, &errors, calibration.floor(headline));
    }
    for section in &mut comparison.loads {
        let mut points: Vec<Vec<&mut Vec<Series>>> = section
            .points
            .iter_mut()
            .map(|point| point.sides.iter_mut().map(|side| &mut side.series).collect())
            .collect();
        judge_points(&mut points, calibration, average, NoVerdict::OneLoad, Metric::LoadTime);
    }
}

/// A headline delta with its standard error: of which point and side.
struct Errors {
    point: usize,
    side: usize,
    difference: Difference,
}

/// Judges each metric over all points, and gives the standard errors of `headline`.
fn judge_points(
    points: &mut [Vec<&mut Vec<Series>>],
    calibration: &Calibration,
    average: Average,
    single: NoVerdict,
    headline: Metric,
) -> Vec<Errors> {
    let mut metrics: Vec<MetricId> =
        points.iter().flatten().flat_map(|side| side.iter().map(|s| s.metric.clone())).collect();
    metrics.sort();
    metrics.dedup();
    let mut of_headline = Vec::new();
    for metric in metrics {
        let rule = Rule {
            floor: calibration.floor(metric.metric),
            direction: metric.metric.direction(),
            average,
            single,
        };
        let mut cells = Vec::new();
        for (point, sides) in points.iter_mut().enumerate() {
            let baseline = sides.first().and_then(|side| position(side, &metric));
            for (side, series) in sides.iter_mut().enumerate() {
                if let Some(at) = position(series, &metric) {
                    let baseline = baseline.is_some().then_some((point, 0));
                    cells.push(Cell { at: (point, side), baseline, series: &mut series[at] });
                }
            }
        }
        let errors = rule.judge(&mut cells);
        if metric == MetricId::whole(headline) {
            of_headline = errors;
        }
    }
    of_headline
}

fn position(series: &[Series], metric: &MetricId) -> Option<usize> {
    series.iter().position(|series| &series.metric == metric)
}

/// The figures of one cell in one metric.
struct Cell<'a> {
    /// Point and side.
    at: (usize, usize),
    /// Where the first side of its point stands.
    baseline: Option<(usize, usize)>,
    series: &'a mut Series,
}

/// How one metric is judged.
struct Rule {
    floor: NoiseFloor,
    direction: Direction,
    average: Average,
    single: NoVerdict,
}

impl Rule {
    fn judge(&self, cells: &mut [Cell]) -> Vec<Errors> {
        let logs: Vec<Vec<f64>> = cells
            .iter()
            .map(|cell| cell.series.samples.iter().map(|sample| sample.value.ln()).collect())
            // A zero has no logarithm: its cell has no ratio, and takes no other cell its verdict.
            .map(
                |logs: Vec<f64>| if logs.iter().all(|log| log.is_finite()) { logs } else { vec![] },
            )
            .collect();
        let values: Vec<&[f64]> = logs.iter().map(Vec::as_slice).collect();
        for (cell, far) in cells.iter_mut().zip(outliers(&values, self.floor.deviation())) {
            for (sample, far) in cell.series.samples.iter_mut().zip(far) {
                sample.outlier = far;
            }
        }
        let spread = spread(&values, self.floor.deviation());
        for (cell, (own, values)) in cells.iter_mut().zip(spread.cells.iter().zip(&values)) {
            let level = cell.series.level.ln();
            cell.series.half_width = own.map(|own| {
                let reach = t_critical(ALPHA, own.df) * own.variance.sqrt();
                let shift = mean(values).map_or(0.0, |mean| (mean - level).abs());
                let of_mean = reach * mean_factor(values.len());
                match self.average {
                    Average::Mean => of_mean,
                    Average::Median => (reach * self.factor(values.len())).max(shift + of_mean),
                }
            });
        }
        let mut pairs: Vec<(usize, Difference)> = Vec::new();
        for index in 0..cells.len() {
            let Some(base) = baseline_of(cells, index) else { continue };
            if values[index].is_empty() || values[base].is_empty() {
                continue;
            }
            let rank = rank_test(values[index], values[base]);
            let (own, other) = (spread.cells[index], spread.cells[base]);
            let n = (values[index].len(), values[base].len());
            let Against::Delta(delta) = &mut cells[index].series.against else { continue };
            if delta.judged == Judged::NoVerdict(NoVerdict::DataReused) {
                continue;
            }
            delta.rank = rank;
            match (own, other) {
                (Some(own), Some(other)) => {
                    let log_ratio = delta.relative.ln_1p();
                    let sides = [(own, n.0), (other, n.1)];
                    let other = self.not_printed(values[index]).zip(self.not_printed(values[base]));
                    pairs.push((index, self.difference(log_ratio, sides, other)));
                }
                _ => delta.judged = Judged::NoVerdict(self.single),
            }
        }
        let differences: Vec<Difference> = pairs.iter().map(|(_, pair)| *pair).collect();
        for ((index, _), tested) in pairs.iter().zip(test_family(&differences, ALPHA)) {
            let Against::Delta(delta) = &mut cells[*index].series.against else { continue };
            let interval = Interval::around(delta.relative, tested.half_width);
            delta.judged = Judged::Verdict {
                low: interval.low,
                high: interval.high,
                p: tested.p,
                p_table: tested.p_table,
                level: tested.level,
                verdict: verdict(interval.says(self.floor), self.direction),
            };
        }
        pairs
            .into_iter()
            .map(|(index, pair)| {
                let (point, side) = cells[index].at;
                Errors { point, side, difference: pair }
            })
            .collect()
    }

    /// The difference of two levels of so many repetitions, with that of the averages that are not
    /// printed.
    fn difference(
        &self,
        log_ratio: f64,
        sides: [(Variance, usize); 2],
        not_printed: Option<(f64, f64)>,
    ) -> Difference {
        let error = |factor: &dyn Fn(usize) -> f64| {
            standard_error(sides.map(|(variance, n)| (variance, factor(n))))
        };
        let second = not_printed.map(|(own, other)| SecondOpinion {
            shift: (own - other - log_ratio).abs(),
            error: match self.average {
                Average::Median => error(&mean_factor),
                Average::Mean => error(&median_factor),
            },
        });
        Difference { log_ratio, error: error(&|n| self.factor(n)), second }
    }

    /// The average of log values that is not printed.
    fn not_printed(&self, values: &[f64]) -> Option<f64> {
        match self.average {
            Average::Median => mean(values),
            Average::Mean => median(values),
        }
    }

    /// What makes the deviation of one repetition the standard error of a level of `n`.
    fn factor(&self, n: usize) -> f64 {
        match self.average {
            Average::Median => median_factor(n),
            Average::Mean => mean_factor(n),
        }
    }
}

/// Which of `cells` the cell at `index` has its delta against.
fn baseline_of(cells: &[Cell], index: usize) -> Option<usize> {
    cells[index].series.against.delta()?;
    let baseline = cells[index].baseline?;
    cells.iter().position(|cell| cell.at == baseline)
}

fn verdict(says: Says, direction: Direction) -> Verdict {
    match (says, direction) {
        (Says::Same, _) => Verdict::Same,
        (Says::Undecided, _) => Verdict::Undecided,
        (Says::Above, Direction::HigherIsBetter) | (Says::Below, Direction::LowerIsBetter) => {
            Verdict::Better
        }
        _ => Verdict::Worse,
    }
}

/// The geometric mean of each side's ratios, where it has several.
fn overall(section: &Section, errors: &[Errors], floor: NoiseFloor) -> Vec<Overall> {
    let mut names: Vec<&str> = Vec::new();
    for side in section.points.iter().flat_map(|point| &point.sides) {
        if !side.is_baseline && !names.contains(&side.name.as_str()) {
            names.push(&side.name);
        }
    }
    names.into_iter().filter_map(|name| overall_of(section, name, errors, floor)).collect()
}

fn overall_of(
    section: &Section,
    name: &str,
    errors: &[Errors],
    floor: NoiseFloor,
) -> Option<Overall> {
    let mut logs = Vec::new();
    let mut parts = Vec::new();
    let mut data_reused = false;
    for (point, sides) in section.points.iter().enumerate() {
        for (side, found) in sides.sides.iter().enumerate().filter(|(_, s)| s.name == name) {
            let Some(delta) = headline_delta(found, section.headline) else { continue };
            data_reused |= delta.judged == Judged::NoVerdict(NoVerdict::DataReused);
            logs.push(delta.relative.ln_1p());
            parts.extend(errors.iter().find(|e| (e.point, e.side) == (point, side)));
        }
    }
    let points = logs.len();
    let log_ratio = mean(&logs).filter(|log| points > 1 && log.is_finite())?;
    let relative = log_ratio.exp_m1();
    let judged = if parts.len() == points {
        let errors: Vec<StandardError> = parts.iter().map(|part| part.difference.error).collect();
        let all: Option<Vec<SecondOpinion>> =
            parts.iter().map(|part| part.difference.second).collect();
        let second = all.map(|all| SecondOpinion {
            // No further from the printed mean than all shifts together.
            shift: all.iter().map(|second| second.shift).sum::<f64>() / points as f64,
            error: of_a_mean(&all.iter().map(|second| second.error).collect::<Vec<_>>()),
        });
        let difference = Difference { log_ratio, error: of_a_mean(&errors), second };
        let tested = test_family(&[difference], ALPHA).pop()?;
        let interval = Interval::around(relative, tested.half_width);
        Judged::Verdict {
            low: interval.low,
            high: interval.high,
            p: tested.p,
            p_table: tested.p_table,
            level: tested.level,
            verdict: verdict(interval.says(floor), section.headline.direction()),
        }
    } else if data_reused {
        Judged::NoVerdict(NoVerdict::DataReused)
    } else {
        Judged::NoVerdict(NoVerdict::OneRepetition)
    };
    Some(Overall { side: name.to_string(), points, relative, judged })
}

/// The standard error of the mean of differences.
fn of_a_mean(parts: &[StandardError]) -> StandardError {
    let variances: Vec<f64> = parts.iter().map(|part| part.error.powi(2)).collect();
    let sum: f64 = variances.iter().sum();
    let squares: f64 = variances.iter().zip(parts).map(|(v, part)| v * v / part.df).sum();
    // Pooled variances are one and the same, so no sum is known better than the best part.
    let best = parts.iter().map(|part| part.df).fold(1.0, f64::max);
    let df = if squares > 0.0 { (sum * sum / squares).min(best) } else { best };
    StandardError { error: sum.sqrt() / parts.len() as f64, df }
}

fn headline_delta(side: &Side, headline: Metric) -> Option<&Delta> {
    side.series(&MetricId::whole(headline))?.against.delta()
}
