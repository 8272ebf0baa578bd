//! A workload on any engine: loading with several connections, running clients, checksums.

use enginecmp::engine::EngineSpec;
use enginecmp::model::SettingValue;
use enginecmp::target::session::{BulkMethod, BulkTable, Session};
use enginecmp::workload::checksum::{ChecksumSink, read_back};
use enginecmp::workload::{
    CheckMoment, Checked, Client, Drive, Parameters, TableChecksum, TableLoad, TablePart,
    TransactionEnd, Workload, WorkloadKind,
};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Makes connections.
pub(crate) type Connect<'c> = dyn Fn() -> Box<dyn Session> + Sync + 'c;

/// The seed of all data here.
pub(crate) const SEED: u64 = 20_240_101;

/// A workload of a kind with these parameters.
pub(crate) fn make(kind: &str, parameters: &[(&str, SettingValue)]) -> Box<dyn Workload> {
    let parameters: Parameters =
        parameters.iter().map(|(name, value)| ((*name).to_string(), value.clone())).collect();
    let kind = WorkloadKind::find(kind).unwrap_or_else(|| panic!("{kind} is registered"));
    (kind.make)(&parameters).unwrap_or_else(|error| panic!("{}", error.message))
}

/// A word as the value of a parameter.
pub(crate) fn word(word: &str) -> SettingValue {
    SettingValue::Word(word.to_string())
}

/// TPC-C at 1 % density.
pub(crate) fn tpcc(mode: &str, warehouses: u64, active: u64) -> Box<dyn Workload> {
    make(
        "tpcc",
        &[
            ("mode", word(mode)),
            ("warehouses", SettingValue::Count(warehouses)),
            ("active", SettingValue::Count(active)),
            ("density", SettingValue::Percent(1.0)),
        ],
    )
}

/// Loads every part of every table by `threads` connections, in the way that the engine takes, and
/// demands exact counts and no warning.
pub(crate) fn load(
    connect: &Connect<'_>,
    workload: &dyn Workload,
    threads: usize,
    method: BulkMethod,
    engine: &EngineSpec,
) {
    let tables = workload.tables();
    for wave in waves(&tables, engine.parallel_load_of_one_table) {
        let jobs = Mutex::new(wave.into_iter());
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let mut session = connect();
                    loop {
                        let job = jobs.lock().expect("no loader panicked").next();
                        let Some((table, parts)) = job else { break };
                        set(session.as_mut(), engine.bulk_session.0);
                        for part in parts {
                            load_part(session.as_mut(), workload, table, *part, method);
                        }
                        set(session.as_mut(), engine.bulk_session.1);
                    }
                });
            }
        });
    }
}

/// What can be loaded at once. Loaders that find a table of InnoDB empty want all of it and
/// deadlock, so its first part comes before its others.
fn waves(tables: &[TableLoad], by_part: bool) -> Vec<Vec<(&TableLoad, &[TablePart])>> {
    if by_part {
        let first = tables.iter().map(|table| (table, &table.parts[..1])).collect();
        let others = tables
            .iter()
            .flat_map(|table| table.parts[1..].chunks(1).map(move |part| (table, part)));
        vec![first, others.collect()]
    } else {
        vec![tables.iter().map(|table| (table, table.parts.as_slice())).collect()]
    }
}

fn set(session: &mut dyn Session, settings: &[&str]) {
    for setting in settings {
        session.text(setting).unwrap_or_else(|error| panic!("{setting}: {error}"));
    }
}

fn load_part(
    session: &mut dyn Session,
    workload: &dyn Workload,
    table: &TableLoad,
    part: TablePart,
    method: BulkMethod,
) {
    let columns: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let bulk = BulkTable { table: &table.table, columns: &columns, method };
    let mut rows = workload.rows(SEED, &table.table, part.part);
    let outcome = session
        .bulk_load(&bulk, rows.as_mut())
        .unwrap_or_else(|error| panic!("{}: {error}", table.table));
    let seen = (outcome.sent, outcome.taken, outcome.warnings);
    assert_eq!(seen, (part.rows, part.rows, 0), "{}: {:?}", table.table, outcome.warning_texts);
}

/// Checksums of all tables, read back.
pub(crate) fn checksums(
    session: &mut dyn Session,
    workload: &dyn Workload,
) -> BTreeMap<String, TableChecksum> {
    let sums = workload.tables().into_iter().map(|table| {
        let sum = read_back(session, &table.table, &table.columns);
        (table.table, sum.unwrap_or_else(|error| panic!("{error}")))
    });
    sums.collect()
}

/// Checksums of all tables as they are generated.
pub(crate) fn generated(workload: &dyn Workload) -> BTreeMap<String, TableChecksum> {
    let sums = workload.tables().into_iter().map(|table| {
        let mut sink = ChecksumSink::default();
        for part in &table.parts {
            let mut rows = workload.rows(SEED, &table.table, part.part);
            while rows.next_row(&mut sink) {}
        }
        (table.table, sink.checksum)
    });
    sums.collect()
}

/// What clients did.
#[derive(Debug, Default)]
pub(crate) struct Ran {
    /// Committed, by type.
    pub(crate) committed: Vec<u64>,
    /// Rolled back as intended, by type.
    pub(crate) rolled_back: Vec<u64>,
    /// Attempts that a deadlock or lock wait ended.
    pub(crate) retries: u64,
}

/// Runs `transactions` on each of `clients` connections, again after deadlocks and lock waits.
pub(crate) fn run(
    connect: &Connect<'_>,
    workload: &dyn Workload,
    clients: usize,
    transactions: usize,
) -> Ran {
    let dialect = connect().dialect();
    let Drive::Clients(factory) = workload.drive(dialect) else { panic!("it has clients") };
    factory.begin_repetition(SEED);
    let types = workload.transaction_types().len();
    let sum =
        Mutex::new(Ran { committed: vec![0; types], rolled_back: vec![0; types], retries: 0 });
    std::thread::scope(|scope| {
        for number in 0..clients {
            let mut client = factory.client(number, clients, SEED + number as u64);
            let sum = &sum;
            scope.spawn(move || {
                let mut session = connect();
                client.prepare(session.as_mut()).unwrap_or_else(|error| panic!("{error}"));
                for _ in 0..transactions {
                    let kind = client.draw();
                    let (end, retries) = until_it_ends(client.as_mut(), session.as_mut());
                    let mut sum = sum.lock().expect("no client panicked");
                    sum.retries += retries;
                    match end {
                        TransactionEnd::Committed => sum.committed[kind] += 1,
                        TransactionEnd::RolledBack => sum.rolled_back[kind] += 1,
                    }
                }
            });
        }
    });
    sum.into_inner().expect("no client panicked")
}

fn until_it_ends(client: &mut dyn Client, session: &mut dyn Session) -> (TransactionEnd, u64) {
    for retries in 0..1000 {
        match client.attempt(session) {
            Ok(end) => return (end, retries),
            Err(error) if error.can_retry() => {
                session.rollback().unwrap_or_else(|error| panic!("{error}"));
            }
            Err(error) => panic!("{error}"),
        }
    }
    panic!("a transaction was tried a thousand times");
}

/// Checks that are violated and not tolerated.
pub(crate) fn violations(checked: &[Checked]) -> Vec<String> {
    let violated = checked.iter().filter(|checked| checked.violations > 0 && !checked.tolerated);
    violated.map(|checked| format!("{} ({})", checked.name, checked.detail)).collect()
}

/// The check after a load.
pub(crate) fn check_load(session: &mut dyn Session, workload: &dyn Workload) -> Vec<Checked> {
    workload
        .check(session, &CheckMoment::AfterLoad { by_others: false })
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The check after a repetition.
pub(crate) fn check_run(
    session: &mut dyn Session,
    workload: &dyn Workload,
    ran: &Ran,
    before: &BTreeMap<String, i64>,
) -> Vec<Checked> {
    let moment = CheckMoment::AfterRepetition {
        committed: ran.committed.clone(),
        before: before.clone(),
        uncertain: 0,
    };
    workload.check(session, &moment).unwrap_or_else(|error| panic!("{error}"))
}
