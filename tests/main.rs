//! The only integration binary. Each module asserts what a user would notice.

mod compare;
mod diagnostics;
mod journal;
mod layers;
mod live_dsn;
mod plan;
mod report;
mod sqlite;
mod support;
