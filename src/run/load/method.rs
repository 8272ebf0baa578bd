//! How rows are brought into an engine: the fastest way that the engine takes and the server
//! allows.

use crate::engine::{BulkPath, EngineSpec};
use crate::target::Capabilities;
use crate::target::session::BulkMethod;

/// Rows in one INSERT where LOAD DATA cannot be had.
const ROWS: u64 = 1000;

/// Rows in one transaction of INSERTs for an engine that sets no bound.
const ROWS_A_TRANSACTION: u64 = 10_000;

/// The way that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Method {
    pub(super) bulk: BulkMethod,
    /// Session statements before each stretch of rows, and after it.
    pub(super) before: &'static [&'static str],
    pub(super) after: &'static [&'static str],
    /// One loader takes all parts of a table, one after the other.
    pub(super) whole_tables: bool,
    /// For the journal: `load data local, rocksdb bulk load`.
    pub(super) path: String,
}

/// Chooses. `session_mode` says whether the engine's bulk-load session statements are accepted and
/// rows come in key order, as such modes want them; `rows` how many rows an INSERT shall have, none
/// for the fastest way.
pub(super) fn choose(
    spec: &EngineSpec,
    capabilities: Capabilities,
    rows: Option<u64>,
    session_mode: bool,
) -> Method {
    let (before, after) = if session_mode { spec.bulk_session } else { (&[][..], &[][..]) };
    let insert = |rows: u64| {
        let bound = if spec.commit_rows == 0 { ROWS_A_TRANSACTION } else { spec.commit_rows };
        let rows = rows.max(1);
        let statements = (bound / rows).max(1);
        (BulkMethod::MultiRowInsert { rows, statements }, format!("rows {rows}"))
    };
    let row_by_row = || {
        let bulk = BulkMethod::MultiRowInsert { rows: 1, statements: ROWS_A_TRANSACTION };
        (bulk, format!("rows 1, commit every {ROWS_A_TRANSACTION} rows"))
    };
    let has_mode = before.iter().any(|statement| statement.contains("bulk_load"));
    let (bulk, mut path) = match rows {
        // Asked for or not, such an engine takes no more than one row a statement.
        _ if spec.bulk == BulkPath::PreparedRows => row_by_row(),
        Some(rows) => insert(rows),
        None => match spec.bulk {
            BulkPath::LoadDataLocal if capabilities.load_data_local => {
                let commit_rows = if has_mode { 0 } else { spec.commit_rows };
                let path = match commit_rows {
                    0 => "load data local".to_string(),
                    rows => format!("load data local, commit every {rows} rows"),
                };
                (BulkMethod::LoadDataLocal { commit_rows }, path)
            }
            BulkPath::LoadDataFile if capabilities.load_data_file => {
                (BulkMethod::LoadDataFile, "load data from a file".to_string())
            }
            _ => insert(ROWS),
        },
    };
    if has_mode {
        path = format!("{path}, {} bulk load", spec.storage.to_lowercase());
    }
    let whole_tables = !spec.parallel_load_of_one_table;
    Method { bulk, before, after, whole_tables, path }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(engine: &str, local: bool, rows: Option<u64>, session_mode: bool) -> Method {
        let capabilities = Capabilities {
            restart: true,
            files: true,
            load_data_local: local,
            load_data_file: true,
            max_packet: 16 << 20,
            concurrent_writers: true,
        };
        let spec = EngineSpec::find(engine).expect("a known engine");
        choose(spec, capabilities, rows, session_mode)
    }

    #[test]
    fn each_engine_gets_the_fastest_way_that_is_safe_for_it() {
        let path = |engine, local, session_mode| method(engine, local, None, session_mode).path;
        assert_eq!(path("InnoDB", true, true), "load data local");
        assert_eq!(path("RocksDB", true, true), "load data local, rocksdb bulk load");
        assert_eq!(path("RocksDB", true, false), "load data local, commit every 100000 rows");
        assert_eq!(path("RocksDB", false, true), "rows 1000, rocksdb bulk load");
        assert_eq!(path("TokuDB", true, true), "load data from a file");
        assert_eq!(path("Aria", false, true), "rows 1000");
        assert_eq!(path("SQLite", false, true), "rows 1, commit every 10000 rows");
    }

    #[test]
    fn asked_rows_are_taken_and_transactions_stay_bounded() {
        let rocks = method("RocksDB", true, Some(500), false);
        assert_eq!(rocks.bulk, BulkMethod::MultiRowInsert { rows: 500, statements: 200 });
        let inno = method("InnoDB", true, Some(100_000), true);
        assert_eq!(inno.bulk, BulkMethod::MultiRowInsert { rows: 100_000, statements: 1 });
        let sqlite = method("SQLite", false, Some(500), true);
        assert_eq!(sqlite.bulk, BulkMethod::MultiRowInsert { rows: 1, statements: 10_000 });
        assert_eq!(sqlite.path, "rows 1, commit every 10000 rows");
    }

    #[test]
    fn engines_that_lock_an_empty_table_get_one_loader_a_table() {
        assert!(method("TokuDB", true, None, true).whole_tables);
        assert!(!method("InnoDB", true, None, true).whole_tables);
    }
}
