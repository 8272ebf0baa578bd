//! When clients begin their transactions: `rate`, `arrival` and `think`.

use super::expand::Combination;
use super::suite::Suite;
use super::{Cell, Plan};
use crate::diagnostic::{Diagnostic, codes};
use crate::model::{CellKey, SettingValue};
use crate::workload::{ThinkTimes, Workload};

/// How arrivals of an open loop are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// A Poisson process: exponential gaps, as of many people who know nothing of each other.
    Poisson,
    /// At equal distances.
    Constant,
}

impl Arrival {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Poisson => "poisson",
            Self::Constant => "constant",
        }
    }
}

/// The rate of an open loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OfferedRate {
    /// Transactions a second.
    PerSecond(f64),
    /// A share in percent of the lowest maximum among the cells of the point.
    OfMaximum(f64),
}

/// When clients begin their transactions.
#[derive(Clone, Debug, PartialEq)]
pub enum Pace {
    /// As soon as the client is free.
    Closed,
    /// After a time that the client waits.
    Think(ThinkTimes),
    /// When they arrive, whether or not a client is free.
    Open {
        /// How many arrive.
        rate: OfferedRate,
        /// How they are spread.
        arrival: Arrival,
    },
}

impl Pace {
    /// Whether transactions arrive by themselves.
    pub const fn is_open(&self) -> bool {
        matches!(self, Self::Open { .. })
    }

    /// The share of the maximum that it asks for, in percent.
    pub const fn of_maximum(&self) -> Option<f64> {
        match self {
            Self::Open { rate: OfferedRate::OfMaximum(percent), .. } => Some(*percent),
            _ => None,
        }
    }
}

/// The pace of a combination.
pub(super) fn of(
    suite: &Suite,
    combination: &Combination,
    workload: &dyn Workload,
    wrong: &mut Vec<Diagnostic>,
) -> Pace {
    let arrival = match combination.setting("arrival").and_then(|r| r.value.value.as_str()) {
        Some("constant") => Arrival::Constant,
        _ => Arrival::Poisson,
    };
    let think = combination.setting("think");
    if let Some(rate) = combination.setting("rate") {
        if let Some(think) = think.filter(|think| think.value.value.as_str() != Some("none")) {
            let error = Diagnostic::error(
                codes::BAD_PARAMETER,
                rate.value.span,
                "a cell has `rate` and `think`",
            )
            .label("transactions arrive by themselves, whatever clients think")
            .also(think.value.span, "clients think")
            .help("write `rate` for an open loop, or `think` for one of people at terminals");
            push(wrong, error);
        }
        return match rate.value.value {
            SettingValue::Rate(rate) => Pace::Open { rate: OfferedRate::PerSecond(rate), arrival },
            SettingValue::PercentOf(percent, _) => {
                Pace::Open { rate: OfferedRate::OfMaximum(percent), arrival }
            }
            _ => Pace::Closed,
        };
    }
    let Some(think) = think else { return Pace::Closed };
    match &think.value.value {
        SettingValue::Duration(time) if !time.is_zero() => Pace::Think(ThinkTimes::Fixed(*time)),
        SettingValue::Word(word) if word == "tpcc" => {
            if let Some(times) = workload.think_times() {
                return Pace::Think(ThinkTimes::Keyed(times));
            }
            let block = &suite.workloads[combination.workload];
            let error = Diagnostic::error(
                codes::BAD_PARAMETER,
                think.value.span,
                format!("workload `{}` has no keying and think times", block.name),
            )
            .label("only TPC-C's standard states them")
            .help("write a time, such as `think 50ms`");
            push(wrong, error);
            Pace::Closed
        }
        _ => Pace::Closed,
    }
}

fn push(wrong: &mut Vec<Diagnostic>, error: Diagnostic) {
    if !wrong.contains(&error) {
        wrong.push(error);
    }
}

/// What must be measured in the closed loop before any cell with a share of a maximum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaximumSlot {
    /// Index into [`Plan::cells`] of the cell that is measured.
    pub cell: usize,
    /// Every cell whose maximum it is: they differ in `rate` and `arrival` alone.
    pub cells: Vec<usize>,
}

/// Every maximum that a plan needs, in the order of its cells. Cells that are not available have
/// none.
pub fn maxima(plan: &Plan) -> Vec<MaximumSlot> {
    let mut slots: Vec<(CellKey, MaximumSlot)> = Vec::new();
    for (index, cell) in plan.cells.iter().enumerate() {
        if cell.pace.of_maximum().is_none() || cell.unavailable.is_some() {
            continue;
        }
        let key = cell.key.without("rate").without("arrival");
        match slots.iter_mut().find(|(known, _)| *known == key) {
            Some((_, slot)) => slot.cells.push(index),
            None => slots.push((key, MaximumSlot { cell: index, cells: vec![index] })),
        }
    }
    slots.into_iter().map(|(_, slot)| slot).collect()
}

/// The cells of the point of `cell`: those that share its rate.
pub fn sides_of<'p>(plan: &'p Plan, cell: &Cell) -> impl Iterator<Item = (usize, &'p Cell)> {
    let point = cell.point;
    plan.cells.iter().enumerate().filter(move |(_, other)| other.point == point)
}
