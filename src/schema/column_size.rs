//! How many bytes columns take, as far as their definition tells.

use super::parse::items::Column;
use crate::model::count::total;

/// The size of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// Always so many bytes.
    Fixed(u64),
    /// Up to so many bytes.
    Variable(u64),
    /// TEXT, BLOB, JSON.
    Blob,
    /// A geometry.
    Geometry,
    /// A type that is not known here.
    Unknown,
}

/// Bytes that one character takes at most in a character set or a collation of it.
pub(crate) fn character_bytes(charset: &str) -> u64 {
    let charset = charset.to_ascii_lowercase();
    match charset.split('_').next().unwrap_or_default() {
        "utf8mb4" | "utf16" | "utf16le" | "utf32" | "gb18030" => 4,
        "utf8" | "utf8mb3" | "ujis" | "eucjpms" => 3,
        "ucs2" | "sjis" | "cp932" | "gbk" | "big5" | "euckr" | "gb2312" => 2,
        // `uca1400_ai_ci` without a set means utf8mb4 in MariaDB.
        name if name.starts_with("uca1400") => 4,
        _ => 1,
    }
}

/// The size of a column in a table of this character set. Without one the smallest that it can be.
pub(crate) fn size(column: &Column, table_charset: Option<&str>) -> Size {
    let charset = column.charset.as_deref().or(table_charset);
    let per_character = charset.map_or(1, character_bytes);
    let first = column.arguments.first().copied();
    match column.data_type.as_str() {
        "TINYINT" | "BOOL" | "BOOLEAN" | "YEAR" | "INT1" | "ENUM" | "SET" => Size::Fixed(1),
        "SMALLINT" | "INT2" => Size::Fixed(2),
        "MEDIUMINT" | "DATE" | "TIME" | "INT3" | "MIDDLEINT" => Size::Fixed(3),
        "INT" | "INTEGER" | "TIMESTAMP" | "FLOAT" | "INT4" | "INET4" => Size::Fixed(4),
        "BIGINT" | "DOUBLE" | "REAL" | "SERIAL" | "INT8" | "DATETIME" => Size::Fixed(8),
        "INET6" | "UUID" => Size::Fixed(16),
        // Nine digits in four bytes.
        "DECIMAL" | "NUMERIC" | "DEC" | "FIXED" => {
            Size::Fixed(first.unwrap_or(10).div_ceil(9).saturating_mul(4))
        }
        "BIT" => Size::Fixed(first.unwrap_or(1).div_ceil(8)),
        "CHAR" | "NCHAR" | "CHARACTER" if per_character == 1 => Size::Fixed(first.unwrap_or(1)),
        "CHAR" | "NCHAR" | "CHARACTER" => {
            Size::Variable(first.unwrap_or(1).saturating_mul(per_character))
        }
        "BINARY" => Size::Fixed(first.unwrap_or(1)),
        "VARCHAR" | "NVARCHAR" | "VARCHAR2" => first
            .map_or(Size::Unknown, |length| Size::Variable(length.saturating_mul(per_character))),
        "VARBINARY" => first.map_or(Size::Unknown, Size::Variable),
        "TINYBLOB" | "BLOB" | "MEDIUMBLOB" | "LONGBLOB" | "TINYTEXT" | "TEXT" | "MEDIUMTEXT"
        | "LONGTEXT" | "JSON" | "LONG" => Size::Blob,
        "GEOMETRY" | "POINT" | "LINESTRING" | "POLYGON" | "MULTIPOINT" | "MULTILINESTRING"
        | "MULTIPOLYGON" | "GEOMETRYCOLLECTION" | "GEOMCOLLECTION" => Size::Geometry,
        _ => Size::Unknown,
    }
}

/// The smallest room in its page that a row of these columns can claim, bytes: columns of up to 255
/// bytes stay whole, of longer ones 20 to 40 bytes do. What InnoDB's strict mode weighs for
/// DYNAMIC rows.
pub(crate) fn row_in_page<'c>(
    columns: impl Iterator<Item = &'c Column>,
    table_charset: Option<&str>,
) -> u64 {
    total(columns.map(|column| match size(column, table_charset) {
        Size::Fixed(bytes) => bytes,
        Size::Variable(bytes) if bytes <= 255 => bytes,
        Size::Variable(_) | Size::Blob | Size::Geometry => 40,
        Size::Unknown => 0,
    }))
}

/// Bytes of a key column; none when they cannot be told.
pub(crate) fn key_bytes(
    column: &Column,
    prefix: Option<u64>,
    table_charset: Option<&str>,
) -> Option<u64> {
    let charset = column.charset.as_deref().or(table_charset);
    match (size(column, table_charset), prefix) {
        (Size::Fixed(bytes) | Size::Variable(bytes), None) => Some(bytes),
        (Size::Fixed(_) | Size::Variable(_) | Size::Blob, Some(prefix)) => {
            let binary = column.data_type.contains("BLOB") || column.data_type.contains("BINARY");
            Some(prefix.saturating_mul(if binary { 1 } else { charset.map_or(1, character_bytes) }))
        }
        (Size::Blob | Size::Geometry | Size::Unknown, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(data_type: &str, arguments: &[u64]) -> Column {
        Column {
            data_type: data_type.to_string(),
            arguments: arguments.to_vec(),
            ..Column::default()
        }
    }

    #[test]
    fn characters_count_by_their_set() {
        assert_eq!(size(&column("VARCHAR", &[100]), Some("utf8mb4")), Size::Variable(400));
        assert_eq!(size(&column("CHAR", &[10]), Some("latin1")), Size::Fixed(10));
        let own = Column { charset: Some("utf8mb3_bin".to_string()), ..column("CHAR", &[10]) };
        assert_eq!(size(&own, Some("latin1")), Size::Variable(30));
        assert_eq!(key_bytes(&column("TEXT", &[]), Some(10), Some("utf8mb4")), Some(40));
        assert_eq!(key_bytes(&column("BLOB", &[]), Some(10), Some("utf8mb4")), Some(10));
        assert_eq!(key_bytes(&column("TEXT", &[]), None, None), None);
    }

    #[test]
    fn long_columns_leave_the_page() {
        let columns = [column("CHAR", &[255]), column("VARCHAR", &[256]), column("TEXT", &[])];
        assert_eq!(row_in_page(columns.iter(), Some("latin1")), 255 + 40 + 40);
    }
}
