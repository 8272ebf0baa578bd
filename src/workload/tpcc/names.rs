//! Last names (clause 4.3.2.3) and the constants C of the non-uniform draws (clause 2.1.6.1).

use super::scale::Scale;
use crate::workload::random::NuRand;
use std::ops::Deref;

/// C of last names when loading. Fixed, so that a client knows the C of whatever data it meets.
pub(super) const C_LAST_LOAD: u64 = 86;
/// C of last names when running. Its distance from [`C_LAST_LOAD`] is 87: the standard wants 65
/// to 119 without 96 and 112, so that the names asked for are not those loaded most often.
pub(super) const C_LAST_RUN: u64 = 173;
/// C of customer numbers.
pub(super) const C_CUSTOMER: u64 = 611;
/// C of item numbers.
pub(super) const C_ITEM: u64 = 3049;

const SYLLABLES: [&str; 10] =
    ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];

/// A last name made of three syllables.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastName {
    bytes: [u8; 15],
    length: u8,
}

impl LastName {
    /// The name of a number from 0 to 999.
    pub(super) fn new(number: u32) -> Self {
        let mut name = Self { bytes: [0; 15], length: 0 };
        for digit in [number / 100 % 10, number / 10 % 10, number % 10] {
            let syllable = SYLLABLES[digit as usize].as_bytes();
            let start = usize::from(name.length);
            name.bytes[start..start + syllable.len()].copy_from_slice(syllable);
            name.length += syllable.len() as u8;
        }
        name
    }
}

impl Deref for LastName {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// How names are drawn when loading.
pub(super) fn load_names(scale: &Scale) -> NuRand {
    NuRand { a: 255, c: C_LAST_LOAD, low: 0, high: u64::from(scale.last_names) - 1 }
}

/// How names are drawn when running.
pub(super) fn run_names(scale: &Scale) -> NuRand {
    NuRand { c: C_LAST_RUN, ..load_names(scale) }
}

/// How customer numbers are drawn.
pub(super) fn customers(scale: &Scale) -> NuRand {
    NuRand { a: 1023, c: C_CUSTOMER, low: 1, high: u64::from(scale.customers) }
}

/// How item numbers are drawn.
pub(super) fn items(scale: &Scale) -> NuRand {
    NuRand { a: 8191, c: C_ITEM, low: 1, high: u64::from(scale.items) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_the_digits_syllables() {
        for (number, name) in
            [(0, "BARBARBAR"), (371, "PRICALLYOUGHT"), (40, "BARPRESBAR"), (777, "CALLYCALLYCALLY")]
        {
            assert_eq!(&*LastName::new(number), name.as_bytes());
        }
        let longest = (0..1000).map(|number| LastName::new(number).len()).max();
        assert_eq!(longest, Some(15));
    }

    #[test]
    fn the_constants_keep_the_rule_of_the_standard() {
        let delta = C_LAST_RUN.abs_diff(C_LAST_LOAD);
        assert!((65..=119).contains(&delta) && delta != 96 && delta != 112, "{delta}");
        let (last, customer, item) = (C_LAST_RUN, C_CUSTOMER, C_ITEM);
        assert!(last <= 255 && C_LAST_LOAD <= 255 && customer <= 1023 && item <= 8191);
    }
}
