//! What the files of a dataset hold: noted when it is kept, compared before it is used again.

use crate::host::{page_cache, tree};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes read at once.
const BUFFER: usize = 1 << 20;

/// One file as it was kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFile {
    /// Relative to the data directory.
    pub path: String,
    /// Length, bytes.
    pub length: u64,
    /// SHA-256 of its bytes, hexadecimal. Holes count as the zeros that are read from them.
    pub sha256: String,
}

/// How closely files are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Names and lengths.
    Sizes,
    /// Names, lengths and every byte.
    Bytes,
}

/// Every file below `directory`, sorted by path, and its bytes summed. Nothing of them stays in
/// the page cache. `go_on` is asked at every mebibyte; false ends it with an error of kind
/// `Interrupted`.
pub fn of(directory: &Path, go_on: &dyn Fn() -> bool) -> io::Result<Vec<StoredFile>> {
    let mut files = Vec::new();
    for (path, length) in lengths(directory)? {
        let sha256 = sum(&directory.join(&path), go_on)?;
        files.push(StoredFile { path, length, sha256 });
    }
    Ok(files)
}

/// In what the files below `directory` differ from those that were kept, in words; empty when they
/// do not. `go_on` as in [`of`].
pub fn differences(
    directory: &Path,
    kept: &[StoredFile],
    look: Look,
    go_on: &dyn Fn() -> bool,
) -> io::Result<Vec<String>> {
    let mut there = lengths(directory)?;
    let mut words = Vec::new();
    for file in kept {
        match there.remove(&file.path) {
            None => words.push(format!("{} is gone", file.path)),
            Some(length) if length != file.length => {
                words.push(format!("{} has {length} bytes, kept were {}", file.path, file.length));
            }
            Some(_) => {
                if look == Look::Bytes && sum(&directory.join(&file.path), go_on)? != file.sha256 {
                    words.push(format!("{} has other bytes than were kept", file.path));
                }
            }
        }
    }
    words.extend(there.into_keys().map(|path| format!("{path} was not kept")));
    Ok(words)
}

fn lengths(directory: &Path) -> io::Result<BTreeMap<String, u64>> {
    let sizes = tree::sizes_below(directory)?.into_iter();
    Ok(sizes.map(|file| (file.path.to_string_lossy().into_owned(), file.length)).collect())
}

fn sum(path: &Path, go_on: &dyn Fn() -> bool) -> io::Result<String> {
    let at =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let mut file = File::open(path).map_err(at)?;
    let mut buffer = vec![0; BUFFER];
    let mut hash = Sha256::new();
    loop {
        if !go_on() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(bytes) => hash.update(&buffer[..bytes]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(at(error)),
        }
    }
    page_cache::evict(&file).map_err(at)?;
    Ok(hash.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_altered_lost_or_added_is_told_by_name() {
        let top = tempfile::tempdir().unwrap();
        let data = top.path();
        std::fs::create_dir(data.join("db")).unwrap();
        for name in ["db/stock.ibd", "db/item.ibd", "ibdata1"] {
            std::fs::write(data.join(name), name.repeat(100)).unwrap();
        }
        let kept = of(data, &|| true).unwrap();
        assert_eq!(kept.len(), 3);
        assert_eq!((kept[0].path.as_str(), kept[0].length), ("db/item.ibd", 1100));
        // SHA-256 of nothing is known to everybody.
        std::fs::write(data.join("empty"), "").unwrap();
        assert!(sum(&data.join("empty"), &|| true).unwrap().starts_with("e3b0c44298fc1c14"));
        std::fs::remove_file(data.join("empty")).unwrap();
        let told = |look| differences(data, &kept, look, &|| true).unwrap();
        assert!(told(Look::Bytes).is_empty());

        let mut bytes = std::fs::read(data.join("ibdata1")).unwrap();
        bytes[300] ^= 1;
        std::fs::write(data.join("ibdata1"), bytes).unwrap();
        assert!(told(Look::Sizes).is_empty(), "a flipped bit has no size");
        assert_eq!(told(Look::Bytes), ["ibdata1 has other bytes than were kept"]);
        std::fs::write(data.join("db/item.ibd"), "short").unwrap();
        std::fs::remove_file(data.join("db/stock.ibd")).unwrap();
        std::fs::write(data.join("core"), "x").unwrap();
        assert_eq!(
            told(Look::Sizes),
            [
                "db/item.ibd has 5 bytes, kept were 1100",
                "db/stock.ibd is gone",
                "core was not kept"
            ]
        );
        let ended = of(data, &|| false).unwrap_err();
        assert_eq!(ended.kind(), io::ErrorKind::Interrupted);
    }
}
