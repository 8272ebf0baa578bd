//! Private MariaDB servers for live tests: a data directory, a socket, no network unless asked for. What is started
//! here is killed here.

use enginecmp::target::mysql_session::{Address, ConnectOptions, MysqlSession};
use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Where Debian puts servers, which an ordinary user's PATH lacks.
const PATH: &str = "/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin:/sbin:/bin";

/// A running server. It ends when this is dropped.
pub(crate) struct Mariadb {
    folder: TempDir,
    child: Child,
    port: u16,
}

/// mariadbd refuses to run as root unless it is told to.
fn user_arguments() -> Vec<&'static str> {
    if rustix::process::geteuid().is_root() { vec!["--user=root"] } else { Vec::new() }
}

/// A directory of this process's own whose path is short enough for a socket in it.
fn short_folder() -> TempDir {
    tempfile::Builder::new().prefix("ecl").tempdir_in("/tmp").expect("/tmp can be written")
}

/// An empty data directory: made once for each release of the server and kept beside what cargo
/// builds.
fn empty_data() -> &'static Path {
    static EMPTY: OnceLock<PathBuf> = OnceLock::new();
    EMPTY.get_or_init(|| {
        let version = Command::new("mariadbd")
            .env("PATH", PATH)
            .args(["--no-defaults", "--version"])
            .output()
            .expect("mariadbd is missing; apt-get install mariadb-server");
        let version: String = String::from_utf8_lossy(&version.stdout)
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        let beside = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let kept = beside.join(format!("empty-{version}"));
        if !kept.exists() {
            let made = tempfile::tempdir_in(beside).expect("cargo's folder can be written");
            install(&made.path().join("data"));
            // Another test run may have been faster; both made the same.
            if let Err(error) = fs::rename(made.path().join("data"), &kept) {
                assert!(kept.exists(), "{}: {error}", kept.display());
            }
        }
        kept
    })
}

fn install(data: &Path) {
    let install = Command::new("mariadb-install-db")
        .env("PATH", PATH)
        .arg("--no-defaults")
        .args(user_arguments())
        .arg(format!("--datadir={}", data.display()))
        .args(["--auth-root-authentication-method=normal", "--skip-test-db"])
        .arg("--innodb-log-file-size=16M")
        .stdin(Stdio::null())
        .output()
        .expect("mariadb-install-db is missing; apt-get install mariadb-server");
    assert!(install.status.success(), "{}", String::from_utf8_lossy(&install.stderr));
}

fn copy_tree(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

impl Mariadb {
    /// Starts a server with these options (`--name=value`) and waits until it answers. It has
    /// the database `bench`.
    pub(crate) fn start(options: &[&str]) -> Self {
        Self::start_on(0, options)
    }

    /// The same, listening on a port of loopback as well.
    pub(crate) fn start_listening(options: &[&str]) -> Self {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        Self::start_on(free.expect("a port of loopback").port(), options)
    }

    /// Port 0 is none.
    fn start_on(port: u16, options: &[&str]) -> Self {
        let folder = short_folder();
        let inside = |name: &str| folder.path().join(name);
        copy_tree(empty_data(), &inside("data")).expect("a data directory is copied");
        fs::create_dir(inside("data/bench")).expect("the copy can be written");
        let child = Command::new("mariadbd")
            .env("PATH", PATH)
            .arg("--no-defaults")
            .args(user_arguments())
            .arg(format!("--datadir={}", inside("data").display()))
            .arg(format!("--socket={}", inside("s").display()))
            .arg(format!("--skip-networking={}", u8::from(port == 0)))
            .args(["--bind-address=127.0.0.1", &format!("--port={port}")])
            .args(["--skip-log-bin", "--local-infile=1"])
            .args(["--innodb-log-file-size=16M", "--innodb-flush-log-at-trx-commit=0"])
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(inside("log")).expect("the folder can be written"))
            .spawn()
            .expect("mariadbd is missing; apt-get install mariadb-server");
        let mut server = Self { folder, child, port };
        let began = Instant::now();
        while let Err(error) = server.try_connect() {
            let ended = server.child.try_wait().expect("a child can be waited for");
            assert!(ended.is_none(), "mariadbd ended:\n{}", server.log());
            let waited = began.elapsed() < Duration::from_secs(120);
            assert!(waited, "mariadbd does not answer: {error}\n{}", server.log());
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }

    fn try_connect(&self) -> Result<MysqlSession, enginecmp::target::session::SqlError> {
        MysqlSession::connect(&ConnectOptions {
            address: Address::Socket(self.socket()),
            user: "root".to_string(),
            password: None,
            database: Some("bench".to_string()),
            tls_ca: None,
            file_directory: None,
            within: Duration::from_secs(20),
        })
    }

    /// A new connection, using the database `bench`.
    pub(crate) fn connect(&self) -> MysqlSession {
        self.try_connect().unwrap_or_else(|error| panic!("{error}\n{}", self.log()))
    }

    /// Its socket.
    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("s")
    }

    /// Its port on loopback.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Its error log.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Mariadb {
    fn drop(&mut self) {
        // Its data goes with it: nothing is worth a clean stop.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
