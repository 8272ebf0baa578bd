//! Directories as trees of files: listing, sizes, ownership, removal.

use std::io;
use std::os::unix::fs::{MetadataExt, lchown};
use std::path::{Path, PathBuf};

/// The size of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSizes {
    /// Relative to the directory that was asked about.
    pub path: PathBuf,
    /// Length, bytes.
    pub length: u64,
    /// Blocks on disk x 512, bytes.
    pub blocks: u64,
}

/// Every regular file below `directory`, sorted. Links are not followed; what vanishes meanwhile
/// is left out.
pub fn files_below(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The sizes of every regular file below `directory`, sorted by path.
pub fn sizes_below(directory: &Path) -> io::Result<Vec<FileSizes>> {
    let mut sizes = Vec::new();
    for path in files_below(directory)? {
        let metadata = match std::fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            // A running server removes files as it likes.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        sizes.push(FileSizes {
            path: path.strip_prefix(directory).unwrap_or(&path).to_path_buf(),
            length: metadata.len(),
            blocks: metadata.blocks() * 512,
        });
    }
    Ok(sizes)
}

/// Gives `directory` and everything below to a user and group; links themselves, not their goals.
pub fn give_to(directory: &Path, uid: u32, gid: u32) -> io::Result<()> {
    lchown(directory, Some(uid), Some(gid))?;
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            give_to(&entry.path(), uid, gid)?;
        } else {
            lchown(entry.path(), Some(uid), Some(gid))?;
        }
    }
    Ok(())
}

/// Removes a directory with everything below; one that is not there is no error.
pub fn remove(directory: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_listed_with_length_and_blocks() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("b")).unwrap();
        std::fs::write(directory.path().join("b/one"), [1u8; 5000]).unwrap();
        let sparse = std::fs::File::create(directory.path().join("a")).unwrap();
        sparse.set_len(1 << 20).unwrap();
        std::os::unix::fs::symlink("b/one", directory.path().join("link")).unwrap();
        let sizes = sizes_below(directory.path()).unwrap();
        let names: Vec<_> = sizes.iter().map(|file| file.path.to_str().unwrap()).collect();
        assert_eq!(names, ["a", "b/one"]);
        assert_eq!((sizes[0].length, sizes[0].blocks), (1 << 20, 0));
        assert_eq!(sizes[1].length, 5000);
        remove(&directory.path().join("b")).unwrap();
        remove(&directory.path().join("b")).unwrap();
        assert_eq!(sizes_below(directory.path()).unwrap().len(), 1);
    }
}
