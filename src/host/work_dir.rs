//! The work directory: datasets, templates of empty data directories, and what a run needs while
//! it lasts. One enginecmp at a time uses it; two would disturb each other's figures.

use super::{process, socket, tree};
use rustix::fs::{FlockOperation, flock};
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// An open work directory. It is free for others when this is dropped.
#[derive(Debug)]
pub struct WorkDir {
    root: PathBuf,
    /// Holds the lock.
    _lock: File,
}

/// What a run that was killed left behind, and is gone now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// Directories of runs.
    pub runs: usize,
    /// Processes that still used them.
    pub processes: usize,
    /// What could not be removed, with the reason.
    pub left: Vec<String>,
}

impl Cleaned {
    /// Removes a directory; false when something of it is left.
    fn remove(&mut self, directory: &Path) -> bool {
        match tree::remove(directory) {
            Ok(()) => true,
            Err(error) => {
                self.left.push(format!("{}: {error}", directory.display()));
                false
            }
        }
    }
}

/// What lies in a directory; nothing when it cannot be read.
fn entries_of(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

/// How names of directories begin that are not whole yet.
pub const HALF: &str = "half-";

impl WorkDir {
    /// Makes it where it is not there (mode 0700), locks it, and removes what killed runs left
    /// behind. The error says who holds it.
    pub fn open(root: &Path) -> io::Result<(Self, Cleaned)> {
        let at = |what: &str, error: io::Error| {
            io::Error::new(error.kind(), format!("{what} {}: {error}", root.display()))
        };
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(root)
            .map_err(|error| at("cannot make the work directory", error))?;
        let root = root.canonicalize()?;
        let lock_path = root.join("lock");
        let mut lock = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&lock_path)
            .map_err(|error| at("cannot write to the work directory", error))?;
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            let mut holder = String::new();
            let _ = lock.read_to_string(&mut holder);
            return Err(io::Error::new(
                io::ErrorKind::WouldBlock,
                format!(
                    "another enginecmp (process {}) uses the work directory {}. Wait for it, or \
                     name another with `--work DIR`; two at once would disturb each other's \
                     figures",
                    holder.trim(),
                    root.display()
                ),
            ));
        }
        lock.set_len(0)?;
        lock.write_all(format!("{}\n", std::process::id()).as_bytes())?;
        let work = Self { root, _lock: lock };
        for part in ["datasets", "templates", "runs"] {
            let part = work.root.join(part);
            DirBuilder::new().recursive(true).mode(0o700).create(&part)?;
            // An earlier run may have let others through.
            std::fs::set_permissions(&part, Permissions::from_mode(0o700))?;
        }
        let cleaned = work.clean();
        Ok((work, cleaned))
    }

    /// Its path, without links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where datasets are kept.
    pub fn datasets(&self) -> PathBuf {
        Self::datasets_below(&self.root)
    }

    /// Where datasets are kept below a work directory that somebody else may have open.
    pub fn datasets_below(root: &Path) -> PathBuf {
        root.join("datasets")
    }

    /// Where empty data directories are kept, to be copied.
    pub fn templates(&self) -> PathBuf {
        self.root.join("templates")
    }

    /// Lets servers of another user reach their data: they may pass through this directory and
    /// that of the runs, and see nothing of them (mode 0711). What belongs to a server is its
    /// user's alone.
    pub fn let_others_through(&self) -> io::Result<()> {
        for directory in [self.root.clone(), self.root.join("runs")] {
            let mode = std::fs::metadata(&directory)?.permissions().mode();
            std::fs::set_permissions(&directory, Permissions::from_mode(mode | 0o011))?;
        }
        Ok(())
    }

    /// A new directory (mode 0700) for one server instance; its data directory, option file and
    /// logs go into it. `label` says in its name what it is for.
    pub fn instance(&self, label: &str) -> io::Result<PathBuf> {
        let label: String =
            label.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let directory = tempfile::Builder::new()
            .prefix(&format!("{label}-"))
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(self.root.join("runs"))?;
        Ok(directory.keep())
    }

    /// A path relative to the work directory, for a journal; others as they are.
    pub fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }

    /// Ends what still runs in the directories of earlier runs and removes them. The lock says
    /// that nobody needs them.
    fn clean(&self) -> Cleaned {
        let mut cleaned = Cleaned::default();
        for half in entries_of(&self.templates()) {
            // A template gets its name when it is whole.
            if half.file_name().is_some_and(|name| name.to_string_lossy().starts_with(HALF)) {
                cleaned.remove(&half);
            }
        }
        for path in entries_of(&self.root.join("runs")) {
            // The guard ends servers; only one that was itself killed lets them live on.
            if let Some(path) = path.to_str() {
                for pid in process::with_argument(&format!("--defaults-file={path}/")) {
                    if let Some(pid) =
                        i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw)
                    {
                        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
                        cleaned.processes += 1;
                    }
                }
            }
            if let Some(directory) = socket::directory_of(&path.join("my.cnf")) {
                cleaned.remove(&directory);
            }
            if cleaned.remove(&path) {
                cleaned.runs += 1;
            }
        }
        cleaned
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn one_at_a_time_and_the_other_is_told_who_holds_it() {
        let top = tempfile::tempdir().unwrap();
        let root = top.path().join("deep/work");
        let (work, cleaned) = WorkDir::open(&root).unwrap();
        assert_eq!(cleaned, Cleaned::default());
        let error = WorkDir::open(&root).unwrap_err().to_string();
        assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
        let instance = work.instance("innodb 4GB").unwrap();
        assert!(instance.file_name().unwrap().to_str().unwrap().starts_with("innodb-4GB-"));
        let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!([mode(&root), mode(&root.join("runs")), mode(&instance)], [0o700; 3]);
        work.let_others_through().unwrap();
        let modes = [mode(&root), mode(&root.join("runs")), mode(&root.join("datasets"))];
        assert_eq!(modes, [0o711, 0o711, 0o700]);
        assert!(work.relative(&instance).starts_with("runs"));
        drop(work);
        let (_work, cleaned) = WorkDir::open(&root).unwrap();
        assert_eq!((cleaned.runs, cleaned.processes), (1, 0));
        assert!(!instance.exists());
        assert_eq!(mode(&root.join("runs")), 0o700, "nobody of another user runs now");
    }

    #[test]
    fn a_process_that_still_uses_a_stale_run_is_ended() {
        let top = tempfile::tempdir().unwrap();
        let (work, _) = WorkDir::open(top.path()).unwrap();
        let instance = work.instance("stale").unwrap();
        drop(work);
        let argument = format!("--defaults-file={}/my.cnf", instance.display());
        let mut stale = std::process::Command::new("sh")
            .args(["-c", "read nothing"])
            .arg(&argument)
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // The kernel shows a process before it shows its arguments.
        while process::with_argument(&argument).is_empty() {
            assert!(stale.try_wait().unwrap().is_none(), "it waits for input that never comes");
            std::thread::yield_now();
        }
        let (_work, cleaned) = WorkDir::open(top.path()).unwrap();
        assert_eq!((cleaned.runs, cleaned.processes), (1, 1));
        assert!(!stale.wait().unwrap().success());
    }

    #[test]
    fn half_made_templates_and_forgotten_sockets_go_with_a_stale_run() {
        let top = tempfile::tempdir().unwrap();
        let (work, _) = WorkDir::open(top.path()).unwrap();
        std::fs::create_dir(work.templates().join("half-abc")).unwrap();
        std::fs::create_dir(work.templates().join("0123abcd")).unwrap();
        let sockets = socket::make_directory(None).unwrap().keep();
        let instance = work.instance("stale").unwrap();
        let option_file = format!("[mysqld]\nsocket={}/s\ndatadir=/\n", sockets.display());
        std::fs::write(instance.join("my.cnf"), option_file).unwrap();
        drop(work);
        let (work, cleaned) = WorkDir::open(top.path()).unwrap();
        assert_eq!(cleaned.left, Vec::<String>::new());
        assert!(!sockets.exists() && !instance.exists());
        assert!(!work.templates().join("half-abc").exists());
        assert!(work.templates().join("0123abcd").exists());
    }
}
