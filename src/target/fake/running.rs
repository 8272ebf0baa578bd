//! A fake server that was started.

use super::script::{Effect, Script};
use super::session::FakeSession;
use super::state::State;
use super::{Fault, Trace};
use crate::host::clock::{Clock, FakeClock};
use crate::model::{Failure, FailureKind, Phase};
use crate::target::session::{Session, SqlError};
use crate::target::{Capabilities, Running, StartSpec, StopReport};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What all sessions of one start share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) start: u32,
    pub(super) script: Arc<Script>,
    pub(super) trace: Trace,
    pub(super) state: Mutex<State>,
    pub(super) globals: Mutex<BTreeMap<String, String>>,
    dead: Mutex<Option<String>>,
    connections: Mutex<HashMap<usize, u64>>,
}

impl Shared {
    pub(super) fn die(&self, last_words: &str) {
        *self.dead.lock().expect("no code panics while it holds this") =
            Some(last_words.to_string());
    }

    pub(super) fn dead(&self) -> Option<String> {
        self.dead.lock().expect("no code panics while it holds this").clone()
    }
}

#[derive(Debug)]
pub(super) struct FakeRunning {
    shared: Arc<Shared>,
    data_dir: PathBuf,
    variables: BTreeMap<String, String>,
    clocks: Mutex<HashMap<usize, Arc<FakeClock>>>,
}

impl FakeRunning {
    pub(super) fn new(
        start: u32,
        script: &Arc<Script>,
        trace: &Trace,
        spec: &StartSpec,
        state: State,
    ) -> Self {
        let mut variables = script.variables.clone();
        for line in &spec.options {
            let value = line.value.clone().unwrap_or_else(|| "ON".to_string());
            variables.insert(line.name.to_lowercase(), value);
        }
        let shared = Arc::new(Shared {
            start,
            script: Arc::clone(script),
            trace: trace.clone(),
            state: Mutex::new(state),
            globals: Mutex::new(variables.clone()),
            dead: Mutex::new(None),
            connections: Mutex::new(HashMap::new()),
        });
        Self {
            shared,
            data_dir: spec.data_dir.clone(),
            variables,
            clocks: Mutex::new(HashMap::new()),
        }
    }

    fn fake_clock(&self, client: usize) -> Arc<FakeClock> {
        let mut clocks = self.clocks.lock().expect("no code panics while it holds the clocks");
        Arc::clone(clocks.entry(client).or_insert_with(|| Arc::new(FakeClock::new())))
    }

    fn faults(&self) -> impl Iterator<Item = &Fault> {
        self.shared.script.faults.iter().filter(|fault| fault.in_start(self.shared.start))
    }
}

impl Running for FakeRunning {
    fn processes(&self) -> Vec<u32> {
        Vec::new()
    }

    fn data_dirs(&self) -> Vec<PathBuf> {
        if self.shared.script.capabilities.files { vec![self.data_dir.clone()] } else { Vec::new() }
    }

    fn connect(&self, client: usize) -> Result<Box<dyn Session>, SqlError> {
        let error = |errno: u16, message: &str| SqlError {
            class: SqlError::class_of(errno),
            errno,
            sqlstate: "08004".to_string(),
            ..SqlError::local(message)
        };
        if self.shared.dead().is_some() {
            return Err(error(2002, "Can't connect to local server"));
        }
        let count = {
            let mut connections =
                self.shared.connections.lock().expect("no code panics while it holds this");
            let count = connections.entry(client).or_insert(0);
            *count += 1;
            *count
        };
        for fault in self.faults().filter(|fault| fault.concerns(client, self.shared.start)) {
            if let Effect::Refusal { errno, message } = &fault.effect
                && fault.strikes(count)
            {
                return Err(error(*errno, message));
            }
        }
        let clock = self.fake_clock(client);
        Ok(Box::new(FakeSession::new(client, Arc::clone(&self.shared), clock)))
    }

    fn capabilities(&self) -> Capabilities {
        self.shared.script.capabilities
    }

    fn version(&self) -> (String, String) {
        ("1.0-fake".to_string(), "scripted".to_string())
    }

    fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    fn start_time(&self) -> Duration {
        self.shared.script.start_time
    }

    fn clock(&self, client: usize) -> Arc<dyn Clock> {
        self.fake_clock(client)
    }

    fn alive(&self) -> Result<(), Failure> {
        match self.shared.dead() {
            None => Ok(()),
            Some(last_words) => Err(Failure::new(
                Phase::Start,
                FailureKind::ServerDied,
                "the server ended by itself",
            )
            .log_tail(vec![format!("[ERROR] {last_words}")])),
        }
    }

    fn kill(&self) {
        self.shared.trace.say(format!("start {} killed", self.shared.start));
        self.shared.die("killed");
    }

    fn stop(self: Box<Self>) -> Result<StopReport, Failure> {
        let slow = self.faults().find_map(|fault| match fault.effect {
            Effect::SlowStop(after) => Some(after),
            _ => None,
        });
        let start = self.shared.start;
        let died = self.shared.dead().is_some();
        let (said, report) = match slow {
            Some(elapsed) => {
                let log_tail = vec!["[Note] shutdown is still waiting".to_string()];
                ("killed", StopReport { elapsed, killed: true, log_tail })
            }
            None => (
                if died { "dead already" } else { "stopped" },
                StopReport { elapsed: self.shared.script.stop_time, ..StopReport::default() },
            ),
        };
        self.shared.trace.say(format!("start {start} {said}"));
        if !died {
            let state = self.shared.state.lock().expect("no code panics while it holds the state");
            state.save(&self.data_dir).map_err(|error| {
                Failure::new(Phase::Stop, FailureKind::Io, format!("cannot save: {error}"))
            })?;
        }
        Ok(report)
    }
}
