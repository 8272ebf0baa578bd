//! What this process hands on to its children: rights of new files, and the environment without
//! what is nobody's business.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Variables that children do not get. The environment belongs to the whole process, and so does
/// this.
static WITHHELD: Mutex<BTreeSet<OsString>> = Mutex::new(BTreeSet::new());

/// Whatever this process and its children make from now on is its user's alone: files 0600,
/// directories 0700. What others must reach is opened for them one by one.
pub fn keep_files_private() {
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
}

/// Hands a variable of the environment to no child that is started from now on: it holds a
/// secret, and every process of a user can read the environment of the others.
pub fn withhold(variable: impl Into<OsString>) {
    WITHHELD.lock().unwrap_or_else(PoisonError::into_inner).insert(variable.into());
}

/// A program to start; the only way in which this crate starts any.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for variable in WITHHELD.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        command.env_remove(variable);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_child_does_not_get_what_is_withheld() {
        let told = || String::from_utf8(command("env").output().unwrap().stdout).unwrap();
        // Cargo sets it for tests, and nobody else here looks at it.
        let variable = "CARGO_PKG_DESCRIPTION";
        assert!(told().lines().any(|line| line.starts_with(variable)), "the test says nothing");
        withhold(variable);
        assert!(!told().lines().any(|line| line.starts_with(variable)));
    }

    #[test]
    fn nobody_starts_a_program_in_another_way() {
        fn look(folder: &Path, found: &mut Vec<String>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    look(&path, found);
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                if code.contains("Command::new(") && !path.ends_with("host/environment.rs") {
                    found.push(path.display().to_string());
                }
            }
        }
        let mut found = Vec::new();
        look(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
        assert!(found.is_empty(), "use host::environment::command: {found:?}");
    }
}
