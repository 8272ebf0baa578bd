//! Server families as data: one file a family, rows by release. The functions here answer what a
//! plan must know about a server without starting it.

use super::{TargetDescription, sqlite};
use crate::engine::EngineSpec;
use crate::model::SettingValue;

/// What an option moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OptionScope {
    /// Fixed when the data directory is made (page size, undo tablespaces).
    Init,
    /// Changes the bytes of loaded data (compression, column families, checksums).
    Data,
    /// The running server alone.
    Run,
}

/// An option that enginecmp writes by itself, with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnOption {
    /// Name with underscores.
    pub name: String,
    /// Value; none for a bare option.
    pub value: Option<String>,
    /// Why, in a few words for `plan`.
    pub reason: String,
}

/// What an option moves. Options that are not listed as init or data are of scope run.
pub fn option_scope(name: &str) -> OptionScope {
    sqlite::pragma::find(name).map_or(OptionScope::Run, |pragma| pragma.scope)
}

/// Options that every start of this server gets: no network, buffer-pool dump off, plugins of the
/// engines in use, smallest caches for engines that are not, strict SQL mode, and so on.
/// `under_test` are the engines whose tables the cells use.
pub fn own_options(server: &TargetDescription, _under_test: &[&EngineSpec]) -> Vec<OwnOption> {
    if server.family == sqlite::FAMILY {
        return sqlite::settings::own_options();
    }
    Vec::new()
}

/// Translates a portable setting (`cache`, `io`, `redo`, `isolation`, `lock_wait`) for an engine on
/// this server. An error says why it cannot be had and what would do.
pub fn translate(
    server: &TargetDescription,
    _engine: &EngineSpec,
    setting: &str,
    value: &SettingValue,
) -> Result<Vec<OwnOption>, String> {
    if server.family == sqlite::FAMILY {
        return sqlite::settings::translate(setting, value);
    }
    Ok(Vec::new())
}
