//! Whether a suite can judge what it compares and expects. What it can never judge is an error;
//! what only a profile or `--only` takes away is a finding.

use super::expand::Combination;
use super::expand::checks::{known_names, unknown_names};
use super::suite::{CompareStatement, ExpectStatement, NamedAt, Suite, WhereCondition};
use super::workloads::Made;
use crate::diagnostic::{Diagnostic, Span, codes, did_you_mean};
use crate::model::{AxisValue, ExpectedBound, Metric, SettingValue, Subject};
use std::collections::BTreeSet;

/// Everything that the suite cannot judge with these cells.
pub(super) fn problems(
    suite: &Suite,
    combinations: &[Combination],
    workloads: &[Made],
) -> Vec<Diagnostic> {
    let mut wrong = Vec::new();
    for compare in &suite.comparisons {
        wrong.extend(comparison(compare, combinations));
        wrong.extend(defaults_unsaid(suite, compare));
    }
    for axis in suite.table.iter().flat_map(|(rows, columns)| [rows, columns]) {
        wrong.extend(axis_exists(axis, combinations));
    }
    let known = known_names(suite, combinations);
    for expect in &suite.expectations {
        let before = wrong.len();
        if let Some(condition) = &expect.expectation.condition {
            let condition = WhereCondition {
                condition: condition.clone(),
                span: expect.span,
                names: expect.names.clone(),
            };
            unknown_names(&condition, &known, &mut wrong);
        }
        wrong.extend(metric(suite, expect, workloads));
        if wrong.len() == before {
            wrong.extend(expectation(suite, expect, combinations));
        }
    }
    wrong
}

fn on_axis<'c>(combination: &'c Combination, axis: &str) -> Option<&'c SettingValue> {
    combination.axes.iter().find(|value| value.axis == axis).map(|AxisValue { value, .. }| value)
}

fn same(a: &SettingValue, b: &SettingValue) -> bool {
    a.to_string().eq_ignore_ascii_case(&b.to_string())
}

/// The values that cells have on an axis, in their order.
fn values_on(combinations: &[Combination], axis: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    combinations
        .iter()
        .filter_map(|combination| on_axis(combination, axis))
        .map(SettingValue::to_string)
        .filter(|value| seen.insert(value.to_lowercase()))
        .collect()
}

fn axis_exists(axis: &NamedAt, combinations: &[Combination]) -> Option<Diagnostic> {
    if combinations.iter().any(|combination| on_axis(combination, &axis.name).is_some()) {
        return None;
    }
    let axes: BTreeSet<&str> = combinations
        .iter()
        .flat_map(|combination| combination.axes.iter().map(|value| value.axis.as_str()))
        .collect();
    let mut diagnostic =
        Diagnostic::error(codes::NOT_AN_AXIS, axis.span, format!("`{}` is no axis", axis.name));
    let one = combinations.iter().find_map(|combination| combination.settings.get(&axis.name));
    diagnostic = match (one, axis.name.as_str()) {
        (_, "variant") => diagnostic.label("the suite has no variants"),
        (_, "server") => diagnostic.label("the suite names fewer than two servers"),
        (Some(value), _) => diagnostic.label(format!("it has one value, {value}")),
        (None, _) => diagnostic.label("no setting of this name has several values"),
    };
    if let Some(help) = did_you_mean(&axis.name, axes.iter().copied()) {
        diagnostic = diagnostic.help(help);
    }
    let list: Vec<&str> = axes.into_iter().collect();
    Some(diagnostic.help(format!("the axes of this suite are {}", list.join(", "))))
}

fn comparison(compare: &CompareStatement, combinations: &[Combination]) -> Vec<Diagnostic> {
    let mut wrong: Vec<Diagnostic> =
        compare.axes.iter().filter_map(|axis| axis_exists(axis, combinations)).collect();
    if !wrong.is_empty() {
        return wrong;
    }
    for (axis, baseline) in compare.axes.iter().zip(&compare.baseline) {
        let values = values_on(combinations, &axis.name);
        let text = baseline.value.to_string();
        if values.iter().any(|value| value.eq_ignore_ascii_case(&text)) {
            continue;
        }
        let mut diagnostic = Diagnostic::error(
            codes::BASELINE_OFF_AXIS,
            baseline.span,
            format!("the baseline `{text}` is not on the axis `{}`", axis.name),
        )
        .label("no cell has this value");
        if let Some(help) = did_you_mean(&text, values.iter().map(String::as_str)) {
            diagnostic = diagnostic.help(help);
        }
        wrong.push(diagnostic.help(format!("its values are {}", values.join(", "))));
    }
    if wrong.is_empty() {
        let other = combinations.iter().any(|combination| {
            compare.axes.iter().zip(&compare.baseline).any(|(axis, baseline)| {
                on_axis(combination, &axis.name).is_some_and(|value| !same(value, &baseline.value))
            })
        });
        if !other {
            wrong.push(
                Diagnostic::error(
                    codes::NOTHING_TO_COMPARE,
                    compare.span,
                    "there is nothing to compare with the baseline",
                )
                .label("every cell is the baseline"),
            );
        }
    }
    wrong
}

/// Releases differ in their defaults: the suite says whether these are part of the question.
fn defaults_unsaid(suite: &Suite, compare: &CompareStatement) -> Option<Diagnostic> {
    let servers = compare.axes.iter().any(|axis| axis.name == "server");
    (servers && suite.defaults.is_none()).then(|| {
        Diagnostic::error(
            codes::DEFAULTS_UNSAID,
            compare.span,
            "servers are compared, and the suite does not say with which defaults",
        )
        .help("write `defaults shipped` for those of each release, `defaults levelled` for one set")
    })
}

/// The metric must be one that the suite's workloads and probes give.
fn metric(suite: &Suite, expect: &ExpectStatement, workloads: &[Made]) -> Option<Diagnostic> {
    let id = &expect.expectation.metric;
    let error = |message: String| Diagnostic::error(codes::NO_SUCH_METRIC, expect.metric, message);
    match (id.metric, &id.of) {
        (Metric::ProbeTime, None) => Some(
            error("`probe_time` needs the name of a probe".to_string())
                .help("write `probe_time(NAME)`"),
        ),
        (Metric::ProbeTime, Some(name)) => {
            let names: Vec<&str> = suite.probes.iter().map(|probe| probe.name.as_str()).collect();
            if names.contains(&name.as_str()) {
                return None;
            }
            let mut diagnostic = error(format!("the suite has no probe `{name}`"));
            if let Some(help) = did_you_mean(name, names.iter().copied()) {
                diagnostic = diagnostic.help(help);
            }
            Some(diagnostic)
        }
        (_, Some(name)) => {
            let types: BTreeSet<&str> = workloads
                .iter()
                .flat_map(|w| w.workload.transaction_types().iter().copied())
                .collect();
            if types.contains(name.as_str()) {
                return None;
            }
            let mut diagnostic = error(format!("no workload has a transaction `{name}`"));
            if let Some(help) = did_you_mean(name, types.iter().copied()) {
                diagnostic = diagnostic.help(help);
            }
            let list: Vec<&str> = types.into_iter().collect();
            Some(diagnostic.help(format!("transactions are {}", list.join(", "))))
        }
        (Metric::Tpmc, None) => {
            if workloads.iter().any(|made| made.workload.headline() == Metric::Tpmc) {
                return None;
            }
            Some(
                error("no workload of this suite gives `tpmc`".to_string())
                    .label("only TPC-C has it")
                    .help("`tps` counts transactions of all types a second"),
            )
        }
        _ => None,
    }
}

/// Some cell, paired with its baseline where a delta is asked, must be able to decide.
fn expectation(
    suite: &Suite,
    expect: &ExpectStatement,
    combinations: &[Combination],
) -> Option<Diagnostic> {
    let wanted = &expect.expectation;
    let relative = matches!(wanted.bound, ExpectedBound::Delta(_)) && !wanted.since_baseline;
    if relative && suite.comparisons.is_empty() {
        return Some(
            cannot(expect, expect.bound, "a delta needs something to compare with")
                .help("add `compare AXIS against VALUE`, or `since baseline` for an earlier run"),
        );
    }
    let axes: Vec<&NamedAt> = suite.comparisons.iter().flat_map(|c| &c.axes).collect();
    if let Subject::Named(name) = &wanted.subject {
        let values: Vec<String> =
            axes.iter().flat_map(|axis| values_on(combinations, &axis.name)).collect();
        if !values.iter().any(|value| value.eq_ignore_ascii_case(name)) {
            let mut diagnostic = Diagnostic::error(
                codes::UNKNOWN_NAME,
                expect.subject,
                format!("`{name}` is on no compared axis"),
            );
            if let Some(help) = did_you_mean(name, values.iter().map(String::as_str)) {
                diagnostic = diagnostic.help(help);
            }
            return Some(diagnostic.help(if values.is_empty() {
                "the suite compares nothing: write `each`".to_string()
            } else {
                format!("the compared axes have {}", values.join(", "))
            }));
        }
        let baseline = suite.comparisons.iter().all(|compare| {
            compare.axes.len() == 1
                && compare.baseline[0].value.to_string().eq_ignore_ascii_case(name)
        });
        if relative && baseline {
            return Some(
                cannot(expect, expect.subject, "the baseline has no delta against itself")
                    .help("name another value, or give a bound with a unit"),
            );
        }
    }
    let about = |combination: &&Combination| {
        let holds = wanted.condition.as_ref().is_none_or(|condition| {
            let lookup = |name: &str| combination.settings.get(name).cloned();
            condition.holds(&lookup) != Some(false)
        });
        let named = match &wanted.subject {
            Subject::Each => true,
            Subject::Named(name) => axes.iter().any(|axis| {
                on_axis(combination, &axis.name)
                    .is_some_and(|value| value.to_string().eq_ignore_ascii_case(name))
            }),
        };
        holds && named
    };
    let candidates: Vec<&Combination> = combinations.iter().filter(about).collect();
    if candidates.is_empty() {
        return Some(cannot(expect, expect.span, "no cell fits this expectation"));
    }
    if relative && !candidates.iter().any(|cell| has_baseline(suite, cell, combinations)) {
        return Some(
            cannot(expect, expect.span, "no cell of this expectation has a baseline beside it")
                .help("the baseline must be in the matrix with the same values on all other axes"),
        );
    }
    None
}

/// Whether the cell that `cell` would be compared with is there.
fn has_baseline(suite: &Suite, cell: &Combination, combinations: &[Combination]) -> bool {
    let keys: BTreeSet<&crate::model::CellKey> = combinations.iter().map(|c| &c.key).collect();
    suite.comparisons.iter().any(|compare| {
        let mut key = cell.key.clone();
        for (axis, baseline) in compare.axes.iter().zip(&compare.baseline) {
            key = key.with(&axis.name, &super::expand::rows::key_text(&baseline.value));
        }
        key != cell.key && keys.contains(&key)
    })
}

fn cannot(expect: &ExpectStatement, span: Span, why: &str) -> Diagnostic {
    let diagnostic =
        Diagnostic::error(codes::CANNOT_JUDGE, span, "this expectation can never be judged")
            .label(why);
    if span == expect.span { diagnostic } else { diagnostic.also(expect.span, "expected here") }
}

/// Whether what is wrong can come from a profile or `--only` that takes cells away.
pub(super) fn may_be_lost(problem: &Diagnostic) -> bool {
    [
        codes::CANNOT_JUDGE,
        codes::BASELINE_OFF_AXIS,
        codes::NOTHING_TO_COMPARE,
        codes::NOT_AN_AXIS,
        codes::UNKNOWN_NAME,
        codes::NO_SUCH_METRIC,
    ]
    .contains(&problem.code)
}

/// What is lost, in a clause: `no cell fits this expectation`.
pub(super) fn told(problem: &Diagnostic) -> String {
    if problem.code == codes::CANNOT_JUDGE {
        problem.primary.text.clone()
    } else {
        problem.message.clone()
    }
}

/// Leaves out the comparisons that lost their axis or baseline. Expectations stay: they are
/// reported as ones that cannot tell.
pub(super) fn drop_lost(suite: &mut Suite, lost: &[Diagnostic]) {
    let is_lost = |span: Span| lost.iter().any(|problem| problem.primary.span == span);
    suite.comparisons.retain(|compare| {
        !is_lost(compare.span)
            && !compare.axes.iter().any(|axis| is_lost(axis.span))
            && !compare.baseline.iter().any(|value| is_lost(value.span))
    });
    if suite.table.as_ref().is_some_and(|(rows, cols)| is_lost(rows.span) || is_lost(cols.span)) {
        suite.table = None;
    }
}
