//! Sockets: time limits of connections that a library opened, and short places for socket files.

use super::raw;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{RecvFlags, SendFlags};
use std::fs::Permissions;
use std::io::{self, IoSlice};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// The longest socket path that the kernel takes, bytes.
pub const LONGEST_PATH: usize = 107;

/// How the names of directories for sockets begin.
const PREFIX: &str = "ecmp-";

/// Lets no read or write on the connection of `owner` wait longer than `limit`; none for no limit.
pub fn set_timeouts(owner: &impl AsRawFd, limit: Option<Duration>) -> io::Result<()> {
    // A timeout of 0 would mean none at all.
    let limit = limit.map(|limit| limit.max(Duration::from_millis(1)));
    raw::with_descriptor(owner, |socket| {
        set_socket_timeout(socket, Timeout::Recv, limit)?;
        set_socket_timeout(socket, Timeout::Send, limit)?;
        Ok(())
    })
}

/// Reads what has come on the connection of `owner`, at least a byte: how many. 0 when the other
/// side has closed it.
pub fn receive(owner: &impl AsRawFd, buffer: &mut [u8]) -> io::Result<usize> {
    raw::with_descriptor(owner, |socket| {
        loop {
            match rustix::net::recv(socket, &mut *buffer, RecvFlags::empty()) {
                Err(rustix::io::Errno::INTR) => {}
                done => return Ok(done?.0),
            }
        }
    })
}

/// Waits until something has come on the connection of `owner`, or it was closed.
///
/// Who waits in [`receive`] on a socket of the file system is woken twice: as Linux has it, once
/// more when the other side takes what was sent to it, since readers and writers of such a socket
/// wait in one queue. Who waits here is not, and a switch to a thread costs more than this call.
pub fn wait_to_receive(owner: &impl AsRawFd) -> io::Result<()> {
    raw::with_descriptor(owner, |socket| {
        loop {
            match poll(&mut [PollFd::from_borrowed_fd(socket, PollFlags::IN)], None) {
                Err(rustix::io::Errno::INTR) => {}
                done => return Ok(done.map(drop)?),
            }
        }
    })
}

/// Writes all of `bytes`, in one call where the socket takes them.
pub fn send(owner: &impl AsRawFd, bytes: &[u8]) -> io::Result<()> {
    let mut left = bytes;
    raw::with_descriptor(owner, |socket| {
        while !left.is_empty() {
            match rustix::net::send(socket, left, SendFlags::NOSIGNAL) {
                Err(rustix::io::Errno::INTR) => {}
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                done => left = &left[done?..],
            }
        }
        Ok(())
    })
}

/// Writes all of `parts`, one after the other, in one call where the socket takes them. For what is
/// too long to be put together first.
pub fn send_parts<const N: usize>(owner: &impl AsRawFd, parts: [&[u8]; N]) -> io::Result<()> {
    let mut slices = parts.map(IoSlice::new);
    let mut left = &mut slices[..];
    raw::with_descriptor(owner, |socket| {
        // Advancing by nothing drops parts that are empty.
        IoSlice::advance_slices(&mut left, 0);
        while !left.is_empty() {
            match rustix::io::writev(socket, left) {
                Err(rustix::io::Errno::INTR) => {}
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                done => IoSlice::advance_slices(&mut left, done?),
            }
        }
        Ok(())
    })
}

/// A directory of its own (mode 0700) for one server's socket, below `preferred` or else /tmp.
/// It is removed when the value is dropped; who hands it to a guard
/// (`GuardedSpec::remove_after`) keeps it.
pub fn make_directory(preferred: Option<&Path>) -> io::Result<TempDir> {
    let mut refused = None;
    for base in preferred.into_iter().chain([Path::new("/tmp")]) {
        match tempfile::Builder::new()
            .prefix(PREFIX)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(base)
        {
            Ok(directory) => return Ok(directory),
            Err(error) => {
                refused = Some(io::Error::new(
                    error.kind(),
                    format!("no directory for a socket in {}: {error}", base.display()),
                ));
            }
        }
    }
    Err(refused.unwrap_or_else(|| io::ErrorKind::NotFound.into()))
}

/// The directory that [`make_directory`] made for the server with this option file, while it is
/// there.
pub fn directory_of(option_file: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(option_file).ok()?;
    let socket = text.lines().find_map(|line| line.strip_prefix("socket="))?;
    let directory = Path::new(socket).parent()?;
    let ours = directory.file_name()?.to_str()?.starts_with(PREFIX);
    (ours && directory.is_dir()).then(|| directory.to_path_buf())
}

/// The path of a socket in `directory`; an error when it is too long for the kernel.
pub fn path_in(directory: &Path, name: &str) -> io::Result<PathBuf> {
    let path = directory.join(name);
    let length = path.as_os_str().as_bytes().len();
    if length > LONGEST_PATH {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!(
                "the socket path {} has {length} bytes; the kernel takes {LONGEST_PATH}. Set \
                 XDG_RUNTIME_DIR to a shorter directory",
                path.display()
            ),
        ));
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::net::UnixStream;

    #[test]
    fn a_read_ends_at_its_limit() {
        let (mut here, _there) = UnixStream::pair().unwrap();
        set_timeouts(&here, Some(Duration::from_millis(20))).unwrap();
        let error = here.read(&mut [0; 1]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        set_timeouts(&here, None).unwrap();
        assert_eq!(here.read_timeout().unwrap(), None);
    }

    /// How often this thread has given its processor away because it waited.
    fn waits() -> u64 {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        count.unwrap().trim().parse().unwrap()
    }

    #[test]
    fn who_waits_for_an_answer_is_woken_once() {
        const EXCHANGES: u64 = 40;
        let (here, mut there) = UnixStream::pair().unwrap();
        let pause = || std::thread::sleep(Duration::from_millis(1));
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut request = [0; 8];
                for _ in 0..EXCHANGES {
                    pause();
                    there.read_exact(&mut request).unwrap();
                    pause();
                    there.write_all(b"answer").unwrap();
                }
            });
            let mut answer = [0; 8];
            let before = waits();
            for _ in 0..EXCHANGES {
                send(&here, b"question").unwrap();
                wait_to_receive(&here).unwrap();
                assert_eq!(receive(&here, &mut answer).unwrap(), 6);
            }
            let each = (waits() - before) as f64 / EXCHANGES as f64;
            assert!(each < 1.5, "woken {each} times an answer");
            wait_to_receive(&here).unwrap();
            assert_eq!(receive(&here, &mut answer).unwrap(), 0, "the other side has gone");
        });
    }

    #[test]
    fn everything_is_sent_however_little_the_socket_takes_at_once() {
        let (here, mut there) = UnixStream::pair().unwrap();
        let large: Vec<u8> = (0..3 << 20).map(|at| (at % 251) as u8).collect();
        let read = std::thread::scope(|scope| {
            let reader = scope.spawn(move || {
                let mut all = Vec::new();
                there.read_to_end(&mut all).map(|_| all)
            });
            send(&here, &large).unwrap();
            send_parts(&here, [&[], &large[..5], &large[5..]]).unwrap();
            drop(here);
            reader.join().unwrap().unwrap()
        });
        assert!(read == [&large[..], &large].concat());
    }

    #[test]
    fn directories_are_private_and_paths_are_measured() {
        let directory = make_directory(Some(Path::new("/no/such/place"))).unwrap();
        let path = directory.path().to_path_buf();
        assert!(path.starts_with("/tmp"));
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
        drop(directory);
        assert!(!path.exists(), "{} was left behind", path.display());
        assert!(path_in(Path::new("/tmp/x"), "s").is_ok());
        assert_eq!(
            path_in(&Path::new("/").join("a".repeat(104)), "s").unwrap().as_os_str().len(),
            107
        );
        let error = path_in(&Path::new("/").join("a".repeat(105)), "s").unwrap_err();
        assert!(error.to_string().contains("108 bytes"), "{error}");
    }
}
