//! The only integration binary. Each module asserts what a user would notice.

mod compare;
mod diagnostics;
mod docs;
mod doctor;
mod journal;
mod language;
mod layers;
mod live_doctor;
mod live_dsn;
mod live_guard;
mod live_schema;
mod live_server;
mod live_settle;
mod live_tpcc;
mod order;
mod plan;
mod report;
mod run;
mod run_sqlite;
mod schema;
mod schema_fuzz;
mod sqlite;
mod stats;
mod support;
mod syntax;
mod tpcc_sqlite;
