//! Files that a suite names: relative to the file that names them, and below the suite's folder
//! unless the command line allows others.

use super::files::Reader;
use crate::diagnostic::{Diagnostic, SourceMap, Span, codes};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A script of DDL may be this long, bytes: it is held in memory and in the journal.
const LONGEST_SCRIPT: u64 = 16 << 20;

/// Where the files of a suite may lie.
#[derive(Clone)]
pub(super) struct Beside<'a> {
    pub(super) reader: &'a dyn Reader,
    /// They stay below this folder; none when they may lie anywhere.
    pub(super) folder: Option<PathBuf>,
}

/// Why a file is out of reach.
pub(super) enum Unreached {
    /// It lies outside the folder; in words how.
    Outside(&'static str),
    /// The file system says so.
    Unread(io::Error),
}

/// A file that a suite names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    /// As the suite writes it.
    pub(super) name: String,
    /// Where it lies, seen from the working directory.
    pub(super) path: PathBuf,
}

impl Beside<'_> {
    /// The path of `name` as the file `from` means it, and where it leads when links are followed.
    pub(super) fn reach(&self, from: &Path, name: &str) -> Result<(PathBuf, PathBuf), Unreached> {
        let path = from.parent().unwrap_or(Path::new("")).join(name);
        let above = Path::new(name).is_absolute() || climbs(&path);
        if self.folder.is_some() && above {
            return Err(Unreached::Outside("relative paths below the suite's folder are allowed"));
        }
        let real = self.reader.real(&path).map_err(Unreached::Unread)?;
        match &self.folder {
            Some(folder) if !real.starts_with(folder) => {
                Err(Unreached::Outside("a link leads there"))
            }
            _ => Ok((path, real)),
        }
    }

    /// The file that a statement names at `span`.
    pub(super) fn named(
        &self,
        sources: &SourceMap,
        name: &str,
        span: Span,
    ) -> Result<Named, Diagnostic> {
        let from = Path::new(sources.name(span.file));
        match self.reach(from, name) {
            Ok((path, _)) => Ok(Named { name: name.to_string(), path }),
            Err(Unreached::Outside(label)) => Err(outside(name, span, label)),
            Err(Unreached::Unread(error)) => {
                let path = from.parent().unwrap_or(Path::new("")).join(name);
                Err(unread(name, span, &error).help(format!("looked for {}", path.display())))
            }
        }
    }

    /// The text of a script that a statement names at `span`, without a byte-order mark.
    pub(super) fn script(
        &self,
        sources: &SourceMap,
        name: &str,
        span: Span,
    ) -> Result<Arc<str>, Diagnostic> {
        let named = self.named(sources, name, span)?;
        let mut bytes = Vec::new();
        let read = self.reader.open(&named.path).and_then(|file| {
            file.take(LONGEST_SCRIPT + 1).read_to_end(&mut bytes)?;
            Ok(())
        });
        read.map_err(|error| unread(name, span, &error))?;
        let wrong = |message: String| Diagnostic::error(codes::FILE_UNUSABLE, span, message);
        if bytes.len() as u64 > LONGEST_SCRIPT {
            let message = format!("\"{name}\" is longer than {} MiB", LONGEST_SCRIPT >> 20);
            return Err(wrong(message)
                .help("a schema has no rows: dump it with `--no-data`, and load the rows apart"));
        }
        match std::str::from_utf8(&bytes) {
            Ok(text) => Ok(text.trim_start_matches('\u{feff}').into()),
            Err(error) => {
                let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                let line = before.split('\n').count();
                Err(wrong(format!("\"{name}\" is no UTF-8 text"))
                    .label(format!("its line {line} is not"))
                    .help("convert it, such as with `iconv -f LATIN1 -t UTF-8`"))
            }
        }
    }
}

fn unread(name: &str, span: Span, error: &io::Error) -> Diagnostic {
    Diagnostic::error(codes::FILE_UNUSABLE, span, format!("\"{name}\" cannot be read: {error}"))
}

/// The error of a file that lies elsewhere.
pub(super) fn outside(name: &str, span: Span, label: &str) -> Diagnostic {
    Diagnostic::error(
        codes::INCLUDE_OUTSIDE,
        span,
        format!("\"{name}\" lies outside the suite's folder"),
    )
    .label(label)
    .help("copy it beside the suite, or allow it with `--allow-external`")
}

/// Whether a path leads above where it starts, by its `..` alone. Such a path is refused before
/// anything is looked up, so that a suite cannot ask what exists elsewhere.
fn climbs(path: &Path) -> bool {
    let mut depth = 0i32;
    path.components().any(|part| {
        match part {
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            _ => {}
        }
        depth < 0
    })
}
