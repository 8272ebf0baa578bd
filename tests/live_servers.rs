//! What only several releases side by side can show. `scripts/servers` obtains them, and
//! `scripts/test-servers` runs these tests; they are ignored elsewhere.

use crate::support::certificates::Authority;
use crate::support::managed::{Bench, guard, nothing_runs_below};
use enginecmp::host::interrupt::Interrupt;
use enginecmp::host::share::Limits;
use enginecmp::model::FailureKind;
use enginecmp::target::discovery::{self, Where, find_release};
use enginecmp::target::families;
use enginecmp::target::managed::{ManagedServer, ManagedSettings};
use enginecmp::target::remote::{Dsn, Reach, RemoteTarget};
use enginecmp::target::{OptionLine, StartSpec, Target, TargetDescription};
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const WITHIN: Duration = Duration::from_secs(120);

fn described(release: &str) -> TargetDescription {
    let servers = std::env::var_os("ENGINECMP_SERVERS").map(PathBuf::from);
    let found =
        discovery::discover(&Where { path: None, servers: servers.clone(), usual_places: false });
    find_release(release, &found.servers).cloned().unwrap_or_else(|_| {
        panic!("no {release} in ENGINECMP_SERVERS ({servers:?}): scripts/servers obtains it")
    })
}

fn server(bench: &Bench, release: &str) -> ManagedServer {
    let settings = ManagedSettings {
        guard: guard(),
        templates: bench.path().join("templates"),
        socket_base: None,
        user: None,
        interrupt: Interrupt::new(),
        limits: Limits::default(),
    };
    ManagedServer::new(described(release), settings).expect("a server that can be started")
}

fn spec(server: &ManagedServer, data: &Path) -> StartSpec {
    let options = families::own_options(server.describe(), &[], None)
        .into_iter()
        .map(|own| OptionLine { name: own.name, value: own.value, place: None })
        .collect();
    StartSpec {
        data_dir: data.to_path_buf(),
        options,
        engines: vec!["InnoDB".to_string()],
        ready_within: WITHIN,
        stop_within: WITHIN,
        interrupt: Interrupt::new(),
    }
}

#[test]
#[ignore = "needs servers of several releases: scripts/test-servers"]
fn a_data_directory_of_another_release_is_refused_in_the_servers_own_words() {
    let bench = Bench::new();
    let mut unexplained = Vec::new();
    for (from, to) in [
        ("mysql 9", "mariadb 10.11"),
        ("mariadb 11.8", "mariadb 10.5"),
        ("mariadb 10.11", "mysql 9"),
        ("mysql 5.6", "mysql 9"),
    ] {
        let name = format!("{from}-{to}").replace([' ', '.'], "_");
        let data = bench.instance(&name).join("data");
        server(&bench, from).initialise(&data, &[]).expect("an empty data directory");
        let other = server(&bench, to);
        let Err(failure) = other.start(&spec(&other, &data)) else {
            panic!("{to} started on data of {from}")
        };
        assert_eq!(failure.kind, FailureKind::ServerDied, "{to} on {from}: {failure}");
        assert!(!failure.log_tail.is_empty(), "{to} on {from}: {failure}");
        assert!(nothing_runs_below(bench.path()));
        let next = failure.next_step.clone().unwrap_or_default();
        if !next.contains("made by another release") {
            unexplained.push(format!("{to} on {from}: {failure}\n{}", failure.log_tail.join("\n")));
        }
    }
    assert!(unexplained.is_empty(), "{}", unexplained.join("\n\n"));
}

/// A server that the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[ignore = "needs servers of several releases: scripts/test-servers"]
fn the_password_of_caching_sha2_crosses_a_network_with_tls() {
    let bench = Bench::new();
    let mysql = server(&bench, "mysql 9");
    let instance = bench.instance("tls");
    let inside = |name: &str| instance.join(name);
    mysql.initialise(&inside("data"), &[]).expect("an empty data directory");
    let authority = Authority::new("Ours");
    let ca = authority.write(&inside("ca.pem"));
    fs::write(
        inside("init.sql"),
        "CREATE USER bench@'%' IDENTIFIED WITH caching_sha2_password BY 'n0t-in-Clear' REQUIRE SSL;\n\
         GRANT ALL ON *.* TO bench@'%';\n",
    )
    .expect("the folder is writable");
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let binary = mysql.describe().binary.clone().expect("a binary");
    let user = rustix::process::geteuid().is_root().then_some("--user=root");
    let child = Command::new(binary)
        .arg("--no-defaults")
        .args(user)
        .arg(format!("--datadir={}", inside("data").display()))
        .arg(format!("--socket={}", inside("s").display()))
        .arg(format!("--log-error={}", inside("log").display()))
        .arg(format!("--init-file={}", inside("init.sql").display()))
        .args(["--mysqlx=OFF", "--secure-file-priv=", "--bind-address=127.0.0.1"])
        .arg(format!("--port={port}"))
        .args(authority.vouch(&instance, &["localhost"], false))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it can be started");
    let mut running = Running(child);
    let ask = |tls_ca: Option<PathBuf>| {
        let dsn = Dsn::parse(&format!("mysql://bench@localhost:{port}/bench")).unwrap();
        let password = Some("n0t-in-Clear".to_string());
        RemoteTarget::ask("far", Reach { dsn, password, tls_ca, overwrite: None })
    };
    let began = Instant::now();
    let target = loop {
        // The first of all connections: the server knows no hash yet and wants the password.
        match ask(Some(ca.clone())) {
            Ok(target) => break target,
            Err(why) => {
                let log = fs::read_to_string(inside("log")).unwrap_or_default();
                assert!(running.0.try_wait().unwrap().is_none(), "{why}: it ended\n{log}");
                assert!(began.elapsed() < WITHIN, "{why}\n{log}");
                std::thread::sleep(Duration::from_millis(100));
            }
        }
    };
    assert_eq!((target.describe().family.as_str(), target.describe().release.0), ("mysql", 9));
    let failure = ask(None).expect_err("the account wants TLS");
    assert!(failure.message.contains("1045"), "{failure}");
}

#[test]
#[ignore = "needs servers of several releases: scripts/test-servers"]
fn every_release_tells_the_plans_of_the_statements() {
    let bench = Bench::new();
    let suite = bench.path().join("plans.bench");
    let releases = ["mysql 5.6", "mysql 9", "mariadb 10.5", "mariadb 10.11", "mariadb 11.8"];
    let declared: String = releases
        .iter()
        .map(|release| {
            format!("server {} {{ release \"{release}\" }}\n", release.replace([' ', '.'], "_"))
        })
        .collect();
    fs::write(
        &suite,
        format!(
            "suite \"Plans\"\ndefaults levelled\n{declared}engine innodb {{ storage InnoDB }}\n\
             cache 64MB\ncompare server against mysql_5_6\nworkload tpcc {{ warehouses 1; \
             density 1%; clients 1; warmup 500ms; measure 1s }}\n"
        ),
    )
    .expect("the folder is writable");
    let ran = Command::new(env!("CARGO_BIN_EXE_enginecmp"))
        .args(["run", "--format", "json", "--work"])
        .arg(bench.path().join("work"))
        .arg("--out")
        .arg(bench.path().join("out"))
        .arg(&suite)
        .output()
        .expect("it can be started");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    let report: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let ledger = report["sections"][0]["ledger"].as_array().expect("a ledger");
    let plans = ledger.iter().find(|row| row["property"] == "plans").expect("plans");
    let plans = plans["values"].as_object().expect("by server");
    assert_eq!(plans.len(), releases.len(), "{plans:?}");
    for (server, plan) in plans {
        assert!(plan.as_str().is_some_and(|plan| plan.contains("const ")), "{server}: {plan}");
    }
}
