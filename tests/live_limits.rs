//! Many clients on a real server: in waves, inside limits that enginecmp raised.

use crate::support::managed::binary;
use enginecmp::journal::read;
use enginecmp::model::{Metric, MetricId};
use std::process::Command;

#[test]
fn three_hundred_clients_connect_and_work_at_a_given_rate() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let suite = directory.path().join("many.bench");
    std::fs::write(
        &suite,
        "engine innodb { storage InnoDB }\n\
         workload oltp_point_select {\n\
           tables 1; rows 1k; distribution uniform\n\
           clients 300; rate 200/s; arrival constant; warmup 1s; measure 4s\n\
         }\n",
    )
    .expect("it can be written");
    let output = Command::new(binary())
        .arg("run")
        .arg(&suite)
        .arg("--work")
        .arg(directory.path().join("work"))
        .arg("--out")
        .arg(directory.path().join("out"))
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let journal = read(&directory.path().join("out")).expect("a journal");
    let views = journal.repetitions();
    let record = views[0].record;
    assert_eq!(record.clients, 300);
    let of = |metric| {
        let id = MetricId::whole(metric);
        record.metrics.iter().find(|value| value.id == id).expect("it is measured").value
    };
    assert_eq!(of(Metric::Offered), 200.0);
    let open = record.open.as_ref().expect("an open loop");
    assert_eq!(open.rounds[0].offered, [200; 4]);
    // Every transaction that arrived was done, or waited, or was in hand when the phase ended.
    assert!(of(Metric::Tps) <= 200.0 && of(Metric::Backlog) <= 800.0);
    assert!(of(Metric::P99) >= of(Metric::QueueP99), "latency holds the queue");
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(report.contains("Open loop: latency counts from the intended start"), "{report}");
}
