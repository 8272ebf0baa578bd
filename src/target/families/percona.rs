//! Percona Server 5.1 and later: MySQL with more in it.

use super::common;
use super::level;
use super::mysql;
use super::mysql_changes;
use super::rows::{Change, Family, OwnRow, Releases};

/// Percona Server.
pub(super) static PERCONA: Family = Family {
    name: "percona",
    title: "Percona Server",
    built_in: mysql::BUILT_IN,
    initialise: mysql::INITIALISE,
    own: &[common::OWN, mysql::OWN, OWN],
    stated: &[common::STATED, mysql::STATED],
    level: &[level::COMMON, level::MYSQL, level::PERCONA],
    plugin_option: mysql::PLUGIN_OPTION,
    redo: mysql::REDO,
    innodb_io: mysql::INNODB_IO,
    pool_chunks: mysql::POOL_CHUNKS,
    pool_instances: mysql::POOL_INSTANCES,
    changes: &[CHANGES, mysql_changes::CHANGES],
};

const OWN: &[OwnRow] = &[
    OwnRow::of(
        Releases::before(5, 6),
        "innodb_buffer_pool_restore_at_startup",
        Some("0"),
        common::DUMP_OFF,
    ),
    OwnRow::of(Releases::before(5, 6), "innodb_stats_auto_update", Some("0"), common::STATS_FROZEN),
];

/// Those that Percona's builds have beyond MySQL's.
const CHANGES: &[Change] = &[
    Change::had(Releases::before(5, 8), "innodb_log_block_size"),
    Change::had(Releases::before(5, 6), "innodb_fast_checksum"),
    Change::had(Releases::before(5, 6), "innodb_flush_neighbor_pages"),
    Change::had(Releases::before(5, 6), "innodb_adaptive_flushing_method"),
    Change::had(Releases::before(5, 6), "innodb_ibuf_active_contract"),
    Change::had(Releases::before(5, 6), "innodb_read_ahead"),
    Change::had(Releases::before(5, 6), "innodb_extra_rsegments"),
    Change::had(Releases::before(5, 6), "innodb_overwrite_relay_log_info"),
    Change::had(Releases::before(5, 6), "innodb_lazy_drop_table"),
    Change::left_out(
        Releases::from(5, 6),
        "innodb_lazy_drop_table",
        "tables are always dropped lazily from 5.6 on",
    ),
    Change::had(Releases::between((5, 5), (5, 8)), "innodb_buffer_pool_populate"),
    Change::had(Releases::between((5, 5), (5, 8)), "innodb_kill_idle_transaction"),
    Change::had(Releases::from(5, 7), "innodb_print_lock_wait_timeout_info"),
    Change::had(Releases::from(5, 5), "thread_pool_size"),
    Change::had(Releases::from(5, 5), "userstat"),
];
