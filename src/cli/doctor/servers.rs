//! Which servers and engines can be used: each server is really started, on a data directory that
//! is thrown away.

use super::page::{Item, Section, State};
use crate::engine::{ENGINES, EngineSpec, Home};
use crate::host::interrupt::Interrupt;
use crate::model::Failure;
use crate::model::units::human_seconds;
use crate::target::families;
use crate::target::session::Session;
use crate::target::{OptionLine, StartSpec, Target, TargetDescription};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a server may take to start, and to stop.
const WITHIN: Duration = Duration::from_secs(120);
/// Lines of a server's log that are shown.
const LOG_LINES: usize = 5;

/// A server that was tried.
pub(super) struct Tried {
    pub(super) server: TargetDescription,
    pub(super) outcome: Result<Started, Failure>,
}

/// A server that started.
#[derive(Clone, Debug)]
pub(super) struct Started {
    pub(super) start_time: Duration,
    /// Engines of the engine table that it offers.
    pub(super) engines: Vec<&'static EngineSpec>,
}

/// Initialises, starts, asks and stops a server. `directory` is empty and can be thrown away.
pub(super) fn try_server(target: &dyn Target, directory: &Path) -> Result<Started, Failure> {
    let server = target.describe();
    let offered: Vec<&EngineSpec> =
        server.engines.iter().filter_map(|name| EngineSpec::find(name)).collect();
    let options = families::own_options(server, &offered, None)
        .into_iter()
        .map(|own| OptionLine { name: own.name, value: own.value, place: None })
        .collect();
    let data_dir = directory.join("data");
    target.initialise(&data_dir, &[])?;
    let running = target.start(&StartSpec {
        data_dir,
        options,
        engines: Vec::new(),
        ready_within: WITHIN,
        stop_within: WITHIN,
        interrupt: Interrupt::new(),
    })?;
    let start_time = running.start_time();
    let engines = running.connect(0).and_then(|mut session| usable(session.as_mut()));
    running.stop()?;
    let engines = engines.map_err(|error| {
        Failure::new(
            crate::model::Phase::Start,
            crate::model::FailureKind::Sql,
            format!("SHOW ENGINES: {error}"),
        )
    })?;
    Ok(Started { start_time, engines })
}

/// The engines that a running server offers, in the order of the engine table.
fn usable(
    session: &mut dyn Session,
) -> Result<Vec<&'static EngineSpec>, crate::target::session::SqlError> {
    let mut names = Vec::new();
    session.text_visit("SHOW ENGINES", &mut |row| {
        let text = |column| {
            row.text(column)
                .map_or_else(String::new, |text| String::from_utf8_lossy(&text).into_owned())
        };
        if matches!(text(1).as_str(), "YES" | "DEFAULT") {
            names.push(text(0));
        }
        true
    })?;
    Ok(ENGINES
        .iter()
        .filter(|engine| {
            engine.home == Home::Server
                && names.iter().any(|name| {
                    EngineSpec::find(name).is_some_and(|known| known.storage == engine.storage)
                })
        })
        .collect())
}

fn title(server: &TargetDescription) -> String {
    format!("{} {}", server.family, server.version)
}

/// The section of servers. `broken` are binaries that do not even tell their version.
pub(super) fn servers(tried: &[Tried], broken: &[(PathBuf, String)], directory: &Path) -> Section {
    let mut items: Vec<Item> = tried.iter().map(item).collect();
    items.extend(broken.iter().map(|(path, why)| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Item::new(State::Missing, name, format!("{}: {why}", path.display()))
    }));
    if items.is_empty() {
        let server = "none";
        items.push(
            Item::new(State::Missing, server, "no server on PATH, in the usual places or in DIR")
                .advice("Debian", "apt-get install mariadb-server mariadb-plugin-rocksdb")
                .advice("RPM", "dnf install MariaDB-server MariaDB-rocksdb-engine")
                .advice("tarball", "unpack it into a directory of its own in DIR")
                .advice("DIR", directory.display().to_string()),
        );
    }
    Section { title: "Servers", items }
}

fn item(tried: &Tried) -> Item {
    let binary = tried
        .server
        .binary
        .as_ref()
        .map_or_else(String::new, |binary| format!("{}, ", binary.display()));
    match &tried.outcome {
        Ok(started) => {
            let engines: Vec<&str> = started.engines.iter().map(|engine| engine.storage).collect();
            Item::new(
                State::Good,
                title(&tried.server),
                format!(
                    "{binary}started in {}: {}",
                    human_seconds(started.start_time.as_secs_f64()),
                    engines.join(", ")
                ),
            )
        }
        Err(failure) => {
            let mut item = Item::new(
                State::Missing,
                title(&tried.server),
                format!("{binary}does not start: {}", failure.message),
            );
            let tail = failure.log_tail.len().saturating_sub(LOG_LINES);
            for line in &failure.log_tail[tail..] {
                item = item.advice("log", line);
            }
            match &failure.next_step {
                Some(step) => item.advice("", step),
                None => item,
            }
        }
    }
}

/// The section of engines: where each can be used, or how to get it.
pub(super) fn engines(tried: &[Tried], inside: &TargetDescription) -> Section {
    let items = ENGINES
        .iter()
        .map(|engine| match engine.home {
            Home::InProcess => Item::new(
                State::Good,
                engine.storage,
                format!("{}, {}", inside.version, engine.how_to_get),
            ),
            Home::Server => on_servers(engine, tried),
        })
        .collect();
    Section { title: "Engines", items }
}

fn on_servers(engine: &'static EngineSpec, tried: &[Tried]) -> Item {
    let homes: Vec<String> = tried
        .iter()
        .filter(|tried| {
            tried.outcome.as_ref().is_ok_and(|started| {
                started.engines.iter().any(|known| known.storage == engine.storage)
            })
        })
        .map(|tried| title(&tried.server))
        .collect();
    if !homes.is_empty() {
        return Item::new(State::Good, engine.storage, homes.join(", "));
    }
    let mut item = Item::new(State::Missing, engine.storage, "no server here offers it")
        .advice("get", engine.how_to_get);
    for need in engine.needs {
        item = item.advice("needs", *need);
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::page::render;
    use crate::model::{FailureKind, Phase};
    use crate::target::sqlite;

    fn server(family: &str, version: &str) -> TargetDescription {
        TargetDescription {
            family: family.to_string(),
            version: version.to_string(),
            binary: Some(PathBuf::from(format!("/opt/{family}/bin/mysqld"))),
            ..sqlite::describe()
        }
    }

    #[test]
    fn servers_that_start_and_those_that_do_not_are_told_with_their_engines() {
        let named = |names: &[&str]| {
            names.iter().map(|name| EngineSpec::find(name).unwrap()).collect::<Vec<_>>()
        };
        let failure =
            Failure::new(Phase::Start, FailureKind::ServerDied, "the server ended with status 1")
                .log_tail((1..=7).map(|line| format!("[ERROR] line {line}")).collect())
                .next_step("Read the log.");
        let tried = [
            Tried {
                server: server("mariadb", "10.11.19-MariaDB"),
                outcome: Ok(Started {
                    start_time: Duration::from_millis(930),
                    engines: named(&["InnoDB", "RocksDB", "Aria", "MyISAM", "MEMORY"]),
                }),
            },
            Tried { server: server("mysql", "5.6.24"), outcome: Err(failure) },
        ];
        let broken = [(PathBuf::from("/x/mysqld"), "cannot be run".to_string())];
        let mut inside = sqlite::describe();
        inside.version = "3.51.0".to_string();
        let page = render(
            &[servers(&tried, &broken, Path::new("/servers")), engines(&tried, &inside)],
            80,
            false,
        );
        let expected = "\
Servers
  ok       mariadb 10.11.19-MariaDB  /opt/mariadb/bin/mysqld, started in 930.0
                                     ms: InnoDB, ROCKSDB, Aria, MyISAM, MEMORY
  missing  mysql 5.6.24              /opt/mysql/bin/mysqld, does not start: the
                                     server ended with status 1
           log: [ERROR] line 3
           log: [ERROR] line 4
           log: [ERROR] line 5
           log: [ERROR] line 6
           log: [ERROR] line 7
                Read the log.
  missing  mysqld                    /x/mysqld: cannot be run
";
        assert!(page.starts_with(expected), "{page}");
        assert!(page.contains("\n  ok       InnoDB   mariadb 10.11.19-MariaDB\n"), "{page}");
        assert!(page.contains("\n  missing  TokuDB   no server here offers it\n"), "{page}");
        assert!(page.contains("\n           needs: jemalloc loaded"), "{page}");
        assert!(page.contains("\n  ok       SQLite   3.51.0, built into enginecmp\n"), "{page}");
        assert!(page.lines().all(|line| line.len() <= 80), "{page}");
    }

    #[test]
    fn a_machine_without_servers_is_told_how_to_get_one() {
        let page = render(&[servers(&[], &[], Path::new("/home/u/servers"))], 80, false);
        assert_eq!(
            page,
            "\
Servers
  missing  none  no server on PATH, in the usual places or in DIR
           Debian:  apt-get install mariadb-server mariadb-plugin-rocksdb
           RPM:     dnf install MariaDB-server MariaDB-rocksdb-engine
           tarball: unpack it into a directory of its own in DIR
           DIR:     /home/u/servers
"
        );
    }
}
