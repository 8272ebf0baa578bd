//! Statistics: estimates, intervals, tests, change points, power. Pure functions.

pub mod estimate;
pub mod interval;
pub mod median;
pub mod pool;
