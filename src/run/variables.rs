//! Which variables of a running server go into the journal: those on which it depends whether two
//! sides are alike.

use crate::engine::EngineSpec;
use crate::host::process::allocator;
use crate::plan::Cell;
use crate::target::Running;
use crate::target::session::{Dialect, Session};
use std::collections::{BTreeMap, BTreeSet};

/// Variables that bear on every engine.
const GENERAL: &[&str] = &[
    "autocommit",
    "binlog_format",
    "binlog_row_image",
    "character_set_server",
    "collation_server",
    "default_storage_engine",
    "flush_time",
    "have_ssl",
    "innodb_buffer_pool_instances",
    "innodb_checksum_algorithm",
    "innodb_compression_algorithm",
    "innodb_data_file_buffering",
    "innodb_deadlock_detect",
    "innodb_doublewrite",
    "innodb_flush_log_at_timeout",
    "innodb_flush_method",
    "innodb_io_capacity",
    "innodb_io_capacity_max",
    "innodb_log_file_size",
    "innodb_log_files_in_group",
    "innodb_page_size",
    "innodb_redo_log_capacity",
    "innodb_rollback_on_timeout",
    "innodb_snapshot_isolation",
    "innodb_version",
    "log_bin",
    "max_connections",
    "performance_schema",
    "query_cache_size",
    "query_cache_type",
    "rocksdb_checksums_pct",
    "rocksdb_default_cf_options",
    "rocksdb_write_policy",
    "skip_log_bin",
    "sql_mode",
    "sync_binlog",
    "table_open_cache",
    "thread_handling",
    "tokudb_directio",
    "transaction_isolation",
    "tx_isolation",
    "version_malloc_library",
];

/// Of `all` variables of a server, those that bear on this cell.
pub(super) fn of_cell(all: &BTreeMap<String, String>, cell: &Cell) -> BTreeMap<String, String> {
    let mut wanted = names(cell.spec);
    wanted.extend(cell.options.iter().map(|option| option.line.name.to_lowercase()));
    wanted.extend(cell.set_global.iter().map(|line| line.name.to_lowercase()));
    pick(all, &wanted)
}

/// Of `all` variables of a server, those that bear on every cell with one of these engines.
pub(super) fn of_server(
    all: &BTreeMap<String, String>,
    engines: &[&EngineSpec],
) -> BTreeMap<String, String> {
    let wanted = engines.iter().flat_map(|spec| names(spec)).collect();
    pick(all, &wanted)
}

/// What no variable tells: the encryption of a connection (`connection.tls`: a cipher, or `off`), and
/// the memory allocator of the server's process (`process.allocator`).
pub(super) fn seen(running: &dyn Running, control: &mut dyn Session) -> BTreeMap<String, String> {
    let mut seen = BTreeMap::new();
    if let Some(allocator) = running.processes().first().and_then(|&process| allocator(process)) {
        seen.insert("process.allocator".to_string(), allocator);
    }
    if control.dialect() == Dialect::MySql {
        let mut cipher = None;
        // A server that does not tell leaves the line of the ledger empty.
        let _ = control.text_visit("SHOW SESSION STATUS LIKE 'Ssl_cipher'", &mut |row| {
            cipher = row.text(1).map(|text| String::from_utf8_lossy(&text).into_owned());
            false
        });
        if let Some(cipher) = cipher {
            let said = if cipher.is_empty() { "off".to_string() } else { cipher };
            seen.insert("connection.tls".to_string(), said);
        }
    }
    seen
}

fn names(spec: &EngineSpec) -> BTreeSet<String> {
    let pairs = [spec.direct_io, spec.buffered_io, spec.durable_on_commit, spec.deadlock_detection];
    let of_engine = pairs.into_iter().flatten().map(|(name, _)| *name);
    GENERAL
        .iter()
        .copied()
        .chain(of_engine)
        .chain(spec.cache_option)
        .chain(spec.lock_wait.map(|(name, _)| name))
        .map(str::to_string)
        .collect()
}

fn pick(all: &BTreeMap<String, String>, wanted: &BTreeSet<String>) -> BTreeMap<String, String> {
    wanted.iter().filter_map(|name| Some((name.clone(), all.get(name)?.clone()))).collect()
}
