//! What must be alike on both sides of a pair, and what a suite may allow to differ.

/// Properties that cost a pair its delta when they differ undeclared, and that `allow unequal`
/// may name, as the language writes them. An engine without transactions is not among them:
/// nothing makes it comparable with one that has them. `load_path` costs the figures of the load
/// alone.
pub const ALLOWABLE: &[&str] = &[
    "workload",
    "durability",
    "binary_log",
    "isolation",
    "lock_wait",
    "deadlock_detection",
    "indexes",
    "foreign_keys",
    "charset",
    "cache",
    "clients",
    "load_path",
    "data",
];
