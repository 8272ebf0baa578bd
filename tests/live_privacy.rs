//! What a run shows to others: nothing. Its files are its user's alone, and no child gets a secret.

use crate::support::managed::{Bench, binary};
use crate::support::mariadb::Mariadb;
use enginecmp::target::session::Session;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What must be found nowhere.
const SECRET: &str = "pl4nted-Secret";

/// Everything below a directory whose mode lets others in. What a server makes in its own
/// directory keeps the server's mode, and the directory around it is closed.
fn open_to_others(directory: &Path, found: &mut BTreeSet<String>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        // A run removes what it made as it goes on.
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let wanted = if metadata.is_dir() { 0o700 } else { 0o600 };
        let of_server = matches!(name.as_str(), "error.log" | "server.pid");
        let mode = metadata.mode() & 0o777;
        if mode != wanted && !of_server && !metadata.file_type().is_socket() {
            found.insert(format!("{mode:o} {}", path.display()));
        }
        if metadata.is_dir() && !matches!(name.as_str(), "data" | "tmp") {
            open_to_others(&path, found);
        }
    }
}

/// Starts a suite in a folder, with the usual places below it.
fn start(folder: &Path, suite: &str, arguments: &[&str]) -> Child {
    fs::write(folder.join("private.bench"), suite).expect("it is written");
    fs::create_dir_all(folder.join("sockets")).expect("it is ours");
    // Whoever starts it may let others read new files.
    Command::new("sh")
        .args(["-c", "umask 022; exec \"$0\" \"$@\""])
        .arg(binary())
        .args(["run", "private.bench", "--work", "work"])
        .args(arguments)
        .current_dir(folder)
        .env("XDG_RUNTIME_DIR", folder.join("sockets"))
        .env("BENCH_PASSWORD", SECRET)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts")
}

/// Calls `look` until the child ends; what it said.
fn until_its_end(mut child: Child, mut look: impl FnMut(u32)) -> String {
    while child.try_wait().expect("it is ours").is_none() {
        look(child.id());
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().expect("it ended");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    said
}

#[test]
fn whatever_a_run_writes_is_its_users_alone() {
    let bench = Bench::new();
    let suite = "
suite \"Private\"
engine innodb { storage InnoDB }
engine myrocks { storage RocksDB }
schema { strip foreign_keys }
workload tpcc { warehouses 1; density 1%; clients 1; warmup 200ms; measure 500ms }
cache 32M
compare engine against innodb
";
    let folder = bench.path();
    let child = start(folder, suite, &["--keep-datasets"]);
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    until_its_end(child, |_| {
        for part in ["work", "bench-reports", "sockets"] {
            open_to_others(&folder.join(part), &mut found);
        }
        let runs = fs::read_dir(folder.join("work/runs")).into_iter().flatten().flatten();
        seen.extend(runs.map(|run| run.file_name()));
    });
    for part in ["work", "bench-reports"] {
        open_to_others(&folder.join(part), &mut found);
        assert_eq!(fs::metadata(folder.join(part)).expect("it is there").mode() & 0o777, 0o700);
    }
    assert!(found.is_empty(), "{found:#?}");
    assert!(seen.len() >= 4, "servers were seen at work: {seen:?}");
    let kept = fs::read_dir(folder.join("work/datasets")).expect("it is there").count();
    assert_eq!(kept, 2);
}

/// The processes that descend from one.
fn descendants(of: u32) -> Vec<u32> {
    let parents: Vec<(u32, u32)> = fs::read_dir("/proc")
        .expect("it is there")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter_map(|pid| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            let parent = stat[stat.rfind(')')? + 1..].split_whitespace().nth(1)?.parse().ok()?;
            Some((pid, parent))
        })
        .collect();
    let mut found = vec![of];
    let mut at = 0;
    while let Some(&parent) = found.get(at) {
        found.extend(parents.iter().filter(|(_, own)| *own == parent).map(|(pid, _)| *pid));
        at += 1;
    }
    found.split_off(1)
}

/// Arguments and environment of a process as anyone of its user sees them; none while it is not
/// yet the program that it becomes.
fn shown(pid: u32, parent: &[u8]) -> Option<(String, String)> {
    let arguments = || fs::read(format!("/proc/{pid}/cmdline")).ok();
    let before = arguments()?;
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let is_itself = before != parent && arguments()? == before;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace('\0', " ");
    is_itself.then(|| (text(&before), text(&environment)))
}

/// Whether any file below the directory holds the secret.
fn holds_secret(directory: &Path) -> Option<PathBuf> {
    fs::read_dir(directory).ok()?.flatten().find_map(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return holds_secret(&path);
        }
        let bytes = fs::read(&path).unwrap_or_default();
        bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()).then_some(path)
    })
}

#[test]
fn no_child_and_no_file_of_a_run_by_dsn_holds_its_password() {
    let server = Mariadb::start(&["--innodb-buffer-pool-size=32M"]);
    let mut session = server.connect();
    for sql in [
        format!("CREATE USER bench@localhost IDENTIFIED BY '{SECRET}'"),
        "GRANT ALL ON *.* TO bench@localhost".to_string(),
    ] {
        session.text(&sql).expect("it is taken");
    }
    let bench = Bench::new();
    // The second server is one of ours, so that there are children to look at.
    let suite = format!(
        "suite \"Two servers\"\n\
         server here {{ dsn \"mysql://bench@localhost/secret_test?socket={}\"\n\
           password_env BENCH_PASSWORD }}\n\
         server own {{ release \"mariadb\" }}\n\
         engine innodb {{ storage InnoDB }}\n\
         workload tpcc {{ warehouses 1; density 1%; clients 1; warmup 200ms; measure 500ms }}\n",
        server.socket().display()
    );
    let child = start(bench.path(), &suite, &[]);
    let mut programs = BTreeSet::new();
    let said = until_its_end(child, |pid| {
        let Ok(own) = fs::read(format!("/proc/{pid}/cmdline")) else { return };
        for child in descendants(pid) {
            if let Some((arguments, environment)) = shown(child, &own) {
                for text in [&arguments, &environment] {
                    assert!(!text.contains(SECRET), "{arguments}: {environment}");
                }
                programs.insert(arguments);
            }
        }
    });
    for wanted in ["__guard", "--defaults-file="] {
        assert!(programs.iter().any(|program| program.contains(wanted)), "{programs:#?}");
    }
    assert!(!said.contains(SECRET), "{said}");
    for part in ["work", "bench-reports"] {
        assert_eq!(holds_secret(&bench.path().join(part)), None);
    }
}
