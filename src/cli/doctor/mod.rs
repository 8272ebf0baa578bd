//! `enginecmp doctor`: servers and engines on this machine, what is missing and how to get it.

mod machine;
mod page;
mod servers;

use super::suite::{ServerPlaces, WorkPlace, io_error};
use super::{CliError, Context, Exit};
use crate::host::guard::Guard;
use crate::host::interrupt::Interrupt;
use crate::host::share::Limits;
use crate::model::{Failure, FailureKind, Phase};
use crate::target::TargetDescription;
use crate::target::discovery::{self, Where};
use crate::target::managed::{ManagedServer, ManagedSettings};
use crate::target::sqlite;
use servers::{Started, Tried, try_server};
use std::path::PathBuf;

/// Arguments of `doctor`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    places: ServerPlaces,
    #[command(flatten)]
    work: WorkPlace,
    /// The user that servers run as when enginecmp is root
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Read /proc, /sys, /etc and libraries below this directory, and look for servers nowhere but
    /// on PATH and in --servers
    #[arg(long, value_name = "DIR", default_value = "/", hide = true)]
    root: PathBuf,
}

/// Looks, starts every server that is found, and tells. A server that does not start makes it 125.
pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Exit, CliError> {
    let directory = arguments.places.directory(context);
    let found = discovery::discover(&Where {
        path: context.variable("PATH").cloned(),
        servers: Some(directory.clone()),
        usual_places: arguments.root.as_os_str() == "/",
    });
    let mut tried = Vec::new();
    for server in found.servers {
        if context.stderr_is_terminal() {
            context.err(&format!("starting {} {} ...\n", server.family, server.version));
        }
        let outcome = start(&server, arguments, context);
        tried.push(Tried { server, outcome });
    }
    let mut machine = machine::look(&arguments.root)
        .map_err(|error| io_error("read the machine below", &arguments.root, &error))?;
    machine.items.push(machine::work_directory(&arguments.work.directory(context)));
    let sections = [
        servers::servers(&tried, &found.broken, &directory),
        servers::engines(&tried, &sqlite::describe()),
        machine,
    ];
    context.out(&page::render(&sections, usize::from(context.width()), context.colored(false)))?;
    let all_start = found.broken.is_empty() && tried.iter().all(|tried| tried.outcome.is_ok());
    Ok(if all_start { Exit::Good } else { Exit::NotMeasured })
}

/// Starts a server in a directory that is thrown away afterwards.
fn start(
    server: &TargetDescription,
    arguments: &Arguments,
    context: &Context,
) -> Result<Started, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(
            Phase::Initialise,
            FailureKind::Io,
            format!("a directory for its data cannot be made: {error}"),
        )
    };
    let directory = tempfile::Builder::new().prefix("doctor").tempdir().map_err(failed)?;
    if arguments.user.is_some() {
        // Another user's server must get to its data.
        use std::os::unix::fs::PermissionsExt;
        let open = std::fs::Permissions::from_mode(0o711);
        std::fs::set_permissions(directory.path(), open).map_err(failed)?;
    }
    let settings = ManagedSettings {
        guard: Guard::this_program(),
        templates: directory.path().join("templates"),
        socket_base: context.variable("XDG_RUNTIME_DIR").map(PathBuf::from),
        user: arguments.user.clone(),
        interrupt: Interrupt::new(),
        limits: Limits::default(),
    };
    let instance = directory.path().join("instance");
    std::fs::create_dir(&instance).map_err(failed)?;
    try_server(&ManagedServer::new(server.clone(), settings)?, &instance)
}
