//! The binary's size, and with `--build` how long the first release build takes.

use super::processes::run;
use super::table::Row;
use super::{Bench, Res, ours};
use std::fs;
use std::process::Command;

pub(crate) fn size_and_time(bench: &Bench) -> Res<Vec<Row>> {
    let stripped = bench.server.folder().join("stripped");
    run(Command::new("strip").arg("-o").arg(&stripped).arg(ours::ENGINECMP))?;
    let size = fs::metadata(&stripped)?.len() as f64 / 1e6;
    let what = "first release build from a clean checkout";
    let goal = "under 4 minutes on two cores";
    let time = if bench.asked.build {
        // Of what is committed, in a folder of its own, with sources of crates already there.
        let root = env!("CARGO_MANIFEST_DIR");
        let folder = tempfile::tempdir()?;
        let built = run(Command::new("cargo")
            .current_dir(root)
            .env("CARGO_TARGET_DIR", folder.path())
            .args(["build", "--release", "--locked"]))?;
        Row::new(
            what,
            goal,
            format!("{:.0} s", built.elapsed),
            format!("CPU {:.0} s; downloads left out", built.cpu.total()),
            built.elapsed < 240.0,
        )
    } else {
        Row::missing(what, goal, "takes minutes: --build")
    };
    Ok(vec![
        time,
        Row::new(
            "binary, stripped",
            "under 15 MB",
            format!("{size:.2} MB"),
            String::new(),
            size < 15.0,
        ),
    ])
}
