//! Values that settings can have, with one canonical text form each.

use super::units::{exact_duration, exact_size};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::time::Duration;

/// `2x4GB`: several files of one size, such as a redo log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileSet {
    /// How many files, from 1.
    pub files: u32,
    /// Bytes of each.
    pub bytes_each: u64,
}

/// The value of a setting after resolution. The setting's kind decides which arm it takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingValue {
    /// A bare word: `drop`, `read_committed`, the name of an engine.
    Word(String),
    /// A quoted string.
    Text(String),
    /// A plain count (`64`, `100k`).
    Count(u64),
    /// A number with a fraction (`0.8`) or a sign.
    Number(f64),
    /// Bytes (`4GB`).
    Size(u64),
    /// A span of time (`20m`).
    Duration(Duration),
    /// A percentage; `12.5` means 12.5 %.
    Percent(f64),
    /// A percentage of something named: `5% of data`, `70% of max`.
    PercentOf(f64, String),
    /// Events a second (`500/s`).
    Rate(f64),
    /// Files x size (`2x4GB`).
    Files(FileSet),
    /// A bare option without a value.
    Flag,
}

impl SettingValue {
    /// The order of two values of one kind; `None` when they cannot be ordered.
    /// Words and texts compare equal without regard to case, and are otherwise unordered.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        use SettingValue as V;
        match (self, other) {
            (V::Word(a) | V::Text(a), V::Word(b) | V::Text(b)) => {
                a.eq_ignore_ascii_case(b).then_some(Ordering::Equal)
            }
            (V::PercentOf(a, of), V::PercentOf(b, other_of)) if of == other_of => a.partial_cmp(b),
            (V::Files(a), V::Files(b)) => (u128::from(a.files) * u128::from(a.bytes_each))
                .partial_cmp(&(u128::from(b.files) * u128::from(b.bytes_each))),
            (V::Duration(a), V::Duration(b)) => a.partial_cmp(b),
            (V::Flag, V::Flag) => Some(Ordering::Equal),
            _ => self.plain_number()?.partial_cmp(&other.plain_number()?),
        }
    }

    /// The value as a number in its base unit (bytes, count, percent, 1/s); `None` for words,
    /// texts, durations and file sets.
    fn plain_number(&self) -> Option<f64> {
        match self {
            Self::Count(n) | Self::Size(n) => Some(*n as f64),
            Self::Number(x) | Self::Percent(x) | Self::Rate(x) => Some(*x),
            _ => None,
        }
    }

    /// Reads the canonical text form back. What has no other form is a word; a text and a bare
    /// option come back as words too, which compare alike.
    pub fn read(text: &str) -> Self {
        Self::read_literal(text).unwrap_or_else(|| Self::Word(text.to_string()))
    }

    fn read_literal(text: &str) -> Option<Self> {
        if let Some((percent, of)) = text.split_once("% of ") {
            return Some(Self::PercentOf(percent.parse().ok()?, of.to_string()));
        }
        if let Some((files, size)) = text.split_once('x')
            && let (Ok(files), Some(bytes_each)) = (files.parse(), read_size(size))
        {
            return Some(Self::Files(FileSet { files, bytes_each }));
        }
        if let Some(percent) = text.strip_suffix('%') {
            return Some(Self::Percent(percent.parse().ok()?));
        }
        if let Some(rate) = text.strip_suffix("/s") {
            return Some(Self::Rate(rate.parse().ok()?));
        }
        if !text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            return None;
        }
        if let Ok(count) = text.parse() {
            return Some(Self::Count(count));
        }
        if let Ok(number) = text.parse() {
            return Some(Self::Number(number));
        }
        read_size(text).map(Self::Size).or_else(|| read_duration(text).map(Self::Duration))
    }

    /// The word or text inside, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Word(s) | Self::Text(s) => Some(s),
            _ => None,
        }
    }
}

fn read_size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "B" => 0,
        "KB" => 10,
        "MB" => 20,
        "GB" => 30,
        "TB" => 40,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << unit)
}

fn read_duration(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit).map(Duration::from_millis)
}

impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(s) | Self::Text(s) => f.write_str(s),
            Self::Count(n) => write!(f, "{n}"),
            Self::Number(x) => write!(f, "{x}"),
            Self::Size(bytes) => f.write_str(&exact_size(*bytes)),
            Self::Duration(d) => f.write_str(&exact_duration(*d)),
            Self::Percent(p) => write!(f, "{p}%"),
            Self::PercentOf(p, of) => write!(f, "{p}% of {of}"),
            Self::Rate(r) => write!(f, "{r}/s"),
            Self::Files(set) => write!(f, "{}x{}", set.files, exact_size(set.bytes_each)),
            Self::Flag => f.write_str("set"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_text_reads_back_as_the_value() {
        use SettingValue as V;
        for value in [
            V::Word("read_committed".to_string()),
            V::Count(64),
            V::Number(0.8),
            V::Size(4 << 30),
            V::Size(1536 << 20),
            V::Duration(Duration::from_secs(1200)),
            V::Duration(Duration::from_millis(250)),
            V::Percent(12.5),
            V::PercentOf(5.0, "data".to_string()),
            V::Rate(500.0),
            V::Files(FileSet { files: 2, bytes_each: 4 << 30 }),
        ] {
            assert_eq!(V::read(&value.to_string()), value);
        }
        assert_eq!(V::read("READ COMMITTED"), V::Word("READ COMMITTED".to_string()));
        assert_eq!(V::read("10.11.6-MariaDB"), V::Word("10.11.6-MariaDB".to_string()));
    }
}
