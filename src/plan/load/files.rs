//! The suite's text: its file and what it includes, statement after statement.

use crate::diagnostic::{Diagnostic, FileId, SourceMap, Span, codes};
use crate::syntax::parse_bytes;
use crate::syntax::tree::{Statement, WordKind};
use std::io;
use std::path::{Component, Path, PathBuf};

/// A suite has at most so many files.
const MAX_FILES: usize = 64;

/// Reads the files of a suite.
pub trait Reader {
    /// The bytes of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Where a path leads when links are followed.
    fn real(&self, path: &Path) -> io::Result<PathBuf>;
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
}

/// Statements of a suite with those of its includes in place.
pub(super) struct Text {
    /// Top-level statements in order.
    pub(super) statements: Vec<Statement>,
    /// The file itself, then includes in order.
    pub(super) files: Vec<FileId>,
}

/// Reads a suite with its includes.
pub(super) struct Files<'a> {
    reader: &'a dyn Reader,
    sources: &'a mut SourceMap,
    /// Includes stay below this folder; none when they may lie anywhere.
    folder: Option<PathBuf>,
    /// Every file so far: where it really is, and the statement that included it.
    seen: Vec<(PathBuf, Option<Span>)>,
    read: Vec<FileId>,
    pub(super) wrong: Vec<Diagnostic>,
}

impl<'a> Files<'a> {
    pub(super) fn new(reader: &'a dyn Reader, sources: &'a mut SourceMap) -> Self {
        Self {
            reader,
            sources,
            folder: None,
            seen: Vec::new(),
            read: Vec::new(),
            wrong: Vec::new(),
        }
    }

    /// Reads the suite at `path`. Errors of reading and of syntax are in `wrong`; the statements
    /// are what could be understood. An error of the file system is given as it is.
    pub(super) fn suite(&mut self, path: &Path, anywhere: bool) -> io::Result<Text> {
        let bytes = self.reader.read(path)?;
        let real = self.reader.real(path)?;
        self.folder = real.parent().filter(|_| !anywhere).map(Path::to_path_buf);
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
        let outside = |label: &str| {
            Diagnostic::error(
                codes::INCLUDE_OUTSIDE,
                span,
                format!("\"{name}\" lies outside the suite's folder"),
            )
            .label(label)
            .help("copy it beside the suite, or allow it with `--allow-external`")
        };
        if self.seen.len() >= MAX_FILES {
            return Err(failed(format!("a suite has at most {MAX_FILES} files")));
        }
        let path = from.parent().unwrap_or(Path::new("")).join(name);
        let above = Path::new(name).is_absolute() || climbs(&path);
        if self.folder.is_some() && above {
            return Err(outside("relative paths below the suite's folder are allowed"));
        }
        let unread = |error: io::Error| {
            failed(format!("\"{name}\" cannot be read: {error}"))
                .help(format!("looked for {}", path.display()))
        };
        let real = self.reader.real(&path).map_err(unread)?;
        if let Some(folder) = &self.folder
            && !real.starts_with(folder)
        {
            return Err(outside("a link leads there"));
        }
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
        let bytes = self.reader.read(&path).map_err(unread)?;
        self.seen.push((real.clone(), Some(span)));
        Ok((path, real, bytes))
    }
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
