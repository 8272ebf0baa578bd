//! What a dataset takes on disk: file by file, what of it is data and what log, and table by table.

use super::session::{Dialect, RowView, Session, SqlError};
use super::sqlite;
use crate::engine::EngineSpec;
use crate::host::tree::{self, FileSizes};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Tables of the engine under test.
    Data,
    /// Logs: redo, undo, write-ahead, binary, double-write.
    Log,
    /// All else: other engines, system tables, temporary space.
    Other,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileUse {
    /// Relative to the data directory.
    pub path: String,
    /// Length, bytes.
    pub length: u64,
    /// Blocks on disk x 512, bytes.
    pub blocks: u64,
    /// What it is for.
    pub kind: FileKind,
}

/// What a dataset takes on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskUse {
    /// Every file of the data directory, sorted.
    pub files: Vec<FileUse>,
    /// Bytes of each table of the database with its indexes, blocks on disk. Where tables share
    /// files (RocksDB), each has its share of them by bytes of keys and values.
    pub tables: BTreeMap<String, u64>,
}

impl DiskUse {
    /// Blocks of the files of a kind, bytes.
    pub fn blocks_of(&self, kind: FileKind) -> u64 {
        self.files.iter().filter(|file| file.kind == kind).map(|file| file.blocks).sum()
    }

    /// Blocks of the tables of the database, bytes.
    pub fn table_bytes(&self) -> u64 {
        self.tables.values().sum()
    }
}

/// Why sizes are not to be had.
#[derive(Debug, thiserror::Error)]
pub enum SizeError {
    /// Files could not be read.
    #[error("the sizes of files cannot be read: {0}")]
    Files(#[from] io::Error),
    /// The server could not be asked.
    #[error(transparent)]
    Sql(#[from] SqlError),
}

/// Measures the files below `data_dir` and asks the server which belong to which table of
/// `database`. To be asked when the engine is at rest.
pub fn measure(
    session: &mut dyn Session,
    data_dir: &Path,
    engine: &EngineSpec,
    database: &str,
) -> Result<DiskUse, SizeError> {
    let sizes = tree::sizes_below(data_dir)?;
    let tables = if session.dialect() == Dialect::Sqlite {
        sqlite::catalog::sizes(session)?
    } else {
        match engine.storage {
            "ROCKSDB" => rocksdb_tables(session, &sizes, database)?,
            "TokuDB" => tokudb_tables(session, &sizes, data_dir, database)?,
            _ => tables_by_name(&sizes, engine, database),
        }
    };
    let files = sizes
        .into_iter()
        .map(|file| {
            let path = file.path.to_string_lossy().into_owned();
            FileUse {
                kind: kind(&path, engine, database),
                path,
                length: file.length,
                blocks: file.blocks,
            }
        })
        .collect();
    Ok(DiskUse { files, tables })
}

/// Blocks of the files of the engine's tables as they are now, bytes. The server is not asked, and
/// the engine need not be at rest.
pub fn table_files(data_dir: &Path, engine: &EngineSpec, database: &str) -> io::Result<u64> {
    let of_tables =
        |file: &FileSizes| kind(&file.path.to_string_lossy(), engine, database) == FileKind::Data;
    Ok(tree::sizes_below(data_dir)?.iter().filter(|file| of_tables(file)).map(|f| f.blocks).sum())
}

/// Logs that servers keep whatever the engine, by what their names begin or end with.
const SERVER_LOGS: &[&str] =
    &["mysql-bin.", "binlog.", "mariadb-bin.", "-relay-bin.", "-bin.", "tc.log", "ddl_recovery"];

fn kind(path: &str, engine: &EngineSpec, database: &str) -> FileKind {
    let name = path.rsplit('/').next().unwrap_or(path);
    let of_table = matches(path, name, engine.data_files);
    // A directory of a database holds tables alone; those of others are not under test.
    let folder = path.split_once('/').map(|(folder, _)| folder);
    let own_folder = folder.is_some_and(|folder| folder.starts_with(['#', '.']));
    let of_database = folder.is_none_or(|folder| own_folder || folder == database);
    if of_table && of_database && !is_system_space(name) {
        FileKind::Data
    } else if matches(path, name, engine.log_files)
        || folder.is_none() && SERVER_LOGS.iter().any(|log| name.contains(log))
    {
        FileKind::Log
    } else {
        FileKind::Other
    }
}

/// The shared tablespace holds undo and the dictionary, and of tables none.
fn is_system_space(name: &str) -> bool {
    name.starts_with("ibdata") || name.starts_with("ibtmp")
}

/// Whether a path or a name fits one of the patterns: `.ibd` and `-wal` end a name, `ib_logfile`
/// begins one, `#rocksdb/*.sst` is a path with a gap.
fn matches(path: &str, name: &str, patterns: &[&str]) -> bool {
    patterns.iter().any(|pattern| match pattern.split_once('*') {
        Some((head, tail)) => {
            path.len() >= head.len() + tail.len() && path.starts_with(head) && path.ends_with(tail)
        }
        // TokuDB puts the version of the format behind: `.tokulog27`.
        None if pattern.starts_with(['.', '-']) => {
            name.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with(pattern)
        }
        None => name.starts_with(pattern) || path.starts_with(pattern),
    })
}

/// Engines with files named by their table: `db/stock.ibd`, `db/stock#P#p0.MAD`.
fn tables_by_name(
    sizes: &[FileSizes],
    engine: &EngineSpec,
    database: &str,
) -> BTreeMap<String, u64> {
    let mut tables = BTreeMap::new();
    for file in sizes {
        let path = file.path.to_string_lossy();
        let Some((folder, name)) = path.split_once('/') else { continue };
        if folder != database || !matches(&path, name, engine.data_files) {
            continue;
        }
        let table = name.split('.').next().unwrap_or(name);
        let table = table.split(['#', '@']).next().unwrap_or(table);
        *tables.entry(table.to_string()).or_insert(0) += file.blocks;
    }
    tables
}

fn text(row: &dyn RowView, column: usize) -> String {
    row.text(column).map_or_else(String::new, |text| String::from_utf8_lossy(&text).into_owned())
}

/// RocksDB keeps rows of all tables in the same files, and says how many bytes of which index each
/// file holds.
fn rocksdb_tables(
    session: &mut dyn Session,
    sizes: &[FileSizes],
    database: &str,
) -> Result<BTreeMap<String, u64>, SqlError> {
    let mut parts: Vec<(String, Option<String>, u64)> = Vec::new();
    session.text_visit(
        "SELECT f.SST_NAME, d.TABLE_SCHEMA, d.TABLE_NAME, f.DATA_SIZE \
         FROM information_schema.ROCKSDB_INDEX_FILE_MAP f \
         LEFT JOIN information_schema.ROCKSDB_DDL d \
         ON d.COLUMN_FAMILY = f.COLUMN_FAMILY AND d.INDEX_NUMBER = f.INDEX_NUMBER",
        &mut |row| {
            let table = (text(row, 1) == database).then(|| text(row, 2));
            let bytes = row.int(3).and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(0);
            parts.push((text(row, 0), table, bytes));
            true
        },
    )?;
    Ok(share_out(sizes, &parts))
}

/// Gives each table its share of each file: (file name, table, bytes of keys and values).
fn share_out(
    sizes: &[FileSizes],
    parts: &[(String, Option<String>, u64)],
) -> BTreeMap<String, u64> {
    let mut tables: BTreeMap<String, u64> = BTreeMap::new();
    for file in sizes {
        let name = file.path.file_name().map(|name| name.to_string_lossy());
        let of_file = parts.iter().filter(|(sst, ..)| Some(sst.as_str()) == name.as_deref());
        let whole: u64 = of_file.clone().map(|(_, _, bytes)| bytes).sum();
        for (_, table, bytes) in of_file {
            if let Some(table) = table {
                let share = u128::from(file.blocks) * u128::from(*bytes) / u128::from(whole.max(1));
                *tables.entry(table.clone()).or_insert(0) += share as u64;
            }
        }
    }
    tables
}

/// TokuDB's file names do not follow their tables; it has a map.
fn tokudb_tables(
    session: &mut dyn Session,
    sizes: &[FileSizes],
    data_dir: &Path,
    database: &str,
) -> Result<BTreeMap<String, u64>, SqlError> {
    let mut tables = BTreeMap::new();
    session.text_visit(
        "SELECT internal_file_name, table_schema, table_name \
         FROM information_schema.TokuDB_file_map",
        &mut |row| {
            if text(row, 1) == database {
                let file = text(row, 0);
                let inside = file.trim_start_matches("./");
                let found = sizes.iter().find(|size| {
                    size.path == Path::new(inside) || data_dir.join(&size.path) == Path::new(&file)
                });
                *tables.entry(text(row, 2)).or_insert(0) += found.map_or(0, |size| size.blocks);
            }
            true
        },
    )?;
    Ok(tables)
}

/// Bytes of each table of `database` with its indexes as the server reports them, for a server
/// whose files cannot be seen. Engines count in ways of their own: `InnoDB` and most others the pages
/// of a table (`information_schema.TABLES`, which `ANALYZE` has brought up to date), TokuDB its
/// files, RocksDB the keys and values in its files.
pub fn reported(
    session: &mut dyn Session,
    engine: &EngineSpec,
    database: &str,
) -> Result<BTreeMap<String, u64>, SqlError> {
    let of_engine = match engine.storage {
        "ROCKSDB" => Some(format!(
            "SELECT d.TABLE_NAME, SUM(f.DATA_SIZE) FROM information_schema.ROCKSDB_INDEX_FILE_MAP f \
             JOIN information_schema.ROCKSDB_DDL d \
             ON d.COLUMN_FAMILY = f.COLUMN_FAMILY AND d.INDEX_NUMBER = f.INDEX_NUMBER \
             WHERE d.TABLE_SCHEMA = '{database}' GROUP BY d.TABLE_NAME"
        )),
        "TokuDB" => Some(format!(
            "SELECT table_name, SUM(bt_size_allocated) \
             FROM information_schema.TokuDB_fractal_tree_info \
             WHERE table_schema = '{database}' GROUP BY table_name"
        )),
        _ => None,
    };
    if let Some(query) = of_engine {
        return sums(session, &query);
    }
    // MySQL 8 keeps these figures for a day unless it is told not to; others lack the variable.
    let _ = session.text("SET SESSION information_schema_stats_expiry = 0");
    sums(
        session,
        &format!(
            "SELECT TABLE_NAME, DATA_LENGTH + INDEX_LENGTH FROM information_schema.TABLES \
             WHERE TABLE_SCHEMA = '{database}' AND ENGINE = '{}'",
            engine.storage
        ),
    )
}

/// A name and a number a row.
fn sums(session: &mut dyn Session, query: &str) -> Result<BTreeMap<String, u64>, SqlError> {
    let mut sums = BTreeMap::new();
    session.text_visit(query, &mut |row| {
        let bytes = text(row, 1).parse().unwrap_or(0);
        sums.insert(text(row, 0), bytes);
        true
    })?;
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, blocks: u64) -> FileSizes {
        FileSizes { path: path.into(), length: blocks, blocks }
    }

    #[test]
    fn files_are_told_apart_by_engine() {
        let kind =
            |engine: &str, path: &str| super::kind(path, EngineSpec::find(engine).unwrap(), "tpcc");
        for (engine, path, expected) in [
            ("innodb", "tpcc/stock.ibd", FileKind::Data),
            ("innodb", "mysql/innodb_index_stats.ibd", FileKind::Other),
            ("innodb", "ibdata1", FileKind::Other),
            ("innodb", "ib_logfile0", FileKind::Log),
            ("innodb", "#innodb_redo/#ib_redo7", FileKind::Log),
            ("innodb", "undo001", FileKind::Log),
            ("innodb", "#ib_16384_0.dblwr", FileKind::Log),
            ("innodb", "binlog.000001", FileKind::Log),
            ("innodb", "aria_log.00000001", FileKind::Other),
            ("innodb", "#rocksdb/000015.sst", FileKind::Other),
            ("rocksdb", "#rocksdb/000015.sst", FileKind::Data),
            ("rocksdb", "#rocksdb/000012.log", FileKind::Log),
            ("rocksdb", "#rocksdb/MANIFEST-000005", FileKind::Log),
            ("rocksdb", "tpcc/stock.ibd", FileKind::Other),
            ("aria", "tpcc/stock.MAD", FileKind::Data),
            ("aria", "mysql/user.MAD", FileKind::Other),
            ("aria", "aria_log.00000001", FileKind::Log),
            ("myisam", "tpcc/stock.MYI", FileKind::Data),
            ("tokudb", "_tpcc_stock_main_7_1_1b.tokudb", FileKind::Data),
            ("tokudb", "log000000000002.tokulog27", FileKind::Log),
            ("tokudb", "tc.log", FileKind::Log),
            ("sqlite", "bench.db", FileKind::Data),
            ("sqlite", "bench.db-wal", FileKind::Log),
        ] {
            assert_eq!(kind(engine, path), expected, "{engine} {path}");
        }
    }

    #[test]
    fn partitions_count_for_their_table() {
        let files = [
            file("tpcc/stock#P#p0.ibd", 100),
            file("tpcc/stock#P#p1.ibd", 50),
            file("tpcc/item.ibd", 7),
            file("tpcc/item.frm", 9),
            file("other/item.ibd", 1000),
        ];
        let tables = tables_by_name(&files, EngineSpec::find("innodb").unwrap(), "tpcc");
        assert_eq!(tables, BTreeMap::from([("item".into(), 7), ("stock".into(), 150)]));
    }

    #[test]
    fn a_file_of_several_tables_is_shared_out_by_their_bytes() {
        let files = [file("#rocksdb/000015.sst", 4000), file("#rocksdb/000016.sst", 100)];
        let parts = [
            ("000015.sst".to_string(), Some("stock".to_string()), 300),
            ("000015.sst".to_string(), Some("item".to_string()), 50),
            ("000015.sst".to_string(), Some("item".to_string()), 50),
            ("000016.sst".to_string(), None, 10),
        ];
        let tables = share_out(&files, &parts);
        assert_eq!(tables, BTreeMap::from([("item".into(), 1000), ("stock".into(), 3000)]));
    }
}
