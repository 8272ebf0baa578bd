//! Rows that hold for every family.

use super::rows::{OwnRow, Releases, Script};

/// What every start of every server gets.
pub(super) const OWN: &[OwnRow] = &[
    OwnRow::always("skip_networking", None, "clients come by the socket; nobody else may come"),
    OwnRow::always("server_id", Some("1"), "a binary log, where the suite asks for one, needs it"),
    OwnRow::always("local_infile", Some("ON"), "rows are loaded by LOAD DATA LOCAL"),
    OwnRow::always(
        "sql_mode",
        Some("STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION"),
        "no value is cut and no engine replaced without an error; the default differs by release",
    ),
    OwnRow::always("max_connections", Some("1024"), "room for clients and observers"),
    OwnRow::always(
        "max_prepared_stmt_count",
        Some("1048576"),
        "each client prepares its statements once and keeps them",
    ),
    OwnRow::always(
        "max_allowed_packet",
        Some("64M"),
        "room for multi-row INSERT; the default differs by release",
    ),
];

/// What every start of every server gets unless the suite wants the defaults of the release.
pub(super) const STATED: &[OwnRow] = &[
    OwnRow::of(
        Releases::from(5, 6),
        "skip_log_bin",
        None,
        "no binary log unless the suite asks for one; the default differs by release",
    ),
    OwnRow::always(
        "character_set_server",
        Some("latin1"),
        "stated, since the default differs by release",
    ),
    OwnRow::always(
        "collation_server",
        Some("latin1_swedish_ci"),
        "stated, since the default differs by release",
    ),
];

/// InnoDB of MySQL 5.6 and MariaDB 10.0, and later.
pub(super) const DUMP_OFF: &str =
    "a dumped buffer pool would come along with the data and warm the next start";
/// The same.
pub(super) const STATS_FROZEN: &str =
    "statistics are made once after the load; made anew by chance they change plans between runs";
/// A cache of results.
pub(super) const NO_QUERY_CACHE: &str = "an answer out of a query cache measures nothing";
/// Before it was the default.
pub(super) const FILE_PER_TABLE: &str = "a file for each table, as later releases have it";

/// A script that must be there.
pub(super) const fn script(names: &'static [&'static str]) -> Script {
    Script { names, needed: true }
}

/// A script that not every release has.
pub(super) const fn optional(names: &'static [&'static str]) -> Script {
    Script { names, needed: false }
}
