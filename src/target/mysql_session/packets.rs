//! Packets of the client/server protocol, written and read straight on a connection's socket.
//!
//! The client library opens connections and prepares statements. What is sent in measured moments
//! goes past it: one write a statement, large reads, and no buffer or row of its own for each
//! packet. That is possible where a connection is neither encrypted nor compressed, and because
//! nothing is left in the library's buffers between two commands.

use crate::host::socket;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;

/// Largest payload of one packet, bytes. A longer one is split; a packet of exactly this size is
/// followed by another.
const MOST: usize = 0x00ff_ffff;

/// Bytes in front of a payload: its length in three, its number within the exchange.
const HEADER: usize = 4;

/// Bytes that are read at once. Twice what a server writes at once (`net_buffer_length`, 16 KiB).
const ROOM: usize = 32 << 10;

/// Bytes up to which a packet is put together before it is sent: copying so few costs less than the
/// kernel's work for several parts.
const SMALL: usize = 4 << 10;

/// Sends commands and reads what comes back.
#[derive(Debug)]
pub(super) struct Packets {
    input: Vec<u8>,
    /// Where in `input` the bytes are that came and were not looked at yet.
    start: usize,
    end: usize,
    /// Number of the next packet, either way.
    number: u8,
    /// A small packet that is put together; its memory is used again.
    output: Vec<u8>,
    waiting: Waiting,
}

/// How to wait for the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waiting {
    /// In the call that reads, as long as the socket's own limit lets it.
    Reading,
    /// For as long as it takes, on a socket of the file system: see
    /// [`socket::wait_to_receive`].
    Polling,
}

impl Packets {
    pub(super) fn new() -> Self {
        Self {
            input: vec![0; ROOM],
            start: 0,
            end: 0,
            number: 0,
            output: Vec::new(),
            waiting: Waiting::Reading,
        }
    }

    /// Waits like this from now on.
    pub(super) fn wait_by(&mut self, waiting: Waiting) {
        self.waiting = waiting;
    }

    /// Sends a command, which `head` and `body` are together.
    pub(super) fn command(
        &mut self,
        socket: &impl AsRawFd,
        head: &[u8],
        body: &[u8],
    ) -> io::Result<()> {
        self.number = 0;
        self.send(socket, head, body)
    }

    /// Sends a payload within an exchange.
    pub(super) fn send(
        &mut self,
        socket: &impl AsRawFd,
        head: &[u8],
        body: &[u8],
    ) -> io::Result<()> {
        let (mut head, mut body) = (head, body);
        loop {
            let length = (head.len() + body.len()).min(MOST);
            let (piece, behind) = body.split_at(length - head.len());
            let [a, b, c, _] = (length as u32).to_le_bytes();
            let header = [a, b, c, self.number];
            self.number = self.number.wrapping_add(1);
            if length <= SMALL {
                self.output.clear();
                self.output.extend_from_slice(&header);
                self.output.extend_from_slice(head);
                self.output.extend_from_slice(piece);
                socket::send(socket, &self.output)?;
            } else {
                socket::send_parts(socket, [&header, head, piece])?;
            }
            if length < MOST {
                return Ok(());
            }
            (head, body) = (&[], behind);
        }
    }

    /// Waits for the next packet and gives the place of its payload, see [`Packets::at`], which
    /// holds until the next call.
    pub(super) fn next(&mut self, socket: &impl AsRawFd) -> io::Result<Range<usize>> {
        let mut length = self.header(socket, 0)?;
        let mut whole = length;
        let mut taken = HEADER + length;
        // The pieces of a long payload are moved together.
        while length == MOST {
            length = self.header(socket, taken)?;
            let from = self.start + taken + HEADER;
            self.input.copy_within(from..from + length, self.start + HEADER + whole);
            whole += length;
            taken += HEADER + length;
        }
        let from = self.start + HEADER;
        self.start += taken;
        Ok(from..from + whole)
    }

    /// Bytes of a payload.
    pub(super) fn at(&self, place: Range<usize>) -> &[u8] {
        &self.input[place]
    }

    /// Waits for the whole packet that begins `at` bytes behind the start; gives its length.
    fn header(&mut self, socket: &impl AsRawFd, at: usize) -> io::Result<usize> {
        self.wait_for(socket, at + HEADER)?;
        let from = self.start + at;
        let [a, b, c, number] = [0, 1, 2, 3].map(|byte| self.input[from + byte]);
        if number != self.number {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "packets of the server came out of order",
            ));
        }
        self.number = number.wrapping_add(1);
        let length = u32::from_le_bytes([a, b, c, 0]) as usize;
        self.wait_for(socket, at + HEADER + length)?;
        Ok(length)
    }

    /// Waits until `wanted` bytes are there, from the start on.
    fn wait_for(&mut self, socket: &impl AsRawFd, wanted: usize) -> io::Result<()> {
        if self.end - self.start >= wanted {
            return Ok(());
        }
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if self.start + wanted > self.input.len() {
            self.input.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            if wanted > self.input.len() {
                self.input.resize(wanted.next_multiple_of(ROOM), 0);
            }
        }
        while self.end - self.start < wanted {
            if self.waiting == Waiting::Polling {
                socket::wait_to_receive(socket)?;
            }
            match socket::receive(socket, &mut self.input[self.end..])? {
                0 => {
                    return Err(io::Error::new(io::ErrorKind::BrokenPipe, "server disconnected"));
                }
                more => self.end += more,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixStream;
    use std::thread;

    fn packet(number: u8, payload: &[u8]) -> Vec<u8> {
        let [a, b, c, _] = (payload.len() as u32).to_le_bytes();
        [&[a, b, c, number], payload].concat()
    }

    fn received(bytes: &[u8], packets: usize) -> Vec<Result<Vec<u8>, io::ErrorKind>> {
        let by_reading = waited(Waiting::Reading, bytes, packets);
        assert_eq!(waited(Waiting::Polling, bytes, packets), by_reading);
        by_reading
    }

    fn waited(
        waiting: Waiting,
        bytes: &[u8],
        packets: usize,
    ) -> Vec<Result<Vec<u8>, io::ErrorKind>> {
        let (ours, mut theirs) = UnixStream::pair().expect("a pair of sockets");
        thread::scope(|scope| {
            scope.spawn(move || theirs.write_all(bytes));
            let mut link = Packets::new();
            link.wait_by(waiting);
            (0..packets)
                .map(|_| {
                    let place = link.next(&ours).map_err(|error| error.kind())?;
                    Ok(link.at(place).to_vec())
                })
                .collect()
        })
    }

    #[test]
    fn packets_come_whole_however_they_arrive() {
        let large = vec![7u8; 3 * ROOM];
        let bytes =
            [packet(0, b"one"), packet(1, b""), packet(2, &large), packet(3, b"x")].concat();
        let seen = received(&bytes, 5);
        let expected = [b"one".to_vec(), Vec::new(), large, b"x".to_vec()].map(Ok);
        assert_eq!(seen[..4], expected);
        assert_eq!(seen[4], Err(io::ErrorKind::BrokenPipe));
        assert_eq!(received(&packet(5, b"late"), 1), [Err(io::ErrorKind::InvalidData)]);
    }

    #[test]
    fn a_payload_of_several_packets_is_joined_and_split() {
        let payload: Vec<u8> = (0..MOST + 1000).map(|at| (at % 251) as u8).collect();
        let bytes =
            [packet(0, &payload[..MOST]), packet(1, &payload[MOST..]), packet(2, b"end")].concat();
        assert_eq!(received(&bytes, 2), [Ok(payload.clone()), Ok(b"end".to_vec())]);
        let (ours, mut theirs) = UnixStream::pair().expect("a pair of sockets");
        let sent = thread::scope(|scope| {
            let reader = scope.spawn(move || {
                let mut all = Vec::new();
                theirs.read_to_end(&mut all).map(|_| all)
            });
            Packets::new().command(&ours, &payload[..5], &payload[5..]).expect("sent");
            drop(ours);
            reader.join().expect("no panic").expect("read")
        });
        assert!(sent == bytes[..bytes.len() - packet(2, b"end").len()]);
    }
}
