//! Where server binaries lie.

use super::Where;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Names of server binaries; where both are there, the first is the binary and the other a link.
const NAMES: [&str; 2] = ["mariadbd", "mysqld"];

/// Directories of a tree that may hold the binary.
const IN_TREE: [&str; 5] = ["bin", "sbin", "libexec", "usr/sbin", "usr/bin"];

/// Directories that packages use and that PATH of an ordinary user may lack.
const USUAL: [&str; 6] = [
    "/usr/sbin",
    "/usr/local/sbin",
    "/usr/libexec",
    "/usr/local/libexec",
    "/usr/local/mysql/bin",
    "/usr/local/mariadb/bin",
];

/// Every server binary, in the order of looking.
pub(super) fn binaries(places: &Where) -> Vec<PathBuf> {
    let mut found = Vec::new();
    if let Some(path) = &places.path {
        found.extend(std::env::split_paths(path).flat_map(|directory| in_directory(&directory)));
    }
    if places.usual_places {
        found.extend(USUAL.iter().flat_map(|directory| in_directory(Path::new(directory))));
        // Unpacked archives: /opt/mysql, /opt/mysql/8.4, /opt/mariadb-11.8.
        let opt = trees_below(Path::new("/opt"));
        found.extend(opt.iter().filter_map(|tree| in_tree(tree)));
        found.extend(
            opt.iter().flat_map(|tree| trees_below(tree)).filter_map(|tree| in_tree(&tree)),
        );
    }
    if let Some(servers) = &places.servers {
        found.extend(trees_below(servers).iter().filter_map(|tree| in_tree(tree)));
    }
    found
}

/// The server binary of a tree.
pub(super) fn in_tree(tree: &Path) -> Option<PathBuf> {
    IN_TREE.iter().find_map(|inside| in_directory(&tree.join(inside)).into_iter().next())
}

fn in_directory(directory: &Path) -> Vec<PathBuf> {
    NAMES.iter().map(|name| directory.join(name)).filter(|path| is_program(path)).collect()
}

fn is_program(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Directories in a directory, sorted; none when it cannot be read.
fn trees_below(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut trees: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let hidden =
                path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            !hidden && path.is_dir()
        })
        .collect();
    trees.sort();
    trees
}
