//! The lines of the ledger: each property with what states it, and where its value is read.

use super::Facts;
use crate::compare::plans;
use crate::model::Metric;
use crate::model::units::human_bytes;

/// One line of the ledger.
pub(super) struct Property {
    pub(super) name: &'static str,
    /// Settings and options behind it: an axis that states one of them declares the property.
    pub(super) stated_as: &'static [&'static str],
    /// Whether an undeclared difference costs the delta.
    pub(super) gates: bool,
    pub(super) read: fn(&Facts) -> Option<String>,
}

pub(super) const PROPERTIES: &[Property] = &[
    Property {
        name: "transactions",
        stated_as: &[],
        gates: true,
        read: |facts| {
            // Of what another tool measured the engine is not known.
            let known = !facts.cell.storage.is_empty();
            known.then(|| if facts.cell.transactional { "yes" } else { "no" }.to_string())
        },
    },
    Property {
        name: "workload",
        stated_as: &["mode", "density", "distribution"],
        gates: true,
        read: |facts| Some(facts.cell.workload.clone()),
    },
    Property {
        name: "durability",
        stated_as: &[
            "innodb_flush_log_at_trx_commit",
            "rocksdb_flush_log_at_trx_commit",
            "tokudb_commit_sync",
            "tokudb_fsync_log_period",
            "durability",
        ],
        gates: true,
        read: durability,
    },
    Property {
        name: "binary log",
        stated_as: &["log_bin", "skip_log_bin", "sync_binlog", "binlog_format"],
        gates: true,
        read: binary_log,
    },
    Property {
        name: "isolation",
        stated_as: &[
            "isolation",
            "transaction_isolation",
            "tx_isolation",
            "innodb_snapshot_isolation",
        ],
        gates: true,
        read: isolation,
    },
    Property {
        name: "lock wait",
        stated_as: &[
            "innodb_lock_wait_timeout",
            "rocksdb_lock_wait_timeout",
            "tokudb_lock_timeout",
            "lock_wait",
        ],
        gates: true,
        read: lock_wait,
    },
    Property {
        name: "deadlock detection",
        stated_as: &["innodb_deadlock_detect", "rocksdb_deadlock_detect"],
        gates: true,
        read: deadlock_detection,
    },
    Property {
        name: "indexes",
        stated_as: &["schema", "strip", "keep", "indexes"],
        gates: true,
        read: |facts| facts.keys.as_ref().map(|keys| keys.indexes.len().to_string()),
    },
    Property {
        name: "foreign keys",
        stated_as: &["schema", "strip", "keep", "foreign_keys"],
        gates: true,
        read: |facts| facts.keys.as_ref().map(|keys| keys.foreign.len().to_string()),
    },
    Property {
        name: "charset",
        stated_as: &["schema", "charset", "collation", "character_set_server"],
        gates: true,
        read: |facts| {
            let charsets = &facts.keys.as_ref()?.charsets;
            Some(charsets.iter().cloned().collect::<Vec<_>>().join(", "))
        },
    },
    Property {
        name: "cache",
        stated_as: &["cache"],
        gates: true,
        read: |facts| facts.setting("cache"),
    },
    Property {
        name: "clients",
        stated_as: &["clients"],
        gates: true,
        read: |facts| facts.setting("clients"),
    },
    Property {
        name: "data against cache",
        stated_as: &["cache"],
        gates: false,
        read: data_against_cache,
    },
    Property {
        name: "server memory",
        stated_as: &["cache"],
        gates: false,
        read: |facts| facts.memory.map(human_bytes),
    },
    Property {
        name: "reads and writes",
        stated_as: &["io", "innodb_flush_method", "rocksdb_use_direct_reads", "tokudb_directio"],
        gates: false,
        read: reads_and_writes,
    },
    Property {
        name: "load path",
        stated_as: &["load"],
        gates: false,
        read: |facts| {
            let dataset = facts.dataset?;
            let threads = dataset.threads;
            let threads =
                if threads == 1 { "1 thread".into() } else { format!("{threads} threads") };
            Some(format!("{}, {threads}", dataset.path))
        },
    },
    Property {
        name: "compression",
        stated_as: &["compression", "row_format"],
        gates: false,
        read: compression,
    },
    Property {
        name: "row format",
        stated_as: &["compression", "row_format"],
        gates: false,
        read: |facts| facts.setting("row_format"),
    },
    Property {
        name: "doublewrite",
        stated_as: &["innodb_doublewrite"],
        gates: false,
        read: |facts| on_off(facts.variable("innodb_doublewrite")?, &facts.storage(), "innodb"),
    },
    Property {
        name: "checksums",
        stated_as: &["innodb_checksum_algorithm", "rocksdb_checksums_pct"],
        gates: false,
        read: checksums,
    },
    Property {
        name: "performance schema",
        stated_as: &["performance_schema"],
        gates: false,
        read: |facts| facts.variable("performance_schema").map(lower),
    },
    Property {
        name: "allocator",
        stated_as: &["version_malloc_library"],
        gates: false,
        read: |facts| {
            let told = facts.variable("version_malloc_library").filter(|name| *name != "system");
            told.or(facts.variable("process.allocator"))
                .or(facts.variable("version_malloc_library"))
                .map(str::to_string)
        },
    },
    Property {
        name: "TLS",
        stated_as: &["tls", "tls_ca", "ssl"],
        gates: false,
        read: |facts| facts.variable("connection.tls").map(str::to_string),
    },
    Property {
        name: "plans",
        stated_as: &["schema", "strip", "keep", "indexes"],
        gates: false,
        read: |facts| facts.plans.map(plans::in_short),
    },
];

fn lower(text: &str) -> String {
    text.to_lowercase()
}

fn on_off(value: &str, storage: &str, of: &str) -> Option<String> {
    (storage == of).then(|| lower(value))
}

fn is_on(value: &str) -> bool {
    matches!(value.to_lowercase().as_str(), "on" | "1" | "yes" | "true")
}

/// When a commit is safe on disk.
fn durability(facts: &Facts) -> Option<String> {
    let by_flush = |value: &str| {
        match value {
            "1" => "each commit",
            "2" => "written at commit, synced each second",
            "0" => "each second",
            other => return format!("flush setting {other}"),
        }
        .to_string()
    };
    match facts.storage().as_str() {
        "innodb" => facts.variable("innodb_flush_log_at_trx_commit").map(by_flush),
        "rocksdb" => facts.variable("rocksdb_flush_log_at_trx_commit").map(by_flush),
        "tokudb" => {
            let sync = facts.variable("tokudb_commit_sync")?;
            Some(if is_on(sync) {
                "each commit".to_string()
            } else {
                let period = facts.variable("tokudb_fsync_log_period").unwrap_or("0");
                format!("each {period} ms")
            })
        }
        _ => None,
    }
}

/// The level; MariaDB can take REPEATABLE READ by its word (snapshot isolation), which other
/// releases do not.
fn isolation(facts: &Facts) -> Option<String> {
    let level = facts
        .setting("isolation")
        .or_else(|| facts.variable("transaction_isolation").map(str::to_string))
        .or_else(|| facts.variable("tx_isolation").map(str::to_string))?
        .replace(['_', '-'], " ")
        .to_uppercase();
    let snapshot = facts.storage() == "innodb"
        && facts.variable("innodb_snapshot_isolation").is_some_and(is_on);
    Some(if snapshot { format!("{level}, snapshot isolation") } else { level })
}

fn binary_log(facts: &Facts) -> Option<String> {
    let log_bin = facts.variable("log_bin")?;
    if !is_on(log_bin) {
        return Some("off".to_string());
    }
    Some(match facts.variable("sync_binlog") {
        Some("0") => "on, never synced".to_string(),
        Some("1") => "on, synced at each commit".to_string(),
        Some(n) => format!("on, synced every {n} commits"),
        None => "on".to_string(),
    })
}

fn lock_wait(facts: &Facts) -> Option<String> {
    let (variable, units) = match facts.storage().as_str() {
        "innodb" => ("innodb_lock_wait_timeout", 1.0),
        "rocksdb" => ("rocksdb_lock_wait_timeout", 1.0),
        "tokudb" => ("tokudb_lock_timeout", 1000.0),
        _ => return None,
    };
    let value: f64 = facts.variable(variable)?.parse().ok()?;
    Some(format!("{} s", value / units))
}

fn deadlock_detection(facts: &Facts) -> Option<String> {
    let variable = match facts.storage().as_str() {
        "innodb" => "innodb_deadlock_detect",
        "rocksdb" => "rocksdb_deadlock_detect",
        _ => return None,
    };
    Some(if is_on(facts.variable(variable)?) { "on" } else { "off" }.to_string())
}

/// Whether reads and writes pass by the page cache, read back where the server tells.
fn reads_and_writes(facts: &Facts) -> Option<String> {
    let direct = match facts.storage().as_str() {
        "innodb" => match facts.variable("innodb_data_file_buffering") {
            Some(buffering) => Some(!is_on(buffering)),
            None => facts
                .variable("innodb_flush_method")
                .map(|method| method.to_uppercase().starts_with("O_DIRECT")),
        },
        "rocksdb" => facts.variable("rocksdb_use_direct_reads").map(is_on),
        "tokudb" => facts.variable("tokudb_directio").map(is_on),
        _ => None,
    };
    match direct {
        Some(true) => Some("direct".to_string()),
        Some(false) => Some("buffered".to_string()),
        None => facts.setting("io"),
    }
}

/// The compression that was asked for, else whether tables have one by themselves.
fn compression(facts: &Facts) -> Option<String> {
    facts.setting("compression").or_else(|| {
        let compressed = facts.dataset?.ddl.values().any(|ddl| {
            let ddl = ddl.to_lowercase();
            ["row_format=compressed", "page_compressed", "compression="]
                .iter()
                .any(|words| ddl.contains(words))
        });
        compressed.then(|| "by table".to_string())
    })
}

fn checksums(facts: &Facts) -> Option<String> {
    match facts.storage().as_str() {
        "innodb" => facts.variable("innodb_checksum_algorithm").map(lower),
        "rocksdb" => {
            let share = facts.variable("rocksdb_checksums_pct")?;
            Some(format!("blocks, {share} % of rows"))
        }
        _ => None,
    }
}

/// Settled data over the cache that the cell states.
fn data_against_cache(facts: &Facts) -> Option<String> {
    let settled = facts
        .dataset?
        .metrics
        .iter()
        .find(|value| value.id.metric == Metric::SizeSettled)
        .map(|value| value.value)?;
    let cache = match facts.storage().as_str() {
        "innodb" => "innodb_buffer_pool_size",
        "rocksdb" => "rocksdb_block_cache_size",
        "tokudb" => "tokudb_cache_size",
        "aria" => "aria_pagecache_buffer_size",
        "myisam" => "key_buffer_size",
        _ => return None,
    };
    let cache: f64 = facts.variable(cache)?.parse().ok()?;
    (cache > 0.0).then(|| format!("{:.2} of the cache", settled / cache))
}
