//! MySQL 5.1 and later.

use super::common::{
    self, DUMP_OFF, FILE_PER_TABLE, NO_QUERY_CACHE, STATS_FROZEN, optional, script,
};
use super::rows::{Became, Change, Family, Initialise, InnodbIo, OwnRow, Redo, Releases};

/// MySQL.
pub(super) static MYSQL: Family = Family {
    name: "mysql",
    title: "MySQL",
    built_in: BUILT_IN,
    initialise: INITIALISE,
    own: &[common::OWN, OWN],
    plugin_option: PLUGIN_OPTION,
    redo: REDO,
    innodb_io: INNODB_IO,
    pool_chunks: POOL_CHUNKS,
    pool_instances: POOL_INSTANCES,
    changes: &[CHANGES],
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
    OwnRow::of(
        Releases::from(8, 0),
        "event_scheduler",
        Some("OFF"),
        "nothing runs beside the workload; the default differs by release",
    ),
];

/// What became of options in MySQL and in its builds by Percona.
pub(super) const CHANGES: &[Change] = &[
    Change {
        releases: Releases::from(8, 4),
        name: "innodb_log_file_size",
        became: Became::Refused("8.0.30 and later size the redo log as a whole: `redo SIZE`"),
    },
    Change {
        releases: Releases::from(8, 4),
        name: "innodb_log_files_in_group",
        became: Became::Refused("8.0.30 and later size the redo log as a whole: `redo SIZE`"),
    },
    Change {
        releases: Releases::before(8, 0),
        name: "innodb_redo_log_capacity",
        became: Became::Refused("it came with 8.0.30; `redo SIZE` means the same on every server"),
    },
    Change {
        releases: Releases::from(8, 0),
        name: "query_cache_type",
        became: Became::Harmless("MySQL has no query cache from 8.0 on"),
    },
    Change {
        releases: Releases::from(8, 0),
        name: "query_cache_size",
        became: Became::Harmless("MySQL has no query cache from 8.0 on"),
    },
    Change {
        releases: Releases::from(8, 0),
        name: "query_cache_limit",
        became: Became::Harmless("MySQL has no query cache from 8.0 on"),
    },
    Change {
        releases: Releases::from(8, 0),
        name: "innodb_file_format",
        became: Became::Harmless("every table has the later file format from 8.0 on"),
    },
    Change {
        releases: Releases::from(8, 0),
        name: "innodb_large_prefix",
        became: Became::Harmless("long index prefixes are always allowed from 8.0 on"),
    },
    Change {
        releases: Releases::from(8, 0),
        name: "innodb_support_xa",
        became: Became::Harmless("removed; two-phase commit is always on"),
    },
    Change {
        releases: Releases::from(8, 0),
        name: "innodb_locks_unsafe_for_binlog",
        became: Became::Refused("removed in 8.0; `isolation read_committed` takes no gap locks"),
    },
    Change {
        releases: Releases::from(8, 0),
        name: "innodb_undo_tablespaces",
        became: Became::Harmless("MySQL has two undo tablespaces from 8.0 on, more by SQL"),
    },
    Change {
        releases: Releases::from(8, 4),
        name: "expire_logs_days",
        became: Became::Refused("use binlog_expire_logs_seconds"),
    },
    Change {
        releases: Releases::from(8, 0),
        name: "log_warnings",
        became: Became::Harmless("log_error_verbosity took its place"),
    },
    Change {
        releases: Releases::from(8, 0),
        name: "sync_frm",
        became: Became::Harmless("MySQL has no .frm files from 8.0 on"),
    },
    Change {
        releases: Releases::from(5, 7),
        name: "innodb_additional_mem_pool_size",
        became: Became::Harmless("removed; InnoDB uses the allocator of the system"),
    },
    Change {
        releases: Releases::from(5, 7),
        name: "innodb_use_sys_malloc",
        became: Became::Harmless("removed; InnoDB uses the allocator of the system"),
    },
    Change {
        releases: Releases::before(5, 7),
        name: "innodb_deadlock_detect",
        became: Became::Harmless("deadlocks are always detected before 5.7.15"),
    },
    Change {
        releases: Releases::before(5, 7),
        name: "innodb_default_row_format",
        became: Became::Refused("it came with 5.7.9; use `row_format` in the engine block"),
    },
    Change {
        releases: Releases::before(5, 7),
        name: "innodb_page_cleaners",
        became: Became::Harmless("there is one page cleaner before 5.7.4"),
    },
    Change {
        releases: Releases::before(5, 5),
        name: "innodb_buffer_pool_instances",
        became: Became::Refused("there is one buffer pool before 5.5"),
    },
    Change {
        releases: Releases::ALL,
        name: "innodb_snapshot_isolation",
        became: Became::Refused("MariaDB's option"),
    },
    Change {
        releases: Releases::ALL,
        name: "innodb_log_file_buffering",
        became: Became::Refused("MariaDB's option"),
    },
    Change {
        releases: Releases::ALL,
        name: "innodb_data_file_buffering",
        became: Became::Refused("MariaDB's option; `io direct` or `io buffered` works everywhere"),
    },
    Change {
        releases: Releases::ALL,
        name: "binlog_commit_wait_count",
        became: Became::Refused("MariaDB's option; MySQL has binlog_group_commit_sync_delay"),
    },
    Change {
        releases: Releases::ALL,
        name: "tx_isolation",
        became: Became::Renamed("transaction_isolation"),
    },
    Change {
        releases: Releases::from(5, 7),
        name: "storage_engine",
        became: Became::Renamed("default_storage_engine"),
    },
    Change {
        releases: Releases::before(8, 0),
        name: "replica_parallel_workers",
        became: Became::Renamed("slave_parallel_workers"),
    },
    Change {
        releases: Releases::before(8, 0),
        name: "log_replica_updates",
        became: Became::Renamed("log_slave_updates"),
    },
];
