//! Copies of files and trees that reproduce the extent map and leave nothing in the page cache.
//!
//! Holes stay holes, preallocated blocks stay preallocated, and blocks are never shared with the
//! source: engines that update in place pay a third on blocks that they must first unshare.
//! `copy_file_range` may share blocks on XFS, btrfs and others, so bytes are read and written.

use super::page_cache;
use super::raw::{self, MappedExtent};
use rustix::fs::{Advice, FallocateFlags, fadvise, fallocate, fdatasync};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Bytes read and written at once.
const BUFFER: usize = 1 << 20;
/// Bytes after which copied data are written out and evicted, so that a copy larger than memory
/// pushes nothing else out of the page cache.
const FLUSH_EVERY: u64 = 64 << 20;

/// What a copy leaves in the page cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// Nothing: source and copy are written out and evicted.
    Cold,
    /// Whatever the kernel keeps; for small things that are used at once.
    Warm,
}

/// What was copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Files.
    pub files: u64,
    /// Their lengths, bytes.
    pub length: u64,
    /// Bytes read and written; holes and preallocated blocks are neither.
    pub bytes: u64,
}

/// Copies a tree to `to`, which must not exist. Names for which `skip` says so (relative to
/// `from`) are left out. Permissions are kept; owners are those of the caller.
pub fn copy_tree(
    from: &Path,
    to: &Path,
    leave: Leave,
    skip: &dyn Fn(&Path) -> bool,
) -> io::Result<Copied> {
    let mut copied = Copied::default();
    let mut buffer = vec![0u8; BUFFER];
    copy_directory(from, to, Path::new(""), leave, skip, &mut buffer, &mut copied)?;
    Ok(copied)
}

fn copy_directory(
    from: &Path,
    to: &Path,
    inside: &Path,
    leave: Leave,
    skip: &dyn Fn(&Path) -> bool,
    buffer: &mut [u8],
    copied: &mut Copied,
) -> io::Result<()> {
    let at = |error: io::Error, path: &Path| {
        io::Error::new(error.kind(), format!("{}: {error}", path.display()))
    };
    std::fs::create_dir(to).map_err(|error| at(error, to))?;
    std::fs::set_permissions(to, std::fs::metadata(from)?.permissions())?;
    for entry in std::fs::read_dir(from).map_err(|error| at(error, from))? {
        let entry = entry?;
        let inside = inside.join(entry.file_name());
        if skip(&inside) {
            continue;
        }
        let source = entry.path();
        let goal = to.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_directory(&source, &goal, &inside, leave, skip, buffer, copied)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(std::fs::read_link(&source)?, &goal)?;
        } else if kind.is_file() {
            let (length, bytes) =
                copy_file(&source, &goal, leave, buffer).map_err(|error| at(error, &goal))?;
            copied.files += 1;
            copied.length += length;
            copied.bytes += bytes;
        }
        // Sockets and pipes belong to a process that is gone.
    }
    if leave == Leave::Cold {
        // The names themselves must be on the disk before a crash of the server is a crash test.
        File::open(to)?.sync_all()?;
    }
    Ok(())
}

/// Copies one file; gives its length and the bytes that were read and written.
fn copy_file(from: &Path, to: &Path, leave: Leave, buffer: &mut [u8]) -> io::Result<(u64, u64)> {
    let source = File::open(from)?;
    let metadata = source.metadata()?;
    let copy =
        OpenOptions::new().write(true).create_new(true).mode(metadata.mode() & 0o7777).open(to)?;
    let length = metadata.len();
    copy.set_len(length)?;
    let mut bytes = 0;
    let mut since_flush = 0;
    for extent in extents(&source, &metadata)? {
        let end = length.min(extent.offset.saturating_add(extent.length));
        if extent.offset >= end {
            // Blocks beyond the end of the file are a file system's own reserve.
            continue;
        }
        if extent.unwritten {
            match fallocate(&copy, FallocateFlags::empty(), extent.offset, end - extent.offset) {
                // A file system that cannot preallocate has no such extents of its own.
                Ok(()) | Err(rustix::io::Errno::OPNOTSUPP) => {}
                Err(error) => return Err(error.into()),
            }
            continue;
        }
        let mut offset = extent.offset;
        while offset < end {
            let piece = (end - offset).min(buffer.len() as u64) as usize;
            source.read_exact_at(&mut buffer[..piece], offset)?;
            copy.write_all_at(&buffer[..piece], offset)?;
            offset += piece as u64;
            bytes += piece as u64;
            since_flush += piece as u64;
            if leave == Leave::Cold && since_flush >= FLUSH_EVERY {
                since_flush = 0;
                fdatasync(&copy)?;
                fadvise(&copy, 0, None, Advice::DontNeed)?;
                fadvise(&source, 0, None, Advice::DontNeed)?;
            }
        }
    }
    if leave == Leave::Cold {
        page_cache::evict(&copy)?;
        fadvise(&source, 0, None, Advice::DontNeed)?;
    }
    Ok((length, bytes))
}

/// The stretches of a file that have blocks; of a file system that cannot tell, what its sizes
/// allow to conclude.
fn extents(file: &File, metadata: &std::fs::Metadata) -> io::Result<Vec<MappedExtent>> {
    match raw::mapped_extents(file.as_fd()) {
        Ok(extents) => Ok(extents),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            let data = data_extents(file, metadata.len())?;
            if metadata.blocks() * 512 >= metadata.len() {
                Ok(fill_gaps(data, metadata.len()))
            } else {
                Ok(data)
            }
        }
        Err(error) => Err(error),
    }
}

/// The stretches that hold data, by SEEK_DATA and SEEK_HOLE.
fn data_extents(file: &File, length: u64) -> io::Result<Vec<MappedExtent>> {
    use rustix::fs::{SeekFrom, seek};
    let mut found = Vec::new();
    let mut at = 0;
    while at < length {
        let data = match seek(file, SeekFrom::Data(at)) {
            Ok(offset) => offset,
            // No data behind here.
            Err(rustix::io::Errno::NXIO) => break,
            // The whole file is data where holes are not known.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::OPNOTSUPP) => {
                return Ok(vec![MappedExtent { offset: 0, length, unwritten: false }]);
            }
            Err(error) => return Err(error.into()),
        };
        let hole = seek(file, SeekFrom::Hole(data))?;
        found.push(MappedExtent { offset: data, length: hole - data, unwritten: false });
        at = hole;
    }
    Ok(found)
}

/// With as many blocks as bytes there are no real holes: what holds no data is preallocated.
fn fill_gaps(data: Vec<MappedExtent>, length: u64) -> Vec<MappedExtent> {
    let mut whole = Vec::with_capacity(data.len() * 2 + 1);
    let mut at = 0;
    for extent in data {
        if extent.offset > at {
            whole.push(MappedExtent { offset: at, length: extent.offset - at, unwritten: true });
        }
        at = extent.offset + extent.length;
        whole.push(extent);
    }
    if at < length {
        whole.push(MappedExtent { offset: at, length: length - at, unwritten: true });
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map_of(path: &Path) -> Vec<(u64, u64, bool)> {
        // Adjacent extents of one kind differ by where their blocks lie, which no copy keeps.
        let file = File::open(path).unwrap();
        let mut merged: Vec<(u64, u64, bool)> = Vec::new();
        for extent in extents(&file, &file.metadata().unwrap()).unwrap() {
            match merged.last_mut() {
                Some(last) if last.0 + last.1 == extent.offset && last.2 == extent.unwritten => {
                    last.1 += extent.length;
                }
                _ => merged.push((extent.offset, extent.length, extent.unwritten)),
            }
        }
        merged
    }

    #[test]
    fn holes_stay_holes_and_preallocated_blocks_stay_preallocated() {
        let directory = tempfile::tempdir_in(crate::host::disk::beside_the_tests()).unwrap();
        let from = directory.path().join("from");
        std::fs::create_dir_all(from.join("db")).unwrap();
        let path = from.join("db/t.ibd");
        let file = File::create(&path).unwrap();
        file.set_len(8 << 20).unwrap();
        file.write_all_at(&vec![1u8; 1 << 20], 0).unwrap();
        file.write_all_at(&vec![2u8; 1 << 20], 4 << 20).unwrap();
        fallocate(&file, FallocateFlags::empty(), 6 << 20, 2 << 20).unwrap();
        file.sync_all().unwrap();
        std::fs::write(from.join("auto.cnf"), "id").unwrap();

        let to = directory.path().join("to");
        let skip = |path: &Path| path == Path::new("auto.cnf");
        let copied = copy_tree(&from, &to, Leave::Cold, &skip).unwrap();
        assert_eq!(copied, Copied { files: 1, length: 8 << 20, bytes: 2 << 20 });
        assert!(!to.join("auto.cnf").exists());
        let copy = to.join("db/t.ibd");
        assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&copy).unwrap());
        let blocks = |path: &Path| std::fs::metadata(path).unwrap().blocks();
        assert_eq!(blocks(&path), blocks(&copy));
        let map = map_of(&path);
        assert_eq!(map, map_of(&copy));
        assert!(map.iter().any(|extent| extent.2), "no preallocated extent in {map:?}");
        assert!(blocks(&copy) * 512 < 8 << 20, "the hole was filled");
    }

    #[test]
    fn a_file_without_real_holes_is_preallocated_where_it_holds_no_data() {
        let data = vec![MappedExtent { offset: 10, length: 5, unwritten: false }];
        let whole = fill_gaps(data, 20);
        let shape: Vec<_> =
            whole.iter().map(|extent| (extent.offset, extent.length, extent.unwritten)).collect();
        assert_eq!(shape, [(0, 10, true), (10, 5, false), (15, 5, true)]);
    }

    #[test]
    fn a_copy_leaves_nothing_in_the_page_cache() {
        let directory = tempfile::tempdir_in(crate::host::disk::beside_the_tests()).unwrap();
        let from = directory.path().join("from");
        std::fs::create_dir(&from).unwrap();
        std::fs::write(from.join("data"), vec![3u8; 4 << 20]).unwrap();
        let cold = directory.path().join("cold");
        copy_tree(&from, &cold, Leave::Cold, &|_| false).unwrap();
        assert!(page_cache::residency_of_tree(&cold).unwrap().share() < 0.01);
        let warm = directory.path().join("warm");
        copy_tree(&from, &warm, Leave::Warm, &|_| false).unwrap();
        assert!(page_cache::residency_of_tree(&warm).unwrap().share() > 0.5);
        assert!(copy_tree(&from, &warm, Leave::Warm, &|_| false).is_err(), "no overwriting");
    }
}
