//! Statistics: estimates, intervals, tests, change points, power. Pure functions.
