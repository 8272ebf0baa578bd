//! Whole runs on a real MariaDB: from a suite to its table, a planted violation, interrupts and
//! kills in every phase.

use crate::support::disturbed::{Disturbed, One};
use crate::support::lockstep::{LockStep, waits_for_room};
use crate::support::managed::{Bench, description, nothing_runs_below, signal};
use enginecmp::diagnostic::{SourceMap, render};
use enginecmp::host::users;
use enginecmp::host::work_dir::WorkDir;
use enginecmp::journal::{Journal, Writer, read};
use enginecmp::model::{FailureKind, Metric, MetricId, Phase};
use enginecmp::plan::{self, Arguments, Disk, Plan};
use enginecmp::run::{Interrupt, RunSettings, Silent, execute};
use enginecmp::target::Running;
use enginecmp::target::session::SqlError;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

const PAIR: &str = "
suite \"A pair\"
engine innodb { storage InnoDB }
engine myrocks { storage RocksDB }
schema { strip foreign_keys; keep foreign_key_indexes }
isolation read_committed
workload tpcc { warehouses 2; density 1%; clients 2; warmup 1s; measure 2s; rounds 2 }
cache 32M
load { threads 2 }
probe count_customer \"select count(*) from customer\" cold
repeat 2
compare engine against innodb
";

const ALONE: &str = "
suite \"Alone\"
engine innodb { storage InnoDB }
workload tpcc { warehouses 1; density 1%; clients 2; warmup 1s; measure 2s }
cache 32M
probe count_customer \"select count(*) from customer\"
repeat 2
";

/// A suite of a test with the directories of its runs.
struct Place {
    bench: Bench,
    suite: PathBuf,
    runs: u32,
}

impl Place {
    fn new(text: &str, user: Option<&str>) -> Self {
        let bench = user.map_or_else(Bench::new, Bench::as_user);
        let suite = bench.path().join("suite.bench");
        std::fs::write(&suite, text).expect("it is written");
        Self { bench, suite, runs: 0 }
    }

    fn work(&self) -> PathBuf {
        self.bench.path().join("work")
    }

    /// Starts the real binary on the suite; its run goes into a directory of its own.
    fn start(&mut self, arguments: &[&str]) -> Started {
        self.runs += 1;
        let out = self.bench.path().join(format!("out-{}", self.runs));
        let (lines, stderr) = LockStep::new();
        let child = Command::new(env!("CARGO_BIN_EXE_enginecmp"))
            .arg("run")
            .arg(&self.suite)
            .arg("--work")
            .arg(self.work())
            .arg("--out")
            .arg(&out)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .expect("the binary starts");
        Started { child, out, lines, seen: String::new() }
    }
}

/// A run of the real binary.
struct Started {
    child: Child,
    out: PathBuf,
    lines: LockStep,
    seen: String,
}

impl Started {
    /// Waits until it has said `words` for the `nth` time, from 1. It can do what comes then, but
    /// cannot say what comes next.
    fn until(&mut self, words: &str, nth: usize) {
        let mut times = 0;
        loop {
            let line = self.lines.peek();
            let line = line.unwrap_or_else(|| panic!("it never said {words:?}:\n{}", self.seen));
            times += usize::from(line.trim_end().ends_with(words));
            if times == nth {
                return;
            }
            self.go_on();
        }
    }

    /// Lets it say its next line; false when it has ended.
    fn go_on(&mut self) -> bool {
        let line = self.lines.take();
        self.seen.push_str(line.as_deref().unwrap_or_default());
        line.is_some()
    }

    /// Waits for its end: exit code and standard output.
    fn end(mut self) -> (Option<i32>, String, String) {
        while self.go_on() {}
        let output = self.child.wait_with_output().expect("it ends");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), printed, self.seen)
    }
}

fn within(limit: Duration, what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + limit;
    while !holds() {
        assert!(Instant::now() < deadline, "{what} did not come about in {limit:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn finished(journal: &Journal) -> usize {
    journal.repetitions().iter().filter(|view| view.record.failure.is_none()).count()
}

#[test]
fn a_suite_runs_from_its_file_to_its_table_and_leaves_nothing() {
    let mut place = Place::new(PAIR, None);
    let run = place.start(&[]);
    let out = run.out.clone();
    let (code, printed, said) = run.end();
    assert_eq!(code, Some(0), "{said}\n{printed}");
    for words in ["myrocks", "TpmC", "count_customer", "not TPC-C (density 1%)"] {
        assert!(printed.contains(words), "no {words} in:\n{printed}");
    }
    let journal = read(&out).expect("a journal");
    assert_eq!(finished(&journal), 4);
    for view in journal.repetitions() {
        let value = |metric| {
            let id = MetricId::whole(metric);
            view.record.metrics.iter().find(|value| value.id == id).map(|value| value.value)
        };
        for metric in [
            Metric::Tpmc,
            Metric::P95,
            Metric::StartTime,
            Metric::StopTime,
            Metric::ServerCpuPerTransaction,
            Metric::ClientCpuPerTransaction,
            Metric::MemoryPeak,
        ] {
            assert!(value(metric).is_some_and(|value| value > 0.0), "{metric}");
        }
        assert_eq!(view.record.rounds.len(), 2);
        assert_eq!(view.probes[0].first_value.as_deref(), Some("600"));
        assert!(view.record.resident_before_start.is_some_and(|share| share < 0.01));
        assert!(view.record.checks.iter().all(|check| check.violations == 0));
        assert!(!view.record.checks.is_empty());
        let durability = match view.record.cell.get("engine") {
            Some("innodb") => "innodb_flush_log_at_trx_commit",
            _ => "rocksdb_flush_log_at_trx_commit",
        };
        assert_eq!(view.record.variables[durability], "1");
    }
    for dataset in journal.datasets() {
        assert!(!dataset.checks.is_empty());
        assert_eq!(dataset.rows["customer"], 600);
        assert!(dataset.ddl["stock"].contains("ENGINE="));
        let value = |wanted| {
            dataset.metrics.iter().find(|value| value.id.metric == wanted).map(|value| value.value)
        };
        assert!(value(Metric::SettleTime).is_some());
        for metric in [Metric::SizeLoaded, Metric::SizeSettled, Metric::SizeLogs] {
            assert!(value(metric).is_some_and(|bytes| bytes > 0.0), "{metric}");
        }
        assert!(dataset.table_sizes["stock"].settled_bytes > 0);
        assert!(dataset.files.iter().any(|file| !file.log && file.blocks_bytes > 0));
    }
    assert!(nothing_runs_below(&place.work()));
    for part in ["runs", "datasets"] {
        let left = std::fs::read_dir(place.work().join(part)).expect("it is there").count();
        assert_eq!(left, 0, "{part} holds something");
    }
}

/// When a run is ended: at which occurrence of which phase, how many repetitions are finished by
/// then, and whether the dataset is to be found in the store.
type Moment = (&'static str, usize, usize, bool);

const MOMENTS: &[Moment] = &[
    ("initialise", 1, 0, false),
    ("start", 1, 0, false),
    ("load", 1, 0, false),
    ("settle", 1, 0, false),
    ("check", 1, 0, false),
    ("stop", 1, 0, false),
    ("probe", 1, 0, true),
    ("restore", 1, 0, true),
    ("start", 1, 0, true),
    ("warm-up", 1, 0, true),
    ("measure", 1, 0, true),
    ("check", 1, 0, true),
    ("measure", 2, 1, true),
    ("stop", 2, 1, true),
];

/// Two of them, for the pairs of signal and user that are not tried at every moment.
const TWO_MOMENTS: &[Moment] = &[("load", 1, 0, false), ("measure", 1, 0, true)];

/// Ends a run at each moment and looks at what is left.
fn end_at(moments: &[Moment], name: &str, user: Option<&str>) {
    let mut place = Place::new(ALONE, user);
    let user_argument = user.map(|user| format!("--user={user}"));
    let mut loaded = false;
    for &(phase, nth, done, stored) in moments {
        let mut arguments: Vec<&str> = user_argument.iter().map(String::as_str).collect();
        if stored && !loaded {
            arguments.push("--keep-datasets");
            let (code, _, said) = place.start(&arguments).end();
            assert_eq!(code, Some(0), "{said}");
            loaded = true;
            arguments.pop();
        }
        let mut run = place.start(&arguments);
        let pid = run.child.id();
        if phase == "stop" {
            // What follows is no line of a phase, but the end of the repetition: it is held at the
            // line that says that it stops.
            run.until(": check", nth);
            within(Duration::from_secs(60), "the end of the check", || waits_for_room(pid));
        } else {
            // Somewhere within the phase, not only at its first instant. It cannot leave it.
            run.until(&format!(": {phase}"), nth);
            thread::sleep(Duration::from_millis(60));
        }
        signal(pid, name);
        // The signal is taken before the run goes on.
        thread::sleep(Duration::from_millis(60));
        let out = run.out.clone();
        let (code, _, said) = run.end();
        let moment = format!("{name} at {phase} {nth}:\n{said}");
        within(Duration::from_secs(20), &format!("the end of every server, {moment}"), || {
            nothing_runs_below(&place.work())
        });
        let journal = read(&out).expect("a journal");
        assert_eq!(finished(&journal), done, "{moment}");
        if name == "INT" {
            assert_eq!(code, Some(130), "{moment}");
            assert!(journal.end().is_some_and(|end| end.interrupted), "{moment}");
            let left = std::fs::read_dir(place.work().join("runs")).expect("there").count();
            assert_eq!(left, 0, "{moment}");
        } else {
            assert_eq!(code, None, "{moment}");
            assert!(journal.end().is_none(), "{moment}");
        }
    }
    // What killed runs left is removed by the next one, which works.
    let arguments: Vec<&str> = user_argument.iter().map(String::as_str).collect();
    let (code, _, said) = place.start(&arguments).end();
    assert_eq!(code, Some(0), "{said}");
    let left = std::fs::read_dir(place.work().join("runs")).expect("it is there").count();
    assert_eq!(left, 0);
}

/// Another user for servers, where root runs the tests; only root can start them so.
fn other_user() -> Option<&'static str> {
    users::is_root().then_some("mysql")
}

#[test]
fn an_interrupt_in_any_phase_ends_everything_in_order() {
    end_at(MOMENTS, "INT", None);
    end_at(TWO_MOMENTS, "INT", other_user());
}

#[test]
fn a_kill_in_any_phase_leaves_no_process_and_a_readable_journal() {
    end_at(MOMENTS, "KILL", other_user());
    end_at(TWO_MOMENTS, "KILL", None);
}

/// When the first client connects, a second connection is made that changes one row a second
/// later. The first start, in which the dataset is loaded, stays as it is.
fn tamper(running: &dyn Running) -> Result<(), SqlError> {
    let mut intruder = running.connect(0)?;
    thread::spawn(move || {
        thread::sleep(Duration::from_secs(1));
        let changed = "UPDATE enginecmp.warehouse SET w_ytd = w_ytd + 0.01 WHERE w_id = 1";
        let _ = intruder.text(changed);
    });
    Ok(())
}

fn planned(suite: &Path) -> Plan {
    let mut sources = SourceMap::new();
    let arguments = Arguments { processors: 2, ..Arguments::default() };
    let suite = plan::load(suite, &arguments, &mut sources, &Disk)
        .unwrap_or_else(|wrong| panic!("{}", render(&wrong, &sources, false, 100)));
    plan::make(&suite, &[description()]).unwrap_or_else(|wrong| panic!("{wrong:#?}"))
}

#[test]
fn a_violation_planted_on_a_second_connection_turns_the_repetition_red() {
    let place = Place::new(ALONE, None);
    let mut plan = planned(&place.suite);
    plan.repeat = 1;
    let (work, _) = WorkDir::open(&place.work()).expect("a work directory");
    let settings = RunSettings {
        id: "planted".to_string(),
        work: &work,
        machine: enginecmp::run::describe_machine(work.root(), None).expect("a machine"),
        guard: crate::support::managed::guard(),
        interrupt: Interrupt::new(),
        keep_datasets: false,
        calibration: None,
        done: None,
        budget: None,
        patience: enginecmp::run::PATIENCE,
    };
    let out = place.bench.path().join("out");
    let mut journal = Writer::create(&out).expect("a new journal");
    let target = Disturbed::new(place.bench.server(), |start| start > 0, tamper);
    let outcome =
        execute(&plan, &One(Arc::new(target)), &settings, &mut journal, &Silent).expect("it runs");
    let journal = read(&out).expect("a journal");
    let views = journal.repetitions();
    let failure = views[0].record.failure.as_ref().expect("the data were changed");
    assert_eq!((failure.kind, failure.phase), (FailureKind::Check, Phase::Check), "{failure:#?}");
    let red: Vec<_> = views[0]
        .record
        .checks
        .iter()
        .filter(|check| check.violations > 0)
        .map(|check| check.name.as_str())
        .collect();
    // W_YTD no longer equals the sum of D_YTD, nor that of H_AMOUNT.
    assert!(red.contains(&"condition 3.3.2.1") && red.contains(&"condition 3.3.2.8"), "{red:?}");
    assert!(views[0].record.rounds.is_empty(), "a red repetition has no number");
    assert_eq!((outcome.finished, outcome.failed), (0, 1));
}
