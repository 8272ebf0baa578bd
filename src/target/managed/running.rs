//! A managed server that runs.

use super::log::{Logs, headline};
use crate::host::clock::{Clock, SystemClock};
use crate::host::guard::{Ended, GuardedProcess};
use crate::host::interrupt::Interrupt;
use crate::model::{Failure, FailureKind, Phase};
use crate::target::mysql_session::{ConnectOptions, MysqlSession};
use crate::target::session::{Session, SqlError};
use crate::target::{Capabilities, Running, StopReport};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long the kernel may take to end a killed process.
const AFTER_KILL: Duration = Duration::from_secs(60);

/// How often a wait for a stop looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(100);

/// A managed server that runs. Dropping it kills it.
#[derive(Debug)]
pub(super) struct ManagedRunning {
    pub(super) process: GuardedProcess,
    pub(super) reach: ConnectOptions,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) start_time: Duration,
    pub(super) logs: Logs,
    pub(super) stop_within: Duration,
    /// Ends the wait for a stop.
    pub(super) interrupt: Interrupt,
    pub(super) origin: Instant,
    pub(super) data: PathBuf,
    pub(super) tmp: PathBuf,
    /// [`Running::kill`] was called.
    pub(super) killed: AtomicBool,
}

impl ManagedRunning {
    fn variable(&self, name: &str) -> &str {
        self.variables.get(name).map_or("", String::as_str)
    }

    /// Whether LOAD DATA INFILE may read the server's directory for temporary files.
    fn reads_files(&self) -> bool {
        let allowed = self.variable("secure_file_priv");
        allowed.is_empty() || self.tmp.starts_with(allowed)
    }

    /// Waits for a clean shutdown that began at `began`; none when it takes too long, or the user
    /// does not want to wait any more.
    fn wait_for_the_end(&self, began: Instant) -> Option<Ended> {
        loop {
            let left = self.stop_within.saturating_sub(began.elapsed());
            let ended = self.process.wait(left.min(LOOK));
            if ended.is_some() || left.is_zero() || self.interrupt.is_raised() {
                return ended;
            }
        }
    }

    fn died(&self, phase: Phase, ended: Ended) -> Failure {
        let tail = self.logs.telling();
        let why = headline(&tail).map(|said| format!(": {said}")).unwrap_or_default();
        Failure::new(phase, FailureKind::ServerDied, format!("the server ended ({ended}){why}"))
            .log_tail(tail)
    }
}

impl Running for ManagedRunning {
    fn reach(&self) -> Option<&ConnectOptions> {
        Some(&self.reach)
    }

    fn processes(&self) -> Vec<u32> {
        vec![self.process.pid()]
    }

    fn data_dirs(&self) -> Vec<PathBuf> {
        vec![self.data.clone()]
    }

    fn connect(&self, _client: usize) -> Result<Box<dyn Session>, SqlError> {
        let options = ConnectOptions {
            file_directory: self.reads_files().then(|| self.tmp.clone()),
            ..self.reach.clone()
        };
        Ok(Box::new(MysqlSession::connect(&options)?))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            restart: true,
            files: true,
            load_data_local: self.variable("local_infile") == "ON",
            load_data_file: self.reads_files(),
            max_packet: self.variable("max_allowed_packet").parse().unwrap_or(1 << 20),
            concurrent_writers: true,
        }
    }

    fn version(&self) -> (String, String) {
        let version = self.variable("version");
        let (version, packager) = version.split_once(' ').unwrap_or((version, ""));
        // Some builds put an appeal to their users behind two dashes.
        let comment = self.variable("version_comment").split("--").next().unwrap_or_default();
        let allocator =
            Some(self.variable("version_malloc_library")).filter(|name| *name != "system");
        let build: Vec<&str> = [packager, comment, allocator.unwrap_or_default()]
            .into_iter()
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect();
        (version.to_string(), build.join(", "))
    }

    fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    fn start_time(&self) -> Duration {
        self.start_time
    }

    fn clock(&self, _client: usize) -> Arc<dyn Clock> {
        Arc::new(SystemClock::since(self.origin))
    }

    fn alive(&self) -> Result<(), Failure> {
        self.process.ended().map_or(Ok(()), |ended| Err(self.died(Phase::Measure, ended)))
    }

    fn kill(&self) {
        self.killed.store(true, Ordering::Relaxed);
        self.process.kill();
    }

    fn stop(self: Box<Self>) -> Result<StopReport, Failure> {
        let began = Instant::now();
        if !self.killed.load(Ordering::Relaxed) {
            if let Some(ended) = self.process.ended() {
                return Err(self.died(Phase::Stop, ended));
            }
            // It has answered a query, so SIGTERM is safe: a clean shutdown.
            self.process.terminate();
            if let Some(ended) = self.wait_for_the_end(began) {
                let elapsed = began.elapsed();
                return match ended {
                    Ended::Exit(0) => {
                        Ok(StopReport { elapsed, killed: false, log_tail: Vec::new() })
                    }
                    other => Err(self.died(Phase::Stop, other)),
                };
            }
            self.process.kill();
        }
        let gone = self.process.wait(AFTER_KILL);
        let report =
            StopReport { elapsed: began.elapsed(), killed: true, log_tail: self.logs.last() };
        match gone {
            Some(_) => Ok(report),
            None => Err(Failure::new(
                Phase::Stop,
                FailureKind::Timeout,
                format!("process {} cannot be killed", self.process.pid()),
            )
            .log_tail(report.log_tail)),
        }
    }
}
