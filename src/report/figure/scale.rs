//! From values to places, and ticks that people would choose.

use super::{Axis, Form};
use crate::model::units::{grouped, human_bytes, human_seconds};

/// Maps a stretch of values to a stretch of a drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    /// Least and most value.
    pub(super) domain: (f64, f64),
    /// Where these lie.
    pub(super) range: (f64, f64),
    /// How values are spaced.
    spacing: Spacing,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Spacing {
    Even,
    /// Quantiles: by -log10(1 - q), so that 90, 99, 99.9 lie equally far apart.
    Tail,
    /// By the logarithm: doubled values lie equally far apart.
    Doubling,
}

/// The quantile that stands for the longest of all: 1 has no place on the axis of tails.
const LAST: f64 = 0.999_99;

impl Scale {
    /// A scale for `axis` that shows all `values`, widened to ticks.
    pub(super) fn of(axis: &Axis, values: impl Iterator<Item = f64>, range: (f64, f64)) -> Self {
        let (mut low, mut high) = values
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if axis.form == Form::Quantile {
            return Self { domain: (0.0, LAST), range, spacing: Spacing::Tail };
        }
        if axis.from_zero {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        if low == high {
            let wider = if low == 0.0 { 1.0 } else { low.abs() * 0.1 };
            (low, high) = (low - wider, high + wider);
            if axis.from_zero && low < 0.0 {
                low = 0.0;
            }
        }
        Self { domain: (low, high), range, spacing: Spacing::Even }
    }

    /// A scale on which each of `values` (above 0, growing) is a tick: spaced by their logarithm
    /// where they span a factor of eight or more.
    pub(super) fn at(values: &[f64], range: (f64, f64)) -> Self {
        let (low, high) = (values[0], values[values.len() - 1]);
        if low > 0.0 && high / low >= 8.0 {
            return Self { domain: (low, high), range, spacing: Spacing::Doubling };
        }
        Self { domain: (0.0, high), range, spacing: Spacing::Even }
    }

    /// The same with its most value rounded up to a tick.
    pub(super) fn widened(mut self, form: Form) -> Self {
        let step = step(self.domain, form, 5);
        self.domain.1 = (self.domain.1 / step - 1e-9).ceil() * step;
        if self.domain.0 < 0.0 {
            self.domain.0 = (self.domain.0 / step + 1e-9).floor() * step;
        }
        self
    }

    /// Where `value` lies.
    pub(super) fn place(&self, value: f64) -> f64 {
        let spaced = |value: f64| match self.spacing {
            Spacing::Even => value,
            Spacing::Tail => -(1.0 - value.min(LAST)).log10(),
            Spacing::Doubling => value.max(self.domain.0).log2(),
        };
        let (low, high) = (spaced(self.domain.0), spaced(self.domain.1));
        let share = (spaced(value) - low) / (high - low);
        self.range.0 + share * (self.range.1 - self.range.0)
    }

    /// About `wanted` ticks with their texts.
    pub(super) fn ticks(&self, form: Form, wanted: usize) -> Vec<(f64, String)> {
        if self.spacing == Spacing::Tail {
            let all = [0.5, 0.9, 0.99, 0.999, 0.9999];
            return all.iter().map(|quantile| (*quantile, written(form, *quantile))).collect();
        }
        let step = step(self.domain, form, wanted);
        let first = (self.domain.0 / step - 1e-9).ceil();
        let count = ((self.domain.1 / step + 1e-9).floor() - first).max(0.0) as usize;
        (0..=count.min(50))
            .map(|at| {
                let value = (first + at as f64) * step;
                (value, tick(form, value, step))
            })
            .collect()
    }
}

/// A step between ticks: 1, 2 or 5 times a power of ten; minutes for long times, powers of two for
/// bytes.
fn step(domain: (f64, f64), form: Form, wanted: usize) -> f64 {
    let rough = (domain.1 - domain.0) / wanted.max(1) as f64;
    match form {
        Form::Bytes => {
            let unit = 1024_f64.powf((rough.max(1.0).ln() / 1024_f64.ln()).floor());
            unit * [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0]
                .into_iter()
                .find(|factor| unit * factor >= rough)
                .unwrap_or(1024.0)
        }
        Form::Seconds if rough > 10.0 => {
            [15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0, 3600.0, 7200.0, 14_400.0]
                .into_iter()
                .find(|step| *step >= rough)
                .unwrap_or_else(|| decimal_step(rough))
        }
        _ => decimal_step(rough),
    }
}

fn decimal_step(rough: f64) -> f64 {
    let power = 10_f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= rough * 0.999)
        .unwrap_or(power * 10.0)
}

/// A tick in the digits that its step needs.
fn tick(form: Form, value: f64, step: f64) -> String {
    let decimals = (-step.abs().log10()).ceil().clamp(0.0, 6.0) as usize;
    match form {
        Form::Count => grouped(value, decimals),
        Form::Percent => {
            let decimals = decimals.saturating_sub(2);
            if value == 0.0 { "0".to_string() } else { format!("{:+.decimals$}%", value * 100.0) }
        }
        Form::Seconds => seconds(value, step),
        Form::Bytes | Form::Quantile => written(form, value),
    }
}

/// Seconds in the unit of their step: `90 s`, `25 min`, `4 ms`.
fn seconds(value: f64, step: f64) -> String {
    if value == 0.0 {
        return "0".to_string();
    }
    let (unit, name) = match step {
        step if step >= 60.0 => (60.0, "min"),
        step if step >= 0.1 => (1.0, "s"),
        step if step >= 0.000_1 => (1e-3, "ms"),
        _ => (1e-6, "us"),
    };
    let decimals = (-(step / unit).log10()).ceil().clamp(0.0, 3.0) as usize;
    format!("{} {name}", grouped(value / unit, decimals))
}

/// A value in full.
pub(super) fn written(form: Form, value: f64) -> String {
    match form {
        Form::Count => grouped(value, usize::from(value.abs() < 100.0)),
        Form::Seconds => human_seconds(value),
        Form::Bytes => human_bytes(value).replace(".0 ", " "),
        Form::Percent => format!("{:+.1}%", value * 100.0),
        Form::Quantile => {
            let percent = value * 100.0;
            let text = format!("{percent:.3}");
            format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(form: Form) -> Axis {
        Axis { label: String::new(), form, from_zero: true }
    }

    fn texts(form: Form, most: f64) -> Vec<String> {
        let scale = Scale::of(&axis(form), [0.0, most].into_iter(), (0.0, 100.0)).widened(form);
        scale.ticks(form, 5).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round_and_reach_the_end() {
        assert_eq!(texts(Form::Count, 9213.7), ["0", "2,000", "4,000", "6,000", "8,000", "10,000"]);
        assert_eq!(
            texts(Form::Seconds, 0.0413),
            ["0", "10 ms", "20 ms", "30 ms", "40 ms", "50 ms"]
        );
        assert_eq!(
            texts(Form::Seconds, 1320.0),
            ["0", "5 min", "10 min", "15 min", "20 min", "25 min"]
        );
        assert_eq!(
            texts(Form::Bytes, 610.0 * 1_048_576.0),
            ["0 B", "128 MiB", "256 MiB", "384 MiB", "512 MiB", "640 MiB"]
        );
    }

    #[test]
    fn nothing_and_one_value_have_a_scale() {
        for values in [vec![], vec![5.0], vec![0.0], vec![f64::NAN]] {
            let scale = Scale::of(&axis(Form::Count), values.into_iter(), (0.0, 100.0));
            assert!(scale.place(1.0).is_finite());
            assert!(!scale.ticks(Form::Count, 5).is_empty());
        }
    }

    #[test]
    fn doubled_values_lie_equally_far_apart() {
        let scale = Scale::at(&[1.0, 2.0, 4.0, 8.0, 16.0], (0.0, 100.0));
        let places: Vec<f64> = [1.0, 2.0, 4.0, 8.0, 16.0].map(|v| scale.place(v).round()).into();
        assert_eq!(places, [0.0, 25.0, 50.0, 75.0, 100.0]);
        assert_eq!(Scale::at(&[1.0, 2.0, 4.0], (0.0, 100.0)).place(2.0).round(), 50.0);
    }

    #[test]
    fn tails_are_spread() {
        let scale = Scale::of(&axis(Form::Quantile), std::iter::empty(), (0.0, 100.0));
        let gap = |low: f64, high: f64| scale.place(high) - scale.place(low);
        assert!((gap(0.9, 0.99) - gap(0.99, 0.999)).abs() < 1e-6);
        assert_eq!(scale.place(1.0), 100.0);
        assert_eq!(written(Form::Quantile, 0.999), "99.9 %");
    }
}
