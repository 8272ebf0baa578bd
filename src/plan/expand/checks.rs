//! What must be true of a matrix: something is left, conditions name what exists, engines can do
//! what their cells ask.

use super::{Combination, Dimension, MAX_CELLS, phases, rows};
use crate::diagnostic::{Diagnostic, Span, codes, did_you_mean};
use crate::engine::EngineSpec;
use crate::model::{SettingValue, units::grouped};
use crate::plan::defaults;
use crate::plan::suite::{Suite, WhereCondition};
use std::collections::BTreeSet;

/// The matrix is empty before any condition was asked.
pub(super) fn nothing_to_run(suite: &Suite) -> Diagnostic {
    let narrowed = suite
        .choices
        .iter()
        .chain(suite.points.iter().flat_map(|point| &point.choices))
        .flat_map(|choice| &choice.values)
        .map(|value| value.span)
        .next();
    let point = suite.points.first().map(|point| point.span);
    let span = point.or(narrowed).unwrap_or_else(|| suite.workloads[0].span);
    Diagnostic::error(codes::EMPTY_MATRIX, span, "no cell is left to run")
        .label("nothing fits what is asked here")
        .help(
            "`only` names engines that the suite has; a point names parameters that a workload has",
        )
}

/// More cells than anybody can run.
pub(super) fn too_many(span: Span, dimensions: &[Dimension<'_>]) -> Diagnostic {
    let mut largest: Vec<(usize, &str)> = dimensions
        .iter()
        .map(|dimension| (dimension.alternatives.len(), dimension.axis.as_str()))
        .filter(|(values, _)| *values > 1)
        .collect();
    largest.sort_by(|a, b| b.cmp(a));
    let sizes: Vec<String> =
        largest.iter().map(|(values, axis)| format!("`{axis}` has {values}")).collect();
    Diagnostic::error(
        codes::TOO_MANY_CELLS,
        span,
        format!("the axes make more than {} cells", grouped(MAX_CELLS as f64, 0)),
    )
    .label("this axis among them")
    .help(format!("values: {}", sizes.join(", ")))
    .help("`point { ... }` rows state single combinations instead")
}

/// Leaves out what `where` and `--only` exclude, and checks the rest.
pub(super) fn prune(
    suite: &Suite,
    mut combinations: Vec<Combination>,
    wrong: &mut Vec<Diagnostic>,
) -> Vec<Combination> {
    let known = known_names(suite, &combinations);
    for condition in &suite.conditions {
        unknown_names(condition, &known, wrong);
    }
    let before = combinations.len();
    combinations.retain(|combination| {
        suite.conditions.iter().all(|condition| {
            let lookup = |name: &str| combination.settings.get(name).cloned();
            condition.condition.holds(&lookup) != Some(false)
        })
    });
    if combinations.is_empty() && before > 0 && wrong.is_empty() {
        wrong.push(nothing_left(suite, before));
    }
    rows::renumber(&mut combinations);
    let mut seen = BTreeSet::new();
    for combination in &combinations {
        formats(suite, combination, &mut seen, wrong);
        phases::check(combination, wrong);
    }
    combinations
}

fn nothing_left(suite: &Suite, before: usize) -> Diagnostic {
    let last = suite.conditions.last().map_or(suite.workloads[0].span, |last| last.span);
    let mut diagnostic = Diagnostic::error(codes::EMPTY_MATRIX, last, "no cell is left to run")
        .label(format!(
            "none of the {before} {} fits this",
            if before == 1 { "cell" } else { "cells" }
        ));
    let others = suite.conditions.len().saturating_sub(1);
    for condition in &suite.conditions[..others] {
        diagnostic = diagnostic.also(condition.span, "together with this");
    }
    diagnostic
}

/// Every name that a condition may use.
pub(in crate::plan) fn known_names(
    suite: &Suite,
    combinations: &[Combination],
) -> BTreeSet<String> {
    let mut known: BTreeSet<String> = ["engine", "server", "storage", "workload"]
        .into_iter()
        .chain(defaults::SETTINGS.iter().map(|(name, _)| *name))
        .map(str::to_string)
        .collect();
    for workload in &suite.workloads {
        known.extend(workload.kind.parameters.iter().map(|p| p.name.to_string()));
    }
    let mut bases = BTreeSet::new();
    for settings in combinations.iter().map(|combination| &combination.settings) {
        // The names of a base that many share are looked at once.
        let names: &mut dyn Iterator<Item = &String> = if bases.insert(settings.base_id()) {
            &mut settings.iter().map(|(name, _)| name)
        } else {
            &mut settings.own().filter(|(_, value)| value.is_some()).map(|(name, _)| name)
        };
        for name in names {
            if !known.contains(name) {
                known.insert(name.clone());
            }
        }
    }
    known
}

/// Reports the names of a condition that nothing has.
pub(in crate::plan) fn unknown_names(
    condition: &WhereCondition,
    known: &BTreeSet<String>,
    wrong: &mut Vec<Diagnostic>,
) {
    for (term, span) in condition.condition.terms().iter().zip(&condition.names) {
        if known.contains(&term.name) {
            continue;
        }
        let mut diagnostic = Diagnostic::error(
            codes::UNKNOWN_NAME,
            *span,
            format!("no cell has a setting `{}`", term.name),
        )
        .label("known to no cell");
        if let Some(help) = did_you_mean(&term.name, known.iter().map(String::as_str)) {
            diagnostic = diagnostic.help(help);
        }
        wrong.push(diagnostic);
    }
}

/// The engine must have the row format, the compression and the isolation that are asked of it.
fn formats(
    suite: &Suite,
    combination: &Combination,
    seen: &mut BTreeSet<(Span, &'static str)>,
    wrong: &mut Vec<Diagnostic>,
) {
    let spec: &EngineSpec = suite.engines[combination.engine].spec;
    let lower = |names: &[&str]| -> Vec<String> {
        names.iter().map(|name| name.to_lowercase().replace(' ', "_")).collect()
    };
    let lists: [(&str, &str, &[&str]); 3] = [
        ("row_format", "row format", spec.row_formats),
        ("compression", "compression", spec.compressions),
        ("isolation", "isolation", spec.isolation),
    ];
    for (name, words, has) in lists {
        let Some(resolved) = combination.setting(name) else { continue };
        let SettingValue::Word(value) = &resolved.value.value else { continue };
        let has = lower(has);
        let fits = has.iter().any(|known| known.eq_ignore_ascii_case(value));
        let nothing_to_do = (name == "compression" && value == "none" && has.is_empty())
            || (name == "isolation" && has.is_empty());
        if fits || nothing_to_do || !seen.insert((resolved.value.span, spec.storage)) {
            continue;
        }
        let mut diagnostic = Diagnostic::error(
            codes::ENGINE_CANNOT,
            resolved.value.span,
            format!("{} has no {words} `{value}`", spec.storage),
        )
        .label(format!("asked of engine `{}`", suite.engines[combination.engine].name))
        .help(if has.is_empty() {
            format!("{} has none to choose", spec.storage)
        } else {
            format!("it has {}", has.join(", "))
        });
        if let Some(help) = did_you_mean(value, has.iter().map(String::as_str)) {
            diagnostic = diagnostic.help(help);
        }
        if resolved.level != super::Level::Engine {
            diagnostic = diagnostic.also(
                suite.engines[combination.engine].span,
                "this engine is among those it is asked of",
            );
        }
        wrong.push(diagnostic);
    }
}
