//! Source texts and positions in them.

use crate::model::Place;

/// A file in a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A stretch of bytes in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
}

impl Span {
    /// From the start of `self` to the end of `other`.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { file: self.file, start: self.start, end: other.end.max(self.start) }
    }
}

/// All source texts of a run: the suite, its includes, `--set` and `--only` arguments.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

#[derive(Clone, Debug)]
struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<usize>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text under the name that messages shall use. A byte order mark at its start is left
    /// out: it is no character of the text.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let mut text = text.into();
        if text.starts_with('\u{FEFF}') {
            text.drain(..'\u{FEFF}'.len_utf8());
        }
        let line_starts =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        self.files.push(SourceFile { name: name.into(), text, line_starts });
        FileId(u32::try_from(self.files.len() - 1).expect("includes are bounded far below this"))
    }

    /// The text of a file.
    pub fn text(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].text
    }

    /// The name of a file.
    pub fn name(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].name
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &str {
        &self.text(span.file)[span.start..span.end]
    }

    /// Every file, in the order they were added.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &str, &str)> {
        self.files
            .iter()
            .enumerate()
            .map(|(index, file)| (FileId(index as u32), file.name.as_str(), file.text.as_str()))
    }

    /// Line and column of the start of a span.
    pub fn place(&self, span: Span) -> Place {
        let file = &self.files[span.file.0 as usize];
        let at = span.start.min(file.text.len());
        let line = file.line_starts.partition_point(|&start| start <= at) - 1;
        let column = file.text[file.line_starts[line]..at].chars().count() + 1;
        Place::new(file.name.clone(), line as u32 + 1, column as u32)
    }
}
