//! A real MariaDB: made from nothing, started, asked, stopped, killed with the one who started it.

use crate::support::managed::{self, Bench};
use enginecmp::engine::EngineSpec;
use enginecmp::host::{page_cache, process};
use enginecmp::model::{Decimal, FailureKind, Place, RecipeId};
use enginecmp::target::session::{
    Access, BulkMethod, BulkTable, ErrorClass, Param, RowSink, RowSource, Session,
};
use enginecmp::target::store::Store;
use enginecmp::target::{OptionLine, Target};
use std::time::Duration;

/// Rows 1 to `count` with the text `word`; `repeated` gives the first key twice.
struct Numbers {
    next: u64,
    count: u64,
    repeated: bool,
    word: &'static [u8],
}

impl Numbers {
    fn new(count: u64) -> Self {
        Self { next: 1, count, repeated: false, word: b"tab\there \\ line\nend" }
    }
}

impl RowSource for Numbers {
    fn next_row(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.next > self.count {
            return false;
        }
        let key = if self.repeated && self.next == 2 { 1 } else { self.next };
        sink.int(key as i64);
        sink.text(self.word);
        sink.decimal(Decimal::hundredths(key as i64));
        sink.datetime(b"2024-02-09 01:02:03");
        if key % 2 == 0 {
            sink.null();
        } else {
            sink.int(1);
        }
        sink.end_row();
        self.next += 1;
        true
    }

    fn expected(&self) -> u64 {
        self.count
    }
}

const COLUMNS: &[&str] = &["id", "word", "price", "at", "odd"];

fn table(engine: &str) -> String {
    format!(
        "CREATE TABLE t (id INT PRIMARY KEY, word VARCHAR(40), price DECIMAL(8,2), at DATETIME, \
         odd INT) ENGINE={engine} DEFAULT CHARSET=latin1"
    )
}

fn database(session: &mut dyn Session, engine: &str) {
    for sql in ["CREATE DATABASE d", "USE d", &table(engine)] {
        session.text(sql).unwrap();
    }
}

fn first(session: &mut dyn Session, sql: &str) -> String {
    let mut seen = String::new();
    session
        .text_visit(sql, &mut |row| {
            seen = String::from_utf8_lossy(&row.text(0).unwrap_or_default()).into_owned();
            false
        })
        .unwrap();
    seen
}

#[test]
fn it_starts_from_nothing_answers_and_stops_cleanly() {
    let bench = Bench::new();
    let server = bench.server();
    let data = bench.instance("first").join("data");
    server.initialise(&data, &[]).unwrap();
    let running = server.start(&managed::spec(&data, &["InnoDB", "ROCKSDB"])).unwrap();
    assert!(running.version().0.contains("MariaDB"), "{:?}", running.version());
    assert_eq!(running.variables()["innodb_buffer_pool_dump_at_shutdown"], "OFF");
    assert_eq!(running.variables()["log_bin"], "OFF");
    assert!(running.start_time() > Duration::ZERO);
    assert!(running.capabilities().load_data_local && running.capabilities().load_data_file);
    let mut session = running.connect(0).unwrap();
    assert_eq!(first(session.as_mut(), "SELECT @@skip_networking"), "1");
    assert_eq!(first(session.as_mut(), "SELECT COUNT(*) FROM mysql.user WHERE user=''"), "0");
    // No dump of the buffer pool, a client that is still there, and no process afterwards.
    let pids = running.processes();
    let report = running.stop().unwrap();
    assert!(!report.killed, "{report:?}");
    assert!(report.elapsed > Duration::ZERO);
    assert!(!data.join("ib_buffer_pool").exists());
    assert!(pids.iter().all(|pid| !process::is_alive(*pid)));
    let error = session.text("SELECT 1").unwrap_err();
    assert_eq!(error.class, ErrorClass::ConnectionLost, "{error}");
}

#[test]
fn statements_carry_every_kind_of_value_exactly() {
    let bench = Bench::new();
    let running = bench.running("values", &["InnoDB"]);
    let mut session = running.connect(0).unwrap();
    let session = session.as_mut();
    database(session, "InnoDB");
    let insert = session.prepare("INSERT INTO t VALUES (?,?,?,?,?)").unwrap();
    let row = [
        Param::Int(1),
        Param::Text("a'b"),
        Param::Decimal(Decimal::hundredths(-1234)),
        Param::DateTime("2024-02-29 23:59:59"),
        Param::Null,
    ];
    assert_eq!(session.execute(insert, &row).unwrap().affected, 1);
    let error = session.execute(insert, &row).unwrap_err();
    assert_eq!((error.errno, error.class), (1062, ErrorClass::Other));

    let select = session.prepare("SELECT word, price, at, odd, id FROM t WHERE id = ?").unwrap();
    let mut seen = Vec::new();
    let outcome = session
        .execute_visit(select, &[Param::Int(1)], &mut |row| {
            seen.push((row.decimal(1, 2), row.int(4), row.is_null(3)));
            for column in 0..3 {
                let text = row.text(column).unwrap();
                seen.push((Decimal::parse(&text, 2), Some(text.len() as i64), false));
            }
            assert_eq!(&*row.text(2).unwrap(), b"2024-02-29 23:59:59");
            assert_eq!(&*row.text(0).unwrap(), b"a'b");
            true
        })
        .unwrap();
    assert_eq!(outcome.rows, 1);
    assert_eq!(seen[0], (Some(Decimal::hundredths(-1234)), Some(1), true));

    // More statements than the client library's cache would keep.
    let many: Vec<_> =
        (0..40).map(|number| session.prepare(&format!("SELECT {number} + ?")).unwrap()).collect();
    for (number, statement) in many.iter().enumerate() {
        let mut value = None;
        session.execute_first(*statement, &[Param::Int(1)], &mut |row| value = row.int(0)).unwrap();
        assert_eq!(value, Some(number as i64 + 1));
    }
    // Rows matched count, changed or not.
    assert_eq!(session.text("UPDATE t SET odd = odd WHERE id = 1").unwrap().affected, 1);
    session.begin(Access::ReadWrite).unwrap();
    session.text("DELETE FROM t").unwrap();
    session.rollback().unwrap();
    assert_eq!(first(session, "SELECT COUNT(*) FROM t"), "1");
    session.begin(Access::ReadOnly).unwrap();
    assert_eq!(session.text("DELETE FROM t").unwrap_err().errno, 1792);
    session.commit().unwrap();
    // A visitor that has enough gets no more, and the connection goes on.
    let mut visits = 0;
    let all = session
        .text_visit("SELECT seq FROM seq_1_to_1000", &mut |_| {
            visits += 1;
            visits < 3
        })
        .unwrap();
    assert_eq!((visits, all.rows), (3, 1000));
    session.set_statement_limit(Some(Duration::from_millis(200))).unwrap();
    let error = session.text("SELECT SLEEP(30)").unwrap_err();
    assert_eq!(error.class, ErrorClass::ConnectionLost);
    assert!(error.message.contains("limit"), "{error}");
    assert!(session.text("SELECT 1").is_err(), "its answer would be that of another question");
}

#[test]
fn conflicts_are_told_apart() {
    let bench = Bench::new();
    let mut options = managed::options(&["InnoDB", "ROCKSDB"]);
    options.push(OptionLine::own("innodb_lock_wait_timeout", "1"));
    options.push(OptionLine::own("rocksdb_lock_wait_timeout", "1"));
    options.push(OptionLine::own("rocksdb_deadlock_detect", "ON"));
    let running = bench.running_with("conflicts", options, &["InnoDB", "ROCKSDB"]);
    for engine in ["InnoDB", "ROCKSDB"] {
        let mut one = running.connect(0).unwrap();
        let mut two = running.connect(1).unwrap();
        let base = format!("d{}", engine.to_lowercase());
        for sql in [
            format!("CREATE DATABASE {base}"),
            format!("USE {base}"),
            format!("CREATE TABLE c (id INT PRIMARY KEY, v INT) ENGINE={engine}"),
            "INSERT INTO c VALUES (1,1),(2,2)".into(),
        ] {
            one.text(&sql).unwrap();
        }
        two.text(&format!("USE {base}")).unwrap();
        let update = |id: u8| format!("UPDATE c SET v = v + 1 WHERE id = {id}");
        one.begin(Access::ReadWrite).unwrap();
        two.begin(Access::ReadWrite).unwrap();
        one.text(&update(1)).unwrap();
        let error = two.text(&update(1)).unwrap_err();
        assert_eq!(error.class, ErrorClass::LockWait, "{engine}: {error}");
        assert!(error.can_retry());
        two.rollback().unwrap();
        two.begin(Access::ReadWrite).unwrap();
        two.text(&update(2)).unwrap();
        let waiting = std::thread::spawn(move || {
            let outcome = one.text(&update(2));
            let _ = one.rollback();
            outcome
        });
        std::thread::sleep(Duration::from_millis(200));
        let other = two.text(&format!("UPDATE {base}.c SET v = v + 1 WHERE id = 1"));
        let _ = two.rollback();
        let outcomes = [waiting.join().unwrap(), other];
        let deadlocks = outcomes
            .iter()
            .filter(|outcome| {
                outcome.as_ref().is_err_and(|error| error.class == ErrorClass::Deadlock)
            })
            .count();
        assert_eq!(deadlocks, 1, "{engine}: {outcomes:?}");
    }
    running.stop().unwrap();
}

#[test]
fn rows_come_in_by_every_path_and_losses_are_counted() {
    let bench = Bench::new();
    let running = bench.running("bulk", &["InnoDB"]);
    let mut session = running.connect(0).unwrap();
    let session = session.as_mut();
    database(session, "InnoDB");
    let mut sums = Vec::new();
    for method in [
        BulkMethod::LoadDataLocal { commit_rows: 0 },
        BulkMethod::LoadDataLocal { commit_rows: 7000 },
        BulkMethod::LoadDataLocal { commit_rows: 20_000 },
        BulkMethod::LoadDataFile,
        BulkMethod::MultiRowInsert { rows: 500, statements: 4 },
    ] {
        session.text("DELETE FROM t").unwrap();
        let bulk = BulkTable { table: "t", columns: COLUMNS, method };
        let outcome = session.bulk_load(&bulk, &mut Numbers::new(20_000)).unwrap();
        assert_eq!((outcome.sent, outcome.taken), (20_000, 20_000), "{method:?}");
        assert_eq!(outcome.warnings, 0, "{method:?}: {:?}", outcome.warning_texts);
        sums.push(first(
            session,
            "SELECT CONCAT(COUNT(*), ' ', SUM(CRC32(CONCAT_WS('|', id, word, price, at, odd)))) \
             FROM t",
        ));
        assert_eq!(first(session, "SELECT HEX(word) FROM t WHERE id = 20000"), {
            "tab\there \\ line\nend".bytes().map(|byte| format!("{byte:02X}")).collect::<String>()
        });
    }
    assert!(sums.iter().all(|sum| sum == &sums[0] && sum.starts_with("20000 ")), "{sums:?}");
    let files = running.data_dirs()[0].parent().unwrap().join("tmp");
    assert_eq!(std::fs::read_dir(files).unwrap().count(), 0, "the file to load is gone");

    // LOCAL implies IGNORE: the server drops a duplicate and cuts a value without an error.
    session.text("DELETE FROM t").unwrap();
    let method = BulkMethod::LoadDataLocal { commit_rows: 0 };
    let bulk = BulkTable { table: "t", columns: COLUMNS, method };
    let mut twice = Numbers { repeated: true, ..Numbers::new(10) };
    let outcome = session.bulk_load(&bulk, &mut twice).unwrap();
    assert_eq!((outcome.sent, outcome.taken, outcome.warnings), (10, 9, 1));
    assert!(outcome.warning_texts[0].contains("Duplicate entry"), "{outcome:?}");
    session.text("DELETE FROM t").unwrap();
    let mut long = Numbers { word: &[b'x'; 50], ..Numbers::new(3) };
    let outcome = session.bulk_load(&bulk, &mut long).unwrap();
    assert_eq!((outcome.taken, outcome.warnings), (3, 3));
    assert!(outcome.warning_texts[0].contains("truncated"), "{outcome:?}");
    // A statement that fails is an error, and the connection goes on.
    let wrong = BulkTable { table: "nowhere", columns: COLUMNS, method };
    assert_eq!(session.bulk_load(&wrong, &mut Numbers::new(100_000)).unwrap_err().errno, 1146);
    session.text("DELETE FROM t").unwrap();
    let insert = BulkMethod::MultiRowInsert { rows: 5, statements: 1 };
    let bulk = BulkTable { table: "t", columns: COLUMNS, method: insert };
    let mut twice = Numbers { repeated: true, ..Numbers::new(10) };
    assert_eq!(session.bulk_load(&bulk, &mut twice).unwrap_err().errno, 1062);
    running.stop().unwrap();
}

#[test]
fn an_option_that_is_not_taken_shows_the_servers_own_words_or_both_values() {
    let bench = Bench::new();
    let server = bench.server();
    let data = bench.instance("options").join("data");
    server.initialise(&data, &[]).unwrap();
    let at = |name: &str, value: &str| OptionLine {
        name: name.into(),
        value: Some(value.into()),
        place: Some(Place::new("suite.bench", 7, 3)),
    };
    let start = |line: OptionLine| {
        let mut spec = managed::spec(&data, &["InnoDB"]);
        spec.options.push(line);
        match server.start(&spec) {
            Ok(running) => panic!("started with {:?}", running.processes()),
            Err(failure) => failure,
        }
    };
    let failure = start(at("innodb_nonsense", "1"));
    assert_eq!(failure.kind, FailureKind::ServerDied);
    assert!(failure.message.contains("unknown variable 'innodb_nonsense=1'"), "{failure}");
    assert_eq!(failure.place.as_ref().unwrap().to_string(), "suite.bench:7:3");
    assert!(failure.log_tail.iter().any(|line| line.contains("[ERROR]")), "{failure:?}");

    // The server takes it, and lowers it without an error.
    let failure = start(at("innodb_purge_threads", "77"));
    assert_eq!(failure.kind, FailureKind::OptionNotTaken, "{failure}");
    assert_eq!(failure.message, "innodb_purge_threads: asked 77, the server runs with 32");
    assert_eq!(failure.place.unwrap().to_string(), "suite.bench:7:3");

    let failure = start(at("datadir", "/somewhere"));
    assert!(failure.message.contains("enginecmp sets datadir by itself"), "{failure}");

    let mut spec = managed::spec(&data, &["InnoDB"]);
    spec.engines.push("TokuDB".into());
    let failure = server.start(&spec).err().unwrap();
    assert_eq!(failure.kind, FailureKind::EngineMissing);
    assert!(failure.next_step.unwrap().contains("jemalloc"));
    assert!(managed::nothing_runs_below(bench.path()), "a failed start left a server");
}

#[test]
fn a_data_directory_is_made_once_for_a_set_of_init_options() {
    let bench = Bench::new();
    let server = bench.server();
    let pages = [OptionLine::own("innodb_page_size", "8192")];
    let one = bench.instance("one").join("data");
    server.initialise(&one, &pages).unwrap();
    let templates = || std::fs::read_dir(bench.path().join("templates")).unwrap().count();
    assert_eq!(templates(), 1);
    let two = bench.instance("two").join("data");
    server.initialise(&two, &pages).unwrap();
    assert_eq!(templates(), 1);
    let mut spec = managed::spec(&two, &["InnoDB"]);
    spec.options.extend(pages.clone());
    let running = server.start(&spec).unwrap();
    assert_eq!(running.variables()["innodb_page_size"], "8192");
    running.stop().unwrap();
    let wrong = [OptionLine::own("innodb_nonsense", "3")];
    let failure = server.initialise(&bench.instance("three").join("data"), &wrong).unwrap_err();
    assert_eq!(failure.kind, FailureKind::ServerDied);
    assert!(!failure.log_tail.is_empty(), "{failure:?}");
    assert_eq!(templates(), 1, "a failure leaves no template");
}

#[test]
fn a_server_that_dies_is_told_with_its_words_and_one_that_hangs_is_killed() {
    let bench = Bench::new();
    let running = bench.running("dies", &["InnoDB"]);
    running.alive().unwrap();
    let mut session = running.connect(0).unwrap();
    running.kill();
    let error = session.text("SELECT SLEEP(30)").unwrap_err();
    assert_eq!(error.class, ErrorClass::ConnectionLost);
    let mut waited = 0;
    while running.alive().is_ok() && waited < 1000 {
        waited += 1;
        std::thread::sleep(Duration::from_millis(10));
    }
    let failure = running.alive().unwrap_err();
    assert_eq!(failure.kind, FailureKind::ServerDied);
    assert!(failure.message.contains("signal 9"), "{failure}");
    assert!(running.stop().unwrap().killed);

    // A stopped process answers no SIGTERM.
    let server = bench.server();
    let data = bench.instance("hangs").join("data");
    server.initialise(&data, &[]).unwrap();
    let mut spec = managed::spec(&data, &["InnoDB"]);
    spec.stop_within = Duration::from_millis(300);
    let running = server.start(&spec).unwrap();
    let pid = running.processes()[0];
    managed::signal(pid, "STOP");
    let report = running.stop().unwrap();
    assert!(report.killed && !report.log_tail.is_empty(), "{report:?}");
    assert!(!process::is_alive(pid));
}

#[test]
fn a_restored_copy_is_cold_and_one_without_eviction_is_not() {
    let bench = Bench::new();
    let running = bench.running("cold", &["InnoDB"]);
    let data = running.data_dirs()[0].clone();
    let mut session = running.connect(0).unwrap();
    for sql in [
        "CREATE DATABASE d",
        "CREATE TABLE d.big (id INT PRIMARY KEY, pad VARBINARY(1000)) ENGINE=InnoDB",
        "INSERT INTO d.big SELECT seq, REPEAT(UNHEX('5A'), 1000) FROM d.seq_1_to_110000",
    ] {
        session.text(sql).unwrap();
    }
    drop(session);
    running.stop().unwrap();
    let store = Store::new(bench.path().join("datasets"));
    let recipe = RecipeId("0123abcd".into());
    store.save(&recipe, &data, &[], serde_json::Value::Null, &|| true).unwrap();

    let warm = bench.path().join("warm");
    let leave = enginecmp::host::copy::Leave::Warm;
    enginecmp::host::copy::copy_tree(&store.data_dir(&recipe), &warm, leave, &|_| false).unwrap();
    let control = page_cache::residency_of_tree(&warm).unwrap();
    assert!(control.total_bytes > 100 << 20, "{control:?}");
    assert!(control.share() > 0.5, "the control says nothing: {control:?}");

    let cold = bench.instance("restored").join("data");
    let restored = store.restore(&recipe, &cold, &|| true).unwrap();
    assert!(restored.residency.total_bytes > 100 << 20);
    assert!(restored.residency.share() < 0.01, "{restored:?}");
    // And it is whole.
    let running = bench.server().start(&managed::spec(&cold, &["InnoDB"])).unwrap();
    let mut session = running.connect(0).unwrap();
    assert_eq!(first(session.as_mut(), "SELECT COUNT(*) FROM d.big"), "110000");
    drop(session);
    running.stop().unwrap();
}

#[test]
fn every_engine_under_test_gets_what_it_needs_to_start_with_the_smallest_caches() {
    let bench = Bench::new();
    for storage in ["InnoDB", "ROCKSDB", "Aria", "MyISAM", "MEMORY"] {
        let running = bench.running(&format!("alone-{storage}"), &[storage]);
        let pool = &running.variables()["innodb_buffer_pool_size"];
        let smallest = EngineSpec::find("InnoDB").unwrap().cache_minimum.to_string();
        assert_eq!(storage != "InnoDB", *pool == smallest, "{storage}: {pool}");
        let mut session = running.connect(0).unwrap();
        session.text("CREATE DATABASE d").unwrap();
        session.text(&format!("CREATE TABLE d.t (id INT) ENGINE={storage}")).unwrap();
        running.stop().unwrap();
    }
}
