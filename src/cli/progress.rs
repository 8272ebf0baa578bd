//! What a run does now, on standard error: a moving line on a terminal, plain lines elsewhere.

use crate::model::units::{grouped, human_seconds};
use crate::model::{CellKey, Failure, MetricValue, Phase};
use crate::run::{Event, Observer};
use indicatif::{ProgressBar, ProgressStyle};
use std::fmt::Write as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Shows the events of a run.
pub(super) struct Progress {
    /// The moving line; hidden when standard error is no terminal.
    bar: ProgressBar,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// `[3/24] engine=innodb,clients=32 #1`
    task: String,
    phase: String,
    phase_began: Option<Instant>,
    phase_length: Option<Duration>,
    /// What the phase last said about itself: rows taken, transactions a second.
    gauge: String,
    left: Option<Duration>,
}

impl Progress {
    /// Shows a moving line when `terminal`, else one line an event.
    pub(super) fn new(terminal: bool) -> Self {
        let bar = if terminal { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        bar.set_style(
            ProgressStyle::with_template("{spinner} {wide_msg}")
                .expect("the template is fixed and valid")
                .tick_chars("-\\|/ "),
        );
        if terminal {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self { bar, state: Mutex::new(State::default()) }
    }

    /// Writes a line that stays.
    fn line(&self, text: &str) {
        if self.bar.is_hidden() {
            use std::io::Write as _;
            // In one write, so that no other program's text comes between.
            let _ = std::io::stderr().lock().write_all(format!("{text}\n").as_bytes());
        } else {
            self.bar.println(text);
        }
    }

    fn update(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state.lock().expect("no code panics while it holds the state");
        change(&mut state);
        self.bar.set_message(state.message());
    }

    fn task(&self) -> String {
        self.state.lock().expect("no code panics while it holds the state").task.clone()
    }

    fn begin(&self, at: u32, of: u32, what: &str) {
        self.update(|state| {
            state.task = format!("[{at}/{of}] {what}");
            state.enter(String::new(), None);
        });
    }
}

impl State {
    fn enter(&mut self, phase: String, length: Option<Duration>) {
        self.phase = phase;
        self.phase_began = Some(Instant::now());
        self.phase_length = length;
        self.gauge.clear();
    }

    fn message(&self) -> String {
        let mut text = self.task.clone();
        if !self.phase.is_empty() {
            let _ = write!(text, ": {}", self.phase);
            if let (Some(began), Some(length)) = (self.phase_began, self.phase_length) {
                let gone = began.elapsed().as_secs().min(length.as_secs());
                let _ = write!(text, " {gone} of {} s", length.as_secs());
            }
        }
        if !self.gauge.is_empty() {
            let _ = write!(text, ", {}", self.gauge);
        }
        if let Some(left) = self.left.filter(|left| left.as_secs() >= 1) {
            let _ = write!(text, "; about {} left", rough(left));
        }
        text
    }
}

/// A time that is not known to parts of a second: `42 s`, `3 min 10 s`.
fn rough(time: Duration) -> String {
    let seconds = time.as_secs_f64().round();
    if seconds < 120.0 { format!("{seconds:.0} s") } else { human_seconds(seconds) }
}

/// A cell in the words of its key, the shortest way: `innodb, 64 clients` is up to tables.
fn cell_words(cell: &CellKey) -> String {
    cell.iter().map(|(axis, value)| format!("{axis} {value}")).collect::<Vec<_>>().join(", ")
}

/// A headline with its unit: `18,216.0 TpmC`.
fn headline_words(value: &MetricValue) -> String {
    format!("{} {}", grouped(value.value, 1), value.id.metric.heading())
}

fn failure_lines(failure: &Failure) -> String {
    let mut text = format!("failed in {failure}");
    for line in &failure.log_tail {
        let _ = write!(text, "\n    log: {line}");
    }
    if let Some(place) = &failure.place {
        let _ = write!(text, "\n    asked for at {place}");
    }
    if let Some(next) = &failure.next_step {
        let _ = write!(text, "\n    next: {next}");
    }
    text
}

impl Observer for Progress {
    fn event(&self, event: &Event<'_>) {
        match event {
            Event::RunStarts { loads, repetitions, estimate } => {
                self.line(&format!(
                    "{loads} load{}, {repetitions} repetition{}, about {}",
                    if *loads == 1 { "" } else { "s" },
                    if *repetitions == 1 { "" } else { "s" },
                    rough(*estimate),
                ));
                self.update(|state| state.left = Some(*estimate));
            }
            Event::DatasetStarts { at, of, engine, server } => {
                self.begin(*at, *of, &format!("load {engine} on {server}"));
            }
            Event::Loading { rows, of } => self.update(|state| {
                state.gauge =
                    format!("{} of {} rows", grouped(*rows as f64, 0), grouped(*of as f64, 0));
            }),
            Event::DatasetEnds { reused, failure, left } => {
                let task = self.task();
                match failure {
                    Some(failure) => self.line(&format!("{task}: {}", failure_lines(failure))),
                    None if *reused => self.line(&format!("{task}: found in the store")),
                    None => self.line(&format!("{task}: done")),
                }
                self.update(|state| state.left = Some(*left));
            }
            Event::RepetitionStarts { at, of, cell, repetition } => {
                self.begin(*at, *of, &format!("{}, repetition {repetition}", cell_words(cell)));
            }
            Event::MaximumStarts { at, of, cell } => {
                self.begin(*at, *of, &format!("{}, maximum", cell_words(cell)));
            }
            Event::DiskTest { moment } => {
                self.update(|state| {
                    state.task = format!("disk test {moment} the suite");
                    state.enter(String::new(), None);
                });
                if self.bar.is_hidden() {
                    self.line(&self.task());
                }
            }
            Event::Phase { phase, round, length } => {
                let name = match (phase, round) {
                    (Phase::Measure, 2..) => format!("{phase} (round {round})"),
                    _ => phase.to_string(),
                };
                if self.bar.is_hidden() {
                    self.line(&format!("{}: {name}", self.task()));
                }
                self.update(|state| state.enter(name, *length));
            }
            Event::Window { completed } => self.update(|state| {
                state.gauge = format!("{} trx/s", grouped(*completed as f64, 0));
            }),
            Event::RepetitionEnds { headline, failure, left } => {
                let task = self.task();
                match (failure, headline) {
                    (Some(failure), _) => self.line(&format!("{task}: {}", failure_lines(failure))),
                    (None, Some(value)) => {
                        self.line(&format!("{task}: {}", headline_words(value)));
                    }
                    (None, None) => self.line(&format!("{task}: done")),
                }
                self.update(|state| state.left = Some(*left));
            }
            Event::CellsLost { cells, failure } => self.line(&format!(
                "{} cell{} not measured, {}",
                cells.len(),
                if cells.len() == 1 { "" } else { "s" },
                failure_lines(failure)
            )),
            // The report lists findings; saying them twice helps nobody.
            Event::Finding(_) => {}
            Event::RunEnds { .. } => self.bar.finish_and_clear(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Metric, MetricId};

    #[test]
    fn a_headline_comes_with_its_unit() {
        let of =
            |metric, value| headline_words(&MetricValue { id: MetricId::whole(metric), value });
        assert_eq!(of(Metric::Tpmc, 18_216.04), "18,216.0 TpmC");
        assert_eq!(of(Metric::Tps, 512.0), "512.0 transactions/s");
    }
}
