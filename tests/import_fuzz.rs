//! Outputs that no tool printed: cut anywhere, in any order, of any bytes.

use crate::support::fuzz::Target;
use crate::support::golden::fixture;
use crate::support::outputs::outputs;
use enginecmp::compare;
use enginecmp::import::{About, Input, describe, import};
use enginecmp::report::{self, Format, Output};
use enginecmp::tools;
use std::fs;

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

pub(crate) fn target() -> Target {
    let outputs = outputs().into_iter();
    Target {
        name: "import",
        take: Box::new(fuzz),
        corpus: outputs
            .map(|name| fs::read(fixture(&name)).expect("it was just listed"))
            .filter(|output| output.len() < 8000)
            .collect(),
        dictionary: DICTIONARY,
        longest: 400,
    }
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
