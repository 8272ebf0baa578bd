//! Large suites: ten thousand cells are planned, ordered, spread and recorded without trouble.

use crate::plan::mariadb;
use enginecmp::diagnostic::{SourceMap, render};
use enginecmp::journal::merge::merge;
use enginecmp::journal::{Done, Record, Writer, read};
use enginecmp::model::{Failure, FailureKind, Phase};
use enginecmp::plan::advice::advice;
use enginecmp::plan::shard::{Shard, keep};
use enginecmp::plan::{self, Arguments, Disk, Plan, order, show};
use enginecmp::run::plan_record;
use std::collections::BTreeSet;

/// Two engines x 100 numbers of clients x 50 caches.
fn ten_thousand() -> Plan {
    let caches: Vec<String> = (1..=50).map(|at| format!("{}MB", at * 24)).collect();
    let text = format!(
        "suite \"Ten thousand cells\"\n\
         engine innodb {{ storage InnoDB }}\n\
         engine myrocks {{ storage RocksDB }}\n\
         cache {}\n\
         workload oltp_point_select {{ tables 1; rows 1k; distribution uniform; clients 1..100 step 1; measure 10s }}\n\
         repeat 2\n\
         compare engine against innodb\n",
        caches.join(", ")
    );
    let folder = tempfile::tempdir().expect("a temporary directory");
    let file = folder.path().join("large.bench");
    std::fs::write(&file, text).expect("it is written");
    let mut sources = SourceMap::new();
    let suite = plan::load(&file, &Arguments::default(), &mut sources, &Disk)
        .unwrap_or_else(|wrong| panic!("{}", render(&wrong, &sources, false, 100)));
    plan::make(&suite, &[mariadb()]).unwrap_or_else(|wrong| panic!("{wrong:#?}"))
}

#[test]
fn a_suite_of_ten_thousand_cells_is_planned_shown_and_spread() {
    let plan = ten_thousand();
    assert_eq!(plan.cells.len(), 10_000);
    let keys: BTreeSet<_> = plan.cells.iter().map(|cell| &cell.key).collect();
    assert_eq!(keys.len(), 10_000, "each is another");
    let slots = order(&plan);
    assert_eq!(slots.len(), 20_000);
    assert!(slots[..10_000].iter().all(|slot| slot.repetition == 1), "lap by lap");
    let shown = show::text(&plan, &advice(&plan, &|_| None), 100);
    assert!(shown.contains("10,000") || shown.contains("10000"), "{}", &shown[..2000]);
    let json: serde_json::Value =
        serde_json::from_str(&show::json::json(&plan, &advice(&plan, &|_| None))).expect("JSON");
    assert_eq!(json["cells"].as_array().expect("cells").len(), 10_000);
    let mut part = plan;
    keep(&mut part, Shard { number: 3, of: 4 });
    assert_eq!(part.cells.len(), 2500);
}

#[test]
fn a_journal_of_ten_thousand_cells_is_read_resumed_and_merged() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let mut parts = Vec::new();
    for number in 1..=2 {
        let mut plan = ten_thousand();
        keep(&mut plan, Shard { number, of: 2 });
        let mut writer = Writer::create(&folder.path().join(number.to_string())).expect("new");
        let mut repetition = sample();
        let mut run = enginecmp::journal::record::RunRecord {
            v: enginecmp::journal::record::VERSION,
            id: format!("part-{number}"),
            ..Default::default()
        };
        run.shard = Some(enginecmp::journal::record::ShardRecord { number, of: 2 });
        writer.write(&Record::Run(run)).expect("it is written");
        writer.write(&Record::Plan(plan_record(&plan))).expect("it is written");
        for slot in order(&plan) {
            repetition.cell = plan.cells[slot.cell].key.clone();
            repetition.repetition = slot.repetition;
            repetition.order = slot.order;
            writer.write(&Record::Repetition(repetition.clone())).expect("it is written");
        }
        drop(writer);
        parts.push(read(&folder.path().join(number.to_string())).expect("a journal"));
    }
    assert_eq!(parts[0].repetitions().len(), 10_000);
    let done = Done::of(&parts[0]);
    assert_eq!((done.finished, done.failed, done.last_order), (0, 10_000, 10_000));
    let joined = merge(&parts, "joined", false).expect("they fit");
    let cells = joined.iter().find_map(|record| match record {
        Record::Plan(plan) => Some(plan.cells.len()),
        _ => None,
    });
    assert_eq!(cells, Some(10_000));
}

fn sample() -> enginecmp::journal::record::RepetitionRecord {
    let failure = Failure::new(Phase::Measure, FailureKind::Sql, "told of ten thousand times");
    serde_json::from_value(serde_json::json!({
        "cell": {}, "repetition": 1, "order": 1, "at": "2026-01-01T00:00:00Z", "elapsed_ms": 1,
        "rounds": [], "metrics": [], "clients": 1, "failure": failure,
    }))
    .expect("a record")
}
