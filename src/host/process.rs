//! What processes use: processor time, memory, reads and writes.

use std::io;
use std::path::Path;
use std::time::Duration;

/// What a process has used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessUsage {
    /// Processor time in user mode.
    pub user: Duration,
    /// Processor time in the kernel.
    pub system: Duration,
    /// Resident memory, bytes.
    pub resident: u64,
    /// Largest resident memory so far, bytes.
    pub peak_resident: u64,
    /// Bytes that it caused to be read from devices. None without the right to see it.
    /// Counts writes of LSM engines too low: the device's counters tell more.
    pub read_bytes: Option<u64>,
    /// Bytes that it caused to be written to devices, page cache included.
    pub written_bytes: Option<u64>,
}

impl ProcessUsage {
    /// Processor time in all.
    pub fn cpu(&self) -> Duration {
        self.user + self.system
    }
}

/// What this process has used.
pub fn own_usage() -> io::Result<ProcessUsage> {
    usage_below(Path::new("/"), "self")
}

/// What a process (`self`, or a number) of the machine whose /proc lies below `root` has used. An
/// error of kind `NotFound` when there is none.
pub fn usage_below(root: &Path, process: &str) -> io::Result<ProcessUsage> {
    usage_with_ticks(root, process, rustix::param::clock_ticks_per_second())
}

fn usage_with_ticks(root: &Path, process: &str, ticks: u64) -> io::Result<ProcessUsage> {
    let directory = root.join("proc").join(process);
    let stat = std::fs::read_to_string(directory.join("stat"))?;
    let status = std::fs::read_to_string(directory.join("status"))?;
    // Only the owner may see it; a server of another user keeps it closed.
    let io_text = std::fs::read_to_string(directory.join("io")).ok();
    let (user, system) = ticks_of(&stat).ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("{} is not as expected", directory.join("stat").display()),
        )
    })?;
    let time = |count: u64| Duration::from_nanos(count * 1_000_000_000 / ticks.max(1));
    let counter = |name: &str| io_text.as_deref().and_then(|text| field(text, name));
    Ok(ProcessUsage {
        user: time(user),
        system: time(system),
        resident: field(&status, "VmRSS:").unwrap_or(0) * 1024,
        peak_resident: field(&status, "VmHWM:").unwrap_or(0) * 1024,
        read_bytes: counter("read_bytes:"),
        written_bytes: counter("write_bytes:"),
    })
}

/// utime and stime. The name in parentheses may hold anything, parentheses and blanks as well.
fn ticks_of(stat: &str) -> Option<(u64, u64)> {
    let mut fields = stat[stat.rfind(')')? + 1..].split_whitespace();
    let user = fields.nth(11)?.parse().ok()?;
    Some((user, fields.next()?.parse().ok()?))
}

fn field(text: &str, name: &str) -> Option<u64> {
    text.lines()
        .find_map(|line| line.strip_prefix(name))
        .and_then(|rest| rest.split_whitespace().next()?.parse().ok())
}

/// Context switches of all threads of process `pid` that live, voluntary or not, on the machine whose
/// /proc lies below `root`.
pub fn context_switches_below(root: &Path, pid: u32) -> io::Result<u64> {
    let mut sum = 0;
    for thread in std::fs::read_dir(root.join(format!("proc/{pid}/task")))? {
        // A thread may end while it is looked at.
        let Ok(status) = std::fs::read_to_string(thread?.path().join("status")) else { continue };
        for name in ["voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"] {
            sum += field(&status, name).unwrap_or(0);
        }
    }
    Ok(sum)
}

/// The memory allocator that process `pid` has loaded: `libjemalloc.so.2`, or `libc` where it has
/// none of its own. None without the right to look.
pub fn allocator(pid: u32) -> Option<String> {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).ok()?;
    Some(allocator_in(&maps))
}

fn allocator_in(maps: &str) -> String {
    maps.lines()
        .filter_map(|line| line.rsplit('/').next())
        .find(|file| {
            ["libjemalloc", "libtcmalloc", "libmimalloc"].iter().any(|own| file.starts_with(own))
        })
        .unwrap_or("libc")
        .to_string()
}

/// The processes whose parent is process `pid`, those that have ended and were not waited for
/// among them.
pub fn children_of(pid: u32) -> Vec<u32> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let parent_is_it = |child: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).ok()?;
        let parent = stat[stat.rfind(')')? + 1..].split_whitespace().nth(1)?;
        (parent == pid.to_string()).then_some(child)
    };
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(parent_is_it)
        .collect()
}

/// Whether process `pid` lives; one that has ended and waits for its parent does not.
pub fn is_alive(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .ok()
        .and_then(|stat| stat[stat.rfind(')')? + 1..].trim_start().chars().next())
        .is_some_and(|state| !matches!(state, 'Z' | 'X'))
}

/// Processes other than this one with an argument that begins so.
pub fn with_argument(beginning: &str) -> Vec<u32> {
    let own = std::process::id();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| *pid != own && is_alive(*pid))
        .filter(|pid| {
            std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| {
                line.split(|byte| *byte == 0)
                    .any(|argument| argument.starts_with(beginning.as_bytes()))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_read_from_the_text_of_the_kernel() {
        let root = tempfile::tempdir().unwrap();
        let own = root.path().join("proc/42");
        std::fs::create_dir_all(&own).unwrap();
        std::fs::write(
            own.join("stat"),
            "42 (my (odd) sqld) S 1 42 42 0 -1 4194304 1 0 0 0 250 50 0 0 20 0 9 0 1 1 1\n",
        )
        .unwrap();
        std::fs::write(own.join("status"), "Name:\tmysqld\nVmHWM:\t  2048 kB\nVmRSS:\t  1024 kB\n")
            .unwrap();
        std::fs::write(own.join("io"), "rchar: 9\nread_bytes: 4096\nwrite_bytes: 8192\n").unwrap();
        let usage = usage_with_ticks(root.path(), "42", 100).unwrap();
        assert_eq!(usage.user, Duration::from_millis(2500));
        assert_eq!(usage.cpu(), Duration::from_secs(3));
        assert_eq!((usage.resident, usage.peak_resident), (1 << 20, 2 << 20));
        assert_eq!((usage.read_bytes, usage.written_bytes), (Some(4096), Some(8192)));
        std::fs::remove_file(own.join("io")).unwrap();
        assert_eq!(usage_below(root.path(), "42").unwrap().read_bytes, None);
        assert!(usage_below(root.path(), "43").is_err());
    }

    #[test]
    fn an_allocator_is_known_by_its_library() {
        let maps =
            "7f0 r-xp 0 fe:00 1 /usr/lib/libjemalloc.so.2\n7f1 r-xp 0 fe:00 2 /lib/libc.so.6\n";
        assert_eq!(allocator_in(maps), "libjemalloc.so.2");
        assert_eq!(allocator_in("7f1 r-xp 0 fe:00 2 /lib/libc.so.6\n"), "libc");
        assert_eq!(allocator(std::process::id()).as_deref(), Some("libc"));
    }

    #[test]
    fn context_switches_are_those_of_all_threads() {
        let root = tempfile::tempdir().unwrap();
        for (thread, own) in [(42, 5), (43, 7)] {
            let task = root.path().join(format!("proc/42/task/{thread}"));
            std::fs::create_dir_all(&task).unwrap();
            let text = format!("voluntary_ctxt_switches:\t{own}\nnonvoluntary_ctxt_switches: 1\n");
            std::fs::write(task.join("status"), text).unwrap();
        }
        assert_eq!(context_switches_below(root.path(), 42).unwrap(), 14);
        assert!(context_switches_below(root.path(), 44).is_err());
        assert!(context_switches_below(Path::new("/"), std::process::id()).unwrap() > 0);
    }

    #[test]
    fn this_process_lives_and_can_be_asked() {
        assert!(is_alive(std::process::id()));
        assert!(own_usage().unwrap().resident > 0);
        assert!(!with_argument("").contains(&std::process::id()));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let deadline = std::time::Instant::now() + Duration::from_secs(10);
        while is_alive(child.id()) && std::time::Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        // Ended and not yet waited for: still in /proc, but not alive.
        assert!(Path::new(&format!("/proc/{}", child.id())).exists());
        assert!(!is_alive(child.id()));
        child.wait().unwrap();
    }
}
