//! Statistics: estimates, intervals, tests, change points, power. Pure functions.
//!
//! Everything about a delta happens on log values: the log of a ratio is symmetric, and noise of
//! throughput and times is nearer to proportional than to additive. What each number means, and
//! where its formula comes from, is told in `docs/statistics.md`.

pub mod estimate;
pub mod family;
pub mod floor;
pub mod interval;
pub mod levels;
pub mod median;
pub mod outlier;
pub mod power;
pub mod rank;
pub mod spread;
pub mod steady;
