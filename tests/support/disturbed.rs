//! A real server to which something happens while its clients work.

use enginecmp::host::clock::Clock;
use enginecmp::model::Failure;
use enginecmp::run::TargetSource;
use enginecmp::target::managed::ManagedServer;
use enginecmp::target::session::{Session, SqlError};
use enginecmp::target::{
    Capabilities, OptionLine, Running, StartSpec, StopReport, Target, TargetDescription,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

/// What happens when the first client connects for the first time; it may go on in a thread of its
/// own.
type Disturb = Arc<dyn Fn(&dyn Running) -> Result<(), SqlError> + Send + Sync>;

/// A server whose starts are disturbed, all of them or some.
pub(crate) struct Disturbed {
    server: ManagedServer,
    starts: AtomicU32,
    which: fn(u32) -> bool,
    disturb: Disturb,
}

impl Disturbed {
    /// `which` says of each start, counted from 0, whether it is disturbed.
    pub(crate) fn new(
        server: ManagedServer,
        which: fn(u32) -> bool,
        disturb: impl Fn(&dyn Running) -> Result<(), SqlError> + Send + Sync + 'static,
    ) -> Self {
        Self { server, starts: AtomicU32::new(0), which, disturb: Arc::new(disturb) }
    }
}

impl Target for Disturbed {
    fn describe(&self) -> &TargetDescription {
        self.server.describe()
    }

    fn initialise(&self, data_dir: &Path, init_options: &[OptionLine]) -> Result<(), Failure> {
        self.server.initialise(data_dir, init_options)
    }

    fn start(&self, spec: &StartSpec) -> Result<Box<dyn Running>, Failure> {
        let running = self.server.start(spec)?;
        Ok(if (self.which)(self.starts.fetch_add(1, Ordering::SeqCst)) {
            let disturb = Arc::clone(&self.disturb);
            Box::new(DisturbedRunning { running, disturb, done: AtomicBool::new(false) })
        } else {
            running
        })
    }
}

struct DisturbedRunning {
    running: Box<dyn Running>,
    disturb: Disturb,
    done: AtomicBool,
}

impl Running for DisturbedRunning {
    fn processes(&self) -> Vec<u32> {
        self.running.processes()
    }

    fn data_dirs(&self) -> Vec<PathBuf> {
        self.running.data_dirs()
    }

    fn connect(&self, client: usize) -> Result<Box<dyn Session>, SqlError> {
        if client == 0 && !self.done.swap(true, Ordering::SeqCst) {
            (self.disturb)(self.running.as_ref())?;
        }
        self.running.connect(client)
    }

    fn capabilities(&self) -> Capabilities {
        self.running.capabilities()
    }

    fn version(&self) -> (String, String) {
        self.running.version()
    }

    fn variables(&self) -> &BTreeMap<String, String> {
        self.running.variables()
    }

    fn start_time(&self) -> Duration {
        self.running.start_time()
    }

    fn clock(&self, client: usize) -> Arc<dyn Clock> {
        self.running.clock(client)
    }

    fn alive(&self) -> Result<(), Failure> {
        self.running.alive()
    }

    fn kill(&self) {
        self.running.kill();
    }

    fn stop(self: Box<Self>) -> Result<StopReport, Failure> {
        self.running.stop()
    }
}

/// Every server of a plan is this one.
pub(crate) struct One(pub(crate) Arc<dyn Target>);

impl TargetSource for One {
    fn target(&self, _server: usize) -> Result<Arc<dyn Target>, Failure> {
        Ok(Arc::clone(&self.0))
    }
}
