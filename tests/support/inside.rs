//! Runs on real servers inside the process of the test, so that it can do something at each event.

use super::disturbed::One;
use super::managed::{Bench, description, guard, nothing_runs_below};
use enginecmp::diagnostic::{SourceMap, render};
use enginecmp::host::work_dir::WorkDir;
use enginecmp::journal::{Journal, Writer, read};
use enginecmp::plan::{self, Arguments, Disk, Plan};
use enginecmp::run::{
    Event, Interrupt, Observer, RunOutcome, RunSettings, describe_machine, execute,
};
use enginecmp::target::Target;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Two repetitions of TPC-C on a small InnoDB.
pub(crate) const TWICE: &str = "
suite \"Twice\"
engine innodb { storage InnoDB }
workload tpcc { warehouses 1; density 1%; clients 2; warmup 1s; measure 2s }
cache 32M
repeat 2
";

/// A suite with its work directory.
pub(crate) struct Inside {
    pub(crate) plan: Plan,
    pub(crate) work: WorkDir,
    out: PathBuf,
    /// How long a server may be silent.
    pub(crate) patience: Duration,
}

impl Inside {
    /// Plans the suite for the MariaDB of this machine.
    pub(crate) fn new(bench: &Bench, text: &str) -> Self {
        let suite = bench.path().join("inside.bench");
        std::fs::write(&suite, text).expect("it is written");
        let mut sources = SourceMap::new();
        let arguments = Arguments { processors: 2, ..Arguments::default() };
        let suite = plan::load(&suite, &arguments, &mut sources, &Disk)
            .unwrap_or_else(|wrong| panic!("{}", render(&wrong, &sources, false, 100)));
        let plan =
            plan::make(&suite, &[description()]).unwrap_or_else(|wrong| panic!("{wrong:#?}"));
        let (work, _) = WorkDir::open(&bench.path().join("work")).expect("a work directory");
        let out = bench.path().join("out");
        Self { plan, work, out, patience: enginecmp::run::PATIENCE }
    }

    /// Makes the run and reads its journal. Nothing may run on afterwards.
    pub(crate) fn run(
        &self,
        target: impl Target + 'static,
        observer: &dyn Observer,
    ) -> (RunOutcome, Journal) {
        let settings = RunSettings {
            id: "inside".to_string(),
            work: &self.work,
            machine: describe_machine(self.work.root(), None).expect("a machine"),
            guard: guard(),
            interrupt: Interrupt::new(),
            keep_datasets: false,
            done: None,
            budget: None,
            patience: self.patience,
            calibration: None,
        };
        let mut journal = Writer::create(&self.out).expect("a new journal");
        let targets = One(Arc::new(target));
        let outcome = execute(&self.plan, &targets, &settings, &mut journal, observer)
            .expect("the journal can be written");
        assert!(nothing_runs_below(self.work.root()));
        (outcome, read(&self.out).expect("a journal"))
    }
}

/// Does something at each event of a run, on the thread that drives it.
pub(crate) struct At<F: Fn(&Event<'_>) + Sync>(pub(crate) F);

impl<F: Fn(&Event<'_>) + Sync> Observer for At<F> {
    fn event(&self, event: &Event<'_>) {
        (self.0)(event);
    }
}

/// Writes into a new file of a directory until the disk is full; gives the file.
pub(crate) fn fill(directory: &Path) -> PathBuf {
    use std::io::Write as _;
    let path = directory.join("filler");
    let mut file = std::fs::File::create(&path).expect("there is room for an empty file");
    for size in [1 << 20, 1 << 12] {
        let block = vec![0; size];
        while file.write_all(&block).is_ok() {}
    }
    path
}
