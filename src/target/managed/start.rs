//! Starting: the option file, the process under its guard, the wait until it answers, and the
//! questions that follow: does it have what was asked for?

use super::instance::Instance;
use super::log::{Logs, headline};
use super::running::ManagedRunning;
use super::{ManagedServer, PLACED, option_file, read_back};
use crate::engine::EngineSpec;
use crate::host::guard::{GuardedProcess, GuardedSpec};
use crate::model::{Failure, FailureKind, Phase};
use crate::target::mysql_session::{Address, ConnectOptions, MysqlSession};
use crate::target::session::{ErrorClass, RowView, Session, SqlError};
use crate::target::{OptionLine, StartSpec, libraries};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Limits where a start states none.
const DEFAULT_LIMIT: Duration = Duration::from_secs(60);
/// How long one attempt to connect may take.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(10);

/// Starts the server and gives it when it has all that was asked for.
pub(super) fn start(server: &ManagedServer, spec: &StartSpec) -> Result<ManagedRunning, Failure> {
    refuse_early(server, spec)?;
    let user = server.user(Phase::Start)?;
    let instance =
        Instance::prepare(&spec.data_dir, user.as_ref(), server.settings.socket_base.as_deref())?;
    let lines = lines(server, spec, &instance, user.as_ref().map(|user| user.name.as_str()));
    option_file::write(&instance.option_file, &lines).map_err(|error| {
        Failure::new(
            Phase::Start,
            FailureKind::Io,
            format!("cannot write {}: {error}", instance.option_file.display()),
        )
    })?;
    let logs = Logs::from_here(&[&instance.output, &instance.error_log]);
    let began = Instant::now();
    let process = server
        .settings
        .guard
        .spawn(&GuardedSpec {
            program: server.installation.binary.clone(),
            arguments: vec![format!("--defaults-file={}", instance.option_file.display()).into()],
            output: instance.output.clone(),
            limits: server.settings.limits.clone(),
            remove_after: Some(instance.socket_directory.path().to_path_buf()),
            ..GuardedSpec::default()
        })
        .map_err(|error| {
            Failure::new(
                Phase::Start,
                FailureKind::ServerMissing,
                format!("the server cannot be run: {error}"),
            )
        })?;
    // The guard removes it from now on, also when enginecmp is killed.
    let _kept = instance.socket_directory.keep();
    let reach = ConnectOptions {
        address: Address::Socket(instance.socket.clone()),
        user: "root".to_string(),
        password: None,
        database: None,
        tls_ca: None,
        file_directory: None,
        within: CONNECT_WITHIN,
    };
    let limit = or_default(spec.ready_within);
    let mut session = wait_until_ready(&process, &reach, limit, &logs, spec)?;
    let start_time = began.elapsed();
    let variables = variables(&mut session).map_err(|error| asked_in_vain(&error, &logs))?;
    read_back::compare(&spec.options, &variables, &instance.data)?;
    for engine in &spec.engines {
        check_engine(&mut session, engine, &logs)?;
    }
    Ok(ManagedRunning {
        process,
        reach,
        variables,
        start_time,
        logs,
        stop_within: or_default(spec.stop_within),
        interrupt: spec.interrupt.clone(),
        origin: began,
        data: instance.data,
        tmp: instance.tmp,
        killed: AtomicBool::new(false),
    })
}

fn or_default(limit: Duration) -> Duration {
    if limit.is_zero() { DEFAULT_LIMIT } else { limit }
}

/// What can be known to fail before anything is started.
fn refuse_early(server: &ManagedServer, spec: &StartSpec) -> Result<(), Failure> {
    for line in &spec.options {
        if PLACED.contains(&line.name.as_str()) {
            let mut failure = Failure::new(
                Phase::Start,
                FailureKind::OptionNotTaken,
                format!("enginecmp sets {} by itself", line.name),
            )
            .next_step("Leave it out; `--work DIR` says where data directories lie");
            failure.place.clone_from(&line.place);
            return Err(failure);
        }
    }
    for engine in &spec.engines {
        let offered = &server.description.engines;
        if !offered.iter().any(|name| name.eq_ignore_ascii_case(engine)) {
            let message = format!(
                "{} {} does not offer {engine}: it is not built in, and its plugin is not \
                 installed",
                server.family.title, server.description.version
            );
            return Err(engine_missing(message, engine));
        }
    }
    Ok(())
}

/// The lines of the option file. The placing ones come last, so that they hold.
fn lines(
    server: &ManagedServer,
    spec: &StartSpec,
    instance: &Instance,
    user: Option<&str>,
) -> Vec<OptionLine> {
    let mut lines = spec.options.clone();
    let mut place = |name: &str, path: &Path| {
        lines.push(OptionLine::own(name, path.display().to_string()));
    };
    // A wrapper names the places of its tree by itself.
    if !server.installation.wrapper {
        place("basedir", &server.installation.basedir);
    }
    place("datadir", &instance.data);
    place("tmpdir", &instance.tmp);
    place("socket", &instance.socket);
    place("pid_file", &instance.pid_file);
    place("log_error", &instance.error_log);
    if let Some(user) = user {
        lines.push(OptionLine::own("user", user));
    }
    lines
}

/// Connects as soon as the server answers a query. A server that ended, that does not answer in
/// time or that refuses us is a failure with its own words.
///
/// Nothing but SIGKILL may be sent before it has answered: MariaDB 10.11 and 11.8 hang for ever on
/// an early SIGTERM. Dropping `process` sends it.
fn wait_until_ready(
    process: &GuardedProcess,
    reach: &ConnectOptions,
    limit: Duration,
    logs: &Logs,
    spec: &StartSpec,
) -> Result<MysqlSession, Failure> {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(ended) = process.ended() {
            let tail = logs.telling();
            let why = headline(&tail).unwrap_or_else(|| "it said nothing".to_string());
            let named = named_option(&tail, &spec.options);
            let mut failure = Failure::new(
                Phase::Start,
                FailureKind::ServerDied,
                format!("the server ended while it started ({ended}): {why}"),
            );
            failure.next_step = advice(&tail, named);
            failure.place = named.and_then(|line| line.place.clone());
            return Err(failure.log_tail(tail));
        }
        let refused = match MysqlSession::connect(reach) {
            Ok(session) => return Ok(session),
            Err(error) if error.class == ErrorClass::ConnectionLost => error,
            // It answers, and does not let us in: waiting would not help.
            Err(error) => return Err(asked_in_vain(&error, logs)),
        };
        if Instant::now() >= deadline {
            return Err(Failure::new(
                Phase::Start,
                FailureKind::Timeout,
                format!("the server did not answer in {} s ({refused})", limit.as_secs()),
            )
            .log_tail(logs.last()));
        }
        if spec.interrupt.wait(PAUSE) {
            return Err(Failure::new(
                Phase::Start,
                FailureKind::Interrupted,
                "interrupted while the server started",
            ));
        }
    }
}

/// The option that the server's words name, if any.
pub(super) fn named_option<'a>(
    lines: &[String],
    options: &'a [OptionLine],
) -> Option<&'a OptionLine> {
    let said: Vec<String> =
        lines.iter().map(|line| line.to_ascii_lowercase().replace('-', "_")).collect();
    options.iter().rev().find(|option| {
        let name = option.name.to_ascii_lowercase();
        said.iter().any(|line| {
            line.match_indices(&name).any(|(at, _)| {
                let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
                !inside(line[..at].chars().next_back())
                    && !inside(line[at + name.len()..].chars().next())
            })
        })
    })
}

/// How servers say that a data directory is not of their release: the redo log of another one, tables
/// of the system that are not as they know them, a dictionary that they cannot read.
const OTHER_RELEASE: &[&str] = &[
    "redo log was created with",
    "unsupported redo log format",
    "upgrade after a crash is not supported",
    "invalid mysql server upgrade",
    "invalid mysql server downgrade",
    "cannot upgrade from",
    "cannot downgrade from",
    "data dictionary initialization failed",
    "failed to initialize dd storage engine",
    "no data dictionary version number found",
    "file ./ib_logfile0 was not found",
];

/// What the user can do about what the server says.
pub(super) fn advice(lines: &[String], named: Option<&OptionLine>) -> Option<String> {
    let said = |words: &[&str]| {
        lines.iter().any(|line| words.iter().any(|word| line.to_ascii_lowercase().contains(word)))
    };
    if said(&["address already in use", "another server running on port"]) {
        return Some(
            "Another process listens on that port or socket: end it, or leave the option out that \
             makes the server listen there"
                .into(),
        );
    }
    if let Some(option) = named {
        return Some(format!("Change or remove the option {}", option.name));
    }
    if let Some(advice) = lines.iter().find_map(|line| libraries::advice(line)) {
        return Some(advice);
    }
    if said(OTHER_RELEASE) {
        return Some(
            "The data directory was made by another release: empty the work directory, or name \
             another with `--work DIR`; enginecmp makes its data anew"
                .into(),
        );
    }
    if said(&["no space left", "errno: 28", "errcode: 28"]) {
        return Some("Free space on the file system of the work directory".into());
    }
    if said(&["permission denied", "errno: 13", "errcode: 13"]) {
        return Some(
            "The server may not reach its files. Check who owns the work directory, and that no \
             AppArmor or SELinux profile keeps the server to its usual places"
                .into(),
        );
    }
    None
}

/// A question that the server did not answer as it should.
fn asked_in_vain(error: &SqlError, logs: &Logs) -> Failure {
    let mut failure = Failure::new(
        Phase::Start,
        FailureKind::Sql,
        format!("the server started and refused a query: {error}"),
    )
    .log_tail(logs.telling());
    failure.errno = (error.errno != 0).then_some(error.errno);
    failure.sqlstate = (!error.sqlstate.is_empty()).then(|| error.sqlstate.clone());
    failure
}

fn text(row: &dyn RowView, column: usize) -> String {
    row.text(column).map_or_else(String::new, |text| String::from_utf8_lossy(&text).into_owned())
}

/// Global variables, lower case.
fn variables(session: &mut MysqlSession) -> Result<BTreeMap<String, String>, SqlError> {
    let mut variables = BTreeMap::new();
    session.text_visit("SHOW GLOBAL VARIABLES", &mut |row| {
        variables.insert(text(row, 0).to_ascii_lowercase(), text(row, 1));
        true
    })?;
    Ok(variables)
}

/// A running server proves nothing about its engines: a plugin that fails to start is a line in
/// the log, no more.
fn check_engine(session: &mut MysqlSession, engine: &str, logs: &Logs) -> Result<(), Failure> {
    let mut support = None;
    session
        .text_visit("SELECT ENGINE, SUPPORT FROM information_schema.ENGINES", &mut |row| {
            if text(row, 0).eq_ignore_ascii_case(engine) {
                support = Some(text(row, 1));
            }
            true
        })
        .map_err(|error| asked_in_vain(&error, logs))?;
    if support.as_deref().is_some_and(|support| matches!(support, "YES" | "DEFAULT")) {
        return Ok(());
    }
    let tail = logs.telling();
    let why = match (support, headline(&tail)) {
        (_, Some(said)) => format!("its log says: {said}"),
        (Some(support), None) => format!("information_schema.ENGINES says {support}"),
        (None, None) => "information_schema.ENGINES does not list it".to_string(),
    };
    let message = format!("the server runs without {engine}; {why}");
    Err(engine_missing(message, engine).log_tail(tail))
}

fn engine_missing(message: String, engine: &str) -> Failure {
    let mut failure = Failure::new(Phase::Start, FailureKind::EngineMissing, message);
    failure.next_step = EngineSpec::find(engine).map(|spec| {
        let needs = if spec.needs.is_empty() {
            String::new()
        } else {
            format!(". It needs: {}", spec.needs.join("; "))
        };
        format!("To get it: {}{needs}", spec.how_to_get)
    });
    failure
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Place;

    #[test]
    fn the_option_that_the_server_complains_of_is_found_by_either_spelling() {
        let option = |name: &str| OptionLine {
            name: name.into(),
            value: Some("1".into()),
            place: Some(Place::new("a.bench", 1, 1)),
        };
        let options = [option("innodb_page"), option("innodb_page_cleaners")];
        let lines = ["mysqld: unknown variable 'innodb-page-cleaners=1'".to_string()];
        assert_eq!(named_option(&lines, &options).unwrap().name, "innodb_page_cleaners");
        assert_eq!(named_option(&["nothing".to_string()], &options), None);
        assert_eq!(
            advice(&lines, Some(&options[1])).unwrap(),
            "Change or remove the option innodb_page_cleaners"
        );
        let full = ["InnoDB: Operating system error number 28: No space left on device".into()];
        assert!(advice(&full, None).unwrap().contains("Free space"));
    }
}
