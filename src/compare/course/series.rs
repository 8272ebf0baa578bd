//! The samples of one phase as series in time.

use crate::journal::record::SamplesRecord;
use crate::model::{Signal, SignalKind};
use std::collections::BTreeMap;

/// A stretch of a phase, seconds after its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stretch {
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Stretch {
    fn holds(self, at: f64) -> bool {
        (self.from..self.to).contains(&at)
    }
}

/// One value of a signal and the stretch that it is of: of a level its moment alone.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Value {
    stretch: Stretch,
    /// A level as it stood, or a counter's increase a second.
    value: f64,
}

impl Value {
    fn middle(self) -> f64 {
        f64::midpoint(self.stretch.from, self.stretch.to)
    }
}

/// What was sampled in one phase: levels as they stood, counters a second.
#[derive(Clone, Debug, Default)]
pub(super) struct Series {
    values: BTreeMap<Signal, Vec<Value>>,
}

impl Series {
    /// The series of a record. Signals of later releases are left out.
    pub(super) fn of(record: &SamplesRecord) -> Self {
        let at: Vec<f64> = record.at_ms.iter().map(|&ms| ms as f64 / 1000.0).collect();
        let mut series = Self::default();
        for column in &record.signals {
            let Some(signal) = Signal::parse(&column.name) else { continue };
            let known =
                at.iter().zip(&column.values).filter_map(|(at, value)| Some((*at, (*value)?)));
            series.values.insert(signal, values(signal, known));
        }
        series.add_other_cpu();
        series
    }

    /// What is left of the machine's processor time is that of other processes.
    fn add_other_cpu(&mut self) {
        let of = |signal| self.values.get(&signal);
        let (Some(machine), Some(server), Some(client)) =
            (of(Signal::MachineCpu), of(Signal::ServerCpu), of(Signal::ClientCpu))
        else {
            return;
        };
        let others = machine
            .iter()
            .zip(server)
            .zip(client)
            .map(|((machine, server), client)| Value {
                stretch: machine.stretch,
                value: (machine.value - server.value - client.value).max(0.0),
            })
            .collect();
        self.values.insert(Signal::OtherCpu, others);
    }

    /// What a signal came to in a stretch: the highest level, or the increase a second.
    pub(super) fn within(&self, signal: Signal, stretch: Stretch) -> Option<f64> {
        let all = self.values.get(&signal)?;
        match signal.kind() {
            SignalKind::Level => around(all, stretch).map(|value| value.value).reduce(f64::max),
            SignalKind::Counter => {
                let mut inside: Vec<Value> =
                    all.iter().copied().filter(|value| stretch.holds(value.middle())).collect();
                if inside.is_empty() {
                    // The server was silent all the time: the increase came in one.
                    inside = overlapping(all, stretch).collect();
                }
                let length: f64 = inside.iter().map(|v| v.stretch.to - v.stretch.from).sum();
                let sum: f64 =
                    inside.iter().map(|v| v.value * (v.stretch.to - v.stretch.from)).sum();
                (length > 0.0).then(|| sum / length)
            }
        }
    }

    /// Whether a level had several values in a stretch.
    pub(super) fn changed_within(&self, signal: Signal, stretch: Stretch) -> bool {
        let Some(all) = self.values.get(&signal) else { return false };
        let mut values = around(all, stretch).map(|value| value.value);
        let first = values.next();
        values.any(|value| Some(value) != first)
    }

    /// All values of a signal outside of `dips`, sorted.
    pub(super) fn outside(&self, signal: Signal, dips: &[Stretch]) -> Vec<f64> {
        let mut values: Vec<f64> = self
            .values
            .get(&signal)
            .into_iter()
            .flatten()
            .filter(|value| !dips.iter().any(|dip| dip.holds(value.middle())))
            .map(|value| value.value)
            .collect();
        values.sort_by(f64::total_cmp);
        values
    }
}

fn values(signal: Signal, known: impl Iterator<Item = (f64, u64)>) -> Vec<Value> {
    let mut found = Vec::new();
    let mut before = None;
    for (at, value) in known {
        match signal.kind() {
            SignalKind::Level => {
                found.push(Value { stretch: Stretch { from: at, to: at }, value: value as f64 });
            }
            SignalKind::Counter => {
                if let Some(from) = before
                    && at > from
                {
                    let stretch = Stretch { from, to: at };
                    found.push(Value { stretch, value: value as f64 / (at - from) });
                }
                before = Some(at);
            }
        }
    }
    found
}

/// The levels in a stretch with the last before and the first after it.
fn around(all: &[Value], stretch: Stretch) -> impl Iterator<Item = &Value> {
    let first = all.iter().rposition(|value| value.middle() <= stretch.from).unwrap_or(0);
    let last = all
        .iter()
        .position(|value| value.middle() >= stretch.to)
        .unwrap_or(all.len().saturating_sub(1));
    all.get(first..=last).unwrap_or_default().iter()
}

fn overlapping(all: &[Value], stretch: Stretch) -> impl Iterator<Item = Value> {
    all.iter()
        .copied()
        .filter(move |value| value.stretch.from < stretch.to && value.stretch.to > stretch.from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::record::SampleColumn;
    use crate::model::{CellKey, Phase};

    fn record(at_ms: Vec<u64>, columns: &[(&str, Vec<Option<u64>>)]) -> SamplesRecord {
        SamplesRecord {
            cell: CellKey::from_pairs([("engine", "innodb")]),
            repetition: 1,
            phase: Phase::Measure,
            round: 1,
            counted: true,
            at_ms,
            signals: columns
                .iter()
                .map(|(name, values)| SampleColumn {
                    name: (*name).to_string(),
                    values: values.clone(),
                })
                .collect(),
        }
    }

    #[test]
    fn an_increase_is_spread_over_the_time_since_the_last_answer() {
        let series = Series::of(&record(
            vec![0, 1000, 2000, 5000, 6000],
            &[
                ("pages_flushed", vec![Some(0), Some(10), None, Some(800), Some(20)]),
                ("redo_age", vec![Some(1), Some(2), Some(9), None, Some(3)]),
                ("of a later release", vec![None; 5]),
            ],
        ));
        // Two seconds within a silence of four.
        let silent = Stretch { from: 2.0, to: 4.0 };
        assert_eq!(series.within(Signal::PagesFlushed, silent), Some(200.0));
        assert_eq!(series.within(Signal::RedoAge, silent), Some(9.0));
        assert_eq!(series.outside(Signal::PagesFlushed, &[silent]), [10.0, 20.0]);
        assert_eq!(series.within(Signal::LogWaits, silent), None);
    }

    #[test]
    fn what_is_left_of_the_machine_is_that_of_others() {
        let series = Series::of(&record(
            vec![0, 1000],
            &[
                ("machine_cpu", vec![Some(0), Some(1900)]),
                ("server_cpu", vec![Some(0), Some(900)]),
                ("client_cpu", vec![Some(0), Some(300)]),
            ],
        ));
        let whole = Stretch { from: 0.0, to: 1.0 };
        assert_eq!(series.within(Signal::OtherCpu, whole), Some(700.0));
    }
}
