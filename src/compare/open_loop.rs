//! Sides that are open loops, and what saturation means for their deltas.

use super::view::Side;
use crate::journal::record::{RepetitionRecord, ShareOfMaximum};

/// A cell that is an open loop.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenSide {
    /// Transactions that arrived a second.
    pub rate_per_second: f64,
    /// How they were spread: `poisson`, `constant`.
    pub arrival: String,
    /// Where the rate comes from, when it is a share of a maximum.
    pub share: Option<ShareOfMaximum>,
    /// Repetitions in which more arrived than was done.
    pub saturated: u32,
}

impl OpenSide {
    /// Takes what a repetition offered.
    pub(super) fn add(side: &mut Option<Self>, repetition: &RepetitionRecord) {
        let Some(open) = &repetition.open else { return };
        let side = side.get_or_insert_with(|| Self {
            rate_per_second: open.rate_per_second,
            arrival: open.arrival.clone(),
            share: open.share.clone(),
            saturated: 0,
        });
        side.saturated += u32::from(open.saturated);
    }
}

/// Why latencies of a side cannot be compared: more arrived than it could do.
pub(super) fn saturated(name: &str, side: &Side) -> Option<String> {
    side.open.as_ref().filter(|open| open.saturated > 0)?;
    Some(format!("{name} is saturated: its latencies grow with the length of the phase"))
}
