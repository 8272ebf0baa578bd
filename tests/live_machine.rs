//! A server inside limits, and the states in which measuring begins, on a real MariaDB.

use crate::support::managed::{Bench, description, guard, options, spec};
use enginecmp::host::share::{Limits, allowed};
use enginecmp::journal::read;
use enginecmp::target::managed::{ManagedServer, ManagedSettings};
use enginecmp::target::{StartSpec, Target};
use std::fs;
use std::process::Command;

#[test]
fn a_server_starts_inside_its_limits_and_its_group_ends_with_it() {
    let processor = allowed().expect("there are processors")[0];
    let wanted = Limits { memory: Some(512 << 20), processors: Some(vec![processor]) };
    let bench = Bench::new();
    let settings = ManagedSettings {
        guard: guard(),
        templates: bench.path().join("templates"),
        socket_base: None,
        user: None,
        interrupt: enginecmp::host::interrupt::Interrupt::new(),
        limits: wanted.clone(),
    };
    let server = ManagedServer::new(description(), settings).expect("MariaDB can be started");
    let data = bench.instance("limited").join("data");
    server.initialise(&data, &[]).expect("an empty data directory");
    let start = StartSpec { options: options(&["InnoDB"]), ..spec(&data, &["InnoDB"]) };
    let started = server.start(&start);
    if let Err(why) = wanted.try_out() {
        // This user may make no group: then the start fails, and says so.
        let failure = started.err().expect("a limit that cannot be had");
        assert!(why.to_string().contains("memory limit") && failure.message.contains("limit"));
        return;
    }
    let running = started.expect("it starts inside the limits");
    let pid = running.processes()[0];
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("it lives");
    assert!(status.contains(&format!("Cpus_allowed_list:\t{processor}\n")), "{status}");
    let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).expect("it lives");
    let group = groups.lines().find(|line| line.contains("enginecmp-")).expect("its own group");
    let name = group.rsplit('/').next().expect("a name").to_string();
    running.stop().expect("a clean stop");
    let left = Command::new("find")
        .args(["/sys/fs/cgroup", "-maxdepth", "6", "-type", "d", "-name", &name])
        .output()
        .expect("find");
    assert_eq!(String::from_utf8_lossy(&left.stdout), "", "the group is gone");
}

const STATES: &str = "
suite \"States\"
engine innodb { storage InnoDB }
workload tpcc { warehouses 1; density 1%; clients 1; warmup 500ms; measure 500ms }
cache 32M
start cold, warm
machine { cpus 0; client_cpus 0 }
compare start against cold
";

#[test]
fn the_page_cache_is_as_the_suite_says_when_measuring_begins() {
    let bench = Bench::new();
    let suite = bench.path().join("states.bench");
    fs::write(&suite, STATES).expect("it is written");
    let out = bench.path().join("out");
    let output = Command::new(env!("CARGO_BIN_EXE_enginecmp"))
        .arg(&suite)
        .arg("--work")
        .arg(bench.path().join("work"))
        .arg("--out")
        .arg(&out)
        .output()
        .expect("the binary starts");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("start cold") && printed.contains("start warm"), "{printed}");
    assert!(printed.contains("machine cpus 0..0 client_cpus 0..0"), "{printed}");
    let journal = read(&out).expect("a journal");
    let share = |state: &str| {
        let views = journal.repetitions();
        let view = views.iter().find(|view| view.record.cell.get("start") == Some(state));
        view.and_then(|view| view.record.resident_before_measure).expect("it was looked at")
    };
    // The server reads a little of its files while it starts.
    assert!(share("cold") < 0.25, "{}", share("cold"));
    assert!(share("warm") > 0.5, "{}", share("warm"));
}
