//! The server's own words: what of its log bears on a failure.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Lines that are kept for a failure.
const KEPT: usize = 15;
/// Bytes at the end of a log that are looked at.
const LOOKED_AT: u64 = 64 << 10;

/// The log files of a start, from where they ended before it.
#[derive(Clone, Debug)]
pub(super) struct Logs {
    files: Vec<(PathBuf, u64)>,
}

impl Logs {
    /// The files as they are now.
    pub(super) fn from_here(files: &[&Path]) -> Self {
        let length = |path: &Path| path.metadata().map_or(0, |metadata| metadata.len());
        Self { files: files.iter().map(|path| (path.to_path_buf(), length(path))).collect() }
    }

    /// What was written since, its end at least.
    fn lines(&self) -> Vec<String> {
        self.files.iter().flat_map(|(path, from)| end_of(path, *from)).collect()
    }

    /// The lines that say what went wrong; where none does, the last ones.
    pub(super) fn telling(&self) -> Vec<String> {
        let lines = self.lines();
        let telling: Vec<String> = lines.iter().filter(|line| tells(line)).cloned().collect();
        let chosen = if telling.is_empty() { lines } else { telling };
        chosen[chosen.len().saturating_sub(KEPT)..].to_vec()
    }

    /// The last lines, whatever they say.
    pub(super) fn last(&self) -> Vec<String> {
        let lines = self.lines();
        lines[lines.len().saturating_sub(KEPT)..].to_vec()
    }
}

/// The end of a file behind `from`; nothing of a file that is not there.
fn end_of(path: &Path, from: u64) -> Vec<String> {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(from.max(length.saturating_sub(LOOKED_AT))))?;
        let mut bytes = Vec::new();
        file.take(LOOKED_AT).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().unwrap_or_default();
    String::from_utf8_lossy(&bytes)
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.trim().is_empty())
        .map(str::to_string)
        .collect()
}

fn tells(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    ["error", "abort", "fatal", "signal", "assert", "cannot open shared", "no space left"]
        .iter()
        .any(|word| lower.contains(word))
}

/// The words of the line that says most: the first error that is not about ending because of it,
/// without time and number in front.
pub(super) fn headline(lines: &[String]) -> Option<String> {
    let is_error = |line: &&String| line.contains("[ERROR]") || line.contains("ERROR:");
    let said = lines
        .iter()
        .find(|line| is_error(line) && !line.to_ascii_lowercase().ends_with("aborting"))
        .or_else(|| lines.iter().find(|line| tells(line)))
        .or(lines.last())?;
    let words = said.split_once("[ERROR]").map_or(said.as_str(), |(_, rest)| rest);
    // MySQL 8 and later: [MY-000067] [Server]
    let mut words = words.trim();
    while let Some(rest) = words.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        words = rest.1.trim_start();
    }
    Some(words.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_says_why_is_found_among_the_noise() {
        let log = "\
2026-01-02  3:04:05 0 [Note] Starting MariaDB 10.11.19-MariaDB
2026-01-02  3:04:05 0 [Warning] something
2026-01-02  3:04:05 0 [ERROR] mariadbd: unknown variable 'innodb_nonsense=1'
2026-01-02  3:04:05 0 [ERROR] Aborting
";
        let lines: Vec<String> = log.lines().map(str::to_string).collect();
        assert_eq!(headline(&lines).unwrap(), "mariadbd: unknown variable 'innodb_nonsense=1'");
        let mysql = ["2026-01-02T03:04:05Z 0 [ERROR] [MY-000067] [Server] unknown variable 'a=1'."];
        assert_eq!(headline(&mysql.map(str::to_string)).unwrap(), "unknown variable 'a=1'.");
        assert_eq!(headline(&[]), None);
    }

    #[test]
    fn only_what_was_written_since_counts() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("error.log");
        std::fs::write(&path, "[ERROR] of an earlier start\n").unwrap();
        let logs = Logs::from_here(&[&path, &top.path().join("none")]);
        assert_eq!(logs.last(), Vec::<String>::new());
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("[Note] fine\n\n[ERROR] now\n");
        std::fs::write(&path, text).unwrap();
        assert_eq!(logs.telling(), ["[ERROR] now"]);
        assert_eq!(logs.last(), ["[Note] fine", "[ERROR] now"]);
    }
}
