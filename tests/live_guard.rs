//! Whoever starts a server takes it along, however it dies.

use crate::support::managed::{self, Bench};
use enginecmp::host::guard::{Ended, Guard, GuardedSpec};
use enginecmp::host::{process, users};
use enginecmp::target::Target;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Set for the process that is killed: where it works, and the user of its server.
const PARENT: &str = "ENGINECMP_TEST_PARENT";

fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !done() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn user_of(pid: u32) -> u32 {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(format!("/proc/{pid}")).expect("a process that lives").uid()
}

/// Not a test by itself: the process that starts a server and is killed by the tests below.
#[test]
#[allow(clippy::print_stdout)] // another process reads it
#[ignore = "started by the tests that kill it"]
fn parent_of_a_server() {
    let Ok(told) = std::env::var(PARENT) else { return };
    let bench = if told.is_empty() { Bench::new() } else { Bench::as_user(&told) };
    let running = bench.running("killed", &["InnoDB", "ROCKSDB"]);
    // Its first line tells whom to kill and what must be gone.
    println!("SERVER {} {}", running.processes()[0], bench.path().display());
    std::thread::sleep(Duration::from_secs(600));
}

fn kill_the_parent(user: &str, signal: &str) {
    let mut parent = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "live_guard::parent_of_a_server", "--ignored", "--nocapture"])
        .env(PARENT, user)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let told = BufReader::new(parent.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok)
        .find_map(|line| {
            let (pid, path) = line.split_once("SERVER ")?.1.split_once(' ')?;
            Some((pid.parse::<u32>().ok()?, path.to_string()))
        });
    let (server, path) = told.expect("a server that starts");
    assert!(process::is_alive(server));
    if !user.is_empty() {
        assert_eq!(user_of(server), users::User::find(user).unwrap().uid);
    }
    let option_file = std::fs::read_to_string(Path::new(&path).join("killed/my.cnf")).unwrap();
    let socket = option_file.lines().find_map(|line| line.strip_prefix("socket=")).unwrap();
    assert!(Path::new(socket).exists());
    managed::signal(parent.id(), signal);
    parent.wait().unwrap();
    wait_for("the server lives on", || !process::is_alive(server));
    wait_for("something lives on", || managed::nothing_runs_below(Path::new(&path)));
    wait_for("the directory of the socket is left", || {
        !Path::new(socket).parent().unwrap().exists()
    });
    std::fs::remove_dir_all(path).unwrap();
}

#[test]
fn killing_its_parent_kills_the_server() {
    kill_the_parent("", "KILL");
}

#[test]
fn an_ordinary_end_of_its_parent_ends_the_server() {
    kill_the_parent("", "TERM");
}

/// Only root can start servers of another user; anybody else is told so.
fn refused_without_root() -> bool {
    if users::is_root() {
        return false;
    }
    let bench = Bench::as_user("mysql");
    let data = bench.instance("other").join("data");
    bench.server().initialise(&data, &[]).unwrap();
    let failure = bench.server().start(&managed::spec(&data, &["InnoDB"])).err().unwrap();
    assert!(failure.message.contains("enginecmp is not root"), "{failure}");
    true
}

#[test]
fn a_server_that_changed_its_user_dies_with_its_parent_too() {
    if !refused_without_root() {
        kill_the_parent("mysql", "KILL");
    }
}

#[test]
fn all_of_it_works_for_an_ordinary_user() {
    // As an ordinary user every test says it; as root some are run again as nobody.
    if !users::is_root() {
        return killing_its_parent_kills_the_server();
    }
    let bench = Bench::new();
    let copied = |from: &Path, name: &str| {
        let to = bench.path().join(name);
        std::fs::copy(from, &to).unwrap();
        to
    };
    let tests = copied(&std::env::current_exe().unwrap(), "tests");
    let enginecmp = copied(&managed::binary(), "enginecmp");
    let outcome = Command::new("setpriv")
        .args(["--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"])
        .arg(tests)
        .args([
            "--exact",
            "live_server::it_starts_from_nothing_answers_and_stops_cleanly",
            "live_server::rows_come_in_by_every_path_and_losses_are_counted",
            "live_server::a_restored_copy_is_cold_and_one_without_eviction_is_not",
            "live_guard::killing_its_parent_kills_the_server",
            "live_guard::a_server_of_another_user_starts_stops_and_loads_files",
        ])
        .env(managed::BINARY, enginecmp)
        .current_dir(bench.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&outcome.stdout);
    assert!(outcome.status.success(), "{said}{}", String::from_utf8_lossy(&outcome.stderr));
    assert!(said.contains("5 passed"), "{said}");
}

#[test]
fn a_server_of_another_user_starts_stops_and_loads_files() {
    if refused_without_root() {
        return;
    }
    let bench = Bench::as_user("mysql");
    let running = bench.running("other", &["InnoDB"]);
    let mysql = users::User::find("mysql").unwrap();
    assert_eq!(user_of(running.processes()[0]), mysql.uid);
    let mut session = running.connect(0).unwrap();
    for sql in [
        "CREATE DATABASE d",
        "CREATE TABLE d.t (a INT)",
        "INSERT INTO d.t VALUES (1),(2)",
        "SELECT * FROM d.t",
    ] {
        session.text(sql).unwrap();
    }
    drop(session);
    assert!(!running.stop().unwrap().killed);

    // A directory that the user may not pass through is named before anything starts.
    use std::os::unix::fs::PermissionsExt;
    let closed = bench.instance("closed");
    let data = closed.join("inner/data");
    std::fs::create_dir(closed.join("inner")).unwrap();
    bench.server().initialise(&data, &[]).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o700)).unwrap();
    let failure = bench.server().start(&managed::spec(&data, &["InnoDB"])).err().unwrap();
    assert!(failure.message.contains("may not pass through"), "{failure}");
    assert!(failure.message.contains("closed"), "{failure}");
}

fn guarded(script: &str, output: &Path) -> GuardedSpec {
    GuardedSpec {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), script.into()],
        environment: vec![("WORD".into(), "given".into())],
        output: output.to_path_buf(),
        ..GuardedSpec::default()
    }
}

#[test]
fn a_descendant_that_left_the_group_ends_with_the_process() {
    let top = tempfile::tempdir().unwrap();
    let output = top.path().join("out");
    // As daemons and fio's jobs do: a session of its own, and a parent that is gone.
    let script = "(setsid sh -c 'echo $$; exec sleep 600' &); while :; do sleep 0.05; done";
    let process = managed::guard().spawn(&guarded(script, &output)).unwrap();
    let mut stray = None;
    wait_for("no stray started", || {
        let said = std::fs::read_to_string(&output).unwrap_or_default();
        stray = said.strip_suffix('\n').and_then(|pid| pid.parse().ok());
        stray.is_some()
    });
    let stray: u32 = stray.unwrap();
    assert!(process::is_alive(stray));
    process.kill();
    assert_eq!(process.wait(Duration::from_secs(60)), Some(Ended::Signal(9)));
    assert!(!process::is_alive(stray), "it lives on");
}

#[test]
fn the_guard_reports_how_a_process_ends_and_keeps_its_output() {
    let top = tempfile::tempdir().unwrap();
    let output = top.path().join("out");
    let guard = managed::guard();
    let long = Duration::from_secs(60);
    let process = guard.spawn(&guarded("echo $WORD; exit 3", &output)).unwrap();
    assert_eq!(process.wait(long), Some(Ended::Exit(3)));
    assert_eq!(std::fs::read_to_string(&output).unwrap(), "given\n");

    // A signal that comes before the trap is set would end the shell.
    let trapped = |trap: &str, name: &str| {
        let output = top.path().join(name);
        let script = format!("{trap}; echo trapped; while :; do sleep 0.05; done");
        let process = guard.spawn(&guarded(&script, &output)).unwrap();
        let said = || std::fs::read_to_string(&output).unwrap_or_default();
        wait_for("no trap was set", || said() == "trapped\n");
        process
    };
    let process = trapped("trap 'exit 4' TERM", "ends");
    assert_eq!(process.wait(Duration::from_millis(300)), None);
    process.terminate();
    assert_eq!(process.wait(long), Some(Ended::Exit(4)));

    let process = trapped("trap '' TERM", "stays");
    process.terminate();
    assert_eq!(process.wait(Duration::from_millis(300)), None);
    process.kill();
    assert_eq!(process.wait(long), Some(Ended::Signal(9)));

    let missing = GuardedSpec { program: "/no/such/program".into(), ..guarded("", &output) };
    let error = guard.spawn(&missing).unwrap_err().to_string();
    assert!(error.contains("/no/such/program"), "{error}");
    assert!(Guard::of("/no/such/guard").spawn(&guarded("", &output)).is_err());
}

#[test]
fn children_of_the_process_end_with_it_and_a_killed_guard_takes_all_along() {
    let top = tempfile::tempdir().unwrap();
    let output = top.path().join("out");
    let guard = managed::guard();
    let child = |wanted: usize| {
        let read = || std::fs::read_to_string(&output).unwrap_or_default();
        wait_for("no child", || read().lines().count() >= wanted);
        read().lines().nth(wanted - 1).unwrap().parse::<u32>().unwrap()
    };
    // The leader ends by itself; what it left in its group ends with it.
    let process = guard.spawn(&guarded("sleep 600 & echo $!; sleep 0.3", &output)).unwrap();
    let left = child(1);
    assert!(process.wait(Duration::from_secs(60)).is_some());
    wait_for("a child lives on", || !process::is_alive(left));

    let process = guard.spawn(&guarded("sleep 600 & echo $!; wait", &output)).unwrap();
    let left = child(2);
    let parent_of = |pid: u32| -> u32 {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status.lines().find(|line| line.starts_with("PPid:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let its_guard = parent_of(process.pid());
    assert_eq!(
        std::fs::read_to_string(format!("/proc/{its_guard}/comm")).unwrap().trim(),
        "ecmp-guard"
    );
    managed::signal(its_guard, "KILL");
    assert_eq!(process.wait(Duration::from_secs(60)), Some(Ended::GuardLost));
    wait_for("the group lives on", || {
        !process::is_alive(left) && !process::is_alive(process.pid())
    });
}
