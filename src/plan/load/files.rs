//! The suite's text: its file and what it includes, statement after statement.

use super::beside::{Beside, Unreached, outside};
use crate::diagnostic::{Diagnostic, FileId, SourceMap, Span, codes};
use crate::syntax::parse_bytes;
use crate::syntax::tree::{Statement, WordKind};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A suite has at most so many files.
const MAX_FILES: usize = 64;

/// Reads the files of a suite.
pub trait Reader {
    /// The bytes of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Where a path leads when links are followed.
    fn real(&self, path: &Path) -> io::Result<PathBuf>;

    /// A file that may be larger than memory, from its start.
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read>> {
        Ok(Box::new(io::Cursor::new(self.read(path)?)))
    }
}

/// The files of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Reader for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::canonicalize(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Read>> {
        Ok(Box::new(io::BufReader::new(std::fs::File::open(path)?)))
    }
}

/// Statements of a suite with those of its includes in place.
pub(super) struct Text {
    /// Top-level statements in order.
    pub(super) statements: Vec<Statement>,
    /// The file itself, then includes in order.
    pub(super) files: Vec<FileId>,
}

/// Reads a suite with its includes.
pub(super) struct Files<'s, 'r> {
    pub(super) beside: Beside<'r>,
    sources: &'s mut SourceMap,
    /// Every file so far: where it really is, and the statement that included it.
    seen: Vec<(PathBuf, Option<Span>)>,
    read: Vec<FileId>,
    pub(super) wrong: Vec<Diagnostic>,
}

impl<'s, 'r> Files<'s, 'r> {
    pub(super) fn new(reader: &'r dyn Reader, sources: &'s mut SourceMap) -> Self {
        Self {
            beside: Beside { reader, folder: None },
            sources,
            seen: Vec::new(),
            read: Vec::new(),
            wrong: Vec::new(),
        }
    }

    /// Reads the suite at `path`. Errors of reading and of syntax are in `wrong`; the statements
    /// are what could be understood. An error of the file system is given as it is.
    pub(super) fn suite(&mut self, path: &Path, anywhere: bool) -> io::Result<Text> {
        let bytes = self.beside.reader.read(path)?;
        let real = self.beside.reader.real(path)?;
        self.beside.folder = real.parent().filter(|_| !anywhere).map(Path::to_path_buf);
        self.seen.push((real.clone(), None));
        let statements = self.file(path, &bytes, &[real]);
        Ok(Text { statements, files: std::mem::take(&mut self.read) })
    }

    /// Statements of one file. `open` are the files that led here.
    fn file(&mut self, path: &Path, bytes: &[u8], open: &[PathBuf]) -> Vec<Statement> {
        let (id, tree, wrong) = parse_bytes(self.sources, &path.display().to_string(), bytes);
        self.read.push(id);
        self.wrong.extend(wrong);
        let mut statements = Vec::with_capacity(tree.statements.len());
        for statement in tree.statements {
            if statement.name() == "include" && !statement.broken {
                statements.extend(self.include(path, &statement, open));
            } else {
                statements.push(statement);
            }
        }
        statements
    }

    fn include(&mut self, from: &Path, statement: &Statement, open: &[PathBuf]) -> Vec<Statement> {
        let [word] = statement.arguments() else {
            self.wrong.push(
                Diagnostic::error(
                    codes::INCLUDE_FAILED,
                    statement.head(),
                    "`include` names one file",
                )
                .help("write `include \"engines.bench\"`"),
            );
            return Vec::new();
        };
        let (WordKind::Quoted(name) | WordKind::Raw(name)) = &word.kind else {
            self.wrong.push(
                Diagnostic::error(codes::INCLUDE_FAILED, word.span, "the file stands in quotes")
                    .help(format!("write `include \"{}\"`", word.text())),
            );
            return Vec::new();
        };
        match self.included(from, name, word.span, open) {
            Ok((path, real, bytes)) => {
                let mut open = open.to_vec();
                open.push(real);
                self.file(&path, &bytes, &open)
            }
            Err(diagnostic) => {
                self.wrong.push(diagnostic);
                Vec::new()
            }
        }
    }

    fn included(
        &mut self,
        from: &Path,
        name: &str,
        span: Span,
        open: &[PathBuf],
    ) -> Result<(PathBuf, PathBuf, Vec<u8>), Diagnostic> {
        let failed = |message: String| Diagnostic::error(codes::INCLUDE_FAILED, span, message);
        if self.seen.len() >= MAX_FILES {
            return Err(failed(format!("a suite has at most {MAX_FILES} files")));
        }
        let unread = |error: io::Error| {
            let path = from.parent().unwrap_or(Path::new("")).join(name);
            failed(format!("\"{name}\" cannot be read: {error}"))
                .help(format!("looked for {}", path.display()))
        };
        let (path, real) = match self.beside.reach(from, name) {
            Ok(reached) => reached,
            Err(Unreached::Outside(label)) => return Err(outside(name, span, label)),
            Err(Unreached::Unread(error)) => return Err(unread(error)),
        };
        if open.contains(&real) {
            return Err(
                failed(format!("\"{name}\" includes itself")).label("the includes go in a circle")
            );
        }
        if let Some((_, first)) = self.seen.iter().find(|(seen, _)| *seen == real) {
            let twice = failed(format!("\"{name}\" is included twice"));
            return Err(match first {
                Some(first) => twice.also(*first, "first here"),
                None => twice,
            });
        }
        let bytes = self.beside.reader.read(&path).map_err(unread)?;
        self.seen.push((real.clone(), Some(span)));
        Ok((path, real, bytes))
    }
}
