//! Which server each cell runs on: the one the suite names, the found one that offers most of the
//! suite's engines, or none for engines inside this process.

use super::expand::Combination;
use super::suite::{Server, ServerSource, Suite};
use super::{PlannedServer, Unavailable};
use crate::engine::{ENGINES, EngineSpec, Home};
use crate::model::FailureKind;
use crate::target::{TargetDescription, TargetKind};
use std::collections::BTreeMap;

/// The servers of a plan, and which of them a combination runs on.
pub(super) struct Servers {
    /// For [`super::Plan::servers`].
    pub(super) planned: Vec<PlannedServer>,
    /// Index by what a combination needs.
    of: BTreeMap<Need, usize>,
}

/// What a combination needs to run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    /// The server block with this index.
    Block(usize),
    /// Whatever this machine has.
    Found,
    /// This engine inside the process.
    InProcess(&'static str),
}

fn need(suite: &Suite, combination: &Combination) -> Need {
    let engine = &suite.engines[combination.engine];
    match combination.server {
        Some(block) => Need::Block(block),
        None if engine.in_process() => Need::InProcess(engine.spec.storage),
        None => Need::Found,
    }
}

/// Finds a server for every combination among those of this machine.
pub(super) fn choose(
    suite: &Suite,
    combinations: &[Combination],
    found: &[TargetDescription],
) -> Servers {
    let mut planned = Vec::new();
    let mut of = BTreeMap::new();
    for combination in combinations {
        let need = need(suite, combination);
        of.entry(need).or_insert_with(|| {
            planned.push(match need {
                Need::Block(block) => named(&suite.servers[block], found),
                Need::Found => best(suite, combinations, found),
                Need::InProcess(storage) => in_process(storage, found),
            });
            planned.len() - 1
        });
    }
    Servers { planned, of }
}

impl Servers {
    /// The server of a combination, as an index into `planned`.
    pub(super) fn index(&self, suite: &Suite, combination: &Combination) -> usize {
        self.of[&need(suite, combination)]
    }
}

/// Whether a server may offer an engine.
fn offers(server: &TargetDescription, spec: &EngineSpec) -> bool {
    server.engines.iter().any(|engine| {
        engine.eq_ignore_ascii_case(spec.storage)
            || spec.aliases.iter().any(|alias| engine.eq_ignore_ascii_case(alias))
    })
}

/// The found server that offers most of the suite's engines; among equals the first.
fn best(suite: &Suite, combinations: &[Combination], found: &[TargetDescription]) -> PlannedServer {
    let mut wanted: Vec<&EngineSpec> = Vec::new();
    for combination in combinations {
        let spec = suite.engines[combination.engine].spec;
        if spec.home == Home::Server && !wanted.iter().any(|known| known.storage == spec.storage) {
            wanted.push(spec);
        }
    }
    let count =
        |server: &TargetDescription| wanted.iter().filter(|spec| offers(server, spec)).count();
    let names: Vec<&str> = wanted.iter().map(|spec| spec.storage).collect();
    let mut best: Option<&TargetDescription> = None;
    for server in found.iter().filter(|server| server.kind == TargetKind::Managed) {
        if best.is_none_or(|known| count(server) > count(known)) {
            best = Some(server);
        }
    }
    let missing = best.is_none().then(|| {
        "no server was found in PATH, in the usual places or in `--servers`; install one \
         (Debian: `apt-get install mariadb-server`) or name one with `server { basedir \"...\" }`; \
         `enginecmp doctor` says what this machine has"
            .to_string()
    });
    PlannedServer {
        description: best
            .map(|server| TargetDescription { name: "found".to_string(), ..server.clone() }),
        name: "found".to_string(),
        wanted: format!("a server with {}", names.join(", ")),
        missing,
    }
}

fn in_process(storage: &str, found: &[TargetDescription]) -> PlannedServer {
    let description = found
        .iter()
        .find(|server| {
            server.kind == TargetKind::InProcess
                && server.engines.iter().any(|engine| engine.eq_ignore_ascii_case(storage))
        })
        .cloned();
    PlannedServer {
        missing: description
            .is_none()
            .then(|| format!("this build of enginecmp has no {storage} inside")),
        description,
        name: storage.to_string(),
        wanted: format!("{storage} in this process"),
    }
}

/// The server that a block asks for.
fn named(server: &Server, found: &[TargetDescription]) -> PlannedServer {
    let (wanted, description, advice) = match &server.source {
        ServerSource::Found => ("a found server".to_string(), None, String::new()),
        ServerSource::Release(release) => {
            let listed: Vec<String> = found
                .iter()
                .filter(|server| server.kind == TargetKind::Managed)
                .map(|server| format!("{} {}", server.family, server.version))
                .collect();
            let has = if listed.is_empty() {
                "this machine has none".to_string()
            } else {
                format!("this machine has {}", listed.join(", "))
            };
            (
                format!("release \"{release}\""),
                matching(release, found),
                format!("{has}; put it below `--servers DIR`, or name it with `basedir \"...\"`"),
            )
        }
        ServerSource::Basedir(basedir) => (
            format!("basedir \"{basedir}\""),
            found.iter().find(|known| known.name == server.name),
            "there is no server binary below this folder (bin, sbin, libexec)".to_string(),
        ),
        ServerSource::Dsn { dsn, .. } => (
            format!("dsn \"{dsn}\""),
            found.iter().find(|known| known.name == server.name),
            "servers that run already are not supported in this version".to_string(),
        ),
    };
    PlannedServer {
        description: description
            .map(|found| TargetDescription { name: server.name.clone(), ..found.clone() }),
        name: server.name.clone(),
        missing: description.is_none().then(|| format!("no {wanted} was found: {advice}")),
        wanted,
    }
}

/// The newest server of a family and release: `mysql 5.6`, `mariadb 10.11`, `percona 8.0.27`.
fn matching<'f>(release: &str, found: &'f [TargetDescription]) -> Option<&'f TargetDescription> {
    let (family, version) =
        release.split_once(' ').map_or((release, ""), |(family, rest)| (family, rest.trim()));
    let fits = |server: &&TargetDescription| {
        let rest = server.version.strip_prefix(version);
        server.kind == TargetKind::Managed
            && server.family.eq_ignore_ascii_case(family)
            && rest.is_some_and(|rest| {
                version.is_empty() || !rest.starts_with(|c: char| c.is_ascii_digit())
            })
    };
    let numbers = |server: &TargetDescription| -> Vec<u64> {
        server
            .version
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|part| part.parse().ok())
            .take(3)
            .collect()
    };
    found.iter().filter(fits).max_by_key(|server| numbers(server))
}

/// Why a cell of this engine cannot be measured on this server, if that is known already.
pub(super) fn unavailable(server: &PlannedServer, spec: &EngineSpec) -> Option<Unavailable> {
    let Some(description) = &server.description else {
        return Some(Unavailable {
            kind: FailureKind::ServerMissing,
            reason: format!("there is no {}", server.wanted),
            how_to_get: server.missing.clone().unwrap_or_default(),
        });
    };
    if offers(description, spec) {
        return None;
    }
    let known: Vec<&str> = ENGINES
        .iter()
        .filter(|engine| offers(description, engine))
        .map(|engine| engine.storage)
        .collect();
    Some(Unavailable {
        kind: FailureKind::EngineMissing,
        reason: format!(
            "{} {} has no {} (it has {})",
            description.family,
            description.version,
            spec.storage,
            known.join(", ")
        ),
        how_to_get: spec.how_to_get.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(family: &str, version: &str, engines: &[&str]) -> TargetDescription {
        TargetDescription {
            name: "found".to_string(),
            kind: TargetKind::Managed,
            family: family.to_string(),
            version: version.to_string(),
            release: (0, 0),
            binary: None,
            build: String::new(),
            engines: engines.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn a_release_means_the_newest_that_begins_with_it() {
        let found = [
            server("mysql", "5.6.9", &[]),
            server("mysql", "5.6.51", &[]),
            server("mysql", "5.61.1", &[]),
            server("mariadb", "10.11.19-MariaDB", &[]),
        ];
        let version = |release| matching(release, &found).map(|server| server.version.as_str());
        assert_eq!(version("mysql 5.6"), Some("5.6.51"));
        assert_eq!(version("MySQL 5.6.9"), Some("5.6.9"));
        assert_eq!(version("mysql"), Some("5.61.1"));
        assert_eq!(version("mariadb 10.1"), None);
        assert_eq!(version("mariadb 10.11"), Some("10.11.19-MariaDB"));
    }

    #[test]
    fn an_engine_that_a_server_lacks_is_named_with_the_way_to_get_it() {
        let planned = PlannedServer {
            description: Some(server("mariadb", "10.11.19-MariaDB", &["InnoDB", "Aria"])),
            name: "found".to_string(),
            wanted: String::new(),
            missing: None,
        };
        let spec = EngineSpec::find("TokuDB").unwrap();
        let why = unavailable(&planned, spec).unwrap();
        assert_eq!(why.reason, "mariadb 10.11.19-MariaDB has no TokuDB (it has InnoDB, Aria)");
        assert!(why.how_to_get.contains("Percona Server"));
        assert_eq!(unavailable(&planned, EngineSpec::find("innodb").unwrap()), None);
    }
}
