//! Runs of the real binary with outside tools, and programs that stand in for tools.

use crate::support::managed::binary;
use enginecmp::journal::{Journal, read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs a suite; its journal goes to `out` in `directory`.
pub(crate) fn run(directory: &Path, suite: &str, out: &str, flags: &[&str]) -> Output {
    run_with(directory, suite, out, flags, &[])
}

/// The same with variables of the environment.
pub(crate) fn run_with(
    directory: &Path,
    suite: &str,
    out: &str,
    flags: &[&str],
    variables: &[(&str, &str)],
) -> Output {
    let path = directory.join("tool.bench");
    std::fs::write(&path, suite).expect("it can be written");
    let mut command = Command::new(binary());
    command.arg("run").arg(&path).arg("--work").arg(directory.join("work"));
    command.arg("--out").arg(directory.join(out)).args(flags);
    command.envs(variables.iter().copied());
    command.output().expect("it runs")
}

/// Everything that a run said.
pub(crate) fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// The journal of a run.
pub(crate) fn journal(directory: &Path, out: &str) -> Journal {
    read(&directory.join(out)).expect("a journal")
}

/// A program that prints `text` and ends with `code`.
pub(crate) fn stand_in(directory: &Path, name: &str, text: &str, code: i32) -> PathBuf {
    let printed = directory.join(format!("{name}.txt"));
    std::fs::write(&printed, text).expect("it can be written");
    script(directory, name, &format!("cat '{}'\nexit {code}", printed.display()))
}

/// A shell script as a program.
pub(crate) fn script(directory: &Path, name: &str, text: &str) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("it can be written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("its mode");
    path
}
