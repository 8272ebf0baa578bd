//! What became of options in MySQL and in its builds by others.

use super::rows::{Change, Releases};

/// By name and release; of several that hold, the first.
pub(super) const CHANGES: &[Change] = &[
    // Redo log.
    Change::refused(
        Releases::from(8, 4),
        "innodb_log_file_size",
        "8.0.30 and later size the redo log as a whole: `redo SIZE`",
    ),
    Change::refused(
        Releases::from(8, 4),
        "innodb_log_files_in_group",
        "8.0.30 and later size the redo log as a whole: `redo SIZE`",
    ),
    Change::refused(
        Releases::before(8, 0),
        "innodb_redo_log_capacity",
        "it came with 8.0.30; `redo SIZE` means the same on every server",
    ),
    Change::refused(
        Releases::ALL,
        "innodb_log_block_size",
        "an option of Percona Server 5.1 to 5.7 and MariaDB 5.5 to 10.1",
    ),
    Change::left_out(
        Releases::from(5, 7),
        "innodb_mirrored_log_groups",
        "there is one group of redo logs, as always",
    ),
    Change::refused(Releases::before(5, 7), "innodb_log_write_ahead_size", "it came with 5.7.4"),
    Change::left_out(
        Releases::before(8, 0),
        "innodb_log_writer_threads",
        "it has no writer threads of the redo log, which came with 8.0.22",
    ),
    Change::left_out(
        Releases::before(5, 7),
        "innodb_log_checksums",
        "blocks of the redo log always have checksums before 5.7.9",
    ),
    Change::refused(Releases::ALL, "innodb_log_file_buffering", "MariaDB's option"),
    Change::left_out(
        Releases::ALL,
        "innodb_log_file_mmap",
        "MariaDB's option; no redo log is mapped here",
    ),
    // Memory.
    Change::left_out(
        Releases::before(5, 7),
        "innodb_buffer_pool_chunk_size",
        "the pool is not made of chunks before 5.7.5",
    ),
    Change::left_out(
        Releases::ALL,
        "innodb_buffer_pool_size_max",
        "MariaDB's option; the pool keeps its size",
    ),
    Change::refused(
        Releases::before(8, 0),
        "innodb_dedicated_server",
        "it came with 8.0.3; state `cache` and `redo`",
    ),
    Change::left_out(
        Releases::from(5, 7),
        "innodb_additional_mem_pool_size",
        "removed; InnoDB uses the allocator of the system",
    ),
    Change::left_out(
        Releases::from(5, 7),
        "innodb_use_sys_malloc",
        "removed; InnoDB uses the allocator of the system",
    ),
    Change::refused(
        Releases::before(5, 5),
        "innodb_buffer_pool_instances",
        "there is one buffer pool before 5.5",
    ),
    Change::refused(
        Releases::ALL,
        "innodb_buffer_pool_populate",
        "an option of Percona Server 5.5 to 5.7 and MariaDB 5.5 to 10.1",
    ),
    Change::refused(
        Releases::before(5, 7),
        "innodb_numa_interleave",
        "it came with 5.6.27 and 5.7.9",
    ),
    Change::refused(
        Releases::ALL,
        "malloc_lib",
        "an option of mysqld_safe: start enginecmp with LD_PRELOAD",
    ),
    // Query cache.
    Change::left_out(
        Releases::from(8, 0),
        "query_cache_type",
        "MySQL has no query cache from 8.0 on",
    ),
    Change::left_out(
        Releases::from(8, 0),
        "query_cache_size",
        "MySQL has no query cache from 8.0 on",
    ),
    Change::left_out(
        Releases::from(8, 0),
        "query_cache_limit",
        "MySQL has no query cache from 8.0 on",
    ),
    Change::left_out(
        Releases::from(8, 0),
        "query_cache_min_res_unit",
        "MySQL has no query cache from 8.0 on",
    ),
    Change::left_out(
        Releases::from(8, 0),
        "query_cache_wlock_invalidate",
        "MySQL has no query cache from 8.0 on",
    ),
    // Files and pages.
    Change::left_out(
        Releases::from(8, 0),
        "innodb_file_format",
        "every table has the later file format from 8.0 on",
    ),
    Change::left_out(
        Releases::from(8, 0),
        "innodb_file_format_max",
        "every table has the later file format from 8.0 on",
    ),
    Change::left_out(
        Releases::from(8, 0),
        "innodb_file_format_check",
        "every table has the later file format from 8.0 on",
    ),
    Change::left_out(
        Releases::from(8, 0),
        "innodb_large_prefix",
        "long index prefixes are always allowed from 8.0 on",
    ),
    Change::refused(
        Releases::from(8, 0),
        "innodb_checksums",
        "removed in 8.0: innodb_checksum_algorithm",
    ),
    Change::refused(
        Releases::ALL,
        "innodb_fast_checksum",
        "an option of Percona Server 5.1 and 5.5: innodb_checksum_algorithm",
    ),
    Change::left_out(
        Releases::before(8, 0),
        "innodb_doublewrite_pages",
        "the doublewrite buffer lies in the system tablespace before 8.0.20",
    ),
    Change::left_out(
        Releases::before(8, 0),
        "innodb_doublewrite_files",
        "the doublewrite buffer lies in the system tablespace before 8.0.20",
    ),
    Change::refused(
        Releases::before(8, 0),
        "innodb_use_fdatasync",
        "it came with 8.0.26; before that InnoDB calls fsync",
    ),
    Change::refused(
        Releases::ALL,
        "innodb_data_file_buffering",
        "MariaDB's option; `io direct` or `io buffered` works everywhere",
    ),
    Change::refused(
        Releases::before(5, 7),
        "innodb_default_row_format",
        "it came with 5.7.9; use `row_format` in the engine block",
    ),
    Change::left_out(Releases::from(8, 0), "sync_frm", "MySQL has no .frm files from 8.0 on"),
    // Undo, purge, statistics.
    Change::renamed(Releases::from(8, 0), "innodb_undo_logs", "innodb_rollback_segments"),
    Change::left_out(
        Releases::from(8, 0),
        "innodb_undo_tablespaces",
        "MySQL has two undo tablespaces from 8.0 on, more by SQL",
    ),
    Change::left_out(
        Releases::before(5, 7),
        "innodb_undo_log_truncate",
        "undo logs are never truncated before 5.7.5",
    ),
    Change::refused(
        Releases::ALL,
        "innodb_extra_rsegments",
        "an option of Percona Server 5.1: innodb_rollback_segments",
    ),
    Change::renamed(
        Releases::from(8, 0),
        "innodb_stats_sample_pages",
        "innodb_stats_transient_sample_pages",
    ),
    // Threads and flushing.
    Change::left_out(
        Releases::before(5, 7),
        "innodb_page_cleaners",
        "there is one page cleaner before 5.7.4",
    ),
    Change::left_out(
        Releases::before(5, 7),
        "innodb_flush_sync",
        "the rate at checkpoints is not to be chosen before 5.7.8",
    ),
    Change::refused(
        Releases::from(5, 7),
        "innodb_file_io_threads",
        "innodb_read_io_threads and innodb_write_io_threads took its place",
    ),
    Change::refused(
        Releases::before(5, 6),
        "innodb_flush_neighbor_pages",
        "an option of Percona Server 5.1 and 5.5",
    ),
    Change::renamed(Releases::from(5, 6), "innodb_flush_neighbor_pages", "innodb_flush_neighbors"),
    Change::refused(
        Releases::ALL,
        "innodb_adaptive_flushing_method",
        "an option of Percona Server 5.1 and 5.5; InnoDB flushes by one method",
    ),
    Change::refused(
        Releases::ALL,
        "innodb_ibuf_active_contract",
        "an option of Percona Server 5.1 and 5.5; innodb_change_buffering says what is buffered",
    ),
    Change::refused(
        Releases::ALL,
        "innodb_read_ahead",
        "an option of Percona Server 5.1 and 5.5: innodb_read_ahead_threshold",
    ),
    Change::left_out(
        Releases::before(8, 0),
        "innodb_parallel_read_threads",
        "an index is read by one thread before 8.0.14",
    ),
    Change::left_out(
        Releases::before(5, 7),
        "innodb_adaptive_hash_index_parts",
        "the adaptive hash index has one part before 5.7.8",
    ),
    Change::left_out(
        Releases::before(5, 7),
        "innodb_adaptive_hash_index_partitions",
        "the adaptive hash index has one part before 5.7.8",
    ),
    Change::renamed(
        Releases::from(5, 7),
        "innodb_adaptive_hash_index_partitions",
        "innodb_adaptive_hash_index_parts",
    ),
    Change::left_out(
        Releases::from(5, 7),
        "thread_concurrency",
        "it does nothing on Linux and is removed",
    ),
    Change::refused(
        Releases::ALL,
        "thread_pool_size",
        "its thread pool is no part of MySQL's community builds",
    ),
    // Locks and transactions.
    Change::left_out(
        Releases::from(8, 0),
        "innodb_support_xa",
        "removed; two-phase commit is always on",
    ),
    Change::refused(
        Releases::from(8, 0),
        "innodb_locks_unsafe_for_binlog",
        "removed in 8.0; `isolation read_committed` takes no gap locks",
    ),
    Change::left_out(
        Releases::before(5, 7),
        "innodb_deadlock_detect",
        "deadlocks are always detected before 5.7.15",
    ),
    Change::refused(Releases::ALL, "innodb_lock_schedule_algorithm", "MariaDB's option"),
    Change::refused(Releases::ALL, "innodb_snapshot_isolation", "MariaDB's option"),
    Change::refused(
        Releases::ALL,
        "innodb_kill_idle_transaction",
        "an option of Percona Server 5.5 to 5.7",
    ),
    Change::left_out(
        Releases::ALL,
        "innodb_print_lock_wait_timeout_info",
        "Percona Server's option; it writes to the error log alone",
    ),
    Change::left_out(
        Releases::ALL,
        "innodb_lazy_drop_table",
        "Percona Server's option; no table is dropped while it is measured",
    ),
    Change::renamed(Releases::ALL, "tx_isolation", "transaction_isolation"),
    // Binary log and replication.
    Change::refused(Releases::from(8, 4), "expire_logs_days", "use binlog_expire_logs_seconds"),
    Change::refused(
        Releases::before(8, 0),
        "binlog_expire_logs_seconds",
        "it came with 8.0.1; use expire_logs_days",
    ),
    Change::renamed(Releases::before(8, 0), "replica_parallel_workers", "slave_parallel_workers"),
    Change::renamed(Releases::before(8, 0), "log_replica_updates", "log_slave_updates"),
    Change::left_out(Releases::from(8, 4), "master_info_repository", "always tables from 8.3 on"),
    Change::left_out(
        Releases::from(8, 4),
        "relay_log_info_repository",
        "always tables from 8.3 on",
    ),
    Change::left_out(
        Releases::before(5, 7),
        "binlog_transaction_dependency_tracking",
        "it came with 5.7; a replica alone looks at it",
    ),
    Change::left_out(
        Releases::before(5, 7),
        "transaction_write_set_extraction",
        "it came with 5.7; a replica alone looks at it",
    ),
    Change::left_out(
        Releases::from(8, 4),
        "binlog_transaction_dependency_tracking",
        "always by write sets from 8.4 on",
    ),
    Change::left_out(
        Releases::from(8, 4),
        "transaction_write_set_extraction",
        "always by write sets from 8.4 on",
    ),
    Change::refused(Releases::before(5, 7), "binlog_group_commit_sync_delay", "it came with 5.7.5"),
    Change::refused(
        Releases::ALL,
        "binlog_commit_wait_count",
        "MariaDB's option; MySQL has binlog_group_commit_sync_delay",
    ),
    Change::left_out(
        Releases::ALL,
        "innodb_overwrite_relay_log_info",
        "Percona Server's option; a replica alone looks at it",
    ),
    Change::refused(
        Releases::ALL,
        "wsrep_on",
        "MySQL has no Galera: MariaDB or Percona XtraDB Cluster",
    ),
    // Logs, accounts, clients and the rest.
    Change::left_out(Releases::from(8, 0), "log_warnings", "log_error_verbosity took its place"),
    Change::left_out(
        Releases::before(5, 7),
        "log_error_verbosity",
        "it came with 5.7.2 and shapes the error log alone",
    ),
    Change::left_out(
        Releases::before(5, 7),
        "log_timestamps",
        "it came with 5.7.2 and shapes the error log alone",
    ),
    Change::refused(
        Releases::from(5, 6),
        "log_slow_queries",
        "use slow_query_log and slow_query_log_file",
    ),
    Change::refused(
        Releases::from(8, 4),
        "default_authentication_plugin",
        "use authentication_policy",
    ),
    Change::refused(Releases::before(8, 0), "authentication_policy", "it came with 8.0.27"),
    Change::left_out(
        Releases::before(8, 4),
        "mysql_native_password",
        "this way to log in is always there before 8.4",
    ),
    Change::refused(Releases::from(9, 0), "mysql_native_password", "9.0 has no such way to log in"),
    Change::left_out(Releases::from(8, 0), "old_passwords", "old passwords are gone from 8.0 on"),
    Change::left_out(Releases::from(8, 0), "secure_auth", "old passwords are gone from 8.0 on"),
    Change::left_out(
        Releases::before(5, 7),
        "default_password_lifetime",
        "passwords do not expire before 5.7",
    ),
    Change::left_out(Releases::from(8, 4), "skip_host_cache", "clients come by the socket"),
    Change::refused(
        Releases::from(8, 4),
        "skip_character_set_client_handshake",
        "clients choose their character set",
    ),
    Change::refused(Releases::from(8, 4), "skip_ssl", "write `option tls_version = \"\"`"),
    Change::refused(Releases::from(8, 4), "ssl", "write `option tls_version = \"\"`"),
    Change::left_out(Releases::before(5, 7), "tls_version", "there is no TLS without certificates"),
    Change::renamed(Releases::from(5, 6), "table_cache", "table_open_cache"),
    Change::renamed(Releases::from(5, 7), "key_buffer", "key_buffer_size"),
    Change::renamed(Releases::from(5, 7), "sort_buffer", "sort_buffer_size"),
    Change::renamed(Releases::from(5, 7), "myisam_recover", "myisam_recover_options"),
    Change::left_out(
        Releases::from(8, 4),
        "myisam_repair_threads",
        "indexes of MyISAM are repaired by one thread",
    ),
    Change::renamed(Releases::from(5, 5), "storage_engine", "default_storage_engine"),
    Change::left_out(
        Releases::before(5, 7),
        "internal_tmp_disk_storage_engine",
        "temporary tables on disk are MyISAM before 5.7",
    ),
    Change::left_out(
        Releases::from(8, 0),
        "internal_tmp_disk_storage_engine",
        "temporary tables on disk are InnoDB from 8.0.16 on",
    ),
    Change::left_out(
        Releases::before(8, 0),
        "internal_tmp_mem_storage_engine",
        "temporary tables in memory are MEMORY before 8.0",
    ),
    Change::left_out(
        Releases::before(8, 0),
        "temptable_max_ram",
        "temporary tables in memory are MEMORY before 8.0",
    ),
    Change::left_out(
        Releases::from(8, 0),
        "metadata_locks_hash_instances",
        "metadata locks have no hash of their own any more",
    ),
    Change::left_out(
        Releases::from(8, 0),
        "metadata_locks_cache_size",
        "metadata locks have no hash of their own any more",
    ),
    Change::left_out(
        Releases::from(8, 0),
        "timed_mutexes",
        "the performance schema took its place",
    ),
    Change::left_out(Releases::before(5, 7), "show_compatibility_56", "it came with 5.7"),
    Change::left_out(Releases::from(8, 0), "show_compatibility_56", "it is gone with 8.0"),
    Change::refused(Releases::from(8, 0), "language", "use lc_messages and lc_messages_dir"),
    Change::refused(Releases::ALL, "userstat", "an option of Percona Server and MariaDB"),
    Change::left_out(Releases::before(8, 0), "mysqlx", "no X protocol unless its plugin is loaded"),
];
