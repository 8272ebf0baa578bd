//! What a run on the fake target says of its own numbers, and says once.

use crate::support::bench::{Runner, machine, plan, run, script};
use enginecmp::journal::record::MachineRecord;
use enginecmp::model::{Finding, FindingCode, SettingValue};
use enginecmp::plan::OsCache;
use enginecmp::target::fake::{FakeTarget, Fault, Script};
use std::sync::Arc;

#[test]
fn a_cell_on_a_server_that_runs_already_says_what_it_lacks() {
    let mut plan = plan(&["InnoDB"]);
    plan.cells[0].os_cache = OsCache::Drop;
    plan.datasets[0].source = enginecmp::plan::DataSource::Load;
    let mut theirs = script();
    theirs.capabilities.restart = false;
    theirs.capabilities.files = false;
    let ran = run(&plan, theirs);
    let said = ran
        .journal
        .findings()
        .find(|finding| finding.code == FindingCode::NotOurServer)
        .expect("it is said");
    assert_eq!(said.cell.as_ref(), Some(&plan.cells[0].key));
    assert_eq!(
        said.seen,
        "no fresh start for each repetition, no start and stop times; caches as the load left \
         them; `os_cache drop` does nothing; no sizes by file, only what the server says of its tables; no copies: each \
         repetition drops the data and loads again"
    );
}

#[test]
fn an_estimate_gives_way_to_what_will_be_measured() {
    let estimate = Finding::new(FindingCode::FitsInCache, "about 1 MiB in a cache of 1 GiB");
    let mut plan = plan(&["InnoDB"]);
    plan.findings.push(estimate.clone());
    // No cache is stated, so there is nothing to measure the data by.
    assert!(run(&plan, script()).journal.findings().any(|finding| *finding == estimate));
    plan.cells[0].settings.insert("cache".to_string(), SettingValue::Size(1 << 30));
    assert!(!run(&plan, script()).journal.findings().any(|finding| *finding == estimate));
}

#[test]
fn an_engine_that_the_plan_misses_already_is_told_once() {
    let mut plan = plan(&["InnoDB", "RocksDB"]);
    let failure = {
        let without = Script { engines: vec!["InnoDB".to_string()], ..script() };
        let ran = run(&plan, without);
        ran.journal.failures().next().expect("it is lost").failure.message.clone()
    };
    plan.findings.push(Finding::new(FindingCode::NotAvailable, format!("rocksdb: {failure}")));
    let ran = run(&plan, Script { engines: vec!["InnoDB".to_string()], ..script() });
    let told = ran.journal.findings().filter(|found| found.code == FindingCode::NotAvailable);
    assert_eq!(told.count(), 1);
}

#[test]
fn how_the_machine_is_set_up_is_told_before_anything_runs() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let server = Arc::new(FakeTarget::new("found", script()));
    let set_up = MachineRecord {
        huge_pages: "always".to_string(),
        governor: "powersave".to_string(),
        work_fs: "overlay".to_string(),
        ..machine()
    };
    let runner = Runner { machine: set_up, ..Runner::default() };
    let ran = runner.run(directory.path(), &plan(&["InnoDB"]), &server);
    let codes: Vec<FindingCode> = ran.journal.findings().map(|finding| finding.code).collect();
    assert_eq!(codes, [FindingCode::HugePages, FindingCode::Governor, FindingCode::FileSystem]);
}

#[test]
fn transactions_given_up_are_a_finding_with_their_errors() {
    let faults = Fault::error(1213, "Deadlock found").on("INSERT INTO orders").nth(30).times(200);
    let ran = run(&plan(&["InnoDB"]), script().fault(faults));
    let said = ran
        .journal
        .findings()
        .find(|finding| finding.code == FindingCode::Errors)
        .expect("it is said");
    assert!(said.seen.contains("by error 1213"), "{}", said.seen);
}

#[test]
fn a_server_that_does_not_tell_its_counters_costs_the_causes_and_no_figure() {
    // The number of the sampler's own connection, so that settling the load is spared.
    let sampler = usize::MAX - 1;
    let silent = Fault::error(1227, "Access denied").on("SHOW GLOBAL STATUS").client(sampler);
    let ran = run(&plan(&["InnoDB"]), script().fault(silent));
    let said = ran
        .journal
        .findings()
        .find(|finding| finding.code == FindingCode::NotSampled)
        .expect("it is said");
    assert!(said.seen.contains("Access denied"), "{}", said.seen);
    assert_eq!(ran.outcome.finished, 1);
}
