//! Exact decimal numbers: no arithmetic with money is done in floats.

use serde::{Deserialize, Serialize};
use std::fmt;

/// `unscaled / 10^scale`, as SQL's `DECIMAL(p, scale)` holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Decimal {
    /// The number without its decimal point.
    pub unscaled: i64,
    /// Digits after the decimal point, 0 to 18.
    pub scale: u8,
}

impl Decimal {
    /// A number with two digits after the point: money, in hundredths.
    pub const fn hundredths(unscaled: i64) -> Self {
        Self { unscaled, scale: 2 }
    }

    /// The nearest float: no other number of up to 15 digits has the same.
    pub fn to_f64(self) -> f64 {
        self.unscaled as f64 / 10f64.powi(i32::from(self.scale))
    }

    /// The nearest float of four bytes, when rounding that to `scale` digits gives this number back:
    /// up to 131,072 with two digits.
    pub fn to_f32(self) -> Option<f32> {
        let single = self.to_f64() as f32;
        let back = (f64::from(single) * 10f64.powi(i32::from(self.scale))).round();
        (back == self.unscaled as f64).then_some(single)
    }

    /// Appends the plain text form (`-12.30`) to `out`, without allocating.
    pub fn write_to(self, out: &mut Vec<u8>) {
        let mut digits = [b'0'; 40];
        let mut at = digits.len();
        let mut rest = self.unscaled.unsigned_abs();
        let mut written = 0u8;
        while rest > 0 || written <= self.scale {
            if written == self.scale && self.scale > 0 {
                at -= 1;
                digits[at] = b'.';
            }
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            written += 1;
        }
        if self.unscaled < 0 {
            at -= 1;
            digits[at] = b'-';
        }
        out.extend_from_slice(&digits[at..]);
    }

    /// Reads plain text such as `-12.3`, giving it `scale` digits after the point.
    /// `None` when the text is no number, has more digits after the point than `scale` can hold
    /// without loss, or overflows.
    pub fn parse(text: &[u8], scale: u8) -> Option<Self> {
        let (negative, digits) = match text.split_first()? {
            (b'-', rest) => (true, rest),
            (b'+', rest) => (false, rest),
            _ => (false, text),
        };
        let mut unscaled: i64 = 0;
        let mut after_point: Option<u8> = None;
        let mut seen = false;
        for &byte in digits {
            match byte {
                b'0'..=b'9' => {
                    seen = true;
                    if let Some(count) = after_point.as_mut() {
                        if *count == scale {
                            if byte == b'0' {
                                continue;
                            }
                            return None;
                        }
                        *count += 1;
                    }
                    unscaled = unscaled.checked_mul(10)?.checked_add(i64::from(byte - b'0'))?;
                }
                b'.' if after_point.is_none() => after_point = Some(0),
                _ => return None,
            }
        }
        if !seen {
            return None;
        }
        for _ in after_point.unwrap_or(0)..scale {
            unscaled = unscaled.checked_mul(10)?;
        }
        Some(Self { unscaled: if negative { -unscaled } else { unscaled }, scale })
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(24);
        self.write_to(&mut text);
        f.write_str(std::str::from_utf8(&text).expect("digits, a sign and a point are ASCII"))
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    #[test]
    fn text_and_number_round_trip() {
        for (unscaled, scale, text) in [
            (0, 2, "0.00"),
            (5, 2, "0.05"),
            (-5, 2, "-0.05"),
            (123, 0, "123"),
            (30_000_000, 2, "300000.00"),
            (-1000, 2, "-10.00"),
            (1234, 4, "0.1234"),
        ] {
            let number = Decimal { unscaled, scale };
            assert_eq!(number.to_string(), text);
            assert_eq!(Decimal::parse(text.as_bytes(), scale), Some(number));
        }
        assert_eq!(Decimal::parse(b"12.3", 2), Some(Decimal::hundredths(1230)));
        assert_eq!(Decimal::parse(b"12.345", 2), None);
        assert_eq!(Decimal::parse(b"", 2), None);
        assert_eq!(Decimal::parse(b"1e5", 2), None);
    }

    #[test]
    fn a_float_of_four_bytes_is_given_only_where_rounding_gives_the_number_back() {
        for unscaled in (-13_107_200..=13_107_200).step_by(777) {
            let single = Decimal::hundredths(unscaled).to_f32().expect("up to 131,072.00");
            assert_eq!((f64::from(single) * 100.0).round() as i64, unscaled);
        }
        assert_eq!(Decimal::hundredths(100_000_001).to_f32(), None, "no such float");
        assert_eq!(Decimal::hundredths(100_000_001).to_f64(), 1_000_000.01);
    }
}
