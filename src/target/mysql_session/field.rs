//! A field of a row as it came, and what it is as an integer, a decimal, or text.

use crate::model::Decimal;
use mysql::Value;
use mysql::consts::ColumnType;
use std::borrow::Cow;
use std::io::Write;

/// A field as it came; NULL is none.
pub(super) enum Seen<'a> {
    /// In the text protocol, or of a type that has no other form.
    Text(&'a [u8]),
    /// In the binary protocol: a number, a date or a time.
    Binary(Value),
}

impl<'a> Seen<'a> {
    pub(super) fn int(&self) -> Option<i64> {
        match self {
            // The server sums integers as DECIMAL, which travels as text.
            Self::Text(text) => Decimal::parse(text, 0).map(|number| number.unscaled),
            Self::Binary(Value::Int(number)) => Some(*number),
            Self::Binary(Value::UInt(number)) => i64::try_from(*number).ok(),
            Self::Binary(Value::Float(number)) => whole(f64::from(*number)),
            Self::Binary(Value::Double(number)) => whole(*number),
            Self::Binary(_) => None,
        }
    }

    pub(super) fn decimal(&self, scale: u8) -> Option<Decimal> {
        match self {
            Self::Text(text) => Decimal::parse(text, scale),
            Self::Binary(Value::Date(..) | Value::Time(..)) => None,
            Self::Binary(other) => Decimal::parse(&written(other, false)?, scale),
        }
    }

    /// Its text; `kind` is the type of its column.
    pub(super) fn text(self, kind: ColumnType) -> Option<Cow<'a, [u8]>> {
        match self {
            Self::Text(bytes) => Some(Cow::Borrowed(bytes)),
            Self::Binary(other) => {
                written(&other, kind == ColumnType::MYSQL_TYPE_DATE).map(Cow::Owned)
            }
        }
    }
}

fn whole(number: f64) -> Option<i64> {
    // 2^53: beyond it a double no longer holds every integer.
    (number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0).then_some(number as i64)
}

/// A binary value written as the server's text protocol would write it.
fn written(value: &Value, date_only: bool) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(24);
    let done = match *value {
        Value::NULL | Value::Bytes(_) => return None,
        Value::Int(number) => write!(out, "{number}"),
        Value::UInt(number) => write!(out, "{number}"),
        Value::Float(number) => write!(out, "{number}"),
        Value::Double(number) => write!(out, "{number}"),
        Value::Date(year, month, day, ..) if date_only => {
            write!(out, "{year:04}-{month:02}-{day:02}")
        }
        Value::Date(year, month, day, hour, minute, second, micros) => {
            write!(out, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
                .and_then(|()| fraction(&mut out, micros))
        }
        Value::Time(negative, days, hours, minutes, seconds, micros) => {
            let sign = if negative { "-" } else { "" };
            let hours = u64::from(days) * 24 + u64::from(hours);
            write!(out, "{sign}{hours:02}:{minutes:02}:{seconds:02}")
                .and_then(|()| fraction(&mut out, micros))
        }
    };
    done.ok().map(|()| out)
}

fn fraction(out: &mut Vec<u8>, micros: u32) -> std::io::Result<()> {
    if micros == 0 { Ok(()) } else { write!(out, ".{micros:06}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_the_text_protocol_writes_them() {
        let text = |value, date_only| {
            written(&value, date_only).map(|bytes| String::from_utf8(bytes).unwrap())
        };
        assert_eq!(text(Value::Int(-5), false).unwrap(), "-5");
        assert_eq!(text(Value::UInt(u64::MAX), false).unwrap(), "18446744073709551615");
        let midnight = Value::Date(2024, 2, 9, 0, 0, 0, 0);
        assert_eq!(text(midnight.clone(), false).unwrap(), "2024-02-09 00:00:00");
        assert_eq!(text(midnight, true).unwrap(), "2024-02-09");
        assert_eq!(text(Value::Time(true, 1, 2, 3, 4, 5), false).unwrap(), "-26:03:04.000005");
        assert_eq!(text(Value::NULL, false), None);
    }
}
