//! Which table options an engine of a family refuses, or passes over although they mean something.

use super::Transform;
use super::row_format::is_mariadb;
use crate::engine::CompressionSyntax;

/// What becomes of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It stays.
    Keep,
    /// It goes, and why.
    Drop(String),
}

/// Options that every engine takes or passes over without harm.
const HARMLESS: &[&str] = &[
    "AUTO_INCREMENT",
    "AVG_ROW_LENGTH",
    "CHARSET",
    "CHECKSUM",
    "COMMENT",
    "DELAY_KEY_WRITE",
    "ENGINE",
    "MAX_ROWS",
    "MIN_ROWS",
    "NODEGROUP",
    "PACK_KEYS",
    "PASSWORD",
    "SEQUENCE",
    "STATS_AUTO_RECALC",
    "STATS_PERSISTENT",
    "STATS_SAMPLE_PAGES",
    "TABLE_CHECKSUM",
    "WITH SYSTEM VERSIONING",
];

/// What becomes of an option of this name and value. Without an engine to swap to, all stay.
pub(crate) fn verdict(transform: &Transform, name: &str, value: &str) -> Verdict {
    let Some(storage) = transform.storage else { return Verdict::Keep };
    if HARMLESS.contains(&name) {
        return Verdict::Keep;
    }
    let mariadb = is_mariadb(transform);
    let is_innodb = storage.compression_syntax == CompressionSyntax::InnodbTableOption;
    let is_toku = storage.compression_syntax == CompressionSyntax::TokudbRowFormat;
    let keep_if = |keeps: bool, why: String| if keeps { Verdict::Keep } else { Verdict::Drop(why) };
    let engine = storage.storage;
    match name {
        "COLLATE" => unknown_collation(transform, value).map_or(Verdict::Keep, Verdict::Drop),
        "ROW_FORMAT" => {
            let upper = value.to_ascii_uppercase();
            // On TokuDB even DEFAULT overrides the row format of the session.
            let fits =
                storage.row_formats.contains(&upper.as_str()) || (upper == "DEFAULT" && !is_toku);
            let had = if storage.row_formats.is_empty() {
                format!("{engine} has no row formats")
            } else {
                format!("{engine} has {}", storage.row_formats.join(", "))
            };
            keep_if(fits, had)
        }
        "KEY_BLOCK_SIZE" => {
            keep_if(is_innodb || engine == "MyISAM", format!("{engine} has no use for it"))
        }
        "PAGE_COMPRESSED" | "PAGE_COMPRESSION_LEVEL" | "ENCRYPTED" | "ENCRYPTION_KEY_ID" => {
            keep_if(is_innodb && mariadb, "it is an option of InnoDB in MariaDB".to_string())
        }
        "COMPRESSION" => keep_if(
            is_innodb && !mariadb && !value.to_ascii_uppercase().starts_with("TOKUDB_"),
            "it is an option of InnoDB in MySQL, or of TokuDB in MariaDB".to_string(),
        ),
        "ENCRYPTION" | "AUTOEXTEND_SIZE" | "ENGINE_ATTRIBUTE" | "TABLESPACE" => {
            keep_if(is_innodb && !mariadb, "it is an option of InnoDB in MySQL".to_string())
        }
        "SECONDARY_ENGINE" | "SECONDARY_ENGINE_ATTRIBUTE" | "START TRANSACTION" => {
            keep_if(!mariadb, "MariaDB has no such option".to_string())
        }
        "DATA DIRECTORY" | "INDEX DIRECTORY" => {
            Verdict::Drop("data stays in the data directory".to_string())
        }
        "STORAGE" => Verdict::Drop("it is an option of NDB".to_string()),
        "UNION" | "INSERT_METHOD" => Verdict::Drop("it is an option of MERGE tables".to_string()),
        "CONNECTION" => Verdict::Drop("it is an option of FEDERATED tables".to_string()),
        "TRANSACTIONAL" | "PAGE_CHECKSUM" => {
            keep_if(engine == "Aria", "it is an option of Aria".to_string())
        }
        _ => Verdict::Drop(format!("{engine} does not know it")),
    }
}

/// Why a server of this transform does not know a collation; none when it may.
pub(crate) fn unknown_collation(transform: &Transform, collation: &str) -> Option<String> {
    let collation = collation.to_ascii_lowercase();
    let late_mariadb = transform.release.is_some_and(|release| release >= (11, 5));
    if is_mariadb(transform) && !late_mariadb && collation.contains("_0900_") {
        return Some("MariaDB does not know this collation of MySQL 8".to_string());
    }
    if !is_mariadb(transform) && collation.contains("uca1400_") {
        return Some("it is a collation of MariaDB".to_string());
    }
    None
}
