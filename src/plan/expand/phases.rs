//! What must be true of measured phases: something is left to count, and there is one end.

use super::Combination;
use crate::diagnostic::{Diagnostic, Span, codes};
use crate::model::SettingValue;
use crate::model::units::exact_duration;
use std::time::Duration;

/// Checks the phases of a cell; what several cells have wrong alike is told once.
pub(super) fn check(combination: &Combination, wrong: &mut Vec<Diagnostic>) {
    let found = counted_part(combination).into_iter().chain(early_end(combination));
    for diagnostic in found {
        if !wrong.contains(&diagnostic) {
            wrong.push(diagnostic);
        }
    }
}

fn span(combination: &Combination, name: &str) -> Option<Span> {
    combination.setting(name).map(|resolved| resolved.value.span)
}

fn duration(combination: &Combination, name: &str) -> Option<Duration> {
    match combination.settings.get(name) {
        Some(SettingValue::Duration(duration)) => Some(*duration),
        _ => None,
    }
}

/// `count last` must leave something of the phase, and something out.
fn counted_part(combination: &Combination) -> Option<Diagnostic> {
    let at = span(combination, "count")?;
    let (last, measure) = (duration(combination, "count")?, duration(combination, "measure")?);
    let (last_text, measured) = (exact_duration(last), exact_duration(measure));
    if last.is_zero() {
        return Some(
            Diagnostic::error(codes::PHASE, at, "`count last 0s` leaves nothing to count")
                .label("nothing of a phase"),
        );
    }
    if last <= measure {
        return None;
    }
    let mut diagnostic = Diagnostic::error(
        codes::PHASE,
        at,
        format!("a phase of {measured} has no last {last_text}"),
    )
    .label("longer than the phase")
    .help("make `measure` longer, or give `count last` where the phase is made shorter");
    if let Some(measure) = span(combination, "measure") {
        diagnostic = diagnostic.also(measure, "the phase is so long");
    }
    Some(diagnostic)
}

/// A phase that ends when it is steady has one end, and one repetition has one such phase.
fn early_end(combination: &Combination) -> Option<Diagnostic> {
    let at = span(combination, "steady")?;
    let rounds = match combination.settings.get("rounds") {
        Some(SettingValue::Count(rounds)) => *rounds,
        _ => 1,
    };
    let (other, why) = if rounds > 1 {
        ("rounds", "a phase that came to rest has no second round")
    } else if combination.setting("requests").is_some() {
        ("requests", "a phase has one end")
    } else if combination.setting("rate").is_some() {
        ("rate", "at a given rate throughput is steady from the start")
    } else {
        return None;
    };
    let mut diagnostic =
        Diagnostic::error(codes::PHASE, at, format!("`steady` and `{other}` exclude each other"))
            .label(why);
    if let Some(other_span) = span(combination, other) {
        diagnostic = diagnostic.also(other_span, format!("`{other}` is set here"));
    }
    Some(diagnostic)
}
