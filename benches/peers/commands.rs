//! How long people wait for commands that measure nothing.

use super::ours::ENGINECMP;
use super::pairs::median;
use super::processes::{PATH, run};
use super::table::Row;
use super::{Bench, Res, ours};
use enginecmp::journal::{Record, Writer};
use enginecmp::model::Phase;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Seconds that a command takes, the median of `times` runs after one that warms caches.
fn timed(times: usize, arguments: &[&str]) -> Res<f64> {
    let once = || Ok(run(Command::new(ENGINECMP).env("PATH", PATH).args(arguments))?.elapsed);
    once()?;
    Ok(median(&(0..times).map(|_| once()).collect::<Res<Vec<f64>>>()?))
}

/// Every committed suite.
pub(crate) fn check(bench: &Bench) -> Res<Vec<Row>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites");
    let mut slowest = (0.0, String::new());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "bench") {
            let name = path.to_string_lossy().into_owned();
            let time = timed(bench.either(3, 15), &["check", &name])?;
            if time > slowest.0 {
                slowest = (time, path.file_name().unwrap_or_default().to_string_lossy().into());
            }
        }
    }
    Ok(vec![Row::new(
        "enginecmp check of a committed suite",
        "under 5 ms",
        format!("{:.1} ms", slowest.0 * 1e3),
        format!("the slowest: {}; with the start of the process", slowest.1),
        slowest.0 < 0.005,
    )])
}

pub(crate) fn plan(bench: &Bench) -> Res<Vec<Row>> {
    let mut suite =
        "suite \"Many cells\"\nengine one { storage InnoDB }\nengine two { storage Aria }\n\
                     compare engine against one\noption table_open_cache = "
            .to_string();
    for value in 0..100 {
        write!(suite, "{}{}", if value == 0 { "" } else { ", " }, 400 + value)?;
    }
    suite
        .push_str("\nworkload oltp_point_select { rows 1000; distribution uniform; clients 1..50 step 1; measure 1s }\n");
    let file = bench.server.folder().join("many.bench");
    fs::write(&file, suite)?;
    let name = file.to_string_lossy();
    let cells =
        run(Command::new(ENGINECMP).env("PATH", PATH).args(["plan", &name, "--format", "json"]))?;
    let counted = cells.output.matches("\"key\"").count();
    let time = timed(bench.either(2, 5), &["plan", &name])?;
    Ok(vec![Row::new(
        "enginecmp plan of 10,000 cells",
        "under 0.2 s",
        format!("{time:.2} s"),
        format!("{counted} cells; with the question to mariadbd for its version"),
        time < 0.2,
    )])
}

/// Windows that the journals of a report have together.
const WINDOWS: u64 = 1_000_000;

/// A journal of a real run whose phases are made as long as the windows are to be many.
pub(crate) fn report(bench: &Bench) -> Res<Vec<Row>> {
    let suite = "suite \"Long\"\nengine one { storage SQLite; row_format rowid }\n\
                 engine two { storage SQLite; row_format without_rowid }\n\
                 workload tpcc { warehouses 1; density 1%; clients 1; measure 1s }\n\
                 repeat 5\ncompare engine against one\n";
    let ran = ours::run(bench.server.folder(), suite)?;
    let mut records = ran.journal.records;
    let phases =
        records.iter().filter(|record| matches!(record, Record::Windows(_))).count() as u64;
    let length = WINDOWS / phases.max(1);
    for record in &mut records {
        match record {
            Record::Windows(windows) if windows.phase == Phase::Measure => {
                for of in &mut windows.types {
                    let noise = |base: u64| -> Vec<u64> {
                        let draw = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
                        (0..length).map(|n| base + draw(n)).collect()
                    };
                    of.count = noise(20_000);
                    (of.p95_us, of.p99_us, of.max_us) = (noise(300), noise(800), noise(5000));
                }
            }
            Record::Repetition(repetition) => {
                for round in &mut repetition.rounds {
                    round.duration_ns = length * 1_000_000_000;
                }
            }
            _ => {}
        }
    }
    let folder = bench.server.folder().join("long");
    let mut writer = Writer::create(&folder)?;
    for record in &records {
        writer.write(record)?;
    }
    drop(writer);
    let name = folder.to_string_lossy();
    let time = timed(bench.either(1, 3), &["report", &name])?;
    let html = timed(1, &["report", &name, "--format", "html"])?;
    let size = fs::metadata(folder.join("journal.jsonl"))?.len() as f64 / 1e6;
    Ok(vec![Row::new(
        "report from a journal of a million windows",
        "under 2 s",
        format!("{time:.2} s"),
        format!("{phases} repetitions of {length} windows, {size:.1} MB; as HTML {html:.2} s"),
        time < 2.0 && html < 2.0,
    )])
}
