//! Disks: which file system a directory lies on, how much is free, what its device has done.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The file system that a directory lies on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSystem {
    /// Type: `ext4`, `xfs`, `tmpfs`.
    pub kind: String,
    /// What is mounted: `/dev/vda1`, `tmpfs`.
    pub source: String,
    /// Where.
    pub mount_point: PathBuf,
    /// Device number as /proc/diskstats has it.
    pub device: (u32, u32),
    /// Options of the mount and of the file system itself, each once.
    pub options: Vec<String>,
}

impl FileSystem {
    /// The one of `path`, which must exist.
    pub fn of(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let mounts = std::fs::read_to_string("/proc/self/mountinfo")?;
        find_mount(&mounts, &path).ok_or_else(|| {
            io::Error::other(format!("no mount in /proc/self/mountinfo holds {}", path.display()))
        })
    }

    /// Whether it lives in memory: fsync costs nothing there and nothing can be evicted.
    pub fn in_memory(&self) -> bool {
        matches!(self.kind.as_str(), "tmpfs" | "ramfs" | "devtmpfs")
    }
}

fn find_mount(mounts: &str, path: &Path) -> Option<FileSystem> {
    // 36 35 98:0 /root /mount/point options optional-fields - type source super-options
    let parsed = mounts.lines().filter_map(|line| {
        let (left, right) = line.split_once(" - ")?;
        let mut left = left.split(' ').skip(2);
        let (major, minor) = left.next()?.split_once(':')?;
        let mount_point = PathBuf::from(unescaped(left.nth(1)?));
        let mut right = right.split(' ');
        let (kind, source) = (right.next()?.to_string(), unescaped(right.next()?));
        let mut options: Vec<String> = Vec::new();
        for option in [left.next(), right.next()].into_iter().flatten().flat_map(|o| o.split(',')) {
            if !options.iter().any(|known| known == option) {
                options.push(option.to_string());
            }
        }
        let device = (major.parse().ok()?, minor.parse().ok()?);
        Some(FileSystem { kind, source, mount_point, device, options })
    });
    // Of two mounts on one place the later hides the earlier.
    parsed
        .filter(|mount| path.starts_with(&mount.mount_point))
        .enumerate()
        .max_by_key(|(order, mount)| (mount.mount_point.components().count(), *order))
        .map(|(_, mount)| mount)
}

/// The kernel writes blanks and backslashes of paths as octal escapes.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let code = rest.get(at + 1..at + 4).and_then(|code| u8::from_str_radix(code, 8).ok());
        if let Some(code) = code {
            out.push(char::from(code));
            rest = &rest[at + 4..];
        } else {
            out.push('\\');
            rest = &rest[at + 1..];
        }
    }
    out.push_str(rest);
    out
}

/// Bytes of the file system of `path` in all.
pub fn space_bytes(path: &Path) -> io::Result<u64> {
    let told = rustix::fs::statvfs(path)?;
    Ok(told.f_blocks.saturating_mul(told.f_frsize))
}

/// Bytes that an ordinary user can still write on the file system of `path`.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let told = rustix::fs::statvfs(path)?;
    Ok(told.f_bavail * told.f_frsize)
}

/// Whether both paths lie on one file system, so that a rename moves between them.
pub fn same_file_system(one: &Path, other: &Path) -> io::Result<bool> {
    Ok(std::fs::metadata(one)?.dev() == std::fs::metadata(other)?.dev())
}

/// What a block device has done since the machine started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceCounters {
    /// Reads completed.
    pub reads: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Writes completed.
    pub writes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Milliseconds in which it was busy.
    pub busy_ms: u64,
    /// Flushes of its cache; none before Linux 5.5.
    pub flushes: Option<u64>,
}

/// The counters of a device of the machine whose /proc lies below `root`; none when the kernel keeps
/// none for it (overlays, network file systems, memory).
pub fn device_counters_below(
    root: &Path,
    device: (u32, u32),
) -> io::Result<Option<DeviceCounters>> {
    Ok(find_device(&std::fs::read_to_string(root.join("proc/diskstats"))?, device))
}

fn find_device(diskstats: &str, device: (u32, u32)) -> Option<DeviceCounters> {
    // The kernel counts sectors of 512 bytes here, whatever the device's own are.
    const SECTOR: u64 = 512;
    diskstats.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        (number(0)? == u64::from(device.0) && number(1)? == u64::from(device.1)).then_some(())?;
        Some(DeviceCounters {
            reads: number(3)?,
            read_bytes: number(5)? * SECTOR,
            writes: number(7)?,
            written_bytes: number(9)? * SECTOR,
            busy_ms: number(12)?,
            flushes: number(18),
        })
    })
}

/// A directory on a disk for tests: the one of the test program.
#[cfg(test)]
pub(crate) fn beside_the_tests() -> PathBuf {
    let program = std::env::current_exe().expect("tests have a program");
    program.parent().expect("a program lies in a directory").to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
25 22 0:5 / /dev rw,nosuid shared:2 - devtmpfs devtmpfs rw
26 25 0:22 / /dev/shm rw shared:3 - tmpfs tmpfs rw
40 22 8:17 / /mnt/my\\040disk rw,noatime - xfs /dev/sdb1 rw,nobarrier
41 40 8:33 / /mnt/my\\040disk rw - btrfs /dev/sdc1 rw
";

    #[test]
    fn the_longest_mount_point_wins_and_of_two_the_later() {
        let at = |path: &str| find_mount(MOUNTS, Path::new(path)).unwrap();
        assert_eq!(at("/home/u").kind, "ext4");
        assert_eq!(at("/home/u").device, (254, 0));
        assert!(at("/dev/shm/x").in_memory());
        assert_eq!(at("/mnt/my disk/data").kind, "btrfs");
        assert_eq!(at("/mnt/my disk").source, "/dev/sdc1");
        assert_eq!(at("/mnt/my").kind, "ext4");
        let hidden = MOUNTS.lines().nth(3).unwrap();
        let xfs = find_mount(hidden, Path::new("/mnt/my disk")).unwrap();
        assert_eq!(xfs.options, ["rw", "noatime", "nobarrier"]);
    }

    #[test]
    fn counters_come_in_bytes() {
        let text = "   8       0 sda 10 0 16 1 20 5 400 7 0 12 8 0 0 0 0\n 254 0 vda 1 0 2 0 3 0 4 0 0 9 0\n";
        let counters = find_device(text, (8, 0)).unwrap();
        assert_eq!(
            counters,
            DeviceCounters {
                reads: 10,
                read_bytes: 8192,
                writes: 20,
                written_bytes: 204_800,
                busy_ms: 12,
                flushes: None
            }
        );
        assert_eq!(find_device(text, (254, 0)).unwrap().busy_ms, 9);
        let newer = " 254 0 vda 1 0 2 0 3 0 4 0 0 9 0 0 0 0 0 77 5\n";
        assert_eq!(find_device(newer, (254, 0)).unwrap().flushes, Some(77));
        assert_eq!(find_device(text, (8, 1)), None);
    }

    #[test]
    fn this_machine_answers() {
        let here = beside_the_tests();
        let system = FileSystem::of(&here).unwrap();
        assert!(!system.kind.is_empty());
        assert!(free_bytes(&here).unwrap() > 0);
        assert!(same_file_system(&here, &here).unwrap());
        assert!(FileSystem::of(Path::new("/no/such/path")).is_err());
    }
}
