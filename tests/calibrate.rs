//! Calibration: the baseline against itself, what is kept of it, and what uses it.

use crate::support::bench::{self, plan, run, script};
use crate::support::golden::assert_golden;
use enginecmp::compare::{Calibration, compare};
use enginecmp::journal::Record;
use enginecmp::model::{CellKey, Metric, Place};
use enginecmp::plan::{Comparison, Plan, calibrate};
use enginecmp::report::calibration::{Calibrated, json, text};
use enginecmp::report::{Format, Output, render};
use enginecmp::target::fake::{Fault, Script};
use std::path::Path;
use std::process::Command;

/// InnoDB as the baseline of RocksDB.
fn pair() -> Plan {
    let mut plan = plan(&["InnoDB", "RocksDB"]);
    plan.comparisons = vec![Comparison {
        axes: vec!["engine".to_string()],
        baseline: vec!["innodb".to_string()],
        place: Place::new("shop.bench", 9, 1),
    }];
    plan
}

/// A server on which repetitions stray: each start has some deadlocks in the measured phase, and
/// each of them costs the time of an order.
fn straying() -> Script {
    let fault = |start: u32, deadlocks: u64| {
        Fault::error(1213, "Deadlock found when trying to get lock")
            .on("INSERT INTO orders")
            .nth(60)
            .times(deadlocks)
            .in_start_number(start)
    };
    // The first start loads.
    (2..=7)
        .zip([1, 2, 4, 3, 6, 2])
        .fold(script(), |script, (start, n)| script.fault(fault(start, n)))
}

#[test]
fn the_baseline_is_measured_against_itself_and_nothing_else() {
    let mut plan = pair();
    calibrate::against_itself(&mut plan, 3);
    let ran = run(&plan, straying());
    let cells: Vec<String> =
        ran.journal.repetitions().iter().map(|view| view.record.cell.to_string()).collect();
    let of = |side: &str| CellKey::from_pairs([("engine", "innodb"), ("side", side)]).to_string();
    assert_eq!(cells.iter().filter(|cell| **cell == of("a")).count(), 3);
    assert_eq!(cells.iter().filter(|cell| **cell == of("b")).count(), 3);
    // Laps are interleaved like those of any pair: ABBA.
    assert_eq!(cells[0], cells[3]);
    assert_eq!(cells[1], cells[2]);
    assert_eq!(ran.journal.datasets().count(), 1, "both sides use one dataset");
}

#[test]
fn what_a_calibration_prints() {
    let mut plan = pair();
    let pairs = calibrate::pairs(&plan);
    calibrate::against_itself(&mut plan, 3);
    let ran = run(&plan, straying());
    let mut calibration = Calibration::of(&ran.journal.records);
    // The tpmc of six repetitions: each deadlock costs 10 ms of 3 s, and so a third of 40 ms.
    assert!((0.003..0.03).contains(&calibration.floor(Metric::Tpmc).deviation()));
    calibration.0.at.clear();
    // What a process of this machine used is not scripted.
    calibration.0.floors.retain(|name, _| !name.contains("cpu") && !name.contains("bytes"));
    let detectable = calibration.detectable(pairs, false);
    let calibrated = Calibrated { record: &calibration.0, detectable, pairs, deltas: 1, alarms: 0 };
    assert_golden("reports/calibration.txt", &text(&calibrated));
    let value: serde_json::Value = serde_json::from_str(&json(&calibrated)).expect("JSON");
    assert_eq!(value["metrics"][0]["metric"], "tpmc");
    assert_eq!(value["metrics"][0]["detectable"][2]["n"], 10);
    assert_eq!(value["calibration"]["repetitions"], 3);
}

#[test]
fn a_run_keeps_the_calibration_and_its_report_uses_it() {
    let mut calibration = Calibration::default();
    calibration.set(Metric::Tpmc, 0.05, 8.0);
    calibration.0.suite = "shop.bench".to_string();
    calibration.0.at = "2026-02-03T22:14:05Z".to_string();
    calibration.0.repetitions = 5;
    let mut plan = pair();
    plan.repeat = 3;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let runner = bench::Runner { calibration: Some(calibration.0), ..bench::Runner::default() };
    let server = std::sync::Arc::new(enginecmp::target::fake::FakeTarget::new("found", script()));
    let ran = runner.run(directory.path(), &plan, &server);
    let shown = |records: &[Record]| {
        render(&compare(records), Format::Table, Output { width: 120, color: false, whole: true })
    };
    let text = shown(&ran.journal.records);
    let line =
        "noise floor TpmC 10.30 %, calibrated 2026-02-03 with shop.bench, 5 repetitions a side";
    assert!(text.contains(line), "{text}");
    let without: Vec<Record> = ran
        .journal
        .records
        .iter()
        .filter(|record| !matches!(record, Record::Calibration(_)))
        .cloned()
        .collect();
    assert!(shown(&without).contains("noise floor TpmC 1.01 % (assumed), not calibrated"));
    // Equal figures: the interval is as wide as the floor makes it.
    let width = |records: &[Record]| {
        let comparison = compare(records);
        let side = &comparison.sections[0].points[0].sides[1];
        side.headline().and_then(|series| series.half_width).expect("an interval")
    };
    assert!(width(&ran.journal.records) > 9.0 * width(&without));
}

#[test]
fn what_a_calibration_holds_for_is_what_moves_its_noise() {
    let address = |change: fn(&mut Plan)| {
        let mut plan = pair();
        change(&mut plan);
        calibrate::address(&plan)
    };
    let plain = address(|_| {});
    assert_eq!(plain, address(|plan| plan.repeat = 9));
    assert_eq!(plain, address(|plan| plan.cells.truncate(1)));
    assert_ne!(
        plain,
        address(|plan| {
            let clients = enginecmp::model::SettingValue::Count(64);
            plan.cells[0].settings.insert("clients".to_string(), clients);
        })
    );
    assert_ne!(plain, address(|plan| plan.datasets[0].recipe.0 = "other".to_string()));
}

fn enginecmp(folder: &Path, arguments: &[&str]) -> (String, String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_enginecmp"))
        .args(arguments)
        .current_dir(folder)
        .env("HOME", folder)
        .env("XDG_STATE_HOME", folder.join("state"))
        .env("PATH", "")
        .env("COLUMNS", "120")
        .output()
        .expect("the command starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

#[test]
fn what_was_calibrated_is_found_again_by_plan_and_run() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let suite = "suite \"Journals\"\nengine sqlite { storage SQLite }\n\
        workload tpcc { warehouses 1; density 1%; clients 1; measure 600ms }\n\
        option journal_mode = delete, wal\nrepeat 2\ncompare journal_mode against delete\n\
        expect tpmc of wal >= +40%\n";
    std::fs::write(folder.path().join("journals.bench"), suite).expect("it is written");
    let (plan, _, code) = enginecmp(folder.path(), &["plan", "journals.bench"]);
    assert_eq!(code, Some(0));
    assert!(plan.contains("assumed; `enginecmp calibrate journals.bench` measures it"), "{plan}");
    assert!(plan.contains("tpmc of wal >= +40%: n = 2 tells +40% from none"), "{plan}");
    let (said, errors, code) =
        enginecmp(folder.path(), &["calibrate", "journals.bench", "--repeat", "2"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(said.contains("\nTpmC "), "{said}");
    assert!(said.contains("The sides are one and the same: "), "{said}");
    let (plan, _, _) = enginecmp(folder.path(), &["plan", "journals.bench"]);
    assert!(plan.contains("(as calibrated)"), "{plan}");
    let (report, errors, code) = enginecmp(folder.path(), &["run", "journals.bench"]);
    assert!(code == Some(0) || code == Some(1), "{errors}");
    assert!(report.contains("with journals.bench, 2 repetitions a side"), "{report}");
    // What moves the noise makes it another thing.
    let (plan, _, _) = enginecmp(folder.path(), &["plan", "journals.bench", "--set", "clients=2"]);
    assert!(plan.contains("assumed; "), "{plan}");
}

#[test]
fn under_bisect_what_cannot_be_told_is_skipped_and_a_wrong_suite_ends_it() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let suite = |expect: &str, repeat: u32| {
        format!(
            "engine sqlite {{ storage SQLite }}\nworkload tpcc {{ warehouses 1; density 1%; clients 1; \
             measure 1s }}\nrepeat {repeat}\nexpect {expect}\n"
        )
    };
    let code = |name: &str, text: &str, arguments: &[&str]| {
        let file = format!("{name}.bench");
        std::fs::write(folder.path().join(&file), text).expect("it is written");
        let mut all = vec!["run", file.as_str()];
        all.extend(arguments);
        enginecmp(folder.path(), &all).2
    };
    // One repetition cannot tell.
    let open = suite("tps of each >= 1", 1);
    assert_eq!(code("open", &open, &[]), Some(0));
    assert_eq!(code("open", &open, &["--bisect"]), Some(125));
    let good = suite("errors of each < 1", 2);
    assert_eq!(code("good", &good, &["--bisect"]), Some(0));
    let bad = suite("errors of each >= 1", 2);
    assert_eq!(code("bad", &bad, &["--bisect"]), Some(1));
    assert_eq!(code("wrong", "engine {", &[]), Some(2));
    assert_eq!(code("wrong", "engine {", &["--bisect"]), Some(128));
    assert_eq!(enginecmp(folder.path(), &["run", "--bisect", "--nonsense"]).2, Some(128));
}
