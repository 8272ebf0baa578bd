//! The engine table: one row a storage engine, with everything that differs between engines and
//! that a fair comparison must know. Adding an engine is adding a row (`table.rs`).

pub mod counters;
mod table;

pub use table::ENGINES;

/// Where an engine can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// In a server of the MySQL family.
    Server,
    /// In the process of enginecmp.
    InProcess,
}

/// How rows can be brought in fastest without breaking anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulkPath {
    /// LOAD DATA LOCAL streamed over the connection.
    LoadDataLocal,
    /// LOAD DATA INFILE from a file on the server's machine, because LOCAL bypasses the loader.
    LoadDataFile,
    /// One prepared INSERT, a row at a time: no connection lies between that would make larger
    /// statements worth while.
    PreparedRows,
}

/// How an engine is brought to rest after a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settle {
    /// Nothing is left behind.
    Nothing,
    /// Flush dirty pages until few are left (InnoDB).
    FlushDirtyPages,
    /// Flush the memtable and compact until nothing is pending (RocksDB).
    FlushAndCompact,
    /// Force a checkpoint (TokuDB).
    Checkpoint,
    /// FLUSH TABLES (Aria, MyISAM).
    FlushTables,
    /// Write-ahead log truncated (SQLite).
    TruncateLog,
}

/// How a compression or row format is written in DDL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompressionSyntax {
    /// The engine has none per table.
    None,
    /// ROW_FORMAT=COMPRESSED or page compression by table option (InnoDB).
    InnodbTableOption,
    /// By server option for column families (RocksDB).
    ColumnFamilyOption,
    /// ROW_FORMAT=TOKUDB_x or COMPRESSION=TOKUDB_x by family (TokuDB).
    TokudbRowFormat,
}

/// What a script asks of an engine that it cannot do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignKeys {
    /// Enforced.
    Enforced,
    /// CREATE fails.
    Refused,
    /// Accepted and dropped without a word.
    DroppedSilently,
}

/// What an engine takes in DDL. Measured on MariaDB 10.11; TokuDB's from its documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DdlLimits {
    /// Generated columns.
    pub generated_columns: bool,
    /// Indexes on generated columns that are not stored.
    pub virtual_indexes: bool,
    /// Descending index columns.
    pub descending_keys: bool,
    /// CREATE TEMPORARY TABLE.
    pub temporary_tables: bool,
    /// CREATE SEQUENCE.
    pub sequences: bool,
    /// ALTER TABLE ... EXCHANGE PARTITION.
    pub exchange_partitions: bool,
    /// An AUTO_INCREMENT column that is not the first of its key.
    pub late_auto_increment: bool,
    /// UNIQUE over more than the longest key; MariaDB makes a hash of it.
    pub unique_hash: bool,
    /// Longest key, bytes.
    pub key_bytes: u64,
    /// Longest column of a key, bytes.
    pub key_part_bytes: u64,
    /// Longest row of columns that cannot leave the page, bytes, at the default page size; 0 where
    /// only the server's limit of 65535 holds.
    pub row_bytes: u64,
    /// How to get a longer key, where there is a way.
    pub longer_keys: Option<&'static str>,
}

impl DdlLimits {
    /// An engine that takes everything that the server takes.
    pub const ALL: Self = Self {
        generated_columns: true,
        virtual_indexes: true,
        descending_keys: true,
        temporary_tables: true,
        sequences: true,
        exchange_partitions: true,
        late_auto_increment: true,
        unique_hash: true,
        key_bytes: 3072,
        key_part_bytes: 3072,
        row_bytes: 0,
        longer_keys: None,
    };
}

/// One storage engine.
#[derive(Clone, Copy, Debug)]
pub struct EngineSpec {
    /// The name as `information_schema.ENGINES` has it.
    pub storage: &'static str,
    /// Other names that mean it.
    pub aliases: &'static [&'static str],
    /// Where it runs.
    pub home: Home,
    /// Shared library to load when it is not built in (`ha_rocksdb`); the family's suffix is added.
    pub plugin: Option<&'static str>,
    /// What it needs beside its plugin, in words for people.
    pub needs: &'static [&'static str],
    /// BEGIN, COMMIT and ROLLBACK mean something.
    pub transactional: bool,
    /// Rows survive a restart.
    pub persistent: bool,
    /// Server option for its cache.
    pub cache_option: Option<&'static str>,
    /// Smallest cache it starts with; given to engines not under test. Bytes.
    pub cache_minimum: u64,
    /// Option lines for `io direct`.
    pub direct_io: &'static [(&'static str, &'static str)],
    /// Option lines for `io buffered`.
    pub buffered_io: &'static [(&'static str, &'static str)],
    /// Whether it can read and write past the page cache at all.
    pub can_direct_io: bool,
    /// Option and value that make each commit durable.
    pub durable_on_commit: &'static [(&'static str, &'static str)],
    /// Session or global variable for its lock wait limit, and how many of its units a second has.
    pub lock_wait: Option<(&'static str, u64)>,
    /// Option lines that turn deadlock detection on.
    pub deadlock_detection: &'static [(&'static str, &'static str)],
    /// Isolation levels that it really offers, as SQL writes them.
    pub isolation: &'static [&'static str],
    /// What it does with foreign keys.
    pub foreign_keys: ForeignKeys,
    /// FULLTEXT indexes.
    pub fulltext: bool,
    /// SPATIAL indexes.
    pub spatial: bool,
    /// TEXT and BLOB columns.
    pub blobs: bool,
    /// What else it takes in DDL.
    pub ddl: DdlLimits,
    /// Values that `row_format` takes, upper case.
    pub row_formats: &'static [&'static str],
    /// Algorithms that `compression` takes.
    pub compressions: &'static [&'static str],
    /// How they are written.
    pub compression_syntax: CompressionSyntax,
    /// Bulk path.
    pub bulk: BulkPath,
    /// Session statements before bulk loading a table in key order, and after.
    pub bulk_session: (&'static [&'static str], &'static [&'static str]),
    /// Rows in one transaction while loading without a bulk mode; 0 for no bound.
    pub commit_rows: u64,
    /// May `unique_checks=0` be used while loading?
    pub unique_checks_off: bool,
    /// Several loaders of one table may run at once.
    pub parallel_load_of_one_table: bool,
    /// How it settles.
    pub settle: Settle,
    /// File name patterns of data files (suffixes), and of directories that are wholly its own.
    pub data_files: &'static [&'static str],
    /// Patterns of log files.
    pub log_files: &'static [&'static str],
    /// What is sampled of it every second, beside [`counters::SERVER`].
    pub counters: &'static [counters::Counter],
    /// How to get it when a server lacks it.
    pub how_to_get: &'static str,
}

impl EngineSpec {
    /// The engine with this name or alias, without regard to case.
    pub fn find(name: &str) -> Option<&'static Self> {
        ENGINES.iter().find(|engine| {
            engine.storage.eq_ignore_ascii_case(name)
                || engine.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(name))
        })
    }
}
