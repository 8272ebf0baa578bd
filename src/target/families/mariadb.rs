//! MariaDB 5.5 and later.

use super::common::{
    self, DUMP_OFF, FILE_PER_TABLE, NO_QUERY_CACHE, STATS_FROZEN, optional, script,
};
use super::level;
use super::mariadb_changes;
use super::rows::{Family, Initialise, InnodbIo, OwnRow, Redo, Releases};

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
    initialise: &[
        (Releases::before(10, 1), bootstrap(&[])),
        (Releases::ALL, bootstrap(&["--enforce-storage-engine="])),
    ],
    own: &[common::OWN, OWN],
    stated: &[common::STATED, STATED],
    level: &[level::COMMON, level::MARIADB],
    plugin_option: &[(Releases::before(10, 0), "plugin_load"), (Releases::ALL, "plugin_load_add")],
    redo: &[((0, 0, 0), Redo::FilesInGroup), ((10, 5, 0), Redo::OneFile)],
    innodb_io: &[
        ((0, 0), InnodbIo::FlushMethodUnnamed),
        ((10, 0), InnodbIo::FlushMethod),
        ((11, 0), InnodbIo::DataFileBuffering),
    ],
    pool_chunks: Some(Releases::between((10, 2), (10, 11))),
    pool_instances: Some(Releases::before(10, 5)),
    changes: &[mariadb_changes::CHANGES],
};

const OWN: &[OwnRow] = &[
    OwnRow::of(Releases::from(10, 0), "innodb_buffer_pool_dump_at_shutdown", Some("OFF"), DUMP_OFF),
    OwnRow::of(Releases::from(10, 0), "innodb_buffer_pool_load_at_startup", Some("OFF"), DUMP_OFF),
    OwnRow::of(Releases::from(10, 0), "innodb_stats_auto_recalc", Some("OFF"), STATS_FROZEN),
    OwnRow::of(Releases::before(10, 0), "innodb_file_per_table", Some("ON"), FILE_PER_TABLE),
    OwnRow::always("query_cache_type", Some("OFF"), NO_QUERY_CACHE),
    OwnRow::always("query_cache_size", Some("0"), NO_QUERY_CACHE),
];

const SCRIPTS: &[super::rows::Script] = &[
    script(&["mariadb_system_tables.sql", "mysql_system_tables.sql"]),
    optional(&["mariadb_performance_tables.sql", "mysql_performance_tables.sql"]),
    script(&["mariadb_system_tables_data.sql", "mysql_system_tables_data.sql"]),
    script(&["fill_help_tables.sql"]),
    optional(&["maria_add_gis_sp_bootstrap.sql"]),
    optional(&["mariadb_sys_schema.sql", "mysql_sys_schema.sql"]),
];

/// What `mariadb-install-db` feeds to the server.
const fn bootstrap(arguments: &'static [&'static str]) -> Initialise {
    Initialise::Bootstrap {
        arguments,
        // Root without a password, by password alone: the socket check would tie it to the user
        // that initialises.
        first: "CREATE DATABASE IF NOT EXISTS mysql;\nUSE mysql;\nSET @auth_root_socket=NULL;\n",
        scripts: SCRIPTS,
        last: "",
    }
}

const STATED: &[OwnRow] = &[OwnRow::of(
    Releases::from(11, 6),
    "innodb_snapshot_isolation",
    Some("OFF"),
    "REPEATABLE READ as every other release has it; with it on, writes fail with 1020",
)];
