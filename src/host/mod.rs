//! The machine: processes and their guard, limits, /proc, disks, the page cache, file copies, time.

pub mod clock;
