//! `compressible 50%`: generated text that shrinks under zlib by a stated share. Random letters
//! make compressing engines look bad, repeated ones make them look good.
//!
//! Each text is random letters and digits in front and a constant text behind. The compressor pays
//! three quarters of a byte for a random letter and a few bytes for the constant text, which it
//! has seen before.

use super::random::Stream;
use std::sync::LazyLock;

/// Bytes that zlib takes for a random letter or digit: log2(62) / 8, and its own overhead.
const BYTES_A_LETTER: f64 = 0.765;
/// Bytes that zlib takes for a stretch of the constant text.
const BYTES_A_MATCH: f64 = 2.6;
/// The longest stretch that zlib takes at once.
const LONGEST_MATCH: usize = 258;
/// Percentages that can be asked for.
const LEAST: f64 = 25.0;
const MOST: f64 = 95.0;

/// Without repetition in itself, and longer than any generated text.
static CONSTANT: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut text = vec![0; 512];
    Stream::new(0, "constant text", &[]).fill_alphanumeric(&mut text);
    text
});

/// How far text shrinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compressible {
    /// How much of a thousand bytes is left.
    left: u32,
}

impl Compressible {
    /// Text that shrinks by `percent`; an error says what can be asked for.
    pub fn new(percent: f64) -> Result<Self, String> {
        if (LEAST..=MOST).contains(&percent) {
            return Ok(Self { left: (1000.0 - percent * 10.0).round() as u32 });
        }
        Err(format!(
            "compressible is {percent}%; it can be {LEAST}% to {MOST}%: random letters and digits \
             alone shrink by {LEAST}%"
        ))
    }

    /// How many bytes at the start of a text of `length` bytes are random.
    pub(super) fn random_of(self, length: usize) -> usize {
        let matches = length.div_ceil(LONGEST_MATCH) as f64;
        let random = (f64::from(self.left) / 1000.0 * length as f64 - matches * BYTES_A_MATCH)
            / BYTES_A_LETTER;
        (random.round().max(0.0) as usize).min(length)
    }

    /// What stands behind them, again and again.
    pub(super) fn constant() -> impl Iterator<Item = u8> {
        CONSTANT.iter().copied().cycle()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use std::io::Write as _;

    fn shrinks(percent: f64, length: usize) -> f64 {
        let how = Compressible::new(percent).expect("a percentage that can be asked for");
        let mut stream = Stream::new(9, "text", &[]).compressible(Some(how));
        let mut text = vec![0; length];
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        let mut whole = 0;
        while whole < 1 << 17 {
            stream.fill_alphanumeric(&mut text);
            zlib.write_all(&text).expect("memory takes it");
            whole += length;
        }
        let left = zlib.finish().expect("memory takes it").len();
        100.0 * (1.0 - left as f64 / whole as f64)
    }

    #[test]
    fn text_shrinks_as_asked() {
        for percent in [25.0, 30.0, 50.0, 70.0, 90.0] {
            for length in [59, 119, 400] {
                // Of 59 bytes no more than nine tenths can go: a match alone takes some.
                let seen = shrinks(percent, length);
                assert!((seen - percent).abs() < 3.0, "{percent} % of {length}: {seen}");
            }
        }
    }

    #[test]
    fn what_cannot_be_had_is_refused() {
        for percent in [1.0, 24.0, 96.0, 100.0, f64::NAN] {
            assert!(Compressible::new(percent).is_err(), "{percent}");
        }
    }
}
