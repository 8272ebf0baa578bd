//! Users of this machine, for servers that run as one of them.

use super::environment;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Name.
    pub name: String,
    /// Number.
    pub uid: u32,
    /// Number of its first group.
    pub gid: u32,
}

impl User {
    /// The user of this name, from /etc/passwd or whatever else the machine asks.
    pub fn find(name: &str) -> io::Result<Self> {
        let local = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        if let Some(user) = find_in(&local, name) {
            return Ok(user);
        }
        // Users of a directory service are not in the file.
        let told = environment::command("getent").args(["passwd", name]).output();
        told.ok()
            .and_then(|output| find_in(&String::from_utf8_lossy(&output.stdout), name))
            .ok_or_else(|| {
                io::Error::new(
                    io::ErrorKind::NotFound,
                    format!("this machine has no user `{name}`"),
                )
            })
    }
}

fn find_in(passwd: &str, name: &str) -> Option<User> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        (fields.next()? == name).then_some(())?;
        let _password = fields.next()?;
        let uid = fields.next()?.parse().ok()?;
        let gid = fields.next()?.parse().ok()?;
        Some(User { name: name.to_string(), uid, gid })
    })
}

/// Whether this process has root's rights.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The first directory on the way to `path` that another user may not pass through; none when all
/// is open. `path` must exist.
pub fn closed_to(path: &Path, user: &User) -> io::Result<Option<PathBuf>> {
    for directory in path.canonicalize()?.ancestors().skip(1) {
        let metadata = std::fs::metadata(directory)?;
        let mode = metadata.mode();
        let passes = if metadata.uid() == user.uid {
            mode & 0o100 != 0
        } else if metadata.gid() == user.gid {
            mode & 0o010 != 0
        } else {
            mode & 0o001 != 0
        };
        if !passes && user.uid != 0 {
            return Ok(Some(directory.to_path_buf()));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn users_are_read_from_the_lines_of_passwd() {
        let passwd = "root:x:0:0:root:/root:/bin/bash\nmysql:x:102:105:MySQL Server,,,:/n:/f\n";
        let user = find_in(passwd, "mysql").unwrap();
        assert_eq!((user.uid, user.gid), (102, 105));
        assert_eq!(find_in(passwd, "mysq"), None);
        assert!(User::find("no-such-user-here").unwrap_err().to_string().contains("no-such"));
    }

    #[test]
    fn a_directory_that_stops_another_user_is_named() {
        let top = tempfile::tempdir().unwrap();
        let inner = top.path().join("inner/data");
        std::fs::create_dir_all(&inner).unwrap();
        let other = User { name: "other".into(), uid: 54_321, gid: 54_321 };
        std::fs::set_permissions(top.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(closed_to(&inner, &other).unwrap().unwrap(), top.path().canonicalize().unwrap());
        std::fs::set_permissions(top.path(), std::fs::Permissions::from_mode(0o711)).unwrap();
        assert_eq!(closed_to(&inner, &other).unwrap(), None);
    }
}
