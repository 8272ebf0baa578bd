//! The servers of a suite: what this machine has, what the suite names, and how each is started.

use super::Context;
use crate::host::environment;
use crate::host::guard::Guard;
use crate::host::work_dir::WorkDir;
use crate::model::{Failure, FailureKind, Phase};
use crate::plan::suite::ServerSource;
use crate::plan::{Plan, Suite, Unavailable};
use crate::run::{self, Interrupt, TargetSource};
use crate::target::discovery::{self, Discovered, Where};
use crate::target::managed::{ManagedServer, ManagedSettings};
use crate::target::remote::{Dsn, Reach, RemoteTarget};
use crate::target::sqlite::{self, SqliteTarget};
use crate::target::{Target, TargetDescription, TargetKind, libraries};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Servers that a suite can use.
pub(super) struct Servers {
    /// For [`crate::plan::make`].
    pub(super) descriptions: Vec<TargetDescription>,
    /// Those that run already, or why they cannot be reached, by their name in the suite.
    remote: BTreeMap<String, Result<Arc<RemoteTarget>, Failure>>,
    /// Basedirs that hold no server, by the server's name in the suite.
    missing: BTreeMap<String, String>,
    /// Binaries of this machine that do not say their version, with what they say.
    broken: Vec<(PathBuf, String)>,
}

impl Servers {
    /// Looks for the servers of a suite. `reach_remote` connects to those that run already.
    pub(super) fn find(
        suite: &Suite,
        directory: PathBuf,
        reach_remote: Option<&Overwrite>,
        context: &Context,
    ) -> Self {
        let mut servers = Self {
            descriptions: vec![sqlite::describe()],
            remote: BTreeMap::new(),
            missing: BTreeMap::new(),
            broken: Vec::new(),
        };
        for server in &suite.servers {
            if let ServerSource::Dsn { password_env: Some(variable), .. } = &server.source {
                environment::withhold(variable);
            }
        }
        for server in &suite.servers {
            match &server.source {
                ServerSource::Basedir(basedir) => match discovery::at_basedir(Path::new(basedir)) {
                    Ok(found) => servers
                        .descriptions
                        .push(TargetDescription { name: server.name.clone(), ..found }),
                    Err(why) => {
                        servers.missing.insert(server.name.clone(), why);
                    }
                },
                ServerSource::Dsn { dsn, password_env, tls_ca, .. } => {
                    let Some(overwrite) = reach_remote else { continue };
                    let asked =
                        reach(dsn, password_env.as_deref(), tls_ca.clone(), overwrite, context)
                            .and_then(|reach| RemoteTarget::ask(&server.name, reach).map(Arc::new));
                    if let Ok(target) = &asked {
                        servers.descriptions.push(target.describe().clone());
                    }
                    servers.remote.insert(server.name.clone(), asked);
                }
                ServerSource::Found | ServerSource::Release(_) => {}
            }
        }
        let found = on_this_machine(directory, context);
        servers.descriptions.extend(found.servers);
        servers.broken = found.broken;
        servers
    }

    /// Says in the cells of servers that could not be reached, or are broken, why.
    pub(super) fn explain(&self, plan: &mut Plan) {
        for cell in &mut plan.cells {
            let name = &plan.servers[cell.server].name;
            if let Some(Err(failure)) = self.remote.get(name) {
                cell.unavailable = Some(Unavailable {
                    kind: failure.kind,
                    reason: failure.message.clone(),
                    how_to_get: failure.next_step.clone().unwrap_or_default(),
                });
                continue;
            }
            let Some(unavailable) = &mut cell.unavailable else { continue };
            if unavailable.kind != FailureKind::ServerMissing {
                continue;
            }
            if let Some(why) = self.missing.get(name) {
                unavailable.reason = format!("server `{name}`: {why}");
                if let Some(advice) = libraries::advice(why) {
                    unavailable.how_to_get = advice;
                }
            } else {
                // It may be one of those that are there and do not run.
                for (binary, why) in &self.broken {
                    let advice = libraries::advice(why).map_or(String::new(), |a| format!(". {a}"));
                    let told = format!("; {} does not run: {why}{advice}", binary.display());
                    unavailable.how_to_get.push_str(&told);
                }
            }
        }
    }

    /// How the servers of a plan are started.
    pub(super) fn targets(
        &self,
        plan: &Plan,
        work: &WorkDir,
        user: Option<String>,
        interrupt: &Interrupt,
        context: &Context,
    ) -> Targets {
        let settings = ManagedSettings {
            guard: Guard::this_program(),
            templates: work.templates(),
            socket_base: context.variable("XDG_RUNTIME_DIR").map(PathBuf::from),
            user,
            interrupt: interrupt.clone(),
            limits: run::server_limits(plan.machine.as_ref()),
        };
        let target = |name: &str, description: Option<&TargetDescription>, missing: String| {
            if let Some(asked) = self.remote.get(name) {
                return asked.clone().map(|target| target as Arc<dyn Target>);
            }
            let missing = self.missing.get(name).cloned().unwrap_or(missing);
            let description = description
                .ok_or_else(|| Failure::new(Phase::Start, FailureKind::ServerMissing, missing))?;
            match description.kind {
                TargetKind::InProcess => Ok(Arc::new(SqliteTarget::new()) as Arc<dyn Target>),
                _ => ManagedServer::new(description.clone(), settings.clone())
                    .map(|server| Arc::new(server) as Arc<dyn Target>),
            }
        };
        Targets(
            plan.servers
                .iter()
                .map(|server| {
                    let missing = server.missing.clone().unwrap_or_default();
                    target(&server.name, server.description.as_ref(), missing)
                })
                .collect(),
        )
    }
}

/// `--overwrite NAME`.
#[derive(Clone, Debug, Default)]
pub(super) struct Overwrite(pub(super) Option<String>);

/// The targets of a plan, by index.
pub(super) struct Targets(Vec<Result<Arc<dyn Target>, Failure>>);

impl TargetSource for Targets {
    fn target(&self, server: usize) -> Result<Arc<dyn Target>, Failure> {
        self.0[server].clone()
    }
}

/// Every server that this machine has.
pub(super) fn on_this_machine(directory: PathBuf, context: &Context) -> Discovered {
    discovery::discover(&Where {
        path: context.variable("PATH").cloned(),
        servers: Some(directory),
        usual_places: true,
    })
}

/// How a server that runs already is reached.
fn reach(
    dsn: &str,
    password_env: Option<&str>,
    tls_ca: Option<PathBuf>,
    overwrite: &Overwrite,
    context: &Context,
) -> Result<Reach, Failure> {
    let wrong = |message: String| Failure::new(Phase::Start, FailureKind::ServerMissing, message);
    let dsn = Dsn::parse(dsn).map_err(wrong)?;
    let password = password_env
        .map(|variable| {
            let value = context.variable(variable).ok_or_else(|| {
                wrong(format!("the password for {dsn} is not set"))
                    .next_step(format!("Set the variable {variable} of the environment."))
            })?;
            value.to_str().map(str::to_string).ok_or_else(|| {
                wrong(format!("the variable {variable} of the environment is not readable text"))
            })
        })
        .transpose()?;
    Ok(Reach { dsn, password, tls_ca, overwrite: overwrite.0.clone() })
}
