//! A server by DSN with TLS: certificates are made here and checked for real, by MariaDB and by us.

use crate::support::certificates::Authority;
use crate::support::mariadb::Mariadb;
use enginecmp::model::{Failure, FailureKind};
use enginecmp::target::Target;
use enginecmp::target::remote::{Dsn, Reach, RemoteTarget};
use enginecmp::target::session::Session;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PASSWORD: &str = "0ver-the-Wire";

/// A private MariaDB on loopback with these options, with an account that has a password.
fn start(options: &[String]) -> Mariadb {
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let server = Mariadb::start_listening(&options);
    let mut root = server.connect();
    for sql in [
        &format!("CREATE USER bench@localhost IDENTIFIED BY '{PASSWORD}'"),
        "GRANT ALL ON *.* TO bench@localhost",
        // The database is then enginecmp's to make.
        "DROP DATABASE bench",
    ] {
        root.text(sql).unwrap();
    }
    server
}

fn dsn(server: &Mariadb, host: &str) -> String {
    format!("mysql://bench@{host}:{}/bench", server.port())
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
    let certificates = tempfile::tempdir().unwrap();
    let (right, wrong) = (Authority::new("Ours"), Authority::new("Another"));
    let ca = right.write(&certificates.path().join("ca.pem"));
    let other = wrong.write(&certificates.path().join("other.pem"));

    // A good one, for one name of this machine and not for its address.
    let server = start(&right.vouch(certificates.path(), &["localhost"], false));
    let target = ask(&dsn(&server, "localhost"), Some(ca.clone())).unwrap();
    assert_eq!(target.describe().family, "mariadb");
    refused(
        ask(&dsn(&server, "127.0.0.1"), Some(ca.clone())),
        "the server's certificate is for localhost, and not for 127.0.0.1",
        "by a name that its certificate has",
    );
    refused(
        ask(&dsn(&server, "localhost"), Some(other)),
        "other.pem",
        "the certificate of the authority that signed it",
    );
    let empty = certificates.path().join("empty.pem");
    fs::write(&empty, "").unwrap();
    refused(ask(&dsn(&server, "localhost"), Some(empty)), "holds no certificate", "`tls_ca`");
    a_suite_runs_encrypted(&server, &ca);

    let server = start(&right.vouch(certificates.path(), &["localhost"], true));
    refused(
        ask(&dsn(&server, "localhost"), Some(ca.clone())),
        "the server's certificate expired on 2021-02-03",
        "a new certificate",
    );

    let server = start(&["--skip-ssl".to_string()]);
    refused(
        ask(&dsn(&server, "localhost"), Some(ca)),
        "the server offers no TLS",
        "Give the server a certificate",
    );
    ask(&dsn(&server, "localhost"), None).unwrap();
}

/// A whole run over the connection, whose report says that it was encrypted.
fn a_suite_runs_encrypted(server: &Mariadb, ca: &Path) {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(ca, folder.path().join("ca.pem")).unwrap();
    let suite = format!(
        "suite \"with TLS\"\n\
         server far {{ dsn \"{}\"; password_env BENCH_PASSWORD; tls_ca \"ca.pem\" }}\n\
         engine innodb {{ storage InnoDB }}\n\
         workload tpcc {{ warehouses 1; density 1%; clients 2; warmup 50ms; measure 200ms }}\n",
        dsn(server, "localhost")
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
