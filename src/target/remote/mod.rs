//! A server that runs already, reached by DSN, as a [`Target`].
//!
//! enginecmp does not start it, so what needs a start is not done: no restart, no copy of its
//! files, no option but those that it runs with already. Its database is made, dropped and made
//! again by enginecmp; one that enginecmp did not make is refused.

mod database;
mod dsn;
mod running;

pub use database::OWNER_TABLE;
pub use dsn::Dsn;

use super::mysql_session::{ConnectOptions, MysqlSession};
use super::session::{RowView, Session, SqlError};
use super::{HeldDataset, OptionLine, Running, StartSpec, Target, TargetDescription, TargetKind};
use crate::model::{Failure, FailureKind, Phase};
use running::RemoteRunning;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long connecting may take where nothing else is said.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);

/// How to reach a server that runs already.
#[derive(Clone, PartialEq, Eq)]
pub struct Reach {
    /// Where it listens, with account and database.
    pub dsn: Dsn,
    /// The account's password.
    pub password: Option<String>,
    /// The file of authorities of which one must vouch for the server; none for no TLS.
    pub tls_ca: Option<PathBuf>,
    /// `--overwrite NAME`: a database of this name is dropped although enginecmp did not make it.
    pub overwrite: Option<String>,
}

impl fmt::Debug for Reach {
    // The password never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reach")
            .field("dsn", &self.dsn)
            .field("tls_ca", &self.tls_ca)
            .field("overwrite", &self.overwrite)
            .finish_non_exhaustive()
    }
}

impl Reach {
    fn options(&self, database: Option<&str>) -> ConnectOptions {
        ConnectOptions {
            address: self.dsn.address.clone(),
            user: self.dsn.user.clone(),
            password: self.password.clone(),
            database: database.map(str::to_string),
            tls_ca: self.tls_ca.clone(),
            file_directory: None,
            within: CONNECT_WITHIN,
        }
    }

    fn connect(&self, database: Option<&str>) -> Result<MysqlSession, SqlError> {
        MysqlSession::connect(&self.options(database))
    }

    /// A failure of this server: its address, then its own words.
    fn failed(&self, phase: Phase, error: &SqlError) -> Failure {
        Failure {
            errno: Some(error.errno).filter(|&errno| errno > 0),
            sqlstate: Some(error.sqlstate.clone()).filter(|state| !state.is_empty()),
            next_step: error.next_step.map(str::to_string),
            ..Failure::new(phase, FailureKind::Sql, format!("{}: {error}", self.dsn))
        }
    }
}

/// A running server.
#[derive(Debug)]
pub struct RemoteTarget {
    description: TargetDescription,
    reach: Reach,
}

impl RemoteTarget {
    /// Connects and asks what the server is. `name` is its name in the suite.
    pub fn ask(name: &str, reach: Reach) -> Result<Self, Failure> {
        reach
            .dsn
            .check_tls(reach.tls_ca.is_some())
            .map_err(|why| Failure::new(Phase::Start, FailureKind::ServerMissing, why))?;
        let mut session = reach.connect(None).map_err(|error| {
            let failure = reach.failed(Phase::Start, &error);
            let failure = Failure { kind: FailureKind::ServerMissing, ..failure };
            if failure.next_step.is_some() {
                return failure;
            }
            failure.next_step(
                "Check that the server runs, and the account, its password (`password_env NAME`) \
                 and the address of the DSN.",
            )
        })?;
        let description =
            describe(name, &mut session).map_err(|error| reach.failed(Phase::Start, &error))?;
        Ok(Self { description, reach })
    }

    /// The database that it uses.
    pub fn database(&self) -> &str {
        &self.reach.dsn.database
    }
}

/// A column of a row as text; empty for NULL.
fn text(row: &dyn RowView, column: usize) -> String {
    row.text(column).map_or_else(String::new, |text| String::from_utf8_lossy(&text).into_owned())
}

fn describe(name: &str, session: &mut dyn Session) -> Result<TargetDescription, SqlError> {
    let mut version = String::new();
    let mut comment = String::new();
    session.text_visit("SELECT VERSION(), @@version_comment", &mut |row| {
        version = text(row, 0);
        comment = text(row, 1);
        true
    })?;
    let mut engines = Vec::new();
    session.text_visit("SHOW ENGINES", &mut |row| {
        if matches!(text(row, 1).as_str(), "YES" | "DEFAULT") {
            engines.push(text(row, 0));
        }
        true
    })?;
    let words = format!("{version} {comment}").to_lowercase();
    let family =
        ["mariadb", "percona"].into_iter().find(|family| words.contains(family)).unwrap_or("mysql");
    let mut numbers =
        version.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().unwrap_or_default());
    Ok(TargetDescription {
        name: name.to_string(),
        kind: TargetKind::Remote,
        family: family.to_string(),
        release: (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default()),
        binary: None,
        build: format!("{version} {comment}"),
        version,
        engines,
    })
}

impl Target for RemoteTarget {
    fn describe(&self) -> &TargetDescription {
        &self.description
    }

    /// Makes the database empty: dropped, if enginecmp made it, and made again. `data_dir` is not
    /// used; an option of scope init cannot be had on a server that runs.
    fn initialise(&self, _data_dir: &Path, init_options: &[OptionLine]) -> Result<(), Failure> {
        if let Some(option) = init_options.iter().find(|option| option.place.is_some()) {
            let message = format!(
                "{} is fixed when a data directory is made; this server runs already",
                option.name
            );
            let failure = Failure::new(Phase::Initialise, FailureKind::OptionNotTaken, message);
            return Err(match &option.place {
                Some(place) => failure.at(place.clone()),
                None => failure,
            });
        }
        database::make_empty(&self.reach)
    }

    fn held(&self) -> Result<Option<HeldDataset>, Failure> {
        database::held(&self.reach)
    }

    fn hold(&self, dataset: &HeldDataset) -> Result<(), Failure> {
        database::hold(&self.reach, dataset)
    }

    fn start(&self, spec: &StartSpec) -> Result<Box<dyn Running>, Failure> {
        if let Some(engine) = spec.engines.iter().find(|engine| {
            !self.description.engines.iter().any(|known| known.eq_ignore_ascii_case(engine))
        }) {
            return Err(Failure::new(
                Phase::Start,
                FailureKind::EngineMissing,
                format!("the server has no engine {engine}"),
            )
            .next_step("Install it on that server, or leave its engine out with `only`."));
        }
        let mut control =
            self.reach.connect(None).map_err(|error| self.reach.failed(Phase::Start, &error))?;
        let mut variables = BTreeMap::new();
        control
            .text_visit("SHOW GLOBAL VARIABLES", &mut |row| {
                variables.insert(text(row, 0).to_lowercase(), text(row, 1));
                true
            })
            .map_err(|error| self.reach.failed(Phase::Start, &error))?;
        running::check_options(&spec.options, &variables)?;
        Ok(Box::new(RemoteRunning::new(self.reach.clone(), &self.description, control, variables)))
    }
}
