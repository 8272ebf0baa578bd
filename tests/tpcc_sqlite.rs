//! TPC-C on SQLite inside the process: everything but a server.

use crate::support::conditions;
use crate::support::sqlite::loaded;
use crate::support::workload::{
    Connect, SEED, check_load, check_run, checksums, generated, run, tpcc, violations,
};

fn runs_and_keeps_its_conditions(mode: &str, row_format: &str) {
    let folder = tempfile::tempdir().unwrap();
    let workload = tpcc(mode, 3, 2);
    let running = loaded(folder.path(), workload.as_ref(), row_format);
    let mut session = running.connect(0).unwrap();
    assert_eq!(checksums(session.as_mut(), workload.as_ref()), generated(workload.as_ref()));
    let checked = check_load(session.as_mut(), workload.as_ref());
    assert_eq!(violations(&checked), Vec::<String>::new());
    assert_eq!(checked.len(), 12 + 10 + 9);

    let before = workload.growth_counters(Some(SEED), session.as_mut()).unwrap();
    let connect = || running.connect(0).unwrap();
    let connect: &Connect<'_> = &connect;
    let ran = run(connect, workload.as_ref(), 2, 230);
    assert!(ran.committed.iter().all(|&count| count > 0), "{ran:?}");
    let checked = check_run(session.as_mut(), workload.as_ref(), &ran, &before);
    assert_eq!(violations(&checked), Vec::<String>::new());

    // Counted for real, now that the year-to-date sums have moved.
    let again = workload.growth_counters(Some(SEED), session.as_mut()).unwrap();
    assert_eq!(again["history"] - before["history"], ran.committed[1] as i64);
    assert_eq!(again["orders"] - before["orders"], ran.committed[0] as i64);
    let more = run(connect, workload.as_ref(), 1, 50);
    let checked = check_run(session.as_mut(), workload.as_ref(), &more, &again);
    assert_eq!(violations(&checked), Vec::<String>::new());
}

#[test]
fn the_standard_keeps_every_condition_on_rowids() {
    runs_and_keeps_its_conditions("spec", "rowid");
}

#[test]
fn the_standard_keeps_every_condition_without_rowids() {
    runs_and_keeps_its_conditions("spec", "without_rowid");
}

#[test]
fn tpcc_mysql_keeps_the_conditions_that_apply_to_it() {
    runs_and_keeps_its_conditions("tpcc_mysql", "rowid");
}

#[test]
fn what_breaks_a_condition_is_found_in_active_warehouses_and_after_a_load_in_all() {
    let folder = tempfile::tempdir().unwrap();
    let workload = tpcc("spec", 3, 2);
    let running = loaded(folder.path(), workload.as_ref(), "rowid");
    let mut session = running.connect(0).unwrap();
    // An engine that has no foreign keys would take all of this.
    session.text("PRAGMA foreign_keys = OFF").unwrap();
    let before = workload.growth_counters(Some(SEED), session.as_mut()).unwrap();
    let nothing = crate::support::workload::Ran { committed: vec![0; 5], ..Default::default() };
    let mut names = |sql: &str, after_load: bool| -> Vec<String> {
        session.text("SAVEPOINT planted").unwrap();
        assert_eq!(session.text(sql).unwrap().affected, 1, "{sql}");
        let checked = if after_load {
            check_load(session.as_mut(), workload.as_ref())
        } else {
            check_run(session.as_mut(), workload.as_ref(), &nothing, &before)
        };
        if after_load {
            // Queries that were written for themselves see the same conditions violated.
            let own = checked.iter().filter(|checked| checked.violations > 0);
            let own = own.filter_map(|checked| {
                checked.name.strip_prefix("condition 3.3.2.").and_then(|number| number.parse().ok())
            });
            assert_eq!(
                own.collect::<Vec<usize>>(),
                conditions::violated(session.as_mut()),
                "{sql}"
            );
        }
        session.text("ROLLBACK TO planted").unwrap();
        let violated = checked.iter().filter(|checked| checked.violations > 0);
        violated.map(|checked| checked.name.replace("condition 3.3.2.", "")).collect()
    };
    let none = Vec::<String>::new();
    let pay =
        |warehouse| format!("UPDATE warehouse SET w_ytd = w_ytd + 1 WHERE w_id = {warehouse}");
    assert_eq!(names(&pay(2), false), ["1", "8"]);
    assert_eq!(names(&pay(3), false), none, "warehouse 3 is not active");
    assert_eq!(names(&pay(3), true), ["1", "8"]);
    let district = "WHERE d_w_id = 1 AND d_id = 1";
    let sql = format!("UPDATE district SET d_ytd = d_ytd + 1 {district}");
    assert_eq!(names(&sql, true), ["1", "9"]);
    let sql = format!("UPDATE district SET d_next_o_id = d_next_o_id + 1 {district}");
    assert_eq!(names(&sql, false), ["2", "orders growth"]);
    assert_eq!(names(&sql, true), ["2"]);

    let sql = "DELETE FROM new_orders WHERE no_w_id = 1 AND no_d_id = 1 AND no_o_id = 25";
    assert_eq!(names(sql, true), ["3", "5", "11", "rows of new_orders"]);
    let line = "WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 1 AND ol_number = 1";
    let sql = format!("DELETE FROM order_line {line}");
    assert_eq!(names(&sql, false), ["4", "6"]);
    assert_eq!(names(&sql, true), ["4", "6", "rows of order_line"]);
    let sql = format!("UPDATE order_line SET ol_delivery_d = NULL {line}");
    assert_eq!(names(&sql, true), ["7"]);
    let sql = format!("UPDATE order_line SET ol_amount = 1 {line}");
    assert_eq!(names(&sql, true), ["10", "12"]);
    let customer = "WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 1";
    let sql = format!("UPDATE customer SET c_ytd_payment = 0 {customer}");
    assert_eq!(names(&sql, true), ["12"]);

    let sql = "UPDATE stock SET s_i_id = 1001 WHERE s_w_id = 1 AND s_i_id = 1";
    assert_eq!(names(sql, true), ["foreign key fkey_stock_2"]);
    let sql = "DELETE FROM item WHERE i_id = 1000";
    assert_eq!(names(sql, true), ["foreign key fkey_stock_2", "rows of item"]);
    let sql = "INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_amount) \
               VALUES (31, 1, 1, 1, 1, 0)";
    assert_eq!(names(sql, false), ["foreign key fkey_history_1", "history growth"]);
}
