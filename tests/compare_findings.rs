//! Findings that a comparison makes of what a journal holds.

use crate::compare::pair;
use crate::support::scenario::Scenario;
use enginecmp::compare::Comparison;
use enginecmp::journal::Record;
use enginecmp::journal::record::PlansRecord;
use enginecmp::model::{CellKey, FindingCode, Metric};
use std::collections::BTreeMap;

fn seen(comparison: &Comparison, code: FindingCode) -> Vec<&str> {
    comparison
        .findings
        .iter()
        .filter(|finding| finding.code == code)
        .map(|finding| finding.seen.as_str())
        .collect()
}

/// The plan of one statement in a repetition of `innodb`.
fn plan(repetition: u32, key: &str) -> Record {
    Record::Plans(PlansRecord {
        cell: CellKey::from_pairs([("engine", "innodb")]),
        repetition,
        statements: BTreeMap::from([(
            "SELECT c_last FROM customer WHERE c_id = ?".to_string(),
            format!("customer ref {key}"),
        )]),
    })
}

#[test]
fn a_plan_that_changes_between_repetitions_is_told_with_its_statement() {
    let with = |keys: [&str; 3]| {
        pair(1000.0, |scenario: &mut Scenario| {
            for (at, key) in keys.into_iter().enumerate() {
                scenario.push(plan(at as u32 + 1, key));
            }
        })
    };
    assert!(seen(&with(["PRIMARY"; 3]), FindingCode::PlanChanged).is_empty());
    let changed = with(["PRIMARY", "PRIMARY", "idx_customer"]);
    let said = seen(&changed, FindingCode::PlanChanged);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("repetition 1 and 3: "), "{said:?}");
    assert!(said[0].contains("idx_customer"), "{said:?}");
}

#[test]
fn rows_that_came_by_unlike_ways_are_told() {
    let alike = pair(1000.0, |_| {});
    assert!(seen(&alike, FindingCode::UnlikeLoadPaths).is_empty());
    let unlike = pair(1000.0, |scenario: &mut Scenario| {
        scenario.dataset("rocksdb", "rocksdb", 1, "rows 1000", &[(Metric::LoadTime, 90.0)]);
    });
    assert_eq!(
        seen(&unlike, FindingCode::UnlikeLoadPaths),
        ["innodb by load data local with 8 threads, rocksdb by rows 1000 with 8 threads"]
    );
}
