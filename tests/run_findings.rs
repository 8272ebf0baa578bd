//! What a run on the fake target says of its own numbers, and says once.

use crate::support::bench::{plan, run, script};
use enginecmp::model::{Finding, FindingCode, SettingValue};
use enginecmp::plan::OsCache;
use enginecmp::target::fake::Script;

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
