//! The only integration binary. Each module asserts what a user would notice.

mod journal;
mod layers;
mod live_dsn;
mod sqlite;
