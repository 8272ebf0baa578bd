//! Which server each cell runs on: the one the suite names, the found one that offers most of the
//! suite's engines, or none for engines inside this process.

use super::expand::Combination;
use super::suite::{Server, ServerSource, Suite};
use super::{DataSource, PlannedServer, Unavailable};
use crate::engine::{ENGINES, EngineSpec, Home};
use crate::model::FailureKind;
use crate::target::discovery::find_release;
use crate::target::remote::Dsn;
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

/// The database that datasets lie in: the one that a DSN names, or enginecmp's own.
pub(super) fn database(suite: &Suite, server: &str) -> String {
    suite
        .servers
        .iter()
        .find(|block| block.name == server)
        .and_then(|block| match &block.source {
            ServerSource::Dsn { dsn, .. } => Dsn::parse(dsn).ok(),
            _ => None,
        })
        .map_or_else(|| "enginecmp".to_string(), |dsn| dsn.database)
}

/// Where cells of this server block have their data from, when it is a server that runs already:
/// its files cannot be copied.
pub(super) fn source_by_dsn(suite: &Suite, server: &str) -> Option<DataSource> {
    let block = suite.servers.iter().find(|block| block.name == server)?;
    match block.source {
        ServerSource::Dsn { reuse_data: true, .. } => Some(DataSource::Reuse),
        ServerSource::Dsn { reuse_data: false, .. } => Some(DataSource::Load),
        _ => None,
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
    let by_name = |missing: &str| {
        found
            .iter()
            .find(|known| known.name == server.name)
            .cloned()
            .ok_or_else(|| missing.to_string())
    };
    let (wanted, described) = match &server.source {
        ServerSource::Found => ("a found server".to_string(), by_name("there is none")),
        ServerSource::Release(release) => {
            let managed: Vec<TargetDescription> =
                found.iter().filter(|server| server.kind == TargetKind::Managed).cloned().collect();
            let described = find_release(release, &managed).cloned().map_err(|none| {
                let has = if none.found.is_empty() {
                    "this machine has none".to_string()
                } else {
                    format!("this machine has {}", none.found.join(", "))
                };
                format!("{has}; put it below `--servers DIR`, or name it with `basedir \"...\"`")
            });
            (format!("release \"{release}\""), described)
        }
        ServerSource::Basedir(basedir) => (
            format!("basedir \"{basedir}\""),
            by_name("there is no server below this folder (mariadbd or mysqld in its bin or sbin)"),
        ),
        ServerSource::Dsn { dsn, .. } => (
            format!("dsn \"{dsn}\""),
            by_name("it is asked for its release and engines when the suite is run"),
        ),
    };
    let (description, missing) = match described {
        Ok(found) => (Some(TargetDescription { name: server.name.clone(), ..found }), None),
        Err(why) => (None, Some(why)),
    };
    PlannedServer { description, name: server.name.clone(), wanted, missing }
}

/// Why a cell of this engine cannot be measured on this server, if that is known already.
pub(super) fn unavailable(server: &PlannedServer, spec: &EngineSpec) -> Option<Unavailable> {
    let Some(description) = &server.description else {
        return Some(Unavailable {
            kind: FailureKind::ServerMissing,
            reason: format!("there is no {} for server `{}`", server.wanted, server.name),
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
