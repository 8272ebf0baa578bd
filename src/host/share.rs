//! The share of the machine that a process gets: memory by a control group, processors by affinity.
//!
//! Whoever joins a group before it starts another process has that process in the group from its
//! first page on. Control groups of version 1 and 2 are used where this user may make one: beside
//! the own group or at the top.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What a process and its children may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory, the page cache of the files that it reads included; none for no limit.
    pub memory: Option<u64>,
    /// Processors, from 0; none for those of whoever starts it.
    pub processors: Option<Vec<u32>>,
}

/// Puts the calling thread, and what it starts from now on, on these processors. The error names
/// one that this machine lacks.
pub fn pin(processors: &[u32]) -> io::Result<()> {
    let mut set = CpuSet::new();
    for &processor in processors {
        let number = processor as usize;
        if number >= CpuSet::MAX_CPU {
            return Err(io::Error::other(format!("there is no processor {processor}")));
        }
        set.set(number);
    }
    // The kernel takes a set that has some of the machine's processors; all of them are meant.
    let before = sched_getaffinity(None)?;
    sched_setaffinity(None, &set).map_err(|error| named(processors, &error.into()))?;
    let taken = sched_getaffinity(None)?;
    if taken == set {
        return Ok(());
    }
    sched_setaffinity(None, &before)?;
    Err(named(processors, &io::Error::other("some of them are not there")))
}

fn named(processors: &[u32], why: &io::Error) -> io::Error {
    let list: Vec<String> = processors.iter().map(ToString::to_string).collect();
    io::Error::new(why.kind(), format!("processors {} cannot be had: {why}", list.join(", ")))
}

/// The processors that the calling thread may run on.
pub fn allowed() -> io::Result<Vec<u32>> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).map(|cpu| cpu as u32).collect())
}

/// The calling thread on other processors, until it is dropped.
#[derive(Debug)]
pub struct Pinned {
    before: Vec<u32>,
}

impl Pinned {
    /// [`pin`], undone when the value is dropped.
    pub fn to(processors: &[u32]) -> io::Result<Self> {
        let before = allowed()?;
        pin(processors)?;
        Ok(Self { before })
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // They were allowed before.
        let _ = pin(&self.before);
    }
}

/// A control group with a memory limit that this process is in. [`Group::leave`] ends it.
#[derive(Debug)]
pub struct Group {
    directory: PathBuf,
    /// Where this process was before.
    home: PathBuf,
}

/// A directory in which groups may be made.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    directory: PathBuf,
    home: PathBuf,
    version_2: bool,
}

impl Limits {
    /// Puts this process under the limits. What it starts from now on is under them too.
    pub fn enter(&self) -> io::Result<Option<Group>> {
        if let Some(processors) = &self.processors {
            pin(processors)?;
        }
        self.memory.map(Group::with_memory).transpose()
    }

    /// Tries the limits and gives them up again. The error says what cannot be had, and why.
    pub fn try_out(&self) -> io::Result<()> {
        if let Some(processors) = &self.processors {
            Pinned::to(processors)?;
        }
        if let Some(memory) = self.memory {
            Group::with_memory(memory)?.leave();
        }
        Ok(())
    }
}

impl Group {
    /// Makes a group of at most `bytes` of memory and joins it.
    fn with_memory(bytes: u64) -> io::Result<Self> {
        let read = |path: &str| fs::read_to_string(path);
        let places = places(&read("/proc/self/mounts")?, &read("/proc/self/cgroup")?);
        let mut why = io::Error::other("no control group for memory is mounted");
        for place in places {
            match Self::make(&place, bytes) {
                Ok(group) => return Ok(group),
                Err(error) => {
                    let at = place.directory.display();
                    why = io::Error::new(error.kind(), format!("{at}: {error}"));
                }
            }
        }
        Err(io::Error::new(why.kind(), format!("a memory limit cannot be had: {why}")))
    }

    fn make(place: &Place, bytes: u64) -> io::Result<Self> {
        let process = std::process::id();
        let directory = place.directory.join(format!("enginecmp-{process}"));
        if place.version_2 {
            // Groups below have a memory limit only where the group above hands it down. Often
            // that is so already; a group that has processes of its own cannot.
            let _ = fs::write(place.directory.join("cgroup.subtree_control"), "+memory");
        }
        fs::create_dir(&directory)?;
        let group = Self { directory: directory.clone(), home: place.home.clone() };
        let (limit, swap) = if place.version_2 {
            ("memory.max", ("memory.swap.max", 0))
        } else {
            ("memory.limit_in_bytes", ("memory.memsw.limit_in_bytes", bytes))
        };
        let entered = fs::write(directory.join(limit), bytes.to_string()).and_then(|()| {
            // Without swap accounting there is no such file, and nothing to forbid.
            let _ = fs::write(directory.join(swap.0), swap.1.to_string());
            fs::write(directory.join("cgroup.procs"), process.to_string())
        });
        match entered {
            Ok(()) => Ok(group),
            Err(error) => {
                group.leave();
                Err(error)
            }
        }
    }

    /// Whether the kernel killed a process of the group because its memory was used up. Kernels
    /// before 4.13 do not tell.
    pub fn ran_out_of_memory(&self) -> bool {
        ["memory.events", "memory.oom_control"]
            .iter()
            .filter_map(|file| fs::read_to_string(self.directory.join(file)).ok())
            .any(|text| tells_of_kills(&text))
    }

    /// Goes back to where this process was and removes the group, which nobody else is in.
    pub fn leave(self) {
        // A group that cannot be left or removed is empty and limits nobody.
        let _ = fs::write(self.home.join("cgroup.procs"), std::process::id().to_string());
        let _ = fs::remove_dir(&self.directory);
    }
}

/// Whether the counters of a group, of either version, tell that a process was killed.
fn tells_of_kills(counters: &str) -> bool {
    counters
        .lines()
        .filter_map(|line| line.strip_prefix("oom_kill ")?.trim().parse::<u64>().ok())
        .any(|kills| kills > 0)
}

/// Where groups for memory may be made, the best first: of version 1 below the own group and at
/// the top, of version 2 beside the own group and at the top.
fn places(mounts: &str, own: &str) -> Vec<Place> {
    let mount = |wanted: &dyn Fn(&str, &str) -> bool| {
        mounts.lines().find_map(|line| {
            let mut fields = line.split(' ').skip(1);
            let (at, kind, options) = (fields.next()?, fields.next()?, fields.next()?);
            wanted(kind, options).then(|| PathBuf::from(at))
        })
    };
    let below = |mount: &Path, path: &str| {
        let inside = mount.join(path.trim_start_matches('/'));
        // In a namespace the path may be one of outside.
        if inside.is_dir() { inside } else { mount.to_path_buf() }
    };
    let mut found = Vec::new();
    let first =
        mount(&|kind, options| kind == "cgroup" && options.split(',').any(|o| o == "memory"));
    if let Some(top) = first {
        let path = own.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':').skip(1);
            let (controllers, path) = (fields.next()?, fields.next()?);
            controllers.split(',').any(|name| name == "memory").then_some(path)
        });
        let home = below(&top, path.unwrap_or("/"));
        for directory in [home.clone(), top] {
            found.push(Place { directory, home: home.clone(), version_2: false });
        }
    }
    if let Some(top) = mount(&|kind, _| kind == "cgroup2") {
        let path = own.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or("/");
        let home = below(&top, path);
        let beside = home.parent().filter(|parent| parent.starts_with(&top)).map(Path::to_path_buf);
        for directory in beside.into_iter().chain([top]) {
            found.push(Place { directory, home: home.clone(), version_2: true });
        }
    }
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_both_versions_are_found_where_they_are_mounted() {
        let top = tempfile::tempdir().unwrap();
        fs::create_dir_all(top.path().join("own/inside")).unwrap();
        let at = top.path().display();
        let first = places(
            &format!("cgroup {at} cgroup rw,memory 0 0\n"),
            "9:name=systemd:/\n4:cpu,memory:/own\n0::/\n",
        );
        assert_eq!(first.len(), 2);
        assert_eq!(first[0].directory, top.path().join("own"));
        assert!(!first[0].version_2 && first[1].directory == top.path());
        let second = places(&format!("none {at} cgroup2 rw 0 0\n"), "0::/own/inside\n");
        assert_eq!(second[0].directory, top.path().join("own"));
        assert_eq!(second[0].home, top.path().join("own/inside"));
        assert!(second.iter().all(|place| place.version_2));
        assert!(places("proc /proc proc rw 0 0\n", "0::/\n").is_empty());
    }

    /// Version 2 as it looks to whoever writes files, without a kernel behind them.
    #[test]
    fn a_group_of_version_2_has_its_limit_no_swap_and_this_process() {
        let top = tempfile::tempdir().unwrap();
        let home = top.path().join("own");
        fs::create_dir(&home).unwrap();
        let place =
            Place { directory: top.path().to_path_buf(), home: home.clone(), version_2: true };
        let group = Group::make(&place, 64 << 20).unwrap();
        let read = |directory: &Path, name: &str| fs::read_to_string(directory.join(name)).unwrap();
        let process = std::process::id().to_string();
        assert_eq!(read(top.path(), "cgroup.subtree_control"), "+memory");
        assert_eq!(read(&group.directory, "memory.max"), "67108864");
        assert_eq!(read(&group.directory, "memory.swap.max"), "0");
        assert_eq!(read(&group.directory, "cgroup.procs"), process);
        group.leave();
        assert_eq!(read(&home, "cgroup.procs"), process);

        // Where no group can be made, nothing is left and the reason is the file system's.
        let nowhere = Place { directory: top.path().join("none"), ..place };
        assert!(Group::make(&nowhere, 1).is_err());
    }

    #[test]
    fn a_group_tells_of_processes_that_the_kernel_killed() {
        assert!(tells_of_kills("low 0\nhigh 0\nmax 311\noom 2\noom_kill 1\n"));
        assert!(!tells_of_kills("low 0\nhigh 0\nmax 311\noom 2\noom_kill 0\n"));
        assert!(tells_of_kills("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"));
        assert!(!tells_of_kills("oom_kill_disable 0\nunder_oom 0\n"));
    }

    #[test]
    fn a_thread_is_pinned_and_goes_back() {
        let before = allowed().unwrap();
        let one = [before[0]];
        let pinned = Pinned::to(&one).unwrap();
        assert_eq!(allowed().unwrap(), one);
        let error = pin(&[before[0], 900]).unwrap_err().to_string();
        assert!(error.contains("processors"), "{error}");
        drop(pinned);
        assert_eq!(allowed().unwrap(), before);
    }
}
