//! What became of options in MariaDB.

use super::rows::{Change, Releases};

/// By name and release; of several that hold, the first.
pub(super) const CHANGES: &[Change] = &[
    // Redo log.
    Change::ignored(
        Releases::from(10, 5),
        "innodb_log_files_in_group",
        "MariaDB has one redo log file from 10.5 on; use `redo SIZE`",
    ),
    Change::refused(
        Releases::ALL,
        "innodb_redo_log_capacity",
        "MySQL's option; `redo SIZE` means the same on every server",
    ),
    Change::refused(
        Releases::from(10, 2),
        "innodb_log_block_size",
        "an option of releases before 10.2",
    ),
    Change::left_out(
        Releases::from(10, 2),
        "innodb_mirrored_log_groups",
        "there is one group of redo logs, as always",
    ),
    Change::refused(Releases::before(10, 2), "innodb_log_write_ahead_size", "it came with 10.2"),
    Change::left_out(
        Releases::ALL,
        "innodb_log_writer_threads",
        "MySQL's option; MariaDB has no writer threads of the redo log",
    ),
    Change::refused(Releases::before(10, 8), "innodb_log_file_buffering", "it came with 10.8.4"),
    Change::left_out(
        Releases::before(10, 8),
        "innodb_log_file_mmap",
        "the redo log is never mapped before 10.8",
    ),
    // Memory.
    Change::ignored(
        Releases::from(10, 5),
        "innodb_buffer_pool_instances",
        "MariaDB has one buffer pool from 10.5 on",
    ),
    Change::left_out(
        Releases::before(10, 11),
        "innodb_buffer_pool_size_max",
        "the pool keeps its size",
    ),
    Change::refused(
        Releases::ALL,
        "innodb_dedicated_server",
        "MySQL's option; state `cache` and `redo` instead",
    ),
    Change::left_out(
        Releases::from(10, 0),
        "innodb_additional_mem_pool_size",
        "removed; InnoDB uses the allocator of the system",
    ),
    Change::left_out(
        Releases::from(10, 2),
        "innodb_use_sys_malloc",
        "removed; InnoDB uses the allocator of the system",
    ),
    Change::refused(
        Releases::from(10, 2),
        "innodb_buffer_pool_populate",
        "an option of releases before 10.2",
    ),
    Change::refused(
        Releases::ALL,
        "malloc_lib",
        "an option of mysqld_safe: start enginecmp with LD_PRELOAD",
    ),
    // Files and pages.
    Change::left_out(
        Releases::from(10, 3),
        "innodb_file_format",
        "every table may have the later file format from 10.3 on",
    ),
    Change::left_out(
        Releases::from(10, 3),
        "innodb_file_format_max",
        "every table may have the later file format from 10.3 on",
    ),
    Change::left_out(
        Releases::from(10, 3),
        "innodb_file_format_check",
        "every table may have the later file format from 10.3 on",
    ),
    Change::left_out(
        Releases::from(10, 3),
        "innodb_large_prefix",
        "long index prefixes are always allowed from 10.3 on",
    ),
    Change::refused(
        Releases::from(10, 5),
        "innodb_checksums",
        "removed: innodb_checksum_algorithm",
    ),
    Change::refused(
        Releases::from(10, 0),
        "innodb_fast_checksum",
        "an option of MariaDB 5.5: innodb_checksum_algorithm",
    ),
    Change::left_out(
        Releases::ALL,
        "innodb_doublewrite_pages",
        "MySQL's option; the doublewrite buffer lies in the system tablespace",
    ),
    Change::left_out(
        Releases::ALL,
        "innodb_doublewrite_files",
        "MySQL's option; the doublewrite buffer lies in the system tablespace",
    ),
    Change::refused(
        Releases::ALL,
        "innodb_use_fdatasync",
        "MySQL's option; MariaDB chooses by itself",
    ),
    Change::refused(
        Releases::before(11, 0),
        "innodb_data_file_buffering",
        "it came with 11.0; `io direct` or `io buffered` works everywhere",
    ),
    Change::refused(
        Releases::before(10, 2),
        "innodb_default_row_format",
        "it came with 10.2.2; use `row_format` in the engine block",
    ),
    // Undo, change buffer.
    Change::renamed(Releases::from(10, 6), "innodb_undo_logs", "innodb_rollback_segments"),
    Change::refused(Releases::from(10, 0), "innodb_extra_rsegments", "an option of MariaDB 5.5"),
    Change::ignored(
        Releases::from(11, 0),
        "innodb_change_buffering",
        "MariaDB has no change buffer from 11.0 on",
    ),
    Change::left_out(
        Releases::from(11, 0),
        "innodb_change_buffer_max_size",
        "MariaDB has no change buffer from 11.0 on",
    ),
    // Threads and flushing.
    Change::ignored(
        Releases::from(10, 5),
        "innodb_page_cleaners",
        "MariaDB has one page cleaner from 10.5 on",
    ),
    Change::ignored(Releases::from(10, 6), "innodb_thread_concurrency", "removed in MariaDB 10.6"),
    Change::ignored(Releases::from(10, 6), "innodb_commit_concurrency", "removed in MariaDB 10.6"),
    Change::ignored(Releases::from(10, 6), "innodb_concurrency_tickets", "removed in MariaDB 10.6"),
    Change::refused(
        Releases::from(10, 0),
        "innodb_file_io_threads",
        "innodb_read_io_threads and innodb_write_io_threads took its place",
    ),
    Change::renamed(Releases::from(10, 0), "innodb_flush_neighbor_pages", "innodb_flush_neighbors"),
    Change::renamed(
        Releases::from(10, 2),
        "innodb_adaptive_hash_index_partitions",
        "innodb_adaptive_hash_index_parts",
    ),
    Change::refused(
        Releases::from(10, 0),
        "innodb_adaptive_flushing_method",
        "an option of MariaDB 5.5; InnoDB flushes by one method",
    ),
    Change::refused(
        Releases::from(10, 0),
        "innodb_ibuf_active_contract",
        "an option of MariaDB 5.5",
    ),
    Change::refused(
        Releases::from(10, 0),
        "innodb_read_ahead",
        "an option of MariaDB 5.5: innodb_read_ahead_threshold",
    ),
    Change::left_out(
        Releases::ALL,
        "innodb_parallel_read_threads",
        "MySQL's option; an index is read by one thread",
    ),
    // Locks and transactions.
    Change::left_out(
        Releases::from(10, 3),
        "innodb_support_xa",
        "removed; two-phase commit is always on",
    ),
    Change::refused(Releases::before(10, 6), "innodb_snapshot_isolation", "it came with 10.6.18"),
    Change::refused(
        Releases::from(10, 3),
        "innodb_kill_idle_transaction",
        "an option of releases before 10.3: idle_transaction_timeout",
    ),
    Change::left_out(
        Releases::ALL,
        "innodb_print_lock_wait_timeout_info",
        "Percona Server's option; it writes to the error log alone",
    ),
    Change::left_out(
        Releases::from(10, 0),
        "innodb_lazy_drop_table",
        "no table is dropped while it is measured",
    ),
    Change::renamed(Releases::ALL, "tx_isolation", "transaction_isolation"),
    // Binary log and replication.
    Change::refused(
        Releases::before(10, 6),
        "binlog_expire_logs_seconds",
        "it came with 10.6.1; use expire_logs_days",
    ),
    Change::renamed(Releases::ALL, "replica_parallel_workers", "slave_parallel_workers"),
    Change::renamed(Releases::ALL, "log_replica_updates", "log_slave_updates"),
    Change::left_out(
        Releases::ALL,
        "binlog_transaction_dependency_tracking",
        "MySQL's option; a replica alone looks at it",
    ),
    Change::left_out(
        Releases::ALL,
        "transaction_write_set_extraction",
        "MySQL's option; a replica alone looks at it",
    ),
    Change::refused(
        Releases::ALL,
        "gtid_mode",
        "MySQL's option; MariaDB has its own kind of GTID, always on",
    ),
    Change::refused(
        Releases::ALL,
        "enforce_gtid_consistency",
        "MySQL's option; MariaDB has its own kind of GTID, always on",
    ),
    Change::refused(
        Releases::ALL,
        "binlog_group_commit_sync_delay",
        "MySQL's option; MariaDB has binlog_commit_wait_usec",
    ),
    Change::left_out(
        Releases::from(10, 0),
        "innodb_overwrite_relay_log_info",
        "an option of MariaDB 5.5; a replica alone looks at it",
    ),
    // Logs, accounts, clients and the rest.
    Change::left_out(
        Releases::ALL,
        "log_error_verbosity",
        "MySQL's option; it shapes the error log alone",
    ),
    Change::left_out(
        Releases::ALL,
        "log_timestamps",
        "MySQL's option; it shapes the error log alone",
    ),
    Change::refused(
        Releases::from(10, 0),
        "log_slow_queries",
        "use slow_query_log and slow_query_log_file",
    ),
    Change::refused(Releases::ALL, "authentication_policy", "MySQL's option"),
    Change::left_out(
        Releases::ALL,
        "mysql_native_password",
        "MySQL's option; this way to log in is always there",
    ),
    Change::left_out(Releases::ALL, "skip_federated", "FEDERATED is a plugin that is not loaded"),
    Change::left_out(Releases::ALL, "mysqlx", "MariaDB has no X protocol"),
    Change::renamed(Releases::from(5, 5), "storage_engine", "default_storage_engine"),
    Change::left_out(
        Releases::ALL,
        "internal_tmp_disk_storage_engine",
        "MySQL's option; temporary tables are MEMORY, and Aria on disk",
    ),
    Change::left_out(
        Releases::ALL,
        "internal_tmp_mem_storage_engine",
        "MySQL's option; temporary tables are MEMORY, and Aria on disk",
    ),
    Change::left_out(
        Releases::ALL,
        "temptable_max_ram",
        "MySQL's option; temporary tables are MEMORY, and Aria on disk",
    ),
];
