//! The lines that `tpcc_start` prints for each interval, in every shape it has had.
//!
//! Counts stand for New-Order, Payment, Order-Status, Delivery and Stock-Level, late ones included.

use super::super::result::{Statistic, TypeWindow, Window};
use super::super::text::{Line, patterns, wrapped};
use super::TYPES;
use super::era::Shape;
use regex::Captures;

const NUMBER: &str = r"-?(?:\d+\.\d+|nan|inf)";

patterns! {
    BEGINS = r"^\W*\d+,\s*(?:trx:|-?\d+\s*[(:|])";
    /// `10, 5266(0):2.695|3.028, ...`: with late counts, from 2011-10-23 with the longest.
    LATE = &format!(r"(\d+),\s*{}", joined(&format!(r"(-?\d+)\((-?\d+)\):({NUMBER})\b(?:\|({NUMBER})\b)?"), TYPES.len()));
    /// `10, 5266:2.695|3.028, ...`: without.
    PLAIN = &format!(r"(\d+),\s*{}", joined(&format!(r"(-?\d+):({NUMBER})\b(?:\|({NUMBER})\b)?"), TYPES.len()));
    /// `10, trx: 5266, 95%: 2.6, 99%: 2.9, max_rt: 3.0, 5269|0.7, ...`.
    TRX = &format!(
        r"(\d+),\s*trx:\s*(-?\d+)\s*,?\s*(?:95%:\s*({NUMBER})\s*,\s*99%:\s*({NUMBER})\s*,\s*)?max_rt:\s*({NUMBER})\b,\s*{}",
        joined(&format!(r"(-?\d+)\|({NUMBER})\b"), TYPES.len() - 1)
    );
    /// Any of them, whole.
    WHOLE = &format!("{}|{}|{}", LATE.as_str(), PLAIN.as_str(), TRX.as_str());
}

/// The pattern of a field that stands `times` times with commas between.
fn joined(field: &str, times: usize) -> String {
    vec![field; times].join(r",\s*")
}

/// An interval as printed.
#[derive(Clone, Debug)]
pub(super) struct Interval {
    /// Which shape it has.
    pub(super) shape: Shape,
    /// Counts by type as printed; negative where a counter overflowed.
    pub(super) counts: Vec<i64>,
    /// The interval, its latencies in the unit of the line.
    pub(super) window: Window,
    /// How many lines it took.
    pub(super) lines: usize,
}

/// The interval that begins at `lines[at]`.
pub(super) fn at(lines: &[Line], at: usize) -> Option<Interval> {
    let (text, used) = wrapped(lines, at, &WHOLE, &BEGINS)?;
    if let Some(found) = TRX.captures(&text) {
        return Some(with_trx(&found, used));
    }
    if let Some(found) = LATE.captures(&text) {
        return with_fields(&found, true, used);
    }
    with_fields(&PLAIN.captures(&text)?, false, used)
}

fn number(found: &Captures, group: usize) -> Option<f64> {
    found.get(group)?.as_str().parse().ok()
}

fn integer(found: &Captures, group: usize) -> i64 {
    found.get(group).and_then(|text| text.as_str().parse().ok()).unwrap_or(i64::MAX)
}

/// Digits after the point; nothing for what is no number.
fn decimals(found: &Captures, group: usize) -> Option<usize> {
    found.get(group)?.as_str().split_once('.').map(|(_, digits)| digits.len())
}

fn with_fields(found: &Captures, late: bool, used: usize) -> Option<Interval> {
    let width = if late { 4 } else { 3 };
    let first = if late { 2 } else { 1 };
    let (mut counts, mut types) = (Vec::new(), Vec::new());
    let mut longest = 0;
    let groups = (0..TYPES.len()).map(|index| 2 + index * width + first);
    let places = groups.filter_map(|group| decimals(found, group)).max().unwrap_or(0);
    for (index, name) in TYPES.iter().enumerate() {
        let group = 2 + index * width;
        // All figures of a line have as many decimals; one with fewer was cut.
        if decimals(found, group + first).is_some_and(|own| own != places) {
            return None;
        }
        counts.push(integer(found, group));
        let mut latencies = Vec::new();
        if let Some(percentile) = number(found, group + first) {
            latencies.push((Statistic::Permille(0), percentile));
        }
        if let Some(max) = number(found, group + first + 1) {
            latencies.push((Statistic::Max, max));
            longest += 1;
        }
        types.push(TypeWindow { name: (*name).to_string(), count: 0, latencies });
    }
    let shape = match (late, places, longest) {
        (true, 1, 0) => Shape::Tenths,
        (true, 2, 0) => Shape::Hundredths,
        (true, _, 0) => Shape::Thousandths,
        (true, ..) => Shape::LateMax,
        (false, _, longest) if longest < TYPES.len() => Shape::PlainFourthBare,
        (false, ..) => Shape::Plain,
    };
    Some(Interval {
        shape,
        counts,
        window: Window { end_s: number(found, 1)?, types },
        lines: used,
    })
}

fn with_trx(found: &Captures, used: usize) -> Interval {
    let percentiles = found.get(3).is_some();
    let (mut counts, mut types) = (Vec::new(), Vec::new());
    for (index, name) in TYPES.iter().enumerate() {
        let (count, max) = if index == 0 { (2, 5) } else { (4 + 2 * index, 5 + 2 * index) };
        counts.push(integer(found, count));
        let mut latencies = Vec::new();
        if index == 0 {
            let both = [(950, 3), (990, 4)];
            latencies.extend(both.into_iter().filter_map(|(permille, group)| {
                Some((Statistic::Permille(permille), number(found, group)?))
            }));
        }
        latencies.extend(number(found, max).map(|max| (Statistic::Max, max)));
        types.push(TypeWindow { name: (*name).to_string(), count: 0, latencies });
    }
    Interval {
        shape: if percentiles { Shape::TrxPercentiles } else { Shape::TrxMax },
        counts,
        window: Window { end_s: number(found, 1).unwrap_or_default(), types },
        lines: used,
    }
}

/// The time of the interval that begins at `lines[at]`, and how many lines it took.
pub(in crate::tools) fn time_at(lines: &[Line], from: usize) -> Option<(f64, usize)> {
    at(lines, from).map(|interval| (interval.window.end_s, interval.lines))
}

#[cfg(test)]
mod tests {
    use super::super::super::text::lines;
    use super::*;

    fn of(text: &str) -> Option<Interval> {
        at(&lines(text.as_bytes()), 0)
    }

    #[test]
    fn every_shape_is_told_apart() {
        let cases = [
            ("  10, 1(0):0.2, 2(0):0.2, 3(0):0.2, 4(0):0.2, 5(0):0.2", Shape::Tenths),
            ("  10, 1(0):0.20, 2(0):0.20, 3(0):0.20, 4(0):0.20, 5(0):0.20", Shape::Hundredths),
            (
                "  10, 1(0):0.200, 2(0):0.200, 3(0):0.2\n00, 4(0):0.200, 5(0):0.200",
                Shape::Thousandths,
            ),
            (
                "  10, 1(0):2.6|3.0, 2(9):0.5|0.6, 3(0):0.2|0.2, 4(0):3.0|3.1, 5(0):8.8|9.3",
                Shape::LateMax,
            ),
            ("  10, 1:2.6|3.0, 2:0.5|0.6, 3:0.2|0.2, 4:3.0, 5:8.8|9.3", Shape::PlainFourthBare),
            ("  10, 1:2.6|3.0, 2:0.5|0.6, 3:0.2|0.2, 4:3.0|3.1, 5:8.8|9.3", Shape::Plain),
            ("  10, trx: 1 max_rt: 44.4, 2|35.7, 3|14.5, 4|56.8, 5|116.5", Shape::TrxMax),
            (
                "  10, trx: 1, 95%: 21.9, 99%: 31.0, max_rt: 44.4, 2|35.7, 3|14.5, 4|56.8, 5|116.5",
                Shape::TrxPercentiles,
            ),
        ];
        for (text, shape) in cases {
            let interval = of(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(interval.shape, shape, "{text}");
            assert_eq!(interval.counts, [1, 2, 3, 4, 5], "{text}");
            assert_eq!(interval.window.end_s, 10.0);
        }
        assert!(of("  10, 1(0):2.695|3.028, 2(0):0.500|0.696, 3(0):0.236|0.291").is_none());
    }

    #[test]
    fn a_wrapped_line_gives_its_figures_whole() {
        let text = "  10, 5266(0):2.695|3.028, 5269(0):0.500|0.696, 526(0):0.236|0.291, 526(0):3.061|\n3.177, 528(0):8.839|9.383";
        let interval = of(text).expect("it is whole on two lines");
        assert_eq!(interval.lines, 2);
        assert_eq!(
            interval.window.types[3].latencies,
            [(Statistic::Permille(0), 3.061), (Statistic::Max, 3.177)]
        );
        assert_eq!(interval.window.types[4].latencies[1], (Statistic::Max, 9.383));
    }

    #[test]
    fn overflown_and_missing_figures_are_read() {
        let text = " 10, -5(0):-nan|0.0, 2(0):0.5|0.6, 3(0):0.2|0.2, 4(0):3.0|3.1, 5(0):8.8|9.3";
        let interval = of(text).expect("numbers may be negative");
        assert_eq!(interval.counts[0], -5);
    }
}
