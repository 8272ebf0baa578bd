//! Lists of values: commas, ranges, percentages of something.

use super::literal::{Fault, attempt, describe, literal, share};
use super::shapes::Kind;
use super::tree::{Word, WordKind};
use crate::diagnostic::{Diagnostic, Span, codes, did_you_mean};
use crate::model::SettingValue;
use std::time::Duration;

/// A list has at most so many values, ranges unrolled.
pub const MAX_VALUES: usize = 1000;

/// A value with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The value.
    pub value: SettingValue,
    /// Where it was written.
    pub span: Span,
}

/// The values of a whole list: `16, 32`, `1..64 double`, `5%, 10% of data`.
pub fn values(words: &[Word], kind: &Kind) -> Result<Vec<Value>, Diagnostic> {
    let (values, taken) = take_list(words, kind)?;
    match words.get(taken) {
        None => Ok(values),
        Some(word) => Err(unexpected(word, "values are separated by commas")),
    }
}

pub(super) fn unexpected(word: &Word, hint: &str) -> Diagnostic {
    let message = format!("unexpected {}", describe(word));
    Diagnostic::error(codes::WRONG_FORM, word.span, message).help(hint)
}

/// The list at the start of `words`, at least one value, and how many words it has.
pub(super) fn take_list(words: &[Word], kind: &Kind) -> Result<(Vec<Value>, usize), Diagnostic> {
    let mut values = Vec::new();
    let mut taken = 0;
    loop {
        let count = take_item(&words[taken..], kind, &mut values)?;
        taken += count;
        if values.len() > MAX_VALUES {
            let span = words[taken - count].span;
            let message = format!("a list has at most {MAX_VALUES} values");
            return Err(Diagnostic::error(codes::TOO_MANY, span, message));
        }
        match words.get(taken) {
            Some(comma) if comma.is(",") && taken + 1 < words.len() => taken += 1,
            _ => break,
        }
    }
    share_the_last_of(&mut values, kind)?;
    Ok((values, taken))
}

/// One value at the start of `words` (not a range), and how many words it has.
pub(super) fn take_one(words: &[Word], kind: &Kind) -> Result<(Value, usize), Diagnostic> {
    let mut values = Vec::new();
    let first = &words[0];
    if first.text().contains("..") && matches!(first.kind, WordKind::Number(_)) {
        let value = literal(first, kind)?;
        return Ok((Value { value, span: first.span }, 1));
    }
    let taken = take_item(words, kind, &mut values)?;
    share_the_last_of(&mut values, kind)?;
    let value = values.pop().expect("an item is at least one value");
    Ok((value, taken))
}

/// The things that a percentage may be of; none when the kind has no such percentages.
fn shares_of(kind: &Kind) -> Option<&'static [&'static str]> {
    match kind {
        Kind::PercentOf(of) => Some(of),
        Kind::OneOf(kinds) => kinds.iter().find_map(shares_of),
        _ => None,
    }
}

/// A percentage that waits for the `of` behind a later value of its list.
const OPEN_SHARE: &str = "";

/// Reads one item of a list: a value, a range, or a percentage of something.
fn take_item(words: &[Word], kind: &Kind, values: &mut Vec<Value>) -> Result<usize, Diagnostic> {
    let word = &words[0];
    let is_number = matches!(word.kind, WordKind::Number(_));
    if is_number && word.text().contains("..") && *kind != Kind::Processors {
        return range(words, kind, values);
    }
    if is_number && word.text().ends_with('%') {
        let of = words.get(1).filter(|next| next.is("of"));
        match (of, shares_of(kind)) {
            (Some(of), known) if known.is_some() || *kind == Kind::Any => {
                let percent = share(word).map_err(|fault| fault.at(word, kind))?;
                let Some(what) = words.get(2) else {
                    let message = "expected what the percentage is of";
                    return Err(Diagnostic::error(codes::WRONG_FORM, of.span, message));
                };
                if let Some(known) = known
                    && !known.contains(&what.text())
                {
                    return Err(Diagnostic::error(
                        codes::WRONG_KIND,
                        what.span,
                        format!("expected {}, found {}", Kind::Words(known), describe(what)),
                    )
                    .maybe_help(did_you_mean(what.text(), known.iter().copied())));
                }
                let value = SettingValue::PercentOf(percent, what.text().to_string());
                values.push(Value { value, span: word.span.to(what.span) });
                return Ok(3);
            }
            (None, Some(_)) => {
                let percent = share(word).map_err(|fault| fault.at(word, kind))?;
                let value = SettingValue::PercentOf(percent, OPEN_SHARE.to_string());
                values.push(Value { value, span: word.span });
                return Ok(1);
            }
            _ => {}
        }
    }
    values.push(Value { value: literal(word, kind)?, span: word.span });
    Ok(1)
}

/// In `5%, 10% of data` the `of data` holds for all percentages before it.
fn share_the_last_of(values: &mut [Value], kind: &Kind) -> Result<(), Diagnostic> {
    let mut last = OPEN_SHARE.to_string();
    for value in values.iter_mut().rev() {
        if let SettingValue::PercentOf(percent, of) = &mut value.value {
            if of == OPEN_SHARE && last == OPEN_SHARE {
                let what = shares_of(kind).and_then(<[_]>::first).unwrap_or(&"data");
                let message = format!("{percent}% of what?");
                return Err(Diagnostic::error(codes::WRONG_KIND, value.span, message)
                    .help(format!("write `{percent}% of {what}`")));
            }
            if of == OPEN_SHARE {
                of.clone_from(&last);
            } else {
                last.clone_from(of);
            }
        }
    }
    Ok(())
}

/// Numbers of a range in a unit in which they are whole: counts, bytes, milliseconds, billionths.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    Count,
    Size,
    Duration,
    Number,
    Percent,
    Rate,
}

const BILLION: f64 = 1e9;

fn to_whole(value: &SettingValue) -> Option<(Scale, u64)> {
    let billionths = |x: f64| (0.0..=1e9).contains(&x).then(|| (x * BILLION).round() as u64);
    Some(match value {
        SettingValue::Count(n) => (Scale::Count, *n),
        SettingValue::Size(n) => (Scale::Size, *n),
        SettingValue::Duration(d) => (Scale::Duration, u64::try_from(d.as_millis()).ok()?),
        SettingValue::Number(x) => (Scale::Number, billionths(*x)?),
        SettingValue::Percent(x) => (Scale::Percent, billionths(*x)?),
        SettingValue::Rate(x) => (Scale::Rate, billionths(*x)?),
        _ => return None,
    })
}

fn from_whole(scale: Scale, whole: u64) -> SettingValue {
    match scale {
        Scale::Count => SettingValue::Count(whole),
        Scale::Size => SettingValue::Size(whole),
        Scale::Duration => SettingValue::Duration(Duration::from_millis(whole)),
        Scale::Number => SettingValue::Number(whole as f64 / BILLION),
        Scale::Percent => SettingValue::Percent(whole as f64 / BILLION),
        Scale::Rate => SettingValue::Rate(whole as f64 / BILLION),
    }
}

/// `1..64 double` or `1..9 step 2`.
fn range(words: &[Word], kind: &Kind, values: &mut Vec<Value>) -> Result<usize, Diagnostic> {
    let word = &words[0];
    let bad = |span, message: String| Diagnostic::error(codes::BAD_RANGE, span, message);
    let (low, high) = ends(word)?;
    let (low_value, high_value) = (end_value(&low, kind)?, end_value(&high, kind)?);
    let (Some((scale, first)), Some((other, last))) = (to_whole(&low_value), to_whole(&high_value))
    else {
        return Err(bad(word.span, format!("there are no ranges of {kind}")));
    };
    if scale != other {
        return Err(bad(word.span, "the ends of this range are of different kinds".to_string()));
    }
    if first > last {
        return Err(bad(word.span, "this range ends below its start".to_string()).help(format!(
            "write `{}..{}`",
            high.text(),
            low.text()
        )));
    }
    let mut add = |whole: u64, span: Span| {
        if values.len() >= MAX_VALUES {
            let message = format!("this range has more than {MAX_VALUES} values");
            return Err(Diagnostic::error(codes::TOO_MANY, span, message));
        }
        values.push(Value { value: from_whole(scale, whole), span });
        Ok(())
    };
    match words.get(1) {
        Some(next) if next.is("double") => {
            if first == 0 {
                return Err(bad(word.span, "0 doubled stays 0".to_string()));
            }
            let span = word.span.to(next.span);
            let mut at = Some(first);
            while let Some(whole) = at.filter(|whole| *whole <= last) {
                add(whole, span)?;
                at = whole.checked_mul(2);
            }
            Ok(2)
        }
        Some(next) if next.is("step") => {
            let Some(step) = words.get(2) else {
                return Err(bad(next.span, "expected the length of a step".to_string()));
            };
            let (step_scale, by) = to_whole(&end_value(step, &widest(kind))?).unwrap_or((scale, 0));
            if by == 0 || step_scale != scale {
                let message = format!("{} is no step of this range", describe(step));
                return Err(bad(step.span, message));
            }
            let span = word.span.to(step.span);
            let mut at = Some(first);
            while let Some(whole) = at.filter(|whole| *whole <= last) {
                add(whole, span)?;
                at = whole.checked_add(by);
            }
            Ok(3)
        }
        _ => Err(bad(word.span, "this range does not say which values it takes".to_string())
            .help(format!("write `{0} double` or `{0} step N`", word.text()))),
    }
}

/// A step may lie outside the bounds of the values.
fn widest(kind: &Kind) -> Kind {
    match kind {
        Kind::Count { .. } => Kind::Count { min: 0, max: u64::MAX },
        Kind::Number { .. } => Kind::Number { min: f64::MIN, max: f64::MAX },
        other => *other,
    }
}

fn end_value(word: &Word, kind: &Kind) -> Result<SettingValue, Diagnostic> {
    attempt(word, kind).map_err(|fault| match fault {
        Fault::Kind(_) if word.text().is_empty() => {
            Diagnostic::error(codes::BAD_RANGE, word.span, "a range has two ends")
                .help("write `1..64 double` or `1..9 step 2`")
        }
        fault => fault.at(word, kind),
    })
}

fn ends(word: &Word) -> Result<(Word, Word), Diagnostic> {
    let text = word.text();
    let at = text.find("..").unwrap_or(text.len());
    let part = |start: usize, end: usize| Word {
        kind: WordKind::Number(text[start..end].to_string()),
        span: if word.span.end - word.span.start == text.len() {
            Span { start: word.span.start + start, end: word.span.start + end, ..word.span }
        } else {
            word.span
        },
    };
    let (low, high) = (part(0, at), part((at + 2).min(text.len()), text.len()));
    if high.text().is_empty() || high.text().contains("..") {
        return Err(Diagnostic::error(codes::BAD_RANGE, word.span, "a range has two ends")
            .help("write `1..64 double` or `1..9 step 2`"));
    }
    Ok((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::SourceMap;
    use crate::syntax::parse_words;

    fn read(text: &str, kind: Kind) -> Result<String, String> {
        let mut sources = SourceMap::new();
        let file = sources.add("t", text);
        let (words, errors) = parse_words(&sources, file);
        assert_eq!(errors, []);
        values(&words, &kind)
            .map(|values| {
                let shown: Vec<_> = values.iter().map(|value| value.value.to_string()).collect();
                shown.join(" ")
            })
            .map_err(|error| format!("{} {}", error.place(&sources).column, error.message))
    }

    const CACHE: Kind = Kind::OneOf(&[Kind::Size, Kind::PercentOf(&["data", "memory"])]);

    #[test]
    fn ranges_unroll() {
        assert_eq!(read("1..64 double", Kind::POSITIVE).unwrap(), "1 2 4 8 16 32 64");
        assert_eq!(read("1..9 step 2, 20", Kind::POSITIVE).unwrap(), "1 3 5 7 9 20");
        assert_eq!(read("1G..8G double", CACHE).unwrap(), "1GB 2GB 4GB 8GB");
        assert_eq!(read("10%..30% step 10%", Kind::Percent).unwrap(), "10% 20% 30%");
        assert_eq!(read("1..100 double", Kind::up_to(100)).unwrap(), "1 2 4 8 16 32 64");
        let max = u64::MAX.to_string();
        assert_eq!(read(&format!("{max}..{max} step 1"), Kind::POSITIVE).unwrap(), max);
    }

    #[test]
    fn ranges_that_are_none_say_why() {
        let of = |text| read(text, Kind::POSITIVE).unwrap_err();
        assert_eq!(of("1..64"), "1 this range does not say which values it takes");
        assert_eq!(of("9..1 step 1"), "1 this range ends below its start");
        assert_eq!(of("1..9 step 0"), "11 the count `0` is no step of this range");
        assert_eq!(of("1.. double"), "1 a range has two ends");
        assert_eq!(of("1..1M step 1"), "1 this range has more than 1000 values");
        assert_eq!(
            of("1..4GB double"),
            "4 expected a count such as `64` or `100k`, found the size `4GB`"
        );
        assert_eq!(
            read("1..9 double", Kind::Text).unwrap_err(),
            "1 expected a string in double quotes, found the count `1`"
        );
    }

    #[test]
    fn percentages_share_what_they_are_of() {
        assert_eq!(read("5%, 10% of data", CACHE).unwrap(), "5% of data 10% of data");
        assert_eq!(read("64M, 5% of memory", CACHE).unwrap(), "64MB 5% of memory");
        assert_eq!(read("5%", CACHE).unwrap_err(), "1 5% of what?");
        assert_eq!(
            read("5% of date", CACHE).unwrap_err(),
            "7 expected `data` or `memory`, found `date`"
        );
        assert_eq!(read("5% of data", Kind::Any).unwrap(), "5% of data");
    }

    #[test]
    fn values_need_commas() {
        assert_eq!(read("16 32", Kind::POSITIVE).unwrap_err(), "4 unexpected the count `32`");
    }
}
