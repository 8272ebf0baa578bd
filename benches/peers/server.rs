//! A private MariaDB with InnoDB and RocksDB, for all rows that do not start their own.

use super::Res;
use super::processes::PATH;
use enginecmp::target::mysql_session::{Address, ConnectOptions, MysqlSession};
use enginecmp::target::session::Session;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Both engines the same: large enough for the data, no wait for the disk at commits.
const OPTIONS: &[&str] = &[
    "--skip-networking",
    "--skip-log-bin",
    "--local-infile=1",
    "--secure-file-priv=",
    "--max-connections=2200",
    "--max-prepared-stmt-count=100000",
    "--character-set-server=latin1",
    "--collation-server=latin1_bin",
    "--innodb-buffer-pool-size=768M",
    "--innodb-log-file-size=512M",
    "--innodb-flush-log-at-trx-commit=0",
    "--plugin-load-add=ha_rocksdb",
    "--rocksdb-block-cache-size=256M",
    "--rocksdb-flush-log-at-trx-commit=0",
];

/// A running server. It ends, and its data go, when this is dropped.
pub(crate) struct Server {
    folder: TempDir,
    child: Child,
}

impl Server {
    pub(crate) fn start() -> Res<Self> {
        let folder = tempfile::Builder::new().prefix("ecp").tempdir_in("/tmp")?;
        let data = folder.path().join("data");
        let user: &[&str] =
            if rustix::process::geteuid().is_root() { &["--user=root"] } else { &[] };
        let made = Command::new("mariadb-install-db")
            .env("PATH", PATH)
            .arg("--no-defaults")
            .args(user)
            .arg(format!("--datadir={}", data.display()))
            .args(["--auth-root-authentication-method=normal", "--skip-test-db"])
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("mariadb-install-db: {error}; scripts/install-test-needs"))?;
        if !made.status.success() {
            return Err(String::from_utf8_lossy(&made.stderr).into_owned().into());
        }
        let child = Command::new("mariadbd")
            .env("PATH", PATH)
            .arg("--no-defaults")
            .args(user)
            .arg(format!("--datadir={}", data.display()))
            .arg(format!("--socket={}", folder.path().join("s").display()))
            .args(OPTIONS)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(folder.path().join("log"))?)
            .spawn()?;
        let mut server = Self { folder, child };
        let began = Instant::now();
        while let Err(error) = server.session(None) {
            if server.child.try_wait()?.is_some() || began.elapsed() > Duration::from_secs(120) {
                let log = fs::read_to_string(server.folder.path().join("log"))?;
                return Err(format!("mariadbd does not answer: {error}\n{log}").into());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(server)
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("s")
    }

    /// Where files lie that the server reads, and everything else of a run.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn session(&self, database: Option<&str>) -> Res<MysqlSession> {
        Ok(MysqlSession::connect(&ConnectOptions {
            address: Address::Socket(self.socket()),
            user: "root".to_string(),
            password: None,
            database: database.map(str::to_string),
            tls_ca: None,
            file_directory: None,
            within: Duration::from_secs(20),
        })?)
    }

    /// An empty database of this name.
    pub(crate) fn empty(&self, database: &str) -> Res<()> {
        let mut session = self.session(None)?;
        session.text(&format!("DROP DATABASE IF EXISTS {database}"))?;
        session.text(&format!("CREATE DATABASE {database}"))?;
        Ok(())
    }

    /// The block of a suite that says where this server is.
    pub(crate) fn block(&self, database: &str) -> String {
        let socket = self.socket();
        format!(
            "server here {{ dsn \"mysql://root@localhost/{database}?socket={}\" }}\n",
            socket.display()
        )
    }

    /// What the server says it is.
    pub(crate) fn version(&self) -> Res<String> {
        Ok(format!("MariaDB {}", self.value("SELECT VERSION()")?))
    }

    /// The first column of the first row.
    pub(crate) fn value(&self, query: &str) -> Res<String> {
        let mut value = String::new();
        self.session(None)?.text_visit(query, &mut |row| {
            value = row.text(0).map_or(String::new(), |text| String::from_utf8_lossy(&text).into());
            false
        })?;
        Ok(value)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its data go with it: nothing is worth a clean stop.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
