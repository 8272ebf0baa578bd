//! Open loops on the fake target, whose clocks are exact: what a stall does to latencies, what
//! waits, and what a rate that is a share of a maximum comes to.

use crate::support::bench::{self, Narrator, Ran, Runner, add_cell, ms, run, script};
use crate::support::golden::assert_golden;
use enginecmp::diagnostic::SourceMap;
use enginecmp::journal::histogram::{decode, quantile_seconds};
use enginecmp::journal::record::{OpenLoop, Record, RepetitionRecord};
use enginecmp::journal::{Done, Journal, read};
use enginecmp::model::{FindingCode, Metric, MetricId};
use enginecmp::plan::{self, Arguments, Arrival, OfferedRate, Pace, Plan, Reader};
use enginecmp::report::{Format, Output, render};
use enginecmp::target::fake::{FakeTarget, Fault, Script};
use enginecmp::target::sqlite;
use enginecmp::workload::{Think, ThinkTimes};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

fn open(rate: f64, arrival: Arrival) -> Pace {
    Pace::Open { rate: OfferedRate::PerSecond(rate), arrival }
}

/// One client at this pace, 1 s of warm-up and 3 s measured.
fn paced(pace: Pace) -> Plan {
    let mut plan = bench::plan(&["InnoDB"]);
    plan.cells[0].pace = pace;
    plan
}

fn records(ran: &Ran) -> Vec<&RepetitionRecord> {
    ran.journal.repetitions().into_iter().map(|view| view.record).collect()
}

fn whole(record: &RepetitionRecord, wanted: Metric) -> f64 {
    let id = MetricId::whole(wanted);
    record
        .metrics
        .iter()
        .find(|value| value.id == id)
        .unwrap_or_else(|| panic!("no {wanted}: {:?}", record.failure))
        .value
}

fn open_of(record: &RepetitionRecord) -> &OpenLoop {
    record.open.as_ref().expect("an open loop")
}

/// Within the precision of a histogram.
fn near(seen: f64, expected: f64) -> bool {
    (seen / expected - 1.0).abs() < 0.002
}

fn half_ms() -> Script {
    let time = Duration::from_micros(500);
    Script::offering(&["InnoDB", "ROCKSDB"])
        .takes("INSERT INTO orders", &[time])
        .takes("UPDATE accounts", &[time])
}

#[test]
fn a_stall_of_a_second_at_a_thousand_a_second_shows_in_the_percentiles() {
    let mut times = vec![Duration::from_micros(500); 4000];
    // Orders are two in three: number 1334 is the 2000th transaction, 1 s into the phase.
    times[1333] = Duration::from_secs(1);
    let stalled = Script::offering(&["InnoDB"])
        .takes("INSERT INTO orders", &times)
        .takes("UPDATE accounts", &[Duration::from_micros(500)]);
    let ran = run(&paced(open(1000.0, Arrival::Constant)), stalled.clone());
    let record = records(&ran)[0];
    // The stall makes a thousand wait; 2000/s are worked off against 1000/s that arrive, so
    // another thousand wait as well: two in three of the phase's, from 1 s down to nothing.
    assert!(near(whole(record, Metric::MaxLatency), 1.0), "{}", whole(record, Metric::MaxLatency));
    let p95 = whole(record, Metric::P95);
    assert!((0.90..0.95).contains(&p95), "{p95}");
    let p50 = whole(record, Metric::P50);
    assert!((0.2..0.3).contains(&p50), "{p50}");
    assert!(near(whole(record, Metric::QueueP95), p95 - 0.0005));
    assert_eq!(whole(record, Metric::Offered), 1000.0);
    let backlog = &open_of(record).rounds[0].backlog;
    assert!(backlog[1] > 400 && backlog[2] <= 2, "{backlog:?}");
    assert!(!open_of(record).saturated);

    // In a closed loop one transaction alone sees it.
    let ran = run(&paced(Pace::Closed), stalled);
    let record = records(&ran)[0];
    assert!(near(whole(record, Metric::P999), 0.0005), "{}", whole(record, Metric::P999));
    assert!(record.open.is_none());
    assert!(!record.metrics.iter().any(|value| value.id.metric == Metric::Offered));
}

#[test]
fn below_capacity_what_is_offered_is_done_and_hardly_waits() {
    let ran = run(&paced(open(500.0, Arrival::Constant)), half_ms());
    let record = records(&ran)[0];
    assert_eq!(whole(record, Metric::Offered), 500.0);
    assert_eq!(whole(record, Metric::Tps), 500.0);
    assert_eq!(whole(record, Metric::Backlog), 0.0);
    assert!(near(whole(record, Metric::P999), 0.0005));
    assert_eq!(whole(record, Metric::QueueP99), 0.0);
    let rounds = &open_of(record).rounds;
    assert_eq!(rounds[0].offered, [500, 500, 500]);
    assert_eq!(decode(&rounds[0].queue).expect("a histogram").len(), 1500);
}

#[test]
fn random_arrivals_wait_behind_one_another() {
    // One client, busy half of the time: the wait has the mean of an M/D/1 queue, 0.25 ms.
    let mut plan = paced(open(1000.0, Arrival::Poisson));
    plan.cells[0].measure = ms(60_000);
    let ran = run(&plan, half_ms());
    let record = records(&ran)[0];
    let queue = decode(&open_of(record).rounds[0].queue).expect("a histogram");
    let mean = queue.mean() / 1e3;
    assert!((0.23..0.27).contains(&mean), "{mean} ms");
    assert!(quantile_seconds(&queue, 0.5).expect("it is measured") < 0.000_3);
    assert!((whole(record, Metric::Tps) - 1000.0).abs() < 20.0);
}

#[test]
fn over_capacity_the_cell_is_saturated_and_keeps_its_data() {
    // Three transactions take 40 ms: 75 a second, and 100 arrive.
    let ran = run(&paced(open(100.0, Arrival::Constant)), script());
    let record = records(&ran)[0];
    assert!(record.failure.is_none());
    assert!(open_of(record).saturated);
    assert_eq!(whole(record, Metric::Offered), 100.0);
    assert!((whole(record, Metric::Tps) - 75.0).abs() < 1.0);
    assert!((whole(record, Metric::Backlog) - 75.0).abs() <= 2.0);
    assert_eq!(ran.outcome.finished, 1);
    let finding = ran.journal.findings().find(|finding| finding.code == FindingCode::Saturated);
    let seen = &finding.expect("it is said").seen;
    assert!(seen.starts_with("100 transactions arrived a second"), "{seen}");
    // What waited at the end of the warm-up was dropped, so latency grows from nothing.
    let longest = whole(record, Metric::MaxLatency);
    assert!((0.7..0.85).contains(&longest), "{longest}");
}

#[test]
fn several_clients_share_one_stream() {
    let mut plan = paced(open(300.0, Arrival::Constant));
    plan.cells[0].clients = 8;
    let ran = run(&plan, half_ms());
    let record = records(&ran)[0];
    assert_eq!(whole(record, Metric::Offered), 300.0, "of all clients together");
}

/// InnoDB does 75 a second and RocksDB 150; both want 60 % of the lower maximum.
fn shares() -> (Plan, Script) {
    let mut plan = bench::plan(&["InnoDB", "RocksDB"]);
    for cell in &mut plan.cells {
        cell.pace = Pace::Open { rate: OfferedRate::OfMaximum(60.0), arrival: Arrival::Constant };
    }
    (plan, script())
}

fn maxima(journal: &Journal) -> Vec<(usize, f64)> {
    let measured = journal.records.iter().filter_map(|record| match record {
        Record::Maximum(maximum) => Some((maximum.cells.len(), maximum.per_second?)),
        _ => None,
    });
    measured.collect()
}

#[test]
fn a_share_of_max_is_of_the_lowest_maximum_and_all_are_measured_first() {
    let (plan, script) = shares();
    let directory = tempfile::tempdir().expect("a temporary directory");
    // Starts 1 and 2 load, 3 and 4 measure maxima. RocksDB's are slower by one long statement.
    let slow = Fault::error(1213, "Deadlock found").on("UPDATE accounts").nth(26).times(30);
    let server = Arc::new(FakeTarget::new("found", script.fault(slow.in_start_number(4))));
    let narrator = Narrator(server.trace());
    let runner = Runner { observer: &narrator, ..Runner::default() };
    let ran = runner.run(directory.path(), &plan, &server);
    let said = |start: &str| ran.trace.iter().position(|line| line.starts_with(start));
    let last_maximum = ran.trace.iter().rposition(|line| line.starts_with("maximum of"));
    assert!(last_maximum.expect("maxima") < said("repetition 1").expect("repetitions"));
    let found = maxima(&ran.journal);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0], (1, 75.0));
    assert!(found[1].1 < 75.0, "{found:?}");
    for record in records(&ran) {
        let open = open_of(record);
        let share = open.share.as_ref().expect("a share");
        assert_eq!(share.percent, 60.0);
        assert_eq!(share.maximum_per_second, found[1].1);
        assert_eq!(share.cell.get("engine"), Some("rocksdb"));
        assert_eq!(open.rate_per_second, found[1].1 * 0.6);
    }
    let repetitions: Vec<_> = records(&ran).iter().map(|r| r.repetition).collect();
    assert_eq!(repetitions, [1, 1], "a maximum is no repetition");
}

#[test]
fn a_maximum_is_measured_once_for_several_shares() {
    let (mut plan, script) = shares();
    plan.cells.truncate(1);
    plan.datasets.truncate(1);
    add_cell(&mut plan, "InnoDB", 1);
    plan.cells[1].pace =
        Pace::Open { rate: OfferedRate::OfMaximum(90.0), arrival: Arrival::Constant };
    for (cell, rate) in plan.cells.iter_mut().zip(["60", "90"]) {
        cell.key = enginecmp::model::CellKey::from_pairs([("engine", "innodb"), ("rate", rate)]);
    }
    let ran = run(&plan, script);
    assert_eq!(maxima(&ran.journal), [(2, 75.0)]);
    let rates: Vec<f64> = records(&ran).iter().map(|r| open_of(r).rate_per_second).collect();
    assert!(rates.contains(&45.0) && rates.contains(&67.5), "{rates:?}");
}

#[test]
fn a_run_that_is_taken_up_again_keeps_its_maxima() {
    let (plan, script) = shares();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let server = Arc::new(FakeTarget::new("found", script));
    let first = Runner { keep_datasets: true, ..Runner::default() };
    first.run(directory.path(), &plan, &server);
    // Everything but the last repetition and what follows it was kept.
    let path = directory.path().join("journal/journal.jsonl");
    let text = std::fs::read_to_string(&path).expect("a journal");
    let cut = text.rfind("{\"t\":\"repetition\"").expect("a repetition");
    let before = text[..cut].rfind("{\"t\":\"windows\",").expect("its windows");
    let before = text[..before].rfind("{\"t\":\"windows\",").expect("its warm-up's windows");
    std::fs::write(&path, &text[..before]).expect("it can be written");
    let done = Done::of(&read(&directory.path().join("journal")).expect("a journal"));
    let again = Runner { done: Some(done), ..Runner::default() };
    let ran = again.run(directory.path(), &plan, &server);
    assert_eq!(maxima(&ran.journal).len(), 2, "none was measured again");
    assert_eq!(records(&ran).len(), 2);
    assert_eq!(open_of(records(&ran)[1]).rate_per_second, 45.0);
}

#[test]
fn without_any_maximum_the_cells_have_no_numbers_and_say_why() {
    let (plan, script) = shares();
    let broken = (3..=4).fold(script, |script, start| {
        let fault = Fault::error(1264, "Out of range").on("UPDATE accounts").in_start_number(start);
        script.fault(fault.nth(30))
    });
    let ran = run(&plan, broken);
    assert!(records(&ran).is_empty());
    assert_eq!(ran.outcome.lost_cells, 2);
    let words: Vec<_> = ran.journal.failures().map(|f| f.failure.message.clone()).collect();
    assert!(words.iter().any(|text| text.contains("Out of range")), "{words:?}");
    assert!(words.iter().any(|text| text == "`rate 60% of max`: no side has a maximum"));
}

#[test]
fn think_times_lie_between_transactions_and_outside_latency() {
    let fixed = Pace::Think(ThinkTimes::Fixed(ms(60)));
    let ran = run(&paced(fixed), script());
    let record = records(&ran)[0];
    // A round of three takes 40 ms and three pauses of 60 ms: 3 / 220 ms.
    assert!((whole(record, Metric::Tps) - 3.0 / 0.22).abs() < 0.7);
    assert!(near(whole(record, Metric::MaxLatency), 0.02));

    // Orders are keyed in for 90 ms; nobody thinks longer than ten means.
    let keyed = Pace::Think(ThinkTimes::Keyed(vec![
        Think { keying: ms(90), mean: ms(0) },
        Think { keying: ms(40), mean: ms(0) },
    ]));
    let ran = run(&paced(keyed), script());
    let record = records(&ran)[0];
    assert!((whole(record, Metric::Tps) - 3.0 / 0.26).abs() < 0.7);
    assert!(near(whole(record, Metric::MaxLatency), 0.02));
}

/// As it is printed, without lines that name the run.
fn printed(ran: &Ran) -> String {
    let comparison = enginecmp::compare::compare(&ran.journal.records);
    let output = Output { width: 200, color: false, whole: true };
    render(&comparison, Format::Table, output)
}

#[test]
fn the_report_shows_what_was_offered_and_refuses_latencies_of_a_saturated_side() {
    let (mut plan, script) = shares();
    plan.repeat = 2;
    plan.cells[1].pace = open(100.0, Arrival::Constant);
    plan.comparisons.push(enginecmp::plan::Comparison {
        axes: vec!["engine".to_string()],
        baseline: vec!["innodb".to_string()],
        place: enginecmp::model::Place::new("shop.bench", 8, 1),
    });
    let ran = run(&plan, script);
    assert_golden("reports/open_loop.txt", &printed(&ran));
}

/// Suites that are one text.
struct Text(&'static str);

impl Reader for Text {
    fn read(&self, _path: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_path_buf())
    }
}

/// The plan of a suite on SQLite, or what is wrong with it.
fn planned(text: &'static str) -> Result<Plan, String> {
    let mut sources = SourceMap::new();
    let suite =
        plan::load(Path::new("pace.bench"), &Arguments::default(), &mut sources, &Text(text));
    suite
        .and_then(|suite| plan::make(&suite, &[sqlite::describe()]))
        .map_err(|wrong| enginecmp::diagnostic::render(&wrong, &sources, false, 100))
}

#[test]
fn a_suite_says_when_transactions_begin() {
    let plan = planned(
        "engine wal { storage SQLite }\n\
         workload tpcc { warehouses 1; density 1%; rate 500/s, 70% of max; arrival constant }\n",
    )
    .expect("a plan");
    let share = Pace::Open { rate: OfferedRate::OfMaximum(70.0), arrival: Arrival::Constant };
    assert_eq!(plan.cells[0].pace, open(500.0, Arrival::Constant));
    assert_eq!(plan.cells[1].pace, share);
    assert_eq!(plan.cells[0].headline(), Metric::P95);
    assert!(plan.unsupported.is_empty());
    let text = plan::show::text(&plan, &plan::advice::Advice::default(), 100);
    assert!(text.contains("measured first in a closed loop"), "{text}");

    let plan = planned(
        "engine wal { storage SQLite }\nworkload tpcc { warehouses 1; density 1%; think tpcc }\n",
    )
    .expect("a plan");
    let Pace::Think(ThinkTimes::Keyed(times)) = &plan.cells[0].pace else {
        panic!("{:?}", plan.cells[0].pace)
    };
    let seconds: Vec<_> = times.iter().map(|t| (t.keying.as_secs(), t.mean.as_secs())).collect();
    assert_eq!(seconds, [(18, 12), (3, 12), (2, 10), (2, 5), (2, 5)]);
    assert_eq!(plan.cells[0].headline(), Metric::Tpmc);
}

#[test]
fn a_rate_and_a_think_time_exclude_each_other() {
    let wrong = planned(
        "engine wal { storage SQLite }\n\
         workload tpcc { warehouses 1; density 1%; rate 500/s; think 50ms }\n",
    );
    let wrong = wrong.err().expect("it is refused");
    assert!(wrong.contains("a cell has `rate` and `think`"), "{wrong}");
    assert!(wrong.contains("pace.bench:2:"), "{wrong}");
}
