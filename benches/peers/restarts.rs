//! What a repetition takes outside its measured phases: a fresh copy of the data, evicted, and a
//! fresh server, started and stopped.

use super::pairs::median;
use super::processes::{Ended, run};
use super::table::Row;
use super::{Bench, Res, ours};
use enginecmp::model::Metric;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// Length of the measured phase, seconds.
const MEASURE: u32 = 2;

/// What the goal says of the disk, bytes a second.
const RATE: f64 = 500e6;

/// What this disk copies, bytes a second: a file read past the page cache, written and synced.
fn copy_rate(folder: &Path) -> Res<f64> {
    const PIECES: usize = 96;
    let (from, to) = (folder.join("from"), folder.join("to"));
    let mut file = File::create(&from)?;
    let piece: Vec<u8> =
        (0..4u32 << 20).map(|n| (n.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
    for _ in 0..PIECES {
        file.write_all(&piece)?;
    }
    file.sync_all()?;
    let Ended { elapsed, .. } = run(Command::new("dd")
        .arg(format!("if={}", from.display()))
        .arg(format!("of={}", to.display()))
        .args(["bs=4M", "iflag=direct", "conv=fsync", "status=none"]))?;
    fs::remove_file(from)?;
    fs::remove_file(to)?;
    Ok((PIECES * piece.len()) as f64 / elapsed)
}

pub(crate) fn repetition(bench: &Bench) -> Res<Vec<Row>> {
    let rows = bench.either(50_000, 1_050_000);
    let suite = format!(
        "suite \"Restarts\"\nengine innodb {{ storage InnoDB }}\ncache 256M\nload {{ threads 2 }}\n\
         workload oltp_point_select {{ tables 4; rows {rows}; distribution uniform; \
         clients 1; measure {MEASURE}s }}\n\
         repeat {}\n",
        bench.either(2, 3)
    );
    let rate = copy_rate(bench.server.folder())?;
    let ran = ours::run(bench.server.folder(), &suite)?;
    let bytes: u64 = ran.dataset()?.files.iter().map(|file| file.blocks_bytes).sum();
    let bytes = bytes as f64;
    let repetitions = ran.journal.repetitions();
    let all = |pick: &dyn Fn(&enginecmp::journal::record::RepetitionRecord) -> f64| {
        median(&repetitions.iter().map(|one| pick(one.record)).collect::<Vec<_>>())
    };
    let of = |metric: Metric| {
        all(&|record| {
            let value = record.metrics.iter().find(|value| value.id.metric == metric);
            value.map_or(f64::NAN, |value| value.value)
        })
    };
    let outside = all(&|record| record.elapsed_ms as f64 / 1e3 - f64::from(MEASURE));
    let on_that_disk = outside - bytes / rate + bytes / RATE;
    Ok(vec![Row::new(
        &format!("a repetition outside its phases, dataset of {:.2} GB", bytes / 1e9),
        "under 5 s on a disk that copies 500 MB/s",
        format!("{on_that_disk:.1} s"),
        format!(
            "{outside:.1} s here, where dd copies {:.0} MB/s; of it start {:.2} s, stop {:.2} s",
            rate / 1e6,
            of(Metric::StartTime),
            of(Metric::StopTime)
        ),
        on_that_disk < 5.0,
    )])
}
