//! What options move: the data directory, the data in it, or the running server alone.

/// What an option moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OptionScope {
    /// Fixed when the data directory is made (page size, undo tablespaces).
    Init,
    /// Changes the bytes of loaded data (compression, column families, checksums).
    Data,
    /// The running server alone.
    Run,
}

/// Options that are fixed when a data directory is made.
const INIT: &[&str] = &[
    "aria_block_size",
    "innodb_checksum_algorithm",
    "innodb_data_file_path",
    "innodb_data_home_dir",
    "innodb_page_size",
    "innodb_temp_data_file_path",
    "innodb_undo_directory",
    "innodb_undo_tablespaces",
    "lower_case_table_names",
    "rocksdb_datadir",
    "rocksdb_wal_dir",
    "tokudb_data_dir",
    "tokudb_dir_per_db",
    "tokudb_log_dir",
];

/// Options that change what a load leaves behind.
const DATA: &[&str] = &[
    "aria_page_checksum",
    "character_set_server",
    "collation_server",
    "innodb_compression_algorithm",
    "innodb_compression_default",
    "innodb_compression_failure_threshold_pct",
    "innodb_compression_level",
    "innodb_compression_pad_pct_max",
    "innodb_default_row_format",
    "innodb_encrypt_tables",
    "innodb_file_format",
    "innodb_file_per_table",
    "innodb_fill_factor",
    "innodb_large_prefix",
    "innodb_stats_persistent",
    "innodb_stats_persistent_sample_pages",
    "innodb_stats_sample_pages",
    "innodb_stats_transient_sample_pages",
    "myisam_block_size",
    "myisam_data_pointer_size",
    "rocksdb_block_restart_interval",
    "rocksdb_block_size",
    "rocksdb_block_size_deviation",
    "rocksdb_checksums_pct",
    "rocksdb_default_cf_options",
    "rocksdb_hash_index_allow_collision",
    "rocksdb_index_type",
    "rocksdb_override_cf_options",
    "rocksdb_store_row_debug_checksums",
    "rocksdb_table_stats_sampling_pct",
    "tokudb_block_size",
    "tokudb_fanout",
    "tokudb_read_block_size",
    "tokudb_row_format",
];

/// What an option moves. Options that are not listed as init or data are of scope run.
pub fn option_scope(name: &str) -> OptionScope {
    let name = name.to_ascii_lowercase().replace('-', "_");
    let name = name.strip_prefix("loose_").unwrap_or(&name);
    if INIT.contains(&name) {
        OptionScope::Init
    } else if DATA.contains(&name) {
        OptionScope::Data
    } else {
        OptionScope::Run
    }
}

/// What an option moves on servers of this release, the portable `redo` among them. Before 5.6 a
/// server does not start on log files of another size than it is told, so that these are fixed
/// with the data directory.
pub fn option_scope_of(release: (u32, u32), name: &str) -> OptionScope {
    let log_files = ["redo", "innodb_log_file_size", "innodb_log_files_in_group"];
    if release < (5, 6) && log_files.contains(&name.to_ascii_lowercase().replace('-', "_").as_str())
    {
        OptionScope::Init
    } else {
        option_scope(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_files_are_made_with_the_data_directory_where_they_cannot_change() {
        for name in ["redo", "innodb-log-file-size", "innodb_log_files_in_group"] {
            assert_eq!(option_scope_of((5, 5), name), OptionScope::Init);
            assert_eq!(option_scope_of((5, 6), name), OptionScope::Run);
            assert_eq!(option_scope_of((10, 11), name), OptionScope::Run);
        }
        assert_eq!(option_scope_of((5, 5), "sync_binlog"), OptionScope::Run);
        assert_eq!(option_scope_of((5, 5), "innodb_file_format"), OptionScope::Data);
    }

    #[test]
    fn spellings_of_one_option_have_one_scope() {
        assert_eq!(option_scope("innodb_page_size"), OptionScope::Init);
        assert_eq!(option_scope("innodb-page-size"), OptionScope::Init);
        assert_eq!(option_scope("loose_rocksdb_default_cf_options"), OptionScope::Data);
        assert_eq!(option_scope("innodb_buffer_pool_size"), OptionScope::Run);
        assert_eq!(option_scope("sync_binlog"), OptionScope::Run);
    }
}
