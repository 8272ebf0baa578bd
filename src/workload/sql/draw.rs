//! What parameters and generated columns hold: values drawn from stated distributions.

use crate::target::session::Param;
use crate::workload::distribution::{Distribution, Draw};
use crate::workload::random::Stream;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Longest text that is drawn, bytes.
pub const LONGEST_TEXT: u64 = 60_000;

/// How a value is drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawn {
    /// A number of a range.
    Range(Distribution, u64, u64),
    /// Numbers one after another, from the first again behind the last; all clients share them.
    Sequential(u64, u64),
    /// Letters and digits, so many bytes.
    Text(u64, u64),
    /// One of these texts.
    OneOf(Distribution, Vec<String>),
    /// One of the values that a column held before the clients started.
    Column(Distribution, String, String),
}

/// As reports say it: `zipfian 1 to 1000`.
impl fmt::Display for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range(how, low, high) => write!(f, "{} {low} to {high}", how.name()),
            Self::Sequential(low, high) => write!(f, "sequential {low} to {high}"),
            Self::Text(low, high) => write!(f, "text {low} to {high}"),
            Self::OneOf(how, texts) => write!(f, "{} of {} texts", how.name(), texts.len()),
            Self::Column(how, table, column) => {
                write!(f, "{} from {table}.{column}", how.name())
            }
        }
    }
}

/// A value on its way into a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Value {
    #[default]
    Null,
    Int(i64),
    Text(Vec<u8>),
}

impl Value {
    pub(super) fn param(&self) -> Param<'_> {
        match self {
            Self::Null => Param::Null,
            Self::Int(number) => Param::Int(*number),
            Self::Text(text) => Param::Bytes(text),
        }
    }
}

/// Draws values of one kind. Clones share the counter of `sequential`.
#[derive(Clone)]
pub(super) struct Source {
    kind: SourceKind,
}

#[derive(Clone)]
enum SourceKind {
    Numbers(Draw),
    Sequence {
        low: u64,
        count: u64,
        next: Arc<AtomicU64>,
    },
    Letters {
        low: u64,
        high: u64,
    },
    List {
        draw: Draw,
        values: Arc<Vec<Value>>,
    },
    /// A column that was not read yet.
    Unread(Distribution),
}

fn list(how: Distribution, values: Arc<Vec<Value>>) -> SourceKind {
    SourceKind::List { draw: Draw::new(how, 0, (values.len() as u64).saturating_sub(1)), values }
}

impl Source {
    /// A source; one over a column has no values yet.
    pub(super) fn new(drawn: &Drawn) -> Self {
        let kind = match drawn {
            Drawn::Range(how, low, high) => SourceKind::Numbers(Draw::new(*how, *low, *high)),
            Drawn::Sequential(low, high) => SourceKind::Sequence {
                low: *low,
                count: high.saturating_sub(*low) + 1,
                next: Arc::default(),
            },
            Drawn::Text(low, high) => SourceKind::Letters { low: *low, high: *high },
            Drawn::OneOf(how, texts) => {
                let values = texts.iter().map(|text| Value::Text(text.clone().into_bytes()));
                list(*how, Arc::new(values.collect()))
            }
            Drawn::Column(how, ..) => SourceKind::Unread(*how),
        };
        Self { kind }
    }

    /// The same over the values that the column holds.
    pub(super) fn over(&self, values: Arc<Vec<Value>>) -> Self {
        match self.kind {
            SourceKind::Unread(how) => Self { kind: list(how, values) },
            _ => self.clone(),
        }
    }

    /// Begins the sequence anew.
    pub(super) fn restart(&self) {
        if let SourceKind::Sequence { next, .. } = &self.kind {
            next.store(0, Ordering::Relaxed);
        }
    }

    /// The next value.
    pub(super) fn draw(&self, stream: &mut Stream) -> Value {
        let number = |number: u64| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
        match &self.kind {
            SourceKind::Numbers(draw) => number(draw.draw(stream)),
            SourceKind::Sequence { low, count, next } => {
                number(low + next.fetch_add(1, Ordering::Relaxed) % count)
            }
            SourceKind::Letters { low, high } => {
                let length = low + stream.below(high.saturating_sub(*low) + 1);
                let mut text = vec![0; length as usize];
                stream.fill_alphanumeric(&mut text);
                Value::Text(text)
            }
            SourceKind::List { draw, values } => {
                values.get(draw.draw(stream) as usize).cloned().unwrap_or_default()
            }
            SourceKind::Unread(_) => Value::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_in_their_bounds_and_sequences_are_shared() {
        let mut stream = Stream::new(1, "draws", &[]);
        let range = Source::new(&Drawn::Range(Distribution::Zipfian, 5, 9));
        for _ in 0..1000 {
            let Value::Int(number) = range.draw(&mut stream) else { panic!("no number") };
            assert!((5..=9).contains(&number));
        }
        let one = Source::new(&Drawn::Sequential(3, 5));
        let other = one.clone();
        let drawn: Vec<Value> =
            (0..4).map(|n| if n % 2 == 0 { &one } else { &other }.draw(&mut stream)).collect();
        assert_eq!(drawn, [3, 4, 5, 3].map(Value::Int));
        let text = Source::new(&Drawn::Text(2, 4));
        for _ in 0..100 {
            let Value::Text(text) = text.draw(&mut stream) else { panic!("no text") };
            assert!((2..=4).contains(&text.len()));
        }
    }

    #[test]
    fn a_column_gives_its_values_once_it_was_read() {
        let mut stream = Stream::new(1, "draws", &[]);
        let column = Drawn::Column(Distribution::Uniform, "orders".into(), "id".into());
        let unread = Source::new(&column);
        assert_eq!(unread.draw(&mut stream), Value::Null);
        let read = unread.over(Arc::new(vec![Value::Int(7), Value::Int(9)]));
        let drawn: Vec<Value> = (0..100).map(|_| read.draw(&mut stream)).collect();
        assert!(drawn.contains(&Value::Int(7)) && drawn.contains(&Value::Int(9)));
        assert_eq!(column.to_string(), "uniform from orders.id");
    }
}
