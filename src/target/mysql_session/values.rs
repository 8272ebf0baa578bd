//! Parameters on their way to the server, and rows on their way back, in the forms of the wire.

use super::field::Seen;
use super::reply::length_encoded;
use crate::model::Decimal;
use crate::target::session::{Param, RowView};
use mysql::Value;
use mysql::consts::{ColumnFlags, ColumnType};
use std::borrow::Cow;
use std::ops::Range;

/// Appends what executes prepared statement `statement`: its number, and the parameters. `bound` is
/// what the server knows of their types; they are sent when they have changed. Decimals and times
/// go as text: the server reads them exactly.
pub(super) fn write_execute(
    out: &mut Vec<u8>,
    statement: u32,
    params: &[Param<'_>],
    bound: &mut Vec<u8>,
) {
    out.extend_from_slice(&statement.to_le_bytes());
    // No cursor; once.
    out.extend_from_slice(&[0, 1, 0, 0, 0]);
    if params.is_empty() {
        return;
    }
    let nulls = out.len();
    out.resize(nulls + params.len().div_ceil(8), 0);
    for (at, _) in params.iter().enumerate().filter(|(_, param)| **param == Param::Null) {
        out[nulls + at / 8] |= 1 << (at % 8);
    }
    let types = params.iter().map(type_of);
    if bound.iter().copied().eq(types.clone()) {
        out.push(0);
    } else {
        bound.clear();
        bound.extend(types);
        out.push(1);
        out.extend(bound.iter().flat_map(|kind| [*kind, 0]));
    }
    for param in params {
        write_value(out, param);
    }
}

fn type_of(param: &Param<'_>) -> u8 {
    (match param {
        Param::Null => ColumnType::MYSQL_TYPE_NULL,
        Param::Int(_) => ColumnType::MYSQL_TYPE_LONGLONG,
        Param::Float(number) if number.to_f32().is_some() => ColumnType::MYSQL_TYPE_FLOAT,
        Param::Double(_) | Param::Float(_) => ColumnType::MYSQL_TYPE_DOUBLE,
        Param::Decimal(_) | Param::Text(_) | Param::DateTime(_) | Param::Bytes(_) => {
            ColumnType::MYSQL_TYPE_VAR_STRING
        }
    }) as u8
}

fn write_value(out: &mut Vec<u8>, param: &Param<'_>) {
    match *param {
        Param::Null => {}
        Param::Int(number) => out.extend_from_slice(&number.to_le_bytes()),
        Param::Double(number) => out.extend_from_slice(&number.to_le_bytes()),
        Param::Float(number) => match number.to_f32() {
            Some(single) => out.extend_from_slice(&single.to_le_bytes()),
            None => out.extend_from_slice(&number.to_f64().to_le_bytes()),
        },
        Param::Decimal(number) => {
            // The longest has 22 bytes, so that its length takes one.
            let at = out.len();
            out.push(0);
            number.write_to(out);
            out[at] = (out.len() - at - 1) as u8;
        }
        Param::Text(text) | Param::DateTime(text) => write_bytes(out, text.as_bytes()),
        Param::Bytes(bytes) => write_bytes(out, bytes),
    }
}

fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    let length = (bytes.len() as u64).to_le_bytes();
    match bytes.len() {
        0..=250 => out.push(length[0]),
        251..=0xffff => out.extend_from_slice(&[0xfc, length[0], length[1]]),
        0x1_0000..=0xff_ffff => {
            out.extend_from_slice(&[0xfd, length[0], length[1], length[2]]);
        }
        _ => {
            out.push(0xfe);
            out.extend_from_slice(&length);
        }
    }
    out.extend_from_slice(bytes);
}

/// The protocol in which rows come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Of prepared statements.
    Binary,
    /// Of statements that were sent as text.
    Text,
}

/// What is used of a column's description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Column {
    kind: ColumnType,
    unsigned: bool,
}

impl Column {
    pub(super) fn of(column: &mysql::Column) -> Self {
        Self {
            kind: column.column_type(),
            unsigned: column.flags().contains(ColumnFlags::UNSIGNED_FLAG),
        }
    }

    /// Reads a description; none when it is none. Type, flags, decimals and two bytes of nothing
    /// stand at its end.
    pub(super) fn read(packet: &[u8]) -> Option<Self> {
        let &[kind, flags, _, _, _, _] = packet.last_chunk::<6>()?;
        // A type of a later release comes as text does.
        let kind = ColumnType::try_from(kind).unwrap_or(ColumnType::MYSQL_TYPE_VAR_STRING);
        let unsigned = u16::from(flags) & ColumnFlags::UNSIGNED_FLAG.bits() != 0;
        Some(Self { kind, unsigned })
    }

    /// Bytes of a value in the binary protocol; none where they are written in front of it.
    fn width(self) -> Option<usize> {
        match self.kind {
            ColumnType::MYSQL_TYPE_TINY => Some(1),
            ColumnType::MYSQL_TYPE_SHORT | ColumnType::MYSQL_TYPE_YEAR => Some(2),
            ColumnType::MYSQL_TYPE_LONG
            | ColumnType::MYSQL_TYPE_INT24
            | ColumnType::MYSQL_TYPE_FLOAT => Some(4),
            ColumnType::MYSQL_TYPE_LONGLONG | ColumnType::MYSQL_TYPE_DOUBLE => Some(8),
            ColumnType::MYSQL_TYPE_NULL => Some(0),
            _ => None,
        }
    }
}

/// Where a field's bytes lie in its row; none for NULL.
pub(super) type Field = Option<Range<usize>>;

/// A row where it lies.
pub(super) struct WireRow<'a> {
    packet: &'a [u8],
    format: Format,
    columns: &'a [Column],
    fields: &'a [Field],
}

impl<'a> WireRow<'a> {
    /// Finds the fields of a row, using `fields` again; none when the row is not as its columns say.
    pub(super) fn read(
        packet: &'a [u8],
        format: Format,
        columns: &'a [Column],
        fields: &'a mut Vec<Field>,
    ) -> Option<Self> {
        fields.clear();
        // Bits of NULLs begin with the third, behind the byte that begins a row.
        let nulls = packet.get(1..)?;
        let mut at = match format {
            Format::Binary => 1 + (columns.len() + 2).div_ceil(8),
            Format::Text => 0,
        };
        for (number, column) in columns.iter().enumerate() {
            let is_null = match format {
                Format::Binary => nulls.get((number + 2) / 8)? >> ((number + 2) % 8) & 1 == 1,
                Format::Text => *packet.get(at)? == NULL,
            };
            if is_null {
                at += usize::from(format == Format::Text);
                fields.push(None);
                continue;
            }
            let width = if format == Format::Binary { column.width() } else { None };
            let length = if let Some(width) = width {
                width
            } else {
                let (length, head) = length_encoded(packet.get(at..)?)?;
                at += head;
                usize::try_from(length).ok()?
            };
            let end = at.checked_add(length).filter(|end| *end <= packet.len())?;
            fields.push(Some(at..end));
            at = end;
        }
        Some(Self { packet, format, columns, fields })
    }

    fn field(&self, column: usize) -> Option<Seen<'a>> {
        let bytes = self.packet.get(self.fields.get(column)?.clone()?)?;
        let Column { kind, unsigned } = *self.columns.get(column)?;
        if self.format == Format::Text {
            return Some(Seen::Text(bytes));
        }
        Some(match kind {
            ColumnType::MYSQL_TYPE_TINY
            | ColumnType::MYSQL_TYPE_SHORT
            | ColumnType::MYSQL_TYPE_YEAR
            | ColumnType::MYSQL_TYPE_LONG
            | ColumnType::MYSQL_TYPE_INT24
            | ColumnType::MYSQL_TYPE_LONGLONG => Seen::Binary(integer(bytes, unsigned)),
            ColumnType::MYSQL_TYPE_FLOAT => {
                Seen::Binary(Value::Float(f32::from_le_bytes(bytes.try_into().ok()?)))
            }
            ColumnType::MYSQL_TYPE_DOUBLE => {
                Seen::Binary(Value::Double(f64::from_le_bytes(bytes.try_into().ok()?)))
            }
            ColumnType::MYSQL_TYPE_DATE
            | ColumnType::MYSQL_TYPE_DATETIME
            | ColumnType::MYSQL_TYPE_TIMESTAMP => Seen::Binary(date(bytes)),
            ColumnType::MYSQL_TYPE_TIME => Seen::Binary(time(bytes)),
            _ => Seen::Text(bytes),
        })
    }
}

/// NULL in the text protocol.
const NULL: u8 = 0xfb;

fn integer(bytes: &[u8], unsigned: bool) -> Value {
    let negative = !unsigned && bytes.last().is_some_and(|last| last & 0x80 != 0);
    let mut wide = [if negative { 0xff } else { 0 }; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    if unsigned {
        Value::UInt(u64::from_le_bytes(wide))
    } else {
        Value::Int(i64::from_le_bytes(wide))
    }
}

/// Trailing zeros are left out of times: what is not there is 0.
fn filled<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut all = [0; N];
    let length = bytes.len().min(N);
    all[..length].copy_from_slice(&bytes[..length]);
    all
}

fn date(bytes: &[u8]) -> Value {
    let [y1, y2, month, day, hour, minute, second, u1, u2, u3, u4] = filled(bytes);
    let micros = u32::from_le_bytes([u1, u2, u3, u4]);
    Value::Date(u16::from_le_bytes([y1, y2]), month, day, hour, minute, second, micros)
}

fn time(bytes: &[u8]) -> Value {
    let [negative, d1, d2, d3, d4, hours, minutes, seconds, u1, u2, u3, u4] = filled(bytes);
    let days = u32::from_le_bytes([d1, d2, d3, d4]);
    let micros = u32::from_le_bytes([u1, u2, u3, u4]);
    Value::Time(negative != 0, days, hours, minutes, seconds, micros)
}

impl RowView for WireRow<'_> {
    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn is_null(&self, column: usize) -> bool {
        !matches!(self.fields.get(column), Some(Some(_)))
    }

    fn int(&self, column: usize) -> Option<i64> {
        self.field(column)?.int()
    }

    fn decimal(&self, column: usize, scale: u8) -> Option<Decimal> {
        self.field(column)?.decimal(scale)
    }

    fn text(&self, column: usize) -> Option<Cow<'_, [u8]>> {
        self.field(column)?.text(self.columns[column].kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_as_a_float_takes_four_bytes_where_nothing_is_lost() {
        let (mut bound, mut out) = (Vec::new(), Vec::new());
        let small = Param::Float(Decimal::hundredths(3090));
        let large = Param::Float(Decimal::hundredths(100_000_001));
        write_execute(&mut out, 9, &[small, large], &mut bound);
        assert_eq!(out[10..15], [1, 4, 0, 5, 0], "FLOAT and DOUBLE");
        let values = [&30.9f32.to_le_bytes()[..], &1_000_000.01f64.to_le_bytes()].concat();
        assert_eq!(out[15..], values);
    }

    #[test]
    fn types_are_sent_once_and_decimals_go_as_exact_text() {
        let (mut bound, mut out) = (Vec::new(), Vec::new());
        let params = [Param::Decimal(Decimal::hundredths(-105)), Param::Null, Param::Int(7)];
        write_execute(&mut out, 9, &params, &mut bound);
        let head = [9, 0, 0, 0, 0, 1, 0, 0, 0, 0b010];
        let types = [1, 0xfd, 0, 6, 0, 8, 0];
        let values = [&b"\x05-1.05"[..], &[7, 0, 0, 0, 0, 0, 0, 0]].concat();
        assert_eq!(out, [&head[..], &types, &values].concat());
        out.clear();
        write_execute(&mut out, 9, &params, &mut bound);
        assert_eq!(out, [&head[..], &[0], &values].concat(), "the same types are not sent again");
        out.clear();
        write_execute(&mut out, 9, &[Param::Text("a"); 3], &mut bound);
        assert_eq!(out[9..17], [0, 1, 0xfd, 0, 0xfd, 0, 0xfd, 0]);
        out.clear();
        write_execute(&mut out, 9, &[], &mut bound);
        assert_eq!(out.len(), 9);
    }

    #[test]
    fn lengths_are_written_as_they_are_read() {
        for length in [0usize, 250, 251, 65_535, 65_536] {
            let mut out = Vec::new();
            write_bytes(&mut out, &vec![b'x'; length]);
            let (read, head) = length_encoded(&out).expect("a length");
            assert_eq!((read as usize, out.len() - head), (length, length));
        }
    }

    fn column(kind: ColumnType, unsigned: bool) -> Column {
        Column { kind, unsigned }
    }

    #[test]
    fn rows_of_both_protocols_read_the_same() {
        let columns = [
            column(ColumnType::MYSQL_TYPE_LONG, false),
            column(ColumnType::MYSQL_TYPE_TINY, true),
            column(ColumnType::MYSQL_TYPE_VAR_STRING, false),
            column(ColumnType::MYSQL_TYPE_NEWDECIMAL, false),
            column(ColumnType::MYSQL_TYPE_DATE, false),
            column(ColumnType::MYSQL_TYPE_DATETIME, false),
        ];
        let binary = b"\0\x10\xfb\xff\xff\xff\xc8\x041.50\x04\xe8\x07\x02\x09\
            \x07\xe8\x07\x02\x09\x0c\x01\x02";
        let text = b"\x02-5\x03200\xfb\x041.50\x0a2024-02-09\x132024-02-09 12:01:02";
        for (format, packet) in [(Format::Binary, &binary[..]), (Format::Text, &text[..])] {
            let mut fields = Vec::new();
            let row = WireRow::read(packet, format, &columns, &mut fields).expect("a row");
            assert_eq!((row.columns(), row.int(0), row.int(1)), (6, Some(-5), Some(200)));
            assert!(row.is_null(2) && row.text(2).is_none() && !row.is_null(3));
            assert_eq!(row.decimal(3, 2), Some(Decimal::hundredths(150)));
            assert_eq!(row.text(4).as_deref(), Some(&b"2024-02-09"[..]));
            assert_eq!(row.text(5).as_deref(), Some(&b"2024-02-09 12:01:02"[..]));
            assert!(row.is_null(6) && row.int(6).is_none(), "there is no such column");
            let mut fields = Vec::new();
            let cut = &packet[..packet.len() - 1];
            assert!(WireRow::read(cut, format, &columns, &mut fields).is_none());
        }
    }

    #[test]
    fn columns_are_read_from_the_end_of_their_descriptions() {
        let packet = b"\x03def\0\x01t\x01t\x01c\x01c\x0c\x3f\0\x0b\0\0\0\x03\x21\0\0\0\0";
        let read = Column::read(packet).expect("a column");
        assert_eq!(read, column(ColumnType::MYSQL_TYPE_LONG, true));
        assert!(Column::read(b"x").is_none());
    }
}
