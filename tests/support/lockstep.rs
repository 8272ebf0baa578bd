//! Standard error of a child process, a line at a time and in step with it: while a line was not
//! taken, the child waits before it writes the next one.

use rustix::pipe::{PipeFlags, SpliceFlags, fcntl_setpipe_size, pipe_with, tee};
use std::os::fd::OwnedFd;
use std::process::Stdio;

/// Longest piece that a pipe takes as one.
const LONGEST: usize = 4096;

/// The end that the test reads. The pipe holds one write of the child and no more.
pub(crate) struct LockStep {
    read: OwnedFd,
    /// Where a line is copied to be looked at while it stays in the pipe.
    copy: (OwnedFd, OwnedFd),
}

impl LockStep {
    /// The end to read, and the end for the child.
    pub(crate) fn new() -> (Self, Stdio) {
        // Each write stays a piece of its own, and there is room for one.
        let (read, write) = pipe_with(PipeFlags::DIRECT | PipeFlags::CLOEXEC).expect("a pipe");
        fcntl_setpipe_size(&write, LONGEST).expect("a pipe of one page");
        let copy = pipe_with(PipeFlags::CLOEXEC).expect("a pipe");
        (Self { read, copy }, Stdio::from(write))
    }

    /// Waits for the next piece and leaves it where it is; none when the child has ended. Until it
    /// is taken the child can go on to its next line, and not beyond.
    pub(crate) fn peek(&self) -> Option<String> {
        let copied = tee(&self.read, &self.copy.1, LONGEST, SpliceFlags::empty()).expect("a pipe");
        (copied > 0).then(|| piece(&self.copy.0))
    }

    /// Waits for the next piece and takes it; none when the child has ended.
    pub(crate) fn take(&mut self) -> Option<String> {
        Some(piece(&self.read)).filter(|text| !text.is_empty())
    }
}

fn piece(from: &OwnedFd) -> String {
    let mut bytes = vec![0; LONGEST];
    let read = rustix::io::read(from, &mut bytes).expect("a pipe");
    bytes.truncate(read);
    String::from_utf8(bytes).expect("it is text")
}

/// Whether the main thread of a process waits for room in a pipe.
pub(crate) fn waits_for_room(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/wchan"))
        .is_ok_and(|place| place.ends_with("pipe_write"))
}
