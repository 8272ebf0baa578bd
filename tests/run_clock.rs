//! Clocks that jump: what a run measures does not follow them.

use crate::support::bench::{ms, plan, run, script};
use enginecmp::model::{Metric, MetricId};
use enginecmp::target::fake::Script;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// A client whose time leaps by an hour in the middle of the measured phase, as that of a machine
/// that was suspended: what was done before stays, and nothing after it is made up.
#[test]
fn a_leap_of_time_in_a_phase_ends_it_and_keeps_what_was_measured() {
    let mut times = vec![ms(10); 80];
    times.push(Duration::from_secs(3600));
    let leaping = Script { times: Vec::new(), ..script() }
        .takes("INSERT INTO orders", &times)
        .takes("UPDATE accounts", &[ms(20)]);
    let ran = run(&plan(&["InnoDB"]), leaping);
    let views = ran.journal.repetitions();
    let record = views[0].record;
    assert_eq!(record.failure, None);
    // 40 rounds of 40 ms took 1.6 s, of which 1 s was warm-up: 15 rounds, and nothing from then on.
    let orders = &record.rounds[0].types[0];
    assert_eq!(orders.committed + orders.rolled_back, 30);
    let tpmc = record.metrics.iter().find(|value| value.id == MetricId::whole(Metric::Tpmc));
    assert_eq!(tpmc.expect("it is measured").value, 30.0 * 20.0);
    let windows = views[0].windows.last().expect("windows");
    assert_eq!(windows.types[0].count.len(), 3, "seconds after the phase are none of it");
    assert_eq!(windows.types[0].count[1..], [0, 0]);
    assert!(record.elapsed_ms < 60_000, "time of the machine is not the client's");
}

/// The wall clock may be set at any moment. It names runs and says when something was; it is in
/// the rows of TPC-C, and nothing is measured by it.
#[test]
fn the_wall_clock_is_asked_for_dates_alone() {
    fn look(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() {
                look(&path, found);
                continue;
            }
            let text = fs::read_to_string(&path).expect("source is text");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            if ["SystemTime::now", "Timestamp::now", "Zoned::now"]
                .iter()
                .any(|ask| code.contains(ask))
            {
                let root = Path::new(env!("CARGO_MANIFEST_DIR"));
                let shown = path.strip_prefix(root).expect("it lies there");
                found.push(shown.display().to_string());
            }
        }
    }
    let mut found = Vec::new();
    look(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    found.sort();
    assert_eq!(
        found,
        [
            // The names of runs.
            "src/cli/execute.rs",
            // When an import was made.
            "src/cli/import.rs",
            // When something was.
            "src/run/records.rs",
            // Which dataset was used last.
            "src/target/store/mod.rs",
            // O_ENTRY_D and its like.
            "src/workload/tpcc/now.rs",
        ]
    );
}
