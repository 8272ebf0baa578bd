//! Runs on the fake target: what is counted, what is retried, what a failure costs.

use crate::support::bench::{self, Ran, Runner, ms, plan, run, script};
use enginecmp::journal::histogram::decode;
use enginecmp::journal::record::{Record, RepetitionRecord, TypeTotals};
use enginecmp::journal::{Done, read};
use enginecmp::model::{FailureKind, Finding, FindingCode, Metric, MetricId, Phase};
use enginecmp::run::{Event, Interrupt, Observer};
use enginecmp::target::OptionLine;
use enginecmp::target::fake::{FakeTarget, Fault, Script, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The only repetition of a run with one.
fn only(ran: &Ran) -> &RepetitionRecord {
    let views = ran.journal.repetitions();
    assert_eq!(views.len(), 1);
    views[0].record
}

fn of_engine<'a>(ran: &'a Ran, engine: &str) -> Vec<&'a RepetitionRecord> {
    ran.journal
        .repetitions()
        .into_iter()
        .map(|view| view.record)
        .filter(|record| record.cell.get("engine") == Some(engine))
        .collect()
}

fn metric(record: &RepetitionRecord, id: &MetricId) -> Option<f64> {
    record.metrics.iter().find(|value| value.id == *id).map(|value| value.value)
}

fn whole(record: &RepetitionRecord, wanted: Metric) -> f64 {
    metric(record, &MetricId::whole(wanted)).unwrap_or_else(|| panic!("no {wanted}"))
}

fn kind<'a>(record: &'a RepetitionRecord, name: &str) -> &'a TypeTotals {
    record.rounds[0].types.iter().find(|kind| kind.name == name).expect("the type is there")
}

fn findings(ran: &Ran) -> Vec<FindingCode> {
    ran.journal.findings().map(|finding| finding.code).collect()
}

#[test]
fn what_ends_in_the_measured_phase_is_counted_and_the_warm_up_is_not() {
    let ran = run(&plan(&["InnoDB"]), script());
    let record = only(&ran);
    // A round of order, order, payment takes 40 ms: 75 of them in 3 s.
    let (orders, payments) = (kind(record, "order"), kind(record, "payment"));
    assert_eq!(orders.committed + orders.rolled_back, 150);
    assert_eq!(orders.rolled_back, 15);
    assert_eq!((payments.committed, payments.rolled_back), (75, 0));
    assert_eq!(whole(record, Metric::Tpmc), 150.0 * 20.0);
    assert_eq!(whole(record, Metric::Tps), 75.0);
    assert_eq!(whole(record, Metric::Retries), 0.0);
    let p95 = metric(record, &MetricId::of(Metric::P95, "payment")).expect("it is measured");
    assert!((p95 / 0.02 - 1.0).abs() < 0.001, "within the histogram's precision: {p95}");
    assert_eq!(whole(record, Metric::StartTime), 0.5);
    assert_eq!(whole(record, Metric::StopTime), 0.25);
    let histogram = decode(&orders.histogram).expect("a histogram");
    assert_eq!(histogram.len(), 150);
    assert_eq!(histogram.count_between(9_990, 10_010), 150);
    assert!(record.failure.is_none());
    assert!(ran.outcome.is_whole());
    assert_eq!(ran.outcome.finished, 1);
}

#[test]
fn windows_are_seconds_of_warm_up_and_each_round() {
    let mut plan = plan(&["InnoDB"]);
    plan.cells[0].rounds = 2;
    plan.cells[0].clients = 3;
    let ran = run(&plan, script());
    let views = ran.journal.repetitions();
    let windows: Vec<_> = views[0]
        .windows
        .iter()
        .map(|w| (w.phase, w.round, w.types[0].count.clone(), w.types[1].count.clone()))
        .collect();
    // Of three clients each ends 50 orders and 25 payments a second; a transaction that ends with
    // a second belongs to the next.
    assert_eq!(windows[0], (Phase::WarmUp, 0, vec![150], vec![72]));
    assert_eq!(windows[1], (Phase::Measure, 1, vec![150; 3], vec![75; 3]));
    assert_eq!(windows[2], (Phase::Measure, 2, vec![150; 3], vec![75; 3]));
    assert_eq!(views[0].windows[1].types[1].p95_us, [20_000; 3]);
    assert_eq!(views[0].record.rounds.len(), 2);
    assert_eq!(views[0].record.rounds[0].duration_ns, 3_000_000_000);
}

#[test]
fn what_is_still_running_at_the_end_is_unfinished_and_counted_nowhere() {
    let mut plan = plan(&["InnoDB"]);
    plan.cells[0].measure = ms(1005);
    let ran = run(&plan, script());
    let record = only(&ran);
    // The order that begins at 2000 ms ends at 2010 ms, after the phase. It is in the database.
    assert_eq!(kind(record, "order").unfinished, 1);
    assert_eq!(kind(record, "payment").unfinished, 0);
    let counted: u64 = record.rounds[0].types.iter().map(|t| t.committed + t.rolled_back).sum();
    assert_eq!(counted, 76);
    assert!(record.failure.is_none(), "the growth counters know of it: {:?}", record.failure);
}

#[test]
fn a_deadlock_is_rolled_back_and_tried_again_inside_the_latency() {
    let fault = Fault::error(1213, "Deadlock found when trying to get lock")
        .on("INSERT INTO orders")
        .nth(60)
        .times(2);
    let ran = run(&plan(&["InnoDB"]), script().fault(fault));
    let record = only(&ran);
    let orders = kind(record, "order");
    assert_eq!(orders.retries, BTreeMap::from([(1213, 2)]));
    assert!(orders.errors.is_empty());
    assert_eq!(whole(record, Metric::Retries), 2.0);
    let longest = decode(&orders.histogram).expect("a histogram").max();
    // Three attempts of 10 ms and a short wait before the third.
    assert!((30_000..32_000).contains(&longest), "{longest} us");
    assert!(record.failure.is_none(), "{:?}", record.failure);
}

#[test]
fn a_transaction_is_given_up_after_a_hundred_attempts_and_counted_as_an_error() {
    let fault =
        Fault::error(1205, "Lock wait timeout exceeded").on("UPDATE accounts").nth(40).times(100);
    let mut plan = plan(&["InnoDB"]);
    plan.cells[0].measure = ms(6000);
    let ran = run(&plan, script().fault(fault));
    let record = only(&ran);
    let payments = kind(record, "payment");
    assert_eq!(payments.errors, BTreeMap::from([(1205, 1)]));
    assert_eq!(payments.retries, BTreeMap::from([(1205, 99)]));
    assert_eq!(whole(record, Metric::Errors), 1.0);
    assert!(record.failure.is_none());
    assert!(findings(&ran).contains(&FindingCode::ManyRetries));
}

#[test]
fn any_other_error_fails_the_repetition_with_its_text_and_costs_nothing_else() {
    let mut plan = plan(&["InnoDB", "RocksDB"]);
    plan.repeat = 2;
    // Starts 1 and 2 load; 3 to 6 are the repetitions.
    let fault = Fault::error(1264, "Out of range value for column 'a' at row 1")
        .on("UPDATE accounts")
        .nth(30)
        .in_start_number(4);
    let ran = run(&plan, script().fault(fault));
    let views = ran.journal.repetitions();
    let failed: Vec<_> = views.iter().filter(|view| view.record.failure.is_some()).collect();
    assert_eq!((views.len(), failed.len()), (4, 1));
    let record = failed[0].record;
    let failure = record.failure.as_ref().expect("it failed");
    assert_eq!(failure.kind, FailureKind::Sql);
    assert_eq!(failure.errno, Some(1264));
    assert_eq!(failure.phase, Phase::Measure);
    assert!(failure.message.contains("client 1, payment: ERROR 1264 (HY000): Out of range value"));
    assert_eq!(failure.place.as_ref().map(ToString::to_string).as_deref(), Some("shop.bench:4:1"));
    assert!(record.rounds.is_empty() && record.metrics.is_empty());
    assert!(failed[0].windows.is_empty());
    assert_eq!((ran.outcome.finished, ran.outcome.failed), (3, 1));
    assert!(!ran.outcome.is_whole());
}

#[test]
fn a_server_that_dies_leaves_its_last_words_and_the_next_cell_goes_on() {
    let mut plan = plan(&["InnoDB"]);
    plan.repeat = 2;
    let fault = Fault::death("InnoDB: Assertion failure").on("UPDATE").nth(30).in_start_number(2);
    let ran = run(&plan, script().fault(fault));
    let records = of_engine(&ran, "innodb");
    let failure = records[0].failure.as_ref().expect("it failed");
    assert_eq!(failure.kind, FailureKind::ServerDied);
    assert_eq!(failure.phase, Phase::Measure);
    assert!(failure.log_tail.iter().any(|line| line.contains("Assertion failure")));
    assert!(records[1].failure.is_none());
    assert_eq!((ran.outcome.finished, ran.outcome.failed), (1, 1));
}

#[test]
fn a_refused_connection_fails_the_repetition() {
    let mut plan = plan(&["InnoDB"]);
    plan.cells[0].clients = 40;
    let refused = |times| {
        let fault = Fault::refusal(1040, "Too many connections").client(35).in_start_number(2);
        run(&plan, script().fault(fault.times(times)))
    };
    assert!(only(&refused(5)).failure.is_none(), "a full queue is asked again, five times");
    let ran = refused(6);
    let failure = only(&ran).failure.clone().expect("it failed");
    assert!(failure.next_step.as_ref().is_some_and(|next| next.contains("max_connections")));
    assert_eq!(failure.errno, Some(1040));
    assert!(failure.message.contains("client 36, connecting: "), "{}", failure.message);
}

#[test]
fn an_option_that_the_server_does_not_take_fails_the_repetition_with_its_line() {
    let mut plan = plan(&["InnoDB"]);
    let line = OptionLine {
        name: "innodb_buffer_pool_instances".to_string(),
        value: Some("8".to_string()),
        place: Some(enginecmp::model::Place::new("shop.bench", 2, 3)),
    };
    let scope = enginecmp::target::families::OptionScope::Run;
    plan.cells[0].options =
        std::sync::Arc::new([enginecmp::plan::CellOption { line, reason: None, scope }]);
    let ran = run(&plan, script().fault(Fault::option("innodb_buffer_pool_instances", "1")));
    let failure = only(&ran).failure.clone().expect("it failed");
    assert_eq!(failure.kind, FailureKind::OptionNotTaken);
    assert_eq!(failure.message, "innodb_buffer_pool_instances: asked 8, runs 1");
    assert_eq!(failure.place.map(|place| place.to_string()).as_deref(), Some("shop.bench:2:3"));
}

#[test]
fn global_settings_are_set_on_the_running_server_and_read_back() {
    let mut plan = plan(&["InnoDB"]);
    plan.cells[0].set_global.push(OptionLine::own("sync_binlog", "100"));
    let ran = run(&plan, script());
    assert!(ran.trace.contains(&"set global sync_binlog = 100".to_string()));
    assert_eq!(only(&ran).variables["sync_binlog"], "100");

    let stuck = script().gives(
        "VARIABLES LIKE 'sync_binlog'",
        vec![vec![Value::Text("sync_binlog".into()), Value::Text("1".into())]],
    );
    let failure = only(&run(&plan, stuck)).failure.clone().expect("it failed");
    assert_eq!(failure.message, "sync_binlog: asked 100, runs 1");
}

#[test]
fn a_missing_engine_costs_its_own_cells_and_the_others_run() {
    let without = Script { engines: vec!["InnoDB".to_string()], ..script() };
    let ran = run(&plan(&["InnoDB", "RocksDB"]), without);
    assert_eq!(of_engine(&ran, "innodb").len(), 1);
    assert!(of_engine(&ran, "rocksdb").is_empty());
    let failed: Vec<_> = ran.journal.failures().collect();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0].failure.kind, FailureKind::EngineMissing);
    assert_eq!(failed[0].cells[0].get("engine"), Some("rocksdb"));
    assert!(findings(&ran).contains(&FindingCode::NotAvailable));
    assert_eq!((ran.outcome.finished, ran.outcome.lost_cells), (1, 1));
    assert!(!ran.outcome.is_whole());
}

#[test]
fn a_cell_that_the_plan_knows_to_be_out_of_reach_is_told_with_the_way_to_get_it() {
    let mut plan = plan(&["InnoDB", "RocksDB"]);
    plan.cells[1].unavailable = Some(enginecmp::plan::Unavailable {
        kind: FailureKind::EngineMissing,
        reason: "mariadb 10.11 offers no RocksDB".to_string(),
        how_to_get: "apt-get install mariadb-plugin-rocksdb".to_string(),
    });
    let ran = run(&plan, script());
    let failed: Vec<_> = ran.journal.failures().collect();
    assert_eq!(failed[0].failure.message, "mariadb 10.11 offers no RocksDB");
    assert_eq!(
        failed[0].failure.next_step.as_deref(),
        Some("apt-get install mariadb-plugin-rocksdb")
    );
    assert_eq!(ran.outcome.lost_cells, 1);
    assert_eq!(ran.trace.iter().filter(|line| line.contains(" with ")).count(), 2);
}

#[test]
fn a_load_that_loses_rows_or_warns_costs_the_cells_of_its_dataset() {
    for (fault, words) in [
        (Fault::lost_rows(1), "accounts (part 1): 50 rows expected, 50 sent, 49 taken"),
        (Fault::warning("Data truncated for column 'a'"), "accounts (part 1): 1 warnings: Data"),
        (Fault::cut_value(), "accounts does not hold the rows that were sent: 100 rows with the"),
    ] {
        let fault = fault.on("LOAD accounts").in_start_number(1);
        let ran = run(&plan(&["InnoDB", "RocksDB"]), script().fault(fault));
        let failed: Vec<_> = ran.journal.failures().collect();
        assert_eq!(failed.len(), 1);
        assert_eq!(failed[0].failure.kind, FailureKind::Check);
        assert!(failed[0].failure.message.starts_with(words), "{}", failed[0].failure.message);
        assert_eq!(failed[0].cells[0].get("engine"), Some("innodb"));
        assert_eq!(of_engine(&ran, "rocksdb").len(), 1);
        assert_eq!(ran.outcome.lost_cells, 1);
    }
}

#[test]
fn a_table_that_silently_got_another_engine_is_a_failure() {
    let mut replacing = script();
    replacing.substitutes.insert("ROCKSDB".to_string(), "InnoDB".to_string());
    let ran = run(&plan(&["RocksDB"]), replacing);
    let failure = &ran.journal.failures().next().expect("it failed").failure;
    assert_eq!(failure.kind, FailureKind::EngineSubstituted);
    assert_eq!(failure.message, "table accounts was asked for in ROCKSDB and is in InnoDB");
}

#[test]
fn a_violated_condition_turns_the_repetition_red_and_without_transactions_it_is_told() {
    let broken = || script().gives("SELECT broken", vec![vec![Value::Int(7)], vec![Value::Int(9)]]);
    // The load is checked too: it must fail there, and needs the data right to come further.
    let ran = run(&plan(&["InnoDB"]), broken());
    assert_eq!(ran.journal.failures().next().expect("it failed").failure.phase, Phase::Load);

    let mut lying = script();
    lying.without_transactions = vec!["InnoDB".to_string(), "Aria".to_string()];
    let ran = run(&plan(&["InnoDB", "Aria"]), lying);
    let inno = of_engine(&ran, "innodb")[0];
    let failure = inno.failure.as_ref().expect("its rollbacks left rows");
    assert_eq!((failure.kind, failure.phase), (FailureKind::Check, Phase::Check));
    assert!(failure.message.starts_with("orders growth is violated by"), "{}", failure.message);
    assert!(inno.rounds.is_empty());
    let aria = of_engine(&ran, "aria")[0];
    assert!(aria.failure.is_none(), "{:?}", aria.failure);
    let growth = aria.checks.iter().find(|check| check.name == "orders growth").expect("told");
    assert!(growth.violations > 0 && growth.tolerated);
}

#[test]
fn a_probe_is_timed_on_a_start_of_its_own() {
    let mut plan = plan(&["InnoDB"]);
    plan.probes = vec![
        bench::probe("count_accounts", "SELECT COUNT(*) FROM accounts"),
        bench::probe("wrong", "SELECT wrong FROM nowhere"),
    ];
    let timed = script()
        .takes("SELECT COUNT(*) FROM accounts", &[ms(1060)])
        .fault(Fault::error(1146, "Table 'nowhere' doesn't exist").on("FROM nowhere"));
    let ran = run(&plan, timed);
    let views = ran.journal.repetitions();
    let probes = &views[0].probes;
    assert_eq!(probes[0].elapsed_ns, 1_060_000_000);
    assert_eq!((probes[0].rows, probes[0].first_value.as_deref()), (1, Some("100")));
    assert_eq!(probes[1].failure.as_ref().expect("it failed").errno, Some(1146));
    let record = views[0].record;
    assert!(record.failure.is_none(), "a probe costs nothing else");
    let id = |name: &str| MetricId::of(Metric::ProbeTime, name);
    assert_eq!(metric(record, &id("count_accounts")), Some(1.06));
    assert_eq!(metric(record, &id("wrong")), None);
    // Load, two probes, workload.
    assert_eq!(ran.trace.iter().filter(|line| line.contains(" with ")).count(), 4);
    assert!(!ran.outcome.is_whole());
}

#[test]
fn on_a_server_that_cannot_be_started_again_everything_happens_in_one_start() {
    let mut plan = plan(&["InnoDB"]);
    plan.datasets[0].source = enginecmp::plan::DataSource::Load;
    plan.probes = vec![bench::probe("count", "SELECT COUNT(*) FROM accounts")];
    let mut fixed = script().takes("SELECT COUNT(*) FROM accounts", &[ms(1060)]);
    fixed.capabilities.restart = false;
    let ran = run(&plan, fixed);
    let views = ran.journal.repetitions();
    assert_eq!(views[0].probes[0].elapsed_ns, 1_060_000_000);
    assert_eq!(metric(views[0].record, &MetricId::whole(Metric::StartTime)), None);
    assert_eq!(metric(views[0].record, &MetricId::whole(Metric::StopTime)), None);
    assert!(whole(views[0].record, Metric::Tpmc) > 0.0);
    assert_eq!(ran.trace.iter().filter(|line| line.contains(" with ")).count(), 1);
}

#[test]
fn a_server_that_has_to_be_killed_to_stop_is_told_and_keeps_its_figures() {
    let fault = Fault::slow_stop(ms(90_000)).in_start_number(2);
    let ran = run(&plan(&["InnoDB"]), script().fault(fault));
    let record = only(&ran);
    assert!(record.failure.is_none());
    assert_eq!(metric(record, &MetricId::whole(Metric::StopTime)), None);
    let failure = &ran.journal.failures().next().expect("it is told").failure;
    assert_eq!((failure.kind, failure.phase), (FailureKind::Timeout, Phase::Stop));
    assert!(failure.message.contains("within 90 s"), "{}", failure.message);
    assert_eq!(failure.log_tail, ["[Note] shutdown is still waiting"]);
    assert_eq!((ran.outcome.finished, ran.outcome.troubles), (1, 1));
}

#[test]
fn nothing_completed_is_no_success() {
    let ran = run(&plan(&["InnoDB"]), Script::offering(&["InnoDB"]).takes("INSERT", &[ms(9000)]));
    let failure = only(&ran).failure.clone().expect("it failed");
    assert_eq!(failure.message, "no transaction was completed in 3 s");
    let next = failure.next_step.expect("a next step");
    assert!(next.contains("slow disk") && next.contains("`measure`"), "{next}");
}

#[test]
fn a_load_is_recorded_with_its_path_rows_and_exact_time() {
    let timed = Script { time_per_row: ms(10), ..script() };
    let ran = run(&plan(&["InnoDB"]), timed);
    let dataset = ran.journal.datasets().next().expect("it was loaded");
    assert_eq!(dataset.path, "load data local");
    assert_eq!(dataset.rows, BTreeMap::from([("accounts".into(), 100), ("orders".into(), 10)]));
    assert!(dataset.ddl["accounts"].contains("ENGINE=InnoDB"));
    assert_eq!(dataset.checksums.keys().collect::<Vec<_>>(), ["accounts", "orders"]);
    assert_ne!(dataset.checksums["accounts"], dataset.checksums["orders"]);
    let value = |wanted| {
        dataset.metrics.iter().find(|value| value.id.metric == wanted).map(|value| value.value)
    };
    assert_eq!(value(Metric::LoadTime), Some(1.1));
    assert_eq!(value(Metric::LoadRate), Some(100.0));
    assert!(!dataset.reused);
}

#[test]
fn loads_to_be_compared_are_made_as_often_as_asked() {
    let mut plan = plan(&["InnoDB", "RocksDB"]);
    for dataset in &mut plan.datasets {
        dataset.load.repeat = 3;
    }
    let ran = run(&plan, script());
    let loads: Vec<_> =
        ran.journal.datasets().map(|dataset| (dataset.engine.as_str(), dataset.load)).collect();
    assert_eq!(
        loads,
        [
            ("innodb", 1),
            ("rocksdb", 1),
            ("rocksdb", 2),
            ("innodb", 2),
            ("innodb", 3),
            ("rocksdb", 3)
        ]
    );
}

#[test]
fn each_repetition_loads_its_own_data_when_the_suite_says_so() {
    let mut plan = plan(&["InnoDB"]);
    plan.datasets[0].source = enginecmp::plan::DataSource::Load;
    plan.repeat = 2;
    let ran = run(&plan, script());
    assert_eq!(ran.journal.datasets().count(), 2);
    assert_eq!(ran.outcome.finished, 2);
    // Loaded and run in one start.
    assert_eq!(ran.trace.iter().filter(|line| line.contains(" with ")).count(), 2);
}

/// Raises the interrupt at an event.
struct Stopper<F: Fn(&Event<'_>) -> bool + Sync>(Interrupt, F);

impl<F: Fn(&Event<'_>) -> bool + Sync> Observer for Stopper<F> {
    fn event(&self, event: &Event<'_>) {
        if (self.1)(event) {
            self.0.raise();
        }
    }
}

#[test]
fn an_interrupt_in_any_phase_ends_the_run_and_a_resumed_one_makes_the_rest() {
    let phases = [
        Phase::Initialise,
        Phase::Start,
        Phase::Load,
        Phase::Settle,
        Phase::Check,
        Phase::Restore,
        Phase::Probe,
        Phase::WarmUp,
        // Clients of the fake have their own time, so that only their windows tell of this one.
        Phase::Measure,
        Phase::Stop,
    ];
    for phase in phases {
        let mut plan = plan(&["InnoDB", "RocksDB"]);
        plan.repeat = 2;
        plan.probes = vec![bench::probe("count", "SELECT COUNT(*) FROM orders")];
        let directory = tempfile::tempdir().expect("a temporary directory");
        let server = Arc::new(FakeTarget::new("found", script()));
        let interrupt = Interrupt::new();
        let stopper = Stopper(interrupt.clone(), |event: &Event<'_>| match event {
            Event::Phase { phase: at, .. } => *at == phase,
            Event::Window { .. } => phase == Phase::Measure,
            _ => false,
        });
        let first = Runner { interrupt, observer: &stopper, ..Runner::default() };
        let ran = first.run(directory.path(), &plan, &server);
        assert!(ran.outcome.interrupted, "{phase}");
        assert!(ran.journal.end().expect("it ended in order").interrupted, "{phase}");
        assert!(findings(&ran).contains(&FindingCode::Incomplete), "{phase}");
        assert_eq!(ran.outcome.finished, 0, "{phase}");
        assert_eq!(ran.outcome.failed, 0, "{phase}: an interrupt is nobody's failure");

        let done = Done::of(&read(&directory.path().join("journal")).expect("a journal"));
        let second = Runner { done: Some(done), ..Runner::default() };
        let ran = second.run(directory.path(), &plan, &server);
        assert_eq!((ran.outcome.finished, ran.outcome.failed), (4, 0), "{phase}");
        let views = ran.journal.repetitions();
        assert!(views.iter().all(|view| view.record.failure.is_none()), "{phase}");
        assert_eq!(views.len(), 4, "{phase}");
        assert_eq!(views[0].probes.len(), 1, "{phase}");
    }
}

#[test]
fn what_was_finished_before_an_interrupt_is_not_made_again() {
    let mut plan = plan(&["InnoDB", "RocksDB"]);
    plan.repeat = 2;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let server = Arc::new(FakeTarget::new("found", script()));
    let interrupt = Interrupt::new();
    let stopper = Stopper(interrupt.clone(), |event: &Event<'_>| {
        matches!(event, Event::RepetitionStarts { at: 4, .. })
    });
    let first = Runner { interrupt, observer: &stopper, keep_datasets: true, ..Runner::default() };
    let before = first.run(directory.path(), &plan, &server);
    assert_eq!(before.outcome.finished, 3);
    let lines = |ran: &Ran| std::fs::read_to_string(&ran.journal.file).expect("it is there");
    let text_before = lines(&before);
    let done = Done::of(&before.journal);
    let after =
        Runner { done: Some(done), ..Runner::default() }.run(directory.path(), &plan, &server);
    assert_eq!(after.outcome.finished, 4);
    assert!(lines(&after).starts_with(&text_before), "what was written stays as it was");
    let starts = |ran: &Ran| ran.trace.iter().filter(|line| line.contains(" with ")).count();
    assert_eq!(starts(&after) - starts(&before), 1);
}

#[test]
fn the_journal_says_what_was_planned_and_which_servers_ran() {
    let mut plan = plan(&["InnoDB"]);
    plan.findings.push(Finding::new(FindingCode::TooShort, "measured phases of 3s"));
    let ran = run(&plan, script());
    let kinds: Vec<_> = ran
        .journal
        .records
        .iter()
        .map(|record| match record {
            Record::Run(_) => "run",
            Record::Machine(_) => "machine",
            Record::Plan(_) => "plan",
            Record::Server(_) => "server",
            Record::Dataset(_) => "dataset",
            Record::Repetition(_) => "repetition",
            Record::Windows(_) => "windows",
            Record::Samples(_) => "samples",
            Record::Finding(_) => "finding",
            Record::End(_) => "end",
            _ => "other",
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "run",
            "machine",
            "plan",
            "finding",
            "server",
            "dataset",
            "windows",
            "windows",
            "samples",
            "samples",
            "repetition",
            "end"
        ]
    );
    assert_eq!(findings(&ran), [FindingCode::TooShort]);
    let plan = ran.journal.plan().expect("it is there");
    assert_eq!(plan.cells[0].storage, "InnoDB");
    assert_eq!(plan.cells[0].headline_type.as_deref(), Some("order"));
    assert_eq!(ran.journal.servers().next().expect("it ran").version, "1.0-fake");
}
