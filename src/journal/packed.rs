//! Columns of numbers as short text: differences, variable-length integers, deflated, base64.
//!
//! A second of a run is four numbers a transaction type and one a signal; as plain JSON they are nine
//! tenths of a journal. Version 1 wrote plain lists, which are read for ever; short columns still are.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::io::{Read as _, Write as _};
use std::marker::PhantomData;

/// Up to here a plain list is shorter, and can be read by eye.
const PLAIN: usize = 12;

/// The most bytes that a column may have when it is unpacked: four years of seconds.
const MOST_BYTES: u64 = 1 << 28;

/// A number of a column.
pub(super) trait Entry: Copy + Serialize + for<'de> Deserialize<'de> {
    /// As a number.
    fn number(self) -> u64;
    /// From a number.
    fn of(number: u64) -> Self;
}

impl Entry for u64 {
    fn number(self) -> u64 {
        self
    }

    fn of(number: u64) -> Self {
        number
    }
}

/// Nothing is 0; what there is stands one higher.
impl Entry for Option<u64> {
    fn number(self) -> u64 {
        self.map_or(0, |value| value.saturating_add(1))
    }

    fn of(number: u64) -> Self {
        number.checked_sub(1)
    }
}

/// Writes a column.
pub(super) fn serialize<E: Entry, S: Serializer>(column: &[E], to: S) -> Result<S::Ok, S::Error> {
    if column.len() <= PLAIN { column.serialize(to) } else { pack(column).serialize(to) }
}

/// Reads a column, packed or plain.
pub(super) fn deserialize<'de, E: Entry, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<E>, D::Error> {
    from.deserialize_any(Column(PhantomData))
}

struct Column<E>(PhantomData<E>);

impl<'de, E: Entry> Visitor<'de> for Column<E> {
    type Value = Vec<E>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of numbers, or a packed one")
    }

    fn visit_str<X: serde::de::Error>(self, text: &str) -> Result<Vec<E>, X> {
        unpack(text).ok_or_else(|| X::custom("a packed column is damaged"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<E>, A::Error> {
        let mut column = Vec::new();
        while let Some(entry) = list.next_element()? {
            column.push(entry);
            if column.len() as u64 > MOST_BYTES {
                return Err(A::Error::custom("a column is too long"));
            }
        }
        Ok(column)
    }
}

fn pack<E: Entry>(column: &[E]) -> String {
    let mut bytes = Vec::with_capacity(column.len() * 2);
    let mut before = 0_u64;
    for entry in column {
        let number = entry.number();
        let difference = number.wrapping_sub(before) as i64;
        before = number;
        // Small differences of either sign become small numbers.
        let mut rest = ((difference << 1) ^ (difference >> 63)) as u64;
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    let mut deflated = DeflateEncoder::new(Vec::new(), Compression::best());
    let packed = deflated.write_all(&bytes).and_then(|()| deflated.finish());
    STANDARD.encode(packed.expect("a Vec takes every byte"))
}

/// `None` for what [`pack`] never wrote.
fn unpack<E: Entry>(text: &str) -> Option<Vec<E>> {
    let packed = STANDARD.decode(text).ok()?;
    let mut bytes = Vec::new();
    let read = DeflateDecoder::new(packed.as_slice()).take(MOST_BYTES).read_to_end(&mut bytes);
    read.ok().filter(|read| (*read as u64) < MOST_BYTES)?;
    let mut column = Vec::new();
    let (mut before, mut number, mut shift) = (0_u64, 0_u64, 0_u32);
    for byte in bytes {
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 != 0 {
            shift += 7;
            continue;
        }
        let difference = (number >> 1) ^ (number & 1).wrapping_neg();
        before = before.wrapping_add(difference);
        column.push(E::of(before));
        (number, shift) = (0, 0);
    }
    (shift == 0).then_some(column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Held {
        #[serde(with = "super")]
        plain: Vec<u64>,
        #[serde(with = "super")]
        holes: Vec<Option<u64>>,
    }

    fn held(length: u64) -> Held {
        let value = |at: u64| at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (at % 64);
        Held {
            plain: (0..length).map(value).collect(),
            holes: (0..length).map(|at| (at % 3 > 0).then(|| value(at) / 2)).collect(),
        }
    }

    #[test]
    fn columns_of_any_length_and_size_read_back() {
        for length in [0, 1, 12, 13, 14, 500] {
            let text = serde_json::to_string(&held(length)).expect("it is written");
            assert_eq!(serde_json::from_str::<Held>(&text).expect("it reads"), held(length));
            assert_eq!(text.contains('['), length <= PLAIN as u64, "{text}");
        }
    }

    #[test]
    fn plain_lists_of_version_1_are_read() {
        let list = |column: &[u64]| serde_json::to_string(column).expect("it is written");
        let held = held(40);
        let text = format!(
            "{{\"plain\":{},\"holes\":{}}}",
            list(&held.plain),
            serde_json::to_string(&held.holes).expect("it is written")
        );
        assert_eq!(serde_json::from_str::<Held>(&text).expect("it reads"), held);
    }

    #[test]
    fn seconds_of_a_run_take_little_room() {
        let counts: Vec<u64> = (0..1200).map(|at| 380 + (at * 7919) % 40).collect();
        let plain = serde_json::to_string(&counts).expect("it is written").len();
        assert!(pack(&counts).len() * 2 < plain, "{} against {plain}", pack(&counts).len());
    }

    #[test]
    fn damaged_text_is_an_error_and_no_panic() {
        let text = pack(&held(100).plain);
        for cut in 1..text.len() {
            let damaged = format!("{{\"plain\":\"{}\",\"holes\":[]}}", &text[..cut]);
            let read = serde_json::from_str::<Held>(&damaged);
            assert!(read.is_err() || read.is_ok_and(|read| read.plain.len() < 100), "{cut}");
        }
        assert!(serde_json::from_str::<Held>("{\"plain\":\"no base64!\",\"holes\":[]}").is_err());
    }
}
