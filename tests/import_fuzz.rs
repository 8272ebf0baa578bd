//! Outputs that no tool printed: cut anywhere, in any order, of any bytes.

use crate::support::golden::fixture;
use crate::support::outputs::outputs;
use enginecmp::compare;
use enginecmp::import::{About, Input, describe, import};
use enginecmp::report::{self, Format, Output};
use enginecmp::tools;
use std::fs;
use std::time::{Duration, Instant};

/// Everything that happens to an output. It must not panic, and what it makes of it must be
/// numbers.
fn fuzz(output: &[u8]) {
    for run in tools::read(output) {
        for figure in run.metrics() {
            assert!(figure.value.is_finite() && figure.value >= 0.0, "{figure:?}");
        }
        assert!(run.refused.is_none() || run.metrics().is_empty());
        assert!(run.headline.is_some() || run.refused.is_some());
    }
    let about = About { id: "fuzz", at: "2026-01-01T00:00:00Z", ..About::default() };
    let Ok(imported) = import(&[Input { file: "fuzz.txt", output }], &about) else { return };
    for labelled in &imported.runs {
        describe(labelled);
    }
    let comparison = compare::compare(&imported.records);
    for format in [Format::Table, Format::Json] {
        report::render(&comparison, format, Output { width: 100, color: false, whole: true });
    }
}

/// Pieces that make a mutation interesting.
const DICTIONARY: &[&str] = &[
    "\n",
    "\r",
    "999999999999999999999999",
    "-",
    "nan",
    "-nan%",
    "inf",
    "0.000",
    "|",
    "(",
    ":",
    "sc:",
    "TpmC",
    " in 0 sec.",
    "Number of threads: 4294967296",
    "[ 1s ] thds: ",
    "transactions:                        0      (0.00 per sec.)",
    "total time:                          0.0000s",
    "Checkpoint report:",
    "FATAL: ",
    "(last message repeated 18446744073709551615 times)",
    "Warmup time: 99999s",
    "time,threads,tps,qps,reads,writes,other,lat_ms,err,reconn\n",
    "[Summary] NEW_ORDER - Takes(s): 0.0, Count: 0, TPM: NaN, Sum(ms): 0.0, Avg(ms): NaN, 99.9th(ms): 0.0",
    "tpmC: NaN, efficiency: 0.0%",
    "***************************************\n*** ###easy### TPC-C Load Generator ***\n",
    "sysbench 1.1.0-x (using x)\n",
    "\u{1b}[31m",
    "&#1114112;",
    "\\n",
    "\\u12",
    "\u{feff}",
];

#[test]
fn outputs_cut_anywhere_break_nothing() {
    for name in outputs() {
        let output = fs::read(fixture(&name)).expect("it was just listed");
        let ends: Vec<usize> = output
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(at, _)| at)
            .collect();
        // Long histograms have nothing new to say at each of their lines.
        let step = ends.len() / 6 + 1;
        for end in ends.iter().step_by(step) {
            fuzz(&output[..end.saturating_sub(*end % 9)]);
        }
    }
}

/// Mutates the outputs of all cases: 10 s, or as long as `ENGINECMP_FUZZ_SECONDS` says.
#[test]
fn mutated_and_shuffled_outputs_break_nothing() {
    let seconds = std::env::var("ENGINECMP_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    let limit = Duration::from_secs(seconds.unwrap_or(10));
    let seeds: Vec<Vec<u8>> = outputs()
        .iter()
        .map(|name| fs::read(fixture(name)).expect("it was just listed"))
        .filter(|output| output.len() < 8000)
        .collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    let began = Instant::now();
    let mut inputs = 0;
    while began.elapsed() < limit {
        let mut bytes = seeds[random(seeds.len())].clone();
        if random(4) == 0 {
            let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
            for at in (1..lines.len()).rev() {
                lines.swap(at, random(at + 1));
            }
            bytes = lines.concat();
        }
        for _ in 0..random(8) {
            let at = random(bytes.len() + 1);
            let end = (at + random(60)).min(bytes.len());
            match random(4) {
                0 => drop(bytes.drain(at..end)),
                1 => {
                    let piece = DICTIONARY[random(DICTIONARY.len())].as_bytes().to_vec();
                    bytes.splice(at..at, piece);
                }
                2 => bytes[at..end].iter_mut().for_each(|byte| *byte = random(256) as u8),
                _ => {
                    let other = &seeds[random(seeds.len())];
                    let from = random(other.len());
                    let piece = other[from..(from + random(400)).min(other.len())].to_vec();
                    bytes.splice(at..end, piece);
                }
            }
        }
        fuzz(&bytes);
        inputs += 1;
    }
    assert!(inputs > 10, "only {inputs} inputs");
}

#[test]
fn random_bytes_are_no_run() {
    let mut state = 1_u64;
    for length in 0..200_usize {
        let bytes: Vec<u8> = (0..length * 7)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) as u8
            })
            .collect();
        fuzz(&bytes);
    }
}
