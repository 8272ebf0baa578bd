//! The machine: processes and their guard, limits, /proc, disks, the page cache, file copies, time.

pub mod clock;
pub mod guard;
mod raw;
pub mod socket;
