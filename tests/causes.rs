//! Dips and their causes, on series with known truth.

use crate::support::scenario::{Cell, Measured, Scenario, word};
use enginecmp::compare::view::{Course, Dip};
use enginecmp::compare::{Comparison, compare};
use enginecmp::journal::Record;
use enginecmp::journal::record::{SampleColumn, SamplesRecord, WindowColumns, WindowsRecord};
use enginecmp::model::{CellKey, Phase, Signal};
use enginecmp::report::{Format, Output, render};

/// A minute of about 1,000 transactions a second that is down to 120 from 31 s to 34 s.
fn dipped() -> Vec<u64> {
    (0..60)
        .map(|second| if (31..34).contains(&second) { 120 + second } else { 980 + second * 7 % 41 })
        .collect()
}

/// The values of one signal at 0 s, 1 s ... 60 s.
type Column = (Signal, fn(u64) -> Option<u64>);

/// Whether the second that ends at `at` lies in the dip.
fn in_dip(at: u64) -> bool {
    (32..=34).contains(&at)
}

fn run(windows: &[u64], columns: &[Column]) -> Comparison {
    let mut scenario = Scenario::new("Dips", "dips.bench");
    scenario.compare(&["engine"], &["innodb"]);
    scenario.server("found", "mariadb", "10.11.19-MariaDB");
    let cell = Cell {
        axes: vec![word("engine", "innodb")],
        point: 0,
        storage: "InnoDB".to_string(),
        recipe: "innodb".to_string(),
    };
    let key = scenario.cell(&cell, |_| {});
    add_phase(&mut scenario, &key, windows, columns);
    let measured = Measured { rounds: vec![60_000.0], ..Measured::default() };
    scenario.repetition(&key, 1, &measured);
    compare(&scenario.finish())
}

fn add_phase(scenario: &mut Scenario, key: &CellKey, windows: &[u64], columns: &[Column]) {
    let zeros = vec![0; windows.len()];
    scenario.push(Record::Windows(WindowsRecord {
        cell: key.clone(),
        repetition: 1,
        phase: Phase::Measure,
        round: 1,
        counted: true,
        window_ms: 1000,
        types: vec![WindowColumns {
            name: "new_order".to_string(),
            count: windows.to_vec(),
            p95_us: zeros.clone(),
            p99_us: zeros.clone(),
            max_us: zeros,
        }],
    }));
    let moments: Vec<u64> = (0..=windows.len() as u64).collect();
    scenario.push(Record::Samples(SamplesRecord {
        cell: key.clone(),
        repetition: 1,
        phase: Phase::Measure,
        round: 1,
        counted: true,
        at_ms: moments.iter().map(|at| at * 1000).collect(),
        signals: columns
            .iter()
            .map(|(signal, value)| SampleColumn {
                name: signal.name().to_string(),
                values: moments.iter().map(|at| value(*at)).collect(),
            })
            .collect(),
    }));
}

fn course(comparison: &Comparison) -> &Course {
    comparison.sections[0].points[0].sides[0].course.as_ref().expect("it is long enough")
}

fn only_dip(comparison: &Comparison) -> &Dip {
    let dips = &course(comparison).dips;
    assert_eq!(dips.len(), 1);
    &dips[0]
}

fn words(dip: &Dip) -> Vec<&str> {
    dip.causes.iter().map(|cause| cause.words.as_str()).collect()
}

const FULL_LOG: &[Column] = &[
    (Signal::RedoAge, |at| Some(if (31..=34).contains(&at) { 98 << 20 } else { 40 << 20 })),
    (Signal::RedoCapacity, |_| Some(100 << 20)),
    (Signal::PagesFlushed, |at| Some(if in_dip(at) { 3200 } else { 400 })),
    (Signal::LogWaits, |_| Some(0)),
    (Signal::RowLockWaits, |at| Some(20 + at % 7)),
    (Signal::ServerCpu, |at| Some(900 + at % 3 * 10)),
];

#[test]
fn a_full_redo_log_is_named_before_what_follows_from_it() {
    let comparison = run(&dipped(), FULL_LOG);
    let dip = only_dip(&comparison);
    assert_eq!((dip.from_s, dip.to_s), (31.0, 34.0));
    assert!((dip.lowest - 0.151).abs() < 0.005, "{}", dip.lowest);
    assert_eq!(
        words(dip),
        ["redo log 98 % full (usually 40 %)", "furious flushing (3,200 pages/s, usually 400)"]
    );
    let said = "31-34 s: 15 % of the median: redo log 98 % full (usually 40 %), furious flushing";
    let table =
        render(&comparison, Format::Table, Output { width: 200, color: false, whole: true });
    assert!(table.contains(&format!("innodb, repetition 1, {said}")), "{table}");
    let markdown =
        render(&comparison, Format::Markdown, Output { width: 200, color: false, whole: true });
    assert!(markdown.contains(said), "{markdown}");
    let json = render(&comparison, Format::Json, Output { width: 200, color: false, whole: true });
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    let course = &json["sections"][0]["points"][0]["sides"][0]["course"];
    assert_eq!(course["dips"][0]["causes"][0]["signal"], "redo_age");
    assert_eq!(course["dips"][0]["to_s"], 34.0);
    assert_eq!(course["zero_windows"], 0);
}

#[test]
fn a_log_with_room_is_no_cause_and_a_dip_without_any_says_so() {
    let roomy: &[Column] = &[
        (Signal::RedoAge, |_| Some(40 << 20)),
        (Signal::RedoCapacity, |_| Some(100 << 20)),
        (Signal::PagesFlushed, |at| Some(300 + at * 31 % 97)),
        (Signal::RowLockWaits, |at| Some(20 + at * 13 % 29)),
    ];
    let comparison = run(&dipped(), roomy);
    assert!(only_dip(&comparison).causes.is_empty());
    let table =
        render(&comparison, Format::Table, Output { width: 200, color: false, whole: true });
    assert!(table.contains("15 % of the median: nothing that is sampled moved"), "{table}");
}

#[test]
fn a_log_that_is_always_full_is_named_all_the_same() {
    let tight: &[Column] = &[
        (Signal::RedoAge, |at| Some((96 + at % 4) << 20)),
        (Signal::RedoCapacity, |_| Some(100 << 20)),
        (Signal::PagesFlushed, |at| Some(600 + at * 31 % 397)),
    ];
    let comparison = run(&dipped(), tight);
    let said = words(only_dip(&comparison));
    assert!(said[0].starts_with("redo log 9") && !said[0].contains("usually"), "{said:?}");
    assert!(said[1].starts_with("flushing ("), "{said:?}");
}

#[test]
fn other_engines_and_the_machine_have_words_of_their_own() {
    let others: &[Column] = &[
        (Signal::WriteStall, |at| Some(if in_dip(at) { 900_000 } else { 0 })),
        (Signal::LevelZeroFiles, |at| Some(if (31..=34).contains(&at) { 24 } else { 4 })),
        (Signal::BinlogFile, |at| Some(if at < 33 { 7 } else { 8 })),
        (Signal::Steal, |at| Some(if in_dip(at) { 700 } else { 3 })),
        (Signal::SwapOut, |at| Some(if in_dip(at) { 5000 } else { 0 })),
        (Signal::MachineCpu, |_| Some(2000)),
        (Signal::ServerCpu, |at| Some(if in_dip(at) { 300 } else { 1500 })),
        (Signal::ClientCpu, |at| Some(if in_dip(at) { 50 } else { 400 })),
    ];
    let comparison = run(&dipped(), others);
    let dip = only_dip(&comparison);
    let said = words(dip);
    for expected in [
        "write stall (900 ms of each second, usually none)",
        "files in level 0 (24, usually 4)",
        "the binary log went on in a new file",
        "processor time stolen (70 %, usually 0 %)",
        "pages swapped out (5,000, usually none)",
        "other processes used processors (1.6, usually 0.1)",
    ] {
        assert!(said.contains(&expected), "no {expected} in {said:?}");
    }
    assert!(dip.causes.windows(2).all(|pair| pair[0].score >= pair[1].score));
}

#[test]
fn a_server_that_gave_no_answer_during_the_stall_is_judged_by_what_it_says_after() {
    let silent: &[Column] = &[
        (Signal::RedoAge, |at| {
            (!(32..=33).contains(&at)).then_some(if (31..=34).contains(&at) { 99 } else { 30 })
        }),
        (Signal::RedoCapacity, |at| (!(32..=33).contains(&at)).then_some(100)),
        (Signal::PagesFlushed, |at| match at {
            32 | 33 => None,
            34 => Some(9000),
            _ => Some(400),
        }),
    ];
    let comparison = run(&dipped(), silent);
    assert_eq!(
        words(only_dip(&comparison)),
        ["redo log 99 % full (usually 30 %)", "furious flushing (3,000 pages/s, usually 400)"]
    );
}

#[test]
fn an_even_phase_has_no_dips_and_its_course_is_told() {
    let even: Vec<u64> = (0..60).map(|second| 980 + second * 7 % 41).collect();
    let comparison = run(&even, FULL_LOG);
    let seen = course(&comparison);
    assert!(seen.dips.is_empty() && seen.changes.is_empty());
    assert_eq!((seen.windows, seen.zero_windows, seen.longest_stall_s), (60, 0, 0.0));
    assert_eq!(seen.first_percentile, 980.0);
    assert!(seen.variation < 0.02);
    let table =
        render(&comparison, Format::Table, Output { width: 120, color: false, whole: true });
    assert!(table.contains("Evenness") && !table.contains("Why it dipped"), "{table}");
}

#[test]
fn a_change_of_level_is_told_with_both_levels() {
    let stepped: Vec<u64> =
        (0..60).map(|second| if second < 40 { 1000 } else { 700 } + second * 7 % 41).collect();
    let comparison = run(&stepped, &[]);
    let changes = &course(&comparison).changes;
    assert_eq!(changes.len(), 1);
    assert!((changes[0].at_s - 40.0).abs() <= 1.0);
    let table =
        render(&comparison, Format::Table, Output { width: 120, color: false, whole: true });
    assert!(table.contains("the level changed at 40 s, from 1,0"), "{table}");
}

#[test]
fn phases_of_a_few_seconds_say_nothing_of_their_course() {
    let comparison = run(&[900, 20, 950], &[]);
    assert!(comparison.sections[0].points[0].sides[0].course.is_none());
}
