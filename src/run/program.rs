//! Other programs: started under the guard with an argument vector, without a shell.

use crate::host::guard::{Ended, Guard, GuardedSpec};
use crate::host::interrupt::Interrupt;
use std::fs::File;
use std::io::{self, Read};
use std::time::{Duration, Instant};

/// How often is looked whether the user wants to end.
const LOOK: Duration = Duration::from_millis(100);

/// Bytes of output that are read; the rest of a flood is of no use to anyone.
const MOST_OUTPUT: u64 = 64 << 20;

/// How a program ended.
pub(super) struct ProgramEnd {
    /// None: it was killed at the time limit or by an interrupt.
    pub(super) ended: Option<Ended>,
    /// Standard output and error, in the order in which they were written.
    pub(super) output: String,
}

impl ProgramEnd {
    /// Whether it said that all went well.
    pub(super) fn succeeded(&self) -> bool {
        self.ended == Some(Ended::Exit(0))
    }

    /// The last lines that it wrote.
    pub(super) fn tail(&self, lines: usize) -> Vec<String> {
        let all: Vec<&str> = self.output.lines().filter(|line| !line.trim().is_empty()).collect();
        all[all.len().saturating_sub(lines)..].iter().map(ToString::to_string).collect()
    }

    /// How it ended, in words.
    pub(super) fn how(&self) -> String {
        self.ended.map_or_else(|| "killed at the time limit".to_string(), |end| end.to_string())
    }
}

/// Starts a program and waits for its end, `limit` at most; an interrupt kills it. `meanwhile` is
/// called about ten times a second. The error says why it could not be started.
pub(super) fn run_program(
    guard: &Guard,
    spec: &GuardedSpec,
    limit: Duration,
    interrupt: &Interrupt,
    meanwhile: &mut dyn FnMut(),
) -> io::Result<ProgramEnd> {
    let process = guard.spawn(spec)?;
    let began = Instant::now();
    let ended = loop {
        if let Some(ended) = process.wait(LOOK) {
            break Some(ended);
        }
        meanwhile();
        if interrupt.is_raised() || began.elapsed() >= limit {
            process.kill();
            break None;
        }
    };
    // Dropping it waits until all of its group is gone.
    drop(process);
    let mut bytes = Vec::new();
    File::open(&spec.output)?.take(MOST_OUTPUT).read_to_end(&mut bytes)?;
    Ok(ProgramEnd { ended, output: String::from_utf8_lossy(&bytes).into_owned() })
}
