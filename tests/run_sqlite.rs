//! The whole path on SQLite: no server is needed, and nothing is scripted.

use crate::support::bench::machine;
use enginecmp::diagnostic::{SourceMap, render};
use enginecmp::host::work_dir::WorkDir;
use enginecmp::journal::{Writer, read};
use enginecmp::model::{Failure, Metric, MetricId};
use enginecmp::plan::{self, Arguments, Disk};
use enginecmp::run::{Interrupt, RunSettings, Silent, TargetSource, execute};
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

#[test]
fn a_suite_on_sqlite_loads_measures_checks_and_probes() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let suite = directory.path().join("alone.bench");
    std::fs::write(&suite, SUITE).expect("it is written");
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
        interrupt: Interrupt::new(),
        keep_datasets: false,
        done: None,
    };
    let out = directory.path().join("journal");
    let mut writer = Writer::create(&out).expect("a new journal");
    let outcome =
        execute(&plan, &InProcess, &settings, &mut writer, &Silent).expect("it can be written");
    let journal = read(&out).expect("a journal");
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
