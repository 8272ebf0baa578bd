//! `requests N`: a measured phase that ends after so many transactions, on clocks that are exact.

use crate::support::bench::{self, ms, run, script};
use enginecmp::diagnostic::{SourceMap, render};
use enginecmp::plan::{self, Arguments, Disk};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[test]
fn a_phase_ends_after_so_many_transactions_and_lasts_as_long_as_they_took() {
    let mut plan = bench::plan(&["InnoDB"]);
    let cell = &mut plan.cells[0];
    (cell.warmup, cell.measure, cell.requests) = (Duration::ZERO, DAY, Some(300));
    let ran = run(&plan, script());
    let views = ran.journal.repetitions();
    let record = views[0].record;
    assert!(record.failure.is_none(), "{:?}", record.failure);
    let round = &record.rounds[0];
    let ended: u64 = round.types.iter().map(|kind| kind.committed + kind.rolled_back).sum();
    assert_eq!(ended, 300);
    // 10 ms an order, 20 ms a payment, one after the other.
    let lasted = Duration::from_nanos(round.duration_ns);
    assert!(lasted > ms(3000) && lasted < ms(6000), "{lasted:?}");
    let windows = &views[0].windows[0].types;
    let seen: u64 = windows.iter().flat_map(|kind| &kind.count).sum();
    assert_eq!(seen, 300);
    assert_eq!(windows[0].count.len() as u64, lasted.as_secs() + 1);
    let tps = record.metrics.iter().find(|value| value.id.metric.name() == "tps").expect("a rate");
    assert!((tps.value * lasted.as_secs_f64() - 300.0).abs() < 0.01, "{}", tps.value);
}

fn wrong(text: &str) -> String {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("s.bench");
    std::fs::write(&file, text).expect("it is written");
    let mut sources = SourceMap::new();
    let plan = plan::load(&file, &Arguments::default(), &mut sources, &Disk)
        .and_then(|suite| plan::make(&suite, &[]));
    let wrong = plan.err().expect("it is refused");
    render(&wrong, &sources, false, 100)
}

#[test]
fn a_count_and_several_rounds_do_not_go_together() {
    let wrong = wrong(
        "suite \"s\"\nengine a { storage InnoDB }\n\
         workload oltp_read_only { distribution uniform; requests 1k; rounds 2 }\n",
    );
    assert!(wrong.contains("a cell has `requests` and `rounds`"), "{wrong}");
}

#[test]
fn an_oltp_workload_must_say_its_distribution() {
    let wrong =
        wrong("suite \"s\"\nengine a { storage InnoDB }\nworkload oltp_read_only { rows 5 }\n");
    assert!(wrong.contains("an OLTP workload must say how keys are drawn"), "{wrong}");
}
