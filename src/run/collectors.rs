//! Commands of the user beside the measured phases.
//!
//! Each is started with an argument vector, without a shell, under the guard, so that it dies with
//! enginecmp. Everything that starting, reading and ending it takes happens on a thread of its own,
//! so that no phase waits for it. What it says comes through a pipe into bounded memory and is
//! written beside the journal when the phases are over: writes of ours would disturb the server's.

use super::places::Instance;
use super::pool::Boundary;
use super::repetition::{Env, Made, Step, close};
use super::schedule::Schedule;
use crate::host::guard::{Ended, Guard, GuardedProcess, GuardedSpec};
use crate::journal::record::{COLLECTED, CollectedRecord};
use crate::model::{CellKey, Failure, Finding, FindingCode, Phase};
use crate::plan::Collector;
use rustix::fs::{CWD, Mode, OFlags, mkfifoat, open};
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Bytes that are kept of the beginning of an output, and as many of its end.
const KEPT: usize = 2 << 20;

/// Bytes that are read between two looks.
const MOST_AT_ONCE: u64 = 1 << 20;

/// How long a command may take to end after each word: SIGINT as from a terminal, upon which tools
/// write what they have gathered, then SIGTERM.
const ENDING: Duration = Duration::from_secs(1);

/// How often the pipe is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// The collectors of one repetition: started with its first measured phase, ended with its last.
pub(super) struct Collectors<'a> {
    guard: &'a Guard,
    commands: &'a [Collector],
    /// Holds the pipes.
    pipes: &'a Path,
    running: Vec<(Sender<()>, JoinHandle<Collected>)>,
    failed: Vec<Collected>,
}

/// What came of one collector.
pub(super) struct Collected {
    /// Which `collect` command, from 1.
    number: usize,
    command: String,
    output: Output,
    /// How it ended before it was asked to.
    early: Option<Ended>,
    /// Why it was not started, or not read.
    error: Option<String>,
}

/// An output, bounded.
#[derive(Debug, Default)]
struct Output {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    bytes: u64,
}

impl Output {
    fn take(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let room = (KEPT - self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.tail.extend(&bytes[room..]);
        let more = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..more);
    }

    fn dropped(&self) -> u64 {
        self.bytes - (self.head.len() + self.tail.len()) as u64
    }

    fn text(&self) -> Vec<u8> {
        let mut text = self.head.clone();
        if self.dropped() > 0 {
            text.extend(format!("\n[{} bytes left out]\n", self.dropped()).into_bytes());
        }
        text.extend(&self.tail);
        text
    }
}

impl<'a> Collectors<'a> {
    /// Of one repetition; `pipes` is a directory of its own.
    pub(super) fn new(guard: &'a Guard, commands: &'a [Collector], pipes: &'a Path) -> Self {
        Self { guard, commands, pipes, running: Vec::new(), failed: Vec::new() }
    }

    /// Starts all; waits for none.
    pub(super) fn start(&mut self) {
        for (at, collector) in self.commands.iter().enumerate() {
            let work = Work {
                guard: self.guard.clone(),
                number: at + 1,
                collector: collector.clone(),
                pipe: self.pipes.join(format!("collector-{}", at + 1)),
            };
            let (stop, stopped) = channel();
            let thread = thread::Builder::new()
                .name("collector".to_string())
                .spawn(move || work.run(&stopped));
            match thread {
                Ok(thread) => self.running.push((stop, thread)),
                Err(error) => self.failed.push(Collected {
                    number: at + 1,
                    command: collector.command.clone(),
                    output: Output::default(),
                    early: None,
                    error: Some(format!("no thread for it: {error}")),
                }),
            }
        }
    }

    /// Tells all to end; waits for none.
    fn stop(&self) {
        for (stop, _) in &self.running {
            // One that has ended does not listen any more.
            let _ = stop.send(());
        }
    }

    /// Ends those that still run, and gives what all of them said.
    pub(super) fn finish(mut self) -> Vec<Collected> {
        self.stop();
        let mut said = std::mem::take(&mut self.failed);
        said.extend(self.running.drain(..).filter_map(|(_, thread)| thread.join().ok()));
        said.sort_by_key(|said| said.number);
        said
    }
}

/// Does `work` with the collectors of a repetition, which ends them at the latest when it is done.
pub(super) fn beside<T>(
    step: &Step<'_>,
    made: &mut Made,
    work: impl FnOnce(&mut Collectors<'_>, &mut Made) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let Env { plan, settings, .. } = step.env;
    let commands: &[Collector] = if step.whole { &plan.collectors } else { &[] };
    if commands.is_empty() {
        return work(&mut Collectors::new(&settings.guard, &[], Path::new("")), made);
    }
    let pipes = Instance::new(settings.work, "collectors", Phase::Measure)?;
    let mut collectors = Collectors::new(&settings.guard, commands, pipes.folder());
    let outcome = work(&mut collectors, made);
    made.collected = collectors.finish();
    // A cell has one finding of a kind.
    let wrong: Vec<String> = made.collected.iter().filter_map(Collected::wrong).collect();
    if !wrong.is_empty() {
        let finding = Finding::new(FindingCode::NotCollected, wrong.join("; "));
        made.findings.push(finding.of(step.cell.key.clone()));
    }
    close(pipes, &mut made.findings);
    outcome
}

/// Starts collectors when the first measured phase begins, and tells them to end with the last.
pub(super) struct CollectBoundary<'a, 'c> {
    first_measured: usize,
    end: usize,
    collectors: &'a mut Collectors<'c>,
    inner: &'a mut dyn Boundary,
}

impl<'a, 'c> CollectBoundary<'a, 'c> {
    pub(super) fn of(
        schedule: &Schedule,
        collectors: &'a mut Collectors<'c>,
        inner: &'a mut dyn Boundary,
    ) -> Self {
        let spans = schedule.spans();
        let first = spans.iter().position(|span| span.phase == Phase::Measure);
        Self { first_measured: first.unwrap_or_default(), end: spans.len(), collectors, inner }
    }
}

impl Boundary for CollectBoundary<'_, '_> {
    fn reached(&mut self, span: usize) {
        self.inner.reached(span);
        if span == self.first_measured {
            self.collectors.start();
        }
        if span == self.end {
            self.collectors.stop();
        }
    }
}

/// What the thread of one collector needs.
struct Work {
    guard: Guard,
    number: usize,
    collector: Collector,
    pipe: PathBuf,
}

impl Work {
    fn run(self, stop: &Receiver<()>) -> Collected {
        let mut output = Output::default();
        let ended = self.collect(stop, &mut output);
        let (early, error) = match ended {
            Ok(early) => (early, None),
            Err(error) => (None, Some(error.to_string())),
        };
        Collected { number: self.number, command: self.collector.command, output, early, error }
    }

    /// Reads what it says until it is told to stop or the command ends; gives how the command ended
    /// by itself.
    fn collect(&self, stop: &Receiver<()>, output: &mut Output) -> io::Result<Option<Ended>> {
        mkfifoat(CWD, &self.pipe, Mode::RUSR | Mode::WUSR)?;
        // Opened without waiting for a writer, so that a command that never starts holds nobody up.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut pipe = File::from(open(&self.pipe, flags, Mode::empty())?);
        let (program, arguments) =
            self.collector.arguments.split_first().ok_or_else(|| io::Error::other("no command"))?;
        let process = self.guard.spawn(&GuardedSpec {
            program: program.into(),
            arguments: arguments.iter().map(Into::into).collect(),
            output: self.pipe.clone(),
            ..GuardedSpec::default()
        })?;
        let mut early = None;
        while early.is_none() && !is_told(stop) {
            drain(&mut pipe, output)?;
            early = process.ended();
        }
        if early.is_none() {
            end(&process, &mut pipe, output)?;
        }
        // Dropping it waits until all of its group is gone.
        drop(process);
        drain(&mut pipe, output)?;
        Ok(early)
    }
}

/// Whether it is time to end, after a look's time at most.
fn is_told(stop: &Receiver<()>) -> bool {
    !matches!(stop.recv_timeout(LOOK), Err(RecvTimeoutError::Timeout))
}

/// Reads what is in the pipe now, [`MOST_AT_ONCE`] at most: a flood must not keep it from looking
/// whether it is time to end, and waits in the pipe instead.
fn drain(pipe: &mut File, output: &mut Output) -> io::Result<()> {
    let mut buffer = [0; 16 << 10];
    let limit = output.bytes + MOST_AT_ONCE;
    while output.bytes < limit {
        match pipe.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => output.take(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Asks the command to end, ever more firmly; what it still has to say is read meanwhile.
fn end(process: &GuardedProcess, pipe: &mut File, output: &mut Output) -> io::Result<()> {
    for ask in [GuardedProcess::interrupt, GuardedProcess::terminate] {
        ask(process);
        let deadline = Instant::now() + ENDING;
        while Instant::now() < deadline {
            if process.wait(LOOK / 5).is_some() {
                return Ok(());
            }
            drain(pipe, output)?;
        }
    }
    process.kill();
    Ok(())
}

impl Collected {
    /// What is wrong with it; with a command that is through early and well, nothing is.
    fn wrong(&self) -> Option<String> {
        let why = match (&self.error, self.early) {
            (Some(error), _) => error.clone(),
            (None, Some(ended)) if ended != Ended::Exit(0) => {
                format!("it ended before the measured phase was over, with {ended}")
            }
            _ => return None,
        };
        Some(format!("`{}`: {why}", self.command))
    }

    /// Writes the output below the directory `run`; gives the journal's record of it. None where
    /// the command was never started.
    pub(super) fn keep(
        &self,
        run: &Path,
        cell: &CellKey,
        repetition: u32,
        order: u32,
    ) -> io::Result<Option<CollectedRecord>> {
        if self.error.is_some() && self.output.bytes == 0 {
            return Ok(None);
        }
        let folder = run.join(COLLECTED);
        fs::create_dir_all(&folder)?;
        let name = format!("{order:04}-{}.txt", self.number);
        fs::write(folder.join(&name), self.output.text())?;
        Ok(Some(CollectedRecord {
            cell: cell.clone(),
            repetition,
            command: self.command.clone(),
            file: format!("{COLLECTED}/{name}"),
            bytes: self.output.bytes,
            dropped_bytes: self.output.dropped(),
            ended: self.early.map(|ended| ended.to_string()),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_a_flood_is_left_out_and_counted() {
        let mut output = Output::default();
        output.take(b"begin");
        output.take(&vec![b'x'; 3 * KEPT]);
        output.take(b"end");
        assert_eq!(output.bytes, 3 * KEPT as u64 + 8);
        assert_eq!(output.dropped(), KEPT as u64 + 8);
        let text = output.text();
        assert!(text.starts_with(b"begin") && text.ends_with(b"end"));
        assert!(text.len() < 2 * KEPT + 64);
    }

    #[test]
    fn a_command_that_is_through_early_is_no_finding_and_one_that_fails_is() {
        let said = |early, error: Option<&str>| Collected {
            number: 1,
            command: "vmstat 1".to_string(),
            output: Output::default(),
            early,
            error: error.map(str::to_string),
        };
        assert_eq!(said(None, None).wrong(), None);
        assert_eq!(said(Some(Ended::Exit(0)), None).wrong(), None);
        assert_eq!(
            said(Some(Ended::Exit(2)), None).wrong().as_deref(),
            Some("`vmstat 1`: it ended before the measured phase was over, with exit status 2")
        );
        assert_eq!(said(None, Some("gone")).wrong().as_deref(), Some("`vmstat 1`: gone"));
    }
}
