//! `mysqld --version`, with a limit: a binary may be anything.

use crate::host::environment;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long a binary may take to say its version.
const WITHIN: Duration = Duration::from_secs(20);

/// How often it is looked for its end while its pipes are open.
const LOOK: Duration = Duration::from_millis(5);

/// What `binary --no-defaults --version` prints. The error is in the binary's own words.
pub(super) fn version_line(binary: &Path) -> Result<String, String> {
    let mut child = environment::command(binary)
        // A broken option file of the machine must not matter.
        .args(["--no-defaults", "--version"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot be run: {error}"))?;
    // The pipes end with the binary: waiting for them tells its end at once.
    let (ended, ends) = mpsc::channel();
    let read = |pipe: Option<Box<dyn Read + Send>>| {
        let ended = ended.clone();
        std::thread::spawn(move || {
            let mut text = Vec::new();
            // What a broken pipe loses is not missed.
            let _ = pipe.map(|pipe| pipe.take(64 << 10).read_to_end(&mut text));
            let _ = ended.send(());
            String::from_utf8_lossy(&text).into_owned()
        })
    };
    let output = read(child.stdout.take().map(|pipe| Box::new(pipe) as _));
    let errors = read(child.stderr.take().map(|pipe| Box::new(pipe) as _));
    drop(ended);
    let deadline = Instant::now() + WITHIN;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => {
                if ends.recv_timeout(LOOK) == Err(RecvTimeoutError::Disconnected) {
                    std::thread::sleep(LOOK / 20);
                }
            }
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("`--version` did not end in {} s", WITHIN.as_secs()));
            }
        }
    };
    let output = output.join().unwrap_or_default();
    let errors = errors.join().unwrap_or_default();
    if status.success() {
        return Ok(output);
    }
    let said = errors.lines().chain(output.lines()).find(|line| !line.trim().is_empty());
    Err(match said {
        Some(line) => format!("`--version` failed: {}", line.trim()),
        None => format!("`--version` failed with {status}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_binary_that_fails_is_told_in_its_own_words() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("mysqld");
        std::fs::write(
            &path,
            "#!/bin/sh\necho 'mysqld: error while loading shared libraries: libaio.so.1' >&2\nexit 127\n",
        )
        .unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let error = version_line(&path).unwrap_err();
        assert!(error.contains("libaio.so.1"), "{error}");
        assert!(version_line(&top.path().join("none")).unwrap_err().contains("cannot be run"));
    }
}
