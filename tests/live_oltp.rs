//! sysbench's OLTP workloads on a real MariaDB: every engine gets the same rows, every workload
//! runs and keeps what must hold, and what is planted is found.

use crate::support::live::{ROCKSDB, fill, run_on};
use crate::support::mariadb::Mariadb;
use crate::support::oltp::{KINDS, bulk_insert, insert_benchmark, oltp};
use crate::support::workload::{
    SEED, check_load, check_run, checksums, generated, violations, word,
};
use enginecmp::model::SettingValue;
use enginecmp::target::session::Session;
use enginecmp::workload::Workload;

const CLIENTS: usize = 3;
const TRANSACTIONS: usize = 20;

/// Loads, checks, runs, checks; `gated` as an engine with transactions is.
fn whole_way(server: &Mariadb, storage: &str, workload: &dyn Workload, gated: bool) {
    let what = format!("{} on {storage}", workload.identity());
    fill(server, storage, workload);
    let mut session = server.connect();
    // Equal to what is generated on every engine, and so to each other.
    assert_eq!(checksums(&mut session, workload), generated(workload), "{what}");
    assert_eq!(violations(&check_load(&mut session, workload)), Vec::<String>::new(), "{what}");
    let before = workload.growth_counters(Some(SEED), &mut session).expect("they are known");
    let ran = run_on(server, workload, CLIENTS, TRANSACTIONS);
    let committed: u64 = ran.committed.iter().sum();
    assert_eq!(committed, (CLIENTS * TRANSACTIONS) as u64, "{what}");
    let checked = check_run(&mut session, workload, &ran, &before);
    if gated {
        assert_eq!(violations(&checked), Vec::<String>::new(), "{what}");
    }
    assert!(checked.len() >= 2, "{what}: {checked:?}");
}

fn every_workload(storage: &str, gated: bool) {
    let server = Mariadb::start(ROCKSDB.server);
    for kind in KINDS {
        whole_way(&server, storage, oltp(kind, &[]).as_ref(), gated);
    }
    whole_way(&server, storage, bulk_insert().as_ref(), gated);
    for order in ["key", "random"] {
        whole_way(&server, storage, insert_benchmark(order).as_ref(), gated);
    }
    // What other settings change in the schema and the rows.
    let off = || word("off");
    for more in [
        &[("auto_inc", off()), ("compressible", SettingValue::Percent(60.0))][..],
        &[("secondary", word("on")), ("create_secondary", off())],
    ] {
        whole_way(&server, storage, oltp("oltp_insert", more).as_ref(), gated);
    }
    let more = [("secondary", word("on")), ("skip_trx", word("on"))];
    whole_way(&server, storage, oltp("oltp_read_only", &more).as_ref(), gated);
}

#[test]
fn every_workload_runs_on_innodb() {
    every_workload("InnoDB", true);
}

#[test]
fn every_workload_runs_on_rocksdb() {
    every_workload("RocksDB", true);
}

#[test]
fn every_workload_runs_on_aria_without_a_gate() {
    every_workload("Aria", false);
}

#[test]
fn what_is_planted_is_found() {
    let server = Mariadb::start(ROCKSDB.server);
    let workload = oltp("oltp_update_index", &[]);
    fill(&server, "InnoDB", workload.as_ref());
    let mut session = server.connect();
    let before = workload.growth_counters(Some(SEED), &mut session).expect("they are known");
    let ran = run_on(&server, workload.as_ref(), 2, 10);
    let mut found = |sql: &str| {
        session.text(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        violations(&check_run(&mut session, workload.as_ref(), &ran, &before))
    };
    assert_eq!(found("DO 0"), Vec::<String>::new());
    let lost = found("UPDATE sbtest1 SET k = k - 1 WHERE id = 7");
    assert!(lost.len() == 1 && lost[0].starts_with("sum of k"), "{lost:?}");
    let shortened = found("UPDATE sbtest2 SET c = 'x' WHERE id IN (1, 2)");
    assert!(shortened[0].starts_with("rows of whole text"), "{shortened:?}");
    let gone = found("DELETE FROM sbtest1 WHERE id = 9");
    assert!(gone.iter().any(|text| text.starts_with("rows (1999 found")), "{gone:?}");
}

#[test]
fn a_client_prepares_as_many_statements_as_the_formula_says() {
    let server = Mariadb::start(&[]);
    let workload = oltp("oltp_read_write", &[]);
    fill(&server, "InnoDB", workload.as_ref());
    let mut session = server.connect();
    let mut prepared = || {
        let mut count = 0;
        let sql = "SHOW GLOBAL STATUS LIKE 'Com_stmt_prepare'";
        let visited = session.text_visit(sql, &mut |row| {
            count = row.int(1).expect("a number");
            true
        });
        visited.expect("a status");
        count
    };
    let before = prepared();
    run_on(&server, workload.as_ref(), 1, 30);
    assert_eq!(prepared() - before, 2 * 9 + 2, "nine for each table, BEGIN and COMMIT, once");
}
