//! Runs the command as a user does, and gives what it printed.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What one call of `enginecmp` printed, and its exit code.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

/// `enginecmp` with these arguments, in `folder`, without colour, 100 columns wide.
pub(crate) fn enginecmp<S: AsRef<std::ffi::OsStr>>(folder: &Path, arguments: &[S]) -> Output {
    with_input(folder, arguments, b"")
}

/// The same with bytes on standard input.
pub(crate) fn with_input<S: AsRef<std::ffi::OsStr>>(
    folder: &Path,
    arguments: &[S],
    input: &[u8],
) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_enginecmp"))
        .args(arguments)
        .current_dir(folder)
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("standard input is piped");
    // A command that reads nothing may be gone already.
    let _ = stdin.write_all(input);
    drop(stdin);
    let output = child.wait_with_output().expect("the command ends");
    Output {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code().expect("the command ends by itself"),
    }
}
