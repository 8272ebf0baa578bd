//! When a measured phase ends: after `measure`, or after `requests` transactions.

use super::expand::Combination;
use super::overlay::Overlay;
use crate::diagnostic::{Diagnostic, codes};
use crate::model::SettingValue;
use std::time::Duration;

/// A phase of so many requests ends after this time in any case, unless `measure` says when.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// When the measured phases of a cell end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ending {
    /// After so many transactions.
    pub(super) requests: Option<u64>,
    /// After this time.
    pub(super) measure: Duration,
}

/// The ending of a combination.
pub(super) fn of(combination: &Combination, wrong: &mut Vec<Diagnostic>) -> Ending {
    let duration = match combination.settings.get("measure") {
        Some(SettingValue::Duration(duration)) => *duration,
        _ => Duration::ZERO,
    };
    let Some(stated) = combination.setting("requests") else {
        return Ending { requests: None, measure: duration };
    };
    let requests = match stated.value.value {
        SettingValue::Count(count) => Some(count),
        _ => None,
    };
    // Each of them says in its own way which part of the time counts.
    for name in ["rounds", "steady", "count"] {
        let Some(other) = combination.setting(name) else { continue };
        if other.value.value == SettingValue::Count(1) {
            continue;
        }
        let error = Diagnostic::error(
            codes::BAD_PARAMETER,
            stated.value.span,
            format!("a cell has `requests` and `{name}`"),
        )
        .label("ends the one measured phase")
        .also(other.value.span, "is about phases that end by time")
        .help("end phases by `measure` instead, or leave this out");
        if !wrong.contains(&error) {
            wrong.push(error);
        }
    }
    let measure = if combination.setting("measure").is_some() { duration } else { LONGEST };
    Ending { requests, measure }
}

/// Settings of a cell as headings show them: a default length of phases that end otherwise is none.
pub(super) fn shown(combination: &Combination) -> Overlay<String, SettingValue> {
    let mut settings = combination.settings.clone();
    if combination.setting("requests").is_some() && combination.setting("measure").is_none() {
        settings.remove("measure".to_string());
    }
    settings
}
