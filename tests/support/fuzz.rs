//! Fuzzing on stable Rust: seeds of a corpus, mutated the same way in every run.

use super::golden::fixture;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Takes any bytes, or panics.
type Take = Box<dyn Fn(&[u8]) + Send>;

/// What takes bytes that nobody wrote, and what mutations of its corpus are made of.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// What nobody may break.
    pub(crate) take: Take,
    pub(crate) corpus: Vec<Vec<u8>>,
    /// Texts that make a mutation interesting.
    pub(crate) dictionary: &'static [&'static str],
    /// Longest piece that is doubled or taken out.
    pub(crate) longest: usize,
}

/// How long each target is fuzzed: 10 s, or as long as `ENGINECMP_FUZZ_SECONDS` says.
fn limit() -> Duration {
    let asked = std::env::var("ENGINECMP_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(asked.unwrap_or(10))
}

impl Target {
    /// Feeds the target mutations until its time is up; gives how many. An input that breaks it is
    /// kept in a file, which the panic names.
    pub(crate) fn fuzz(self) -> u64 {
        let limit = limit();
        let mut mutator = Mutator::new(self.dictionary, self.longest);
        let began = Instant::now();
        let mut inputs = 0;
        while began.elapsed() < limit {
            let bytes = mutator.mutated(&self.corpus);
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (self.take)(&bytes))) {
                let kept =
                    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.fuzz", self.name));
                fs::write(&kept, &bytes).expect("cargo's folder can be written");
                use std::io::Write as _;
                let _ = writeln!(
                    std::io::stderr(),
                    "{} breaks at input {inputs}, kept in {}",
                    self.name,
                    kept.display()
                );
                resume_unwind(panic);
            }
            inputs += 1;
        }
        inputs
    }
}

/// The files below a folder of fixtures with one of these endings, in order.
pub(crate) fn corpus(folder: &str, endings: &[&str]) -> Vec<Vec<u8>> {
    files(&fixture(folder), endings)
        .iter()
        .map(|path| fs::read(path).expect("it was just listed"))
        .collect()
}

/// The files below a folder with one of these endings, in order.
pub(crate) fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
    {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            found.extend(files(&path, endings));
        } else if endings.iter().any(|ending| path.extension().is_some_and(|own| own == *ending)) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Numbers at which code breaks.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "0.5",
    "255",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "99999999999999999999999",
    "1e308",
    "1e-308",
];

/// Mutates bytes. Its numbers are those of xorshift.
struct Mutator {
    state: u64,
    dictionary: &'static [&'static str],
    longest: usize,
}

impl Mutator {
    fn new(dictionary: &'static [&'static str], longest: usize) -> Self {
        Self { state: 0x2545_f491_4f6c_dd1d, dictionary, longest }
    }

    fn below(&mut self, below: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state % below.max(1) as u64) as usize
    }

    /// One of the seeds with up to nine mutations.
    fn mutated(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = seeds[self.below(seeds.len())].clone();
        if self.below(6) == 0 {
            bytes = self.shuffled(&bytes);
        }
        for _ in 0..=self.below(8) {
            let at = self.below(bytes.len() + 1);
            let end = (at + self.below(self.longest)).min(bytes.len());
            match self.below(9) {
                0 => drop(bytes.drain(at..end)),
                1 => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
                2 if at < bytes.len() => bytes[at] = self.below(256) as u8,
                3 if self.below(4) == 0 => bytes.truncate(at),
                4 => {
                    let other = &seeds[self.below(seeds.len())];
                    let from = self.below(other.len());
                    let piece = other[from..(from + self.longest).min(other.len())].to_vec();
                    drop(bytes.splice(at..end, piece));
                }
                5 | 6 => self.renumber(&mut bytes, at),
                _ => {
                    let word = self.dictionary[self.below(self.dictionary.len())].bytes();
                    drop(bytes.splice(at..at, word));
                }
            }
        }
        bytes
    }

    /// Its lines in another order, some of them twice, some left out.
    fn shuffled(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        for at in (1..lines.len()).rev() {
            match self.below(12) {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, lines[at]),
                2 => lines.swap(at, self.below(at + 1)),
                _ => {}
            }
        }
        lines.concat()
    }

    /// Puts another number in place of the first one behind `at`.
    fn renumber(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let Some(begin) = bytes[at..].iter().position(u8::is_ascii_digit) else { return };
        let begin = at + begin;
        let digits = bytes[begin..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = NUMBERS[self.below(NUMBERS.len())];
        drop(bytes.splice(begin..begin + digits, number.bytes()));
    }
}
