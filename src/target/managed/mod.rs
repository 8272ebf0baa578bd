//! Servers that enginecmp initialises, starts, watches and stops, as a [`Target`].
//!
//! One instance is one directory: `data`, the option file, the logs and a directory for temporary
//! files lie in it, side by side. The socket lies in a short directory of its own.

mod initialise;
mod instance;
mod log;
mod option_file;
mod read_back;
mod running;
mod start;

pub use option_file::text as option_text;

use super::families::{self, Family};
use super::installation::Installation;
use super::{OptionLine, Running, StartSpec, Target, TargetDescription};
use crate::host::guard::Guard;
use crate::host::interrupt::Interrupt;
use crate::host::share::Limits;
use crate::host::users::{self, User};
use crate::model::{Failure, FailureKind, Phase};
use std::path::{Path, PathBuf};

/// The options with which enginecmp places an instance; a suite cannot set them.
pub const PLACED: &[&str] =
    &["basedir", "datadir", "tmpdir", "socket", "pid_file", "log_error", "user"];

/// What all managed servers of a run have in common.
#[derive(Clone, Debug)]
pub struct ManagedSettings {
    /// How processes are started.
    pub guard: Guard,
    /// Where empty data directories are kept, to be copied. Made when it is not there.
    pub templates: PathBuf,
    /// Where sockets go when the path is short enough and the server may go there
    /// (`$XDG_RUNTIME_DIR`); /tmp else.
    pub socket_base: Option<PathBuf>,
    /// The user that servers run as when enginecmp is root; root when none is named. An ordinary
    /// user's servers run as that user, and naming one is refused.
    pub user: Option<String>,
    /// Raised when the user ends the run: making an empty data directory ends then, too.
    pub interrupt: Interrupt,
    /// What a started server may use of the machine.
    pub limits: Limits,
}

/// A server that enginecmp manages.
#[derive(Debug)]
pub struct ManagedServer {
    description: TargetDescription,
    settings: ManagedSettings,
    installation: Installation,
    family: &'static Family,
}

impl ManagedServer {
    /// The one that discovery described.
    pub fn new(description: TargetDescription, settings: ManagedSettings) -> Result<Self, Failure> {
        let missing =
            |message: String| Failure::new(Phase::Start, FailureKind::ServerMissing, message);
        let family = families::find(&description.family).ok_or_else(|| {
            missing(format!("servers of the family `{}` cannot be started", description.family))
        })?;
        let binary = description.binary.clone().ok_or_else(|| {
            missing(format!("{} {} has no binary", description.family, description.version))
        })?;
        let installation = Installation::of(&binary);
        Ok(Self { description, settings, installation, family })
    }

    /// The user that a server runs as; none when that is the user of enginecmp.
    fn user(&self, phase: Phase) -> Result<Option<User>, Failure> {
        let name = self.settings.user.as_deref();
        if !users::is_root() {
            return name.map_or(Ok(None), |name| {
                let message =
                    format!("the server cannot run as user `{name}`: enginecmp is not root");
                Err(Failure::new(phase, FailureKind::Io, message)
                    .next_step("Run enginecmp as root, or name no user"))
            });
        }
        User::find(name.unwrap_or("root"))
            .map(Some)
            .map_err(|error| Failure::new(phase, FailureKind::Io, error.to_string()))
    }
}

impl Target for ManagedServer {
    fn describe(&self) -> &TargetDescription {
        &self.description
    }

    fn initialise(&self, data_dir: &Path, init_options: &[OptionLine]) -> Result<(), Failure> {
        initialise::initialise(self, data_dir, init_options)
    }

    fn start(&self, spec: &StartSpec) -> Result<Box<dyn Running>, Failure> {
        start::start(self, spec).map(|running| Box::new(running) as Box<dyn Running>)
    }
}
