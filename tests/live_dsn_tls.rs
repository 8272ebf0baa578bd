//! A server by DSN with TLS: certificates are made here and checked for real, by MariaDB and by us.

use crate::support::certificates::Authority;
use enginecmp::model::{Failure, FailureKind};
use enginecmp::target::Target;
use enginecmp::target::remote::{Dsn, Reach, RemoteTarget};
use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PASSWORD: &str = "0ver-the-Wire";

/// A private MariaDB on loopback, with an account that has a password.
struct Server {
    folder: tempfile::TempDir,
    child: Child,
    port: u16,
}

fn user_arguments() -> Vec<&'static str> {
    if rustix::process::geteuid().is_root() { vec!["--user=root"] } else { Vec::new() }
}

impl Server {
    /// Starts on the data of `folder`, which are made where they are not there.
    fn start(folder: tempfile::TempDir, options: &[String]) -> Self {
        let inside = |name: &str| folder.path().join(name);
        if !inside("data").exists() {
            let install = Command::new("mariadb-install-db")
                .arg("--no-defaults")
                .args(user_arguments())
                .arg(format!("--datadir={}", inside("data").display()))
                .args(["--auth-root-authentication-method=normal", "--skip-test-db"])
                .env("TMPDIR", folder.path())
                .stdin(Stdio::null())
                .output()
                .expect("mariadb-install-db runs (apt-get install mariadb-server)");
            assert!(install.status.success(), "{}", String::from_utf8_lossy(&install.stderr));
        }
        let accounts = format!(
            "CREATE USER IF NOT EXISTS bench@localhost IDENTIFIED BY '{PASSWORD}';\n\
             GRANT ALL ON *.* TO bench@localhost;\n"
        );
        fs::write(inside("init.sql"), accounts).expect("the folder is writable");
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new("mariadbd")
            .env("PATH", "/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
            .arg("--no-defaults")
            .args(user_arguments())
            .arg(format!("--datadir={}", inside("data").display()))
            .arg(format!("--socket={}", inside("s").display()))
            .arg(format!("--init-file={}", inside("init.sql").display()))
            .arg(format!("--tmpdir={}", folder.path().display()))
            .args(["--bind-address=127.0.0.1", &format!("--port={port}")])
            .args(["--innodb-buffer-pool-size=16M", "--innodb-log-file-size=16M"])
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(inside("log")).unwrap())
            .spawn()
            .expect("mariadbd runs (apt-get install mariadb-server)");
        let mut server = Self { folder, child, port };
        let socket = format!("mysql://bench@localhost/bench?socket={}", server.socket());
        let began = Instant::now();
        while let Err(why) = ask(&socket, None) {
            let log = fs::read_to_string(server.folder.path().join("log")).unwrap();
            assert!(server.child.try_wait().unwrap().is_none(), "mariadbd ended:\n{log}");
            assert!(began.elapsed() < Duration::from_secs(120), "{why}:\n{log}");
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }

    fn socket(&self) -> String {
        self.folder.path().join("s").display().to_string()
    }

    fn dsn(&self, host: &str) -> String {
        format!("mysql://bench@{host}:{}/bench", self.port)
    }

    /// Ends it and starts another with these options on its data.
    fn again(mut self, options: &[String]) -> Self {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let folder = tempfile::Builder::new().prefix("tls").tempdir_in("/tmp").unwrap();
        fs::rename(self.folder.path().join("data"), folder.path().join("data")).unwrap();
        Self::start(folder, options)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ask(dsn: &str, tls_ca: Option<PathBuf>) -> Result<RemoteTarget, Failure> {
    let dsn = Dsn::parse(dsn).unwrap();
    let reach = Reach { dsn, password: Some(PASSWORD.to_string()), tls_ca, overwrite: None };
    RemoteTarget::ask("far", reach)
}

/// The failure has these words and this advice, and costs nothing but the server's cells.
fn refused(asked: Result<RemoteTarget, Failure>, words: &str, advice: &str) {
    let failure = asked.expect_err("it is refused");
    assert_eq!(failure.kind, FailureKind::ServerMissing, "{failure}");
    assert!(failure.message.contains(words), "{failure}");
    let next = failure.next_step.unwrap_or_default();
    assert!(next.contains(advice), "{next}");
}

#[test]
fn a_server_is_reached_with_tls_and_its_certificate_is_checked() {
    let folder = || tempfile::Builder::new().prefix("tls").tempdir_in("/tmp").unwrap();
    let certificates = tempfile::tempdir().unwrap();
    let (right, wrong) = (Authority::new("Ours"), Authority::new("Another"));
    let ca = right.write(&certificates.path().join("ca.pem"));
    let other = wrong.write(&certificates.path().join("other.pem"));

    // A good one, for one name of this machine and not for its address.
    let server = Server::start(folder(), &right.vouch(certificates.path(), &["localhost"], false));
    let target = ask(&server.dsn("localhost"), Some(ca.clone())).unwrap();
    assert_eq!(target.describe().family, "mariadb");
    refused(
        ask(&server.dsn("127.0.0.1"), Some(ca.clone())),
        "the server's certificate is for localhost, and not for 127.0.0.1",
        "by a name that its certificate has",
    );
    refused(
        ask(&server.dsn("localhost"), Some(other)),
        "other.pem",
        "the certificate of the authority that signed it",
    );
    let empty = certificates.path().join("empty.pem");
    fs::write(&empty, "").unwrap();
    refused(ask(&server.dsn("localhost"), Some(empty)), "holds no certificate", "`tls_ca`");
    a_suite_runs_encrypted(&server, &ca);

    let expired = right.vouch(certificates.path(), &["localhost"], true);
    let server = server.again(&expired);
    refused(
        ask(&server.dsn("localhost"), Some(ca.clone())),
        "the server's certificate expired on 2021-02-03",
        "a new certificate",
    );

    let server = server.again(&["--skip-ssl".to_string()]);
    refused(
        ask(&server.dsn("localhost"), Some(ca)),
        "the server offers no TLS",
        "Give the server a certificate",
    );
    ask(&server.dsn("localhost"), None).unwrap();
}

/// A whole run over the connection, whose report says that it was encrypted.
fn a_suite_runs_encrypted(server: &Server, ca: &Path) {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(ca, folder.path().join("ca.pem")).unwrap();
    let suite = format!(
        "suite \"with TLS\"\n\
         server far {{ dsn \"{}\"; password_env BENCH_PASSWORD; tls_ca \"ca.pem\" }}\n\
         engine innodb {{ storage InnoDB }}\n\
         workload tpcc {{ warehouses 1; density 1%; clients 2; warmup 50ms; measure 200ms }}\n",
        server.dsn("localhost")
    );
    fs::write(folder.path().join("tls.bench"), suite).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_enginecmp"))
        .args(["run", "tls.bench", "--work", "work", "--out", "out"])
        .current_dir(folder.path())
        .env("HOME", folder.path())
        .env("BENCH_PASSWORD", PASSWORD)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let journal = fs::read_to_string(folder.path().join("out/journal.jsonl")).unwrap();
    assert!(journal.contains("\"connection.tls\":\"TLS_"), "no cipher in the journal: {said}");
    assert!(!journal.contains(PASSWORD));
}
