//! Engines without transactions: they run, are labelled, gate nothing and are paired with none that
//! has them.

use crate::support::tools::{journal, run, said};
use enginecmp::model::{FindingCode, Metric, MetricId};

#[test]
fn tpcc_on_aria_is_measured_labelled_and_never_paired() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let suite = "engine innodb { storage InnoDB }\nengine aria { storage Aria }\ncache 32M\n\
                 workload tpcc { warehouses 1; density 1%; clients 2; measure 1500ms }\n\
                 repeat 2\ncompare engine against innodb\n";
    let output = run(directory.path(), suite, "out", &["--format", "csv"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let journal = journal(directory.path(), "out");
    let of_aria = |cell: &str| cell.contains("engine=aria");
    let mut seen = 0;
    for view in journal.repetitions() {
        let record = view.record;
        assert!(record.metrics.iter().any(|m| m.id == MetricId::whole(Metric::Tpmc)));
        assert!(record.checks.len() >= 12, "they are checked all the same");
        if of_aria(&record.cell.to_string()) {
            assert!(record.checks.iter().all(|check| check.tolerated), "{:?}", record.checks);
            seen += 1;
        } else {
            assert!(record.checks.iter().all(|check| check.violations == 0));
        }
    }
    assert_eq!(seen, 2);
    let label = journal.findings().find(|finding| finding.code == FindingCode::NoTransactions);
    assert!(label.expect("it is labelled").seen.contains("Aria"));
    // Two repetitions of each side would have a delta.
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let levels: Vec<&str> =
        printed.lines().filter(|line| line.contains(",aria,") && line.contains(",tpmc,")).collect();
    assert!(levels.iter().any(|line| line.ends_with(",unequal")), "{levels:?}");
}
