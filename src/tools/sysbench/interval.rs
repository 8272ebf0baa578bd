//! The lines that sysbench prints for each interval.

use super::super::result::{Statistic, TypeWindow, Window};
use super::super::text::{Line, patterns, wrapped};
use super::TYPE;

const NUMBER: &str = r"(-?(?:\d+\.\d{2}|nan|inf))\b";

patterns! {
    BEGINS = r"\[\s*\d+s\s*\]\s*(?:thds|threads)";
    /// 1.0 and later; sysbench-tpcc leaves out a colon.
    ONE = &format!(
        r"\[\s*(\d+)s\s*\]\s*thds:\s*(\d+)\s*tps:\s*{NUMBER}\s*qps:\s*{NUMBER}\s*\(r/w/o:\s*{NUMBER}/{NUMBER}/{NUMBER}\)\s*lat\s*\(ms,\s*(\d+)%\):\s*{NUMBER}\s*err/s(:?)\s*{NUMBER}\s*reconn/s:\s*{NUMBER}"
    );
    /// 0.5, early and late.
    HALF = &format!(
        r"\[\s*(\d+)s\s*\]\s*threads:\s*(\d+),\s*tps:\s*{NUMBER},\s*reads(?:/s)?:\s*{NUMBER},\s*writes(?:/s)?:\s*{NUMBER},\s*response\s*time:\s*(-?[\d.]+|nan)\s*ms\s*\((\d+)%\)(?:,\s*errors:\s*{NUMBER},\s*reconnects:\s*{NUMBER})?"
    );
    WHOLE = &format!("{}|{}", ONE.as_str(), HALF.as_str());
    /// sysbench-tpcc with `--report_csv=yes`.
    ROW = r"^\W*(\d+),(\d+),(-?[\d.]+|nan),(-?[\d.]+|nan),(-?[\d.]+|nan),(-?[\d.]+|nan),(-?[\d.]+|nan),(-?[\d.]+|nan),(-?[\d.]+|nan),(-?[\d.]+|nan)\s*$";
}

/// An interval as printed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Interval {
    /// Its end, seconds.
    pub(super) end_s: f64,
    /// Threads that ran.
    pub(super) threads: u32,
    /// Transactions a second.
    pub(super) tps: f64,
    /// Reads, writes and others a second; what a release does not print is not known.
    pub(super) queries: [Option<f64>; 3],
    /// Percent and milliseconds; a CSV does not say which percentile it is.
    pub(super) latency: Option<(Option<f64>, f64)>,
    /// Errors a second.
    pub(super) errors: f64,
    /// Written as sysbench-tpcc writes.
    pub(super) of_tpcc: bool,
    /// How many lines it took.
    pub(super) lines: usize,
}

/// More transactions a second than any server makes: a counter went below zero.
const IMPOSSIBLE: f64 = 1e8;

impl Interval {
    /// Whether its figures can be.
    pub(super) fn possible(&self) -> bool {
        (0.0..IMPOSSIBLE).contains(&self.tps)
    }

    /// The interval of a run, which began `length` seconds before its end.
    pub(super) fn window(&self, length: f64) -> Window {
        let mut latencies = Vec::new();
        if let Some((Some(percent), ms)) = self.latency
            && ms > 0.0
            && percent > 0.0
        {
            latencies.push((Statistic::percentile(percent), ms / 1000.0));
        }
        let count = (self.tps * length).round() as u64;
        Window {
            end_s: self.end_s,
            types: vec![TypeWindow { name: TYPE.to_string(), count, latencies }],
        }
    }
}

/// The interval that begins at `lines[at]`; `csv` when a CSV's heading was seen.
pub(super) fn at(lines: &[Line], at: usize, csv: bool) -> Option<Interval> {
    if csv && let Some(row) = row(&lines.get(at)?.text) {
        return Some(row);
    }
    let (text, used) = wrapped(lines, at, &WHOLE, &BEGINS)?;
    if let Some(found) = ONE.captures(&text) {
        let number = |group: usize| found[group].parse().unwrap_or(f64::NAN);
        return Some(Interval {
            end_s: number(1),
            threads: found[2].parse().unwrap_or(0),
            tps: number(3),
            queries: [Some(number(5)), Some(number(6)), Some(number(7))],
            latency: Some((Some(number(8)), number(9))),
            errors: number(11),
            of_tpcc: found[10].is_empty(),
            lines: used,
        });
    }
    let found = HALF.captures(&text)?;
    let number = |group: usize| found.get(group).and_then(|text| text.as_str().parse().ok());
    Some(Interval {
        end_s: number(1)?,
        threads: found[2].parse().unwrap_or(0),
        tps: number(3)?,
        queries: [number(4), number(5), None],
        latency: number(6).map(|ms| (number(7), ms)),
        errors: number(8).unwrap_or(0.0),
        of_tpcc: false,
        lines: used,
    })
}

fn row(text: &str) -> Option<Interval> {
    let found = ROW.captures(text)?;
    let number = |group: usize| found[group].parse().unwrap_or(f64::NAN);
    Some(Interval {
        end_s: number(1),
        threads: found[2].parse().unwrap_or(0),
        tps: number(3),
        queries: [Some(number(5)), Some(number(6)), Some(number(7))],
        latency: Some((None, number(8))),
        errors: number(9),
        of_tpcc: true,
        lines: 1,
    })
}

/// The time of the interval that begins at `lines[at]`, and how many lines it took.
pub(in crate::tools) fn time_at(lines: &[Line], from: usize) -> Option<(f64, usize)> {
    at(lines, from, false).map(|interval| (interval.end_s, interval.lines))
}

#[cfg(test)]
mod tests {
    use super::super::super::text::lines;
    use super::*;

    fn of(text: &str) -> Interval {
        at(&lines(text.as_bytes()), 0, true).expect("it is an interval")
    }

    #[test]
    fn lines_of_every_release_are_read() {
        let one = of(
            "[ 1s ] thds: 2 tps: 53.96 qps: 1079.12 (r/w/o: 755.38/215.82/107.91) lat (ms,95%): 2.97 err/s: 0.50 reconn/s: 0.00",
        );
        assert_eq!((one.tps, one.errors, one.of_tpcc), (53.96, 0.5, false));
        assert_eq!(one.latency, Some((Some(95.0), 2.97)));
        let half = of(
            "[   2s] threads: 32, tps: 13327.01, reads: 133336.64, writes: 0.00, response time: 2.62ms (95%), errors: 0.00, reconnects:  0.00",
        );
        assert_eq!((half.tps, half.latency), (13327.01, Some((Some(95.0), 2.62))));
        let early = of(
            "[  10s] threads: 32, tps: 2499.47, reads/s: 35026.70, writes/s: 9998.69, response time: 34.26ms (99%)",
        );
        assert_eq!((early.threads, early.latency), (32, Some((Some(99.0), 34.26))));
        let tpcc = of(
            "[ 5s ] thds: 8 tps: 355.03 qps: 9952.34 (r/w/o: 4550.27/4687.20/714.87) lat (ms,95%): 48.34 err/s 1.20 reconn/s: 0.00",
        );
        assert!(tpcc.of_tpcc);
        let row = of("1,2,76.79,2144.07,973.31,1009.21,161.55,70.55,0.00,0.00");
        assert_eq!((row.tps, row.latency), (76.79, Some((None, 70.55))));
    }

    #[test]
    fn a_figure_that_went_below_zero_is_impossible() {
        let text = "[ 9s ] thds: 2 tps: 18446842801212211200.00 qps: 1.00 (r/w/o: 1.00/0.00/0.00) lat (ms,95%): 2.97 err/s: 0.00 reconn/s: 0.00";
        assert!(!of(text).possible());
    }

    #[test]
    fn an_interval_that_a_terminal_wrapped_is_whole() {
        let text = "[ 1s ] thds: 2 tps: 53.96 qps: 1079.12 (r/w/o: 755.38/215.82/107.91) lat (ms,95\n%): 2.97 err/s: 0.00 reconn/s: 0.0\n0";
        assert_eq!(of(text).lines, 3);
    }
}
