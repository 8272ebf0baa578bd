//! Where the parts of an installed server lie, worked out from its binary.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The places that matter of one installed server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    /// The binary, or the script that starts it.
    pub binary: PathBuf,
    /// It is a script, which names the server's own places by itself.
    pub wrapper: bool,
    /// The directory above `bin`, `sbin` or `libexec`.
    pub basedir: PathBuf,
}

impl Installation {
    /// The one of this binary.
    pub fn of(binary: &Path) -> Self {
        let mut beginning = [0u8; 2];
        let wrapper = File::open(binary)
            .and_then(|mut file| file.read_exact(&mut beginning))
            .is_ok_and(|()| &beginning == b"#!");
        let basedir = binary.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
        Self { binary: binary.to_path_buf(), wrapper, basedir: basedir.to_path_buf() }
    }

    /// Where the tree of the server may begin: a script lies beside a tree with its own `usr`.
    fn roots(&self) -> [PathBuf; 2] {
        [self.basedir.clone(), self.basedir.join("usr")]
    }

    /// The file `name` of the SQL scripts that make system tables.
    pub fn script(&self, name: &str) -> Option<PathBuf> {
        self.roots()
            .iter()
            .flat_map(|root| {
                ["share/mariadb", "share/mysql", "share", "scripts"].map(|part| root.join(part))
            })
            .map(|directory| directory.join(name))
            .find(|path| path.is_file())
    }

    /// Where its plugins may lie.
    fn plugin_directories(&self) -> Vec<PathBuf> {
        let mut places = Vec::new();
        for root in self.roots() {
            for library in ["lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"] {
                for inside in ["plugin", "mysql/plugin", "mariadb/plugin", "mariadb19/plugin"] {
                    places.push(root.join(library).join(inside));
                }
            }
        }
        places
    }

    /// The shared library of the plugin `name` (`ha_rocksdb`), where it is installed.
    pub fn plugin(&self, name: &str) -> Option<PathBuf> {
        self.plugin_directories()
            .into_iter()
            .map(|directory| directory.join(format!("{name}.so")))
            .find(|path| path.is_file())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_plugins_are_found_beside_a_binary_and_beside_a_wrapper() {
        let top = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = top.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            path
        };
        let wrapper = write("m118/bin/mariadbd", "#!/bin/bash\n");
        let tables = write("m118/usr/share/mariadb/mariadb_system_tables.sql", "");
        let plugin = write("m118/usr/lib/mysql/plugin/ha_rocksdb.so", "");
        let found = Installation::of(&wrapper);
        assert!(found.wrapper);
        assert_eq!(found.script("mariadb_system_tables.sql"), Some(tables));
        assert_eq!(found.script("mysql_system_tables.sql"), None);
        assert_eq!(found.plugin("ha_rocksdb"), Some(plugin));

        let binary = write("local/mysql/bin/mysqld", "\x7fELF");
        let tables = write("local/mysql/share/mysql_system_tables.sql", "");
        let found = Installation::of(&binary);
        assert!(!found.wrapper);
        assert_eq!(found.basedir, top.path().join("local/mysql"));
        assert_eq!(found.script("mysql_system_tables.sql"), Some(tables));
        assert_eq!(found.plugin("ha_rocksdb"), None);
    }
}
