//! The cache in bytes, where the suite states it as a share of something.

use super::expand::Combination;
use crate::model::SettingValue;

/// What a cache may be a share of, bytes.
#[derive(Clone, Copy)]
pub(super) struct Whole {
    /// The smallest cache with which every engine starts.
    pub(super) least: u64,
    /// The data, whatever the engine.
    pub(super) data: u64,
    /// The machine's memory, where it is known.
    pub(super) memory: Option<u64>,
}

/// The cache of a combination in bytes, where the suite states one.
pub(super) fn cache_bytes(combination: &Combination, whole: Whole) -> Option<u64> {
    match &combination.setting("cache")?.value.value {
        SettingValue::Size(bytes) => Some(*bytes),
        SettingValue::PercentOf(percent, of) => {
            let all = if of == "memory" { whole.memory? } else { whole.data };
            let bytes = (all as f64 * percent / 100.0) as u64;
            // Whole mebibytes, and enough for every engine to start, so that all have the same.
            Some((bytes.div_ceil(1 << 20) << 20).max(whole.least))
        }
        _ => None,
    }
}
