//! A server that runs already, reached by DSN: a real MariaDB that this module starts for itself.

use enginecmp::model::{Failure, FailureKind, Metric, Place};
use enginecmp::target::remote::{Dsn, OWNER_TABLE, Reach, RemoteTarget};
use enginecmp::target::session::{Dialect, ErrorClass, Session};
use enginecmp::target::{OptionLine, Running, StartSpec, Target, TargetKind};
use std::fs::{self, File};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The account's password. It must be found nowhere.
const PASSWORD: &str = "pl4nted-Secret";

/// A private MariaDB with an account that has a password, on a socket and on loopback.
struct Server {
    folder: tempfile::TempDir,
    child: Child,
    port: u16,
}

/// mariadbd refuses to run as root unless it is told to.
fn user_arguments() -> Vec<&'static str> {
    if rustix::process::geteuid().is_root() { vec!["--user=root"] } else { Vec::new() }
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("dsn").tempdir_in("/tmp").unwrap();
        let inside = |name: &str| folder.path().join(name).display().to_string();
        let install = Command::new("mariadb-install-db")
            .arg("--no-defaults")
            .args(user_arguments())
            .arg(format!("--datadir={}", inside("data")))
            .args(["--auth-root-authentication-method=normal", "--skip-test-db"])
            // A server that starts removes what looks like its own in the directory for
            // temporary tables: each needs one to itself.
            .env("TMPDIR", folder.path())
            .stdin(Stdio::null())
            .output()
            .expect("mariadb-install-db runs (apt-get install mariadb-server)");
        assert!(install.status.success(), "{}", String::from_utf8_lossy(&install.stderr));
        fs::write(
            inside("init.sql"),
            format!(
                "CREATE USER bench@localhost IDENTIFIED BY '{PASSWORD}';\n\
                 GRANT ALL ON *.* TO bench@localhost;\n\
                 CREATE DATABASE theirs;\n\
                 CREATE TABLE theirs.precious (a INT);\n"
            ),
        )
        .unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new("mariadbd")
            .env("PATH", "/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
            .arg("--no-defaults")
            .args(user_arguments())
            .arg(format!("--datadir={}", inside("data")))
            .arg(format!("--socket={}", inside("s")))
            .arg(format!("--init-file={}", inside("init.sql")))
            .arg(format!("--tmpdir={}", folder.path().display()))
            .args(["--bind-address=127.0.0.1", &format!("--port={port}")])
            .args(["--innodb-buffer-pool-size=16M", "--general-log=1"])
            .arg(format!("--general-log-file={}", inside("general")))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(inside("log")).unwrap())
            .spawn()
            .expect("mariadbd runs (apt-get install mariadb-server)");
        let mut server = Self { folder, child, port };
        let began = Instant::now();
        while server.ask("enginecmp").is_err() {
            let log = fs::read_to_string(server.folder.path().join("log")).unwrap();
            assert!(server.child.try_wait().unwrap().is_none(), "mariadbd ended:\n{log}");
            assert!(began.elapsed() < Duration::from_secs(120), "mariadbd is silent:\n{log}");
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }

    fn reach(&self, database: &str) -> Reach {
        let socket = self.folder.path().join("s");
        let dsn = format!("mysql://bench@localhost/{database}?socket={}", socket.display());
        reach(&dsn)
    }

    fn ask(&self, database: &str) -> Result<RemoteTarget, Failure> {
        RemoteTarget::ask("here", self.reach(database))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn reach(dsn: &str) -> Reach {
    Reach {
        dsn: Dsn::parse(dsn).unwrap(),
        password: Some(PASSWORD.to_string()),
        tls_ca: None,
        overwrite: None,
    }
}

fn spec(options: Vec<OptionLine>) -> StartSpec {
    StartSpec { options, engines: vec!["InnoDB".to_string()], ..StartSpec::default() }
}

fn begun(target: &RemoteTarget) -> Box<dyn Running> {
    target.initialise(Path::new(""), &[]).unwrap();
    target.start(&spec(Vec::new())).unwrap()
}

fn names(session: &mut dyn Session, sql: &str) -> Vec<String> {
    let mut names = Vec::new();
    session
        .text_visit(sql, &mut |row| {
            names.push(String::from_utf8(row.text(0).unwrap().into_owned()).unwrap());
            true
        })
        .unwrap();
    names
}

#[test]
fn a_running_server_is_asked_what_it_is_and_can_do() {
    let server = Server::start();
    let target = server.ask("bench").unwrap();
    let described = target.describe();
    assert_eq!((described.kind, described.name.as_str()), (TargetKind::Remote, "here"));
    assert_eq!(described.family, "mariadb");
    assert!(described.version.contains("MariaDB"), "{}", described.version);
    assert_eq!(
        described.version.split('.').next().unwrap().parse::<u32>().unwrap(),
        described.release.0
    );
    assert!(described.engines.iter().any(|engine| engine == "InnoDB"), "{:?}", described.engines);

    let running = begun(&target);
    let can = running.capabilities();
    assert!(!can.restart && !can.files && !can.load_data_file && can.load_data_local);
    assert_eq!(can.max_packet, 16 << 20);
    assert_eq!(running.variables()["innodb_buffer_pool_size"], "16777216");
    assert!(running.processes().is_empty() && running.data_dirs().is_empty());
    running.alive().unwrap();

    let mut session = running.connect(0).unwrap();
    assert_eq!(session.dialect(), Dialect::MySql);
    assert_eq!(names(session.as_mut(), "SELECT DATABASE()"), ["bench"]);
    drop(session);
    assert!(!running.stop().unwrap().killed);

    // The same over loopback.
    let tcp = reach(&format!("mysql://bench@127.0.0.1:{}/bench", server.port));
    let running = RemoteTarget::ask("tcp", tcp).unwrap().start(&spec(Vec::new())).unwrap();
    running.connect(1).unwrap().text("SELECT 1").unwrap();
}

#[test]
fn a_kill_ends_what_the_server_is_doing_for_us() {
    let server = Server::start();
    let running = begun(&server.ask("bench").unwrap());
    let mut session = running.connect(0).unwrap();
    let began = Instant::now();
    let error = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| session.text("SELECT SLEEP(100)"));
        while !waiting.is_finished() && began.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(50));
            running.kill();
        }
        waiting.join().unwrap().unwrap_err()
    });
    assert_eq!(error.class, ErrorClass::ConnectionLost, "{error}");
    running.alive().unwrap();
}

#[test]
fn the_database_is_made_dropped_and_made_again_but_never_a_foreign_one() {
    let server = Server::start();
    let target = server.ask("bench").unwrap();
    let running = begun(&target);
    let mut session = running.connect(0).unwrap();
    session.text("CREATE TABLE t (a INT)").unwrap();
    assert_eq!(names(session.as_mut(), "SHOW TABLES"), [OWNER_TABLE, "t"]);
    target.initialise(Path::new(""), &[]).unwrap();
    let mut session = running.connect(0).unwrap();
    assert_eq!(names(session.as_mut(), "SHOW TABLES"), [OWNER_TABLE]);

    let failure = server.ask("theirs").unwrap().initialise(Path::new(""), &[]).unwrap_err();
    assert!(
        failure.message.ends_with(
            "enginecmp did not make the database `theirs` (1 tables), so it does not drop it"
        ),
        "{failure}"
    );
    assert!(failure.next_step.unwrap().contains("--overwrite theirs"));
    assert_eq!(names(session.as_mut(), "SHOW TABLES IN theirs"), ["precious"]);

    let mut other = server.reach("theirs");
    other.overwrite = Some("bench".to_string());
    let other = RemoteTarget::ask("here", other).unwrap();
    other.initialise(Path::new(""), &[]).unwrap_err();
    let mut named = server.reach("theirs");
    named.overwrite = Some("theirs".to_string());
    let named = RemoteTarget::ask("here", named).unwrap();
    named.initialise(Path::new(""), &[]).unwrap();
    assert_eq!(names(session.as_mut(), "SHOW TABLES IN theirs"), [OWNER_TABLE]);
}

#[test]
fn what_a_running_server_cannot_take_is_refused_with_its_line() {
    let server = Server::start();
    let target = server.ask("bench").unwrap();
    target.initialise(Path::new(""), &[]).unwrap();
    let asked = |name: &str, value: &str| OptionLine {
        place: Some(Place::new("x.bench", 2, 3)),
        ..OptionLine::own(name, value)
    };
    target.start(&spec(vec![asked("innodb_buffer_pool_size", "16M")])).unwrap();
    let failure = target
        .start(&spec(vec![asked("innodb_buffer_pool_size", "32M")]))
        .err()
        .expect("the server keeps its pool");
    assert_eq!(failure.kind, FailureKind::OptionNotTaken);
    assert_eq!(
        failure.message,
        "asked for innodb_buffer_pool_size = 32M, the server runs with 16777216"
    );
    let failure = target.initialise(Path::new(""), &[asked("innodb_page_size", "8K")]).unwrap_err();
    assert_eq!(failure.kind, FailureKind::OptionNotTaken);

    let mut toku = spec(Vec::new());
    toku.engines = vec!["TokuDB".to_string()];
    let failure = target.start(&toku).err().expect("no TokuDB here");
    assert_eq!(failure.kind, FailureKind::EngineMissing);
}

#[test]
fn a_password_is_found_nowhere() {
    let server = Server::start();
    let right = server.reach("bench");
    let mut wrong = right.clone();
    wrong.password = Some("0ther-Secret".to_string());
    let failure = RemoteTarget::ask("here", wrong.clone()).unwrap_err();
    assert_eq!((failure.kind, failure.errno), (FailureKind::ServerMissing, Some(1045)));
    assert!(failure.message.contains("Access denied for user 'bench'"), "{failure}");
    let target = RemoteTarget::ask("here", right.clone()).unwrap();
    let running = begun(&target);
    running.connect(0).unwrap().text("SELECT 1").unwrap();
    let said = [
        format!("{failure:?} {failure} {}", serde_json::to_string(&failure).unwrap()),
        format!("{right:?} {wrong:?} {target:?} {} {:?}", right.dsn, running.version()),
        format!("{:?}", running.variables()),
        fs::read_to_string(server.folder.path().join("log")).unwrap(),
        fs::read_to_string(server.folder.path().join("general")).unwrap(),
    ]
    .join("\n");
    assert!(said.contains("SELECT 1"), "the general log was read");
    for secret in [PASSWORD, "0ther-Secret"] {
        assert!(!said.contains(secret), "{said}");
    }
}

/// Runs a suite on the server, with the password in the environment or without.
fn run_suite(folder: &Path, dsn: &str, password: Option<&str>) -> (Option<i32>, String) {
    let suite = format!(
        "suite \"by DSN\"\n\
         server here {{ dsn \"{dsn}\"; password_env BENCH_PASSWORD }}\n\
         engine innodb {{ storage InnoDB }}\n\
         workload tpcc {{ warehouses 1; density 1%; clients 1; warmup 50ms; measure 200ms }}\n\
         repeat 2\n"
    );
    run_text(folder, &suite, password)
}

fn run_text(folder: &Path, suite: &str, password: Option<&str>) -> (Option<i32>, String) {
    fs::write(folder.join("dsn.bench"), suite).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_enginecmp"));
    command
        .args(["run", "dsn.bench", "--work"])
        .arg(folder.join("work"))
        .current_dir(folder)
        .env("HOME", folder)
        .env_remove("BENCH_PASSWORD");
    if let Some(password) = password {
        command.env("BENCH_PASSWORD", password);
    }
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

/// Every text below a folder.
fn texts(folder: &Path) -> String {
    let mut all = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.push_str(&texts(&path));
        } else {
            all.push_str(&String::from_utf8_lossy(&fs::read(path).unwrap()));
        }
    }
    all
}

#[test]
fn a_suite_runs_on_a_server_by_dsn_and_keeps_its_password_to_itself() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let dsn = server.reach("bench").dsn.to_string();
    let (code, said) = run_suite(folder.path(), &dsn, Some(PASSWORD));
    assert_eq!(code, Some(0), "{said}");
    let kept = texts(folder.path());
    assert_eq!(kept.matches("\"t\":\"repetition\"").count(), 2, "{kept}");
    assert!(kept.contains("\"new_order\""), "{kept}");
    assert!(!kept.contains("\"stop_time\""), "what was not measured is not told");
    // Lines are folded at the width of the output.
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let lacking = words.split("F023 server not started by enginecmp: ").nth(1).expect("it is said");
    for lack in ["no fresh start", "caches as the load left them", "no sizes by file", "no copies"]
    {
        assert!(lacking.contains(lack), "{lack}: {said}");
    }
    let mut session = begun(&server.ask("other").unwrap()).connect(0).unwrap();
    let tables = names(session.as_mut(), "SHOW TABLES IN bench");
    assert!(tables.iter().any(|table| table == "order_line"), "{tables:?}");
    for text in [&said, &kept] {
        assert!(!text.contains(PASSWORD), "{text}");
    }

    // Without the password, with a wrong one, and on a database of somebody else.
    let (code, said) = run_suite(folder.path(), &dsn, None);
    assert_eq!(code, Some(125), "{said}");
    assert!(said.contains("BENCH_PASSWORD"), "{said}");
    let (code, said) = run_suite(folder.path(), &dsn, Some("0ther-Secret"));
    assert_eq!(code, Some(125), "{said}");
    assert!(said.contains("Access denied for user 'bench'"), "{said}");
    assert!(!said.contains("0ther-Secret") && !texts(folder.path()).contains("0ther-Secret"));
    let theirs = server.reach("theirs").dsn.to_string();
    let (code, said) = run_suite(folder.path(), &theirs, Some(PASSWORD));
    assert_eq!(code, Some(125), "{said}");
    assert!(said.contains("enginecmp did not make the database `theirs`"), "{said}");
    assert_eq!(names(session.as_mut(), "SHOW TABLES IN theirs"), ["precious"]);
}

/// The newest journal below a folder.
fn last_journal(folder: &Path) -> enginecmp::journal::Journal {
    fn find(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                find(&path, found);
            } else if path.ends_with("journal.jsonl") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    find(&folder.join("bench-reports"), &mut found);
    let newest = found.into_iter().max_by_key(|path| path.metadata().unwrap().modified().unwrap());
    enginecmp::journal::read(&newest.expect("a journal")).unwrap()
}

#[test]
fn data_are_reused_only_where_they_are_what_the_suite_asks_for() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let dsn = server.reach("bench").dsn.to_string();
    let suite = |reuse: &str, warehouses: u32, clients: &str| {
        format!(
            "suite \"reuse\"\n\
             server here {{ dsn \"{dsn}\"; password_env BENCH_PASSWORD; {reuse} }}\n\
             engine innodb {{ storage InnoDB }}\n\
             workload tpcc {{ warehouses {warehouses}; density 1%; clients {clients}\n\
               warmup 50ms; measure 200ms }}\n\
             repeat 2\n\
             {}",
            if clients == "1" { "" } else { "compare clients against 1\n" }
        )
    };
    let run = |text: String| run_text(folder.path(), &text, Some(PASSWORD));
    // Nothing is there yet: refused in words, and nothing is made.
    let (code, said) = run(suite("reuse data", 1, "1"));
    assert_eq!(code, Some(125), "{said}");
    assert!(said.contains("`bench` holds no data that a whole load of enginecmp left"), "{said}");
    let (code, said) = run(suite("", 1, "1"));
    assert_eq!(code, Some(0), "{said}");
    let loaded = last_journal(folder.path());
    let dataset = loaded.datasets().next().expect("a dataset");
    let value = |dataset: &enginecmp::journal::record::DatasetRecord, metric: Metric| {
        dataset.metrics.iter().find(|value| value.id.metric == metric).map(|value| value.value)
    };
    assert!(value(dataset, Metric::SizeReported).is_some_and(|bytes| bytes > 0.0));
    assert_eq!(value(dataset, Metric::SizeSettled), None, "no file was seen");
    assert!(dataset.reported_sizes["stock"] > 0 && dataset.table_sizes.is_empty());
    assert!(said.contains("size (server says)"), "{said}");

    // Now it is there: nothing is loaded, and the pair gets no verdict.
    let (code, said) = run(suite("reuse data", 1, "1, 2"));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("F040") && said.contains("data reused"), "{said}");
    let reused = last_journal(folder.path());
    assert_eq!(reused.repetitions().len(), 4);
    assert!(reused.datasets().all(|dataset| dataset.reused && dataset.path == "found there"));
    let orders =
        |journal: &enginecmp::journal::Journal| journal.datasets().last().unwrap().rows["orders"];
    assert!(orders(&reused) > orders(&loaded), "what earlier repetitions did is still there");

    // What is there is of another recipe.
    let (code, said) = run(suite("reuse data", 2, "1"));
    assert_eq!(code, Some(125), "{said}");
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("warehouses: there 1, asked 2"), "{said}");
}
