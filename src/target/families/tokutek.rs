//! The builds of Tokutek: MySQL and MariaDB 5.1 to 5.5 with TokuDB in them.
//!
//! Such servers are no longer to be had: what stands here is checked as text, never run.

use super::common;
use super::level;
use super::mysql;
use super::mysql_changes;
use super::rows::{Family, OwnRow, Releases};

/// Tokutek's builds.
pub(super) static TOKUTEK: Family = Family {
    name: "tokutek",
    title: "Tokutek build",
    built_in: &[
        (Releases::ALL, "InnoDB"),
        (Releases::ALL, "TokuDB"),
        (Releases::ALL, "MyISAM"),
        (Releases::ALL, "MEMORY"),
    ],
    initialise: mysql::INITIALISE,
    own: &[common::OWN, mysql::OWN, OWN],
    stated: &[common::STATED, mysql::STATED],
    level: &[level::COMMON, level::MYSQL],
    plugin_option: mysql::PLUGIN_OPTION,
    redo: mysql::REDO,
    innodb_io: mysql::INNODB_IO,
    pool_chunks: None,
    pool_instances: None,
    changes: &[mysql_changes::CHANGES],
};

const OWN: &[OwnRow] = &[OwnRow::always(
    "default_storage_engine",
    Some("InnoDB"),
    "these builds make TokuDB the default; a table without an engine would become one of TokuDB",
)];
