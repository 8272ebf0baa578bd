//! Runs that are taken up again: nothing lost, nothing made twice, only what a changed suite touches
//! made again.

use crate::support::bench::{Ran, Runner, ms, plan, probe, script};
use enginecmp::compare;
use enginecmp::journal::{Done, Journal, Record, Writer, changes, read};
use enginecmp::model::{FindingCode, SettingValue};
use enginecmp::plan::Plan;
use enginecmp::run::plan_record;
use enginecmp::target::fake::FakeTarget;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Two engines, two laps, one probe.
fn pair() -> Plan {
    let mut plan = plan(&["InnoDB", "RocksDB"]);
    plan.repeat = 2;
    plan.probes = vec![probe("count", "SELECT COUNT(*) FROM orders")];
    plan
}

fn go(directory: &Path, plan: &Plan, runner: &Runner<'_>) -> Ran {
    runner.run(directory, plan, &Arc::new(FakeTarget::new("found", script())))
}

fn journal(directory: &Path) -> Journal {
    read(&directory.join("journal")).expect("a journal")
}

/// What a report shows of a run, without what differs by chance.
fn shown(journal: &Journal) -> (Vec<String>, Vec<FindingCode>, usize) {
    let comparison = compare::compare(&journal.records);
    let sides = comparison
        .sections
        .iter()
        .flat_map(|section| &section.points)
        .flat_map(|point| &point.sides)
        .map(|side| {
            let n: Vec<usize> = side.series.iter().map(|series| series.samples.len()).collect();
            format!("{} {n:?} {:?}", side.cell, side.absent)
        })
        .collect();
    let codes = comparison.findings.iter().map(|finding| finding.code).collect();
    (sides, codes, comparison.failures.len())
}

/// Where the last `count` lines begin.
fn last_lines(bytes: &[u8], count: usize) -> usize {
    let ends: Vec<usize> =
        bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect();
    ends[ends.len() - 1 - count] + 1
}

#[test]
fn blocks_that_were_never_written_are_a_torn_tail_and_a_broken_line_between_is_not() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    go(directory.path(), &pair(), &Runner::default());
    let file = directory.path().join("journal/journal.jsonl");
    let whole = fs::read(&file).expect("it is there");
    let at = last_lines(&whole, 2);
    for tail in [vec![0; 5000], b"\0\0\n\0\0\n{\"t\":".to_vec()] {
        fs::write(&file, [&whole[..at], &tail].concat()).expect("it is written");
        let torn = read(&file).expect("a torn journal is one");
        assert_eq!(torn.whole_bytes, at as u64);
        assert_eq!(torn.torn.map(|torn| torn.bytes), Some(tail.len() as u64));
        assert!(torn.warnings()[0].contains("never finished"), "{:?}", torn.warnings());
    }
    fs::write(&file, [&whole[..at], b"\0\0\n", &whole[at..]].concat()).expect("it is written");
    let error = read(&file).expect_err("a whole record follows").to_string();
    assert!(error.contains("unreadable record"), "{error}");
}

#[test]
fn a_record_that_came_between_reading_and_locking_is_never_cut() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    go(directory.path(), &pair(), &Runner::default());
    let seen = journal(directory.path());
    let mut other = Writer::resume(&seen).expect("it can be gone on with");
    other.write(seen.records.last().expect("an end")).expect("it is written");
    drop(other);
    let length = fs::metadata(&seen.file).expect("it is there").len();
    Writer::resume(&seen).expect_err("it is not what was read");
    assert_eq!(fs::metadata(&seen.file).expect("it is there").len(), length);
}

#[test]
fn a_run_cut_off_anywhere_and_resumed_reports_what_an_undisturbed_one_does() {
    let undisturbed = tempfile::tempdir().expect("a temporary directory");
    go(undisturbed.path(), &pair(), &Runner::default());
    let file = undisturbed.path().join("journal/journal.jsonl");
    let whole = fs::read(&file).expect("it is there");
    let expected = shown(&journal(undisturbed.path()));
    let ends: Vec<usize> = whole
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(at, _)| at + 1)
        .collect();
    // After each record, and in the middle of the one that follows.
    for cut in ends[2..ends.len() - 1].iter().flat_map(|end| [*end, *end + 7]) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        fs::create_dir(directory.path().join("journal")).expect("a directory");
        fs::write(directory.path().join("journal/journal.jsonl"), &whole[..cut]).expect("written");
        let done = Done::of(&journal(directory.path()));
        let before = done.finished;
        let ran = go(directory.path(), &pair(), &Runner { done: Some(done), ..Runner::default() });
        assert_eq!((ran.outcome.finished, ran.outcome.failed), (4, 0), "cut at {cut}");
        assert_eq!(shown(&ran.journal), expected, "cut at {cut}, {before} were finished");
        let text = fs::read(&ran.journal.file).expect("it is there");
        let kept = last_lines(&whole[..cut], 0);
        assert_eq!(text[..kept], whole[..kept], "what was written stays as it was");
    }
}

#[test]
fn only_what_a_changed_suite_touches_is_made_again() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let before = pair();
    go(directory.path(), &before, &Runner::default());
    let first = journal(directory.path());
    let mut now = pair();
    now.cells[1].settings.insert("measure".into(), SettingValue::Duration(ms(2000)));
    now.cells[1].measure = ms(2000);
    // A line that moved is no change.
    now.cells[0].place.line += 3;
    now.repeat = 3;
    let changes = changes::between(first.plan().expect("a plan"), &plan_record(&now));
    assert_eq!(changes.kept, [before.cells[0].key.clone()]);
    assert_eq!(changes.changed.len(), 1);
    assert_eq!(changes.changed[0].1, ["measure: not set, now 2s"]);
    let again = [changes.changed[0].0.clone()];
    let mut done = Done::of(&first).without(&again);
    done.rewritten = changes.any;
    let ran = go(directory.path(), &now, &Runner { done: Some(done), ..Runner::default() });
    assert_eq!(ran.outcome.finished, 6);
    let made = ran.journal.records[first.records.len()..]
        .iter()
        .filter_map(|record| match record {
            Record::Repetition(one) => Some((one.cell.clone(), one.repetition)),
            _ => None,
        })
        .fold(
            [0, 0],
            |[kept, changed], (cell, _)| {
                if cell == again[0] { [kept, changed + 1] } else { [kept + 1, changed] }
            },
        );
    assert_eq!(made, [1, 3], "the third of the one, all three of the other");
    assert_eq!(ran.journal.plan().expect("a plan").repeat, 3);
    let views = ran.journal.repetitions();
    assert_eq!(views.len(), 6);
    for view in views.iter().filter(|view| view.record.cell == again[0]) {
        assert_eq!(view.windows.last().expect("windows").types[0].count.len(), 2, "measured 2 s");
    }
    // Killed before anything of the changed cell was made again, its old figures do not count.
    let resumed = ran.journal.records.iter().position(|r| matches!(r, Record::Resumed(_)));
    let cut = &ran.journal.records[..resumed.expect("it was resumed") + 4];
    let points = compare::compare(cut).sections[0].points.clone();
    let sides: Vec<_> = points.into_iter().flat_map(|point| point.sides).collect();
    let of = |engine: &str| {
        let side = sides.iter().find(|side| {
            side.cell.get("engine").is_some_and(|own| own.eq_ignore_ascii_case(engine))
        });
        side.expect("it is planned").series.first().map_or(0, |series| series.samples.len())
    };
    assert_eq!((of("innodb"), of("rocksdb")), (2, 0));
    // A probe that changed touches every cell.
    now.probes[0].sql = "SELECT COUNT(*) FROM accounts".into();
    let changes = changes::between(ran.journal.plan().expect("a plan"), &plan_record(&now));
    assert_eq!((changes.kept.len(), changes.changed.len()), (0, 2));
}

#[test]
fn a_budget_ends_a_run_between_laps_and_the_rest_is_made_later() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut plan = pair();
    plan.repeat = 3;
    let short = Runner { budget: Some(Duration::from_millis(1)), ..Runner::default() };
    let ran = go(directory.path(), &plan, &short);
    assert!(ran.outcome.out_of_budget && !ran.outcome.is_whole() && !ran.outcome.interrupted);
    let views = ran.journal.repetitions();
    assert_eq!(views.len(), 2, "the first lap is always made, and is whole");
    assert!(views.iter().all(|view| view.record.repetition == 1));
    let finding = ran.journal.findings().find(|one| one.code == FindingCode::BudgetUsed);
    assert_eq!(finding.expect("it is said").seen, "1 of 3 laps in 1.0 ms");
    // Long enough for all.
    let done = Done::of(&ran.journal);
    let long =
        Runner { done: Some(done), budget: Some(Duration::from_secs(3600)), ..Runner::default() };
    let ran = go(directory.path(), &plan, &long);
    assert!(ran.outcome.is_whole());
    assert_eq!(ran.outcome.finished, 6);
    let loads = ran.journal.datasets().count();
    assert_eq!(loads, 2, "what the first part loaded was still there");
    assert!(!shown(&ran.journal).1.contains(&FindingCode::BudgetUsed));
    let left = fs::read_dir(directory.path().join("work/datasets")).expect("it is there").count();
    assert_eq!(left, 0, "at the end of the whole run they go");
}
