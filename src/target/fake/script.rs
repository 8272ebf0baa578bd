//! What a fake target shall do.

use crate::model::Decimal;
use crate::target::Capabilities;
use std::collections::BTreeMap;
use std::time::Duration;

/// A field of a scripted row.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// NULL.
    Null,
    /// An integer.
    Int(i64),
    /// An exact decimal.
    Decimal(Decimal),
    /// Text.
    Text(String),
}

/// The script of a fake target.
#[derive(Clone, Debug)]
pub struct Script {
    /// Storage engines that it offers.
    pub engines: Vec<String>,
    /// Of those, the ones without transactions: a rollback leaves their rows.
    pub without_transactions: Vec<String>,
    /// Engines that it silently replaces, and by which.
    pub substitutes: BTreeMap<String, String>,
    /// Fragment of a statement's text, and how long such statements take, in turn. The first
    /// fragment that occurs decides.
    pub times: Vec<(String, Vec<Duration>)>,
    /// How long prepared statements without such a fragment take; other statements take no time.
    /// Zero would let a client work for ever at one moment.
    pub other_time: Duration,
    /// Fragment of a query's text, and the rows that it gives.
    pub rows: Vec<(String, Vec<Vec<Value>>)>,
    /// Time that one row takes to load.
    pub time_per_row: Duration,
    /// Global variables beside the options of the start.
    pub variables: BTreeMap<String, String>,
    /// Time from starting until it answers.
    pub start_time: Duration,
    /// Time from asking it to stop until it is gone.
    pub stop_time: Duration,
    /// What can be done with it.
    pub capabilities: Capabilities,
    /// What goes wrong.
    pub faults: Vec<Fault>,
}

impl Script {
    /// A server that offers these engines and does everything at once and well.
    pub fn offering(engines: &[&str]) -> Self {
        Self {
            engines: engines.iter().map(ToString::to_string).collect(),
            without_transactions: Vec::new(),
            substitutes: BTreeMap::new(),
            times: Vec::new(),
            other_time: Duration::from_micros(100),
            rows: Vec::new(),
            time_per_row: Duration::ZERO,
            variables: BTreeMap::new(),
            start_time: Duration::from_millis(500),
            stop_time: Duration::from_millis(250),
            capabilities: Capabilities {
                restart: true,
                files: true,
                load_data_local: true,
                load_data_file: true,
                max_packet: 16 << 20,
                concurrent_writers: true,
            },
            faults: Vec::new(),
        }
    }

    /// Statements with this fragment take these times in turn.
    #[must_use]
    pub fn takes(mut self, fragment: &str, times: &[Duration]) -> Self {
        self.times.push((fragment.to_string(), times.to_vec()));
        self
    }

    /// Queries with this fragment give these rows.
    #[must_use]
    pub fn gives(mut self, fragment: &str, rows: Vec<Vec<Value>>) -> Self {
        self.rows.push((fragment.to_string(), rows));
        self
    }

    /// This goes wrong as well.
    #[must_use]
    pub fn fault(mut self, fault: Fault) -> Self {
        self.faults.push(fault);
        self
    }

    /// Why start number `start` fails, if it does.
    pub(super) fn refuses_start(&self, start: u32) -> Option<&str> {
        self.faults.iter().find_map(|fault| match &fault.effect {
            Effect::Start(message) if fault.in_start(start) => Some(message.as_str()),
            _ => None,
        })
    }

    /// The value that option `name` has whatever was asked, if it is so.
    pub(super) fn overrides(&self, name: &str, start: u32) -> Option<&str> {
        self.faults.iter().find_map(|fault| match &fault.effect {
            Effect::Option { name: option, actual } if option == name && fault.in_start(start) => {
                Some(actual.as_str())
            }
            _ => None,
        })
    }
}

/// Something that goes wrong. Made by one of the constructors, narrowed by the other methods.
#[derive(Clone, Debug)]
pub struct Fault {
    pub(super) effect: Effect,
    pub(super) fragment: String,
    pub(super) client: Option<usize>,
    pub(super) nth: u64,
    pub(super) times: u64,
    pub(super) start: Option<u32>,
}

#[derive(Clone, Debug)]
pub(super) enum Effect {
    Error { errno: u16, message: String },
    Death(String),
    Refusal { errno: u16, message: String },
    Start(String),
    Option { name: String, actual: String },
    SlowStop(Duration),
    LostRows(u64),
    CutValue,
    Warning(String),
}

impl Fault {
    fn new(effect: Effect) -> Self {
        Self { effect, fragment: String::new(), client: None, nth: 1, times: 1, start: None }
    }

    /// A statement fails with this error. A deadlock (1213) also rolls its transaction back.
    pub fn error(errno: u16, message: &str) -> Self {
        Self::new(Effect::Error { errno, message: message.to_string() })
    }

    /// The server dies while it works on a statement; `last_words` end its log.
    pub fn death(last_words: &str) -> Self {
        Self::new(Effect::Death(last_words.to_string()))
    }

    /// A connection is refused.
    pub fn refusal(errno: u16, message: &str) -> Self {
        Self::new(Effect::Refusal { errno, message: message.to_string() })
    }

    /// The server does not come up.
    pub fn start(message: &str) -> Self {
        Self::new(Effect::Start(message.to_string()))
    }

    /// An option has another value than asked.
    pub fn option(name: &str, actual: &str) -> Self {
        Self::new(Effect::Option { name: name.to_string(), actual: actual.to_string() })
    }

    /// The server takes so long to stop that it is killed after this time.
    pub fn slow_stop(killed_after: Duration) -> Self {
        Self::new(Effect::SlowStop(killed_after))
    }

    /// A bulk load loses rows without a warning.
    pub fn lost_rows(rows: u64) -> Self {
        Self::new(Effect::LostRows(rows))
    }

    /// A bulk load cuts the last digit or letter off its first value without a warning.
    pub fn cut_value() -> Self {
        Self::new(Effect::CutValue)
    }

    /// A bulk load leaves a warning.
    pub fn warning(text: &str) -> Self {
        Self::new(Effect::Warning(text.to_string()))
    }

    /// Only at statements, or bulk loads of tables, with this fragment in their text.
    #[must_use]
    pub fn on(mut self, fragment: &str) -> Self {
        self.fragment = fragment.to_string();
        self
    }

    /// Only for this client; otherwise each client counts for itself.
    #[must_use]
    pub fn client(mut self, client: usize) -> Self {
        self.client = Some(client);
        self
    }

    /// At the nth such statement, from 1, of one connection.
    #[must_use]
    pub fn nth(mut self, nth: u64) -> Self {
        self.nth = nth;
        self
    }

    /// So many times in a row.
    #[must_use]
    pub fn times(mut self, times: u64) -> Self {
        self.times = times;
        self
    }

    /// Only in this start of the server, from 1.
    #[must_use]
    pub fn in_start_number(mut self, start: u32) -> Self {
        self.start = Some(start);
        self
    }

    pub(super) fn in_start(&self, start: u32) -> bool {
        self.start.is_none_or(|only| only == start)
    }

    /// Whether it can happen to `client` in `start`.
    pub(super) fn concerns(&self, client: usize, start: u32) -> bool {
        self.in_start(start) && self.client.is_none_or(|only| only == client)
    }

    /// Whether it strikes at occurrence number `count`.
    pub(super) fn strikes(&self, count: u64) -> bool {
        count >= self.nth && count - self.nth < self.times
    }
}
