//! Mutations of seeds, the same in every run.

use std::time::Duration;

/// How long a fuzzer works: so many seconds, or as many as `ENGINECMP_FUZZ_SECONDS` says.
pub(crate) fn limit(seconds: u64) -> Duration {
    let asked = std::env::var("ENGINECMP_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(asked.unwrap_or(seconds))
}

/// Mutates bytes. Its numbers are those of xorshift.
pub(crate) struct Mutator {
    state: u64,
    dictionary: &'static [&'static str],
    /// Longest piece that is doubled or taken out.
    longest: usize,
}

impl Mutator {
    pub(crate) fn new(dictionary: &'static [&'static str], longest: usize) -> Self {
        Self { state: 0x2545_f491_4f6c_dd1d, dictionary, longest }
    }

    fn below(&mut self, below: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state % below.max(1) as u64) as usize
    }

    /// One of the seeds with up to nine mutations.
    pub(crate) fn mutated(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = seeds[self.below(seeds.len())].clone();
        for _ in 0..=self.below(8) {
            let at = self.below(bytes.len() + 1);
            let end = (at + self.below(self.longest)).min(bytes.len());
            match self.below(6) {
                0 => drop(bytes.drain(at..end)),
                1 => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
                2 if at < bytes.len() => bytes[at] = self.below(256) as u8,
                3 => bytes.truncate(at),
                _ => {
                    let word = self.dictionary[self.below(self.dictionary.len())].bytes();
                    drop(bytes.splice(at..at, word));
                }
            }
        }
        bytes
    }
}
