//! The `enginecmp` command: reads the environment once, hands over to [`enginecmp::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    enginecmp::cli::main()
}
