//! Where statements begin and end, found as the mysql client finds them, in a text that arrives in
//! pieces.

use super::token::{conditional_open, is_space};

/// What the splitter came upon at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// It cannot go on without more bytes; at the end of the input, there is nothing more.
    NeedMore,
    /// A statement begins.
    Begin,
    /// A terminator of this many bytes; the statement before it may be empty.
    Terminator(usize),
    /// A command of the mysql client of this many bytes, without its line end.
    Command(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Code,
    Quoted(u8),
    Line,
    /// An ordinary comment.
    Block,
    /// A conditional comment that no server executes, and how many comments are open in it.
    Skipped(u32),
}

/// How many bytes must be there to decide, unless the input ends.
const LOOK_AHEAD: usize = 32;
/// A client command that is longer than this is none.
const LONGEST_COMMAND: usize = 64 * 1024;

/// Finds statements; keeps its state between pieces.
#[derive(Clone, Debug)]
pub(crate) struct Splitter {
    state: State,
    /// Nothing but white space and comments since the last terminator.
    blank: bool,
    /// Nothing was read yet.
    first: bool,
    /// Open conditional comments of the statement.
    conditional: u32,
    delimiter: Vec<u8>,
    /// What may follow the delimiter and then belongs to it: mysqltest writes `delimiter |;`.
    tail: Vec<u8>,
    /// Bytes at which something may begin or end.
    stops: [bool; 256],
    /// The script switched backslash escapes off.
    pub(crate) no_backslash_escapes: bool,
}

impl Splitter {
    pub(crate) fn new() -> Self {
        let mut splitter = Self {
            state: State::Code,
            blank: true,
            first: true,
            conditional: 0,
            delimiter: Vec::new(),
            tail: Vec::new(),
            stops: [false; 256],
            no_backslash_escapes: false,
        };
        splitter.set_delimiter(b";".to_vec(), Vec::new());
        splitter
    }

    fn set_delimiter(&mut self, delimiter: Vec<u8>, tail: Vec<u8>) {
        self.stops = [false; 256];
        for byte in [b'\'', b'"', b'`', b'#', b'-', b'/', b'*', b'\\', delimiter[0]] {
            self.stops[usize::from(byte)] = true;
        }
        self.delimiter = delimiter;
        self.tail = tail;
    }

    /// Goes on from `*at` to the next event and leaves `*at` there. After [`Event::Begin`] the
    /// caller calls again as it is; after a terminator or a command it adds the length first.
    pub(crate) fn next(&mut self, text: &[u8], at: &mut usize, ended: bool) -> Event {
        if self.first {
            if text.len() < 3 && !ended {
                return Event::NeedMore;
            }
            self.first = false;
            if text.starts_with(b"\xef\xbb\xbf") {
                *at += 3;
            }
        }
        loop {
            match self.state {
                State::Quoted(quote) => {
                    if !self.leave_quoted(quote, text, at, ended) {
                        return Event::NeedMore;
                    }
                }
                State::Line => {
                    let Some(length) = text[*at..].iter().position(|&byte| byte == b'\n') else {
                        *at = text.len();
                        return Event::NeedMore;
                    };
                    *at += length;
                    self.state = State::Code;
                }
                State::Block | State::Skipped(_) => {
                    if !self.leave_comment(text, at, ended) {
                        return Event::NeedMore;
                    }
                }
                State::Code => {
                    if let Some(event) = self.code(text, at, ended) {
                        return event;
                    }
                }
            }
        }
    }

    fn leave_quoted(&mut self, quote: u8, text: &[u8], at: &mut usize, ended: bool) -> bool {
        let escapes = quote != b'`' && !self.no_backslash_escapes;
        while let Some(found) =
            text[*at..].iter().position(|&byte| byte == quote || (escapes && byte == b'\\'))
        {
            *at += found;
            if text[*at] == quote {
                *at += 1;
                self.state = State::Code;
                return true;
            }
            if *at + 1 >= text.len() {
                if ended {
                    break;
                }
                return false;
            }
            *at += 2;
        }
        *at = text.len();
        false
    }

    fn leave_comment(&mut self, text: &[u8], at: &mut usize, ended: bool) -> bool {
        while let Some(found) = text[*at..].iter().position(|&byte| byte == b'*' || byte == b'/') {
            *at += found;
            if *at + 1 >= text.len() {
                if ended {
                    break;
                }
                return false;
            }
            match (self.state, text[*at], text[*at + 1]) {
                (State::Block | State::Skipped(0), b'*', b'/') => {
                    *at += 2;
                    self.state = State::Code;
                    return true;
                }
                (State::Skipped(depth), b'*', b'/') => {
                    *at += 2;
                    self.state = State::Skipped(depth - 1);
                }
                (State::Skipped(depth), b'/', b'*') => {
                    *at += 2;
                    self.state = State::Skipped(depth + 1);
                }
                _ => *at += 1,
            }
        }
        *at = text.len();
        false
    }

    /// One step outside strings and comments; none when nothing is to be told.
    fn code(&mut self, text: &[u8], at: &mut usize, ended: bool) -> Option<Event> {
        let skipped = if self.blank {
            text[*at..].iter().position(|&byte| !is_space(byte))
        } else {
            text[*at..].iter().position(|&byte| self.stops[usize::from(byte)])
        };
        let Some(skipped) = skipped else {
            *at = text.len();
            return Some(Event::NeedMore);
        };
        *at += skipped;
        let rest = &text[*at..];
        let wanted = LOOK_AHEAD.max(self.delimiter.len() + self.tail.len());
        if rest.len() < wanted && !ended {
            return Some(Event::NeedMore);
        }
        if rest[0] == b'\\' && rest.len() > 1 {
            return self.backslash(rest, at, ended);
        }
        if rest.starts_with(&self.delimiter) {
            let length = self.delimiter.len();
            let tail = if rest[length..].starts_with(&self.tail) { self.tail.len() } else { 0 };
            self.end_statement();
            return Some(Event::Terminator(length + tail));
        }
        match rest[0] {
            b'#' => self.state = State::Line,
            b'-' if rest.starts_with(b"--")
                && (self.blank || rest.get(2).is_none_or(|&byte| is_space(byte))) =>
            {
                self.state = State::Line;
            }
            b'/' if rest.starts_with(b"/*") => return self.comment(rest, at),
            _ if self.blank => return Some(self.begin(rest, ended)),
            b'*' if rest.starts_with(b"*/") && self.conditional > 0 => {
                self.conditional -= 1;
                *at += 2;
            }
            quote @ (b'\'' | b'"' | b'`') => {
                *at += 1;
                self.state = State::Quoted(quote);
            }
            _ => *at += 1,
        }
        None
    }

    fn comment(&mut self, rest: &[u8], at: &mut usize) -> Option<Event> {
        match conditional_open(rest) {
            Some((_, version)) if version >= super::token::NEVER_EXECUTED => {
                *at += 2;
                self.state = State::Skipped(0);
            }
            Some(_) if self.blank => {
                self.blank = false;
                return Some(Event::Begin);
            }
            Some((length, _)) => {
                self.conditional += 1;
                *at += length;
            }
            None => {
                *at += 2;
                self.state = State::Block;
            }
        }
        None
    }

    fn end_statement(&mut self) {
        self.blank = true;
        self.conditional = 0;
    }

    /// `\g` and `\G` end a statement, `\c` gives it up; others are passed over.
    fn backslash(&mut self, rest: &[u8], at: &mut usize, ended: bool) -> Option<Event> {
        match rest[1] {
            b'g' | b'G' | b'c' => {
                self.end_statement();
                Some(Event::Terminator(2))
            }
            b'd' if self.blank => Some(match command_line(rest, ended) {
                Line::Whole(line) => {
                    self.delimiter_command(&line[2..]);
                    Event::Command(line.len())
                }
                Line::NeedMore => Event::NeedMore,
                Line::TooLong => {
                    self.blank = false;
                    Event::Begin
                }
            }),
            b'u' | b'.' | b'!' | b'T' | b'P' | b'R' | b'C' if self.blank => {
                Some(match command_line(rest, ended) {
                    Line::Whole(line) => Event::Command(line.len()),
                    Line::NeedMore => Event::NeedMore,
                    Line::TooLong => {
                        self.blank = false;
                        Event::Begin
                    }
                })
            }
            _ if self.blank => Some(Event::Command(2)),
            _ => {
                *at += 2;
                None
            }
        }
    }

    /// A statement or a client command begins at `rest`.
    fn begin(&mut self, rest: &[u8], ended: bool) -> Event {
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let word = &rest[..length];
        let is_delimiter = word.eq_ignore_ascii_case(b"delimiter")
            && rest.get(length).is_none_or(|&byte| is_space(byte));
        let known = COMMANDS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes()));
        if is_delimiter || known.is_some() {
            match command_line(rest, ended) {
                Line::Whole(line) => {
                    if is_delimiter {
                        self.delimiter_command(&line[length..]);
                        return Event::Command(line.len());
                    }
                    let arguments = line[length..].trim_ascii();
                    let fits = match line.get(length) {
                        None => true,
                        Some(&byte) => {
                            is_space(byte)
                                && (arguments.is_empty() || known.is_some_and(|(_, takes)| *takes))
                        }
                    };
                    // A line that holds a terminator is left to the rules for statements.
                    if fits && !contains(line, &self.delimiter) && !contains(line, b"\\g") {
                        return Event::Command(line.len());
                    }
                }
                Line::NeedMore => return Event::NeedMore,
                Line::TooLong => {}
            }
        }
        self.blank = false;
        Event::Begin
    }

    /// Takes over the argument of DELIMITER. Without one, or with a backslash in it, the client
    /// complains and keeps the old one.
    fn delimiter_command(&mut self, argument: &[u8]) {
        let argument = argument.trim_ascii_start();
        let argument = match argument.first() {
            Some(&quote @ (b'\'' | b'"' | b'`')) => {
                argument[1..].split(|&byte| byte == quote).next().unwrap_or_default()
            }
            _ => argument.split(|&byte| is_space(byte)).next().unwrap_or_default(),
        };
        if argument.is_empty() || argument.contains(&b'\\') {
            return;
        }
        // `delimiter |;` of mysqltest ends at the delimiter in force; the mysql client would take
        // `|;` whole. Both are served: the delimiter is `|`, and a `;` behind it belongs to it.
        if let Some(head) = argument.strip_suffix(self.delimiter.as_slice()) {
            let repeated = head.chunks(self.delimiter.len()).all(|part| part == self.delimiter);
            if !head.is_empty() && !repeated {
                let tail = self.delimiter.clone();
                return self.set_delimiter(head.to_vec(), tail);
            }
        }
        self.set_delimiter(argument.to_vec(), Vec::new());
    }
}

/// Commands of the mysql client that end with their line, and whether they take arguments.
const COMMANDS: &[(&str, bool)] = &[
    ("charset", true),
    ("clear", false),
    ("connect", true),
    ("edit", false),
    ("ego", false),
    ("exit", false),
    ("go", false),
    ("help", true),
    ("nopager", false),
    ("notee", false),
    ("nowarning", false),
    ("pager", true),
    ("print", false),
    ("prompt", true),
    ("quit", false),
    ("rehash", false),
    ("source", true),
    ("status", false),
    ("system", true),
    ("tee", true),
    ("use", true),
    ("warnings", false),
];

enum Line<'t> {
    Whole(&'t [u8]),
    NeedMore,
    TooLong,
}

/// The line at the start of `rest`, without its end.
fn command_line(rest: &[u8], ended: bool) -> Line<'_> {
    match rest.iter().take(LONGEST_COMMAND).position(|&byte| byte == b'\n') {
        Some(length) => Line::Whole(rest[..length].strip_suffix(b"\r").unwrap_or(&rest[..length])),
        None if rest.len() >= LONGEST_COMMAND => Line::TooLong,
        None if ended => Line::Whole(rest),
        None => Line::NeedMore,
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Statements of a script, fed in pieces of `piece` bytes; terminators and commands left out.
    fn split_in(text: &str, piece: usize) -> Vec<String> {
        let mut splitter = Splitter::new();
        let (mut buffer, mut statements) = (Vec::new(), Vec::new());
        let (mut at, mut begin) = (0, None);
        let mut pieces = text.as_bytes().chunks(piece);
        let mut ended = false;
        loop {
            match splitter.next(&buffer, &mut at, ended) {
                Event::NeedMore if ended => break,
                Event::NeedMore => match pieces.next() {
                    Some(more) => buffer.extend_from_slice(more),
                    None => ended = true,
                },
                Event::Begin => begin = Some(at),
                Event::Terminator(length) => {
                    if let Some(begin) = begin.take() {
                        statements.push(String::from_utf8_lossy(&buffer[begin..at]).into_owned());
                    }
                    at += length;
                }
                Event::Command(length) => at += length,
            }
        }
        if let Some(begin) = begin {
            statements.push(String::from_utf8_lossy(&buffer[begin..]).into_owned());
        }
        statements
    }

    fn split(text: &str) -> Vec<String> {
        let whole = split_in(text, 1 << 20);
        for piece in [1, 2, 7] {
            assert_eq!(split_in(text, piece), whole, "in pieces of {piece}");
        }
        whole
    }

    #[test]
    fn terminators_in_strings_names_and_comments_are_none() {
        assert_eq!(
            split("a ';' \";\" `;` /* ; */ -- ;\n # ;\n b; c"),
            ["a ';' \";\" `;` /* ; */ -- ;\n # ;\n b", "c"]
        );
        assert_eq!(split(r"a '\';' ; b '';''"), [r"a '\';' ", "b ''", "''"]);
        assert_eq!(split("a--;b"), ["a--", "b"]);
        assert_eq!(split("a/*!1 /* ; */ x */;b"), ["a/*!1 /* ; */ x */", "b"]);
    }

    #[test]
    fn comments_and_white_space_before_a_statement_are_no_part_of_it() {
        assert_eq!(split("\u{feff}  -- x\n/* y; */ a;\n--disable_warnings\n#z\nb"), ["a", "b"]);
        assert_eq!(split("/*M!999999\\- enable the; sandbox mode */ \n-- x\na;"), ["a"]);
        assert_eq!(split("/*!40101 SET NAMES utf8 */;\na;"), ["/*!40101 SET NAMES utf8 */", "a"]);
    }

    #[test]
    fn delimiters_change_as_in_the_client() {
        assert_eq!(split("DELIMITER //\na;b//c//\ndelimiter ;\nd;e"), ["a;b", "c", "d", "e"]);
        assert_eq!(split("delimiter\t$$ foo\r\na;$$b"), ["a;", "b"]);
        assert_eq!(split("delimiter '//' \na//b"), ["a", "b"]);
        assert_eq!(split("DELIMITER ;;\na; ;;\nb;;\nDELIMITER ;\nc;d"), ["a; ", "b", "c", "d"]);
        assert_eq!(split("\\d //\na;//b"), ["a;", "b"]);
        assert_eq!(split("  Delimiter go\na go b"), ["a ", "b"]);
        assert_eq!(split("delimiter \\\\\na;b"), ["a", "b"]);
        assert_eq!(split("delimiter\na;b"), ["a", "b"]);
        assert_eq!(split("create table t (\n  delimiter int);b").len(), 2);
    }

    #[test]
    fn delimiters_of_mysqltest_are_understood_too() {
        assert_eq!(split("delimiter |;\na;b|\nc|\ndelimiter ;|\nd;e"), ["a;b", "c", "d", "e"]);
        assert_eq!(split("delimiter //;\na;//;\nb//;"), ["a;", "b"]);
    }

    #[test]
    fn client_commands_end_with_their_line() {
        assert_eq!(split("use shop\na;"), ["a"]);
        assert_eq!(split("USE shop; a;"), ["USE shop", "a"]);
        assert_eq!(split("source other.sql\n\\. more.sql\na;"), ["a"]);
        assert_eq!(split("a\\G b\\g c"), ["a", "b", "c"]);
        assert_eq!(split("status int;"), ["status int"]);
    }

    #[test]
    fn unterminated_text_ends_at_the_end() {
        for text in ["a 'x", "a /* x", "a `x", "a /*! x", "a \\", "a '\\", "/*", "-", "\\"] {
            split(text);
        }
    }
}
