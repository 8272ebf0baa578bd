//! Debian's sysbench and ours on one server: the same tables, and the same statements for each
//! transaction, by the server's own counters.

use crate::support::live::fill;
use crate::support::mariadb::Mariadb;
use crate::support::workload::{make, word};
use enginecmp::model::SettingValue;
use enginecmp::target::session::Session;
use enginecmp::workload::{Drive, Workload};
use std::collections::BTreeMap;
use std::process::Command;

/// Events of each side.
const EVENTS: u64 = 200;
const ROWS: u64 = 1000;

/// What a transaction is made of.
const COUNTERS: &[&str] = &[
    "Com_select",
    "Com_insert",
    "Com_update",
    "Com_delete",
    "Com_replace",
    "Com_begin",
    "Com_commit",
    "Com_rollback",
    "Com_stmt_execute",
    "Com_stmt_prepare",
];

type Counts = BTreeMap<String, i64>;

fn counters(session: &mut dyn Session) -> Counts {
    let mut counts = Counts::new();
    let visited = session.text_visit("SHOW GLOBAL STATUS LIKE 'Com\\_%'", &mut |row| {
        let name = String::from_utf8_lossy(&row.text(0).expect("a name")).into_owned();
        if COUNTERS.contains(&name.as_str()) {
            counts.insert(name, row.int(1).expect("a number"));
        }
        true
    });
    visited.expect("a status");
    counts
}

fn grown(before: &Counts, after: &Counts) -> Counts {
    after.iter().map(|(name, count)| (name.clone(), count - before[name])).collect()
}

fn ddl(session: &mut dyn Session, table: &str) -> String {
    let mut text = String::new();
    let visited = session.text_visit(&format!("SHOW CREATE TABLE {table}"), &mut |row| {
        text = String::from_utf8_lossy(&row.text(1).expect("its DDL")).into_owned();
        true
    });
    visited.unwrap_or_else(|error| panic!("{table}: {error}"));
    text
}

/// Runs a command of sysbench's on the database `theirs`.
fn sysbench(server: &Mariadb, kind: &str, tables: u64, command: &str) {
    let done = Command::new("sysbench")
        .arg(kind)
        .args(["--db-driver=mysql", "--mysql-user=root", "--mysql-db=theirs", "--threads=1"])
        .args(["--rand-type=uniform", "--time=0"])
        .arg(format!("--mysql-socket={}", server.socket().display()))
        .arg(format!("--table-size={ROWS}"))
        .arg(format!("--tables={tables}"))
        .arg(format!("--events={EVENTS}"))
        .arg(command)
        .output()
        .expect("sysbench is missing; apt-get install sysbench");
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && !said.contains("FATAL"), "{kind} {command}: {said}");
}

fn ours(kind: &str, tables: u64) -> Box<dyn Workload> {
    let count = SettingValue::Count;
    if kind == "bulk_insert" {
        return make(kind, &[("tables", count(tables)), ("batch", count(EVENTS))]);
    }
    let mut parameters = vec![("rows", count(ROWS)), ("distribution", word("uniform"))];
    if !kind.starts_with("select") {
        parameters.push(("tables", count(tables)));
    }
    make(kind, &parameters)
}

/// What one client of ours sends to prepare and for `transactions` transactions.
fn run_ours(server: &Mariadb, workload: &dyn Workload, transactions: u64) -> Counts {
    let mut control = server.connect();
    let mut session = server.connect();
    let Drive::Clients(factory) = workload.drive(session.dialect()) else { panic!("clients") };
    let mut client = factory.client(0, 1, 7);
    let before = counters(&mut control);
    client.prepare(&mut session).expect("statements are prepared");
    for _ in 0..transactions {
        client.draw();
        client.attempt(&mut session).expect("one client meets nobody");
    }
    grown(&before, &counters(&mut control))
}

fn run_theirs(server: &Mariadb, kind: &str, tables: u64) -> Counts {
    let mut control = server.connect();
    let before = counters(&mut control);
    sysbench(server, kind, tables, "run");
    grown(&before, &counters(&mut control))
}

#[test]
fn sysbench_and_ours_make_the_same_tables_and_send_the_same_statements() {
    let server = Mariadb::start(&[]);
    let mut session = server.connect();
    let create = "CREATE DATABASE theirs CHARACTER SET latin1 COLLATE latin1_bin";
    session.text(create).expect("a database");
    let check = |session: &mut dyn Session, kind: &str, tables: u64, transactions: u64| {
        let workload = ours(kind, tables);
        fill(&server, "InnoDB", workload.as_ref());
        for table in workload.tables() {
            let (own, other) =
                (ddl(session, &table.table), ddl(session, &format!("theirs.{}", table.table)));
            assert_eq!(own, other, "{kind}");
        }
        let (own, other) =
            (run_ours(&server, workload.as_ref(), transactions), run_theirs(&server, kind, tables));
        assert_eq!(own, other, "{kind}: ours, theirs");
    };
    sysbench(&server, "oltp_read_write", 2, "prepare");
    // Readers first, then those that leave the ids as they are, then the others.
    let kinds = [
        "oltp_read_only",
        "oltp_point_select",
        "oltp_update_index",
        "oltp_update_non_index",
        "oltp_read_write",
        "oltp_write_only",
        "oltp_delete",
        "oltp_insert",
    ];
    for kind in kinds {
        check(&mut session, kind, 2, EVENTS);
    }
    sysbench(&server, "oltp_read_write", 2, "cleanup");
    sysbench(&server, "oltp_read_write", 1, "prepare");
    for kind in ["select_random_points", "select_random_ranges"] {
        check(&mut session, kind, 1, EVENTS);
    }
    sysbench(&server, "oltp_read_write", 1, "cleanup");
    sysbench(&server, "bulk_insert", 1, "prepare");
    // An event of sysbench's is a row here; it sends what it has gathered at the end.
    check(&mut session, "bulk_insert", 1, 1);
}
