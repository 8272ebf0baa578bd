//! Percona Server 5.1 and later: MySQL with more in it.

use super::common;
use super::mysql;
use super::rows::{Became, Change, Family, OwnRow, Releases};

/// Percona Server.
pub(super) static PERCONA: Family = Family {
    name: "percona",
    title: "Percona Server",
    built_in: mysql::BUILT_IN,
    initialise: mysql::INITIALISE,
    own: &[common::OWN, mysql::OWN, OWN],
    plugin_option: mysql::PLUGIN_OPTION,
    redo: mysql::REDO,
    innodb_io: mysql::INNODB_IO,
    pool_chunks: mysql::POOL_CHUNKS,
    pool_instances: mysql::POOL_INSTANCES,
    changes: &[CHANGES, mysql::CHANGES],
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

const CHANGES: &[Change] = &[
    Change {
        releases: Releases::from(5, 6),
        name: "innodb_adaptive_flushing_method",
        became: Became::Refused("an option of 5.1 and 5.5; later releases flush by one method"),
    },
    Change {
        releases: Releases::from(5, 6),
        name: "innodb_read_ahead",
        became: Became::Refused("an option of 5.1 and 5.5; use innodb_read_ahead_threshold"),
    },
    Change {
        releases: Releases::from(5, 6),
        name: "innodb_flush_neighbor_pages",
        became: Became::Renamed("innodb_flush_neighbors"),
    },
    Change {
        releases: Releases::from(5, 6),
        name: "innodb_lazy_drop_table",
        became: Became::Harmless("tables are always dropped lazily from 5.6 on"),
    },
];
