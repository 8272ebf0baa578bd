//! The settings of a cell, as they are planned.

use super::OsCache;
use super::ending;
use super::expand::Combination;
use super::machine::Begin;
use super::overlay::Overlay;
use super::suite::Suite;
use crate::model::SettingValue;
use std::time::Duration;

/// Every setting of a cell, `defaults` and `machine` of the suite among them.
pub(super) fn settings(
    suite: &Suite,
    combination: &Combination,
    begin: &Begin,
) -> Overlay<String, SettingValue> {
    let mut settings = ending::shown(combination);
    settings.insert("warmup".to_string(), SettingValue::Duration(begin.warmup));
    let os_cache = if begin.os_cache == OsCache::Drop { "drop" } else { "keep" };
    settings.insert("os_cache".to_string(), SettingValue::Word(os_cache.to_string()));
    if let Some(machine) = &suite.machine {
        settings.insert("machine".to_string(), SettingValue::Word(machine.to_string()));
    }
    if let Some(defaults) = suite.defaults {
        settings.insert("defaults".to_string(), SettingValue::Word(defaults.as_str().to_string()));
    }
    settings
}

/// A count; 1 where there is none.
pub(super) fn count(combination: &Combination, name: &str) -> u32 {
    match combination.settings.get(name) {
        Some(SettingValue::Count(count)) => u32::try_from(*count).unwrap_or(u32::MAX),
        _ => 1,
    }
}

/// A duration; zero where there is none.
pub(super) fn duration(combination: &Combination, name: &str) -> Duration {
    match combination.settings.get(name) {
        Some(SettingValue::Duration(duration)) => *duration,
        _ => Duration::ZERO,
    }
}
