//! Workloads on a real MariaDB, engine by engine.

use crate::support::mariadb::Mariadb;
use crate::support::workload::{Connect, Ran, load, run};
use enginecmp::engine::EngineSpec;
use enginecmp::schema::{Transform, phases, transform};
use enginecmp::target::session::{BulkMethod, Session};
use enginecmp::workload::{TableLoad, Workload};

/// An engine with what its server needs.
pub(crate) struct Engine {
    pub(crate) storage: &'static str,
    pub(crate) server: &'static [&'static str],
}

/// InnoDB.
pub(crate) const INNODB: Engine =
    Engine { storage: "InnoDB", server: &["--innodb-buffer-pool-size=64M"] };

/// RocksDB, as loaded plugin.
pub(crate) const ROCKSDB: Engine = Engine {
    storage: "RocksDB",
    server: &[
        "--plugin-load-add=ha_rocksdb",
        "--rocksdb-block-cache-size=64M",
        "--rocksdb-flush-log-at-trx-commit=0",
        "--rocksdb-lock-wait-timeout=5",
        "--rocksdb-deadlock-detect=ON",
        "--transaction-isolation=READ-COMMITTED",
    ],
};

/// A server with the data of the workload in an engine.
pub(crate) fn loaded(engine: &Engine, workload: &dyn Workload) -> Mariadb {
    let server = Mariadb::start(engine.server);
    fill(&server, engine.storage, workload);
    server
}

/// Brings the data of the workload in, in place of what is there.
pub(crate) fn fill(server: &Mariadb, storage: &str, workload: &dyn Workload) {
    let mut session = server.connect();
    let source = workload.source_ddl();
    let spec = EngineSpec::find(storage).expect("the engine is in the table");
    let change = Transform {
        storage: Some(spec),
        family: "mariadb".to_string(),
        strip_foreign_keys: storage == "RocksDB",
        keep_foreign_key_indexes: true,
        charset: Some(("latin1".to_string(), "latin1_bin".to_string())),
        ..Transform::default()
    };
    let script = [source.tables, source.indexes, source.foreign_keys].concat();
    let phases = phases(&transform(&script, &change).statements);
    let mut all = |statements: &[String]| {
        for sql in statements {
            session.text(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        }
    };
    let drop = |table: &TableLoad| format!("DROP TABLE IF EXISTS {}", table.table);
    all(&workload.tables().iter().map(drop).collect::<Vec<_>>());
    all(&phases.tables);
    let connect = || -> Box<dyn Session> { Box::new(server.connect()) };
    let method = BulkMethod::LoadDataLocal { commit_rows: 0 };
    load(&connect, workload, 3, method, spec);
    all(&phases.indexes);
    all(&phases.foreign_keys);
}

/// Runs clients on it.
pub(crate) fn run_on(
    server: &Mariadb,
    workload: &dyn Workload,
    clients: usize,
    transactions: usize,
) -> Ran {
    let connect = || -> Box<dyn Session> { Box::new(server.connect()) };
    let connect: &Connect<'_> = &connect;
    run(connect, workload, clients, transactions)
}
