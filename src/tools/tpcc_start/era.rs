//! What the figures of `tpcc_start` mean, by the shape of its lines. The tool never prints a
//! version; its lines changed with the commits of its source.

use super::super::result::{Clock, Statistic};

/// The shape of an interval line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `%d(%d):%.1f`.
    Tenths,
    /// `%d(%d):%.2f`.
    Hundredths,
    /// `%d(%d):%.3f`.
    Thousandths,
    /// `%d(%d):%.3f|%.3f`.
    LateMax,
    /// `%d:%.3f|%.3f`, Delivery without the longest.
    PlainFourthBare,
    /// `%d:%.3f|%.3f`.
    Plain,
    /// `trx: %d max_rt: %.3f`.
    TrxMax,
    /// `trx: %d, 95%: %.3f, 99%: %.3f, max_rt: %.3f`.
    TrxPercentiles,
}

/// What the figures of a shape mean.
#[derive(Clone, Copy, Debug)]
pub(super) struct Era {
    /// When lines looked so.
    pub(super) years: &'static str,
    /// The clock of its latencies.
    pub(super) clock: Clock,
    /// How many of its units make a second.
    pub(super) per_second: f64,
    /// The percentile before the longest, where it is known; it was changed within one shape.
    pub(super) percentile: Option<Statistic>,
    /// Where its histogram ends, in its unit: a percentile there only says "or more".
    pub(super) histogram_end: Option<f64>,
}

impl Shape {
    /// The meaning of the figures.
    pub(super) const fn era(self) -> Era {
        const MILLI: f64 = 1000.0;
        match self {
            Self::Tenths => Era {
                years: "2008-12 to 2011-08",
                clock: Clock::Ticks,
                per_second: 1.0,
                percentile: Some(Statistic::Permille(900)),
                histogram_end: Some(320.0),
            },
            Self::Hundredths => Era {
                years: "2011-08 to 2011-10",
                clock: Clock::Ticks,
                per_second: 1.0,
                percentile: Some(Statistic::Permille(900)),
                histogram_end: Some(320.0),
            },
            Self::Thousandths => Era {
                years: "2011-10",
                clock: Clock::ClientCpu,
                per_second: MILLI,
                percentile: None,
                histogram_end: Some(20.0),
            },
            Self::LateMax => Era {
                years: "2011-10 to 2016-02",
                clock: Clock::ClientCpu,
                per_second: MILLI,
                percentile: Some(Statistic::Permille(990)),
                histogram_end: Some(20.0),
            },
            Self::PlainFourthBare => Era {
                years: "2016-02-10",
                clock: Clock::ClientCpu,
                per_second: MILLI,
                percentile: Some(Statistic::Permille(990)),
                histogram_end: Some(20.0),
            },
            Self::Plain => Era {
                years: "2016-02-11",
                clock: Clock::Wall,
                per_second: MILLI,
                percentile: Some(Statistic::Permille(990)),
                histogram_end: Some(20.0),
            },
            Self::TrxMax => Era {
                years: "2016-02-11",
                clock: Clock::Wall,
                per_second: MILLI,
                percentile: None,
                histogram_end: None,
            },
            Self::TrxPercentiles => Era {
                years: "since 2016-02-12",
                clock: Clock::Wall,
                per_second: MILLI,
                percentile: None,
                histogram_end: None,
            },
        }
    }
}
