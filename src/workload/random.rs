//! Random streams that never change: the same (seed, label, numbers) gives the same values on
//! every machine, in every release, whatever thread asks. Distributions are ours for that reason.

use super::compressible::Compressible;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A stream of random values.
#[derive(Clone, Debug)]
pub struct Stream {
    generator: Xoshiro256PlusPlus,
    compressible: Option<Compressible>,
}

/// Two letters or digits at a time: one draw gives six characters.
static ALPHANUMERIC_PAIRS: [[u8; 2]; 62 * 62] =
    pairs(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

/// Two digits at a time.
static DIGIT_PAIRS: [[u8; 2]; 10 * 10] = pairs(b"0123456789");

const fn pairs<const N: usize, const SQUARE: usize>(letters: &[u8; N]) -> [[u8; 2]; SQUARE] {
    assert!(N * N == SQUARE);
    let mut table = [[0; 2]; SQUARE];
    let mut index = 0;
    while index < SQUARE {
        table[index] = [letters[index / N], letters[index % N]];
        index += 1;
    }
    table
}

/// The finishing steps of SplitMix64 (Steele, Lea, Flood 2014): every input bit reaches every
/// output bit.
const fn finish(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A 64-bit seed made of a seed, a label and numbers.
pub fn derive_seed(seed: u64, label: &str, numbers: &[u64]) -> u64 {
    let step = |state: u64, value: u64| finish(state.rotate_left(23) ^ value.wrapping_add(GOLDEN));
    let mut state = step(GOLDEN, seed);
    state = label.bytes().fold(state, |state, byte| step(state, u64::from(byte)));
    state = step(state, label.len() as u64);
    numbers.iter().fold(state, |state, &number| step(state, number))
}

impl Stream {
    /// The stream of this seed, label and numbers.
    pub fn new(seed: u64, label: &str, numbers: &[u64]) -> Self {
        let mut state = derive_seed(seed, label, numbers);
        let mut words = [0; 32];
        for word in words.chunks_exact_mut(8) {
            state = state.wrapping_add(GOLDEN);
            word.copy_from_slice(&finish(state).to_le_bytes());
        }
        Self { generator: Xoshiro256PlusPlus::from_seed(words), compressible: None }
    }

    /// The same stream, whose letters and digits shrink as asked.
    #[must_use]
    pub fn compressible(mut self, how: Option<Compressible>) -> Self {
        self.compressible = how;
        self
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// A number from 0 to `count` - 1, uniform but for a bias below `count` / 2^64. `count` is at
    /// least 1.
    #[inline]
    pub fn below(&mut self, count: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(count)) >> 64) as u64
    }

    /// A number from `low` to `high`, both included.
    #[inline]
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below(low.abs_diff(high) + 1) as i64
    }

    /// True `percent` times in a hundred.
    #[inline]
    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// A value of the exponential distribution with mean 1, by inversion; 0 to 36.7.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        // From the upper 53 bits, above 0 and up to 1.
        let uniform = ((self.bits() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        -uniform.ln()
    }

    /// A number from 0 up to, but not, 1: 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Shuffles (Fisher and Yates).
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            values.swap(last, other);
        }
    }

    /// Fills `out` with letters and digits.
    #[inline]
    pub fn fill_alphanumeric(&mut self, out: &mut [u8]) {
        let Some(how) = self.compressible else { return self.fill(out, &ALPHANUMERIC_PAIRS) };
        let (random, rest) = out.split_at_mut(how.random_of(out.len()));
        self.fill(random, &ALPHANUMERIC_PAIRS);
        for (byte, constant) in rest.iter_mut().zip(Compressible::constant()) {
            *byte = constant;
        }
    }

    /// Fills `out` with groups of eleven digits, joined by dashes; with letters and digits where
    /// text shall shrink as asked.
    pub fn fill_groups(&mut self, out: &mut [u8]) {
        const GROUP: usize = 11;
        if self.compressible.is_some() {
            return self.fill_alphanumeric(out);
        }
        self.fill_digits(out);
        for dash in out.iter_mut().skip(GROUP).step_by(GROUP + 1) {
            *dash = b'-';
        }
    }

    /// Fills `out` with digits.
    #[inline]
    pub fn fill_digits(&mut self, out: &mut [u8]) {
        self.fill(out, &DIGIT_PAIRS);
    }

    /// A string of letters and digits, `low` to `high` bytes long, at the start of `buffer`.
    #[inline]
    pub fn alphanumeric<'b>(&mut self, buffer: &'b mut [u8], low: usize, high: usize) -> &'b [u8] {
        let length = self.between(low as i64, high as i64) as usize;
        let text = &mut buffer[..length];
        self.fill_alphanumeric(text);
        text
    }

    /// Each draw of 64 bits is cut into three numbers of 21 bits; each picks a pair. The bias of
    /// a pair is below 0.2 %.
    #[inline]
    fn fill(&mut self, out: &mut [u8], pairs: &[[u8; 2]]) {
        const BITS: u32 = 21;
        let pick = |bits: u64, which: u32| {
            let number = (bits >> (which * BITS)) & ((1 << BITS) - 1);
            pairs[((number * pairs.len() as u64) >> BITS) as usize]
        };
        let mut pieces = out.chunks_exact_mut(6);
        for piece in &mut pieces {
            let bits = self.bits();
            piece[0..2].copy_from_slice(&pick(bits, 0));
            piece[2..4].copy_from_slice(&pick(bits, 1));
            piece[4..6].copy_from_slice(&pick(bits, 2));
        }
        let rest = pieces.into_remainder();
        if !rest.is_empty() {
            let bits = self.bits();
            for (which, pair) in rest.chunks_mut(2).enumerate() {
                pair.copy_from_slice(&pick(bits, which as u32)[..pair.len()]);
            }
        }
    }
}

/// TPC-C's non-uniform distribution (clause 2.1.6):
/// `(((random(0, A) | random(x, y)) + C) % (y - x + 1)) + x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NuRand {
    /// A: 255, 1023 or 8191.
    pub a: u64,
    /// C, from 0 to A: shifts which values are frequent.
    pub c: u64,
    /// x: the smallest value.
    pub low: u64,
    /// y: the largest value.
    pub high: u64,
}

impl NuRand {
    /// The next value.
    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        let span = self.high - self.low + 1;
        let hot = stream.below(self.a + 1);
        let even = self.low + stream.below(span);
        ((hot | even) + self.c) % span + self.low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_the_same_for_ever() {
        // Raised only together with every kind's data_version: stored datasets depend on it.
        let mut stream = Stream::new(7, "stock", &[3]);
        assert_eq!(
            [stream.bits(), stream.bits(), stream.bits()],
            [2_337_094_246_078_158_897, 3_867_970_569_459_520_356, 9_220_222_390_644_776_494],
            "the generator changed: every stored dataset would be another one"
        );
        let mut text = [0; 25];
        Stream::new(7, "text", &[]).fill_alphanumeric(&mut text);
        assert_eq!(std::str::from_utf8(&text), Ok("qziXu3oUeG6SzLvA1nXxQCj44"));
    }

    #[test]
    fn streams_differ_by_seed_label_and_number() {
        let first = |seed, label, numbers: &[u64]| Stream::new(seed, label, numbers).bits();
        let values = [
            first(1, "stock", &[1]),
            first(2, "stock", &[1]),
            first(1, "stocl", &[1]),
            first(1, "stock", &[2]),
            first(1, "stock", &[1, 0]),
            first(1, "stock", &[]),
        ];
        for (index, value) in values.iter().enumerate() {
            assert!(!values[..index].contains(value), "{values:x?}");
        }
    }

    #[test]
    fn bounds_are_reached_and_kept() {
        let mut stream = Stream::new(1, "bounds", &[]);
        let mut seen = [0u32; 11];
        for _ in 0..11_000 {
            seen[(stream.between(5, 15) - 5) as usize] += 1;
        }
        assert!(seen.iter().all(|&count| (800..1200).contains(&count)), "{seen:?}");
        assert_eq!(stream.between(-3, -3), -3);
        let hits = (0..100_000).filter(|_| stream.percent(15)).count();
        assert!((14_000..16_000).contains(&hits), "{hits}");
    }

    #[test]
    fn every_character_is_about_equally_frequent() {
        let mut stream = Stream::new(1, "letters", &[]);
        let mut text = vec![0; 620_000];
        stream.fill_alphanumeric(&mut text);
        for letter in b"09azAZ" {
            let count = text.iter().map(|byte| u32::from(byte == letter)).sum::<u32>();
            assert!((9_500..10_500).contains(&count), "{} {count}", char::from(*letter));
        }
        assert!(text.iter().all(u8::is_ascii_alphanumeric));
        let mut digits = vec![0; 99_999];
        stream.fill_digits(&mut digits);
        assert!(digits.iter().all(u8::is_ascii_digit));
        let nines = digits.iter().map(|byte| u32::from(*byte == b'9')).sum::<u32>();
        assert!((9_500..10_500).contains(&nines), "{nines}");
    }

    #[test]
    fn lengths_of_strings_lie_within_their_bounds() {
        let mut stream = Stream::new(1, "lengths", &[]);
        let mut buffer = [0; 24];
        let mut seen = [false; 25];
        for _ in 0..1000 {
            seen[stream.alphanumeric(&mut buffer, 12, 24).len()] = true;
        }
        assert!(seen[..12].iter().all(|seen| !seen) && seen[12..].iter().all(|seen| *seen));
    }

    #[test]
    fn nurand_is_skewed_as_the_specification_says() {
        // Of the bits of random(0, A) | random(x, y), each of A's bits is set in three of four
        // draws: the mean number of set bits among the low eight is 6.
        let draw = NuRand { a: 255, c: 0, low: 0, high: 999 };
        let mut stream = Stream::new(1, "nurand", &[]);
        let mut counts = vec![0u32; 1000];
        for _ in 0..200_000 {
            counts[draw.draw(&mut stream) as usize] += 1;
        }
        let hottest = counts.iter().max().expect("a thousand values");
        assert!(*hottest > 1500, "uniform would give 200, the hottest value had {hottest}");
        assert_eq!(counts.iter().sum::<u32>(), 200_000);
        // C moves every value by the same distance.
        let shifted = NuRand { c: 87, ..draw };
        let mut one = Stream::new(3, "nurand", &[]);
        let mut other = one.clone();
        for _ in 0..1000 {
            assert_eq!((draw.draw(&mut one) + 87) % 1000, shifted.draw(&mut other));
        }
    }

    #[test]
    fn a_shuffle_is_a_permutation() {
        let mut values: Vec<u32> = (1..=3000).collect();
        Stream::new(1, "shuffle", &[]).shuffle(&mut values);
        assert_ne!(values[..10], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        values.sort_unstable();
        assert!(values.iter().zip(1..).all(|(value, expected)| *value == expected));
    }
}
