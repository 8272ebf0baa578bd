//! What a server answers to a statement: OK, an error, or result sets whose rows are looked at
//! where they lie in the buffer, or not at all.

use super::error::{lost, lost_by, server_error};
use super::packets::{Packets, Waiting};
use super::values::{Column, Field, Format, WireRow};
use crate::target::session::{Outcome, SqlError, Visit};
use mysql::Conn;
use std::borrow::Cow;

/// `COM_QUERY`.
const QUERY: u8 = 0x03;
/// `COM_STMT_EXECUTE`.
const EXECUTE: u8 = 0x17;

const OK: u8 = 0x00;
const ERROR: u8 = 0xff;
/// The server asks for the file of LOAD DATA LOCAL.
const WANTS_FILE: u8 = 0xfb;
/// The end of columns or rows, in a packet shorter than [`LONGEST_END`].
const END: u8 = 0xfe;
const LONGEST_END: usize = 9;

/// `SERVER_MORE_RESULTS_EXISTS`.
const MORE_RESULTS: u16 = 0x0008;

/// Bytes of a file that go into one packet, at most: less than what any release takes unasked.
const PIECE: usize = 512 << 10;

/// The bytes of a file that the server asks for.
pub(super) trait Pieces {
    /// The next ones; none at the end.
    fn next(&mut self) -> Option<&[u8]>;
}

/// Commands and replies of one connection, with what is used again for each.
#[derive(Debug)]
pub(super) struct Link {
    packets: Packets,
    /// Bytes of a file that go into one packet.
    piece: usize,
    /// Places of a row's fields.
    fields: Vec<Field>,
    /// Columns of results that no prepared statement remembers.
    columns: Vec<Column>,
    /// What the server says in words beside its last OK: `Records: 3  Deleted: 0 ...`.
    info: Vec<u8>,
}

impl Link {
    pub(super) fn new() -> Self {
        Self {
            packets: Packets::new(),
            piece: PIECE,
            fields: Vec::new(),
            columns: Vec::new(),
            info: Vec::new(),
        }
    }

    /// Sends files in pieces that a server takes whose packets have at most `max_packet` bytes.
    pub(super) fn limit_pieces(&mut self, max_packet: u64) {
        self.piece = (max_packet / 2).clamp(1, PIECE as u64) as usize;
    }

    /// What the server said in words beside the last OK; nothing where it said nothing.
    pub(super) fn info(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.info)
    }

    /// Waits for the server like this from now on.
    pub(super) fn wait_by(&mut self, waiting: Waiting) {
        self.packets.wait_by(waiting);
    }

    /// Sends a statement as text and reads the whole reply.
    pub(super) fn query(
        &mut self,
        socket: &Conn,
        sql: &str,
        visit: Option<&mut Visit<'_>>,
        file: Option<&mut dyn Pieces>,
    ) -> Result<Outcome, SqlError> {
        self.packets.command(socket, &[QUERY], sql.as_bytes()).map_err(|error| lost_by(&error))?;
        self.reply(socket, Format::Text, None, visit, file)
    }

    /// Executes a prepared statement, of which `body` says what [`super::values::write_execute`]
    /// wrote, and reads the whole reply.
    pub(super) fn execute(
        &mut self,
        socket: &Conn,
        body: &[u8],
        remembered: &mut Vec<Column>,
        visit: Option<&mut Visit<'_>>,
    ) -> Result<Outcome, SqlError> {
        self.packets.command(socket, &[EXECUTE], body).map_err(|error| lost_by(&error))?;
        self.reply(socket, Format::Binary, Some(remembered), visit, None)
    }

    /// Reads every row of every result set; `visit` sees them until it says that it has enough.
    fn reply(
        &mut self,
        socket: &Conn,
        format: Format,
        mut remembered: Option<&mut Vec<Column>>,
        mut visit: Option<&mut Visit<'_>>,
        mut file: Option<&mut dyn Pieces>,
    ) -> Result<Outcome, SqlError> {
        let mut outcome = Outcome::default();
        self.info.clear();
        loop {
            let place = self.packets.next(socket).map_err(|error| lost_by(&error))?;
            let packet = self.packets.at(place);
            let status = match packet.first() {
                None => return Err(not_understood()),
                Some(&ERROR) => return Err(error_of(packet)),
                Some(&OK) => {
                    let ok = Ok::read(packet).ok_or_else(not_understood)?;
                    outcome.affected += ok.affected;
                    outcome.warnings = outcome.warnings.max(ok.warnings);
                    self.info.extend_from_slice(ok.info);
                    ok.status
                }
                Some(&WANTS_FILE) => {
                    self.send_file(socket, file.take())?;
                    continue;
                }
                Some(_) => {
                    let (count, rest) = length_encoded(packet).ok_or_else(not_understood)?;
                    // MariaDB leaves out columns that have not changed, and says so behind their
                    // number.
                    let left_out = packet.get(rest) == Some(&0);
                    let mut own = std::mem::take(&mut self.columns);
                    let columns = remembered.take().unwrap_or(&mut own);
                    let read =
                        self.read_columns(socket, count as usize, left_out, columns).and_then(
                            |()| self.read_rows(socket, format, columns, &mut visit, &mut outcome),
                        );
                    self.columns = own;
                    read?
                }
            };
            if status & MORE_RESULTS == 0 {
                return Ok(outcome);
            }
        }
    }

    fn read_columns(
        &mut self,
        socket: &Conn,
        count: usize,
        left_out: bool,
        columns: &mut Vec<Column>,
    ) -> Result<(), SqlError> {
        if !left_out {
            columns.clear();
            for _ in 0..count {
                let place = self.packets.next(socket).map_err(|error| lost_by(&error))?;
                let packet = self.packets.at(place);
                if packet.first() == Some(&ERROR) {
                    return Err(error_of(packet));
                }
                columns.push(Column::read(packet).ok_or_else(not_understood)?);
            }
        }
        if columns.len() != count {
            return Err(not_understood());
        }
        let place = self.packets.next(socket).map_err(|error| lost_by(&error))?;
        match end_of(self.packets.at(place)) {
            Some(_) => Ok(()),
            None => Err(not_understood()),
        }
    }

    /// Reads rows to their end; gives the server's status then.
    fn read_rows(
        &mut self,
        socket: &Conn,
        format: Format,
        columns: &[Column],
        visit: &mut Option<&mut Visit<'_>>,
        outcome: &mut Outcome,
    ) -> Result<u16, SqlError> {
        loop {
            let place = self.packets.next(socket).map_err(|error| lost_by(&error))?;
            let packet = self.packets.at(place);
            if let Some((warnings, status)) = end_of(packet) {
                outcome.warnings = outcome.warnings.max(warnings);
                return Ok(status);
            }
            if packet.first() == Some(&ERROR) {
                return Err(error_of(packet));
            }
            outcome.rows += 1;
            if let Some(visitor) = visit.as_mut() {
                let row = WireRow::read(packet, format, columns, &mut self.fields)
                    .ok_or_else(not_understood)?;
                if !visitor(&row) {
                    *visit = None;
                }
            }
        }
    }

    /// Sends a file, or an empty one when there is none; the reply follows.
    fn send_file(&mut self, socket: &Conn, file: Option<&mut dyn Pieces>) -> Result<(), SqlError> {
        if let Some(file) = file {
            while let Some(bytes) = file.next() {
                for piece in bytes.chunks(self.piece) {
                    self.packets.send(socket, &[], piece).map_err(|error| lost_by(&error))?;
                }
            }
        }
        // Nothing at all says that the file is over.
        self.packets.send(socket, &[], &[]).map_err(|error| lost_by(&error))
    }
}

/// The parts of an OK packet that are used.
struct Ok<'a> {
    affected: u64,
    status: u16,
    warnings: u16,
    info: &'a [u8],
}

impl<'a> Ok<'a> {
    fn read(packet: &'a [u8]) -> Option<Self> {
        let mut rest = packet.get(1..)?;
        let mut number = || {
            let (value, length) = length_encoded(rest)?;
            rest = rest.get(length..)?;
            Some(value)
        };
        let affected = number()?;
        // The number that AUTO_INCREMENT gave.
        number()?;
        let (status, rest) = short(rest)?;
        let (warnings, rest) = short(rest)?;
        // Servers write the length of the words in front of them.
        let info = match length_encoded(rest) {
            Some((length, at)) if length as usize == rest.len() - at => &rest[at..],
            _ => rest,
        };
        Some(Self { affected, status, warnings, info })
    }
}

/// Warnings and status of a packet that ends columns or rows; none of another.
fn end_of(packet: &[u8]) -> Option<(u16, u16)> {
    if packet.first() != Some(&END) || packet.len() >= LONGEST_END {
        return None;
    }
    let (warnings, rest) = short(&packet[1..]).unwrap_or_default();
    Some((warnings, short(rest).unwrap_or_default().0))
}

fn error_of(packet: &[u8]) -> SqlError {
    let (errno, rest) = short(&packet[1..]).unwrap_or_default();
    let (state, message) = match rest.split_first() {
        Some((b'#', rest)) if rest.len() >= 5 => rest.split_at(5),
        _ => (&b"HY000"[..], rest),
    };
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    server_error(errno, text(state), text(message))
}

fn short(bytes: &[u8]) -> Option<(u16, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<2>()?;
    Some((u16::from_le_bytes(*number), rest))
}

/// A number that says itself how long it is, and its bytes; none for NULL's mark.
pub(super) fn length_encoded(bytes: &[u8]) -> Option<(u64, usize)> {
    let length = match bytes.first()? {
        0xfb | 0xff => return None,
        0xfc => 2,
        0xfd => 3,
        0xfe => 8,
        &small => return Some((u64::from(small), 1)),
    };
    let mut number = [0; 8];
    number[..length].copy_from_slice(bytes.get(1..=length)?);
    Some((u64::from_le_bytes(number), 1 + length))
}

fn not_understood() -> SqlError {
    lost("the server sent a packet that is not understood")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_say_how_long_they_are() {
        for (bytes, number) in [
            (&[250u8][..], Some((250, 1))),
            (&[0xfc, 0xfb, 0x00], Some((251, 3))),
            (&[0xfd, 1, 0, 1], Some((65_537, 4))),
            (&[0xfe, 0, 0, 0, 0, 1, 0, 0, 0], Some((1 << 32, 9))),
            (&[0xfb], None),
            (&[0xfc, 1], None),
            (&[], None),
        ] {
            assert_eq!(length_encoded(bytes), number, "{bytes:?}");
        }
    }

    #[test]
    fn an_ok_is_read_with_and_without_words() {
        let ok = Ok::read(&[0, 3, 0, 2, 0, 1, 0]).expect("an OK");
        assert_eq!((ok.affected, ok.status, ok.warnings, ok.info), (3, 2, 1, &b""[..]));
        let ok = Ok::read(b"\0\x03\0\x02\0\0\0\x0aRecords: 3").expect("an OK");
        assert_eq!(ok.info, b"Records: 3");
        assert!(Ok::read(&[0, 3, 0, 2]).is_none());
    }

    #[test]
    fn an_error_keeps_number_state_and_words() {
        let error = error_of(b"\xff\xbd\x04#40001Deadlock found");
        assert_eq!(
            (error.errno, error.sqlstate.as_str(), error.message.as_str()),
            (1213, "40001", "Deadlock found")
        );
        assert!(error.can_retry());
        assert_eq!(error_of(b"\xff\x10\x04Too many connections").errno, 1040);
    }

    #[test]
    fn an_end_is_told_from_a_row() {
        assert_eq!(end_of(&[END, 2, 0, 8, 0]), Some((2, MORE_RESULTS)));
        assert_eq!(end_of(&[END, 0, 0, 0, 0, 1, 0, 0, 0, 7]), None);
        assert_eq!(end_of(&[0, 0]), None);
    }
}
