//! Making an empty data directory: once for a build and a set of options, then copied.

use super::ManagedServer;
use super::log::{Logs, headline};
use crate::host::copy::{Leave, copy_tree};
use crate::host::guard::{Ended, GuardedProcess, GuardedSpec};
use crate::host::interrupt::Interrupt;
use crate::host::{tree, work_dir};
use crate::model::{Failure, FailureKind, Phase};
use crate::target::OptionLine;
use crate::target::families::Family;
use crate::target::families::rows::Initialise;
use crate::target::store::stays_behind;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long making a data directory may take; slow disks and busy machines included.
const WITHIN: Duration = Duration::from_secs(600);

/// How often a wait for the server's end looks.
const LOOK: Duration = Duration::from_millis(20);

/// One template at a time is made by this process; the work directory's lock keeps others out.
static MAKING: Mutex<()> = Mutex::new(());

fn io_failure(what: &str, error: &io::Error) -> Failure {
    Failure::new(Phase::Initialise, FailureKind::Io, format!("{what}: {error}"))
}

fn interrupted() -> Failure {
    Failure::new(
        Phase::Initialise,
        FailureKind::Interrupted,
        "interrupted while an empty data directory was made",
    )
}

/// Waits for the end of a process, [`WITHIN`] at most; none when it takes longer. An interrupt
/// ends the wait with a failure; dropping the process kills it.
fn end_of(process: &GuardedProcess, interrupt: &Interrupt) -> Result<Option<Ended>, Failure> {
    let began = Instant::now();
    while began.elapsed() < WITHIN {
        if let Some(ended) = process.ended() {
            return Ok(Some(ended));
        }
        if interrupt.wait(LOOK) {
            return Err(interrupted());
        }
    }
    Ok(process.ended())
}

/// Makes `data_dir` by copying the template of this build and these options.
pub(super) fn initialise(
    server: &ManagedServer,
    data_dir: &Path,
    options: &[OptionLine],
) -> Result<(), Failure> {
    let template = {
        let _one = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
        template(server, options)?
    };
    let interrupt = &server.settings.interrupt;
    let skip = |path: &Path| interrupt.is_raised() || stays_behind(path);
    copy_tree(&template, data_dir, Leave::Warm, &skip)
        .map_err(|error| io_failure("cannot copy the empty data directory", &error))?;
    if interrupt.is_raised() { Err(interrupted()) } else { Ok(()) }
}

/// The name of the template: what an empty data directory depends on, hashed.
fn key(server: &ManagedServer, options: &[OptionLine]) -> String {
    let mut hash = Sha256::new();
    for part in [&server.description.family, &server.description.version, &server.description.build]
    {
        hash.update(part);
        hash.update([0]);
    }
    for line in options {
        hash.update(&line.name);
        hash.update([1]);
        hash.update(line.value.as_deref().unwrap_or("\u{2}"));
        hash.update([0]);
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The data directory of the template, made if it is not there.
fn template(server: &ManagedServer, options: &[OptionLine]) -> Result<PathBuf, Failure> {
    let templates = &server.settings.templates;
    let whole = templates.join(key(server, options));
    let data = whole.join("data");
    // It gets its name when it is whole, so a half-made one is never taken for it.
    if data.is_dir() {
        return Ok(data);
    }
    DirBuilder::new()
        .recursive(true)
        .mode(0o711)
        .create(templates)
        .map_err(|error| io_failure(&format!("cannot make {}", templates.display()), &error))?;
    let half =
        tempfile::Builder::new().prefix(work_dir::HALF).tempdir_in(templates).map_err(|error| {
            io_failure("cannot make a directory for an empty data directory", &error)
        })?;
    make(server, half.path(), options)?;
    let half = half.keep();
    if let Err(error) = std::fs::rename(&half, &whole) {
        // What is in the way is none of ours to use.
        let _ = tree::remove(&half);
        return Err(io_failure(&format!("cannot make {}", whole.display()), &error));
    }
    Ok(data)
}

/// Makes `data` in `directory`.
fn make(server: &ManagedServer, directory: &Path, options: &[OptionLine]) -> Result<(), Failure> {
    let failed = |what: &str, error: io::Error| io_failure(what, &error);
    let data = directory.join("data");
    let tmp = directory.join("tmp");
    let output = directory.join("output.log");
    DirBuilder::new().mode(0o700).create(&tmp).map_err(|error| failed("tmp", error))?;
    let mut arguments: Vec<OsString> = vec!["--no-defaults".into()];
    let mut argument = |name: &str, value: &Path| {
        let mut text = OsString::from(format!("--{name}="));
        text.push(value);
        arguments.push(text);
    };
    if !server.installation.wrapper {
        argument("basedir", &server.installation.basedir);
    }
    argument("datadir", &data);
    argument("tmpdir", &tmp);
    if crate::host::users::is_root() {
        arguments.push("--user=root".into());
    }
    let recipe = Family::row(server.family.initialise, server.description.release);
    let mut input = None;
    match recipe.unwrap_or(Initialise::Insecure) {
        Initialise::Insecure => arguments.push("--initialize-insecure".into()),
        Initialise::Bootstrap { arguments: more, first, scripts, last } => {
            arguments.push("--bootstrap".into());
            arguments.extend(more.iter().map(|text| OsString::from(*text)));
            // The server wants the directory of the database that the scripts fill.
            std::fs::create_dir_all(data.join("mysql")).map_err(|error| failed("data", error))?;
            let script = directory.join("bootstrap.sql");
            let mut text = first.as_bytes().to_vec();
            for wanted in scripts {
                let Some(path) =
                    wanted.names.iter().find_map(|name| server.installation.script(name))
                else {
                    if wanted.needed {
                        return Err(missing_script(server, wanted.names));
                    }
                    continue;
                };
                let read = std::fs::read(&path);
                text.extend(read.map_err(|error| failed(&path.display().to_string(), error))?);
                text.push(b'\n');
            }
            text.extend_from_slice(last.as_bytes());
            std::fs::write(&script, text).map_err(|error| failed("bootstrap.sql", error))?;
            input = Some(script);
        }
    }
    for line in options {
        let name = line.name.replace('_', "-");
        arguments.push(match &line.value {
            Some(value) => format!("--{name}={value}").into(),
            None => format!("--{name}").into(),
        });
    }
    let logs = Logs::from_here(&[&output]);
    let process = server
        .settings
        .guard
        .spawn(&GuardedSpec {
            program: server.installation.binary.clone(),
            arguments,
            output,
            input,
            ..GuardedSpec::default()
        })
        .map_err(|error| failed("the server cannot be run", error))?;
    let Some(ended) = end_of(&process, &server.settings.interrupt)? else {
        return Err(Failure::new(
            Phase::Initialise,
            FailureKind::Timeout,
            format!("making an empty data directory did not end in {} s", WITHIN.as_secs()),
        )
        .log_tail(logs.last()));
    };
    // With --bootstrap some releases go on after an error and end with 0.
    let complaint = logs.last().into_iter().find(|line| line.starts_with("ERROR:"));
    if ended != Ended::Exit(0) || complaint.is_some() {
        return Err(told(ended, logs.telling(), options));
    }
    Ok(())
}

fn missing_script(server: &ManagedServer, names: &[&str]) -> Failure {
    Failure::new(
        Phase::Initialise,
        FailureKind::ServerMissing,
        format!(
            "{} has no {} in its share directory, so no data directory can be made",
            server.installation.basedir.display(),
            names.join(" or ")
        ),
    )
    .next_step("Install the whole server; Debian keeps this file in mariadb-server-core")
}

/// What the server says of its failure; at the suite's line, when it names one of its options.
fn told(ended: Ended, lines: Vec<String>, options: &[OptionLine]) -> Failure {
    let why = headline(&lines).unwrap_or_else(|| "it said nothing".to_string());
    let named = super::start::named_option(&lines, options);
    let mut failure = Failure::new(
        Phase::Initialise,
        FailureKind::ServerDied,
        format!("making an empty data directory failed ({ended}): {why}"),
    )
    .log_tail(lines);
    failure.next_step = super::start::advice(&failure.log_tail, named);
    failure.place = named.and_then(|line| line.place.clone());
    failure
}
