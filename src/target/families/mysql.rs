//! MySQL 5.1 and later.

use super::common::{
    self, DUMP_OFF, FILE_PER_TABLE, NO_QUERY_CACHE, STATS_FROZEN, optional, script,
};
use super::level;
use super::mysql_changes;
use super::rows::{Family, Initialise, InnodbIo, OwnRow, Redo, Releases};

/// MySQL.
pub(super) static MYSQL: Family = Family {
    name: "mysql",
    title: "MySQL",
    built_in: BUILT_IN,
    initialise: INITIALISE,
    own: &[common::OWN, OWN],
    stated: &[common::STATED, STATED],
    level: &[level::COMMON, level::MYSQL],
    plugin_option: PLUGIN_OPTION,
    redo: REDO,
    innodb_io: INNODB_IO,
    pool_chunks: POOL_CHUNKS,
    pool_instances: POOL_INSTANCES,
    changes: &[mysql_changes::CHANGES],
};

/// Engines of every build.
pub(super) const BUILT_IN: &[(Releases, &str)] =
    &[(Releases::ALL, "InnoDB"), (Releases::ALL, "MyISAM"), (Releases::ALL, "MEMORY")];

/// 5.7 learnt to make its data directory; before that it reads scripts.
pub(super) const INITIALISE: &[(Releases, Initialise)] = &[
    (Releases::from(5, 7), Initialise::Insecure),
    (
        Releases::between((5, 6), (5, 7)),
        Initialise::Bootstrap {
            arguments: &["--explicit-defaults-for-timestamp"],
            first: "USE mysql;\n",
            scripts: SCRIPTS,
            last: ONLY_ROOT,
        },
    ),
    (
        Releases::before(5, 6),
        Initialise::Bootstrap {
            arguments: &[],
            first: "CREATE DATABASE IF NOT EXISTS mysql;\nUSE mysql;\n",
            scripts: SCRIPTS,
            last: ONLY_ROOT,
        },
    ),
];

const SCRIPTS: &[super::rows::Script] = &[
    script(&["mysql_system_tables.sql"]),
    script(&["mysql_system_tables_data.sql"]),
    optional(&["fill_help_tables.sql"]),
];

/// No anonymous user, and no right of everybody on a database `test`.
const ONLY_ROOT: &str = "DELETE FROM mysql.user WHERE user='';\nDELETE FROM mysql.db;\n";

/// How plugins are loaded.
pub(super) const PLUGIN_OPTION: &[(Releases, &str)] =
    &[(Releases::before(5, 6), "plugin_load"), (Releases::ALL, "plugin_load_add")];

/// One capacity from 8.0.30 on.
pub(super) const REDO: &[((u32, u32, u32), Redo)] =
    &[((0, 0, 0), Redo::FilesInGroup), ((8, 0, 30), Redo::Capacity)];

/// `fsync` has a name from 5.6 on.
pub(super) const INNODB_IO: &[((u32, u32), InnodbIo)] =
    &[((0, 0), InnodbIo::FlushMethodUnnamed), ((5, 6), InnodbIo::FlushMethod)];

/// Chunks came with resizing.
pub(super) const POOL_CHUNKS: Option<Releases> = Some(Releases::from(5, 7));

/// Instances.
pub(super) const POOL_INSTANCES: Option<Releases> = Some(Releases::from(5, 6));

/// What every start of MySQL and of its builds by Percona gets.
pub(super) const OWN: &[OwnRow] = &[
    OwnRow::of(Releases::from(5, 6), "innodb_buffer_pool_dump_at_shutdown", Some("OFF"), DUMP_OFF),
    OwnRow::of(Releases::from(5, 6), "innodb_buffer_pool_load_at_startup", Some("OFF"), DUMP_OFF),
    OwnRow::of(Releases::from(5, 6), "innodb_stats_auto_recalc", Some("OFF"), STATS_FROZEN),
    OwnRow::of(Releases::before(5, 6), "innodb_stats_on_metadata", Some("OFF"), STATS_FROZEN),
    OwnRow::of(Releases::before(5, 6), "innodb_file_per_table", Some("ON"), FILE_PER_TABLE),
    OwnRow::of(Releases::before(8, 0), "query_cache_type", Some("0"), NO_QUERY_CACHE),
    OwnRow::of(Releases::before(8, 0), "query_cache_size", Some("0"), NO_QUERY_CACHE),
    OwnRow::of(
        Releases::from(5, 5),
        "secure_file_priv",
        Some(""),
        "packages set it to a directory that may not exist; LOAD DATA reads our own files",
    ),
    OwnRow::of(
        Releases::from(8, 0),
        "mysqlx",
        Some("OFF"),
        "the X protocol wants a port and a socket that other instances want too",
    ),
];

/// What it gets unless the suite wants the defaults of the release.
pub(super) const STATED: &[OwnRow] = &[OwnRow::of(
    Releases::from(8, 0),
    "event_scheduler",
    Some("OFF"),
    "nothing runs beside the workload; the default differs by release",
)];
