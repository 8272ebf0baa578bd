//! The disk test with the real fio: before and after a suite, without fio, and killed.

use crate::support::managed::binary;
use enginecmp::host::process;
use enginecmp::journal::read;
use enginecmp::journal::record::{DiskMoment, DiskTestRecord, Record};
use enginecmp::model::FindingCode;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A short suite inside this process, with this disk test.
fn suite(directory: &Path, disk: &str) -> PathBuf {
    let path = directory.join("small.bench");
    let text = format!(
        "engine wal {{ storage SQLite }}\n\
         workload tpcc {{ warehouses 1; density 1%; measure 1s }}\n\
         disk {{ {disk} }}\n"
    );
    std::fs::write(&path, text).expect("it can be written");
    path
}

fn command(directory: &Path, disk: &str) -> Command {
    assert!(Path::new("/usr/bin/fio").exists(), "this test needs fio: apt-get install fio");
    let mut command = Command::new(binary());
    command
        .arg("run")
        .arg(suite(directory, disk))
        .arg("--work")
        .arg(directory.join("work"))
        .arg("--out")
        .arg(directory.join("out"))
        .stdin(Stdio::null());
    command
}

/// Tests in the journal, and codes of findings.
fn seen(directory: &Path) -> (Vec<DiskTestRecord>, Vec<FindingCode>) {
    let journal = read(&directory.join("out")).expect("a journal");
    let tests = journal.records.iter().filter_map(|record| match record {
        Record::DiskTest(test) => Some(test.clone()),
        _ => None,
    });
    (tests.collect(), journal.findings().map(|finding| finding.code).collect())
}

fn left_behind(directory: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(directory.join("work/runs"))
        .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
        .unwrap_or_default()
}

fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn the_disk_is_tested_before_and_after_and_nothing_stays() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let disk = "block 16k; read 70%; size 4MB; jobs 2; time 1s; io buffered";
    let output = command(directory.path(), disk).output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let said = text(&output);
    assert!(said.contains("disk before: 16.0 KiB random, 70 % reads, 2 jobs, psync"), "{said}");
    assert!(said.contains("disk after: "), "{said}");
    let (tests, _) = seen(directory.path());
    let moments: Vec<_> = tests.iter().map(|test| test.moment).collect();
    assert_eq!(moments, [DiskMoment::Before, DiskMoment::After]);
    for test in &tests {
        let figures = test.figures.expect("it was measured");
        assert!(test.tool.starts_with("fio-"), "{}", test.tool);
        assert!(figures.reads_per_second > 0.0 && figures.writes_per_second > 0.0, "{test:?}");
        let reads =
            figures.reads_per_second / (figures.reads_per_second + figures.writes_per_second);
        assert!((0.6..0.8).contains(&reads), "70 % reads: {reads}");
        assert!(figures.sync_p50_ns > 0.0 && figures.sync_p99_ns >= figures.sync_p50_ns);
    }
    assert_eq!(left_behind(directory.path()), Vec::<PathBuf>::new());

    // Resumed with nothing left to measure, it has nothing to test either.
    let output = Command::new(binary())
        .arg("run")
        .arg(directory.path().join("small.bench"))
        .arg("--work")
        .arg(directory.path().join("work"))
        .arg("--resume")
        .arg(directory.path().join("out"))
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(seen(directory.path()).0.len(), 2);
}

#[test]
fn without_fio_the_suite_goes_on_and_says_so() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let output = command(directory.path(), "size 4MB; jobs 1; time 1s")
        .env("PATH", directory.path())
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let (tests, findings) = seen(directory.path());
    let why = tests[0].why_not.as_deref().expect("it was not measured");
    assert!(why.starts_with("fio: ") && why.contains("apt-get install fio"), "{why}");
    assert!(findings.contains(&FindingCode::DiskNotTested));
    assert!(text(&output).contains("F062"), "{}", text(&output));
}

#[test]
fn a_killed_run_leaves_no_file_of_the_test() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let disk = "size 8MB; jobs 1; time 600s; io buffered";
    let mut child = command(directory.path(), disk)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let limit = Instant::now() + Duration::from_secs(120);
    let wait = |what: &str, done: &dyn Fn() -> bool| {
        while !done() {
            assert!(Instant::now() < limit, "{what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let of_test = || {
        let folders = left_behind(directory.path());
        folders.into_iter().find(|folder| folder.join("file").exists())
    };
    wait("fio makes its file", &|| of_test().is_some());
    let folder = of_test().expect("it was just there");
    let argument = format!("--filename={}", folder.join("file").display());
    wait("fio runs", &|| !process::with_argument(&argument).is_empty());
    child.kill().expect("it lives");
    child.wait().expect("it was a child");
    wait("the guard removes the file", &|| !folder.exists());
    wait("fio ends", &|| process::with_argument(&argument).is_empty());
}
