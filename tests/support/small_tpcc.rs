//! TPC-C at density 1 %, loaded and driven without a plan: for tests of targets and sessions.

use enginecmp::model::SettingValue;
use enginecmp::target::session::{BulkMethod, BulkTable, ErrorClass, Session};
use enginecmp::target::{Running, sqlite};
use enginecmp::workload::checksum::read_back;
use enginecmp::workload::{
    ClientFactory, Drive, Parameters, TableChecksum, TransactionEnd, Workload, WorkloadKind,
};
use std::collections::BTreeMap;

/// The seed of the rows.
pub(crate) const SEED: u64 = 7;

/// TPC-C with so many warehouses.
pub(crate) fn workload(mode: &str, warehouses: u64) -> Box<dyn Workload> {
    let parameters = Parameters::from([
        ("warehouses".to_string(), SettingValue::Count(warehouses)),
        ("density".to_string(), SettingValue::Percent(1.0)),
        ("mode".to_string(), SettingValue::Word(mode.to_string())),
    ]);
    let kind = WorkloadKind::find("tpcc").expect("TPC-C is registered");
    (kind.make)(&parameters).expect("the parameters fit")
}

/// The statements of a script that has no `;` inside them.
fn statements(script: &str) -> Vec<String> {
    script.split(';').map(str::trim).filter(|sql| !sql.is_empty()).map(str::to_string).collect()
}

/// The schema as a server of the MySQL family takes it: before the rows and after.
pub(crate) fn mysql_schema(workload: &dyn Workload) -> (Vec<String>, Vec<String>) {
    let script = workload.source_ddl();
    let mut after = statements(&script.indexes);
    after.extend(statements(&script.foreign_keys));
    (statements(&script.tables), after)
}

/// The schema as SQLite takes it.
pub(crate) fn sqlite_schema(
    workload: &dyn Workload,
    row_format: &str,
) -> (Vec<String>, Vec<String>) {
    let script = workload.source_ddl();
    let schema = sqlite::ddl::translate(
        &statements(&script.tables),
        &statements(&script.indexes),
        &statements(&script.foreign_keys),
        Some(row_format),
    )
    .expect("SQLite takes TPC-C's schema");
    (schema.tables, schema.indexes)
}

/// Makes the tables, loads every row and makes the indexes; gives what lies in each table.
pub(crate) fn load(
    session: &mut dyn Session,
    workload: &dyn Workload,
    (before, after): &(Vec<String>, Vec<String>),
) -> BTreeMap<String, TableChecksum> {
    for sql in before {
        session.text(sql).unwrap_or_else(|error| panic!("{error}: {sql}"));
    }
    for table in workload.tables() {
        let columns: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        let method = BulkMethod::MultiRowInsert { rows: 500, statements: 10 };
        let bulk = BulkTable { table: &table.table, columns: &columns, method };
        for part in &table.parts {
            let mut rows = workload.rows(SEED, &table.table, part.part);
            let outcome = session.bulk_load(&bulk, rows.as_mut()).expect("the rows fit");
            assert_eq!((outcome.taken, outcome.warnings), (part.rows, 0), "{}", table.table);
        }
    }
    for sql in after {
        session.text(sql).unwrap_or_else(|error| panic!("{error}: {sql}"));
    }
    checksums(session, workload)
}

/// What lies in each table.
pub(crate) fn checksums(
    session: &mut dyn Session,
    workload: &dyn Workload,
) -> BTreeMap<String, TableChecksum> {
    workload
        .tables()
        .iter()
        .map(|table| {
            let sum = read_back(session, &table.table, &table.columns).expect("rows are readable");
            (table.table.clone(), sum)
        })
        .collect()
}

/// What clients did: committed by type, rolled back on purpose, tried again.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) committed: Vec<u64>,
    pub(crate) rolled_back: u64,
    pub(crate) retries: u64,
}

/// Lets each client do so many transactions, all clients at once.
pub(crate) fn drive(
    running: &dyn Running,
    workload: &dyn Workload,
    clients: usize,
    transactions: usize,
) -> Done {
    let dialect = running.connect(0).expect("a connection").dialect();
    let Drive::Clients(factory) = workload.drive(dialect) else {
        panic!("TPC-C runs inside enginecmp")
    };
    factory.begin_repetition(SEED);
    let factory: &dyn ClientFactory = factory.as_ref();
    let types = workload.transaction_types().len();
    let one = |number: usize| {
        let mut done = Done { committed: vec![0; types], ..Done::default() };
        let mut session = running.connect(number).expect("a connection");
        let mut client = factory.client(number, clients, SEED + number as u64);
        client.prepare(session.as_mut()).expect("statements are prepared");
        for _ in 0..transactions {
            let kind = client.draw();
            loop {
                match client.attempt(session.as_mut()) {
                    Ok(TransactionEnd::Committed) => done.committed[kind] += 1,
                    Ok(TransactionEnd::RolledBack) => done.rolled_back += 1,
                    Err(error) => {
                        assert!(error.can_retry(), "{error}");
                        assert_ne!(error.class, ErrorClass::ConnectionLost);
                        session.rollback().expect("a rollback");
                        done.retries += 1;
                        continue;
                    }
                }
                break;
            }
        }
        done
    };
    let mut all = Done { committed: vec![0; types], ..Done::default() };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..clients).map(|number| scope.spawn(move || one(number))).collect();
        for thread in threads {
            let done = thread.join().expect("a client that does not panic");
            for (sum, count) in all.committed.iter_mut().zip(done.committed) {
                *sum += count;
            }
            all.rolled_back += done.rolled_back;
            all.retries += done.retries;
        }
    });
    all
}
