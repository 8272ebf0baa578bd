//! enginecmp compares storage engines of MySQL-family servers.
//!
//! One `.bench` file states a comparison; one command runs it on real servers and prints a table
//! of percentage deltas. The way of the data:
//!
//! ```text
//! suite text -> syntax tree -> resolved suite -> plan (datasets, cells, order)
//!            -> execution (servers, loads, repetitions) -> journal -> comparison -> report
//! ```
//!
//! Each module below is a room. Which room may use which is the table in `tests/layers.rs`.

pub mod cli;
pub mod compare;
pub mod diagnostic;
pub mod engine;
pub mod host;
pub mod import;
pub mod journal;
pub mod model;
pub mod plan;
pub mod report;
pub mod run;
pub mod schema;
pub mod stats;
pub mod syntax;
pub mod target;
pub mod tools;
pub mod workload;
