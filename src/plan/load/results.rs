//! What is asked of the results: `compare`, `expect`, `where`, `table`. Read last, because the kind of
//! a value hangs on settings that may be declared below.

use super::draft::Draft;
use super::givens::{option_value, server_text};
use super::resolver::{Known, Resolver};
use crate::diagnostic::{Diagnostic, codes, did_you_mean};
use crate::model::{
    CompareOp, Expectation, ExpectedBound, Metric, MetricId, SettingValue, Subject, Unit,
};
use crate::plan::expand::checks::unknown_names;
use crate::plan::options::canonical;
use crate::plan::suite::{CompareStatement, ExpectStatement, GivenValue, NamedAt, WhereCondition};
use crate::syntax::literal::literal;
use crate::syntax::shapes::{self, Kind, Parent};
use crate::syntax::tree::Word;
use crate::syntax::{Reading, condition, values};

impl Resolver<'_> {
    /// Resolves what was put off, in its order.
    pub(super) fn results(&mut self, readings: &[Reading<'_>], draft: &mut Draft, known: &Known) {
        for reading in readings {
            match reading.name() {
                "compare" => draft.comparisons.extend(self.compare(reading, known)),
                "where" => {
                    let found = self.condition(reading.words("condition"), known);
                    draft.conditions.extend(
                        found.map(|found| WhereCondition { span: reading.span(), ..found }),
                    );
                }
                "expect" => draft.expectations.extend(self.expect(reading, known)),
                _ => {
                    let part = |name| Self::named(reading, name);
                    let axes = part("rows").zip(part("columns"));
                    for axis in axes.iter().flat_map(|(rows, columns)| [rows, columns]) {
                        self.axis_known(axis, known);
                    }
                    draft.table = axes;
                }
            }
        }
    }

    /// A condition; its values have the kinds of their settings.
    pub(super) fn condition(&mut self, words: &[Word], known: &Known) -> Option<WhereCondition> {
        let span = words.first()?.span.to(words.last()?.span);
        let read = condition(words, self.sources, &|name| self.kind_of(known, name));
        match read {
            Ok(parsed) => {
                let found =
                    WhereCondition { condition: parsed.condition, span, names: parsed.names };
                unknown_names(&found, &self.names(known), &mut self.wrong);
                Some(found)
            }
            Err(diagnostic) => {
                self.wrong.push(diagnostic);
                None
            }
        }
    }

    /// Reports an axis that nothing in the suite could make.
    fn axis_known(&mut self, axis: &NamedAt, known: &Known) -> bool {
        let names = self.names(known);
        let found = names.contains(&axis.name);
        if !found {
            self.wrong.push(
                Diagnostic::error(
                    codes::NOT_AN_AXIS,
                    axis.span,
                    format!("`{}` is no axis", axis.name),
                )
                .label("no setting of this name has several values")
                .maybe_help(did_you_mean(&axis.name, names.iter().map(String::as_str))),
            );
        }
        found
    }

    /// Values of an axis or setting, by its kind.
    fn values_of(&mut self, name: &str, words: &[Word], known: &Known) -> Option<Vec<GivenValue>> {
        let kind = self
            .kind_of(known, name)
            .or_else(|| shapes::setting_kind(name))
            .or_else(|| plain_kind(name))
            .unwrap_or(Kind::Any);
        match values(words, &kind) {
            Ok(values) => Some(
                values
                    .iter()
                    .map(|value| match kind {
                        Kind::OptionValue => option_value(name, value),
                        _ => GivenValue {
                            value: value.value.clone(),
                            text: server_text(&value.value),
                            span: value.span,
                        },
                    })
                    .collect(),
            ),
            Err(diagnostic) => {
                self.wrong.push(diagnostic);
                None
            }
        }
    }

    fn compare(&mut self, reading: &Reading<'_>, known: &Known) -> Option<CompareStatement> {
        let axes: Vec<NamedAt> = reading
            .values("axis")
            .iter()
            .map(|value| NamedAt { name: canonical(&value.value.to_string()), span: value.span })
            .collect();
        let parts: Vec<&[Word]> = reading.words("value").split(|word| word.is(",")).collect();
        if parts.len() != axes.len() {
            let message = format!(
                "the baseline needs a value on each compared axis: {} wanted, {} given",
                axes.len(),
                parts.len()
            );
            self.wrong.push(
                Diagnostic::error(codes::WRONG_FORM, reading.span_of("value"), message)
                    .also(reading.span_of("axis"), "compared here")
                    .help("write `compare a, b against 1, 1`"),
            );
            return None;
        }
        let mut baseline = Vec::with_capacity(axes.len());
        for (axis, words) in axes.iter().zip(parts) {
            if !self.axis_known(axis, known) {
                return None;
            }
            let value = self.values_of(&axis.name, words, known)?.into_iter().next()?;
            self.baseline_known(axis, &value, known)?;
            baseline.push(value);
        }
        let span = reading.span();
        Some(CompareStatement { axes, baseline, span, place: self.sources.place(span) })
    }

    /// A baseline on an axis of names must be one of them.
    fn baseline_known(&mut self, axis: &NamedAt, value: &GivenValue, known: &Known) -> Option<()> {
        let Some(values) = known.values.get(&axis.name) else { return Some(()) };
        let text = value.value.to_string();
        if values.iter().any(|known| known.eq_ignore_ascii_case(&text)) {
            return Some(());
        }
        self.wrong.push(
            Diagnostic::error(
                codes::BASELINE_OFF_AXIS,
                value.span,
                format!("the baseline `{text}` is not on the axis `{}`", axis.name),
            )
            .label("no cell has this value")
            .maybe_help(did_you_mean(&text, values.iter().map(String::as_str)))
            .help(format!("its values are {}", values.join(", "))),
        );
        None
    }

    fn expect(&mut self, reading: &Reading<'_>, known: &Known) -> Option<ExpectStatement> {
        let metric = self.metric(reading)?;
        let subject = match reading.text("subject")? {
            "each" => Subject::Each,
            name => Subject::Named(name.to_string()),
        };
        let op = CompareOp::parse(reading.words("op").first()?.text())?;
        let bound = self.bound(reading, metric.metric)?;
        let found = match reading.words("condition") {
            [] => None,
            words => Some(self.condition(words, known)?),
        };
        let span = reading.span();
        Some(ExpectStatement {
            expectation: Expectation {
                metric,
                subject,
                op,
                bound,
                since_baseline: reading.has("since"),
                condition: found.as_ref().map(|found| found.condition.clone()),
                text: self.sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" "),
                place: self.sources.place(span),
            },
            span,
            metric: reading.span_of("metric"),
            subject: reading.span_of("subject"),
            bound: reading.span_of("bound"),
            names: found.map(|found| found.names).unwrap_or_default(),
        })
    }

    fn metric(&mut self, reading: &Reading<'_>) -> Option<MetricId> {
        let words = reading.words("metric");
        let name = words.first()?;
        let Some(metric) = Metric::parse(name.text()) else {
            let known: Vec<&str> = Metric::ALL.iter().map(|metric| metric.name()).collect();
            self.wrong.push(
                Diagnostic::error(
                    codes::UNKNOWN_NAME,
                    name.span,
                    format!("unknown metric `{}`", name.text()),
                )
                .maybe_help(did_you_mean(name.text(), known.iter().copied()))
                .help(format!("metrics are {}", known.join(", "))),
            );
            return None;
        };
        let of = words.get(2).map(|word| word.text().to_string());
        Some(MetricId { metric, of })
    }

    /// The right side: a signed percentage is a delta, a value with the metric's unit absolute.
    fn bound(&mut self, reading: &Reading<'_>, metric: Metric) -> Option<ExpectedBound> {
        let word = reading.words("bound").first()?;
        let value = reading.value("bound")?;
        if let SettingValue::Percent(percent) = value.value {
            if word.text().starts_with(['+', '-']) {
                return Some(ExpectedBound::Delta(percent));
            }
            self.wrong.push(
                Diagnostic::error(
                    codes::UNSIGNED_PERCENT,
                    word.span,
                    format!("`{}` has no sign", word.text()),
                )
                .label("more or less than the baseline?")
                .help(format!("write `+{0}` for more, `-{0}` for less", word.text())),
            );
            return None;
        }
        let count = Kind::Count { min: 0, max: u64::MAX };
        let number = Kind::Number { min: 0.0, max: f64::MAX };
        let (kinds, example): (&[Kind], &str) = match metric.unit() {
            Unit::Seconds => (&[Kind::Duration], "`50ms`, `2s`, `1h`"),
            Unit::Bytes => (&[Kind::Size], "`800MB`, `6.5GB`"),
            Unit::PerSecond => (&[Kind::Rate, count, number], "`500/s`, `20k`"),
            Unit::PerMinute | Unit::Count | Unit::Ratio => (&[count, number], "`20k`, `18500`"),
        };
        let read = kinds.iter().find_map(|kind| literal(word, kind).ok());
        if read.is_none() {
            self.wrong.push(
                Diagnostic::error(
                    codes::WRONG_UNIT,
                    word.span,
                    format!("`{}` is not measured in this unit", metric.name()),
                )
                .help(format!("write {example}, or a delta with its sign: `+10%`, `-5%`")),
            );
        }
        read.map(ExpectedBound::Absolute)
    }
}

/// The kind of a setting that makes no axis.
pub(super) fn plain_kind(name: &str) -> Option<Kind> {
    shapes::named(name)
        .filter(|shape| shape.fits(Parent::Profile))
        .find_map(|shape| shape.kind_of("value"))
}
