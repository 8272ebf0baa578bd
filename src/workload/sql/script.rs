//! Scripts that bring rows in: statement after statement, in memory that does not grow with them.

use super::text::{Effect, Piece, tokens};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// A statement may be this long, bytes.
const LONGEST: usize = 256 << 20;

/// A statement of a load script, by what is to be done with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is sent.
    Send(String),
    /// It is sent, and changes the number of rows of a table: by as much as it says, with its sign,
    /// or by 0 where it does not say.
    Rows {
        /// The statement.
        text: String,
        /// The table.
        table: String,
        /// 1 for rows that come, -1 for rows that go, 0 for a number that is not told.
        sign: i64,
    },
    /// It makes or drops tables, or chooses databases, which `schema` and enginecmp do.
    PassedOver,
}

/// Reads a script.
pub struct Script {
    input: BufReader<File>,
    pending: Vec<u8>,
    /// Bytes of `pending` that were looked at.
    seen: usize,
    line: u64,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Plain,
    Quoted(u8),
    Comment,
    LineComment,
}

impl Script {
    /// Opens it. An error is in words.
    pub fn open(path: &Path) -> Result<Self, String> {
        let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self {
            input: BufReader::with_capacity(1 << 16, file),
            pending: Vec::new(),
            seen: 0,
            line: 1,
            state: State::Plain,
        })
    }

    /// The next statement with its line; none at the end. An error is in words, with its line.
    pub fn step(&mut self) -> Result<Option<(u64, Step)>, String> {
        loop {
            let Some(statement) = self.statement()? else { return Ok(None) };
            let lines = |bytes: &[u8]| bytes.split(|&byte| byte == b'\n').count() as u64 - 1;
            let blank = statement.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let line = self.line + lines(&statement[..blank]);
            self.line += lines(&statement);
            let text = String::from_utf8(statement).map_err(|_| {
                format!("line {line}: a statement is no UTF-8 text; dump bytes with `--hex-blob`")
            })?;
            if let Some(step) = step(text.trim(), line)? {
                return Ok(Some(step));
            }
        }
    }

    /// The bytes up to the next `;`, without it.
    fn statement(&mut self) -> Result<Option<Vec<u8>>, String> {
        loop {
            if let Some(end) = self.look() {
                let rest = self.pending.split_off(end + 1);
                let mut statement = std::mem::replace(&mut self.pending, rest);
                statement.pop();
                self.seen = 0;
                return Ok(Some(statement));
            }
            if self.pending.len() > LONGEST {
                return Err(format!(
                    "line {}: a statement is longer than {} MiB",
                    self.line,
                    LONGEST >> 20
                ));
            }
            let read = self.input.read_until(b'\n', &mut self.pending);
            if read.map_err(|error| format!("line {}: {error}", self.line))? == 0 {
                let last = std::mem::take(&mut self.pending);
                self.seen = 0;
                return Ok((!last.is_empty()).then_some(last));
            }
        }
    }

    /// Where the next terminator is, as far as it was read.
    fn look(&mut self) -> Option<usize> {
        let bytes = &self.pending;
        while self.seen < bytes.len() {
            let (at, byte) = (self.seen, bytes[self.seen]);
            let next = bytes.get(at + 1).copied();
            self.seen += 1;
            match self.state {
                State::Plain => match byte {
                    b';' => return Some(at),
                    b'\'' | b'"' | b'`' => self.state = State::Quoted(byte),
                    b'#' => self.state = State::LineComment,
                    b'-' if next == Some(b'-')
                        && bytes.get(at + 2).is_none_or(u8::is_ascii_whitespace) =>
                    {
                        self.state = State::LineComment;
                    }
                    b'/' if next == Some(b'*') => {
                        self.state = State::Comment;
                        self.seen += 1;
                    }
                    _ => {}
                },
                State::Quoted(quote) => {
                    if byte == b'\\' && quote != b'`' {
                        self.seen += 1;
                    } else if byte == quote {
                        // A doubled quote opens again at once.
                        self.state = State::Plain;
                    }
                }
                State::Comment => {
                    if byte == b'*' && next == Some(b'/') {
                        self.state = State::Plain;
                        self.seen += 1;
                    }
                }
                State::LineComment => {
                    if byte == b'\n' {
                        self.state = State::Plain;
                    }
                }
            }
        }
        None
    }
}

/// The line on which a statement begins behind its comments, and what is to be done with it; none
/// for one of comments alone. `line` is that of the text.
fn step(text: &str, line: u64) -> Result<Option<(u64, Step)>, String> {
    let tokens = tokens(text);
    let Some(first) = tokens.first() else { return Ok(None) };
    let line = line + text[..first.start].matches('\n').count() as u64;
    let piece = Piece { text, tokens: &tokens };
    if piece.is(0, "DELIMITER") || piece.is(0, "SOURCE") {
        return Err(format!(
            "line {line}: `{}` is a command of the mysql client; a load script brings rows in and \
             nothing else",
            piece.of(0)
        ));
    }
    let text = text.to_string();
    let step = match piece.effect() {
        Effect::Adds(table) => Step::Rows { text, table, sign: 1 },
        Effect::Removes(table) => Step::Rows { text, table, sign: -1 },
        Effect::Blurs(table) => Step::Rows { text, table, sign: 0 },
        Effect::Defines => Step::PassedOver,
        Effect::Commits if !piece.is(0, "COMMIT") => Step::PassedOver,
        // Statements in `/*! ... */` are settings of a dump, or keys that are switched off.
        Effect::Unknown if piece.of(0) == "/" => Step::PassedOver,
        Effect::Nothing | Effect::Unknown | Effect::Commits => Step::Send(text),
    };
    Ok(Some((line, step)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Vec<(u64, Step)> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let mut script = Script::open(file.path()).unwrap();
        std::iter::from_fn(|| script.step().unwrap()).collect()
    }

    #[test]
    fn a_dump_gives_its_rows_and_nothing_that_makes_tables() {
        let rows = |text: &str, table: &str, sign| Step::Rows {
            text: text.to_string(),
            table: table.to_string(),
            sign,
        };
        assert_eq!(
            steps(
                "-- a dump; of one table\n/*!40101 SET NAMES utf8mb4 */;\n\
                 DROP TABLE IF EXISTS `t`;\nCREATE TABLE `t` (a int) ENGINE=MyISAM;\n\
                 LOCK TABLES `t` WRITE;\n/*!40000 ALTER TABLE `t` DISABLE KEYS */;\n\
                 INSERT INTO `t` VALUES (1,'a;b'),(2,'it''s \\';\n');\nUNLOCK TABLES;\n\
                 REPLACE INTO u VALUES (1); DELETE FROM t WHERE a = 1"
            ),
            [
                (2, Step::PassedOver),
                (3, Step::PassedOver),
                (4, Step::PassedOver),
                (5, Step::PassedOver),
                (6, Step::PassedOver),
                (7, rows("INSERT INTO `t` VALUES (1,'a;b'),(2,'it''s \\';\n')", "t", 1)),
                (9, Step::PassedOver),
                (10, rows("REPLACE INTO u VALUES (1)", "u", 0)),
                (10, rows("DELETE FROM t WHERE a = 1", "t", -1)),
            ]
        );
    }

    #[test]
    fn commands_of_the_client_are_refused_with_their_line() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "SELECT 1;\n\nDELIMITER //\n").unwrap();
        let mut script = Script::open(file.path()).unwrap();
        assert_eq!(script.step(), Ok(Some((1, Step::Send("SELECT 1".to_string())))));
        assert!(script.step().unwrap_err().starts_with("line 3: `DELIMITER`"));
    }
}
