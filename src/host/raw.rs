//! The only unsafe code: system calls for which there is no safe wrapper.
#![allow(unsafe_code)]

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
