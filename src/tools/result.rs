//! What a run of another tool came to, whichever tool it was.

use super::note::{Note, NoteCode};
use crate::model::count::total;
use crate::model::{Metric, MetricId, MetricValue};
use std::collections::BTreeMap;
use std::fmt;

/// A tool whose output is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tool {
    /// tpcc-mysql's `tpcc_start`, and its port to Java.
    TpccStart,
    /// sysbench's OLTP tests.
    Sysbench,
    /// sysbench with the scripts of sysbench-tpcc.
    SysbenchTpcc,
    /// go-tpc.
    GoTpc,
}

impl Tool {
    /// The name people use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TpccStart => "tpcc_start",
            Self::Sysbench => "sysbench",
            Self::SysbenchTpcc => "sysbench-tpcc",
            Self::GoTpc => "go-tpc",
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a latency was measured with. Latencies of different clocks are different quantities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Clock {
    /// Time that went by.
    Wall,
    /// Processor time of the client's thread: waiting for the server is not in it.
    ClientCpu,
    /// Time that went by in ticks of 10 ms, of one attempt without its retries.
    Ticks,
}

impl Clock {
    /// What stands beside a latency of this clock; nothing for time that went by.
    pub const fn tag(self) -> Option<&'static str> {
        match self {
            Self::Wall => None,
            Self::ClientCpu => Some("client CPU time"),
            Self::Ticks => Some("10 ms ticks of one attempt"),
        }
    }
}

/// Which latency of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Statistic {
    /// The arithmetic mean.
    Mean,
    /// The value that this many in a thousand do not exceed.
    Permille(u16),
    /// The longest.
    Max,
}

impl Statistic {
    /// The percentile `percent`, such as 95 or 99.9.
    pub fn percentile(percent: f64) -> Self {
        Self::Permille((percent * 10.0).round() as u16)
    }

    /// The metric that holds it; none for percentiles that no report shows.
    pub const fn metric(self) -> Option<Metric> {
        match self {
            Self::Mean => Some(Metric::MeanLatency),
            Self::Permille(500) => Some(Metric::P50),
            Self::Permille(900) => Some(Metric::P90),
            Self::Permille(950) => Some(Metric::P95),
            Self::Permille(990) => Some(Metric::P99),
            Self::Permille(999) => Some(Metric::P999),
            Self::Permille(_) => None,
            Self::Max => Some(Metric::MaxLatency),
        }
    }
}

/// A latency of a whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct Latency {
    /// Which of many.
    pub statistic: Statistic,
    /// The transaction type; none for all of them.
    pub of: Option<String>,
    /// Its value.
    pub seconds: f64,
    /// What it was measured with.
    pub clock: Clock,
}

/// What one transaction type did in a whole run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeCounts {
    /// The type, in the project's names (`new_order`); `transaction` where a tool has one type.
    pub name: String,
    /// Transactions completed, late ones and intended rollbacks among them.
    pub completed: u64,
    /// Of these, those over the response-time limit, where the tool's limit means what it says.
    pub late: Option<u64>,
    /// Attempts that were made again.
    pub retried: u64,
    /// Given up.
    pub failed: u64,
}

/// An interval that the tool reported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Window {
    /// Its end, seconds from the start of measuring.
    pub end_s: f64,
    /// Transaction types, in the tool's order.
    pub types: Vec<TypeWindow>,
}

impl Window {
    /// Transactions of all types.
    pub fn count(&self) -> u64 {
        total(self.types.iter().map(|of| of.count))
    }
}

/// One transaction type in one interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TypeWindow {
    /// The type.
    pub name: String,
    /// Transactions completed in the interval.
    pub count: u64,
    /// Latencies in seconds; those that hold no truth are not here.
    pub latencies: Vec<(Statistic, f64)>,
}

/// An error that was seen, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorSeen {
    /// The server's error number; 0 where the text had none.
    pub number: u32,
    /// Its text, cut to a length that fits a report.
    pub message: String,
    /// How often it stands in the output.
    pub count: u64,
}

/// Why a run is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// In words, the tool's own where there are some.
    pub reason: String,
    /// The line that says so, from 1.
    pub line: Option<usize>,
}

/// One run of a tool, as far as its output goes.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolRun {
    /// The tool.
    pub tool: Tool,
    /// Its version as printed, or the years in which its output looked so.
    pub era: String,
    /// First and last line of the run in the input, from 1.
    pub lines: (usize, usize),
    /// What was run, with everything that makes figures unlike others.
    pub workload: String,
    /// Options and parameters that the output names.
    pub options: BTreeMap<String, String>,
    /// Clients (threads, connections) asked for.
    pub clients: Option<u32>,
    /// Warehouses, for TPC-C.
    pub warehouses: Option<u32>,
    /// Warm-up before measuring, seconds.
    pub warmup_s: Option<f64>,
    /// How long was measured, seconds: by the tool's clock, else by the intervals.
    pub measured_s: Option<f64>,
    /// Length of an interval, seconds; 0 without intervals.
    pub window_s: f64,
    /// The intervals in order.
    pub windows: Vec<Window>,
    /// The clock of the latencies in [`windows`](Self::windows).
    pub window_clock: Clock,
    /// Totals by transaction type.
    pub types: Vec<TypeCounts>,
    /// The metric that counts, with its value; none when the run is refused.
    pub headline: Option<MetricValue>,
    /// Rates beside the headline.
    pub rates: Vec<MetricValue>,
    /// Latencies of the whole run.
    pub latencies: Vec<Latency>,
    /// Errors seen, most frequent first.
    pub errors: Vec<ErrorSeen>,
    /// What was repaired, tagged and left out.
    pub notes: Vec<Note>,
    /// Why it is no result; none when it is one.
    pub refused: Option<Refusal>,
}

impl ToolRun {
    /// A run of which nothing but its place is known.
    pub fn new(tool: Tool, lines: (usize, usize)) -> Self {
        Self {
            tool,
            era: String::new(),
            lines,
            workload: String::new(),
            options: BTreeMap::new(),
            clients: None,
            warehouses: None,
            warmup_s: None,
            measured_s: None,
            window_s: 0.0,
            windows: Vec::new(),
            window_clock: Clock::Wall,
            types: Vec::new(),
            headline: None,
            rates: Vec::new(),
            latencies: Vec::new(),
            errors: Vec::new(),
            notes: Vec::new(),
            refused: None,
        }
    }

    /// Adds a note.
    pub fn note(&mut self, code: NoteCode, said: impl Into<String>) {
        self.notes.push(Note { code, said: said.into() });
    }

    /// Whether a note of this code was made.
    pub fn has(&self, code: NoteCode) -> bool {
        self.notes.iter().any(|note| note.code == code)
    }

    /// Refuses the run: its figures go, its intervals stay to be looked at. The first reason holds.
    pub fn refuse(&mut self, reason: impl Into<String>, line: Option<usize>) {
        self.headline = None;
        self.rates.clear();
        self.latencies.clear();
        if self.refused.is_none() {
            self.refused = Some(Refusal { reason: reason.into(), line });
        }
    }

    /// Adds a latency of the whole run.
    pub fn latency(&mut self, statistic: Statistic, of: Option<&str>, seconds: f64, clock: Clock) {
        if seconds.is_finite() && seconds >= 0.0 {
            let of = of.map(str::to_string);
            self.latencies.push(Latency { statistic, of, seconds, clock });
        }
    }

    /// Every figure of the run as metrics; the headline first. A latency that is not time that went
    /// by carries its clock in the name of what it is of, so that it never meets another.
    pub fn metrics(&self) -> Vec<MetricValue> {
        let latencies = self.latencies.iter().filter_map(|latency| {
            let metric = latency.statistic.metric()?;
            let of = match (latency.of.as_deref(), latency.clock.tag()) {
                (of, None) => of.map(str::to_string),
                (None, Some(tag)) => Some(tag.to_string()),
                (Some(of), Some(tag)) => Some(format!("{of}, {tag}")),
            };
            Some(MetricValue { id: MetricId { metric, of }, value: latency.seconds })
        });
        self.headline.iter().chain(&self.rates).cloned().chain(latencies).collect()
    }

    /// Transactions of all types in all intervals.
    pub fn counted_in_windows(&self) -> u64 {
        total(self.windows.iter().map(Window::count))
    }

    /// The value of the headline.
    pub fn headline_value(&self) -> Option<f64> {
        self.headline.as_ref().map(|figure| figure.value)
    }
}
