//! The only unsafe code: system calls for which there is no safe wrapper.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Runs `use_it` with the descriptor of a value that only gives it as a bare number.
pub(super) fn with_descriptor<T>(
    owner: &impl AsRawFd,
    use_it: impl FnOnce(BorrowedFd<'_>) -> T,
) -> T {
    // SAFETY: the number is the descriptor that `owner` owns, as `AsRawFd` promises; `owner` is
    // borrowed for the whole call, so it cannot close the descriptor before `use_it` returns.
    let descriptor = unsafe { BorrowedFd::borrow_raw(owner.as_raw_fd()) };
    use_it(descriptor)
}

/// How many pages of a file from `offset` on, `length` bytes, are in the page cache, and how many
/// there are. `offset` is a multiple of the page size.
pub(super) fn resident_pages(
    file: BorrowedFd<'_>,
    offset: u64,
    length: usize,
) -> io::Result<(u64, u64)> {
    let pages = length.div_ceil(rustix::param::page_size());
    let mut resident = vec![0u8; pages];
    // SAFETY: a new private mapping, at an address that the kernel chooses; nothing reads or
    // writes through it, so that the file may change or shrink meanwhile.
    let address = unsafe {
        rustix::mm::mmap(
            std::ptr::null_mut(),
            length,
            rustix::mm::ProtFlags::empty(),
            rustix::mm::MapFlags::PRIVATE,
            file,
            offset,
        )?
    };
    // SAFETY: the range is the mapping just made, and `resident` has a byte for each of its pages.
    let told = unsafe { libc::mincore(address, length, resident.as_mut_ptr()) };
    let error = io::Error::last_os_error();
    // SAFETY: unmaps that mapping and no more; no reference into it exists.
    unsafe { rustix::mm::munmap(address, length)? };
    if told != 0 {
        return Err(error);
    }
    let inside = resident.iter().filter(|page| **page & 1 == 1).count();
    Ok((inside as u64, pages as u64))
}

/// A stretch of a file that has blocks on the disk, as FIEMAP gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MappedExtent {
    /// Bytes from the beginning of the file.
    pub(super) offset: u64,
    /// Bytes.
    pub(super) length: u64,
    /// Preallocated: the blocks are there, reading gives zeros.
    pub(super) unwritten: bool,
}

/// The stretches of a file that have blocks, in order. An error of kind `Unsupported` where the
/// file system cannot tell.
pub(super) fn mapped_extents(file: BorrowedFd<'_>) -> io::Result<Vec<MappedExtent>> {
    // From linux/fiemap.h: a header of 32 bytes and 56 bytes for each extent.
    const REQUEST: libc::c_ulong = 0xC020_660B;
    const SYNC: u64 = 1;
    const LAST: u64 = 0x1;
    const UNWRITTEN: u64 = 0x800;
    const HEADER_WORDS: usize = 4;
    const EXTENT_WORDS: usize = 7;
    const AT_ONCE: usize = 512;
    let mut found: Vec<MappedExtent> = Vec::new();
    let mut buffer = vec![0u64; HEADER_WORDS + EXTENT_WORDS * AT_ONCE];
    let mut start = 0u64;
    loop {
        buffer.fill(0);
        buffer[0] = start;
        buffer[1] = u64::MAX - start;
        // Two 32-bit fields a word: flags and (out) mapped count; extent count and a reserved one.
        buffer[2] = pair(SYNC, 0);
        buffer[3] = pair(AT_ONCE as u64, 0);
        // SAFETY: the buffer is as large as its header says, is aligned to 8 bytes as the kernel's
        // structure is, and lives until the call returns; the kernel writes inside it alone.
        let done = unsafe { libc::ioctl(file.as_raw_fd(), REQUEST as _, buffer.as_mut_ptr()) };
        if done != 0 {
            let error = io::Error::last_os_error();
            return Err(match error.raw_os_error() {
                Some(libc::EOPNOTSUPP | libc::ENOTTY) => io::ErrorKind::Unsupported.into(),
                _ => error,
            });
        }
        let mapped = unpair(buffer[2]).1 as usize;
        for at in 0..mapped.min(AT_ONCE) {
            let words = &buffer[HEADER_WORDS + at * EXTENT_WORDS..][..EXTENT_WORDS];
            let flags = unpair(words[5]).0;
            found.push(MappedExtent {
                offset: words[0],
                length: words[2],
                unwritten: flags & UNWRITTEN != 0,
            });
            start = words[0] + words[2];
            if flags & LAST != 0 {
                return Ok(found);
            }
        }
        if mapped == 0 {
            return Ok(found);
        }
    }
}

/// Two 32-bit fields, one behind the other in memory, as one word.
fn pair(first: u64, second: u64) -> u64 {
    if cfg!(target_endian = "little") { first | second << 32 } else { first << 32 | second }
}

fn unpair(word: u64) -> (u64, u64) {
    let (low, high) = (word & 0xffff_ffff, word >> 32);
    if cfg!(target_endian = "little") { (low, high) } else { (high, low) }
}
