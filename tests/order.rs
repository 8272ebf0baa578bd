//! What happens when, as sentences.

use crate::support::bench::{Narrator, Ran, Runner, add_cell, plan, probe, script};
use enginecmp::plan::Plan;
use enginecmp::target::fake::FakeTarget;
use std::sync::Arc;

fn narrated(plan: &Plan) -> Ran {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let server = Arc::new(FakeTarget::new("found", script()));
    let narrator = Narrator(server.trace());
    let runner = Runner { observer: &narrator, ..Runner::default() };
    runner.run(directory.path(), plan, &server)
}

/// The sentences that begin with one of these words.
fn only(ran: &Ran, words: &[&str]) -> Vec<String> {
    let wanted = |line: &&String| words.iter().any(|word| line.starts_with(word));
    ran.trace.iter().filter(wanted).cloned().collect()
}

#[test]
fn a_run_loads_each_dataset_then_makes_repetitions_on_fresh_copies() {
    let mut plan = plan(&["InnoDB"]);
    plan.probes = vec![probe("count", "SELECT COUNT(*) FROM orders")];
    let ran = narrated(&plan);
    assert_eq!(
        ran.trace,
        [
            "load innodb",
            "phase initialise",
            "initialised a data directory",
            "phase start",
            "start 1 with ",
            "phase load",
            "phase settle",
            "phase check",
            "phase stop",
            "start 1 stopped",
            "repetition 1 of engine=innodb",
            "phase probe",
            "start 2 with ",
            "start 2 stopped",
            "phase restore",
            "phase start",
            "start 3 with ",
            "phase warm-up",
            "phase check",
            "phase stop",
            "start 3 stopped",
        ]
    );
}

#[test]
fn sides_of_a_pair_are_interleaved_abba_lap_by_lap() {
    let mut plan = plan(&["InnoDB", "RocksDB"]);
    add_cell(&mut plan, "Aria", 1);
    plan.repeat = 4;
    let ran = narrated(&plan);
    assert_eq!(only(&ran, &["load"]), ["load innodb", "load rocksdb", "load aria"]);
    let laps: Vec<Vec<String>> = (1..=4)
        .map(|lap| {
            let head = format!("repetition {lap} of engine=");
            let lines = only(&ran, &[&head]);
            lines.iter().map(|line| line[head.len()..].to_string()).collect()
        })
        .collect();
    assert_eq!(
        only(&ran, &["repetition"]).len(),
        laps.iter().map(Vec::len).sum::<usize>(),
        "a lap is over before the next begins"
    );
    for (lap, cells) in laps.iter().enumerate() {
        let mut sorted = cells.clone();
        sorted.sort();
        assert_eq!(sorted, ["aria", "innodb", "rocksdb"], "lap {}", lap + 1);
    }
    let pair = |lap: usize| -> Vec<&str> {
        laps[lap].iter().map(String::as_str).filter(|engine| *engine != "aria").collect()
    };
    // A B, then B A.
    for first in [0, 2] {
        let mut reversed = pair(first + 1);
        reversed.reverse();
        assert_eq!(pair(first), reversed);
    }
    let orders: Vec<u32> = ran.journal.repetitions().iter().map(|view| view.record.order).collect();
    assert_eq!(orders, (1..=12).collect::<Vec<_>>());
}

#[test]
fn every_repetition_starts_from_the_same_data() {
    let mut plan = plan(&["InnoDB"]);
    plan.repeat = 3;
    let ran = narrated(&plan);
    // Orders of an earlier repetition would be counted as growth of this one.
    assert_eq!(ran.outcome.finished, 3);
    let headline: Vec<f64> =
        ran.journal.repetitions().iter().map(|view| view.record.metrics[0].value).collect();
    assert_eq!(headline, [3000.0; 3]);
}
