//! After a load on a real MariaDB: engines come to rest, statistics are made, sizes are told by
//! table.

use crate::support::managed::{self, Bench};
use enginecmp::engine::EngineSpec;
use enginecmp::host::clock::SystemClock;
use enginecmp::target::settle::{Patience, Settled, analyze, settle};
use enginecmp::target::sizes::{DiskUse, FileKind, measure};
use enginecmp::target::{OptionLine, Running};
use std::time::{Duration, Instant};

fn rest(running: &dyn Running, engine: &str) -> Settled {
    let clock = SystemClock::since(Instant::now());
    let patience = Patience { clock: &clock, within: Duration::from_secs(300), go_on: &|| true };
    let mut session = running.connect(0).unwrap();
    settle(session.as_mut(), EngineSpec::find(engine).unwrap(), &patience).unwrap()
}

fn sizes(running: &dyn Running, engine: &str) -> DiskUse {
    let mut session = running.connect(0).unwrap();
    let data = &running.data_dirs()[0];
    measure(session.as_mut(), data, EngineSpec::find(engine).unwrap(), "bench").unwrap()
}

fn value(running: &dyn Running, sql: &str) -> String {
    let mut seen = String::new();
    running
        .connect(0)
        .unwrap()
        .text_visit(sql, &mut |row| {
            let last = row.columns() - 1;
            seen = String::from_utf8_lossy(&row.text(last).unwrap_or_default()).into_owned();
            true
        })
        .unwrap();
    seen
}

/// A large and a small table of `engine`, and one of another engine that must not count.
fn load(running: &dyn Running, engine: &str) {
    let mut session = running.connect(0).unwrap();
    for sql in [
        "CREATE DATABASE bench".to_string(),
        "USE bench".into(),
        format!("CREATE TABLE large (id INT PRIMARY KEY, pad CHAR(200), KEY (pad)) ENGINE={engine}"),
        format!("CREATE TABLE small (id INT PRIMARY KEY) ENGINE={engine}"),
        "CREATE DATABASE elsewhere".into(),
        format!("CREATE TABLE elsewhere.other (id INT PRIMARY KEY) ENGINE={engine}"),
        "INSERT INTO large SELECT seq, CONCAT(MD5(seq), MD5(-seq), MD5(seq + 7)) FROM seq_1_to_60000"
            .into(),
        "INSERT INTO small SELECT seq FROM seq_1_to_1000".into(),
        "INSERT INTO elsewhere.other SELECT seq FROM seq_1_to_60000".into(),
    ] {
        session.text(&sql).unwrap();
    }
}

#[test]
fn innodb_flushes_and_its_settings_hold_again() {
    let bench = Bench::new();
    let mut options = managed::options(&["InnoDB"]);
    options.push(OptionLine::own("innodb_buffer_pool_size", "128M"));
    options.push(OptionLine::own("innodb_io_capacity", "300"));
    options.push(OptionLine::own("innodb_max_dirty_pages_pct", "88"));
    let running = bench.running_with("innodb", options, &["InnoDB"]);
    load(&*running, "InnoDB");
    let dirty = "SHOW GLOBAL STATUS LIKE 'innodb_buffer_pool_pages_dirty'";
    let before: u64 = value(&*running, dirty).parse().unwrap();
    assert!(before > 100, "nothing to flush: {before}");
    assert_eq!(rest(&*running, "InnoDB").unfinished, None);
    let after: u64 = value(&*running, dirty).parse().unwrap();
    assert!(after <= 32, "{after} dirty pages");
    assert_eq!(value(&*running, "SELECT @@innodb_io_capacity"), "300");
    assert_eq!(value(&*running, "SELECT @@innodb_io_capacity_max"), "2000");
    assert_eq!(value(&*running, "SELECT @@innodb_max_dirty_pages_pct"), "88.000000");

    let used = sizes(&*running, "InnoDB");
    assert_eq!(used.tables.keys().collect::<Vec<_>>(), ["large", "small"]);
    assert!(used.tables["large"] > 60_000 * 200, "{used:?}");
    assert_eq!(used.table_bytes(), used.blocks_of(FileKind::Data));
    assert!(used.blocks_of(FileKind::Log) > 0);
    let file = used.files.iter().find(|file| file.path == "bench/large.ibd").unwrap();
    assert_eq!(file.kind, FileKind::Data);
    assert!(file.blocks >= file.length, "no holes: {file:?}");
    running.stop().unwrap();
}

#[test]
fn rocksdb_flushes_its_memtable_and_each_table_gets_its_share_of_the_files() {
    let bench = Bench::new();
    let running = bench.running("rocksdb", &["ROCKSDB"]);
    load(&*running, "ROCKSDB");
    let before = sizes(&*running, "ROCKSDB");
    assert_eq!(before.table_bytes(), 0, "all of it is in memory: {before:?}");
    assert_eq!(rest(&*running, "ROCKSDB").unfinished, None);
    let used = sizes(&*running, "ROCKSDB");
    assert_eq!(used.tables.keys().collect::<Vec<_>>(), ["large", "small"]);
    assert!(used.tables["large"] > 1 << 20, "{used:?}");
    assert!(used.tables["small"] < used.tables["large"] / 100, "{used:?}");
    let files = used.blocks_of(FileKind::Data);
    assert!(used.table_bytes() < files, "the other database's share: {used:?}");
    assert!(used.blocks_of(FileKind::Log) > 0);
    running.stop().unwrap();
}

#[test]
fn engines_without_transactions_are_flushed_and_measured_by_file() {
    let bench = Bench::new();
    for (engine, ending) in [("Aria", "MAD"), ("MyISAM", "MYD")] {
        let running = bench.running(engine, &[engine]);
        load(&*running, engine);
        assert_eq!(rest(&*running, engine).unfinished, None);
        let used = sizes(&*running, engine);
        assert_eq!(used.tables.keys().collect::<Vec<_>>(), ["large", "small"]);
        assert_eq!(used.table_bytes(), used.blocks_of(FileKind::Data));
        let name = format!("bench/large.{ending}");
        let file = used.files.iter().find(|file| file.path == name).unwrap();
        // Aria leaves blanks at the end of a CHAR out.
        assert!(file.length > 60_000 * 90, "{file:?}");
        running.stop().unwrap();
    }
}

#[test]
fn statistics_are_made_on_demand_and_a_failure_is_told() {
    let bench = Bench::new();
    let running = bench.running("statistics", &["InnoDB"]);
    load(&*running, "InnoDB");
    let rows = "SELECT n_rows FROM mysql.innodb_table_stats WHERE table_name = 'large'";
    assert_eq!(value(&*running, rows), "0", "made by chance, not on demand");
    let mut session = running.connect(0).unwrap();
    analyze(session.as_mut(), "bench", &["large", "small"]).unwrap();
    let counted: u64 = value(&*running, rows).parse().unwrap();
    assert!(counted.abs_diff(60_000) < 6_000, "{counted}");
    let error = analyze(session.as_mut(), "bench", &["small", "missing"]).unwrap_err();
    assert!(error.message.contains("bench.missing"), "{error}");
    drop(session);
    running.stop().unwrap();
}
