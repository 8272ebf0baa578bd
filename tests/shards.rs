//! A suite in parts for several machines, and the parts joined.

use crate::support::bench::{Runner, add_cell, plan, script};
use enginecmp::compare;
use enginecmp::journal::merge::merge;
use enginecmp::journal::{Journal, Record};
use enginecmp::model::{AxisValue, CellKey, FindingCode, Place, SettingValue};
use enginecmp::plan::shard::{Shard, keep};
use enginecmp::plan::{Comparison, Plan};
use enginecmp::target::fake::FakeTarget;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Three points of two engines that are compared.
fn suite() -> Plan {
    let mut plan = plan(&["InnoDB", "RocksDB"]);
    for point in 1..3 {
        add_cell(&mut plan, "InnoDB", point);
        add_cell(&mut plan, "RocksDB", point);
    }
    for (at, cell) in plan.cells.iter_mut().enumerate() {
        let clients =
            AxisValue { axis: "clients".to_string(), value: SettingValue::Count(1 << (at / 2)) };
        cell.axes.push(clients);
        cell.key = CellKey::new(&cell.axes);
    }
    plan.repeat = 2;
    plan.comparisons = vec![Comparison {
        axes: vec!["engine".to_string()],
        baseline: vec!["InnoDB".to_string()],
        place: Place::new("shop.bench", 20, 1),
    }];
    plan
}

fn part(number: u32, of: u32) -> Plan {
    let mut plan = suite();
    keep(&mut plan, Shard { number, of });
    plan
}

fn run(plan: &Plan) -> Journal {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let server = Arc::new(FakeTarget::new("found", script()));
    Runner::default().run(directory.path(), plan, &server).journal
}

#[test]
fn parts_are_the_whole_and_what_is_compared_stays_together() {
    for of in 1..=4 {
        let parts: Vec<Plan> = (1..=of).map(|number| part(number, of)).collect();
        let mut keys: Vec<String> = Vec::new();
        for part in &parts {
            let mut sides = BTreeSet::new();
            for cell in &part.cells {
                keys.push(cell.key.to_string());
                let rest = cell.key.without("engine").to_string();
                if !sides.remove(&rest) {
                    sides.insert(rest);
                }
            }
            assert!(sides.is_empty(), "a side of a pair is elsewhere: {sides:?}");
        }
        keys.sort();
        let mut whole: Vec<String> =
            suite().cells.iter().map(|cell| cell.key.to_string()).collect();
        whole.sort();
        assert_eq!(keys, whole, "in {of} parts");
    }
    assert_eq!(part(1, 3).cells.len(), 2, "equal points are spread evenly");
    assert!(part(4, 4).cells.is_empty(), "there are but three groups");
    // A second statement that compares across points joins them all.
    let mut joined = suite();
    let mut across = joined.comparisons[0].clone();
    across.axes = vec!["clients".to_string()];
    joined.comparisons.push(across);
    keep(&mut joined, Shard { number: 1, of: 2 });
    assert_eq!(joined.cells.len(), 6);
}

#[test]
fn joined_parts_report_what_the_whole_does() {
    let whole = run(&suite());
    let parts = [run(&part(2, 2)), run(&part(1, 2))];
    let joined = merge(&parts, "joined", false).expect("they fit");
    let shown = |records: &[Record]| {
        let comparison = compare::compare(records);
        assert_eq!(comparison.heading.incomplete, None);
        let points = comparison.sections.into_iter().flat_map(|section| section.points);
        points
            .map(|point| {
                let sides = point.sides.iter().map(|side| {
                    let n = side.series.iter().map(|series| series.samples.len());
                    format!("{} {:?}", side.cell, n.collect::<Vec<_>>())
                });
                (point.values.clone(), sides.collect::<Vec<_>>())
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(shown(&joined), shown(&whole.records));
    let findings = compare::compare(&joined).findings;
    assert!(findings.iter().all(|finding| finding.code != FindingCode::Incomplete), "{findings:?}");
}

#[test]
fn what_does_not_belong_together_is_not_joined() {
    let (one, two) = (run(&part(1, 2)), run(&part(2, 2)));
    let twice = merge(&[one.clone(), one.clone()], "x", false).expect_err("the same twice");
    assert!(twice.why.contains("measured in two of them"), "{}", twice.why);

    let mut other_suite = two.clone();
    for record in &mut other_suite.records {
        if let Record::Run(run) = record {
            run.seed += 1;
        }
    }
    let unlike = merge(&[one.clone(), other_suite], "x", true).expect_err("another seed");
    assert!(unlike.why.contains("not shards of one suite"), "{}", unlike.why);

    let mut other_machine = two;
    for record in &mut other_machine.records {
        if let Record::Machine(machine) = record {
            machine.cores = 64;
        }
    }
    let pair = [one.clone(), other_machine];
    let unlike = merge(&pair, "x", false).expect_err("another machine");
    assert!(unlike.why.contains("cores: 2 and 64"), "{}", unlike.why);
    assert!(unlike.next.contains("--mixed"));
    let mixed = compare::compare(&merge(&pair, "x", true).expect("it is allowed"));
    assert!(mixed.findings.iter().any(|finding| finding.code == FindingCode::MixedMachines));

    let mut other_build = run(&part(2, 2));
    for record in &mut other_build.records {
        if let Record::Server(server) = record {
            server.build = "jemalloc".to_string();
        }
    }
    let pair = [one.clone(), other_build];
    let unlike = merge(&pair, "x", false).expect_err("another build");
    let told = "server found: fake 1.0-fake scripted and fake 1.0-fake jemalloc";
    assert!(unlike.why.contains(told), "{}", unlike.why);
    let mixed = compare::compare(&merge(&pair, "x", true).expect("it is allowed"));
    let finding = mixed.findings.iter().find(|one| one.code == FindingCode::MixedMachines);
    assert!(finding.is_some_and(|finding| finding.seen.contains(told)), "{finding:?}");

    let alone = compare::compare(&merge(&[one], "x", false).expect("one is joined too"));
    let lacking = alone.findings.iter().find(|one| one.code == FindingCode::Incomplete);
    assert_eq!(lacking.expect("it is said").seen, "shards 2/2 are missing");
}
