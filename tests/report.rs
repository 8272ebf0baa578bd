//! Reports: what people read, format by format.

use crate::support::golden::{assert_golden, fixture};
use crate::support::scenario::{Cell, Measured, Scenario, count, gigabytes, word};
use enginecmp::compare::{Comparison, compare};
use enginecmp::journal::{self, Record};
use enginecmp::model::{
    CompareOp, Condition, ConditionTerm, Expectation, ExpectedBound, Failure, FailureKind, Finding,
    FindingCode, Metric, MetricId, Phase, Place, SettingValue, Subject,
};
use enginecmp::report::{Format, Output, render};
use std::collections::BTreeMap;

/// The published kind of comparison: two engines, points that differ in data, cache and clients.
fn toku_vs_innodb() -> Vec<Record> {
    let mut scenario = Scenario::new("TokuDB against InnoDB, TPC-C", "toku_vs_innodb.bench");
    scenario.compare(&["engine"], &["innodb"]);
    scenario.server("found", "percona", "5.6.17-65.0-rel65.0-tokudb");
    let points: [(u64, u64, u64, &str, u64, f64, f64); 6] = [
        (100, 100, 4, "keep", 32, 18_524.9, 0.1231),
        (100, 100, 4, "keep", 64, 17_911.2, 0.0972),
        (200, 100, 10, "drop", 64, 9_213.7, 0.4410),
        (200, 200, 10, "drop", 64, 6_805.3, 0.0132),
        (400, 400, 10, "drop", 64, 2_644.0, -0.0688),
        (400, 200, 10, "drop", 64, 2_871.4, 0.2250),
    ];
    for (point, (loaded, active, cache, os_cache, clients, level, delta)) in
        points.into_iter().enumerate()
    {
        for (engine, storage) in [("innodb", "InnoDB"), ("toku", "TokuDB")] {
            let toku = engine == "toku";
            let cell = Cell {
                axes: vec![
                    word("engine", engine),
                    count("warehouses", loaded),
                    count("active", active),
                    gigabytes("cache", cache),
                    word("os_cache", os_cache),
                    count("clients", clients),
                ],
                point,
                storage: storage.to_string(),
                recipe: format!("{engine}-{loaded}"),
            };
            let key = scenario.cell(&cell, |_| {});
            let level = if toku { level * (1.0 + delta) } else { level };
            for repetition in 1..=3u32 {
                let wobble = |round: u32| {
                    let step = (repetition * 7 + round * 3 + point as u32 * 5) % 11;
                    level * (1.0 + (f64::from(step) - 5.0) * 0.003)
                };
                if point == 4 && toku && repetition == 2 {
                    scenario.failed_repetition(
                        &key,
                        repetition,
                        Failure::new(
                            Phase::Measure,
                            FailureKind::Sql,
                            "ERROR 1030 (HY000): Got error 28 from storage engine",
                        )
                        .next_step(
                            "The disk of the work directory is full; free some or use --work DIR.",
                        )
                        .log_tail(vec![
                            "2026-02-04 03:12:55 7f1c [ERROR] TokuDB: file system space is low"
                                .to_string(),
                        ]),
                    );
                    continue;
                }
                let record = scenario.repetition(
                    &key,
                    repetition,
                    &Measured {
                        rounds: vec![wobble(1), wobble(2)],
                        p95: if toku { 0.0413 } else { 0.0521 } * 6000.0 / level * 3.0,
                        errors: 0,
                        retries: if toku { 240 } else { 12 },
                        start: if toku { 2.2 } else { 1.4 } + f64::from(repetition) * 0.01,
                        stop: if toku { 5.9 } else { 48.1 } + f64::from(repetition) * 0.3,
                    },
                );
                record.variables = variables(toku);
                scenario.probe(
                    &key,
                    repetition,
                    "count_customer",
                    if toku { 1.06 } else { 2.79 } * (1.0 + f64::from(repetition) * 0.004),
                );
            }
        }
    }
    scenario.plan().expectations.push(at_least_ten_percent());
    let gib = 1024.0 * 1024.0 * 1024.0;
    for warehouses in [100.0, 200.0, 400.0] {
        for engine in ["innodb", "toku"] {
            let toku = engine == "toku";
            let scale = warehouses / 100.0;
            scenario.dataset(
                &format!("{engine}-{warehouses}"),
                engine,
                1,
                if toku { "rows 1000" } else { "load data local" },
                &[
                    (Metric::LoadTime, if toku { 4920.0 } else { 5940.0 } * scale),
                    (Metric::IndexTime, if toku { 610.0 } else { 872.0 } * scale),
                    (Metric::SettleTime, if toku { 12.0 } else { 96.0 } * scale),
                    (Metric::TotalLoadTime, if toku { 5542.0 } else { 6908.0 } * scale),
                    (Metric::SizeLoaded, if toku { 6.9 } else { 8.2 } * gib * scale),
                    (Metric::SizeSettled, if toku { 6.5 } else { 8.3 } * gib * scale),
                    (Metric::SizeLogs, if toku { 0.3 } else { 1.0 } * gib),
                ],
            );
        }
    }
    scenario.push(Record::Finding(Finding::new(
        FindingCode::KnownDeviations,
        "mode tpcc_mysql: conditions 10 and 12 are not checked",
    )));
    scenario.finish()
}

fn variables(toku: bool) -> BTreeMap<String, String> {
    let own: &[(&str, &str)] = if toku {
        &[("tokudb_commit_sync", "ON"), ("tokudb_lock_timeout", "50000")]
    } else {
        &[
            ("innodb_flush_log_at_trx_commit", "1"),
            ("innodb_lock_wait_timeout", "50"),
            ("innodb_doublewrite", "ON"),
        ]
    };
    own.iter()
        .chain(&[("log_bin", "OFF"), ("performance_schema", "OFF")])
        .map(|(name, value)| ((*name).to_string(), (*value).to_string()))
        .collect()
}

fn at_least_ten_percent() -> Expectation {
    Expectation {
        metric: MetricId::whole(Metric::Tpmc),
        subject: Subject::Named("toku".to_string()),
        op: CompareOp::GreaterOrEqual,
        bound: ExpectedBound::Delta(10.0),
        since_baseline: false,
        condition: Some(Condition::Term(ConditionTerm {
            name: "warehouses".to_string(),
            op: CompareOp::GreaterOrEqual,
            value: SettingValue::Count(200),
            place: Place::new("toku_vs_innodb.bench", 25, 36),
        })),
        text: "tpmc of toku >= +10% where warehouses >= 200".to_string(),
        place: Place::new("toku_vs_innodb.bench", 25, 1),
    }
}

/// The records as they are kept in `fixtures/journals`, read back as a journal is.
fn kept(name: &str, records: &[Record]) -> Vec<Record> {
    let mut text = String::new();
    for record in records {
        text.push_str(&serde_json::to_string(record).expect("a record is JSON"));
        text.push('\n');
    }
    let path = format!("journals/{name}.jsonl");
    assert_golden(&path, &text);
    journal::read(&fixture(&path)).expect("a journal").records
}

fn shown(comparison: &Comparison, width: usize) -> String {
    render(comparison, Format::Table, Output { width, color: false, whole: true })
}

#[test]
fn the_table_at_three_widths() {
    let comparison = compare(&kept("toku_vs_innodb", &toku_vs_innodb()));
    for width in [80, 120, 200] {
        assert_golden(&format!("reports/toku_vs_innodb.{width}.txt"), &shown(&comparison, width));
    }
}

#[test]
fn a_terminal_gets_the_verdict_first_and_the_rest_in_a_line_each() {
    let comparison = compare(&toku_vs_innodb());
    for width in [80, 200] {
        let short =
            render(&comparison, Format::Table, Output { width, color: false, whole: false });
        assert_golden(&format!("reports/toku_vs_innodb.short.{width}.txt"), &short);
        let whole = shown(&comparison, width);
        assert!(short.lines().count() < whole.lines().count(), "{short}");
    }
    let colored =
        render(&comparison, Format::Table, Output { width: 80, color: true, whole: false });
    assert!(colored.contains("TpmC \u{1b}[1;32m+12.66%\u{1b}[0m"), "{colored}");
}

#[test]
fn every_other_format() {
    let comparison = compare(&toku_vs_innodb());
    for (format, ending) in [
        (Format::Markdown, "md"),
        (Format::PullRequest, "pr.md"),
        (Format::Csv, "csv"),
        (Format::CsvWide, "wide.csv"),
        (Format::Json, "json"),
        (Format::Benchstat, "bench.txt"),
        (Format::Junit, "xml"),
    ] {
        let text = render(&comparison, format, Output { width: 80, color: false, whole: true });
        assert_golden(&format!("reports/toku_vs_innodb.{ending}"), &text);
    }
}

#[test]
fn a_journal_that_counts_repetitions_wildly_has_a_column_for_each_that_is_there() {
    let mut records = toku_vs_innodb();
    for record in &mut records {
        if let Record::Repetition(repetition) = record
            && repetition.repetition == 3
        {
            repetition.repetition = u32::MAX;
        }
    }
    let comparison = compare(&records);
    for format in Format::ALL {
        render(&comparison, *format, Output { width: 200, color: false, whole: true });
    }
    let table = shown(&comparison, 200);
    assert!(table.contains("rep 4294967295"), "{table}");
}

#[test]
fn start_and_stop_are_shown_once_however_many_comparisons_there_are() {
    let mut scenario = Scenario::new("Pool and redo", "pool.bench");
    scenario.compare(&["redo"], &["small"]);
    scenario.compare(&["pool"], &["1"]);
    for (point, pool) in [1, 8].into_iter().enumerate() {
        for redo in ["small", "large"] {
            let cell = Cell {
                axes: vec![word("redo", redo), count("pool", pool)],
                point,
                storage: "InnoDB".to_string(),
                recipe: "innodb".to_string(),
            };
            let key = scenario.cell(&cell, |_| {});
            for repetition in 1..=2 {
                let measured =
                    Measured { rounds: vec![900.0], start: 1.0, stop: 2.0, ..Measured::default() };
                scenario.repetition(&key, repetition, &measured);
            }
        }
    }
    let text = shown(&compare(&scenario.finish()), 120);
    assert_eq!(text.matches(": redo against small").count(), 1);
    assert_eq!(text.matches(": pool against 1").count(), 1);
    assert_eq!(text.matches("Start and stop of the server").count(), 1, "{text}");
}
