//! What a comparison says of journals with known content.

use crate::support::scenario::{Cell, Measured, Scenario, count, word};
use enginecmp::compare::view::{Absent, Against, Outcome};
use enginecmp::compare::{
    Calibration, Comparison, NamedRun, Options, compare, compare_runs, compare_with,
};
use enginecmp::journal::Record;
use enginecmp::journal::record::{Allowed, Average, WindowColumns, WindowsRecord};
use enginecmp::model::{
    CellKey, CompareOp, Condition, ConditionTerm, Expectation, ExpectedBound, FindingCode, Metric,
    MetricId, Phase, Place, SettingValue, Subject,
};
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
    let text = render(&comparison, Format::Table, Output { width: 80, color: false, whole: true });
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

/// Two engines, three repetitions each, 1000 and `other` TpmC with a wobble of half a percent.
pub(crate) fn pair(other: f64, change: impl Fn(&mut Scenario)) -> Comparison {
    compare(&pair_records(other, change))
}

fn pair_records(other: f64, change: impl Fn(&mut Scenario)) -> Vec<Record> {
    let mut scenario = Scenario::new("pair", "pair.bench");
    scenario.compare(&["engine"], &["innodb"]);
    scenario.server("found", "mariadb", "10.11.6-MariaDB");
    let innodb = engine(&mut scenario, "innodb", "InnoDB");
    let rocks = engine(&mut scenario, "rocksdb", "ROCKSDB");
    for repetition in 1..=3 {
        let wobble = 1.0 + (f64::from(repetition) - 2.0) * 0.005;
        scenario.repetition(&innodb, repetition, &measured(1000.0 * wobble));
        scenario.repetition(&rocks, repetition, &measured(other * wobble));
    }
    for name in ["innodb", "rocksdb"] {
        scenario.dataset(name, name, 1, "load data local", &[(Metric::LoadTime, 60.0)]);
    }
    change(&mut scenario);
    scenario.finish()
}

/// Sets a variable of every repetition of one engine.
fn variable(scenario: &mut Scenario, engine: &str, name: &str, value: &str) {
    for record in scenario.records() {
        if let Record::Repetition(repetition) = record
            && repetition.cell.get("engine") == Some(engine)
        {
            repetition.variables.insert(name.to_string(), value.to_string());
        }
    }
}

fn table_ddl(scenario: &mut Scenario, engine: &str, keys: &str) {
    let ddl = format!(
        "CREATE TABLE `stock` (\n  `s_w_id` int(11) NOT NULL,\n  PRIMARY KEY (`s_w_id`){keys}\n) \
         ENGINE=X DEFAULT CHARSET=latin1"
    );
    for record in scenario.records() {
        if let Record::Dataset(dataset) = record
            && dataset.engine == engine
        {
            dataset.ddl.insert("stock".to_string(), ddl.clone());
        }
    }
}

fn against(comparison: &Comparison) -> &Against {
    &comparison.sections[0].points[0].sides[1].headline().unwrap().against
}

#[track_caller]
fn assert_unequal(comparison: &Comparison, words: &str) {
    let Against::Unequal(reasons) = against(comparison) else {
        panic!("it kept its delta: {:?}", against(comparison));
    };
    assert!(reasons.iter().any(|reason| reason.contains(words)), "{reasons:?}");
    assert!(
        comparison.findings.iter().any(
            |finding| finding.code == FindingCode::UnequalSides && finding.seen.contains(words)
        ),
        "{:?}",
        comparison.findings
    );
    let text = render(comparison, Format::Table, Output { width: 100, color: false, whole: true });
    assert!(text.contains('≠') && text.contains(words), "{text}");
}

#[test]
fn flush_at_commit_set_on_one_engine_only_costs_the_delta() {
    let flush = |on_rocksdb: &'static str| {
        move |scenario: &mut Scenario| {
            variable(scenario, "innodb", "innodb_flush_log_at_trx_commit", "1");
            variable(scenario, "rocksdb", "rocksdb_flush_log_at_trx_commit", on_rocksdb);
        }
    };
    assert!(against(&pair(1200.0, flush("1"))).delta().is_some());
    assert_unequal(&pair(1200.0, flush("0")), "durability: each commit against each second");
}

#[test]
fn an_engine_block_cannot_declare_durability_but_an_axis_or_a_permission_can() {
    let unequal = |scenario: &mut Scenario| {
        variable(scenario, "innodb", "innodb_flush_log_at_trx_commit", "1");
        variable(scenario, "rocksdb", "rocksdb_flush_log_at_trx_commit", "2");
    };
    let in_engine_block = |scenario: &mut Scenario| {
        unequal(scenario);
        for cell in &mut scenario.plan().cells {
            let stated = cell.stated.get_mut("engine").unwrap();
            stated.push("option rocksdb_flush_log_at_trx_commit".to_string());
        }
    };
    assert_unequal(&pair(1200.0, in_engine_block), "durability");
    let allowed = pair(1200.0, |scenario: &mut Scenario| {
        unequal(scenario);
        scenario.plan().allowed.push(Allowed {
            what: "durability".to_string(),
            because: "the new system is replicated".to_string(),
        });
    });
    assert!(against(&allowed).delta().is_some());
    assert!(
        allowed.findings.iter().any(|f| f.seen.contains("the new system is replicated")),
        "{:?}",
        allowed.findings
    );
}

#[test]
fn a_compared_option_declares_its_own_difference() {
    let mut scenario = Scenario::new("durability", "durability.bench");
    scenario.compare(&["innodb_flush_log_at_trx_commit"], &["1"]);
    for value in [1u64, 2] {
        let cell = Cell {
            axes: vec![count("innodb_flush_log_at_trx_commit", value)],
            point: 0,
            storage: "InnoDB".to_string(),
            recipe: "one".to_string(),
        };
        let key = scenario.cell(&cell, |_| {});
        for repetition in 1..=3 {
            let repetition = scenario.repetition(&key, repetition, &measured(1000.0));
            let name = "innodb_flush_log_at_trx_commit".to_string();
            repetition.variables.insert(name, value.to_string());
        }
    }
    let comparison = compare(&scenario.finish());
    assert!(against(&comparison).delta().is_some());
    assert_eq!(comparison.sections[0].points[0].sides[1].differences[0].property, "durability");
}

#[test]
fn keys_stripped_in_one_engine_block_only_cost_the_delta() {
    let with_keys = ",\n  KEY `i` (`s_i_id`),\n  \
                     CONSTRAINT `f` FOREIGN KEY (`s_i_id`) REFERENCES `item` (`i_id`)";
    let same = pair(1200.0, |scenario| {
        table_ddl(scenario, "innodb", with_keys);
        table_ddl(scenario, "rocksdb", with_keys);
    });
    assert!(against(&same).delta().is_some());
    let stripped = pair(1200.0, |scenario| {
        table_ddl(scenario, "innodb", with_keys);
        table_ddl(scenario, "rocksdb", "");
    });
    assert_unequal(&stripped, "foreign keys: 1 against 0");
    assert_unequal(&stripped, "indexes: 2 against 1");
    let other_columns = pair(1200.0, |scenario| {
        table_ddl(scenario, "innodb", ",\n  KEY `i` (`s_i_id`)");
        table_ddl(scenario, "rocksdb", ",\n  KEY `i` (`s_quantity`)");
    });
    assert_unequal(&other_columns, "stock: KEY (s_i_id) against stock: KEY (s_quantity)");
}

#[test]
fn an_engine_without_transactions_is_never_paired_with_one_that_has_them() {
    let comparison = pair(1200.0, |scenario| {
        scenario.plan().cells[1].transactional = false;
        scenario.plan().allowed.push(Allowed {
            what: "transactions".to_string(),
            because: "we want to see it".to_string(),
        });
    });
    assert_unequal(&comparison, "transactions: yes against no");
}

#[test]
fn unlike_rows_are_no_pair() {
    let comparison = pair(1200.0, |scenario| {
        for record in scenario.records() {
            if let Record::Dataset(dataset) = record {
                let sum = if dataset.engine == "innodb" { "aa" } else { "bb" };
                dataset.checksums.insert("stock".to_string(), sum.to_string());
            }
        }
    });
    assert_unequal(&comparison, "data: other rows in stock");
}

fn expectation(subject: Subject, op: CompareOp, bound: ExpectedBound) -> Expectation {
    Expectation {
        metric: MetricId::whole(Metric::Tpmc),
        subject,
        op,
        bound,
        since_baseline: false,
        condition: None,
        text: "tpmc of rocksdb".to_string(),
        place: Place::new("pair.bench", 22, 1),
    }
}

fn outcome(other: f64, expectation: &Expectation) -> Outcome {
    let comparison = pair(other, |scenario| scenario.plan().expectations.push(expectation.clone()));
    comparison.expectations[0].outcome
}

#[test]
fn expectations_are_judged_with_the_interval() {
    let at_least = |percent| {
        let subject = Subject::Named("RocksDB".to_string());
        expectation(subject, CompareOp::GreaterOrEqual, ExpectedBound::Delta(percent))
    };
    assert_eq!(outcome(1200.0, &at_least(10.0)), Outcome::Holds);
    assert_eq!(outcome(1200.0, &at_least(20.0)), Outcome::CannotTell);
    assert_eq!(outcome(1200.0, &at_least(30.0)), Outcome::Fails);
    let absolute = |count| {
        let bound = ExpectedBound::Absolute(SettingValue::Count(count));
        expectation(Subject::Each, CompareOp::Greater, bound)
    };
    assert_eq!(outcome(1200.0, &absolute(900)), Outcome::Holds);
    assert_eq!(outcome(1200.0, &absolute(1100)), Outcome::Fails);
    assert_eq!(outcome(1200.0, &absolute(1000)), Outcome::CannotTell);
}

#[test]
fn an_expectation_looks_only_where_its_condition_holds() {
    let mut wanted = expectation(
        Subject::Each,
        CompareOp::GreaterOrEqual,
        ExpectedBound::Absolute(SettingValue::Count(1100)),
    );
    wanted.condition = Some(Condition::Term(ConditionTerm {
        name: "engine".to_string(),
        op: CompareOp::Equal,
        value: SettingValue::Word("rocksdb".to_string()),
        place: Place::new("pair.bench", 22, 40),
    }));
    assert_eq!(outcome(1200.0, &wanted), Outcome::Holds);
}

#[test]
fn what_cannot_be_told_is_a_finding_and_no_failure() {
    let wanted = Expectation {
        since_baseline: true,
        ..expectation(Subject::Each, CompareOp::GreaterOrEqual, ExpectedBound::Delta(-5.0))
    };
    let comparison = pair(1200.0, |scenario| scenario.plan().expectations.push(wanted.clone()));
    assert!(comparison.cannot_tell() && !comparison.failed());
    let finding = comparison.findings.iter().find(|f| f.code == FindingCode::CannotTell).unwrap();
    assert!(finding.seen.contains("--against"), "{}", finding.seen);
}

#[test]
fn a_later_run_is_compared_with_an_earlier_one_cell_by_cell() {
    let (old, new) = (pair_records(1200.0, |_| {}), pair_records(1000.0, |_| {}));
    let runs = [NamedRun { name: "old", records: &old }, NamedRun { name: "new", records: &new }];
    let comparison = compare_runs(&runs, &Options::default());
    let section = &comparison.sections[0];
    assert_eq!((section.compared[0].as_str(), section.baseline[0].as_str()), ("run", "old"));
    let delta = |point: usize| {
        let side = &section.points[point].sides[1];
        side.headline().unwrap().against.delta().unwrap().relative
    };
    assert!(delta(0).abs() < 1e-9);
    assert!((delta(1) + 1.0 / 6.0).abs() < 1e-9);
    let wanted = Expectation {
        since_baseline: true,
        ..expectation(
            Subject::Named("rocksdb".to_string()),
            CompareOp::GreaterOrEqual,
            ExpectedBound::Delta(-5.0),
        )
    };
    let new = pair_records(1000.0, |scenario| scenario.plan().expectations.push(wanted.clone()));
    let options = Options { against: Some(runs[0]), ..Options::default() };
    assert!(compare_with(&new, &options).failed());
}

#[test]
fn what_only_one_run_has_is_named_with_its_nearest_cell() {
    let run = |clients: &[u64]| {
        let mut scenario = Scenario::new("sweep", "sweep.bench");
        for clients in clients {
            let cell = Cell {
                axes: vec![word("engine", "innodb"), count("clients", *clients)],
                point: 0,
                storage: "InnoDB".to_string(),
                recipe: "one".to_string(),
            };
            let key = scenario.cell(&cell, |_| {});
            scenario.repetition(&key, 1, &measured(1000.0));
        }
        scenario.finish()
    };
    let (old, new) = (run(&[16]), run(&[16, 32]));
    let runs = [NamedRun { name: "old", records: &old }, NamedRun { name: "new", records: &new }];
    let comparison = compare_runs(&runs, &Options::default());
    assert_eq!(comparison.only_in.len(), 1);
    let only = &comparison.only_in[0];
    assert_eq!((only.run.as_str(), only.cell.get("clients")), ("new", Some("32")));
    assert_eq!(only.nearest.as_deref(), Some("clients=16"));
}

#[test]
fn an_axis_of_one_run_pairs_with_the_one_value_of_another() {
    let run = |clients: &[u64]| {
        let mut scenario = Scenario::new("sweep", "sweep.bench");
        for clients in clients {
            let mut axes = vec![word("engine", "innodb")];
            if *clients > 0 {
                axes.push(count("clients", *clients));
            }
            let cell =
                Cell { axes, point: 0, storage: "InnoDB".to_string(), recipe: "one".to_string() };
            let key = scenario.cell(&cell, |planned| {
                planned.settings.entry("clients".to_string()).or_insert("32".to_string());
            });
            scenario.repetition(&key, 1, &measured(1000.0));
        }
        scenario.finish()
    };
    let (old, new) = (run(&[16, 32]), run(&[0]));
    let runs = [NamedRun { name: "old", records: &old }, NamedRun { name: "new", records: &new }];
    let comparison = compare_runs(&runs, &Options::default());
    let paired: Vec<usize> =
        comparison.sections[0].points.iter().map(|point| point.sides.len()).collect();
    assert_eq!(paired, [1, 2]);
}

#[test]
fn the_gate_catches_what_is_slower_and_lets_the_same_pass() {
    let gate = Expectation {
        since_baseline: true,
        ..expectation(Subject::Each, CompareOp::GreaterOrEqual, ExpectedBound::Delta(-5.0))
    };
    let outcome = |before: f64, after: f64| {
        let old = pair_records(before, |_| {});
        let new = pair_records(after, |scenario| scenario.plan().expectations.push(gate.clone()));
        let earlier = NamedRun { name: "old", records: &old };
        compare_with(&new, &Options { against: Some(earlier), ..Options::default() })
    };
    for level in [400.0, 900.0, 1000.0, 5000.0] {
        assert!(!outcome(level, level).failed(), "A/A at {level}");
        assert!(!outcome(level, level * 1.2).failed(), "faster at {level}");
        assert!(outcome(level, level * 0.8).failed(), "a fifth slower at {level}");
    }
    // Slower, and not beyond the bound with the whole interval.
    assert!(!outcome(1000.0, 948.0).failed());
    assert_eq!(outcome(1000.0, 800.0).expectations[0].outcome, Outcome::Fails);
}

#[test]
fn runs_of_other_machines_have_no_delta_unless_that_is_allowed() {
    let old = pair_records(1200.0, |_| {});
    let mut new = old.clone();
    for record in &mut new {
        if let Record::Machine(machine) = record {
            machine.cores = 64;
        }
    }
    let runs = [NamedRun { name: "old", records: &old }, NamedRun { name: "new", records: &new }];
    let mixed = Options { mixed: true, ..Options::default() };
    let allowed = compare_runs(&runs, &mixed);
    assert!(matches!(against(&allowed), Against::Delta(_)));
    let against_old = compare_with(&new, &Options { against: Some(runs[0]), ..mixed });
    for comparison in [&allowed, &against_old] {
        let told = comparison.findings.iter().find(|f| f.code == FindingCode::MixedMachines);
        assert!(told.expect("a finding").seen.contains("and 64"), "{:?}", comparison.findings);
    }
    assert_unequal(&compare_runs(&runs, &Options::default()), "machine");
}

#[test]
fn calibration_is_what_repetitions_of_one_cell_stray() {
    let calibration = Calibration::of(&pair_records(1200.0, |_| {}));
    let floor = calibration.floor(Metric::Tpmc);
    assert!(calibration.knows(Metric::Tpmc) && !calibration.knows(Metric::P99));
    assert!((floor.deviation() - 0.005).abs() < 1e-4, "{floor:?}");
    let text = serde_json::to_string(&calibration).unwrap();
    assert_eq!(serde_json::from_str::<Calibration>(&text).unwrap(), calibration);
}

#[test]
fn a_phase_that_still_moves_is_said_to_trend() {
    let windows = |level: fn(f64) -> f64| {
        let counts: Vec<u64> = (0..300).map(|second| level(f64::from(second)) as u64).collect();
        move |scenario: &mut Scenario| {
            let cell = CellKey::from_pairs([("engine", "innodb")]);
            scenario.push(Record::Windows(WindowsRecord {
                cell,
                repetition: 1,
                phase: Phase::Measure,
                round: 1,
                counted: true,
                window_ms: 1000,
                types: vec![WindowColumns {
                    name: "new_order".to_string(),
                    count: counts.clone(),
                    ..WindowColumns::default()
                }],
            }));
        }
    };
    let trending = |comparison: &Comparison| {
        comparison.findings.iter().any(|finding| finding.code == FindingCode::Trending)
    };
    assert!(trending(&pair(1000.0, windows(|second| 2000.0 - 3.0 * second))));
    assert!(!trending(&pair(1000.0, windows(|second| 1000.0 + (second % 7.0) * 20.0))));
}
