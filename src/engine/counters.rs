//! Where servers tell what is sampled: by signal, the places of all releases in order of
//! preference. The first place that a running server has is the one that is read.

use crate::model::Signal;

/// A signal with the places that it can be read from.
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    /// What it is.
    pub signal: Signal,
    /// Where releases have it, the best first.
    pub sources: &'static [Source],
}

/// A place in a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A status variable that is a number.
    Status(&'static str),
    /// The sum of status variables; a release may lack any but the first.
    Sum(&'static [&'static str]),
    /// The first status variable less the second.
    Difference(&'static str, &'static str),
    /// 1 while the values of two status variables differ, 0 while they are equal.
    Differ(&'static str, &'static str),
    /// The digits at the end of a status variable: 12 of `bin.000012`.
    FileNumber(&'static str),
    /// The first column of the first row of a query; digits at its end where it is a name.
    Query(&'static str),
    /// In the text of `SHOW ENGINE .. STATUS`: the number after the first words less that after the
    /// second.
    ReportDifference {
        /// The engine.
        engine: &'static str,
        /// What stands before the larger number.
        from: &'static str,
        /// What stands before the smaller number.
        less: &'static str,
    },
    /// So many hundredths of the product of global variables.
    Variables {
        /// Their names.
        product: &'static [&'static str],
        /// Hundredths of it.
        percent: u64,
    },
}

const fn at(signal: Signal, sources: &'static [Source]) -> Counter {
    Counter { signal, sources }
}

/// Of every server, whatever the engine.
pub static SERVER: &[Counter] = &[
    at(Signal::RowsChanged, &[Source::Sum(&["Handler_write", "Handler_update", "Handler_delete"])]),
    at(
        Signal::RowsRead,
        &[Source::Sum(&[
            "Handler_read_key",
            "Handler_read_first",
            "Handler_read_last",
            "Handler_read_next",
            "Handler_read_prev",
            "Handler_read_rnd",
            "Handler_read_rnd_next",
        ])],
    ),
    at(Signal::Reprepared, &[Source::Status("Com_stmt_reprepare")]),
    at(Signal::BinlogGroupCommits, &[Source::Status("Binlog_group_commits")]),
    at(Signal::BinlogWritten, &[Source::Status("Binlog_bytes_written")]),
    at(
        Signal::BinlogFile,
        &[
            Source::FileNumber("Binlog_snapshot_file"),
            Source::Query("SHOW BINARY LOG STATUS"),
            Source::Query("SHOW MASTER STATUS"),
        ],
    ),
];

/// InnoDB: MariaDB and Percona Server have the age in status variables, MySQL 8.0.30 and later
/// positions in the log, older ones only the text of SHOW ENGINE INNODB STATUS.
pub static INNODB: &[Counter] = &[
    at(
        Signal::RedoAge,
        &[
            Source::Status("Innodb_checkpoint_age"),
            Source::Difference("Innodb_redo_log_current_lsn", "Innodb_redo_log_checkpoint_lsn"),
            Source::Difference("Innodb_lsn_current", "Innodb_lsn_last_checkpoint"),
            Source::ReportDifference {
                engine: "INNODB",
                from: "Log sequence number",
                less: "Last checkpoint at",
            },
        ],
    ),
    at(
        Signal::RedoCapacity,
        &[
            Source::Status("Innodb_checkpoint_max_age"),
            Source::Status("Innodb_redo_log_capacity_resized"),
            // Writers wait at nine tenths of nine tenths of the files (log_calc_max_ages in 5.6).
            Source::Variables {
                product: &["innodb_log_file_size", "innodb_log_files_in_group"],
                percent: 81,
            },
        ],
    ),
    at(Signal::DirtyPages, &[Source::Status("Innodb_buffer_pool_pages_dirty")]),
    at(Signal::CachePages, &[Source::Status("Innodb_buffer_pool_pages_total")]),
    at(Signal::PagesFlushed, &[Source::Status("Innodb_buffer_pool_pages_flushed")]),
    at(Signal::LogWaits, &[Source::Status("Innodb_log_waits")]),
    at(Signal::FreePageWaits, &[Source::Status("Innodb_buffer_pool_wait_free")]),
    at(Signal::CacheMisses, &[Source::Status("Innodb_buffer_pool_reads")]),
    at(Signal::LogWritten, &[Source::Status("Innodb_os_log_written")]),
    // Those of the log are among them.
    at(Signal::Fsyncs, &[Source::Status("Innodb_data_fsyncs")]),
    at(
        Signal::HistoryLength,
        &[
            Source::Status("Innodb_history_list_length"),
            Source::Query(
                "SELECT `COUNT` FROM information_schema.INNODB_METRICS \
                 WHERE NAME = 'trx_rseg_history_len'",
            ),
        ],
    ),
    at(Signal::RowLockWaits, &[Source::Status("Innodb_row_lock_waits")]),
];

/// MyRocks. No release tells the bytes that wait for compaction; whether a column family waits is
/// in ROCKSDB_CFSTATS.
pub static ROCKSDB: &[Counter] = &[
    at(Signal::CacheMisses, &[Source::Status("Rocksdb_block_cache_miss")]),
    at(Signal::LogWritten, &[Source::Status("Rocksdb_wal_bytes")]),
    at(Signal::Fsyncs, &[Source::Status("Rocksdb_wal_synced")]),
    at(Signal::Memtables, &[Source::Status("Rocksdb_memtable_total")]),
    at(Signal::WriteStall, &[Source::Status("Rocksdb_stall_micros")]),
    at(Signal::WriteStops, &[Source::Status("Rocksdb_stall_total_stops")]),
    at(Signal::WriteSlowdowns, &[Source::Status("Rocksdb_stall_total_slowdowns")]),
    at(Signal::CompactionWritten, &[Source::Status("Rocksdb_compact_write_bytes")]),
    at(Signal::MemtablesWritten, &[Source::Status("Rocksdb_flush_write_bytes")]),
    at(
        Signal::CompactionsPending,
        &[Source::Query(
            "SELECT SUM(VALUE) FROM information_schema.ROCKSDB_CFSTATS \
             WHERE STAT_TYPE = 'COMPACTION_PENDING'",
        )],
    ),
    at(
        Signal::LevelZeroFiles,
        &[Source::Query(
            "SELECT SUM(VALUE) FROM information_schema.ROCKSDB_COMPACTION_STATS \
             WHERE LEVEL = 'L0' AND TYPE = 'NumFiles'",
        )],
    ),
    at(Signal::RowLockWaits, &[Source::Status("Rocksdb_row_lock_wait_timeouts")]),
];

/// TokuDB.
pub static TOKUDB: &[Counter] = &[
    at(Signal::Checkpoints, &[Source::Status("Tokudb_CHECKPOINT_TAKEN")]),
    at(
        Signal::CheckpointRuns,
        &[Source::Differ("Tokudb_CHECKPOINT_LAST_BEGAN", "Tokudb_CHECKPOINT_LAST_COMPLETE_BEGAN")],
    ),
    at(Signal::Evictions, &[Source::Status("Tokudb_CACHETABLE_EVICTIONS")]),
    at(Signal::CacheMisses, &[Source::Status("Tokudb_CACHETABLE_MISS")]),
    at(Signal::CacheUsed, &[Source::Status("Tokudb_CACHETABLE_SIZE_CURRENT")]),
    at(Signal::CacheLimit, &[Source::Status("Tokudb_CACHETABLE_SIZE_LIMIT")]),
    at(Signal::Fsyncs, &[Source::Status("Tokudb_FILESYSTEM_FSYNC_NUM")]),
    at(Signal::FsyncTime, &[Source::Status("Tokudb_FILESYSTEM_FSYNC_TIME")]),
    at(Signal::LogWritten, &[Source::Status("Tokudb_LOGGER_WRITES_BYTES")]),
];

/// Aria.
pub static ARIA: &[Counter] = &[
    at(Signal::CacheMisses, &[Source::Status("Aria_pagecache_reads")]),
    at(Signal::PagesFlushed, &[Source::Status("Aria_pagecache_writes")]),
    at(Signal::Fsyncs, &[Source::Status("Aria_transaction_log_syncs")]),
];

/// MyISAM.
pub static MYISAM: &[Counter] = &[
    at(Signal::CacheMisses, &[Source::Status("Key_reads")]),
    at(Signal::PagesFlushed, &[Source::Status("Key_writes")]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_engine_tells_a_signal_once() {
        for list in [SERVER, INNODB, ROCKSDB, TOKUDB, ARIA, MYISAM] {
            for (index, counter) in list.iter().enumerate() {
                assert!(!counter.sources.is_empty(), "{:?}", counter.signal);
                assert!(list[..index].iter().all(|other| other.signal != counter.signal));
            }
        }
    }
}
