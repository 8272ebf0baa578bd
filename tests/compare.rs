//! What a comparison says of journals with known content.

use crate::support::scenario::{Cell, Measured, Scenario, word};
use enginecmp::compare::compare;
use enginecmp::compare::view::{Absent, Against};
use enginecmp::journal::Record;
use enginecmp::journal::record::Average;
use enginecmp::model::CellKey;
use enginecmp::report::{Format, Output, render};

fn engine(scenario: &mut Scenario, name: &str, storage: &str) -> CellKey {
    let cell = Cell {
        axes: vec![word("engine", name)],
        point: 0,
        storage: storage.to_string(),
        recipe: name.to_string(),
    };
    scenario.cell(&cell, |_| {})
}

fn measured(tpmc: f64) -> Measured {
    Measured { rounds: vec![tpmc], p95: 0.02, ..Measured::default() }
}

#[test]
fn an_engine_that_the_server_lacks_leaves_the_others_their_numbers() {
    let mut scenario = Scenario::new("TokuDB against InnoDB", "toku_vs_innodb.bench");
    scenario.run().profiles.push("smoke".to_string());
    scenario.plan().repeat = 2;
    scenario.compare(&["engine"], &["innodb"]);
    scenario.server("found", "mariadb", "10.11.6-MariaDB");
    let innodb = engine(&mut scenario, "innodb", "InnoDB");
    let toku = engine(&mut scenario, "toku", "TokuDB");
    scenario.not_available(
        &[toku],
        "mariadb 10.11.6 has no TokuDB",
        "TokuDB was last in MariaDB 10.5 and Percona Server 8.0; put one below --servers DIR.",
    );
    for repetition in 1..=2 {
        scenario.repetition(&innodb, repetition, &measured(900.0));
    }
    let comparison = compare(&scenario.finish());
    let sides = &comparison.sections[0].points[0].sides;
    assert_eq!(sides[0].headline().unwrap().level, 900.0);
    assert_eq!(
        sides[1].absent,
        Some(Absent::NotAvailable("mariadb 10.11.6 has no TokuDB".to_string()))
    );
    let text = render(&comparison, Format::Table, Output { width: 80, color: false });
    assert!(text.contains("toku                    not available"), "{text}");
    assert!(text.contains("not available: toku: mariadb 10.11.6 has no TokuDB"), "{text}");
    assert!(text.contains("put one below"), "{text}");
    assert!(text.contains("profile smoke"), "{text}");
}

#[test]
fn the_mean_is_compared_where_the_suite_asks_for_it() {
    for (average, expected) in [(Average::Median, 0.0), (Average::Mean, 0.1)] {
        let mut scenario = Scenario::new("mean", "mean.bench");
        scenario.average(average);
        scenario.compare(&["engine"], &["innodb"]);
        let innodb = engine(&mut scenario, "innodb", "InnoDB");
        let other = engine(&mut scenario, "other", "InnoDB");
        for (repetition, value) in [(1, 100.0), (2, 100.0), (3, 130.0)] {
            scenario.repetition(&innodb, repetition, &measured(100.0));
            scenario.repetition(&other, repetition, &measured(value));
        }
        let comparison = compare(&scenario.finish());
        let side = &comparison.sections[0].points[0].sides[1];
        let delta = side.headline().unwrap().against.delta().unwrap().relative;
        assert!((delta - expected).abs() < 1e-12, "{average:?}: {delta}");
    }
}

#[test]
fn a_cell_whose_baseline_is_not_in_the_matrix_has_no_delta() {
    let mut scenario = Scenario::new("alone", "alone.bench");
    scenario.compare(&["engine"], &["innodb"]);
    let toku = engine(&mut scenario, "toku", "TokuDB");
    for repetition in 1..=3 {
        scenario.repetition(&toku, repetition, &measured(100.0));
    }
    let comparison = compare(&scenario.finish());
    let side = &comparison.sections[0].points[0].sides[0];
    assert_eq!(side.headline().unwrap().against, Against::NoBaseline);
}

#[test]
fn a_journal_that_was_cut_says_how_far_it_came() {
    let mut scenario = Scenario::new("cut", "cut.bench");
    scenario.compare(&["engine"], &["innodb"]);
    let innodb = engine(&mut scenario, "innodb", "InnoDB");
    engine(&mut scenario, "other", "InnoDB");
    scenario.repetition(&innodb, 1, &measured(100.0));
    let mut records = scenario.finish();
    assert!(matches!(records.pop(), Some(Record::End(_))));
    let comparison = compare(&records);
    let incomplete = comparison.heading.incomplete.clone().unwrap();
    assert!(incomplete.contains("1 of 6 repetitions"), "{incomplete}");
    assert_eq!(comparison.sections[0].points[0].sides[1].absent, Some(Absent::NotRun));
}
