//! Portable settings in the words of an engine on a server.

use super::rows::{Family, InnodbIo, Redo};
use super::{OwnOption, find};
use crate::engine::{CompressionSyntax, EngineSpec};
use crate::model::{SettingValue, units::exact_size};
use crate::target::{TargetDescription, version};
use std::time::Duration;

const MIB: u64 = 1 << 20;

/// Translates a portable setting (`cache`, `io`, `redo`, `isolation`, `lock_wait`, and
/// `compression` of engines that take it as an option) for an engine on this server. An error says
/// why it cannot be had and what would do.
pub fn translate(
    server: &TargetDescription,
    engine: &EngineSpec,
    setting: &str,
    value: &SettingValue,
) -> Result<Vec<OwnOption>, String> {
    let family = find(&server.family)
        .ok_or_else(|| format!("servers of the family `{}` have no options", server.family))?;
    match setting {
        "cache" => cache(server, family, engine, value),
        "io" => io(server, family, engine, word(value)?),
        "redo" => redo(server, family, engine, value),
        "isolation" => isolation(engine, word(value)?),
        "lock_wait" => lock_wait(engine, value),
        "compression" => compression(engine, word(value)?),
        other => Err(format!("`{other}` is no setting that servers have an option for")),
    }
}

fn word(value: &SettingValue) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("a word is needed here, not `{value}`"))
}

fn cache(
    server: &TargetDescription,
    family: &Family,
    engine: &EngineSpec,
    value: &SettingValue,
) -> Result<Vec<OwnOption>, String> {
    let Some(option) = engine.cache_option else {
        return Err(format!("{} has no cache of its own", engine.storage));
    };
    let (SettingValue::Size(bytes) | SettingValue::Count(bytes)) = *value else {
        return Err(format!("the cache is a size, such as `cache 4GB`, not `{value}`"));
    };
    if bytes < engine.cache_minimum {
        return Err(format!(
            "{} needs a cache of at least {}",
            engine.storage,
            exact_size(engine.cache_minimum)
        ));
    }
    let mut options = vec![OwnOption::new(option, bytes.to_string(), "cache")];
    if option == "innodb_buffer_pool_size" {
        if bytes % MIB != 0 {
            return Err(format!(
                "InnoDB rounds its buffer pool; state whole MB, such as {}MB",
                bytes.div_ceil(MIB)
            ));
        }
        if family.pool_chunks.is_some_and(|releases| releases.hold(server.release))
            && let Some(chunk) = chunk(server, family, bytes)
        {
            options.push(OwnOption::new(
                "innodb_buffer_pool_chunk_size",
                chunk.to_string(),
                "the pool is a multiple of it; the default would round the cache up",
            ));
        }
    }
    Ok(options)
}

/// The chunk size with which a pool of `bytes` is not rounded; none where the default of 128 MiB
/// does. Pools of 1 GiB and more have 8 instances by default.
fn chunk(server: &TargetDescription, family: &Family, bytes: u64) -> Option<u64> {
    let divided = family.pool_instances.is_some_and(|releases| releases.hold(server.release));
    let instances = if divided && bytes >= 1 << 30 { 8 } else { 1 };
    let fits = |chunk: u64| bytes.is_multiple_of(chunk * instances);
    // A pool smaller than the chunk makes the chunk smaller by itself.
    if fits(128 * MIB) || bytes <= 128 * MIB {
        return None;
    }
    [64, 32, 16, 8, 4, 2, 1].into_iter().map(|mib| mib * MIB).find(|chunk| fits(*chunk))
}

fn io(
    server: &TargetDescription,
    family: &Family,
    engine: &EngineSpec,
    kind: &str,
) -> Result<Vec<OwnOption>, String> {
    let direct = match kind {
        "direct" => true,
        "buffered" => false,
        other => return Err(format!("`io` is `direct` or `buffered`, not `{other}`")),
    };
    if direct && !engine.can_direct_io {
        return Err(format!(
            "{} reads and writes through the page cache alone; `io buffered` is what it has",
            engine.storage
        ));
    }
    let reason = format!("io {kind}");
    if engine.storage == "InnoDB" {
        let row = Family::since(family.innodb_io, server.release);
        let (name, value) = match (row.unwrap_or(InnodbIo::FlushMethod), direct) {
            (InnodbIo::FlushMethodUnnamed, false) => return Ok(Vec::new()),
            (InnodbIo::FlushMethod | InnodbIo::FlushMethodUnnamed, true) => {
                ("innodb_flush_method", "O_DIRECT")
            }
            (InnodbIo::FlushMethod, false) => ("innodb_flush_method", "fsync"),
            (InnodbIo::DataFileBuffering, true) => ("innodb_data_file_buffering", "OFF"),
            (InnodbIo::DataFileBuffering, false) => ("innodb_data_file_buffering", "ON"),
        };
        return Ok(vec![OwnOption::new(name, value, reason)]);
    }
    let rows = if direct { engine.direct_io } else { engine.buffered_io };
    Ok(rows.iter().map(|(name, value)| OwnOption::new(name, *value, reason.clone())).collect())
}

fn redo(
    server: &TargetDescription,
    family: &Family,
    engine: &EngineSpec,
    value: &SettingValue,
) -> Result<Vec<OwnOption>, String> {
    if engine.storage != "InnoDB" {
        return Err(format!(
            "`redo` sizes the redo log of InnoDB; the log of {} has no fixed size",
            engine.storage
        ));
    }
    let (files, each) = match *value {
        SettingValue::Files(set) => (u64::from(set.files), set.bytes_each),
        SettingValue::Size(bytes) => (1, bytes),
        _ => return Err(format!("`redo` is a size or files x size (`2x4GB`), not `{value}`")),
    };
    let total = files
        .checked_mul(each)
        .filter(|total| *total > 0)
        .ok_or_else(|| format!("`{value}` is no size of a redo log"))?;
    let numbers =
        version::numbers(&server.version).unwrap_or((server.release.0, server.release.1, 0));
    let row = Family::since(family.redo, numbers).unwrap_or(Redo::FilesInGroup);
    let reason = format!("redo {value}");
    if server.release < (5, 6) && total >= 4 << 30 {
        return Err("the redo log of this release is less than 4 GB in all".to_string());
    }
    Ok(match row {
        Redo::FilesInGroup => {
            // One file is not enough for these releases.
            let (files, each) = if files == 1 { (2, each / 2) } else { (files, each) };
            vec![
                OwnOption::new("innodb_log_file_size", each.to_string(), reason.clone()),
                OwnOption::new("innodb_log_files_in_group", files.to_string(), reason),
            ]
        }
        Redo::OneFile => vec![OwnOption::new("innodb_log_file_size", total.to_string(), reason)],
        Redo::Capacity => {
            vec![OwnOption::new("innodb_redo_log_capacity", total.to_string(), reason)]
        }
    })
}

fn isolation(engine: &EngineSpec, level: &str) -> Result<Vec<OwnOption>, String> {
    let level = level.to_uppercase().replace(['_', '-'], " ");
    if !engine.isolation.contains(&level.as_str()) {
        return Err(if engine.isolation.is_empty() {
            format!("{} has no transactions, so no isolation", engine.storage)
        } else {
            format!("{} has {}", engine.storage, engine.isolation.join(", "))
        });
    }
    Ok(vec![OwnOption::new("transaction_isolation", level.replace(' ', "-"), "isolation")])
}

fn lock_wait(engine: &EngineSpec, value: &SettingValue) -> Result<Vec<OwnOption>, String> {
    let SettingValue::Duration(wait) = *value else {
        return Err(format!("`lock_wait` is a duration, such as `lock_wait 10s`, not `{value}`"));
    };
    let Some((name, units)) = engine.lock_wait else { return Ok(Vec::new()) };
    let each = Duration::from_secs(1) / u32::try_from(units).unwrap_or(1);
    let count = wait.as_nanos() / each.as_nanos().max(1);
    if count == 0 || count * each.as_nanos() != wait.as_nanos() {
        let unit = if units == 1 { "seconds" } else { "milliseconds" };
        return Err(format!("{} waits for locks in whole {unit}, 1 at least", engine.storage));
    }
    Ok(vec![OwnOption::new(name, count.to_string(), format!("lock_wait {value}"))])
}

fn compression(engine: &EngineSpec, algorithm: &str) -> Result<Vec<OwnOption>, String> {
    let algorithm = algorithm.to_lowercase();
    if !engine.compressions.contains(&algorithm.as_str()) {
        return Err(if engine.compressions.is_empty() {
            format!("{} compresses nothing", engine.storage)
        } else {
            format!("{} has {}", engine.storage, engine.compressions.join(", "))
        });
    }
    if engine.compression_syntax != CompressionSyntax::ColumnFamilyOption {
        return Err(format!("{} takes its compression in the table's DDL", engine.storage));
    }
    let name = match algorithm.as_str() {
        "none" => "kNoCompression",
        "snappy" => "kSnappyCompression",
        "zlib" => "kZlibCompression",
        "lz4" => "kLZ4Compression",
        _ => "kZSTD",
    };
    Ok(vec![OwnOption::new(
        "rocksdb_default_cf_options",
        format!("compression={name};bottommost_compression={name}"),
        format!("compression {algorithm}"),
    )])
}

#[cfg(test)]
mod tests {
    use super::super::tests::server;
    use super::*;
    use crate::model::FileSet;

    fn engine(name: &str) -> &'static EngineSpec {
        EngineSpec::find(name).unwrap()
    }

    fn lines(
        family: &str,
        version: &str,
        storage: &str,
        setting: &str,
        value: &SettingValue,
    ) -> Result<String, String> {
        translate(&server(family, version), engine(storage), setting, value).map(|options| {
            options
                .into_iter()
                .map(|option| format!("{}={}", option.name, option.value.unwrap_or_default()))
                .collect::<Vec<_>>()
                .join(" ")
        })
    }

    fn words(text: &str) -> SettingValue {
        SettingValue::Word(text.into())
    }

    #[test]
    fn a_cache_is_written_so_that_no_release_rounds_it() {
        let gib = SettingValue::Size(4 << 30);
        for version in ["5.5.60", "5.7.44", "8.0.36", "9.7.4"] {
            assert_eq!(
                lines("mysql", version, "innodb", "cache", &gib).unwrap(),
                "innodb_buffer_pool_size=4294967296"
            );
        }
        let odd = SettingValue::Size(1536 << 20);
        assert_eq!(
            lines("mysql", "8.0.36", "innodb", "cache", &odd).unwrap(),
            "innodb_buffer_pool_size=1610612736 innodb_buffer_pool_chunk_size=67108864"
        );
        assert_eq!(
            lines("mysql", "5.6.24", "innodb", "cache", &odd).unwrap(),
            "innodb_buffer_pool_size=1610612736"
        );
        assert_eq!(
            lines("mariadb", "10.5.23", "innodb", "cache", &SettingValue::Size(200 << 20)).unwrap(),
            "innodb_buffer_pool_size=209715200 innodb_buffer_pool_chunk_size=8388608"
        );
        assert_eq!(
            lines("mariadb", "10.11.19", "tokudb", "cache", &gib).unwrap(),
            "tokudb_cache_size=4294967296"
        );
        let error = lines("mariadb", "10.11.19", "innodb", "cache", &SettingValue::Size(1 << 20));
        assert!(error.unwrap_err().contains("at least 24MB"));
    }

    #[test]
    fn io_is_said_in_the_words_of_the_release() {
        let at = |family: &str, version: &str, storage: &str, kind: &str| {
            lines(family, version, storage, "io", &words(kind))
        };
        assert_eq!(at("mysql", "5.1.73", "innodb", "buffered").unwrap(), "");
        assert_eq!(
            at("mysql", "9.7.4", "innodb", "buffered").unwrap(),
            "innodb_flush_method=fsync"
        );
        assert_eq!(
            at("mariadb", "10.11.19", "innodb", "direct").unwrap(),
            "innodb_flush_method=O_DIRECT"
        );
        assert_eq!(
            at("mariadb", "11.8.9", "innodb", "direct").unwrap(),
            "innodb_data_file_buffering=OFF"
        );
        assert_eq!(
            at("mariadb", "10.11.19", "rocksdb", "direct").unwrap(),
            "rocksdb_use_direct_reads=ON rocksdb_use_direct_io_for_flush_and_compaction=ON"
        );
        assert!(at("mariadb", "10.11.19", "aria", "direct").unwrap_err().contains("io buffered"));
        assert!(at("mariadb", "10.11.19", "innodb", "magic").is_err());
    }

    #[test]
    fn a_redo_log_has_one_meaning_on_all_releases() {
        let two = SettingValue::Files(FileSet { files: 2, bytes_each: 4 << 30 });
        let at = |family: &str, version: &str| lines(family, version, "innodb", "redo", &two);
        assert_eq!(
            at("mysql", "8.0.29").unwrap(),
            "innodb_log_file_size=4294967296 innodb_log_files_in_group=2"
        );
        assert_eq!(at("mysql", "8.0.30").unwrap(), "innodb_redo_log_capacity=8589934592");
        assert_eq!(at("mariadb", "10.11.19").unwrap(), "innodb_log_file_size=8589934592");
        assert!(at("mysql", "5.5.60").unwrap_err().contains("less than 4 GB"));
        assert_eq!(
            lines("mysql", "5.6.24", "innodb", "redo", &SettingValue::Size(1 << 30)).unwrap(),
            "innodb_log_file_size=536870912 innodb_log_files_in_group=2"
        );
        assert!(lines("mariadb", "10.11.19", "rocksdb", "redo", &two).is_err());
    }

    #[test]
    fn isolation_and_lock_waits_are_checked_against_the_engine() {
        assert_eq!(
            lines("mariadb", "10.11.19", "rocksdb", "isolation", &words("read_committed")).unwrap(),
            "transaction_isolation=READ-COMMITTED"
        );
        let error = lines("mariadb", "10.11.19", "rocksdb", "isolation", &words("serializable"));
        assert!(error.unwrap_err().contains("READ COMMITTED, REPEATABLE READ"));
        let wait = SettingValue::Duration(Duration::from_secs(10));
        for (storage, line) in [
            ("innodb", "innodb_lock_wait_timeout=10"),
            ("rocksdb", "rocksdb_lock_wait_timeout=10"),
            ("tokudb", "tokudb_lock_timeout=10000"),
            ("myisam", ""),
        ] {
            assert_eq!(lines("mariadb", "10.3.39", storage, "lock_wait", &wait).unwrap(), line);
        }
        let half = SettingValue::Duration(Duration::from_millis(1500));
        assert!(lines("mariadb", "10.3.39", "innodb", "lock_wait", &half).is_err());
        assert!(lines("mariadb", "10.3.39", "tokudb", "lock_wait", &half).is_ok());
    }

    #[test]
    fn compression_of_column_families_is_an_option() {
        assert_eq!(
            lines("mariadb", "10.11.19", "rocksdb", "compression", &words("zstd")).unwrap(),
            "rocksdb_default_cf_options=compression=kZSTD;bottommost_compression=kZSTD"
        );
        assert!(lines("mariadb", "10.11.19", "rocksdb", "compression", &words("lzma")).is_err());
        assert!(lines("mariadb", "10.11.19", "innodb", "compression", &words("zlib")).is_err());
    }
}
