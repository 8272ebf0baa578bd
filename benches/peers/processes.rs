//! Programs that are run, and the processor time that they use.

use super::Res;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Where Debian puts servers, which an ordinary user's PATH lacks.
pub(crate) const PATH: &str = "/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin:/sbin:/bin";

/// How often a process is looked at: a look takes a processor from those who work on it.
const LOOK: Duration = Duration::from_millis(50);

/// Processor time, seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cpu {
    pub(crate) user: f64,
    pub(crate) system: f64,
}

impl Cpu {
    pub(crate) fn total(self) -> f64 {
        self.user + self.system
    }

    fn since(self, before: Self) -> Self {
        Self { user: self.user - before.user, system: self.system - before.system }
    }

    /// Fields 14 to 17 of /proc/PID/stat: `which` is 0 for the process, 2 for its children.
    fn read(file: &Path, which: usize) -> Option<Self> {
        let stat = fs::read_to_string(file).ok()?;
        let mut fields = stat[stat.rfind(')')? + 1..].split_whitespace().skip(11 + which);
        let ticks = rustix::param::clock_ticks_per_second() as f64;
        let mut next = || Some(fields.next()?.parse::<f64>().ok()? / ticks);
        Some(Self { user: next()?, system: next()? })
    }

    /// Of a process so far.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        Self::read(Path::new(&format!("/proc/{pid}/stat")), 0)
    }

    /// Of all children that have ended.
    fn of_children() -> Option<Self> {
        Self::read(Path::new("/proc/self/stat"), 2)
    }
}

/// A program that came to its end.
pub(crate) struct Ended {
    pub(crate) output: String,
    pub(crate) elapsed: f64,
    pub(crate) cpu: Cpu,
}

/// Runs a program to its end.
pub(crate) fn run(command: &mut Command) -> Res<Ended> {
    let before = Cpu::of_children().unwrap_or_default();
    let began = Instant::now();
    let output = command.stdin(Stdio::null()).output();
    let elapsed = began.elapsed().as_secs_f64();
    let name = command.get_program().to_string_lossy().into_owned();
    let output = output.map_err(|error| format!("{name}: {error}"))?;
    if !output.status.success() {
        return Err(failed(&name, output.status, &output.stderr).into());
    }
    let cpu = Cpu::of_children().unwrap_or_default().since(before);
    Ok(Ended { output: String::from_utf8_lossy(&output.stdout).into_owned(), elapsed, cpu })
}

fn failed(name: &str, status: ExitStatus, said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let last: Vec<&str> = said.lines().rev().take(3).collect();
    format!("{name} ended with {status}: {}", last.into_iter().rev().collect::<Vec<_>>().join("; "))
}

/// What a program used while its clients worked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Working {
    /// All of the process.
    pub(crate) cpu: Cpu,
    /// Threads beside those of clients, seconds: the recorder's and the sampler's.
    pub(crate) beside: f64,
    /// Resident memory at the end, bytes.
    pub(crate) resident: f64,
    /// How long they were watched, seconds.
    pub(crate) seconds: f64,
}

/// Which threads of a program are its clients.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Clients {
    /// Those of this name; they work as soon as there is one.
    Named(&'static str),
    /// All; they work when there are so many threads beside the first.
    Threads(usize),
}

impl Clients {
    fn are(self, thread: &str) -> bool {
        match self {
            Self::Named(name) => thread.starts_with(name),
            Self::Threads(_) => true,
        }
    }

    fn work(self, threads: &[(String, u64)]) -> bool {
        match self {
            Self::Named(_) => threads.iter().any(|(name, _)| self.are(name)),
            Self::Threads(count) => threads.len() > count,
        }
    }
}

/// Threads of a process by name, with the nanoseconds that each was on a processor.
pub(crate) fn threads(pid: u32) -> Vec<(String, u64)> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    tasks
        .filter_map(|task| {
            let task = task.ok()?.path();
            let name = fs::read_to_string(task.join("comm")).ok()?.trim().to_string();
            // The first field is the time on a processor, nanoseconds.
            let times = fs::read_to_string(task.join("schedstat")).ok()?;
            Some((name, times.split_whitespace().next()?.parse().ok()?))
        })
        .collect()
}

/// Watches a program: what it uses between the first and the last sight of its clients at work.
pub(crate) fn watch(child: &mut Child, clients: Clients) -> Res<(ExitStatus, Option<Working>)> {
    let pid = child.id();
    let beside = |threads: &[(String, u64)]| {
        let others = threads.iter().filter(|(name, _)| !clients.are(name));
        others.map(|(_, time)| *time as f64 / 1e9).sum::<f64>()
    };
    let began = Instant::now();
    let mut first = None;
    let mut last = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((
                status,
                first.zip(last).map(|(first, last): (Working, Working)| Working {
                    cpu: last.cpu.since(first.cpu),
                    beside: last.beside - first.beside,
                    resident: last.resident,
                    seconds: last.seconds - first.seconds,
                }),
            ));
        }
        let threads = threads(pid);
        if clients.work(&threads)
            && let Some(cpu) = Cpu::of(pid)
        {
            let seconds = began.elapsed().as_secs_f64();
            let beside = beside(&threads);
            let seen = Working { cpu, beside, resident: resident(pid), seconds };
            first.get_or_insert(seen);
            last = Some(seen);
        }
        // Many threads take long to look at; what they do then takes longer, too.
        std::thread::sleep(LOOK * (1 + threads.len() as u32 / 50));
    }
}

/// Runs another's program to its end, watched as enginecmp is. What it prints is short.
pub(crate) fn run_watched(command: &mut Command, clients: usize) -> Res<(String, Working)> {
    let name = command.get_program().to_string_lossy().into_owned();
    let said = tempfile::NamedTempFile::new()?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(said.reopen()?)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{name}: {error}"))?;
    let (status, working) = watch(&mut child, Clients::Threads(clients))?;
    let output = fs::read_to_string(said.path())?;
    if !status.success() {
        return Err(failed(&name, status, output.as_bytes()).into());
    }
    Ok((output, working.ok_or_else(|| format!("{name} was never seen at work"))?))
}

fn resident(pid: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.unwrap_or(0.0) * 1024.0
}
