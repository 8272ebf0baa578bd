//! The totals that sysbench prints at the end, and at checkpoints.

use super::super::text::{Line, amount, patterns};

patterns! {
    QUERIES = r"^\W*(read|write|other|total):\s+(\d+)\s*$";
    RATED = r"^\W*(transactions|queries|read/write requests|other operations|deadlocks|ignored errors|reconnects):\s+(\d+)\s*(?:\(\s*(-?[\d.]+|nan|inf) per sec\.\))?";
    TIME = r"(?:total time|time elapsed):\s+([\d.]+)\s*s\b";
    EVENTS = r"total number of events:\s+(\d+)";
    EPS = r"events/s \(eps\):\s+(-?[\d.]+|nan|inf)";
    LATENCY = r"^\W*(min|avg|max|sum):\s+(-?[\d.]+|nan|inf)\s*(ms|s)?\s*$";
    PERCENTILE = r"^\W*(?:approx\.\s+)?(\d+)(?:th|st|nd|rd)?\s+percentile:\s+([\d.]+)\s*(ms|s)?";
    HEADING = r"(?:SQL|OLTP test) statistics:";
    SPEED = r"^\W*(CPU speed|Total operations|File operations|Operations performed)\b";
}

/// Where sysbench's own histogram ends, milliseconds: a percentile there says "or more".
pub(super) const HISTOGRAM_END_MS: f64 = 100_000.0;

/// One block of totals.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Summary {
    /// Reads, writes, others.
    pub(super) queries: [Option<u64>; 3],
    /// Transactions and their rate as printed.
    pub(super) transactions: Option<(u64, Option<f64>)>,
    /// Read-write requests a second, where they are printed.
    pub(super) requests: Option<f64>,
    /// Other operations a second, where they are printed.
    pub(super) others: Option<f64>,
    /// Deadlocks (0.4) or ignored errors, and their rate.
    pub(super) errors: Option<(u64, Option<f64>)>,
    /// Connections made again.
    pub(super) reconnects: u64,
    /// Whole time, seconds.
    pub(super) seconds: Option<f64>,
    /// Events.
    pub(super) events: Option<u64>,
    /// Events a second, as 1.1 prints them.
    pub(super) eps: Option<f64>,
    /// Mean latency, milliseconds.
    pub(super) mean_ms: Option<f64>,
    /// Longest latency, milliseconds.
    pub(super) max_ms: Option<f64>,
    /// Sum of latencies, milliseconds.
    pub(super) sum_ms: Option<f64>,
    /// Percent and milliseconds.
    pub(super) percentile: Option<(f64, f64)>,
    /// A test of something other than a database: its heading.
    pub(super) other_test: Option<String>,
}

impl Summary {
    /// Reads one line; says whether it was of the totals.
    pub(super) fn read(&mut self, line: &Line) -> bool {
        let text = line.text.as_str();
        if let Some(found) = RATED.captures(text) {
            let Ok(count) = found[2].parse::<u64>() else { return false };
            let rate = found.get(3).and_then(|rate| amount(rate.as_str()));
            match &found[1] {
                "transactions" => self.transactions = Some((count, rate)),
                "read/write requests" => self.requests = rate,
                "other operations" => self.others = rate,
                "deadlocks" | "ignored errors" => self.errors = Some((count, rate)),
                "reconnects" => self.reconnects = count,
                _ => {}
            }
        } else if let Some(found) = QUERIES.captures(text) {
            let place = match &found[1] {
                "read" => 0,
                "write" => 1,
                "other" => 2,
                _ => return true,
            };
            self.queries[place] = found[2].parse().ok();
        } else if let Some(found) = TIME.captures(text) {
            self.seconds = amount(&found[1]);
        } else if let Some(found) = EVENTS.captures(text) {
            self.events = found[1].parse().ok();
        } else if let Some(found) = EPS.captures(text) {
            self.eps = amount(&found[1]);
        } else if let Some(found) = LATENCY.captures(text) {
            let scale =
                if found.get(3).is_some_and(|unit| unit.as_str() == "s") { 1000.0 } else { 1.0 };
            let value = amount(&found[2]).map(|value| value * scale);
            match &found[1] {
                "avg" => self.mean_ms = value,
                "max" => self.max_ms = value,
                "sum" => self.sum_ms = value,
                _ => {}
            }
        } else if let Some(found) = PERCENTILE.captures(text) {
            let scale =
                if found.get(3).is_some_and(|unit| unit.as_str() == "s") { 1000.0 } else { 1.0 };
            if let (Ok(percent), Some(value)) = (found[1].parse(), amount(&found[2])) {
                self.percentile = Some((percent, value * scale));
            }
        } else if let Some(found) = SPEED.captures(text) {
            self.other_test = Some(found[1].to_string());
        } else {
            return false;
        }
        true
    }

    /// Whether a line begins a block of totals.
    pub(super) fn begins(line: &Line) -> bool {
        HEADING.is_match(&line.text)
    }

    /// Whether the block has what every whole block has.
    pub(super) fn whole(&self) -> bool {
        self.transactions.is_some() && (self.seconds.is_some() || self.eps.is_some())
    }

    /// Takes what came before the last checkpoint in: counts add up, the longest is the longest of
    /// both, and the mean is made again from the sums. Percentiles cannot be put together.
    pub(super) fn after(&mut self, checkpoint: &Self) {
        let add = |a: Option<u64>, b: Option<u64>| Some(a? + b?);
        for (own, other) in self.queries.iter_mut().zip(checkpoint.queries) {
            *own = add(*own, other);
        }
        if let (Some(own), Some(other)) = (&mut self.transactions, checkpoint.transactions) {
            *own = (own.0.saturating_add(other.0), None);
        }
        if let (Some(own), Some(other)) = (&mut self.errors, checkpoint.errors) {
            *own = (own.0.saturating_add(other.0), None);
        }
        self.reconnects = self.reconnects.saturating_add(checkpoint.reconnects);
        self.events = add(self.events, checkpoint.events);
        self.max_ms = self.max_ms.into_iter().chain(checkpoint.max_ms).reduce(f64::max);
        self.sum_ms = self.sum_ms.zip(checkpoint.sum_ms).map(|(own, other)| own + other);
        self.mean_ms = self
            .sum_ms
            .zip(self.events.filter(|events| *events > 0))
            .map(|(sum, events)| sum / events as f64);
        (self.requests, self.others, self.eps, self.percentile) = (None, None, None, None);
    }
}
