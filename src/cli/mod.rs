//! The command line.

use std::process::ExitCode;

/// Runs the command with the arguments and the environment of this process.
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
