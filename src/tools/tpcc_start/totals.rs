//! What `tpcc_start` prints before and after its intervals: parameters, totals, errors.

use super::super::result::ErrorSeen;
use super::super::text::{Line, patterns};
use super::TYPES;
use std::collections::BTreeMap;

patterns! {
    PARAMETER = r"\[(server|port|DBname|warehouse|connection|rampup|measure|ratio)\]:\s*(\S.*?)?\s*$";
    OPTION = r"option (\w)\b.* (?:with value )?'([^']*)'";
    COUNTS = r"\[(\d)\]\s*sc:\s*(-?\d+)\s*lt:\s*(-?\d+)\s*rt:\s*(-?\d+)\s*fl:\s*(-?\d+)(?:\s*avg_rt:\s*(-?(?:[\d.]+|nan|inf))\s*\((-?\d+)\))?";
    PORT_COUNTS = r"\|?\s*(New-?Order|Payment|Order-?Stat(?:us)?|Delivery|Stock-?Level|Slev)\s*\|\s*sc:\s*(-?\d+)\s*lt:\s*(-?\d+)\s*rt:\s*(-?\d+)\s*fl:\s*(-?\d+)";
    SECONDS = r"\bin (\d+) sec\.";
    RESULT = r"(-?(?:[\d.]+|nan|inf))\s+TpmC\b";
    STOPPING = r"STOPPING THREADS(\.*)";
    ONLY_DOTS = r"^\s*(\.+)\s*$";
    WHOLE_RUN = r"(New-Order|Payment|Order-Status|Delivery|Stock-Level)\s*:\s*([\d.]+)\s+\(([\d.]+)\)\s*$";
    ERROR = r"(?:^|\s)(\d{1,5}),\s+([0-9A-Z]{5}),\s?(.*)$";
    BROKEN = r"error at (?:thread_main|main)\b";
}

/// One `[n] sc:` line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Counts {
    /// Within the limit.
    pub(super) success: i64,
    /// Over it.
    pub(super) late: i64,
    /// Tried again.
    pub(super) retried: i64,
    /// Given up.
    pub(super) failed: i64,
    /// `avg_rt`, milliseconds.
    pub(super) mean_ms: Option<f64>,
    /// The limit in force, which is compared with milliseconds.
    pub(super) limit: Option<i64>,
}

impl Counts {
    /// Transactions completed.
    pub(super) fn completed(&self) -> i64 {
        self.success.saturating_add(self.late)
    }
}

/// Everything around the intervals.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    /// `[connection]`, `[rampup]` ... and `option`s, by name.
    pub(super) parameters: BTreeMap<String, String>,
    /// The first block of counts.
    pub(super) first: Vec<Option<Counts>>,
    /// The block that sums up the threads.
    pub(super) sum: Vec<Option<Counts>>,
    /// `in N sec.`
    pub(super) seconds: Option<f64>,
    /// The printed result; not finite where nothing completed.
    pub(super) tpmc: Option<f64>,
    /// Threads that ended as they should.
    pub(super) ended: Option<usize>,
    /// 90th percentile and longest of the whole run by type, seconds (2008 to 2011).
    pub(super) whole_run: Vec<(usize, f64, f64)>,
    /// Server errors by number.
    pub(super) errors: Vec<ErrorSeen>,
    /// The line that says a thread could not go on.
    pub(super) broken: Option<usize>,
    /// Counts by name, as the port to Java prints them.
    pub(super) by_name: bool,
}

/// Longest text of an error that is kept, characters.
const MESSAGE: usize = 200;

impl Totals {
    /// Reads one line.
    pub(super) fn read(&mut self, line: &Line) {
        let text = line.text.as_str();
        if let Some(found) = COUNTS.captures(text) {
            let index = found[1].parse().unwrap_or(usize::MAX);
            let number = |group: usize| found[group].parse().unwrap_or(i64::MAX);
            self.counts(
                index,
                Counts {
                    success: number(2),
                    late: number(3),
                    retried: number(4),
                    failed: number(5),
                    mean_ms: found.get(6).and_then(|text| text.as_str().parse().ok()),
                    limit: found.get(7).and_then(|text| text.as_str().parse().ok()),
                },
            );
        } else if let Some(found) = PORT_COUNTS.captures(text) {
            self.by_name = true;
            let number = |group: usize| found[group].parse().unwrap_or(i64::MAX);
            let counts = Counts {
                success: number(2),
                late: number(3),
                retried: number(4),
                failed: number(5),
                mean_ms: None,
                limit: None,
            };
            self.counts(type_named(&found[1]), counts);
        } else if let Some(found) = SECONDS.captures(text) {
            self.seconds = found[1].parse().ok();
        } else if let Some(found) = RESULT.captures(text) {
            self.tpmc = found[1].parse().ok();
        } else if let Some(found) = STOPPING.captures(text) {
            self.ended = Some(found[1].len());
        } else if let (Some(ended), Some(found)) = (self.ended, ONLY_DOTS.captures(text))
            && self.first.is_empty()
        {
            self.ended = Some(ended + found[1].len());
        } else if let Some(found) = WHOLE_RUN.captures(text) {
            if let (Ok(percentile), Ok(max)) = (found[2].parse(), found[3].parse()) {
                self.whole_run.push((type_named(&found[1]), percentile, max));
            }
        } else if let Some(found) = PARAMETER.captures(text) {
            let value = found.get(2).map_or("", |value| value.as_str());
            self.parameters.insert(found[1].to_string(), value.to_string());
        } else if let Some(found) = OPTION.captures(text) {
            self.parameters.insert(format!("-{}", &found[1]), found[2].to_string());
        } else if let Some(found) = ERROR.captures(text) {
            self.error(found[1].parse().unwrap_or(0), &found[3]);
        }
        if self.broken.is_none() && BROKEN.is_match(text) {
            self.broken = Some(line.number);
        }
    }

    fn counts(&mut self, index: usize, counts: Counts) {
        if index >= TYPES.len() {
            return;
        }
        // The headings of the two blocks look like tags to a web page and are often lost; a type
        // that comes a second time is of the second block.
        let block = if self.first.get(index).is_some_and(Option::is_some) {
            &mut self.sum
        } else {
            &mut self.first
        };
        block.resize(TYPES.len(), None);
        block[index] = Some(counts);
    }

    fn error(&mut self, number: u32, message: &str) {
        if let Some(known) = self.errors.iter_mut().find(|known| known.number == number) {
            known.count += 1;
            return;
        }
        let message = message.trim().chars().take(MESSAGE).collect();
        self.errors.push(ErrorSeen { number, message, count: 1 });
    }

    /// A parameter as a number.
    pub(super) fn number(&self, name: &str, option: &str) -> Option<f64> {
        let text = self.parameters.get(name).or_else(|| self.parameters.get(option))?;
        text.split_whitespace().next()?.parse().ok()
    }

    /// The counts to go by: those of the second block, which loses none.
    pub(super) fn best(&self) -> Option<Vec<Counts>> {
        let whole = |block: &[Option<Counts>]| -> Option<Vec<Counts>> {
            (!block.is_empty()).then(|| block.iter().copied().collect())?
        };
        whole(&self.sum).or_else(|| whole(&self.first))
    }
}

fn type_named(name: &str) -> usize {
    match name.to_lowercase().chars().next() {
        Some('n') => 0,
        Some('p') => 1,
        Some('o') => 2,
        Some('d') => 3,
        _ => 4,
    }
}
