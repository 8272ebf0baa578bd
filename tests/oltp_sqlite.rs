//! sysbench's OLTP workloads on SQLite inside the process.

use crate::support::oltp::{KINDS, bulk_insert, insert_benchmark, oltp};
use crate::support::sqlite::loaded;
use crate::support::workload::{
    SEED, check_load, check_run, checksums, generated, run, violations, word,
};
use enginecmp::workload::Workload;

fn whole_way(workload: &dyn Workload, row_format: &str) {
    let what = workload.identity();
    let folder = tempfile::tempdir().unwrap();
    let running = loaded(folder.path(), workload, row_format);
    let mut session = running.connect(0).unwrap();
    assert_eq!(checksums(session.as_mut(), workload), generated(workload), "{what}");
    assert_eq!(violations(&check_load(session.as_mut(), workload)), Vec::<String>::new(), "{what}");
    let before = workload.growth_counters(Some(SEED), session.as_mut()).unwrap();
    let connect = || running.connect(0).unwrap();
    let ran = run(&connect, workload, 2, 30);
    assert_eq!(ran.committed.iter().sum::<u64>(), 60, "{what}");
    let checked = check_run(session.as_mut(), workload, &ran, &before);
    assert_eq!(violations(&checked), Vec::<String>::new(), "{what}");
}

#[test]
fn every_workload_runs_on_sqlite() {
    for kind in KINDS {
        whole_way(oltp(kind, &[]).as_ref(), "rowid");
    }
    whole_way(bulk_insert().as_ref(), "rowid");
    whole_way(insert_benchmark("random").as_ref(), "rowid");
}

#[test]
fn without_rowid_rows_are_numbered_by_the_clients() {
    let off = [("auto_inc", word("off"))];
    for kind in ["oltp_read_write", "oltp_insert"] {
        whole_way(oltp(kind, &off).as_ref(), "without_rowid");
    }
}
