//! Expectations, judged with the interval: they hold, they fail, or the repetitions cannot tell.

use super::cells::Index;
use super::view::{
    Against, Case, Comparison, Expected, Judged, NoVerdict, Outcome, Section, Series, Side,
};
use crate::journal::record::PlannedCell;
use crate::model::{CompareOp, Expectation, ExpectedBound, Metric, SettingValue, Subject, Unit};

/// Judges every expectation of the plan. `since` is the comparison with an earlier run, where there
/// is one.
pub(super) fn judge(
    index: &Index,
    comparison: &Comparison,
    since: Option<&Comparison>,
) -> Vec<Expected> {
    let Some(plan) = index.plan else { return Vec::new() };
    plan.expectations
        .iter()
        .map(|expectation| {
            let cases = cases(&plan.cells, expectation, comparison, since);
            Expected {
                text: expectation.text.clone(),
                place: expectation.place.clone(),
                outcome: together(&cases),
                cases,
            }
        })
        .collect()
}

/// One failure fails it; one doubt leaves it in doubt; nothing to judge tells nothing.
fn together(cases: &[Case]) -> Outcome {
    let any = |outcome| cases.iter().any(|case| case.outcome == outcome);
    if any(Outcome::Fails) {
        Outcome::Fails
    } else if any(Outcome::CannotTell) || cases.is_empty() {
        Outcome::CannotTell
    } else {
        Outcome::Holds
    }
}

fn cases(
    planned: &[PlannedCell],
    expectation: &Expectation,
    comparison: &Comparison,
    since: Option<&Comparison>,
) -> Vec<Case> {
    let is_delta = matches!(expectation.bound, ExpectedBound::Delta(_));
    let mut cases: Vec<Case> = Vec::new();
    let mut judged: Vec<(&crate::model::CellKey, bool)> = Vec::new();
    for section in &comparison.sections {
        for side in section.points.iter().flat_map(|point| &point.sides) {
            let Some(cell) = planned.iter().find(|cell| cell.key == side.cell) else { continue };
            if !is_about(expectation, section, cell) || !applies(expectation, cell) {
                continue;
            }
            if expectation.since_baseline {
                if judged.contains(&(&side.cell, true)) {
                    continue;
                }
                judged.push((&side.cell, true));
                cases.push(since_case(expectation, side, since));
                continue;
            }
            // A baseline has no delta against itself. An absolute bound is judged once a cell.
            if is_delta && side.is_baseline || !is_delta && judged.contains(&(&side.cell, true)) {
                continue;
            }
            judged.push((&side.cell, true));
            cases.push(case(expectation, side));
        }
    }
    cases
}

/// Whether the expectation is about this cell.
fn is_about(expectation: &Expectation, section: &Section, cell: &PlannedCell) -> bool {
    match &expectation.subject {
        Subject::Each => true,
        Subject::Named(name) => section
            .compared
            .iter()
            .filter_map(|axis| cell.key.get(axis))
            .any(|value| value.eq_ignore_ascii_case(name)),
    }
}

/// A condition that does not apply takes no cell away.
fn applies(expectation: &Expectation, cell: &PlannedCell) -> bool {
    let lookup = |name: &str| {
        let on_axis = cell.axes.iter().find(|axis| axis.axis == name);
        on_axis
            .map(|axis| axis.value.clone())
            .or_else(|| cell.settings.get(name).map(|text| SettingValue::read(text)))
    };
    expectation.condition.as_ref().is_none_or(|condition| condition.holds(&lookup) != Some(false))
}

fn case(expectation: &Expectation, side: &Side) -> Case {
    let Some(series) = side.series(&expectation.metric) else {
        return undecided(side, "there are no figures");
    };
    let (seen, outcome) = match &expectation.bound {
        ExpectedBound::Delta(percent) => of_delta(series, expectation.op, percent / 100.0),
        ExpectedBound::Absolute(value) => of_value(series, expectation.op, value),
    };
    Case { cell: side.cell.clone(), side: side.name.clone(), seen, outcome }
}

/// The same cell against the earlier run.
fn since_case(expectation: &Expectation, side: &Side, since: Option<&Comparison>) -> Case {
    let Some(since) = since else {
        return undecided(side, "no earlier run to compare with: name one with --against RUN");
    };
    let this = since
        .sections
        .iter()
        .flat_map(|section| &section.points)
        .flat_map(|point| &point.sides)
        .find(|other| !other.is_baseline && other.cell.without("run") == side.cell);
    match this {
        Some(this) => Case { cell: side.cell.clone(), ..case(expectation, this) },
        None => undecided(side, "the earlier run has no such cell"),
    }
}

fn undecided(side: &Side, why: &str) -> Case {
    Case {
        cell: side.cell.clone(),
        side: side.name.clone(),
        seen: why.to_string(),
        outcome: Outcome::CannotTell,
    }
}

fn of_delta(series: &Series, op: CompareOp, bound: f64) -> (String, Outcome) {
    match &series.against {
        Against::Baseline | Against::NoBaseline => {
            ("there is no baseline beside it".to_string(), Outcome::CannotTell)
        }
        Against::Unequal(reasons) => {
            (format!("the sides are unequal: {}", reasons.join("; ")), Outcome::CannotTell)
        }
        Against::Delta(delta) => {
            let shown = format!("{:+.2}%", delta.relative * 100.0);
            match &delta.judged {
                Judged::NoVerdict(why) => {
                    (format!("{shown}, {}", why.as_str()), Outcome::CannotTell)
                }
                Judged::Verdict { low, high, .. } => (
                    format!("{shown} [{:+.2}%, {:+.2}%]", low * 100.0, high * 100.0),
                    decide(op, *low, *high, bound),
                ),
            }
        }
    }
}

fn of_value(series: &Series, op: CompareOp, bound: &SettingValue) -> (String, Outcome) {
    let Some(bound) = in_unit(bound, series.metric.metric) else {
        return ("the bound is in another unit".to_string(), Outcome::CannotTell);
    };
    let level = series.level;
    if series.samples.len() < 2 {
        return (format!("{level:.4}, {}", NoVerdict::OneRepetition.as_str()), Outcome::CannotTell);
    }
    if let Some(half_width) = series.half_width {
        let (low, high) = (level * (-half_width).exp(), level * half_width.exp());
        return (format!("{level:.4} [{low:.4}, {high:.4}]"), decide(op, low, high, bound));
    }
    // Counts that may be 0 have no logs: all repetitions must agree.
    let values = series.samples.iter().map(|sample| sample.value);
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(f64::NEG_INFINITY, f64::max);
    (format!("{low:.4} to {high:.4}"), decide(op, low, high, bound))
}

/// Whether everything between `low` and `high` fits the bound, nothing does, or some.
fn decide(op: CompareOp, low: f64, high: f64, bound: f64) -> Outcome {
    let (all, none) = match op {
        CompareOp::Greater => (low > bound, high <= bound),
        CompareOp::GreaterOrEqual => (low >= bound, high < bound),
        CompareOp::Less => (high < bound, low >= bound),
        CompareOp::LessOrEqual => (high <= bound, low > bound),
        CompareOp::Equal => (low == bound && high == bound, bound < low || high < bound),
        CompareOp::NotEqual => (bound < low || high < bound, low == bound && high == bound),
    };
    match (all, none) {
        (true, _) => Outcome::Holds,
        (_, true) => Outcome::Fails,
        _ => Outcome::CannotTell,
    }
}

/// A bound in the metric's unit.
fn in_unit(bound: &SettingValue, metric: Metric) -> Option<f64> {
    match (bound, metric.unit()) {
        (SettingValue::Duration(duration), Unit::Seconds) => Some(duration.as_secs_f64()),
        (SettingValue::Size(bytes), Unit::Bytes) => Some(*bytes as f64),
        (SettingValue::Rate(rate), Unit::PerSecond) => Some(*rate),
        (SettingValue::Count(count), unit) if unit != Unit::Seconds && unit != Unit::Bytes => {
            Some(*count as f64)
        }
        (SettingValue::Number(number), unit) if unit != Unit::Seconds && unit != Unit::Bytes => {
            Some(*number)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_decides_when_it_lies_on_one_side() {
        use CompareOp as Op;
        assert_eq!(decide(Op::GreaterOrEqual, 0.10, 0.14, 0.10), Outcome::Holds);
        assert_eq!(decide(Op::GreaterOrEqual, 0.05, 0.14, 0.10), Outcome::CannotTell);
        assert_eq!(decide(Op::GreaterOrEqual, 0.05, 0.09, 0.10), Outcome::Fails);
        assert_eq!(decide(Op::Less, 0.01, 0.05, 0.05), Outcome::CannotTell);
        assert_eq!(decide(Op::Less, 0.05, 0.06, 0.05), Outcome::Fails);
        assert_eq!(decide(Op::Equal, 0.05, 0.06, 0.1), Outcome::Fails);
        assert_eq!(decide(Op::NotEqual, 0.05, 0.06, 0.1), Outcome::Holds);
        assert_eq!(decide(Op::LessOrEqual, 0.0, 0.0, 0.0), Outcome::Holds);
    }

    #[test]
    fn bounds_come_in_the_unit_of_the_metric() {
        let duration = SettingValue::Duration(std::time::Duration::from_millis(50));
        assert_eq!(in_unit(&duration, Metric::P95), Some(0.05));
        assert_eq!(in_unit(&duration, Metric::Tpmc), None);
        assert_eq!(in_unit(&SettingValue::Count(20_000), Metric::Tpmc), Some(20_000.0));
        assert_eq!(in_unit(&SettingValue::Count(1), Metric::P95), None);
    }
}
