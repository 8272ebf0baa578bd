//! Calibrations as they are kept with the machine: one file for each thing that was measured.

use super::suite::io_error;
use super::{CliError, Context};
use crate::compare::Calibration;
use crate::plan::{Plan, calibrate};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Where calibrations of the machine of this name are kept.
fn folder(context: &Context, machine: &str) -> PathBuf {
    context.default_state().join("calibrations").join(machine)
}

/// The file of a plan's calibration on the machine of this name.
fn file(context: &Context, machine: &str, plan: &Plan) -> PathBuf {
    let name = format!("{}-{}.json", plan.suite_name, calibrate::address(plan));
    folder(context, machine).join(name)
}

/// Whether any calibration of the suite is kept in `folder`. What a plan's own is called takes long
/// to work out where it has many cells.
fn any(folder: &Path, plan: &Plan) -> io::Result<bool> {
    let begins = format!("{}-", plan.suite_name);
    for entry in fs::read_dir(folder)? {
        if entry?.file_name().to_string_lossy().starts_with(&begins) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What was measured on this machine for what `plan` measures; none when nothing was.
pub(super) fn find(
    context: &Context,
    machine: &str,
    plan: &Plan,
) -> Result<Option<Calibration>, CliError> {
    let folder = folder(context, machine);
    match any(&folder, plan) {
        Ok(true) => {}
        Ok(false) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error("read", &folder, &error)),
    }
    let file = file(context, machine, plan);
    let text = match fs::read(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error("read", &file, &error)),
    };
    serde_json::from_slice(&text).map(Some).map_err(|error| {
        CliError::new(format!("{} is no calibration: {error}", file.display()))
            .help("remove it, or calibrate again")
    })
}

/// Where the calibration of a plan goes; asked before the plan is changed to measure it.
pub(super) struct Keep(PathBuf);

impl Keep {
    /// The place for what `plan` measures on the machine of this name.
    pub(super) fn of(context: &Context, machine: &str, plan: &Plan) -> Self {
        Self(file(context, machine, plan))
    }

    /// Keeps a calibration in place of an earlier one; gives its file.
    pub(super) fn keep(self, calibration: &Calibration) -> Result<PathBuf, CliError> {
        let Self(file) = self;
        let folder = file.parent().unwrap_or(Path::new("."));
        let mut text = serde_json::to_string_pretty(calibration)
            .map_err(|error| CliError::new(format!("a calibration is no JSON: {error}")))?;
        text.push('\n');
        fs::create_dir_all(folder)
            .and_then(|()| {
                // Written whole or not at all: a run may read it at the same time.
                let mut new = tempfile::NamedTempFile::new_in(folder)?;
                new.write_all(text.as_bytes())?;
                new.persist(&file).map_err(|error| error.error)
            })
            .map_err(|error| io_error("write", &file, &error))?;
        Ok(file)
    }
}
