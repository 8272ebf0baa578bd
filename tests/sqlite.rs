//! SQLite inside the process: the session seam, options, loading, starting and stopping.

use enginecmp::host::interrupt::Interrupt;
use enginecmp::model::{Decimal, FailureKind, Place};
use enginecmp::target::session::{
    Access, BulkMethod, BulkTable, Dialect, ErrorClass, Param, RowSink, RowSource, Session,
};
use enginecmp::target::sqlite::{SqliteTarget, catalog};
use enginecmp::target::{OptionLine, Running, StartSpec, Target};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

fn option(name: &str, value: &str) -> OptionLine {
    OptionLine::own(name, value)
}

fn spec(data_dir: &Path, options: Vec<OptionLine>) -> StartSpec {
    StartSpec {
        data_dir: data_dir.to_path_buf(),
        options,
        engines: vec!["SQLite".to_string()],
        ready_within: Duration::from_secs(10),
        stop_within: Duration::from_secs(5),
        interrupt: Interrupt::new(),
    }
}

fn started(data_dir: &Path, options: Vec<OptionLine>) -> Box<dyn Running> {
    let target = SqliteTarget::new();
    target.initialise(data_dir, &[]).unwrap();
    target.start(&spec(data_dir, options)).unwrap()
}

fn wal() -> Vec<OptionLine> {
    vec![option("journal_mode", "wal"), option("busy_timeout", "50")]
}

/// Rows 1 to `rows` with money and a text.
struct Numbers {
    next: i64,
    rows: i64,
}

impl RowSource for Numbers {
    fn next_row(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.next > self.rows {
            return false;
        }
        sink.int(self.next);
        sink.decimal(Decimal::hundredths(self.next * 10));
        sink.text(b"tab\tquote'\\");
        sink.datetime(b"2024-02-29 12:34:56");
        sink.null();
        sink.end_row();
        self.next += 1;
        true
    }

    fn expected(&self) -> u64 {
        self.rows as u64
    }
}

const TABLE: &str = "CREATE TABLE t (id INTEGER NOT NULL PRIMARY KEY, amount INTEGER, \
                     note TEXT, made TEXT, absent TEXT) STRICT";

fn load(session: &mut dyn Session, rows: i64) -> u64 {
    let columns = ["id", "amount", "note", "made", "absent"];
    let method = BulkMethod::MultiRowInsert { rows: 10, statements: 3 };
    let table = BulkTable { table: "t", columns: &columns, method };
    let outcome = session.bulk_load(&table, &mut Numbers { next: 1, rows }).unwrap();
    assert_eq!((outcome.sent, outcome.warnings), (rows as u64, 0));
    outcome.taken
}

fn count(session: &mut dyn Session) -> i64 {
    let mut found = -1;
    session
        .text_visit("SELECT COUNT(*) FROM t", &mut |row| {
            found = row.int(0).unwrap();
            true
        })
        .unwrap();
    found
}

#[test]
fn rows_that_are_loaded_come_back_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let running = started(folder.path(), wal());
    let mut session = running.connect(0).unwrap();
    assert_eq!(session.dialect(), Dialect::Sqlite);
    session.text(TABLE).unwrap();
    assert_eq!(load(session.as_mut(), 100), 100);

    let one = session.prepare("SELECT * FROM t WHERE id = ?").unwrap();
    let found = session
        .execute_first(one, &[Param::Int(7)], &mut |row| {
            assert_eq!(row.columns(), 5);
            assert_eq!(row.int(0), Some(7));
            assert_eq!(row.decimal(1, 2), Some(Decimal::hundredths(70)));
            assert_eq!(row.text(2).unwrap().as_ref(), b"tab\tquote'\\");
            assert_eq!(row.text(3).unwrap().as_ref(), b"2024-02-29 12:34:56");
            assert!(row.is_null(4));
            assert_eq!(row.text(4), None);
        })
        .unwrap();
    assert!(found);
    assert!(!session.execute_first(one, &[Param::Int(0)], &mut |_| panic!("no row")).unwrap());

    // 0.10 + 0.20 + ... + 10.00, which floats would miss.
    session
        .text_visit("SELECT SUM(amount) FROM t", &mut |row| {
            assert_eq!(row.decimal(0, 2), Some(Decimal::hundredths(50_500)));
            true
        })
        .unwrap();
}

#[test]
fn a_row_that_does_not_fit_loads_nothing_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let running = started(folder.path(), wal());
    let mut session = running.connect(0).unwrap();
    session.text(TABLE).unwrap();
    load(session.as_mut(), 5);
    let columns = ["id", "amount", "note", "made", "absent"];
    let method = BulkMethod::MultiRowInsert { rows: 1000, statements: 1 };
    let table = BulkTable { table: "t", columns: &columns, method };
    let error = session.bulk_load(&table, &mut Numbers { next: 3, rows: 9 }).unwrap_err();
    assert!(error.message.contains("UNIQUE constraint failed: t.id"), "{error}");
    assert_eq!(count(session.as_mut()), 5);
}

#[test]
fn outcomes_count_rows_changed_and_given() {
    let folder = tempfile::tempdir().unwrap();
    let running = started(folder.path(), wal());
    let mut session = running.connect(0).unwrap();
    session.text(TABLE).unwrap();
    load(session.as_mut(), 10);
    let update = session.prepare("UPDATE t SET amount = amount WHERE id <= ?").unwrap();
    assert_eq!(session.execute(update, &[Param::Int(4)]).unwrap().affected, 4);
    assert_eq!(session.execute(update, &[Param::Int(0)]).unwrap().affected, 0);
    let all = session.prepare("SELECT id FROM t").unwrap();
    let mut visited = 0;
    let outcome = session
        .execute_visit(all, &[], &mut |_| {
            visited += 1;
            visited < 3
        })
        .unwrap();
    assert_eq!((visited, outcome.rows, outcome.affected), (3, 10, 0));
    let error = session.execute(update, &[]).unwrap_err();
    assert_eq!(error.message, "the statement has 1 parameters and got 0");
}

#[test]
fn a_second_writer_waits_and_is_told_to_try_again() {
    let folder = tempfile::tempdir().unwrap();
    let running = started(folder.path(), wal());
    let mut first = running.connect(0).unwrap();
    first.text(TABLE).unwrap();
    load(first.as_mut(), 10);
    let mut second = running.connect(1).unwrap();

    first.begin(Access::ReadWrite).unwrap();
    first.text("UPDATE t SET amount = 0 WHERE id = 1").unwrap();
    let error = second.begin(Access::ReadWrite).unwrap_err();
    assert_eq!((error.class, error.errno), (ErrorClass::LockWait, 5));
    assert_eq!(error.to_string(), "ERROR 5: database is locked");
    assert!(error.can_retry());
    second.rollback().unwrap();

    // A reader is not kept out, and sees what was committed.
    second.begin(Access::ReadOnly).unwrap();
    second
        .text_visit("SELECT amount FROM t WHERE id = 1", &mut |row| {
            assert_eq!(row.int(0), Some(10));
            true
        })
        .unwrap();
    first.commit().unwrap();
    // Its snapshot is old now: it may not write on it.
    let error = second.text("UPDATE t SET amount = 1 WHERE id = 1").unwrap_err();
    assert_eq!(error.class, ErrorClass::Deadlock, "{error}");
    second.rollback().unwrap();
    second.begin(Access::ReadWrite).unwrap();
    second.text("DELETE FROM t").unwrap();
    second.rollback().unwrap();
    assert_eq!(count(second.as_mut()), 10);
}

#[test]
fn a_statement_that_takes_too_long_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let running = started(folder.path(), wal());
    let mut session = running.connect(0).unwrap();
    session.set_statement_limit(Some(Duration::from_millis(20))).unwrap();
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
                   SELECT COUNT(*) FROM n";
    let error = session.text(endless).unwrap_err();
    assert_eq!(error.class, ErrorClass::ConnectionLost, "{error}");
    // The next statement has its own time.
    session.text("SELECT 1").unwrap();
    session.set_statement_limit(None).unwrap();
    session.text("SELECT 1").unwrap();
}

#[test]
fn options_run_on_every_connection_as_they_were_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let target = SqliteTarget::new();
    target.initialise(folder.path(), &[option("page_size", "8K")]).unwrap();
    let options = vec![
        option("page_size", "8K"),
        option("journal_mode", "WAL"),
        option("synchronous", "NORMAL"),
        option("cache_size", "-65536"),
        option("foreign_keys", "on"),
    ];
    let running = target.start(&spec(folder.path(), options)).unwrap();
    assert_eq!(running.variables()["page_size"], "8192");
    assert_eq!(running.variables()["synchronous"], "normal");
    assert_eq!(running.version().0, target.describe().version);
    let mut session = running.connect(3).unwrap();
    for (pragma, runs) in [
        ("page_size", "8192"),
        ("journal_mode", "wal"),
        ("synchronous", "1"),
        ("cache_size", "-65536"),
        ("foreign_keys", "1"),
    ] {
        session
            .text_visit(&format!("PRAGMA {pragma}"), &mut |row| {
                assert_eq!(row.text(0).unwrap(), runs.as_bytes(), "{pragma}");
                true
            })
            .unwrap();
    }
}

#[test]
fn an_option_that_is_not_taken_names_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let target = SqliteTarget::new();
    target.initialise(folder.path(), &[]).unwrap();
    let place = Place::new("x.bench", 3, 8);
    for (name, value, message) in [
        ("page_size", "8192", "asked for page_size = 8192, SQLite runs with 4096"),
        (
            "sync_binlog",
            "1",
            "SQLite has no option `sync_binlog`; it has page_size, auto_vacuum, journal_mode, \
             synchronous, cache_size, cache_spill, busy_timeout, wal_autocheckpoint, \
             journal_size_limit, mmap_size, temp_store, foreign_keys, automatic_index, \
             secure_delete, threads",
        ),
        (
            "synchronous",
            "always",
            "synchronous takes one of off, normal, full, extra, not `always`",
        ),
    ] {
        let line = OptionLine { place: Some(place.clone()), ..option(name, value) };
        let failure = target.start(&spec(folder.path(), vec![line])).err().unwrap();
        assert_eq!(failure.kind, FailureKind::OptionNotTaken);
        assert_eq!(failure.message, message);
        assert_eq!(failure.place.as_ref(), Some(&place));
    }
    let mut other = spec(folder.path(), Vec::new());
    other.engines = vec!["InnoDB".to_string()];
    let failure = target.start(&other).err().unwrap();
    assert_eq!(failure.kind, FailureKind::EngineMissing);
    assert_eq!(failure.message, "SQLite has no storage engine InnoDB");
}

#[test]
fn a_stop_leaves_one_file_that_holds_everything() {
    let folder = tempfile::tempdir().unwrap();
    let running = started(folder.path(), wal());
    let mut session = running.connect(0).unwrap();
    session.text(TABLE).unwrap();
    load(session.as_mut(), 1000);
    drop(session);
    assert!(folder.path().join("enginecmp.db-wal").exists(), "the log is in use until the stop");
    assert!(!running.stop().unwrap().killed);
    let files: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(files, ["enginecmp.db"]);

    let running = SqliteTarget::new().start(&spec(folder.path(), wal())).unwrap();
    let mut session = running.connect(0).unwrap();
    assert_eq!(count(session.as_mut()), 1000);
}

#[test]
fn a_stop_does_not_pull_the_file_away_from_open_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let target = SqliteTarget::new();
    target.initialise(folder.path(), &[]).unwrap();
    let mut short = spec(folder.path(), wal());
    short.stop_within = Duration::from_millis(30);
    let running = target.start(&short).unwrap();
    let session = running.connect(0).unwrap();
    let failure = running.stop().unwrap_err();
    assert_eq!(failure.kind, FailureKind::Timeout);
    assert_eq!(failure.message, "1 connections to SQLite are still open");
    drop(session);
}

#[test]
fn a_file_that_is_no_database_is_told_in_sqlites_words() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("enginecmp.db"), "this is no database, by far").unwrap();
    let failure = SqliteTarget::new().start(&spec(folder.path(), Vec::new())).err().unwrap();
    assert_eq!(failure.kind, FailureKind::Io);
    assert!(failure.message.ends_with("file is not a database"), "{failure}");
}

#[test]
fn tables_are_told_as_they_were_made_with_their_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let running = started(folder.path(), wal());
    let mut session = running.connect(0).unwrap();
    session.text(TABLE).unwrap();
    session.text("CREATE INDEX by_amount ON t (amount)").unwrap();
    session.text("CREATE TABLE sqlitelike (a TEXT PRIMARY KEY) STRICT, WITHOUT ROWID").unwrap();
    load(session.as_mut(), 5000);
    let tables = catalog::tables(session.as_mut()).unwrap();
    let told: Vec<_> = tables.iter().map(|table| (table.name.as_str(), table.row_format)).collect();
    assert_eq!(told, [("sqlitelike", "WITHOUT_ROWID"), ("t", "ROWID")]);
    assert_eq!(tables[1].ddl, format!("{TABLE};\nCREATE INDEX by_amount ON t (amount)"));

    catalog::analyze(session.as_mut()).unwrap();
    let log = folder.path().join("enginecmp.db-wal");
    assert!(std::fs::metadata(&log).unwrap().len() > 0);
    catalog::settle(session.as_mut()).unwrap();
    assert_eq!(std::fs::metadata(&log).unwrap().len(), 0);

    let sizes = catalog::sizes(session.as_mut()).unwrap();
    let file = std::fs::metadata(folder.path().join("enginecmp.db")).unwrap().len();
    assert_eq!(sizes["sqlitelike"], 4096);
    // 5000 rows of some 50 bytes and their index; the rest of the file is schema and statistics.
    assert!(sizes["t"] > 250_000 && sizes["t"] < file, "{} of {file}", sizes["t"]);
    assert!(sizes.values().sum::<u64>() + 10 * 4096 > file, "{sizes:?} of {file}");
}

#[test]
fn children_may_be_loaded_before_their_parents_and_orphans_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = wal();
    options.push(option("foreign_keys", "on"));
    let running = started(folder.path(), options);
    let mut session = running.connect(0).unwrap();
    session.text("CREATE TABLE p (id INTEGER PRIMARY KEY)").unwrap();
    session.text(&TABLE.replace("amount INTEGER", "amount INTEGER REFERENCES p (id)")).unwrap();
    load(session.as_mut(), 3);
    session.text("INSERT INTO p VALUES (10), (20)").unwrap();
    let orphans = catalog::orphans(session.as_mut()).unwrap();
    assert_eq!(orphans.into_iter().collect::<Vec<_>>(), [("t".to_string(), 1)]);
    let error = session.text("INSERT INTO t (id, amount) VALUES (9, 99)").unwrap_err();
    assert!(error.message.contains("FOREIGN KEY constraint failed"), "{error}");
}

#[test]
fn a_kill_wakes_whoever_waits_for_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let running = started(folder.path(), wal());
    let mut session = running.connect(0).unwrap();
    let mut idle = running.connect(1).unwrap();
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
                   SELECT COUNT(*) FROM n";
    let error = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| session.text(endless).unwrap_err());
        std::thread::sleep(Duration::from_millis(20));
        running.kill();
        waiting.join().unwrap()
    });
    assert_eq!(error.class, ErrorClass::ConnectionLost, "{error}");
    assert_eq!(idle.text("SELECT 1").unwrap_err().message, "the connection was ended");
    drop((session, idle));
    assert!(running.stop().unwrap().killed);
}

/// What the quickstart suite prints with its smoke profile.
fn quickstart(folder: &Path) -> String {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites/quickstart.bench");
    let output = Command::new(env!("CARGO_BIN_EXE_enginecmp"))
        .arg(suite)
        .args(["--profile", "smoke", "--work"])
        .arg(folder.join("work"))
        .current_dir(folder)
        .env("HOME", folder)
        .env("PATH", "")
        .output()
        .unwrap();
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{page}{}", String::from_utf8_lossy(&output.stderr));
    page
}

#[test]
fn the_quickstart_compares_on_a_machine_without_servers_and_no_two_runs_are_alike() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (quickstart(folder.path()), quickstart(folder.path()));
    for words in ["TpmC", "without_rowid", "wal", "not TPC-C (density 1%)", "Load time and size"] {
        assert!(first.contains(words), "{words}: {first}");
    }
    let figures = |page: &str| -> Vec<String> {
        page.lines().filter(|line| line.contains(" wal ")).map(str::to_string).collect()
    };
    assert!(!figures(&first).is_empty());
    assert_ne!(figures(&first), figures(&second));
}
