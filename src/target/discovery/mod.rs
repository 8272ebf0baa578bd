//! Which servers this machine has: on PATH, in the usual places, in a directory of servers, in a
//! directory that the suite names. Nothing is started but `mysqld --version`.

mod places;
mod probe;
mod release;

pub use release::{NoSuchRelease, find_release};

use super::families::{self, Family};
use super::installation::Installation;
use super::version::Version;
use super::{TargetDescription, TargetKind};
use crate::engine::{ENGINES, Home};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Where to look.
#[derive(Clone, Debug, Default)]
pub struct Where {
    /// The value of PATH.
    pub path: Option<OsString>,
    /// `--servers DIR`: a directory with one server tree in each of its directories.
    pub servers: Option<PathBuf>,
    /// Whether to look in the usual places beside PATH.
    pub usual_places: bool,
}

/// What is there.
#[derive(Clone, Debug, Default)]
pub struct Discovered {
    /// Servers that answer, in the order of looking: PATH, usual places, directory of servers.
    pub servers: Vec<TargetDescription>,
    /// Binaries that do not, with what they say.
    pub broken: Vec<(PathBuf, String)>,
}

/// Looks for servers. Each binary is listed once, by whatever name it is found first.
pub fn discover(looked: &Where) -> Discovered {
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut binaries = places::binaries(looked);
    binaries.retain(|binary| {
        // mysqld is a link to mariadbd, /bin one to /usr/bin.
        let real = binary.canonicalize().unwrap_or_else(|_| binary.clone());
        let first = !seen.contains(&real);
        if first {
            seen.push(real);
        }
        first
    });
    // All are asked at the same time: each takes a while to load.
    let described = std::thread::scope(|scope| {
        let asked: Vec<_> =
            binaries.iter().map(|binary| scope.spawn(|| describe(binary))).collect();
        let answers = asked.into_iter().map(|asked| {
            asked.join().unwrap_or_else(|_| Err("`--version` could not be asked".to_string()))
        });
        answers.collect::<Vec<_>>()
    });
    let mut found = Discovered::default();
    for (binary, described) in binaries.into_iter().zip(described) {
        match described {
            Ok(server) => found.servers.push(server),
            Err(why) => found.broken.push((binary, why)),
        }
    }
    found
}

/// The server in the tree `basedir`. The error says what was looked for.
pub fn at_basedir(basedir: &Path) -> Result<TargetDescription, String> {
    if !basedir.is_dir() {
        return Err(format!("{} is no directory", basedir.display()));
    }
    let binary = places::in_tree(basedir).ok_or_else(|| {
        format!(
            "{} has no server: there is no mariadbd or mysqld in its bin, sbin, libexec, usr/sbin \
             or usr/bin",
            basedir.display()
        )
    })?;
    describe(&binary).map_err(|why| format!("{}: {why}", binary.display()))
}

/// Asks a binary what it is.
pub fn describe(binary: &Path) -> Result<TargetDescription, String> {
    let output = probe::version_line(binary)?;
    let version = Version::parse(&output)
        .ok_or_else(|| format!("`--version` gives no version of a server: {}", output.trim()))?;
    let installation = Installation::of(binary);
    let release = version.release();
    Ok(TargetDescription {
        name: "found".to_string(),
        kind: TargetKind::Managed,
        family: version.family.to_string(),
        build: build(binary, &output).map_err(|error| error.to_string())?,
        version: version.text,
        release,
        binary: Some(binary.to_path_buf()),
        engines: families::find(version.family)
            .map(|family| engines(family, release, &installation))
            .unwrap_or_default(),
    })
}

/// Engines that are built in or whose plugin is installed.
fn engines(family: &Family, release: (u32, u32), installation: &Installation) -> Vec<String> {
    ENGINES
        .iter()
        .filter(|engine| engine.home == Home::Server)
        .filter(|engine| {
            families::is_built_in(family, release, engine.storage)
                || engine.plugin.is_some_and(|plugin| installation.plugin(plugin).is_some())
        })
        .map(|engine| engine.storage.to_string())
        .collect()
}

/// What makes a build differ from another of the same version: what it says, and size and time of
/// its file; hexadecimal.
fn build(binary: &Path, output: &str) -> std::io::Result<String> {
    let metadata = std::fs::metadata(binary)?;
    let mut hash = Sha256::new();
    // Where it lies is no part of what it is.
    let said = output.split_once(" Ver ").map_or(output, |(_, rest)| rest);
    hash.update(said.trim());
    hash.update(metadata.size().to_le_bytes());
    hash.update(metadata.mtime().to_le_bytes());
    hash.update(metadata.mtime_nsec().to_le_bytes());
    Ok(hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn server(path: &Path, version: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("#!/bin/sh\necho \"$0  Ver {version}\"\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn servers_are_found_on_path_and_in_a_directory_of_servers() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("path");
        server(&path.join("mysqld"), "5.6.24 for linux-glibc2.5 on x86_64 (MySQL)");
        let servers = top.path().join("servers");
        server(&servers.join("ma118/bin/mariadbd"), "11.8.9-MariaDB for Linux on x86_64");
        std::fs::create_dir_all(servers.join("ma118/usr/lib/mysql/plugin")).unwrap();
        std::fs::write(servers.join("ma118/usr/lib/mysql/plugin/ha_rocksdb.so"), "").unwrap();
        server(&servers.join("odd/bin/mysqld"), "gibberish");
        std::os::unix::fs::symlink(path.join("mysqld"), top.path().join("path/mariadbd")).unwrap();
        std::fs::create_dir_all(servers.join("empty")).unwrap();

        let found = discover(&Where {
            path: Some(path.into()),
            servers: Some(servers.clone()),
            usual_places: false,
        });
        let listed: Vec<_> = found
            .servers
            .iter()
            .map(|server| (server.family.as_str(), server.version.as_str(), server.release))
            .collect();
        assert_eq!(listed, [("mysql", "5.6.24", (5, 6)), ("mariadb", "11.8.9-MariaDB", (11, 8))]);
        assert_eq!(found.servers[0].engines, ["InnoDB", "MyISAM", "MEMORY"]);
        assert!(found.servers[1].engines.contains(&"ROCKSDB".to_string()));
        assert_ne!(found.servers[0].build, found.servers[1].build);
        assert_eq!(found.broken.len(), 1);
        assert!(found.broken[0].1.contains("gibberish"), "{:?}", found.broken);

        assert_eq!(at_basedir(&servers.join("ma118")).unwrap().release, (11, 8));
        let error = at_basedir(&servers.join("empty")).unwrap_err();
        assert!(error.contains("no mariadbd or mysqld"), "{error}");
        assert!(at_basedir(&servers.join("none")).unwrap_err().contains("no directory"));
    }
}
