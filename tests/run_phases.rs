//! Measured phases of which only a part counts, and such that end when throughput has come to rest.

use crate::support::bench::{Ran, ms, plan, run, script};
use enginecmp::compare::compare;
use enginecmp::journal::histogram::decode;
use enginecmp::journal::record::{RepetitionRecord, WindowsRecord};
use enginecmp::model::{FindingCode, Metric, MetricId, Phase};
use enginecmp::stats::steady::is_steady;
use enginecmp::target::fake::Script;
use std::time::Duration;

fn value(record: &RepetitionRecord, metric: Metric) -> f64 {
    let id = MetricId::whole(metric);
    record.metrics.iter().find(|value| value.id == id).expect("it is measured").value
}

/// Completed transactions by second of the measured phase, those that do not count apart.
fn windows(ran: &Ran) -> (Vec<u64>, Vec<u64>) {
    let of = |counted: bool| {
        let views = ran.journal.repetitions();
        let of_phase = |w: &&&WindowsRecord| w.phase == Phase::Measure && w.counted == counted;
        let records: Vec<&WindowsRecord> =
            views[0].windows.iter().filter(of_phase).copied().collect();
        records
            .iter()
            .flat_map(|w| {
                (0..w.types[0].count.len())
                    .map(|at| w.types.iter().map(|kind| kind.count[at]).sum::<u64>())
            })
            .collect()
    };
    (of(false), of(true))
}

/// Orders that take 50 ms at first and 10 ms after the first `slow`.
fn slow_at_first(slow: usize) -> Script {
    let mut times = vec![ms(50); slow];
    times.resize(200_000, ms(10));
    let mut warming = script();
    warming.times.clear();
    warming.takes("INSERT INTO orders", &times).takes("UPDATE accounts", &[ms(20)])
}

/// Orders whose time shrinks with every one of them, down to 10 ms.
fn warming() -> Script {
    let times: Vec<Duration> =
        (0..200_000u64).map(|at| ms(10 + 90u64.saturating_sub(at / 10))).collect();
    let mut warming = script();
    warming.times.clear();
    warming.takes("INSERT INTO orders", &times).takes("UPDATE accounts", &[ms(20)])
}

#[test]
fn only_the_last_part_of_a_phase_counts() {
    let mut plan = plan(&["InnoDB"]);
    plan.cells[0].warmup = Duration::ZERO;
    plan.cells[0].measure = ms(8000);
    plan.cells[0].count_last = Some(ms(3000));
    // The slow orders are over in the fifth second: 80 x 50 ms and 40 payments of 20 ms.
    let ran = run(&plan, slow_at_first(80));
    let views = ran.journal.repetitions();
    let record = views[0].record;
    assert!(record.failure.is_none(), "{:?}", record.failure);
    let (head, counted) = windows(&ran);
    assert_eq!((head.len(), counted), (5, vec![75, 75, 75]));
    assert!(head[0] < 40);
    assert_eq!(record.rounds[0].duration_ns, 3_000_000_000);
    let orders = &record.rounds[0].types[0];
    assert_eq!(orders.committed + orders.rolled_back, 150);
    assert_eq!(value(record, Metric::Tpmc), 3000.0);
    let latencies = decode(&orders.histogram).expect("a histogram");
    assert_eq!((latencies.len(), latencies.count_between(9_990, 10_010)), (150, 150));
    assert!(value(record, Metric::P999) < 0.021);
}

#[test]
fn each_round_counts_its_last_part() {
    let mut plan = plan(&["InnoDB"]);
    plan.cells[0].measure = ms(4000);
    plan.cells[0].rounds = 2;
    plan.cells[0].count_last = Some(ms(1000));
    let ran = run(&plan, script());
    let views = ran.journal.repetitions();
    let record = views[0].record;
    assert_eq!(record.rounds.len(), 2);
    assert!(record.rounds.iter().all(|round| round.duration_ns == 1_000_000_000));
    assert_eq!(windows(&ran), (vec![75; 6], vec![75; 2]));
    assert_eq!(value(record, Metric::Tps), 75.0);
}

#[test]
fn a_phase_ends_where_throughput_has_come_to_rest_and_the_steady_half_counts() {
    let mut plan = plan(&["InnoDB"]);
    plan.cells[0].warmup = Duration::ZERO;
    plan.cells[0].measure = ms(600_000);
    plan.cells[0].clients = 3;
    plan.cells[0].steady = Some(0.02);
    let ran = run(&plan, warming());
    let views = ran.journal.repetitions();
    let record = views[0].record;
    assert!(record.failure.is_none(), "{:?}", record.failure);
    let (head, counted) = windows(&ran);
    let end = head.len() + counted.len();
    // By the rule itself: no shorter phase was steady, and this one is.
    let series: Vec<f64> = head.iter().chain(&counted).map(|count| *count as f64).collect();
    assert!(is_steady(&series, 0.02));
    assert!((1..end).all(|end| !is_steady(&series[..end], 0.02)));
    assert!((80..300).contains(&end), "{end} s");
    assert_eq!(head.len(), end / 2);
    assert_eq!(record.rounds[0].duration_ns, counted.len() as u64 * 1_000_000_000);
    let completed: u64 =
        record.rounds[0].types.iter().map(|kind| kind.committed + kind.rolled_back).sum();
    assert_eq!(completed, counted.iter().sum::<u64>());
    // At rest, each of three clients does 75 a second.
    assert!((value(record, Metric::Tps) / 225.0 - 1.0).abs() < 0.02);
    assert!(
        !compare(&ran.journal.records)
            .findings
            .iter()
            .any(|finding| finding.code == FindingCode::Trending)
    );
    // What clients did until they heard of the end is in the database and in no figure, so that
    // the same server gives the same figures whenever they hear of it. In a phase that may last one
    // window more than it takes to rest, all clients run into its end before anyone can hear.
    for most in [ms(600_000), ms(1000 * (end as u64 + 1))] {
        plan.cells[0].measure = most;
        let again = run(&plan, warming());
        let repeated = again.journal.repetitions();
        assert_eq!(repeated[0].record.rounds[0].types, record.rounds[0].types);
        assert_eq!(windows(&again), (head.clone(), counted.clone()));
    }
}

#[test]
fn a_phase_that_does_not_come_to_rest_lasts_as_long_as_it_may_and_says_so() {
    let mut plan = plan(&["InnoDB"]);
    plan.cells[0].warmup = Duration::ZERO;
    plan.cells[0].measure = ms(60_000);
    plan.cells[0].steady = Some(0.02);
    plan.cells[0].count_last = Some(ms(20_000));
    let ran = run(&plan, warming());
    let (head, counted) = windows(&ran);
    assert_eq!((head.len(), counted.len()), (40, 20));
    let said: Vec<&str> = ran
        .journal
        .findings()
        .filter(|finding| finding.code == FindingCode::Trending)
        .map(|finding| finding.seen.as_str())
        .collect();
    assert_eq!(said, ["throughput did not come to rest within 2 % in 60.00 s"]);
}

/// What is said of phases that were not steady, of one client with a warm-up of 10 s and 90 s
/// measured whose orders take so many ms each.
fn trending(order_ms: &[(usize, u64)]) -> Vec<String> {
    let times: Vec<Duration> =
        order_ms.iter().flat_map(|&(orders, each)| vec![ms(each); orders]).collect();
    let mut moving = script();
    moving.times.clear();
    let moving = moving.takes("INSERT INTO orders", &times).takes("UPDATE accounts", &[ms(20)]);
    let mut plan = plan(&["InnoDB"]);
    plan.cells[0].warmup = ms(10_000);
    plan.cells[0].measure = ms(90_000);
    let ran = run(&plan, moving);
    assert_eq!(ran.outcome.finished, 1);
    compare(&ran.journal.records)
        .findings
        .into_iter()
        .filter(|finding| finding.code == FindingCode::Trending)
        .map(|finding| finding.seen)
        .collect()
}

#[test]
fn a_phase_that_was_not_steady_is_told_with_its_windows() {
    // Two orders and a payment of 20 ms: 75 transactions a second where an order takes 10 ms, 25
    // where it takes 50. Slow for 14 s: four of them lie in the measured phase.
    assert_eq!(
        trending(&[(233, 50), (200_000, 10)]),
        [
            "repetition 1: throughput settled in window 6 of 90 of the measured phase; warm up longer"
        ]
    );
    // Slow for 35 s.
    let said = trending(&[(583, 50), (200_000, 10)]);
    let thirds = "repetition 1: windows 61 to 90 of the measured phase are +";
    assert!(said[0].starts_with(thirds), "{said:?}");
    assert!(said[0].ends_with(" % against windows 1 to 30"), "{said:?}");
    // Slow again for the last 15 s.
    let said = trending(&[(4250, 10), (200_000, 50)]);
    let whole = "repetition 1: throughput had not settled: from window 7";
    assert!(said[0].starts_with(whole), "{said:?}");
    // As fast as ever.
    assert_eq!(trending(&[(200_000, 10)]), [""; 0]);
}
