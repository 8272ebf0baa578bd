//! The fake target: a server of the imagination for tests of schedules, failures and statistics.
//!
//! Statements take scripted time on a clock of their own for each client, so that a measured phase
//! of minutes passes in milliseconds and every figure is exact. It keeps tables, counts rows and
//! knows transactions; it has a data directory that can be copied. It never stands in for a real
//! server in a claim.

mod running;
mod script;
mod session;
mod state;

pub use script::{Fault, Script, Value};

use super::{OptionLine, Running, StartSpec, Target, TargetDescription, TargetKind};
use crate::model::{Failure, FailureKind, Phase};
use running::FakeRunning;
use state::State;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// What happened on a fake target, as sentences in order.
///
/// Sentences of one thread are in order; those of threads that ran at once may stand either way.
#[derive(Clone, Debug, Default)]
pub struct Trace(Arc<Mutex<Vec<String>>>);

impl Trace {
    /// Everything so far.
    pub fn sentences(&self) -> Vec<String> {
        self.0.lock().expect("no code panics while it holds the trace").clone()
    }

    /// Adds a sentence. Tests may add their own between those of the target.
    pub fn say(&self, sentence: impl Into<String>) {
        self.0.lock().expect("no code panics while it holds the trace").push(sentence.into());
    }
}

/// A scripted server.
#[derive(Debug)]
pub struct FakeTarget {
    description: TargetDescription,
    script: Arc<Script>,
    starts: AtomicU32,
    trace: Trace,
}

impl FakeTarget {
    /// A server with this name in the suite that behaves as scripted.
    pub fn new(name: impl Into<String>, script: Script) -> Self {
        let description = TargetDescription {
            name: name.into(),
            kind: TargetKind::Fake,
            family: "fake".to_string(),
            version: "1.0-fake".to_string(),
            release: (1, 0),
            binary: None,
            build: "scripted".to_string(),
            engines: script.engines.clone(),
        };
        Self {
            description,
            script: Arc::new(script),
            starts: AtomicU32::new(0),
            trace: Trace::default(),
        }
    }

    /// What happened on it.
    pub fn trace(&self) -> Trace {
        self.trace.clone()
    }
}

impl Target for FakeTarget {
    fn describe(&self) -> &TargetDescription {
        &self.description
    }

    fn initialise(&self, data_dir: &Path, _init_options: &[OptionLine]) -> Result<(), Failure> {
        State::default().save(data_dir).map_err(|error| {
            Failure::new(
                Phase::Initialise,
                FailureKind::Io,
                format!("cannot write {}: {error}", data_dir.display()),
            )
        })?;
        self.trace.say("initialised a data directory");
        Ok(())
    }

    fn start(&self, spec: &StartSpec) -> Result<Box<dyn Running>, Failure> {
        let start = self.starts.fetch_add(1, Ordering::SeqCst) + 1;
        let options: Vec<String> = spec
            .options
            .iter()
            .map(|line| match &line.value {
                Some(value) => format!("{}={value}", line.name),
                None => line.name.clone(),
            })
            .collect();
        self.trace.say(format!("start {start} with {}", options.join(" ")));
        if let Some(message) = self.script.refuses_start(start) {
            return Err(Failure::new(Phase::Start, FailureKind::ServerDied, message)
                .log_tail(vec![format!("[ERROR] {message}")]));
        }
        for engine in &spec.engines {
            if !self.script.engines.iter().any(|offered| offered.eq_ignore_ascii_case(engine)) {
                return Err(Failure::new(
                    Phase::Start,
                    FailureKind::EngineMissing,
                    format!("Unknown storage engine '{engine}'"),
                ));
            }
        }
        for line in &spec.options {
            if let Some(actual) = self.script.overrides(&line.name, start) {
                let asked = line.value.as_deref().unwrap_or("set");
                let mut failure = Failure::new(
                    Phase::Start,
                    FailureKind::OptionNotTaken,
                    format!("{}: asked {asked}, runs {actual}", line.name),
                );
                failure.place.clone_from(&line.place);
                return Err(failure);
            }
        }
        let state = State::load(&spec.data_dir).map_err(|error| {
            Failure::new(
                Phase::Start,
                FailureKind::ServerDied,
                format!("no data directory of mine at {}: {error}", spec.data_dir.display()),
            )
        })?;
        Ok(Box::new(FakeRunning::new(start, &self.script, &self.trace, spec, state)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::session::{
        Access, BulkMethod, BulkTable, Param, RowSink, RowSource, SqlError,
    };
    use std::time::Duration;

    struct Numbers(i64);

    impl RowSource for Numbers {
        fn next_row(&mut self, sink: &mut dyn RowSink) -> bool {
            if self.0 == 0 {
                return false;
            }
            self.0 -= 1;
            sink.int(self.0);
            sink.end_row();
            true
        }

        fn expected(&self) -> u64 {
            self.0 as u64
        }
    }

    fn started(script: Script) -> (tempfile::TempDir, FakeTarget, Box<dyn Running>) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let target = FakeTarget::new("fake", script);
        target.initialise(directory.path(), &[]).expect("it is initialised");
        let spec = StartSpec { data_dir: directory.path().to_path_buf(), ..StartSpec::default() };
        let running = target.start(&spec).expect("it starts");
        (directory, target, running)
    }

    fn count(running: &dyn Running, table: &str) -> i64 {
        let mut session = running.connect(9).expect("it connects");
        let mut found = None;
        session
            .text_visit(&format!("SELECT COUNT(*) FROM {table}"), &mut |row| {
                found = row.int(0);
                true
            })
            .expect("it counts");
        found.expect("one row")
    }

    #[test]
    fn rows_follow_commit_and_rollback_and_survive_a_restart() {
        let (directory, target, running) = started(Script::offering(&["InnoDB"]));
        let mut session = running.connect(0).expect("it connects");
        session.text("CREATE TABLE t (a INT) ENGINE=InnoDB").expect("it is made");
        let table = BulkTable {
            table: "t",
            columns: &["a"],
            method: BulkMethod::LoadDataLocal { commit_rows: 0 },
        };
        let outcome = session.bulk_load(&table, &mut Numbers(5)).expect("it loads");
        assert_eq!((outcome.sent, outcome.taken, outcome.warnings), (5, 5, 0));
        let insert = session.prepare("INSERT INTO t VALUES (?)").expect("it is prepared");
        session.begin(Access::ReadWrite).expect("it begins");
        session.execute(insert, &[Param::Int(7)]).expect("it inserts");
        session.rollback().expect("it rolls back");
        assert_eq!(count(&*running, "t"), 5);
        session.begin(Access::ReadWrite).expect("it begins");
        session.execute(insert, &[Param::Int(7)]).expect("it inserts");
        session.commit().expect("it commits");
        drop(session);
        running.stop().expect("it stops");
        let spec = StartSpec { data_dir: directory.path().to_path_buf(), ..StartSpec::default() };
        let again = target.start(&spec).expect("it starts again");
        assert_eq!(count(&*again, "t"), 6);
    }

    #[test]
    fn statements_take_scripted_time_on_their_clients_clock_alone() {
        let script = Script::offering(&["InnoDB"])
            .takes("UPDATE a", &[Duration::from_millis(5), Duration::from_millis(7)]);
        let (_directory, _target, running) = started(script);
        let mut session = running.connect(3).expect("it connects");
        for _ in 0..3 {
            session.text("UPDATE a SET b=1").expect("it updates");
        }
        assert_eq!(running.clock(3).now(), Duration::from_millis(17));
        assert_eq!(running.clock(4).now(), Duration::ZERO);
    }

    #[test]
    fn faults_come_at_the_nth_statement_of_a_client() {
        let script = Script::offering(&["InnoDB"])
            .fault(Fault::error(1213, "Deadlock found").on("UPDATE a").client(1).nth(2));
        let (_directory, _target, running) = started(script);
        let tried = |client| -> Vec<Option<u16>> {
            let mut session = running.connect(client).expect("it connects");
            (0..3)
                .map(|_| session.text("UPDATE a SET b=1").err().map(|error: SqlError| error.errno))
                .collect()
        };
        assert_eq!(tried(0), [None, None, None]);
        assert_eq!(tried(1), [None, Some(1213), None]);
    }

    #[test]
    fn a_dead_server_answers_nobody_and_says_why() {
        let script = Script::offering(&["InnoDB"]).fault(Fault::death("signal 11").on("UPDATE a"));
        let (_directory, _target, running) = started(script);
        let mut session = running.connect(0).expect("it connects");
        let mut bystander = running.connect(1).expect("it connects");
        assert!(running.alive().is_ok());
        assert_eq!(session.text("UPDATE a SET b=1").expect_err("it dies").errno, 2013);
        assert_eq!(bystander.text("SELECT 1").expect_err("it is gone").errno, 2006);
        assert!(running.connect(2).is_err());
        let failure = running.alive().expect_err("it is dead");
        assert_eq!(failure.kind, FailureKind::ServerDied);
        assert!(failure.log_tail.iter().any(|line| line.contains("signal 11")));
    }

    #[test]
    fn a_missing_engine_and_an_option_not_taken_fail_the_start() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let script = Script::offering(&["InnoDB"]).fault(Fault::option("pool_instances", "1"));
        let target = FakeTarget::new("fake", script);
        target.initialise(directory.path(), &[]).expect("it is initialised");
        let mut spec = StartSpec {
            data_dir: directory.path().to_path_buf(),
            engines: vec!["ROCKSDB".to_string()],
            ..StartSpec::default()
        };
        let kind = |spec: &StartSpec| target.start(spec).err().map(|failure| failure.kind);
        assert_eq!(kind(&spec), Some(FailureKind::EngineMissing));
        spec.engines = vec!["innodb".to_string()];
        assert_eq!(kind(&spec), None);
        spec.options = vec![OptionLine::own("pool_instances", "8")];
        assert_eq!(kind(&spec), Some(FailureKind::OptionNotTaken));
    }
}
