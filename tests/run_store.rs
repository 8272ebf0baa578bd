//! Kept datasets on the fake target: found again, and never taken for what they are not.

use crate::support::bench::{Runner, plan, script};
use enginecmp::model::FindingCode;
use enginecmp::target::fake::FakeTarget;
use std::sync::Arc;

#[test]
fn a_dataset_is_loaded_once_and_found_again_when_it_is_kept() {
    let mut plan = plan(&["InnoDB"]);
    plan.repeat = 3;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let server = Arc::new(FakeTarget::new("found", script()));
    let keeping = Runner { keep_datasets: true, ..Runner::default() };
    let first = keeping.run(directory.path(), &plan, &server);
    assert_eq!(first.trace.iter().filter(|line| line.starts_with("initialised")).count(), 1);
    assert_eq!(first.journal.datasets().filter(|dataset| !dataset.reused).count(), 1);

    std::fs::remove_dir_all(directory.path().join("journal")).expect("it is there");
    let second = Runner::default().run(directory.path(), &plan, &server);
    assert_eq!(second.trace.iter().filter(|line| line.starts_with("initialised")).count(), 1);
    assert_eq!(second.journal.datasets().filter(|dataset| dataset.reused).count(), 1);
    assert_eq!(second.outcome.finished, 3);
}

#[test]
fn a_kept_dataset_that_was_altered_is_loaded_again_and_told() {
    let plan = plan(&["InnoDB"]);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let server = Arc::new(FakeTarget::new("found", script()));
    let keeping = Runner { keep_datasets: true, ..Runner::default() };
    keeping.run(directory.path(), &plan, &server);
    let kept = directory.path().join("work/datasets/innodb0/data/fake.json");
    let mut bytes = std::fs::read(&kept).expect("it was kept");
    // The number of rows of a table, one digit of it.
    let at = bytes.windows(6).position(|part| part == b"\"rows\"").expect("rows") + 7;
    bytes[at] = b'9';
    std::fs::write(&kept, bytes).expect("it is ours");
    for altered in [true, false] {
        std::fs::remove_dir_all(directory.path().join("journal")).expect("it is there");
        let ran = keeping.run(directory.path(), &plan, &server);
        assert_eq!(ran.outcome.finished, 1);
        let reused = ran.journal.datasets().filter(|dataset| dataset.reused).count();
        assert_eq!(reused, usize::from(!altered));
        let told: Vec<_> = ran
            .journal
            .findings()
            .filter(|finding| finding.code == FindingCode::DatasetAltered)
            .map(|finding| finding.seen.as_str())
            .collect();
        let words = ["innodb, loaded again: fake.json has other bytes than were kept"];
        assert_eq!(told, if altered { &words[..] } else { &[] });
    }
}
