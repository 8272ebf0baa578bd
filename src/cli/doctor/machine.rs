//! What servers and engines need of the machine, read below a root that tests can set.

use super::page::{Item, Section, State};
use crate::host::disk::{FileSystem, free_bytes};
use crate::host::machine::Machine;
use crate::model::units::human_bytes;
use std::path::{Path, PathBuf};

/// Open files that servers with large caches of tables and many SST files want.
const OPEN_FILES: u64 = 10_000;
/// Free bytes below which a full-size suite is likely to run out of disk.
const FREE_BYTES: u64 = 20 << 30;

/// Looks at the machine whose files lie below `root`.
pub(super) fn look(root: &Path) -> std::io::Result<Section> {
    let machine = Machine::below(root)?;
    let swap = if machine.swap == 0 {
        "no swap".to_string()
    } else {
        format!("{} of swap", human_bytes(machine.swap as f64))
    };
    let mut items = vec![
        Item::new(
            State::Good,
            "processors",
            format!("{} x {}, {}", machine.cores, machine.cpu, machine.system),
        ),
        Item::new(State::Good, "memory", format!("{}, {swap}", human_bytes(machine.memory as f64))),
    ];
    items.extend(governor(&machine.governor));
    items.push(huge_pages(&machine.huge_pages));
    items.push(open_files(root));
    items.push(drop_caches(root));
    items.push(library(
        root,
        "libaio",
        &["libaio.so.1", "libaio.so.1t64"],
        (State::Missing, "most servers from tarballs do not start without it"),
        ["apt-get install libaio1 (Debian 13 and Ubuntu 24.04: libaio1t64)", "dnf install libaio"],
    ));
    items.push(library(
        root,
        "jemalloc",
        &["libjemalloc.so.2", "libjemalloc.so.1"],
        (State::Note, "TokuDB alone needs it"),
        ["apt-get install libjemalloc2", "dnf install jemalloc (from EPEL)"],
    ));
    Ok(Section { title: "Machine", items })
}

/// Clock rates that follow the load make short phases slower than long ones.
fn governor(governor: &str) -> Option<Item> {
    match governor {
        "" => None,
        "performance" => Some(Item::new(State::Good, "governor", "performance")),
        other => Some(
            Item::new(State::Note, "governor", format!("{other}: the clock rate follows the load"))
                .advice("", "cpupower frequency-set --governor performance"),
        ),
    }
}

fn huge_pages(mode: &str) -> Item {
    match mode {
        "" => Item::new(State::Good, "huge pages", "none in this kernel"),
        "always" => Item::new(State::Note, "huge pages", "always: TokuDB does not start")
            .advice("", "echo never > /sys/kernel/mm/transparent_hugepage/enabled"),
        other => Item::new(State::Good, "huge pages", other),
    }
}

/// Servers raise their own limit up to the hard one.
fn open_files(root: &Path) -> Item {
    let limits = std::fs::read_to_string(root.join("proc/self/limits")).unwrap_or_default();
    let hard = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"))
        .and_then(|rest| rest.split_whitespace().nth(1).map(str::to_string));
    match hard.as_deref().map(|text| (text, text.parse::<u64>())) {
        None => Item::new(State::Note, "open files", "the limit cannot be read"),
        Some((text, Ok(limit))) if limit < OPEN_FILES => Item::new(
            State::Note,
            "open files",
            format!("at most {text}; engines with many files want {OPEN_FILES} and more"),
        )
        .advice("", "ulimit -Hn 65536, or `nofile` in /etc/security/limits.conf"),
        Some((text, _)) => Item::new(State::Good, "open files", format!("at most {text}")),
    }
}

fn drop_caches(root: &Path) -> Item {
    let file = root.join("proc/sys/vm/drop_caches");
    if rustix::fs::access(&file, rustix::fs::Access::WRITE_OK).is_ok() {
        return Item::new(State::Good, "drop caches", "allowed");
    }
    Item::new(
        State::Note,
        "drop caches",
        "not allowed: `os_cache drop` evicts a run's own files alone",
    )
    .advice("", "run enginecmp as root where suites say `os_cache drop`")
}

/// A shared library in the places where the loader looks.
fn library(
    root: &Path,
    name: &str,
    files: &[&str],
    (without, need): (State, &str),
    get: [&str; 2],
) -> Item {
    let found = library_directories(root)
        .into_iter()
        .flat_map(|directory| files.iter().map(move |file| directory.join(file)))
        .find(|path| path.exists());
    match found {
        Some(path) => {
            let shown = path.strip_prefix(root).unwrap_or(&path);
            Item::new(State::Good, name, format!("/{}", shown.display()))
        }
        None => Item::new(without, name, format!("not found; {need}"))
            .advice("Debian", get[0])
            .advice("RPM", get[1])
            .advice("tarball", format!("put {} into the server's lib/private", files[0])),
    }
}

fn library_directories(root: &Path) -> Vec<PathBuf> {
    let arch = std::env::consts::ARCH;
    let multiarch = format!("{arch}-linux-gnu");
    ["usr/lib", "lib", "usr/local/lib"]
        .iter()
        .flat_map(|base| [root.join(base).join(&multiarch), root.join(base)])
        .chain([root.join("usr/lib64"), root.join("lib64")])
        .collect()
}

/// The work directory: where it lies and how much is free. `work` need not be there yet.
pub(super) fn work_directory(work: &Path) -> Item {
    let Some(there) = work.ancestors().find(|path| path.exists()) else {
        return Item::new(State::Missing, "work", format!("{} has no parent", work.display()));
    };
    match (FileSystem::of(there), free_bytes(there)) {
        (Ok(system), Ok(free)) => work_item(work, &system.kind, system.in_memory(), free),
        (Err(error), _) | (_, Err(error)) => {
            Item::new(State::Missing, "work", format!("{}: {error}", work.display()))
        }
    }
}

fn work_item(work: &Path, kind: &str, in_memory: bool, free: u64) -> Item {
    let place = work.display();
    let free_text = human_bytes(free as f64);
    let other = "enginecmp --work DIR, or ENGINECMP_WORK=DIR, with DIR on a disk of its own";
    if in_memory {
        return Item::new(
            State::Missing,
            "work",
            format!("{place} ({kind}) lies in memory: fsync costs nothing there"),
        )
        .advice("", other);
    }
    if free < FREE_BYTES {
        return Item::new(
            State::Note,
            "work",
            format!("{place} ({kind}), {free_text} free: a full-size suite wants more"),
        )
        .advice("", other);
    }
    Item::new(State::Good, "work", format!("{place} ({kind}), {free_text} free"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_work_directory_in_memory_or_on_a_full_disk_is_told() {
        let work = Path::new("/w");
        let item = work_item(work, "ext4", false, 100 << 30);
        assert_eq!((item.state, item.seen.as_str()), (State::Good, "/w (ext4), 100.0 GiB free"));
        assert_eq!(work_item(work, "ext4", false, 1 << 30).state, State::Note);
        assert_eq!(work_item(work, "tmpfs", true, 100 << 30).state, State::Missing);
        assert!(work_directory(Path::new("/no/such/place")).seen.starts_with("/no/such/place ("));
    }
}
