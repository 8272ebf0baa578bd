//! The two ways in which the defaults of servers are taken, and one set of defaults for all.

use super::rows::{OwnRow, Releases};

/// With which defaults servers are compared: `defaults shipped|levelled`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defaults {
    /// Those that each release brings.
    Shipped,
    /// One set for all.
    Levelled,
}

impl Defaults {
    /// The word of the language.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shipped => "shipped",
            Self::Levelled => "levelled",
        }
    }

    /// The one of this name.
    pub fn find(word: &str) -> Option<Self> {
        [Self::Shipped, Self::Levelled].into_iter().find(|known| known.as_str() == word)
    }
}

const LEVEL: &str = "levelled: the default differs by release";
const INSTRUMENTS: &str = "levelled: instruments cost time, and some releases have them on";
const SYNCED: &str = "levelled: a binary log, where there is one, is as durable as the engine";
const NO_TLS: &str = "levelled: some releases encrypt by themselves, also on the socket";

/// Of every family: options of one name whose default moved, or that came late and are alike
/// since.
pub(super) const COMMON: &[OwnRow] = &[
    OwnRow::always("innodb_doublewrite", Some("ON"), LEVEL),
    OwnRow::always("innodb_adaptive_hash_index", Some("OFF"), LEVEL),
    OwnRow::always("innodb_autoinc_lock_mode", Some("2"), LEVEL),
    OwnRow::always("innodb_log_buffer_size", Some("16M"), LEVEL),
    OwnRow::always("innodb_max_dirty_pages_pct", Some("90"), LEVEL),
    OwnRow::of(Releases::from(5, 5), "innodb_io_capacity", Some("2000"), LEVEL),
    OwnRow::of(Releases::from(5, 5), "innodb_read_io_threads", Some("4"), LEVEL),
    OwnRow::of(Releases::from(5, 5), "innodb_write_io_threads", Some("4"), LEVEL),
    OwnRow::of(Releases::from(5, 6), "innodb_io_capacity_max", Some("4000"), LEVEL),
    OwnRow::of(Releases::from(5, 6), "innodb_flush_neighbors", Some("0"), LEVEL),
    OwnRow::of(Releases::from(5, 6), "innodb_lru_scan_depth", Some("1024"), LEVEL),
    OwnRow::of(Releases::from(5, 6), "innodb_max_dirty_pages_pct_lwm", Some("10"), LEVEL),
    OwnRow::of(Releases::from(5, 6), "innodb_purge_threads", Some("4"), LEVEL),
    OwnRow::of(Releases::from(5, 6), "innodb_stats_persistent", Some("ON"), LEVEL),
    OwnRow::of(Releases::from(5, 5), "performance_schema", Some("OFF"), INSTRUMENTS),
    OwnRow::of(Releases::from(5, 5), "binlog_format", Some("ROW"), LEVEL),
    OwnRow::always("sync_binlog", Some("1"), SYNCED),
    OwnRow::always("table_open_cache", Some("4000"), LEVEL),
    OwnRow::always("thread_cache_size", Some("128"), LEVEL),
    OwnRow::always("back_log", Some("512"), LEVEL),
    OwnRow::always("sort_buffer_size", Some("256K"), LEVEL),
];

/// Of MySQL and its builds.
pub(super) const MYSQL: &[OwnRow] = &[
    OwnRow::of(
        Releases::from(5, 5),
        "innodb_buffer_pool_instances",
        Some("1"),
        "levelled: MariaDB has one buffer pool, and so have small pools of later releases",
    ),
    OwnRow::of(Releases::between((5, 5), (8, 0)), "innodb_file_format", Some("Barracuda"), LEVEL),
    OwnRow::of(Releases::from(5, 5), "innodb_change_buffering", Some("none"), LEVEL),
    OwnRow::of(Releases::from(5, 6), "innodb_checksum_algorithm", Some("crc32"), LEVEL),
    OwnRow::of(Releases::from(5, 6), "table_open_cache_instances", Some("16"), LEVEL),
    OwnRow::of(Releases::from(5, 6), "eq_range_index_dive_limit", Some("200"), LEVEL),
    OwnRow::of(Releases::between((5, 7), (8, 4)), "skip_ssl", None, NO_TLS),
    OwnRow::of(Releases::from(8, 4), "tls_version", Some(""), NO_TLS),
    OwnRow::of(Releases::from(9, 0), "gtid_mode", Some("OFF"), LEVEL),
    OwnRow::of(Releases::from(9, 0), "enforce_gtid_consistency", Some("OFF"), LEVEL),
];

/// Of Percona's builds alone.
pub(super) const PERCONA: &[OwnRow] =
    &[OwnRow::of(Releases::before(5, 6), "innodb_flush_neighbor_pages", Some("0"), LEVEL)];

/// Of MariaDB, which chooses the instances of its table cache by itself, as far as open files go.
pub(super) const MARIADB: &[OwnRow] = &[
    OwnRow::of(Releases::before(10, 0), "innodb_flush_neighbor_pages", Some("none"), LEVEL),
    OwnRow::of(Releases::before(10, 5), "innodb_buffer_pool_instances", Some("1"), LEVEL),
    OwnRow::of(Releases::before(10, 3), "innodb_file_format", Some("Barracuda"), LEVEL),
    OwnRow::of(Releases::before(11, 0), "innodb_change_buffering", Some("none"), LEVEL),
    OwnRow::of(
        Releases::between((10, 0), (10, 5)),
        "innodb_checksum_algorithm",
        Some("crc32"),
        LEVEL,
    ),
    OwnRow::of(Releases::from(10, 5), "eq_range_index_dive_limit", Some("200"), LEVEL),
    OwnRow::of(Releases::from(11, 4), "skip_ssl", None, NO_TLS),
    OwnRow::of(
        Releases::from(10, 11),
        "loose_innodb_linux_aio",
        Some("aio"),
        "levelled: other releases issue their I/O by libaio, not by io_uring",
    ),
];
