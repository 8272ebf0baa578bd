//! Processes that die with enginecmp, however it dies.
//!
//! Between enginecmp and a server stands a guard: the same binary under a hidden verb. It holds
//! the reading end of a pipe whose writing end enginecmp has. When enginecmp ends, by whatever
//! signal, the kernel closes the pipe and the guard kills the server's process group. Unlike a
//! parent-death signal this survives a server that changes its user.

mod serve;

pub use serve::{VERB, serve};

use super::environment;
use super::share::Limits;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Starts processes under guards.
#[derive(Clone, Debug)]
pub struct Guard {
    program: PathBuf,
}

/// What to start under a guard.
#[derive(Clone, Debug, Default)]
pub struct GuardedSpec {
    /// The program; found as given, no shell.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Environment variables to add.
    pub environment: Vec<(String, OsString)>,
    /// The file that gets its standard output and error, appended.
    pub output: PathBuf,
    /// The file that it reads as standard input; none for an empty one.
    pub input: Option<PathBuf>,
    /// What it may use of the machine.
    pub limits: Limits,
    /// A directory that is removed when it has ended, also after enginecmp's death.
    pub remove_after: Option<PathBuf>,
}

/// How a guarded process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With this exit status.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// By the kernel, since it used up the memory of its limits.
    OutOfMemory,
    /// Its guard was killed, and it with the guard.
    GuardLost,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit status {code}"),
            Self::Signal(9) => f.write_str("signal 9 (killed)"),
            Self::Signal(6) => f.write_str("signal 6 (aborted)"),
            Self::Signal(11) => f.write_str("signal 11 (crashed)"),
            Self::Signal(number) => write!(f, "signal {number}"),
            Self::OutOfMemory => f.write_str(
                "killed by the kernel, since it used up the memory that `machine { memory }` allows",
            ),
            Self::GuardLost => f.write_str("killed, since its guard was killed"),
        }
    }
}

/// What the guard has reported so far.
#[derive(Debug, Default)]
struct Reported {
    started: Option<u32>,
    failed: Option<String>,
    ended: Option<Ended>,
}

type Shared = Arc<(Mutex<Reported>, Condvar)>;

fn locked(shared: &Shared) -> MutexGuard<'_, Reported> {
    // A thread that panicked with the lock left a report that is still whole.
    shared.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A process under a guard. Dropping it kills it.
#[derive(Debug)]
pub struct GuardedProcess {
    pid: u32,
    guard: Child,
    commands: Mutex<Option<ChildStdin>>,
    shared: Shared,
    reader: Option<JoinHandle<()>>,
}

impl Guard {
    /// Guards that are this very program, even when its file was replaced meanwhile.
    pub fn this_program() -> Self {
        Self { program: PathBuf::from("/proc/self/exe") }
    }

    /// Guards that are the enginecmp binary at `program`.
    pub fn of(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into() }
    }

    /// Starts a process. The error says what of it could not be done.
    pub fn spawn(&self, spec: &GuardedSpec) -> io::Result<GuardedProcess> {
        let mut guard = environment::command(&self.program)
            .arg0(serve::PROCESS_NAME)
            .args(serve::arguments(spec))
            // Ctrl-C at the terminal is for enginecmp, which then stops servers in good order.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let commands = guard.stdin.take();
        let reports =
            guard.stdout.take().ok_or_else(|| io::Error::other("no pipe to the guard"))?;
        let shared: Shared = Arc::default();
        let reader = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || listen(BufReader::new(reports), &shared)
        });
        let mut process = GuardedProcess {
            pid: 0,
            guard,
            commands: Mutex::new(commands),
            shared,
            reader: Some(reader),
        };
        let mut reported = locked(&process.shared);
        loop {
            if let Some(pid) = reported.started {
                drop(reported);
                process.pid = pid;
                return Ok(process);
            }
            if let Some(message) = reported.failed.take() {
                return Err(io::Error::other(message));
            }
            if reported.ended.is_some() {
                return Err(io::Error::other(format!(
                    "the guard process ({}) ended at once",
                    self.program.display()
                )));
            }
            reported =
                process.shared.1.wait(reported).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }
}

/// Takes the guard's reports until it is gone.
fn listen(reports: impl BufRead, shared: &Shared) {
    for line in reports.lines() {
        let Ok(line) = line else { break };
        let (word, rest) = line.split_once(' ').unwrap_or((line.as_str(), ""));
        let mut reported = locked(shared);
        match word {
            "started" => reported.started = rest.parse().ok(),
            "failed" => reported.failed = Some(rest.to_string()),
            "exit" => reported.ended = rest.parse().ok().map(Ended::Exit),
            "memory" => reported.ended = Some(Ended::OutOfMemory),
            "signal" => reported.ended = rest.parse().ok().map(Ended::Signal),
            _ => {}
        }
        shared.1.notify_all();
    }
    let mut reported = locked(shared);
    if reported.ended.is_none() {
        // Somebody killed the guard alone: its group is ours to end.
        if let Some(pid) = reported.started {
            kill_group(pid);
        }
        reported.ended = Some(Ended::GuardLost);
    }
    shared.1.notify_all();
}

/// Kills a process group and waits until the kernel knows it no more, 10 s at most.
fn kill_group(leader: u32) {
    let Some(group) = i32::try_from(leader).ok().and_then(Pid::from_raw) else { return };
    // An error means that there is none left.
    let _ = kill_process_group(group, Signal::KILL);
    let deadline = Instant::now() + Duration::from_secs(10);
    while test_kill_process_group(group).is_ok() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
}

impl GuardedProcess {
    /// Process id of the guarded process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// How it ended; none while it lives.
    pub fn ended(&self) -> Option<Ended> {
        locked(&self.shared).ended
    }

    /// Waits until it has ended, `limit` at most; none when it lives on.
    pub fn wait(&self, limit: Duration) -> Option<Ended> {
        let reported = locked(&self.shared);
        let (reported, _) = self
            .shared
            .1
            .wait_timeout_while(reported, limit, |reported| reported.ended.is_none())
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        reported.ended
    }

    /// Asks it to end as from a terminal (SIGINT).
    pub fn interrupt(&self) {
        self.command("interrupt");
    }

    /// Asks it to end (SIGTERM).
    pub fn terminate(&self) {
        self.command("terminate");
    }

    /// Kills it with its whole process group (SIGKILL).
    pub fn kill(&self) {
        self.command("kill");
    }

    fn command(&self, word: &str) {
        let mut commands = self.commands.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(pipe) = commands.as_mut() {
            // A guard that is gone has killed the process already.
            let _ = writeln!(pipe, "{word}").and_then(|()| pipe.flush());
        }
    }
}

impl Drop for GuardedProcess {
    fn drop(&mut self) {
        self.commands.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        let _ = self.guard.wait();
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}
