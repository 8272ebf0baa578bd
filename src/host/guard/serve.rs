//! The guard's own side: what the hidden verb does.

use super::GuardedSpec;
use crate::host::{environment, process, share};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
};
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The hidden verb of the enginecmp binary.
pub const VERB: &str = "__guard";

/// What the guard is called in process lists, so that killing `enginecmp` by name spares it and it
/// can do its work.
pub(super) const PROCESS_NAME: &str = "ecmp-guard";

/// The signal that cannot be caught; the kernel sends it, too.
const KILLED: i32 = 9;

/// How long the guard tries to end what its process left outside the group. A killed process ends
/// at once, unless a device holds it.
const STRAYS_END_WITHIN: Duration = Duration::from_secs(10);

/// The arguments that make the binary guard `spec`.
pub(super) fn arguments(spec: &GuardedSpec) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec![VERB.into()];
    let mut option = |name: &str, value: OsString| arguments.extend([name.into(), value]);
    option("--output", spec.output.clone().into());
    if let Some(input) = &spec.input {
        option("--input", input.clone().into());
    }
    if let Some(directory) = &spec.remove_after {
        option("--remove-after", directory.clone().into());
    }
    if let Some(memory) = spec.limits.memory {
        option("--memory", memory.to_string().into());
    }
    if let Some(processors) = &spec.limits.processors {
        let list: Vec<String> = processors.iter().map(ToString::to_string).collect();
        option("--processors", list.join(",").into());
    }
    for (name, value) in &spec.environment {
        let mut pair = OsString::from(format!("{name}="));
        pair.push(value);
        option("--env", pair);
    }
    arguments.push("--".into());
    arguments.push(spec.program.clone().into());
    arguments.extend(spec.arguments.iter().cloned());
    arguments
}

/// Reads back what [`arguments`] wrote, without the verb.
fn parse(arguments: impl IntoIterator<Item = OsString>) -> Option<GuardedSpec> {
    let mut spec = GuardedSpec::default();
    let mut arguments = arguments.into_iter();
    loop {
        let name = arguments.next()?;
        if name == "--" {
            break;
        }
        let value = arguments.next()?;
        match name.to_str()? {
            "--output" => spec.output = PathBuf::from(value),
            "--input" => spec.input = Some(PathBuf::from(value)),
            "--remove-after" => spec.remove_after = Some(PathBuf::from(value)),
            "--memory" => spec.limits.memory = Some(value.to_str()?.parse().ok()?),
            "--processors" => {
                let list = value.to_str()?.split(',').map(str::parse).collect::<Result<_, _>>();
                spec.limits.processors = Some(list.ok()?);
            }
            "--env" => {
                let bytes = value.into_vec();
                let at = bytes.iter().position(|byte| *byte == b'=')?;
                let name = String::from_utf8(bytes[..at].to_vec()).ok()?;
                let value = std::ffi::OsStr::from_bytes(&bytes[at + 1..]).to_owned();
                spec.environment.push((name, value));
            }
            _ => return None,
        }
    }
    spec.program = PathBuf::from(arguments.next()?);
    spec.arguments = arguments.collect();
    Some(spec)
}

/// Does what the hidden verb asks for: starts the process, obeys the pipe on standard input, and
/// kills the process group when the pipe ends. `arguments` are those after the verb. Gives the
/// exit code of the guard.
pub fn serve(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    // Only for process lists; without it everything works.
    let _ = rustix::thread::set_name(c"ecmp-guard");
    // Descendants that leave the group (fio's jobs call setsid) become ours when their parents
    // end, and not init's. Where the kernel refuses, the group is ended as ever.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    let Some(spec) = parse(arguments) else {
        report(format_args!("failed the guard does not understand its arguments"));
        return 2;
    };
    // Entered before the process is there, so that it has no page and no thread outside.
    let group = match spec.limits.enter() {
        Ok(group) => group,
        Err(error) => {
            report(format_args!("failed {error}"));
            return 1;
        }
    };
    let code = match start(&spec) {
        Ok(child) => guard(child, &spec, group.as_ref()),
        Err(error) => {
            report(format_args!("failed {}: {error}", spec.program.display()));
            1
        }
    };
    if let Some(group) = group {
        group.leave();
    }
    code
}

/// Writes one line for enginecmp. When it is gone, so is the reader, and nobody minds.
fn report(line: std::fmt::Arguments<'_>) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

fn start(spec: &GuardedSpec) -> io::Result<Child> {
    let output = OpenOptions::new().create(true).append(true).open(&spec.output)?;
    let input = match &spec.input {
        Some(path) => Stdio::from(File::open(path)?),
        None => Stdio::null(),
    };
    environment::command(&spec.program)
        .args(&spec.arguments)
        .envs(spec.environment.iter().map(|(name, value)| (name, value)))
        .stdin(input)
        .stdout(output.try_clone()?)
        .stderr(output)
        .process_group(0)
        .spawn()
}

/// The guarded process group, as long as its leader has not been reaped: until then its number
/// cannot be given to another process.
struct Group {
    leader: Option<Pid>,
}

type SharedGroup = Arc<Mutex<Group>>;

fn with_group(group: &SharedGroup, act: impl FnOnce(Pid)) {
    let group = group.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(leader) = group.leader {
        act(leader);
    }
}

fn kill_all(group: &SharedGroup) {
    with_group(group, |leader| {
        let _ = kill_process_group(leader, Signal::KILL);
    });
}

fn guard(mut child: Child, spec: &GuardedSpec, limited: Option<&share::Group>) -> u8 {
    let leader = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    report(format_args!("started {}", child.id()));
    let group: SharedGroup = Arc::new(Mutex::new(Group { leader }));
    std::thread::spawn({
        let group = Arc::clone(&group);
        move || obey(io::stdin().lock(), &group)
    });
    // A signal to the guard ends what it guards. Without the handler the signal would end the
    // guard alone, and enginecmp would see to the rest.
    let _ = ctrlc::set_handler({
        let group = Arc::clone(&group);
        move || kill_all(&group)
    });
    if let Some(leader) = leader {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(leader), options), Err(rustix::io::Errno::INTR)) {}
    }
    // What the process left in its group ends with it.
    kill_all(&group);
    group.lock().unwrap_or_else(PoisonError::into_inner).leader = None;
    let status = child.wait();
    kill_strays();
    if let Some(directory) = &spec.remove_after {
        // A directory that is gone already is what was wanted.
        let _ = std::fs::remove_dir_all(directory);
    }
    match status {
        Ok(status) => match (status.code(), status.signal()) {
            (Some(code), _) => report(format_args!("exit {code}")),
            (None, Some(KILLED)) if limited.is_some_and(share::Group::ran_out_of_memory) => {
                report(format_args!("memory"));
            }
            (None, signal) => report(format_args!("signal {}", signal.unwrap_or_default())),
        },
        Err(error) => report(format_args!("failed cannot wait: {error}")),
    }
    0
}

/// Kills what the process left outside its group and reaps it, so that nobody writes into a
/// directory that is about to be removed. Every child that is left is such a stray, and each that
/// ends hands its own children to this process.
fn kill_strays() {
    let me = std::process::id();
    let deadline = Instant::now() + STRAYS_END_WITHIN;
    while Instant::now() < deadline {
        for stray in process::children_of(me) {
            if let Some(pid) = i32::try_from(stray).ok().and_then(Pid::from_raw) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        // Each turn reaps what has ended meanwhile.
        loop {
            match waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOHANG) {
                Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
                Ok(None) => break,
                Err(_) => return,
            }
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Obeys enginecmp until the pipe ends; its end is enginecmp's.
fn obey(commands: impl BufRead, group: &SharedGroup) {
    for line in commands.lines() {
        match line.as_deref() {
            Ok("interrupt") => with_group(group, |leader| {
                let _ = kill_process(leader, Signal::INT);
            }),
            Ok("terminate") => with_group(group, |leader| {
                let _ = kill_process(leader, Signal::TERM);
            }),
            Ok("kill") => kill_all(group),
            Ok(_) => {}
            Err(_) => break,
        }
    }
    kill_all(group);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::share::Limits;

    #[test]
    fn arguments_are_read_back_as_they_were_written() {
        let spec = GuardedSpec {
            program: "/usr/sbin/mysqld".into(),
            arguments: vec!["--defaults-file=/a b".into(), "--".into()],
            environment: vec![("LD_PRELOAD".into(), OsString::from_vec(vec![b'x', 0xff, b'=']))],
            output: "/o".into(),
            input: Some("/i".into()),
            limits: Limits { memory: Some(2 << 30), processors: Some(vec![0, 3]) },
            remove_after: Some("/tmp/s".into()),
        };
        let read = parse(arguments(&spec).into_iter().skip(1)).unwrap();
        assert_eq!(format!("{read:?}"), format!("{spec:?}"));
        assert!(parse(["--output".into(), "/o".into()]).is_none());
    }
}
