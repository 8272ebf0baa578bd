//! Row format and compression as each engine and family writes them.

use super::Transform;
use crate::engine::{CompressionSyntax, EngineSpec};

/// What the row format and compression of a transform come to in DDL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Option clauses, name and value.
    pub(crate) clauses: Vec<(&'static str, String)>,
    /// Options that the script may state and that must go, because they would contradict.
    pub(crate) replaces: &'static [&'static str],
    /// Row format as information_schema.TABLES shows it.
    pub(crate) shown: Option<String>,
    /// Why it cannot be had.
    pub(crate) refusal: Option<String>,
}

/// Everything that says how an InnoDB table is compressed.
const INNODB_COMPRESSION: &[&str] =
    &["ROW_FORMAT", "KEY_BLOCK_SIZE", "PAGE_COMPRESSED", "PAGE_COMPRESSION_LEVEL", "COMPRESSION"];

/// Works out what a transform asks for; none when it asks for nothing.
pub(crate) fn wanted(transform: &Transform) -> Option<Wanted> {
    let row_format = transform.row_format.as_ref().map(|format| format.to_ascii_uppercase());
    let compression = transform.compression.as_ref().map(|name| name.to_ascii_lowercase());
    if row_format.is_none() && compression.is_none() {
        return None;
    }
    let Some(storage) = transform.storage else {
        return row_format.map(|format| plain(&format));
    };
    if let Some(format) = &row_format
        && !storage.row_formats.contains(&format.as_str())
    {
        return Some(refused(format!(
            "{} has no row format {format}{}",
            storage.storage,
            choices(storage.row_formats)
        )));
    }
    if let Some(name) = &compression
        && name != "none"
        && !storage.compressions.contains(&name.as_str())
    {
        return Some(refused(format!(
            "{} has no compression {name}{}",
            storage.storage,
            choices(storage.compressions)
        )));
    }
    match storage.compression_syntax {
        CompressionSyntax::TokudbRowFormat => Some(tokudb(transform, row_format, compression)),
        CompressionSyntax::InnodbTableOption => innodb(transform, row_format, compression),
        // Options of column families or nothing at all: not in DDL.
        CompressionSyntax::ColumnFamilyOption | CompressionSyntax::None => {
            row_format.map(|format| plain(&format))
        }
    }
}

fn refused(refusal: String) -> Wanted {
    Wanted { refusal: Some(refusal), ..Wanted::default() }
}

fn choices(names: &[&str]) -> String {
    if names.is_empty() { String::new() } else { format!("; it has {}", names.join(", ")) }
}

fn plain(format: &str) -> Wanted {
    Wanted {
        clauses: vec![("ROW_FORMAT", format.to_string())],
        replaces: &["ROW_FORMAT"],
        shown: Some(capitalized(format)),
        refusal: None,
    }
}

/// `DYNAMIC` as information_schema shows it: `Dynamic`.
fn capitalized(format: &str) -> String {
    let mut characters = format.chars();
    characters
        .next()
        .into_iter()
        .map(|first| first.to_ascii_uppercase())
        .chain(characters.map(|other| other.to_ascii_lowercase()))
        .collect()
}

fn innodb(
    transform: &Transform,
    row_format: Option<String>,
    compression: Option<String>,
) -> Option<Wanted> {
    let zlib = match compression.as_deref() {
        None => {
            return row_format.map(|format| {
                let replaces: &[_] = if format == "COMPRESSED" {
                    &["ROW_FORMAT", "PAGE_COMPRESSED", "PAGE_COMPRESSION_LEVEL"]
                } else {
                    &["ROW_FORMAT", "KEY_BLOCK_SIZE"]
                };
                Wanted { replaces, ..plain(&format) }
            });
        }
        Some(name) => name == "zlib",
    };
    let mut wanted = Wanted { replaces: INNODB_COMPRESSION, ..Wanted::default() };
    match (zlib, row_format.as_deref()) {
        (true, None | Some("COMPRESSED")) => {
            wanted.clauses.push(("ROW_FORMAT", "COMPRESSED".to_string()));
            wanted.replaces =
                &["ROW_FORMAT", "PAGE_COMPRESSED", "PAGE_COMPRESSION_LEVEL", "COMPRESSION"];
            wanted.shown = Some("Compressed".to_string());
        }
        // Any other format is compressed page by page.
        (true, Some(format)) => {
            wanted.clauses.push(("ROW_FORMAT", format.to_string()));
            wanted.clauses.push(if is_mariadb(transform) {
                ("PAGE_COMPRESSED", "1".to_string())
            } else {
                ("COMPRESSION", "'zlib'".to_string())
            });
            wanted.shown = Some(capitalized(format));
        }
        (false, Some("COMPRESSED")) => {
            wanted.refusal =
                Some("row format COMPRESSED contradicts `compression none`".to_string());
        }
        (false, format) => {
            if let Some(format) = format {
                wanted.clauses.push(("ROW_FORMAT", format.to_string()));
                wanted.shown = Some(capitalized(format));
            }
        }
    }
    Some(wanted)
}

fn tokudb(
    transform: &Transform,
    row_format: Option<String>,
    compression: Option<String>,
) -> Wanted {
    let from_compression = compression.map(|name| match name.as_str() {
        "none" => "TOKUDB_UNCOMPRESSED".to_string(),
        other => format!("TOKUDB_{}", other.to_ascii_uppercase()),
    });
    let format = row_format.or(from_compression).unwrap_or_default();
    let mut wanted = Wanted { replaces: &["ROW_FORMAT", "COMPRESSION"], ..Wanted::default() };
    // No grammar takes TOKUDB_DEFAULT; it is what a table without the clause gets.
    if format == "TOKUDB_DEFAULT" {
        return wanted;
    }
    if format == "TOKUDB_SNAPPY" && transform.family.eq_ignore_ascii_case("tokutek") {
        wanted.refusal = Some("Tokutek builds refuse TOKUDB_SNAPPY (error 1064)".to_string());
        return wanted;
    }
    wanted.shown = tokudb_shown(&format);
    wanted.clauses.push((tokudb_option(transform), format));
    wanted
}

/// The option that carries TokuDB's row format: builds of mariadb.org have ROW_FORMAT=TOKUDB_* not
/// in their grammar, all others have no COMPRESSION option.
pub(crate) fn tokudb_option(transform: &Transform) -> &'static str {
    if is_mariadb(transform) { "COMPRESSION" } else { "ROW_FORMAT" }
}

/// What information_schema shows for a TokuDB row format: the algorithm.
pub(crate) fn tokudb_shown(format: &str) -> Option<String> {
    match format.to_ascii_uppercase().as_str() {
        "TOKUDB_DEFAULT" => None,
        "TOKUDB_FAST" => Some("tokudb_quicklz".to_string()),
        "TOKUDB_SMALL" => Some("tokudb_lzma".to_string()),
        other => Some(other.to_ascii_lowercase()),
    }
}

/// What information_schema shows for a row format that the script itself states and the engine has.
pub(crate) fn shown(storage: Option<&EngineSpec>, format: &str) -> Option<String> {
    let toku = storage.is_some_and(|s| s.compression_syntax == CompressionSyntax::TokudbRowFormat);
    if toku { tokudb_shown(format) } else { Some(capitalized(&format.to_ascii_uppercase())) }
}

pub(crate) fn is_mariadb(transform: &Transform) -> bool {
    transform.family.eq_ignore_ascii_case("mariadb")
}

/// Whether the family has INVISIBLE columns: MariaDB since 10.3, MySQL since 8.0.23.
pub(crate) fn has_invisible_columns(transform: &Transform) -> bool {
    match transform.release {
        None => is_mariadb(transform),
        Some(release) if is_mariadb(transform) => release >= (10, 3),
        Some(release) => release >= (8, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(storage: &str, family: &str, format: Option<&str>, compression: Option<&str>) -> Wanted {
        wanted(&Transform {
            storage: EngineSpec::find(storage),
            family: family.to_string(),
            row_format: format.map(str::to_string),
            compression: compression.map(str::to_string),
            ..Transform::default()
        })
        .unwrap_or_default()
    }

    #[test]
    fn tokudb_is_written_by_family() {
        let wanted = of("TokuDB", "percona", Some("TOKUDB_FAST"), None);
        assert_eq!(wanted.clauses, [("ROW_FORMAT", "TOKUDB_FAST".to_string())]);
        assert_eq!(wanted.shown.as_deref(), Some("tokudb_quicklz"));
        let wanted = of("TokuDB", "mariadb", None, Some("none"));
        assert_eq!(wanted.clauses, [("COMPRESSION", "TOKUDB_UNCOMPRESSED".to_string())]);
        assert_eq!(wanted.shown.as_deref(), Some("tokudb_uncompressed"));
        assert!(of("TokuDB", "percona", Some("tokudb_default"), None).clauses.is_empty());
        assert!(of("TokuDB", "tokutek", None, Some("snappy")).refusal.is_some());
    }

    #[test]
    fn innodb_compresses_by_row_format_or_by_page() {
        assert_eq!(
            of("InnoDB", "mysql", None, Some("zlib")).clauses,
            [("ROW_FORMAT", "COMPRESSED".to_string())]
        );
        assert_eq!(
            of("InnoDB", "mariadb", Some("DYNAMIC"), Some("zlib")).clauses[1],
            ("PAGE_COMPRESSED", "1".to_string())
        );
        assert!(of("InnoDB", "mysql", None, Some("none")).clauses.is_empty());
        assert!(of("InnoDB", "mysql", Some("COMPRESSED"), Some("none")).refusal.is_some());
    }

    #[test]
    fn what_an_engine_lacks_is_refused_with_what_it_has() {
        let refusal = of("Aria", "mariadb", Some("COMPRESSED"), None).refusal.unwrap();
        assert_eq!(refusal, "Aria has no row format COMPRESSED; it has PAGE, DYNAMIC, FIXED");
        assert!(of("ROCKSDB", "mariadb", None, Some("lz4")).clauses.is_empty());
        assert!(of("ROCKSDB", "mariadb", None, Some("lzma")).refusal.is_some());
    }
}
