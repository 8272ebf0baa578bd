//! The operating system's page cache: what of a file is in it, and getting it out.
//!
//! Engines that read through the page cache profit from what a restore left there; those that
//! read past it do not. Without eviction the winner of a comparison can flip.

use super::raw;
use super::tree::files_below;
use rustix::fs::{Advice, fadvise};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

/// How much of some files is in the page cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Residency {
    /// Bytes in the page cache, whole pages.
    pub resident_bytes: u64,
    /// Bytes in all, whole pages.
    pub total_bytes: u64,
}

impl Residency {
    /// The resident share, 0 to 1; 0 of nothing.
    pub fn share(&self) -> f64 {
        if self.total_bytes == 0 {
            0.0
        } else {
            self.resident_bytes as f64 / self.total_bytes as f64
        }
    }
}

/// Writes what is dirty of a file and takes all of it out of the page cache. Needs no rights but
/// to open it. On tmpfs nothing can be evicted.
pub fn evict(file: &File) -> io::Result<()> {
    // Dirty pages cannot be dropped.
    file.sync_all()?;
    fadvise(file, 0, None, Advice::DontNeed)?;
    Ok(())
}

/// [`evict`] for every file below `directory`.
pub fn evict_tree(directory: &Path) -> io::Result<()> {
    for path in files_below(directory)? {
        evict(&File::open(path)?)?;
    }
    Ok(())
}

/// Reads every file below `directory`, so that all of it is in the page cache as far as memory goes.
pub fn read_tree(directory: &Path) -> io::Result<()> {
    for path in files_below(directory)? {
        io::copy(&mut File::open(path)?, &mut io::sink())?;
    }
    Ok(())
}

/// How much of a file is in the page cache. Linux tells it to those who own the file or may write
/// it.
pub fn residency(file: &File) -> io::Result<Residency> {
    // Mapped piece by piece, so that a large file does not use up address space.
    const PIECE: u64 = 1 << 30;
    let page = rustix::param::page_size() as u64;
    let length = file.metadata()?.len();
    let mut sum = Residency::default();
    let mut offset = 0;
    while offset < length {
        let piece = PIECE.min(length - offset);
        let (inside, pages) = raw::resident_pages(file.as_fd(), offset, piece as usize)?;
        sum.resident_bytes += inside * page;
        sum.total_bytes += pages * page;
        offset += piece;
    }
    Ok(sum)
}

/// [`residency`] of every file below `directory`, added up.
pub fn residency_of_tree(directory: &Path) -> io::Result<Residency> {
    let mut sum = Residency::default();
    for path in files_below(directory)? {
        let one = residency(&File::open(path)?)?;
        sum.resident_bytes += one.resident_bytes;
        sum.total_bytes += one.total_bytes;
    }
    Ok(sum)
}

/// Drops every clean page, and with it directory entries and inodes, of the whole machine.
/// The error says which right is missing.
pub fn drop_caches() -> io::Result<()> {
    drop_caches_by(Path::new("/proc/sys/vm/drop_caches"))
}

fn drop_caches_by(switch: &Path) -> io::Result<()> {
    rustix::fs::sync();
    std::fs::write(switch, "3\n").map_err(|error| {
        io::Error::new(
            error.kind(),
            format!(
                "the caches of the operating system cannot be dropped: writing {}: {error}. It \
                 needs root, and in a container a writable /proc/sys",
                switch.display()
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_written_file_is_resident_until_it_is_evicted() {
        let mut file = tempfile::tempfile_in(crate::host::disk::beside_the_tests()).unwrap();
        file.write_all(&vec![7u8; 3 << 20]).unwrap();
        let before = residency(&file).unwrap();
        assert_eq!(before.total_bytes, 3 << 20);
        assert!(before.share() > 0.9, "{before:?}");
        evict(&file).unwrap();
        let after = residency(&file).unwrap();
        assert!(after.share() < 0.01, "{after:?}");
        assert_eq!(Residency::default().share(), 0.0);
    }

    #[test]
    fn a_missing_right_is_named() {
        let error = drop_caches_by(Path::new("/proc/sys/vm/no-such-switch")).unwrap_err();
        assert!(error.to_string().contains("needs root"), "{error}");
    }
}
