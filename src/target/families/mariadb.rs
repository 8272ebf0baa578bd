//! MariaDB 5.5 and later.

use super::common::{
    self, DUMP_OFF, FILE_PER_TABLE, NO_QUERY_CACHE, STATS_FROZEN, optional, script,
};
use super::rows::{Became, Change, Family, Initialise, InnodbIo, OwnRow, Redo, Releases};

/// MariaDB.
pub(super) static MARIADB: Family = Family {
    name: "mariadb",
    title: "MariaDB",
    built_in: &[
        (Releases::ALL, "InnoDB"),
        (Releases::ALL, "Aria"),
        (Releases::ALL, "MyISAM"),
        (Releases::ALL, "MEMORY"),
    ],
    initialise: &[(
        Releases::ALL,
        Initialise::Bootstrap {
            arguments: &["--enforce-storage-engine="],
            // Root without a password, by password alone: the socket check would tie it to the
            // user that initialises.
            first: "CREATE DATABASE IF NOT EXISTS mysql;\nUSE mysql;\nSET @auth_root_socket=NULL;\n",
            scripts: &[
                script(&["mariadb_system_tables.sql", "mysql_system_tables.sql"]),
                optional(&["mariadb_performance_tables.sql", "mysql_performance_tables.sql"]),
                script(&["mariadb_system_tables_data.sql", "mysql_system_tables_data.sql"]),
                script(&["fill_help_tables.sql"]),
                optional(&["maria_add_gis_sp_bootstrap.sql"]),
                optional(&["mariadb_sys_schema.sql", "mysql_sys_schema.sql"]),
            ],
            last: "",
        },
    )],
    own: &[common::OWN, OWN],
    plugin_option: &[(Releases::before(10, 0), "plugin_load"), (Releases::ALL, "plugin_load_add")],
    redo: &[((0, 0, 0), Redo::FilesInGroup), ((10, 5, 0), Redo::OneFile)],
    innodb_io: &[
        ((0, 0), InnodbIo::FlushMethodUnnamed),
        ((10, 0), InnodbIo::FlushMethod),
        ((11, 0), InnodbIo::DataFileBuffering),
    ],
    pool_chunks: Some(Releases::between((10, 2), (10, 11))),
    pool_instances: Some(Releases::before(10, 5)),
    changes: &[CHANGES],
};

const OWN: &[OwnRow] = &[
    OwnRow::of(Releases::from(10, 0), "innodb_buffer_pool_dump_at_shutdown", Some("OFF"), DUMP_OFF),
    OwnRow::of(Releases::from(10, 0), "innodb_buffer_pool_load_at_startup", Some("OFF"), DUMP_OFF),
    OwnRow::of(Releases::from(10, 0), "innodb_stats_auto_recalc", Some("OFF"), STATS_FROZEN),
    OwnRow::of(Releases::before(10, 0), "innodb_file_per_table", Some("ON"), FILE_PER_TABLE),
    OwnRow::always("query_cache_type", Some("OFF"), NO_QUERY_CACHE),
    OwnRow::always("query_cache_size", Some("0"), NO_QUERY_CACHE),
    OwnRow::of(
        Releases::from(11, 6),
        "innodb_snapshot_isolation",
        Some("OFF"),
        "REPEATABLE READ as every other release has it; with it on, writes fail with 1020",
    ),
];

const CHANGES: &[Change] = &[
    Change {
        releases: Releases::from(10, 5),
        name: "innodb_buffer_pool_instances",
        became: Became::Ignored("MariaDB has one buffer pool from 10.5 on"),
    },
    Change {
        releases: Releases::from(10, 5),
        name: "innodb_log_files_in_group",
        became: Became::Ignored("MariaDB has one redo log file from 10.5 on; use `redo SIZE`"),
    },
    Change {
        releases: Releases::from(10, 5),
        name: "innodb_page_cleaners",
        became: Became::Ignored("MariaDB has one page cleaner from 10.5 on"),
    },
    Change {
        releases: Releases::from(10, 6),
        name: "innodb_thread_concurrency",
        became: Became::Ignored("removed in MariaDB 10.6"),
    },
    Change {
        releases: Releases::from(10, 6),
        name: "innodb_commit_concurrency",
        became: Became::Ignored("removed in MariaDB 10.6"),
    },
    Change {
        releases: Releases::from(10, 6),
        name: "innodb_concurrency_tickets",
        became: Became::Ignored("removed in MariaDB 10.6"),
    },
    Change {
        releases: Releases::from(11, 0),
        name: "innodb_change_buffering",
        became: Became::Ignored("MariaDB has no change buffer from 11.0 on"),
    },
    Change {
        releases: Releases::from(11, 0),
        name: "innodb_change_buffer_max_size",
        became: Became::Harmless("MariaDB has no change buffer from 11.0 on"),
    },
    Change {
        releases: Releases::ALL,
        name: "innodb_redo_log_capacity",
        became: Became::Refused("MySQL's option; `redo SIZE` means the same on every server"),
    },
    Change {
        releases: Releases::ALL,
        name: "gtid_mode",
        became: Became::Refused("MySQL's option; MariaDB has its own kind of GTID, always on"),
    },
    Change {
        releases: Releases::ALL,
        name: "enforce_gtid_consistency",
        became: Became::Refused("MySQL's option; MariaDB has its own kind of GTID, always on"),
    },
    Change {
        releases: Releases::ALL,
        name: "mysqlx",
        became: Became::Harmless("MariaDB has no X protocol"),
    },
    Change {
        releases: Releases::ALL,
        name: "innodb_dedicated_server",
        became: Became::Refused("MySQL's option; state `cache` and `redo` instead"),
    },
    Change {
        releases: Releases::from(10, 0),
        name: "innodb_additional_mem_pool_size",
        became: Became::Harmless("removed; InnoDB uses the allocator of the system"),
    },
    Change {
        releases: Releases::from(10, 3),
        name: "innodb_support_xa",
        became: Became::Harmless("removed; two-phase commit is always on"),
    },
    Change {
        releases: Releases::ALL,
        name: "tx_isolation",
        became: Became::Renamed("transaction_isolation"),
    },
    Change {
        releases: Releases::from(10, 0),
        name: "storage_engine",
        became: Became::Renamed("default_storage_engine"),
    },
];
