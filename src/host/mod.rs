//! The machine: processes and their guard, limits, /proc, disks, the page cache, file copies, time.

pub mod clock;
pub mod copy;
pub mod disk;
pub mod environment;
pub mod guard;
pub mod interrupt;
pub mod limits;
pub mod machine;
pub mod page_cache;
pub mod process;
mod raw;
pub mod share;
pub mod socket;
pub mod system;
pub mod tree;
pub mod users;
pub mod work_dir;
