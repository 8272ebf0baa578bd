//! The whole path on SQLite: no server is needed, and nothing is scripted.

use crate::support::bench::machine;
use enginecmp::compare::compare;
use enginecmp::compare::view::{Against, Average, Comparison};
use enginecmp::diagnostic::{SourceMap, render};
use enginecmp::host::work_dir::WorkDir;
use enginecmp::journal::record::Record;
use enginecmp::journal::{Journal, Writer, read};
use enginecmp::model::{Failure, Metric, MetricId};
use enginecmp::plan::{self, Arguments, Disk};
use enginecmp::run::{Interrupt, RunOutcome, RunSettings, Silent, TargetSource, execute};
use enginecmp::target::Target;
use enginecmp::target::sqlite::{SqliteTarget, describe};
use std::sync::Arc;

const SUITE: &str = "
suite \"SQLite alone\"
engine sqlite { storage SQLite }
isolation serializable
workload tpcc { warehouses 1; density 1%; clients 2; warmup 500ms; measure 2s; rounds 2 }
probe count_customer \"select count(*) from customer\"
repeat 2
";

struct InProcess;

impl TargetSource for InProcess {
    fn target(&self, _server: usize) -> Result<Arc<dyn Target>, Failure> {
        Ok(Arc::new(SqliteTarget::new()))
    }
}

/// Runs the text of a suite in this process.
fn run(text: &str) -> (Journal, RunOutcome) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let suite = directory.path().join("alone.bench");
    std::fs::write(&suite, text).expect("it is written");
    let mut sources = SourceMap::new();
    let arguments = Arguments { processors: 2, ..Arguments::default() };
    let suite = plan::load(&suite, &arguments, &mut sources, &Disk)
        .unwrap_or_else(|wrong| panic!("{}", render(&wrong, &sources, false, 100)));
    let plan = plan::make(&suite, &[describe()]).unwrap_or_else(|wrong| panic!("{wrong:#?}"));

    let (work, _) = WorkDir::open(&directory.path().join("work")).expect("a work directory");
    let settings = RunSettings {
        id: "20260203-7f3a".to_string(),
        work: &work,
        machine: machine(),
        guard: crate::support::managed::guard(),
        interrupt: Interrupt::new(),
        keep_datasets: false,
        calibration: None,
        done: None,
        budget: None,
        patience: enginecmp::run::PATIENCE,
    };
    let out = directory.path().join("journal");
    let mut writer = Writer::create(&out).expect("a new journal");
    let outcome =
        execute(&plan, &InProcess, &settings, &mut writer, &Silent).expect("it can be written");
    (read(&out).expect("a journal"), outcome)
}

#[test]
fn a_suite_on_sqlite_loads_measures_checks_and_probes() {
    let (journal, outcome) = run(SUITE);
    let broken: Vec<_> = journal.failures().map(|failed| &failed.failure).collect();
    assert!(broken.is_empty(), "{broken:#?}");
    let views = journal.repetitions();
    for view in &views {
        assert!(view.record.failure.is_none(), "{:#?}", view.record.failure);
    }
    assert!(outcome.is_whole(), "{outcome:?}");
    assert_eq!((outcome.finished, views.len()), (2, 2));

    let dataset = journal.datasets().next().expect("it was loaded");
    assert_eq!(dataset.rows["customer"], 300);
    assert!(dataset.ddl["customer"].contains("CREATE TABLE"));
    for view in &views {
        assert_eq!(view.record.rounds.len(), 2);
        let value = |metric| {
            let id = MetricId::whole(metric);
            view.record.metrics.iter().find(|value| value.id == id).map(|value| value.value)
        };
        assert!(value(Metric::Tpmc).is_some_and(|tpmc| tpmc > 0.0));
        assert!(value(Metric::P95) <= value(Metric::MaxLatency));
        assert_eq!(view.probes[0].first_value.as_deref(), Some("300"));
        // What clients did is in the histograms, the windows and the totals alike.
        let counted: u64 =
            view.record.rounds[0].types.iter().map(|kind| kind.committed + kind.rolled_back).sum();
        let seconds: u64 = view.windows[1].types.iter().flat_map(|kind| &kind.count).sum();
        assert_eq!(counted, seconds);
    }
}

const PAIR: &str = "
engine rowid { storage SQLite; row_format rowid; cache 8MB }
engine other { storage SQLite; row_format without_rowid; cache 16MB }
workload tpcc { warehouses 1; density 1%; measure 300ms }
load { repeat 2 }
repeat 2
average mean
compare engine against rowid
allow unequal cache because \"the question is the whole setup\"
";

/// How the throughput of the second side compares.
fn throughput(comparison: &Comparison) -> &Against {
    let side = &comparison.sections[0].points[0].sides[1];
    &side.headline().expect("it was measured").against
}

#[test]
fn a_pair_is_compared_by_its_mean_with_what_it_may_differ_in_and_loads_have_verdicts() {
    let (mut journal, outcome) = run(PAIR);
    assert!(outcome.is_whole(), "{outcome:?}");
    let comparison = compare(&journal.records);
    assert_eq!(comparison.average, Average::Mean);
    for series in comparison.sections[0].points[0].sides.iter().flat_map(|side| &side.series) {
        let sum: f64 = series.samples.iter().map(|sample| sample.value).sum();
        let mean = sum / series.samples.len() as f64;
        assert!((series.level - mean).abs() <= 1e-9 * mean.abs(), "{series:?}");
    }
    let delta = throughput(&comparison).delta().expect("the cache may differ");
    assert!(delta.judged.verdict().is_some(), "{delta:?}");
    let why = "the question is the whole setup";
    assert!(comparison.findings.iter().any(|finding| finding.seen.contains(why)));

    let mut loads: Vec<_> = journal.datasets().map(|d| (d.engine.clone(), d.load)).collect();
    loads.sort();
    let loads: Vec<_> = loads.iter().map(|(engine, load)| (engine.as_str(), *load)).collect();
    assert_eq!(loads, [("other", 1), ("other", 2), ("rowid", 1), ("rowid", 2)]);
    let side = &comparison.loads[0].points[0].sides[1];
    let time = side.series.iter().find(|series| series.metric.metric == Metric::LoadTime);
    let delta = time.and_then(|series| series.against.delta()).expect("load times are paired");
    assert_eq!(delta.n, (2, 2));
    assert!(delta.judged.verdict().is_some(), "{delta:?}");

    // Without the permission the sides are unequal.
    for record in &mut journal.records {
        if let Record::Plan(plan) = record {
            plan.allowed.clear();
        }
    }
    let unequal = compare(&journal.records);
    let Against::Unequal(reasons) = throughput(&unequal) else { panic!("it kept its delta") };
    assert!(reasons.iter().any(|reason| reason.contains("cache")), "{reasons:?}");
}

const EACH: &str = "
engine sqlite { storage SQLite }
workload tpcc { warehouses 1; density 1%; measure 300ms; dataset each }
probe count_customer \"select count(*) from customer\"
repeat 2
";

#[test]
fn a_dataset_of_its_own_is_loaded_in_each_repetition() {
    let (journal, outcome) = run(EACH);
    assert!(outcome.is_whole(), "{outcome:?}");
    let loads: Vec<_> = journal.datasets().map(|dataset| (dataset.load, dataset.reused)).collect();
    assert_eq!(loads, [(1, false), (2, false)]);
    for view in journal.repetitions() {
        assert_eq!(view.record.rounds.len(), 1);
        assert_eq!(view.probes[0].first_value.as_deref(), Some("300"));
    }
}
