//! Real runs on MariaDB, killed with SIGKILL at seeded moments and taken up again, against a run
//! that nobody disturbed.

use crate::support::managed::{binary, nothing_runs_below, signal};
use enginecmp::compare;
use enginecmp::host::work_dir::WorkDir;
use enginecmp::journal::{Journal, Record, read};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A place for runs of one suite: its work directory, and a directory for sockets of its own.
struct Bench {
    folder: tempfile::TempDir,
    repeat: u32,
}

impl Bench {
    fn new(repeat: u32) -> Self {
        let folder = tempfile::Builder::new().prefix("res").tempdir_in("/tmp").expect("a folder");
        fs::create_dir(folder.path().join("sockets")).expect("a folder");
        let suite = format!(
            "suite \"Killed and resumed\"\n\
             engine innodb {{ storage InnoDB }}\n\
             engine myrocks {{ storage RocksDB }}\n\
             schema {{ strip foreign_keys }}\n\
             workload tpcc {{ warehouses 1; density 1%; clients 1; warmup 200ms; measure 1s }}\n\
             cache 32M\n\
             load {{ threads 1 }}\n\
             repeat {repeat}\n\
             compare engine against innodb\n"
        );
        fs::write(folder.path().join("killed.bench"), suite).expect("it is written");
        Self { folder, repeat }
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn out(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, out: &Path) -> Command {
        let mut command = Command::new(binary());
        command
            .arg("run")
            .arg(self.folder.path().join("killed.bench"))
            .arg("--work")
            .arg(self.work())
            .arg("--resume")
            .arg(out)
            .env("XDG_RUNTIME_DIR", self.folder.path().join("sockets"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }

    /// Goes on until it has said so many lines and so much time has passed, then kills it; whether
    /// it was killed.
    fn kill_after(&self, out: &Path, lines: u64, then: Duration) -> bool {
        let mut child = self.command(out).spawn().expect("the binary starts");
        let mut said = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut line = String::new();
        for _ in 0..lines {
            if said.read_line(&mut line).expect("it is text") == 0 {
                break;
            }
        }
        thread::sleep(then);
        signal(child.id(), "KILL");
        let status = child.wait().expect("it ends");
        let deadline = Instant::now() + Duration::from_secs(60);
        while !nothing_runs_below(&self.work()) {
            assert!(Instant::now() < deadline, "servers outlive enginecmp after {line}");
            thread::sleep(Duration::from_millis(20));
        }
        status.code().is_none()
    }

    /// Goes on to the end.
    fn finish(&self, out: &Path) -> Journal {
        let mut child = self.command(out).spawn().expect("the binary starts");
        let mut said = String::new();
        child.stderr.take().expect("it is piped").read_to_string(&mut said).expect("it is text");
        let code = child.wait().expect("it ends").code();
        assert_eq!(code, Some(0), "{said}");
        read(out).expect("a journal")
    }

    /// Nothing is left: no process, no copy, no dataset, no socket, no lock.
    fn is_clean(&self) {
        assert!(nothing_runs_below(&self.work()));
        for part in ["work/runs", "work/datasets", "sockets"] {
            let left: Vec<_> =
                fs::read_dir(self.out(part)).expect("it is there").flatten().collect();
            assert!(left.is_empty(), "{part}: {left:?}");
        }
        WorkDir::open(&self.work()).expect("nobody holds the lock");
    }
}

/// Lines of the journal that tell of a repetition with numbers, and the whole bytes.
fn finished(out: &Path) -> (BTreeSet<Vec<u8>>, Vec<u8>) {
    let bytes = fs::read(out.join("journal.jsonl")).unwrap_or_default();
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let lines = bytes[..whole]
        .split(|byte| *byte == b'\n')
        .filter(|line| line.starts_with(b"{\"t\":\"repetition\""))
        .filter(|line| !String::from_utf8_lossy(line).contains("\"failure\":"))
        .map(<[u8]>::to_vec)
        .collect();
    (lines, bytes[..whole].to_vec())
}

/// No repetition of a run failed: kills are nobody's failure.
fn has_no_failure(out: &Path) {
    let Ok(journal) = read(out) else { return };
    for view in journal.repetitions() {
        assert_eq!(view.record.failure, None, "{} failed", view.record.cell);
    }
}

/// Cells with how many figures each metric has, as a report counts them.
fn counts(journal: &Journal) -> Vec<String> {
    let comparison = compare::compare(&journal.records);
    assert!(comparison.failures.is_empty(), "{:?}", comparison.failures);
    assert_eq!(comparison.heading.incomplete, None);
    let sides = comparison.sections.iter().flat_map(|s| &s.points).flat_map(|p| &p.sides);
    let of_sides = sides.map(|side| {
        // In a second, a rare type of transaction may not come up.
        let whole = side.series.iter().filter(|series| series.metric.of.is_none());
        let n = whole.map(|series| (&series.metric, series.samples.len()));
        format!("{} {:?} {:?}", side.cell, n.collect::<Vec<_>>(), side.absent)
    });
    let loads = comparison.loads.iter().flat_map(|s| &s.points).flat_map(|p| &p.sides);
    let of_loads = loads.map(|side| {
        let n = side.series.iter().map(|series| (&series.metric, series.samples.len()));
        format!("{} {} {} {:?}", side.name, side.rows, side.reused, n.collect::<Vec<_>>())
    });
    of_sides.chain(of_loads).collect()
}

/// Kills a run at so many seeded moments: after a number of progress lines within `lines` (a load
/// and a repetition have eight) and up to 200 ms. At least `late` kills must come after the first
/// finished repetition.
fn kill_and_resume(repeat: u32, kills: usize, lines: Range<u64>, late: usize, seed: u64) {
    let bench = Bench::new(repeat);
    let undisturbed = bench.finish(&bench.out("undisturbed"));
    bench.is_clean();
    let out = bench.out("killed");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut made, mut after_the_first) = (0, 0);
    let mut before = finished(&out);
    while made < kills {
        let lines = lines.start + rng.next_u64() % (lines.end - lines.start);
        let then = Duration::from_millis(rng.next_u64() % 200);
        let killed = bench.kill_after(&out, lines, then);
        assert!(killed, "the run came to its end after {made} of {kills} kills: repeat more");
        made += 1;
        let now = finished(&out);
        assert!(now.1.starts_with(&before.1), "a kill altered what was written");
        assert!(now.0.is_superset(&before.0), "a finished repetition is gone");
        after_the_first += usize::from(!now.0.is_empty());
        before = now;
        has_no_failure(&out);
    }
    let _ = writeln!(
        std::io::stdout(),
        "{made} kills, {after_the_first} of them after the first finished repetition; {} of {} \
         repetitions finished by then",
        before.0.len(),
        repeat * 2
    );
    assert!(after_the_first >= late, "{after_the_first} of {made}");
    let journal = bench.finish(&out);
    let end = finished(&out);
    assert!(end.1.starts_with(&before.1));
    let numbers = journal
        .records
        .iter()
        .filter(|record| matches!(record, Record::Repetition(one) if one.failure.is_none()))
        .count();
    assert_eq!(numbers, bench.repeat as usize * 2, "each is made once");
    assert_eq!(counts(&journal), counts(&undisturbed));
    bench.is_clean();
}

/// Four kills, or as many as `scripts/kill-and-resume` asks for.
#[test]
fn a_run_that_is_killed_again_and_again_ends_as_one_that_nobody_disturbed() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    match number("ENGINECMP_KILLS") {
        Some(kills) => {
            let kills = kills as usize;
            let repeat = (kills as u32 * 6 / 10).max(4);
            let seed = number("ENGINECMP_SEED").unwrap_or(1);
            kill_and_resume(repeat, kills, 1..20, kills * 3 / 5, seed);
        }
        None => kill_and_resume(6, 4, 14..24, 2, 7),
    }
}
