//! Maxima of closed loops, and the rates of open ones that are shares of them.

use super::pool::Beat;
use crate::journal::record::ShareOfMaximum;
use crate::model::{Failure, FailureKind, Phase};
use crate::plan::{Cell, OfferedRate, Pace, Plan, sides_of};
use std::collections::BTreeMap;

/// What was measured, by cell: transactions a second.
#[derive(Debug, Default)]
pub(super) struct Maxima(BTreeMap<usize, f64>);

impl Maxima {
    /// The maximum of these cells is known.
    pub(super) fn know(&mut self, cells: &[usize], per_second: f64) {
        self.0.extend(cells.iter().map(|&cell| (cell, per_second)));
    }

    /// The pace of a cell with every figure known, and where its rate comes from.
    pub(super) fn beat(
        &self,
        plan: &Plan,
        cell: &Cell,
    ) -> Result<(Beat, Option<ShareOfMaximum>), Failure> {
        let (rate, arrival) = match &cell.pace {
            Pace::Closed => return Ok((Beat::Closed, None)),
            Pace::Think(times) => return Ok((Beat::Think(times.clone()), None)),
            Pace::Open { rate, arrival } => (*rate, *arrival),
        };
        match rate {
            OfferedRate::PerSecond(rate) => Ok((Beat::Open { rate, arrival }, None)),
            OfferedRate::OfMaximum(percent) => {
                let share = self.share(plan, cell, percent).ok_or_else(|| {
                    Failure::new(
                        Phase::WarmUp,
                        FailureKind::Check,
                        format!("`rate {percent}% of max`: no side has a maximum"),
                    )
                    .next_step("look at why the closed loop failed, or state the rate")
                })?;
                let rate = share.maximum_per_second * percent / 100.0;
                Ok((Beat::Open { rate, arrival }, Some(share)))
            }
        }
    }

    /// The lowest maximum among the sides of the cell's point.
    fn share(&self, plan: &Plan, cell: &Cell, percent: f64) -> Option<ShareOfMaximum> {
        sides_of(plan, cell)
            .filter_map(|(index, side)| Some((*self.0.get(&index)?, side)))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(maximum_per_second, side)| ShareOfMaximum {
                percent,
                maximum_per_second,
                cell: side.key.clone(),
            })
    }
}
