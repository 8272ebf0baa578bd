//! The directory of one instance, and who owns what in it.

use crate::host::users::{self, User};
use crate::host::{socket, tree};
use crate::model::{Failure, FailureKind, Phase};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt, lchown};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The places of one instance.
#[derive(Debug)]
pub(super) struct Instance {
    /// Data directory.
    pub(super) data: PathBuf,
    /// Temporary files of the server, and files for it to load.
    pub(super) tmp: PathBuf,
    /// The generated option file.
    pub(super) option_file: PathBuf,
    /// The server's error log.
    pub(super) error_log: PathBuf,
    /// What it writes to standard output and error.
    pub(super) output: PathBuf,
    /// Its process id.
    pub(super) pid_file: PathBuf,
    /// Directory of the socket. It goes with this value until a guard takes it over.
    pub(super) socket_directory: TempDir,
    /// The socket.
    pub(super) socket: PathBuf,
}

impl Instance {
    /// Prepares the directory around `data_dir`, which must be there, for a server that runs as
    /// `user` (none: as this process).
    pub(super) fn prepare(
        data_dir: &Path,
        user: Option<&User>,
        socket_base: Option<&Path>,
    ) -> Result<Self, Failure> {
        let failed = |what: &str, error: io::Error| {
            Failure::new(Phase::Start, FailureKind::Io, format!("{what}: {error}"))
        };
        let data = data_dir
            .canonicalize()
            .map_err(|error| failed(&format!("no data directory {}", data_dir.display()), error))?;
        let around = data.parent().unwrap_or(Path::new("/")).to_path_buf();
        let tmp = around.join("tmp");
        if let Err(error) = DirBuilder::new().mode(0o700).create(&tmp)
            && error.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(failed(&format!("cannot make {}", tmp.display()), error));
        }
        // A directory that only this process may enter is of no use to a server of another user.
        let shared = user.is_none_or(|user| user.uid == 0);
        let socket_directory = socket::make_directory(socket_base.filter(|_| shared))
            .map_err(|error| failed("cannot make a place for the socket", error))?;
        let socket = socket::path_in(socket_directory.path(), "s")
            .map_err(|error| failed("cannot name a socket", error))?;
        let instance = Self {
            option_file: around.join("my.cnf"),
            error_log: around.join("error.log"),
            output: around.join("output.log"),
            pid_file: around.join("server.pid"),
            data,
            tmp,
            socket_directory,
            socket,
        };
        if let Some(user) = user {
            instance
                .give(&around, user)
                .map_err(|error| failed("cannot give the data directory to its user", error))?;
            if let Some(closed) = users::closed_to(&instance.data, user)
                .map_err(|error| failed("cannot look at the data directory", error))?
            {
                return Err(Failure::new(
                    Phase::Start,
                    FailureKind::Io,
                    format!(
                        "user `{}` may not pass through {}, so the server cannot reach its data",
                        user.name,
                        closed.display()
                    ),
                )
                .next_step("Name a directory that it can reach with `--work DIR`"));
            }
        }
        Ok(instance)
    }

    /// Gives what the server writes to its user: as root, copies are root's until now.
    fn give(&self, around: &Path, user: &User) -> io::Result<()> {
        lchown(around, Some(user.uid), Some(user.gid))?;
        lchown(self.socket_directory.path(), Some(user.uid), Some(user.gid))?;
        tree::give_to(&self.data, user.uid, user.gid)?;
        tree::give_to(&self.tmp, user.uid, user.gid)?;
        for log in [&self.error_log, &self.output] {
            if log.exists() {
                lchown(log, Some(user.uid), Some(user.gid))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_socket_directory_outlives_a_start_that_failed_early() {
        let top = tempfile::tempdir_in("/tmp").unwrap();
        let data = top.path().join("data");
        std::fs::create_dir(&data).unwrap();
        let base = top.path().join("s");
        std::fs::create_dir(&base).unwrap();
        let left = |base: &Path| std::fs::read_dir(base).unwrap().count();
        let instance = Instance::prepare(&data, None, Some(&base)).unwrap();
        assert_eq!(left(&base), 1);
        drop(instance);
        assert_eq!(left(&base), 0);
        // The socket's path would be too long for the kernel.
        let long = top.path().join("a".repeat(100));
        std::fs::create_dir(&long).unwrap();
        assert!(Instance::prepare(&data, None, Some(&long)).is_err());
        assert_eq!(left(&long), 0);
    }
}
