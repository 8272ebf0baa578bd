//! A MariaDB of this machine, with a directory of its own, for live tests.

use enginecmp::engine::EngineSpec;
use enginecmp::host::guard::Guard;
use enginecmp::host::interrupt::Interrupt;
use enginecmp::host::process;
use enginecmp::host::share::Limits;
use enginecmp::target::discovery::{self, Where};
use enginecmp::target::families;
use enginecmp::target::managed::{ManagedServer, ManagedSettings};
use enginecmp::target::{OptionLine, Running, StartSpec, Target, TargetDescription};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long a start or a stop may take on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

/// Names the enginecmp binary where the one of the build cannot be reached.
pub(crate) const BINARY: &str = "ENGINECMP_TEST_BINARY";

/// The enginecmp binary.
pub(crate) fn binary() -> PathBuf {
    std::env::var_os(BINARY).unwrap_or(env!("CARGO_BIN_EXE_enginecmp").into()).into()
}

/// Guards that are the enginecmp binary.
pub(crate) fn guard() -> Guard {
    Guard::of(binary())
}

/// The MariaDB of this machine that has RocksDB.
pub(crate) fn description() -> TargetDescription {
    let found = discovery::discover(&Where {
        path: std::env::var_os("PATH"),
        servers: None,
        usual_places: true,
    });
    found
        .servers
        .into_iter()
        .find(|server| {
            server.family == "mariadb" && server.engines.iter().any(|engine| engine == "ROCKSDB")
        })
        .expect(
            "live tests need MariaDB with RocksDB: \
             apt-get install mariadb-server mariadb-plugin-rocksdb",
        )
}

/// The options of every start with these engines under test.
pub(crate) fn options(engines: &[&str]) -> Vec<OptionLine> {
    let specs: Vec<&EngineSpec> = engines
        .iter()
        .map(|name| EngineSpec::find(name).expect("an engine of the table"))
        .collect();
    families::own_options(&description(), &specs, None)
        .into_iter()
        .map(|own| OptionLine { name: own.name, value: own.value, place: None })
        .collect()
}

/// A start on `data` with these engines under test.
pub(crate) fn spec(data: &Path, engines: &[&str]) -> StartSpec {
    StartSpec {
        data_dir: data.to_path_buf(),
        options: options(engines),
        engines: engines.iter().map(|name| (*name).to_string()).collect(),
        ready_within: LIMIT,
        stop_within: LIMIT,
        interrupt: Interrupt::new(),
    }
}

/// A directory on a disk for servers of one test; it is gone afterwards.
pub(crate) struct Bench {
    directory: tempfile::TempDir,
    user: Option<String>,
}

impl Bench {
    /// For servers that run as the user of the test.
    pub(crate) fn new() -> Self {
        Self::of(None)
    }

    /// For servers that run as another user; for root alone.
    pub(crate) fn as_user(user: &str) -> Self {
        Self::of(Some(user.to_string()))
    }

    fn of(user: Option<String>) -> Self {
        // /tmp may be in memory, where nothing can be evicted; another user must come through.
        let directory = tempfile::Builder::new()
            .prefix("ecmp-test-")
            .permissions(std::fs::Permissions::from_mode(0o711))
            .tempdir_in("/var/tmp")
            .expect("/var/tmp is for everybody");
        Self { directory, user }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// A new directory for one instance.
    pub(crate) fn instance(&self, name: &str) -> PathBuf {
        let directory = self.path().join(name);
        std::fs::create_dir(&directory).expect("a new name");
        std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(0o711))
            .expect("its own directory");
        directory
    }

    pub(crate) fn server(&self) -> ManagedServer {
        self.server_within(Limits::default())
    }

    /// A server that may use only so much of the machine.
    pub(crate) fn server_within(&self, limits: Limits) -> ManagedServer {
        let settings = ManagedSettings {
            guard: guard(),
            templates: self.path().join("templates"),
            socket_base: None,
            user: self.user.clone(),
            interrupt: Interrupt::new(),
            limits,
        };
        ManagedServer::new(description(), settings).expect("MariaDB can be started")
    }

    /// A server on a new data directory, running.
    pub(crate) fn running(&self, name: &str, engines: &[&str]) -> Box<dyn Running> {
        self.running_with(name, options(engines), engines)
    }

    /// The same with these options.
    pub(crate) fn running_with(
        &self,
        name: &str,
        options: Vec<OptionLine>,
        engines: &[&str],
    ) -> Box<dyn Running> {
        let server = self.server();
        let data = self.instance(name).join("data");
        server.initialise(&data, &[]).expect("an empty data directory");
        let spec = StartSpec { options, ..spec(&data, engines) };
        server.start(&spec).expect("a server that starts")
    }
}

/// Whether no server runs whose option file lies below `directory`.
pub(crate) fn nothing_runs_below(directory: &Path) -> bool {
    process::with_argument(&format!("--defaults-file={}/", directory.display())).is_empty()
}

/// Sends a signal by name to a process that the test started.
pub(crate) fn signal(pid: u32, name: &str) {
    let status =
        Command::new("kill").args([format!("-{name}"), pid.to_string()]).status().expect("kill");
    assert!(status.success());
}
