//! Scripts of any size, piece by piece: statements that transforms may change are held whole,
//! everything else passes through as it is read.

use super::change::{Changed, Script};
use super::parse::CARRIERS;
use super::parse::statement::Statement;
use super::split::{Event, Splitter};
use super::token::line_ends;
use super::{EngineClause, Note, TableSummary, Transform, Transformed};
use std::io::{self, Read, Write};

/// Bytes read at a time.
const PIECE: usize = 128 * 1024;
/// A statement that is longer than this is no DDL of a person; it passes through.
const LONGEST_HELD: usize = 16 * 1024 * 1024;
/// So many bytes of a statement tell what it begins with.
const HEAD: usize = 512;

/// What is known about a script once it has been streamed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Streamed {
    /// What was dropped or changed, in words, each with its line.
    pub notes: Vec<Note>,
    /// The tables that the script leaves behind, in the order it makes them.
    pub tables: Vec<TableSummary>,
    /// Every clause of the source that names an engine.
    pub engines: Vec<EngineClause>,
    /// Bytes read.
    pub bytes: u64,
}

/// Takes the transformed script.
trait Sink {
    /// A piece of the script, as it shall be written.
    fn write(&mut self, piece: &[u8]) -> io::Result<()>;
    /// The piece written last was a part of a statement; `end` with its last.
    fn statement(&mut self, piece: &[u8], end: bool);
}

struct Out<W>(W);

impl<W: Write> Sink for Out<W> {
    fn write(&mut self, piece: &[u8]) -> io::Result<()> {
        self.0.write_all(piece)
    }
    fn statement(&mut self, _piece: &[u8], _end: bool) {}
}

#[derive(Default)]
struct Collect {
    script: Vec<u8>,
    statements: Vec<Vec<u8>>,
    open: Vec<u8>,
}

impl Sink for Collect {
    fn write(&mut self, piece: &[u8]) -> io::Result<()> {
        self.script.extend_from_slice(piece);
        Ok(())
    }
    fn statement(&mut self, piece: &[u8], end: bool) {
        self.open.extend_from_slice(piece);
        if end {
            self.statements.push(std::mem::take(&mut self.open).trim_ascii().to_vec());
        }
    }
}

/// Transforms scripts that belong together, one after another: what a later one does to tables of an
/// earlier one is understood.
pub struct Transformer<'t> {
    script: Script<'t>,
}

impl<'t> Transformer<'t> {
    /// A transformer that has seen no script yet.
    pub fn new(transform: &'t Transform) -> Self {
        Self { script: Script::new(transform) }
    }

    /// Transforms the script of `input` into `output` in memory that does not grow with the script
    /// (it grows with the number of tables, and to the length of the longest DDL statement). The
    /// tables are those of all scripts so far.
    pub fn stream(&mut self, input: impl Read, output: impl Write) -> io::Result<Streamed> {
        let mut out = Out(output);
        let streamed = drive(input, &mut out, &mut self.script)?;
        out.0.flush()?;
        Ok(streamed)
    }

    /// The same for a script in memory. Its statements are those of this script alone.
    pub fn text(&mut self, text: &str) -> Transformed {
        collected(text, &mut self.script)
    }
}

/// Transforms one script as [`Transformer::stream`] does.
pub fn transform_stream(
    input: impl Read,
    output: impl Write,
    transform: &Transform,
) -> io::Result<Streamed> {
    Transformer::new(transform).stream(input, output)
}

pub(crate) fn transform_text(text: &str, transform: &Transform) -> Transformed {
    collected(text, &mut Script::new(transform))
}

fn collected(text: &str, script: &mut Script<'_>) -> Transformed {
    let mut collect = Collect::default();
    let streamed = drive(text.as_bytes(), &mut collect, script).expect("memory takes every write");
    let string = |bytes: Vec<u8>| {
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    };
    Transformed {
        script: string(collect.script),
        statements: collect.statements.into_iter().map(string).collect(),
        notes: streamed.notes,
        tables: streamed.tables,
        engines: streamed.engines,
    }
}

/// What is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Between statements.
    Between,
    /// In a statement that is held.
    Held,
    /// In a statement that passes through.
    Passing,
}

fn drive(
    mut input: impl Read,
    sink: &mut dyn Sink,
    script: &mut Script<'_>,
) -> io::Result<Streamed> {
    script.no_backslash_escapes = false;
    let mut splitter = Splitter::new();
    let mut writer = Writer { sink, line: 1, blank_line: true, swallow: false, blanks: Vec::new() };
    let mut buffer = vec![0; 2 * PIECE];
    let (mut begin, mut at, mut filled, mut ended, mut bytes) = (0, 0, 0, false, 0u64);
    let mut mode = Mode::Between;
    loop {
        match splitter.next(&buffer[..filled], &mut at, ended) {
            Event::NeedMore => {
                if mode == Mode::Held
                    && (at - begin > LONGEST_HELD || !worth_holding(&buffer[begin..filled], ended))
                {
                    if at - begin > LONGEST_HELD {
                        script.notes.push(too_long(writer.line));
                    }
                    mode = Mode::Passing;
                }
                match mode {
                    Mode::Between => writer.between(&buffer[begin..at])?,
                    Mode::Passing => writer.passing(&buffer[begin..at], false)?,
                    Mode::Held => {}
                }
                if mode != Mode::Held {
                    begin = at;
                }
                if ended {
                    break;
                }
                if filled == buffer.len() {
                    if begin > 0 {
                        buffer.copy_within(begin..filled, 0);
                        (filled, at, begin) = (filled - begin, at - begin, 0);
                    } else {
                        buffer.resize(2 * filled, 0);
                    }
                }
                let read = read_some(&mut input, &mut buffer[filled..])?;
                filled += read;
                bytes += read as u64;
                ended = read == 0;
            }
            Event::Begin => {
                writer.between(&buffer[begin..at])?;
                begin = at;
                mode = Mode::Held;
            }
            Event::Terminator(length) => {
                let statement = &buffer[begin..at];
                let dropped = match mode {
                    Mode::Between => {
                        writer.between(statement)?;
                        false
                    }
                    Mode::Passing => {
                        writer.passing(statement, true)?;
                        false
                    }
                    Mode::Held => held(statement, script, &mut splitter, &mut writer)?,
                };
                writer.terminator(&buffer[at..at + length], dropped)?;
                at += length;
                begin = at;
                mode = Mode::Between;
            }
            Event::Command(length) => {
                writer.between(&buffer[begin..at])?;
                let line = &buffer[at..at + length];
                if let Some(name) = used_database(line) {
                    script.catalog.database = Some(name);
                }
                writer.between(line)?;
                at += length;
                begin = at;
            }
        }
    }
    match mode {
        Mode::Held => {
            held(&buffer[begin..filled], script, &mut splitter, &mut writer)?;
        }
        Mode::Passing => writer.passing(&[], true)?,
        Mode::Between => writer.between(&buffer[begin..filled])?,
    }
    Ok(Streamed {
        notes: std::mem::take(&mut script.notes),
        engines: std::mem::take(&mut script.engines),
        tables: script.catalog.tables(),
        bytes,
    })
}

fn read_some(input: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(into) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

fn too_long(line: u32) -> Note {
    Note {
        line,
        table: None,
        text: format!(
            "a statement of more than {} MiB passes through unseen",
            LONGEST_HELD / (1024 * 1024)
        ),
        refused: true,
    }
}

/// Transforms a held statement and writes it; true when nothing of it is left.
fn held(
    text: &[u8],
    script: &mut Script<'_>,
    splitter: &mut Splitter,
    writer: &mut Writer<'_>,
) -> io::Result<bool> {
    if !worth_holding(text, true) {
        writer.passing(text, true)?;
        return Ok(false);
    }
    let changed = script.change(text, writer.line);
    splitter.no_backslash_escapes = script.no_backslash_escapes;
    let lines = line_ends(text);
    match changed {
        Changed::Unchanged => writer.passing(text, true)?,
        Changed::Text(new) => {
            writer.statement(&new)?;
            writer.line += lines;
        }
        Changed::Dropped(comments) => {
            writer.end_swallow()?;
            writer.write(&comments)?;
            writer.line += lines;
            return Ok(true);
        }
    }
    Ok(false)
}

/// First words of statements that transforms look into, those that carry others aside.
const HELD: &[&str] = &["CREATE", "ALTER", "DROP", "RENAME", "SET", "USE", "BEGIN"];

fn is_held(word: &[u8]) -> bool {
    HELD.iter().chain(CARRIERS).any(|held| held.as_bytes().eq_ignore_ascii_case(word))
}

/// Whether a statement may be one that transforms change, judged by its first word.
fn worth_holding(text: &[u8], whole: bool) -> bool {
    // Most statements of a dump begin with a plain INSERT.
    let word = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if word > 0 && word < text.len() {
        return is_held(&text[..word]);
    }
    let head = &text[..text.len().min(HEAD)];
    let s = Statement::new(head, false);
    if s.len() < 2 && !whole && text.len() < HEAD {
        return true;
    }
    // A head of comments alone does not tell.
    s.len() == 0 || is_held(s.raw(0)) || s.mark(0, b'{') || s.mark(0, b'}')
}

/// The database that a USE command of the client names.
fn used_database(line: &[u8]) -> Option<String> {
    let s = Statement::new(line, false);
    (s.is(0, "USE") && s.is_name(1)).then(|| s.text_of(1))
}

/// Writes pieces and keeps count of source lines.
struct Writer<'s> {
    sink: &'s mut dyn Sink,
    /// Source line of what comes next.
    line: u32,
    /// Nothing but white space stands on the current line of the output.
    blank_line: bool,
    /// A statement was dropped: the rest of its line goes too if it is blank.
    swallow: bool,
    /// Blanks of such a line that arrived before its end.
    blanks: Vec<u8>,
}

impl Writer<'_> {
    fn write(&mut self, piece: &[u8]) -> io::Result<()> {
        let tail = piece.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
        let ends_line = tail.len() < piece.len();
        self.blank_line = (self.blank_line || ends_line) && tail.trim_ascii().is_empty();
        self.sink.write(piece)
    }

    /// White space, comments, client commands.
    fn between(&mut self, piece: &[u8]) -> io::Result<()> {
        self.line += line_ends(piece);
        let mut piece = piece;
        if self.swallow {
            let blank =
                piece.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
            if blank == piece.len() {
                self.blanks.extend_from_slice(piece);
                return Ok(());
            }
            if self.blank_line && piece[blank] == b'\n' {
                self.blanks.clear();
                piece = &piece[blank + 1..];
            }
            self.end_swallow()?;
        }
        self.write(piece)
    }

    /// A piece of a statement as it was read.
    fn passing(&mut self, piece: &[u8], end: bool) -> io::Result<()> {
        self.line += line_ends(piece);
        self.end_swallow()?;
        self.write(piece)?;
        self.sink.statement(piece, end);
        Ok(())
    }

    /// A whole statement that was changed.
    fn statement(&mut self, text: &[u8]) -> io::Result<()> {
        self.end_swallow()?;
        self.write(text)?;
        self.sink.statement(text, true);
        Ok(())
    }

    /// A terminator, which goes with a statement that was dropped.
    fn terminator(&mut self, piece: &[u8], dropped: bool) -> io::Result<()> {
        self.line += line_ends(piece);
        if dropped {
            self.swallow = true;
            return Ok(());
        }
        self.end_swallow()?;
        self.write(piece)
    }

    /// Something other than the end of a line follows a dropped statement.
    fn end_swallow(&mut self) -> io::Result<()> {
        self.swallow = false;
        let blanks = std::mem::take(&mut self.blanks);
        self.write(&blanks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineSpec;

    fn to(storage: &str) -> Transform {
        Transform {
            storage: EngineSpec::find(storage),
            family: "mariadb".to_string(),
            strip_foreign_keys: true,
            keep_foreign_key_indexes: true,
            ..Transform::default()
        }
    }

    #[test]
    fn tables_get_the_engine_and_lose_their_foreign_keys() {
        let source = "-- two tables\nCREATE TABLE p (id int PRIMARY KEY) Engine=InnoDB;\n\
            CREATE TABLE c (\n  id int,\n  p int,\n  CONSTRAINT fk FOREIGN KEY (p) REFERENCES p (id)\n);\n\
            ALTER TABLE c ADD CONSTRAINT fk2 FOREIGN KEY (p) REFERENCES p (id);\n";
        let result = super::super::transform(source, &to("rocksdb"));
        assert_eq!(
            result.script,
            "-- two tables\nCREATE TABLE p (id int PRIMARY KEY) Engine=ROCKSDB;\n\
            CREATE TABLE c (\n  id int,\n  p int,\n  KEY `fk` (p)\n) ENGINE=ROCKSDB;\n"
        );
        assert_eq!(result.statements.len(), 2);
        assert_eq!(result.notes.len(), 2, "{:?}", result.notes);
        assert_eq!(result.notes[1].line, 8);
        let names: Vec<_> = result.tables[1].indexes.iter().map(|index| &index.name).collect();
        assert_eq!(names, ["fk"]);
    }

    #[test]
    fn streaming_in_small_pieces_gives_the_same() {
        struct Slow<'t>(&'t [u8]);
        impl Read for Slow<'_> {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                let length = self.0.len().min(3).min(into.len());
                into[..length].copy_from_slice(&self.0[..length]);
                self.0 = &self.0[length..];
                Ok(length)
            }
        }
        let source = "INSERT INTO t VALUES (1,'a;b'),(2,'c');\nCREATE TABLE t (a int) TYPE=MyISAM;\n\
            ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES u (a), ADD KEY (a)  ;   \nSELECT 1";
        let mut out = Vec::new();
        let transform = to("Aria");
        let streamed = transform_stream(Slow(source.as_bytes()), &mut out, &transform).unwrap();
        let whole = super::super::transform(source, &transform);
        assert_eq!(String::from_utf8(out).unwrap(), whole.script);
        assert_eq!(streamed.notes, whole.notes);
        assert_eq!(streamed.bytes, source.len() as u64);
        assert_eq!(whole.statements[0], "INSERT INTO t VALUES (1,'a;b'),(2,'c')");
        assert_eq!(whole.statements[1], "CREATE TABLE t (a int) ENGINE=Aria");
    }
}
