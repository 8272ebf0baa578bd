//! The journal: what is written can be read, whatever cut it short.

use enginecmp::journal::record::{
    Allowed, Average, CheckResult, Comparison, DatasetRecord, EndRecord, FailedRecord,
    MachineRecord, PlanRecord, PlannedCell, PlannedOption, ProbeRecord, Record, RepetitionRecord,
    ResumedRecord, Round, RunRecord, ServerRecord, TableShape, TypeTotals, VERSION, WindowColumns,
    WindowsRecord,
};
use enginecmp::journal::{Done, JournalError, Writer, histogram, parse, read};
use enginecmp::model::{
    AxisValue, CellKey, CompareOp, Condition, ConditionTerm, Expectation, ExpectedBound, Failure,
    FailureKind, FigureWish, Finding, FindingCode, Metric, MetricId, MetricValue, Phase, Place,
    RecipeId, SettingValue, Subject,
};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

fn cell(engine: &str) -> CellKey {
    CellKey::from_pairs([("engine", engine), ("clients", "2")])
}

fn run_record() -> Record {
    Record::Run(RunRecord {
        v: VERSION,
        id: "20261203T101500Z-7f3a".into(),
        tool: "0.1.0".into(),
        at: "2026-12-03T10:15:00Z".into(),
        title: "InnoDB against MyRocks".into(),
        suite_file: "x.bench".into(),
        suite_text: "suite \"InnoDB against MyRocks\"\n".into(),
        seed: 42,
        ..RunRecord::default()
    })
}

fn repetition(engine: &str, repetition: u32, order: u32, failure: Option<Failure>) -> Record {
    let mut latencies = histogram::empty();
    latencies.record_n(1500, 90).expect("it grows");
    Record::Repetition(RepetitionRecord {
        cell: cell(engine),
        repetition,
        order,
        at: "2026-12-03T10:20:00Z".into(),
        elapsed_ms: 61_240,
        rounds: vec![Round {
            round: 1,
            duration_ns: 3_000_000_000,
            types: vec![TypeTotals {
                name: "new_order".into(),
                committed: 89,
                rolled_back: 1,
                retries: BTreeMap::from([(1213, 2)]),
                errors: BTreeMap::new(),
                unfinished: 1,
                histogram: histogram::encode(&latencies),
            }],
            metrics: vec![MetricValue { id: MetricId::whole(Metric::Tpmc), value: 1800.0 }],
        }],
        metrics: vec![MetricValue { id: MetricId::of(Metric::P95, "new_order"), value: 0.0015 }],
        checks: vec![CheckResult {
            name: "condition 3.3.2.1".into(),
            violations: 0,
            tolerated: false,
            detail: String::new(),
        }],
        clients: 2,
        resident_before_start: Some(0.001),
        resident_before_measure: None,
        variables: BTreeMap::from([("innodb_flush_log_at_trx_commit".into(), "1".into())]),
        open: None,
        failure,
    })
}

fn windows(engine: &str, repetition: u32) -> Record {
    Record::Windows(WindowsRecord {
        cell: cell(engine),
        repetition,
        phase: Phase::Measure,
        round: 1,
        counted: true,
        window_ms: 1000,
        types: vec![WindowColumns {
            name: "new_order".into(),
            count: vec![30, 30, 30],
            p95_us: vec![1500, 1500, 1500],
            p99_us: vec![1500, 1500, 1500],
            max_us: vec![1500, 1500, 1501],
        }],
    })
}

fn probe(engine: &str, repetition: u32) -> Record {
    Record::Probe(ProbeRecord {
        cell: cell(engine),
        repetition,
        probe: "count_customer".into(),
        sql: "select count(*) from customer".into(),
        elapsed_ns: 1_060_000_000,
        rows: 1,
        first_value: Some("3000".into()),
        failure: None,
    })
}

fn plan() -> Record {
    let place = |line| Place::new("x.bench", line, 1);
    Record::Plan(PlanRecord {
        cells: vec![PlannedCell {
            key: cell("innodb"),
            axes: vec![
                AxisValue { axis: "engine".into(), value: SettingValue::Word("innodb".into()) },
                AxisValue { axis: "clients".into(), value: SettingValue::Count(2) },
            ],
            point: 0,
            recipe: RecipeId("00c0ffee".into()),
            server: "found".into(),
            engine: "innodb".into(),
            storage: "InnoDB".into(),
            transactional: true,
            workload: "tpcc".into(),
            remarks: vec!["not TPC-C (density 1%)".into()],
            headline: Metric::Tpmc,
            headline_type: Some("new_order".into()),
            stated: BTreeMap::from([("clients".into(), vec!["clients".into()])]),
            settings: BTreeMap::from([("measure".into(), "3s".into())]),
            options: vec![PlannedOption {
                name: "innodb_buffer_pool_size".into(),
                value: Some("268435456".into()),
                place: Some(place(4)),
                reason: Some("cache 256MB".into()),
            }],
            place: place(5),
        }],
        comparisons: vec![Comparison {
            axes: vec!["engine".into()],
            baseline: vec!["innodb".into()],
            place: place(8),
        }],
        expectations: vec![Expectation {
            metric: MetricId::whole(Metric::Tpmc),
            subject: Subject::Named("rocksdb".into()),
            op: CompareOp::GreaterOrEqual,
            bound: ExpectedBound::Delta(10.0),
            since_baseline: false,
            condition: Some(Condition::Term(ConditionTerm {
                name: "clients".into(),
                op: CompareOp::GreaterOrEqual,
                value: SettingValue::Count(2),
                place: place(9),
            })),
            text: "tpmc of rocksdb >= +10% where clients >= 2".into(),
            place: place(9),
        }],
        table: Some(TableShape { rows: "clients".into(), columns: "engine".into() }),
        figures: vec![FigureWish { what: "throughput".into(), every_ms: Some(30_000) }],
        repeat: 2,
        average: Average::Median,
        probes: Vec::new(),
        allowed: vec![Allowed { what: "durability".into(), because: "that is the point".into() }],
    })
}

/// One of each record, in an order that a run could write.
fn one_of_each() -> Vec<Record> {
    vec![
        run_record(),
        Record::Machine(MachineRecord {
            name: "epyc-2c-24g".into(),
            cpu: "AMD EPYC".into(),
            cores: 2,
            memory_bytes: 24 << 30,
            kernel: "6.1.0".into(),
            work_fs: "ext4".into(),
            ..MachineRecord::default()
        }),
        plan(),
        Record::Server(ServerRecord {
            name: "found".into(),
            family: "mariadb".into(),
            version: "10.11.19-MariaDB".into(),
            build: "Debian 12".into(),
            variables: BTreeMap::from([("sync_binlog".into(), "0".into())]),
        }),
        Record::Dataset(DatasetRecord {
            recipe: RecipeId("00c0ffee".into()),
            engine: "innodb".into(),
            server: "found".into(),
            load: 1,
            path: "load data local".into(),
            threads: 2,
            rows: BTreeMap::from([("customer".into(), 3000)]),
            checksums: BTreeMap::new(),
            metrics: Vec::new(),
            table_sizes: BTreeMap::new(),
            reported_sizes: BTreeMap::new(),
            files: Vec::new(),
            ddl: BTreeMap::new(),
            checks: Vec::new(),
            reused: false,
        }),
        Record::Failed(FailedRecord {
            cells: vec![cell("toku")],
            failure: Failure::new(Phase::Start, FailureKind::EngineMissing, "no TokuDB here"),
        }),
        windows("innodb", 1),
        probe("innodb", 1),
        repetition("innodb", 1, 1, None),
        Record::Finding(Finding::new(FindingCode::TooShort, "3 s measured")),
        Record::Resumed(ResumedRecord {
            at: "2026-12-03T11:00:00Z".into(),
            tool: "0.1.0".into(),
            again: Vec::new(),
        }),
        windows("rocksdb", 1),
        repetition("rocksdb", 1, 2, None),
        Record::End(EndRecord {
            at: "2026-12-03T12:00:00Z".into(),
            finished: 2,
            failed: 0,
            interrupted: false,
        }),
    ]
}

fn write(directory: &Path, records: &[Record]) -> Vec<u8> {
    let mut writer = Writer::create(directory).expect("a new journal");
    for record in records {
        writer.write(record).expect("it is written");
    }
    writer.sync().expect("it is synced");
    fs::read(writer.path()).expect("it is there")
}

#[test]
fn every_record_reads_back_as_it_was_written() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let records = one_of_each();
    write(&directory.path().join("run"), &records);
    let by_directory = read(&directory.path().join("run")).expect("a journal");
    let by_file = read(&directory.path().join("run/journal.jsonl")).expect("a journal");
    assert_eq!(by_directory.records, records);
    assert_eq!(by_file.records, records);
    assert_eq!(by_directory.torn, None);
    assert!(by_directory.warnings().is_empty());
    assert!(by_directory.end().is_some_and(|end| !end.interrupted));
}

fn kept(version: u32) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/journal");
    folder.join(format!("v{version}.jsonl"))
}

#[test]
fn this_version_reads_for_ever() {
    let kept = kept(VERSION);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        fs::write(&kept, write(directory.path(), &one_of_each())).expect("it is written");
    }
    let journal = read(&kept).expect("a journal of this version");
    assert_eq!(journal.records, one_of_each());
}

/// The file of version 1 is what a release wrote; it is never written again.
#[test]
fn the_first_version_reads_for_ever_and_becomes_this_one_when_it_is_written() {
    let old = read(&kept(1)).expect("a journal of version 1");
    assert_eq!((old.run.v, old.unknown, old.warnings().len()), (1, 0, 0));
    let windows = old.records.iter().find_map(|record| match record {
        Record::Windows(windows) => Some(windows),
        _ => None,
    });
    assert!(windows.is_some_and(|windows| !windows.types[0].count.is_empty()));
    let directory = tempfile::tempdir().expect("a temporary directory");
    write(directory.path(), &old.records);
    assert_eq!(read(directory.path()).expect("it reads").records, old.records);
}

#[test]
fn windows_of_a_run_take_less_room_than_lists() {
    let seconds = 1200_u64;
    let column = |base: u64| (0..seconds).map(|at| base + (at * 7919) % (base / 9 + 1)).collect();
    let columns = |name: &str| WindowColumns {
        name: name.into(),
        count: column(380),
        p95_us: column(8_000),
        p99_us: column(21_000),
        max_us: column(60_000),
    };
    let record = Record::Windows(WindowsRecord {
        cell: cell("innodb"),
        repetition: 1,
        phase: Phase::Measure,
        round: 1,
        counted: true,
        window_ms: 1000,
        types: vec![columns("new_order"), columns("payment")],
    });
    let directory = tempfile::tempdir().expect("a temporary directory");
    let bytes = write(directory.path(), &[run_record(), record.clone()]);
    assert_eq!(read(directory.path()).expect("it reads").records[1], record);
    // Four columns of two types, five digits and a comma each.
    let plain = seconds * 4 * 2 * 5;
    assert!((bytes.len() as u64) * 3 < plain * 2, "{} bytes, plain {plain}", bytes.len());
}

#[test]
fn only_the_owner_can_read_it() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let run = directory.path().join("a/b");
    let writer = Writer::create(&run).expect("a new journal");
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(writer.path()), 0o600);
    assert_eq!(mode(&run), 0o700);
}

#[test]
fn a_journal_is_never_overwritten_and_has_one_writer() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut writer = Writer::create(directory.path()).expect("a new journal");
    writer.write(&run_record()).expect("it is written");
    assert!(matches!(Writer::create(directory.path()), Err(JournalError::Io { .. })));
    let journal = read(directory.path()).expect("a journal");
    assert!(matches!(Writer::resume(&journal), Err(JournalError::InUse { .. })));
    drop(writer);
    assert!(Writer::resume(&journal).is_ok());
}

#[test]
fn cut_at_any_byte_of_its_last_three_records_it_keeps_every_whole_one() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let records = one_of_each();
    let bytes = write(&directory.path().join("run"), &records);
    let ends: Vec<usize> = bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(at, _)| at + 1)
        .collect();
    let first_cut = ends[ends.len() - 4];
    for cut in first_cut..=bytes.len() {
        let whole = ends.iter().filter(|end| **end <= cut).count();
        let journal = parse(Path::new("cut.jsonl"), &bytes[..cut]).expect("a prefix reads");
        assert_eq!(journal.records, records[..whole], "cut at byte {cut}");
        assert_eq!(journal.whole_bytes as usize, ends[whole - 1], "cut at byte {cut}");
        assert_eq!(journal.torn.is_some(), cut != ends[whole - 1], "cut at byte {cut}");
        assert_eq!(journal.warnings().len(), usize::from(journal.torn.is_some()));

        let path = directory.path().join("cut.jsonl");
        fs::write(&path, &bytes[..cut]).expect("it is written");
        let journal = read(&path).expect("a prefix reads");
        let mut writer = Writer::resume(&journal).expect("it can be gone on with");
        writer.write(&records[records.len() - 1]).expect("it is written");
        drop(writer);
        let gone_on = read(&path).expect("it still reads");
        assert_eq!(gone_on.records.len(), whole + 1, "cut at byte {cut}");
        assert_eq!(gone_on.torn, None, "cut at byte {cut}");
        assert_eq!(
            fs::read(&path).expect("it is there")[..ends[whole - 1]],
            bytes[..ends[whole - 1]]
        );
    }
}

#[test]
fn cut_within_its_first_record_it_is_no_journal() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let bytes = write(directory.path(), &[run_record()]);
    for cut in 0..bytes.len() {
        let error = parse(Path::new("x.jsonl"), &bytes[..cut]).expect_err("nothing whole is there");
        assert!(matches!(error, JournalError::NotAJournal { .. }), "cut at byte {cut}: {error}");
    }
}

#[test]
fn records_of_a_later_release_are_skipped_and_counted() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut bytes = write(directory.path(), &[run_record(), probe("innodb", 1)]);
    bytes.extend_from_slice(b"{\"t\":\"heatmap\",\"cells\":[1,2],\"deep\":{\"a\":null}}\n");
    let journal = parse(Path::new("x.jsonl"), &bytes).expect("it reads");
    assert_eq!(journal.records.len(), 2);
    assert_eq!(journal.unknown, 1);
    assert!(journal.warnings()[0].contains("1 records of a later release"));
}

#[test]
fn a_later_version_is_refused_with_both_numbers() {
    let text = b"{\"t\":\"run\",\"v\":7,\"shape\":\"unknown to us\"}\n";
    let error = parse(Path::new("x.jsonl"), text).expect_err("it is from the future");
    assert!(matches!(error, JournalError::TooNew { found: 7, known: VERSION, .. }), "{error}");
}

#[test]
fn an_unreadable_line_in_the_middle_is_named() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let bytes = write(directory.path(), &one_of_each());
    let text = String::from_utf8(bytes).expect("JSON is text");
    let mut lines: Vec<&str> = text.lines().collect();
    lines[4] = "{\"t\":\"dataset\",\"recipe\":7";
    let damaged = lines.join("\n") + "\n";
    let error = parse(Path::new("runs/x.jsonl"), damaged.as_bytes()).expect_err("it is damaged");
    assert!(error.to_string().starts_with("runs/x.jsonl:5: unreadable record"), "{error}");
}

#[test]
fn windows_that_a_killed_run_left_alone_belong_to_no_repetition() {
    let records = [
        run_record(),
        windows("innodb", 1),
        probe("innodb", 1),
        Record::Resumed(ResumedRecord::default()),
        windows("innodb", 1),
        repetition("innodb", 1, 1, None),
    ];
    let directory = tempfile::tempdir().expect("a temporary directory");
    write(directory.path(), &records);
    let journal = read(directory.path()).expect("a journal");
    let views = journal.repetitions();
    assert_eq!(views.len(), 1);
    assert_eq!(views[0].windows.len(), 1);
    assert_eq!(views[0].probes.len(), 0);
}

#[test]
fn a_repetition_is_done_when_it_has_numbers_or_failed_by_itself() {
    let failed = |kind| Some(Failure::new(Phase::Measure, kind, "it broke"));
    let records = [
        run_record(),
        repetition("innodb", 1, 1, None),
        repetition("rocksdb", 1, 2, failed(FailureKind::ServerDied)),
        repetition("rocksdb", 2, 3, failed(FailureKind::Interrupted)),
    ];
    let directory = tempfile::tempdir().expect("a temporary directory");
    write(directory.path(), &records);
    let done = Done::of(&read(directory.path()).expect("a journal"));
    assert!(done.has_repetition(&cell("innodb"), 1));
    assert!(!done.has_repetition(&cell("innodb"), 2));
    assert!(done.has_repetition(&cell("rocksdb"), 1));
    assert!(!done.has_repetition(&cell("rocksdb"), 2));
    assert_eq!((done.finished, done.failed, done.last_order), (1, 1, 3));
}
