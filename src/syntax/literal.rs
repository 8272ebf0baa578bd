//! One word to one value, by the kind that the setting asks for.

use super::shapes::Kind;
use super::tree::{Word, WordKind, is_name};
use crate::diagnostic::{Diagnostic, codes, did_you_mean};
use crate::model::units::exact_duration;
use crate::model::{FileSet, SettingValue};
use std::time::Duration;

/// The longest time that can be written. All phases of the largest suite together are still a time.
const LONGEST: Duration = Duration::from_secs(1000 * 86_400);

/// Why a word is no value of a kind.
pub(super) enum Fault {
    /// It is of another kind; perhaps with a hint.
    Kind(Option<String>),
    /// It is of the kind, but cannot be: out of bounds, too large.
    Bounds(String),
}

/// The value of `word` read as `kind`.
pub fn literal(word: &Word, kind: &Kind) -> Result<SettingValue, Diagnostic> {
    attempt(word, kind).map_err(|fault| fault.at(word, kind))
}

impl Fault {
    /// The diagnostic of this fault.
    pub(super) fn at(self, word: &Word, kind: &Kind) -> Diagnostic {
        match self {
            Self::Kind(hint) => {
                let message = format!("expected {kind}, found {}", describe(word));
                Diagnostic::error(codes::WRONG_KIND, word.span, message)
                    .label("of the wrong kind")
                    .maybe_help(hint)
            }
            Self::Bounds(message) => Diagnostic::error(codes::OUT_OF_BOUNDS, word.span, message),
        }
    }
}

/// What a word is by itself, for messages: "the duration `20m`".
pub(super) fn describe(word: &Word) -> String {
    let text = clipped(word.text());
    match &word.kind {
        WordKind::Bare(_) | WordKind::Mark(_) => format!("`{text}`"),
        WordKind::Variable(_) => format!("`${text}`"),
        WordKind::Quoted(_) | WordKind::Raw(_) => format!("the string \"{text}\""),
        WordKind::Number(number) if number.contains("..") => format!("the range `{text}`"),
        WordKind::Number(_) => match attempt(word, &Kind::Any) {
            Ok(SettingValue::Count(_)) => format!("the count `{text}`"),
            Ok(SettingValue::Number(_)) => format!("the number `{text}`"),
            Ok(SettingValue::Size(_)) => format!("the size `{text}`"),
            Ok(SettingValue::Duration(_)) => format!("the duration `{text}`"),
            Ok(SettingValue::Percent(_)) => format!("the percentage `{text}`"),
            Ok(SettingValue::Rate(_)) => format!("the rate `{text}`"),
            Ok(SettingValue::Files(_)) => format!("the files `{text}`"),
            _ => format!("`{text}`"),
        },
    }
}

fn clipped(text: &str) -> String {
    let line: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(41).collect();
    if line.chars().count() > 40 {
        line.chars().take(37).chain("...".chars()).collect()
    } else {
        line
    }
}

/// The value of `word` read as `kind`, or why it is none.
pub(super) fn attempt(word: &Word, kind: &Kind) -> Result<SettingValue, Fault> {
    let text = word.text();
    match (kind, &word.kind) {
        (_, WordKind::Mark(_) | WordKind::Variable(_)) => Err(Fault::Kind(None)),
        (Kind::OneOf(kinds), _) => one_of(word, kinds),
        (Kind::Any | Kind::OptionValue | Kind::Text, WordKind::Quoted(_) | WordKind::Raw(_)) => {
            Ok(SettingValue::Text(text.to_string()))
        }
        (Kind::Text, _) => Err(Fault::Kind(Some(format!("write it in quotes: \"{text}\"")))),
        (_, WordKind::Quoted(_) | WordKind::Raw(_)) => {
            let bare = Word { kind: unquoted(text), span: word.span };
            let fits = !text.is_empty() && attempt(&bare, kind).is_ok();
            Err(Fault::Kind(fits.then(|| format!("write it without quotes: `{text}`"))))
        }
        (Kind::Name, _) if word.is_name() => Ok(SettingValue::Word(text.to_string())),
        (Kind::Name, _) => Err(Fault::Kind(Some(
            "a name is a letter or `_`, then letters, digits and `_`".to_string(),
        ))),
        (Kind::DottedName, WordKind::Bare(_)) if text.split('.').all(is_name) => {
            Ok(SettingValue::Word(text.to_string()))
        }
        (Kind::OptionName, WordKind::Bare(_)) => option_name(text),
        (Kind::Words(words), WordKind::Bare(_) | WordKind::Number(_)) => {
            match words.iter().find(|known| known.eq_ignore_ascii_case(text)) {
                Some(known) => Ok(SettingValue::Word((*known).to_string())),
                None => Err(Fault::Kind(did_you_mean(text, words.iter().copied()))),
            }
        }
        (Kind::Any | Kind::OptionValue, WordKind::Bare(_)) => {
            Ok(SettingValue::Word(text.to_string()))
        }
        (Kind::Any, WordKind::Number(_)) => Ok(guess(text)),
        (Kind::OptionValue, WordKind::Number(_)) => Ok(option_value(text)),
        (_, WordKind::Number(_)) => number(text, kind),
        _ => Err(Fault::Kind(None)),
    }
}

fn unquoted(text: &str) -> WordKind {
    if text.starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '-') {
        WordKind::Number(text.to_string())
    } else {
        WordKind::Bare(text.to_string())
    }
}

fn one_of(word: &Word, kinds: &[Kind]) -> Result<SettingValue, Fault> {
    let mut hint = None;
    for kind in kinds {
        match attempt(word, kind) {
            Ok(value) => return Ok(value),
            Err(Fault::Kind(other)) => hint = hint.or(other),
            Err(bounds) => return Err(bounds),
        }
    }
    Err(Fault::Kind(hint))
}

fn option_name(text: &str) -> Result<SettingValue, Fault> {
    let name = text.replace('-', "_");
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(fits) {
        Ok(SettingValue::Word(name.to_ascii_lowercase()))
    } else {
        Err(Fault::Kind(None))
    }
}

/// Sign, digits with at most one point, and the rest of a number.
struct Numeral<'t> {
    sign: Option<char>,
    whole: &'t str,
    fraction: &'t str,
    unit: &'t str,
}

impl<'t> Numeral<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let sign = text.chars().next().filter(|c| matches!(c, '+' | '-'));
        let rest = &text[sign.map_or(0, char::len_utf8)..];
        let (whole, rest) = digits(rest);
        let (fraction, unit) = match rest.strip_prefix('.') {
            Some(behind) if behind.starts_with(|c: char| c.is_ascii_digit()) => digits(behind),
            _ => ("", rest),
        };
        (!whole.is_empty()).then_some(Self { sign, whole, fraction, unit })
    }

    fn plain(&self) -> Option<f64> {
        let text = format!("{}{}.{}", self.sign.unwrap_or('+'), self.whole, self.fraction);
        text.parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// The number times `factor`, exactly.
    fn times(&self, factor: u64) -> Result<u64, Fault> {
        if self.sign.is_some() {
            return Err(Fault::Kind(Some("it has no sign".to_string())));
        }
        let too_large = || {
            let shown = clipped(&format!("{}{}", self.whole, self.unit));
            Fault::Bounds(format!("`{shown}` is too large"))
        };
        let fraction = self.fraction.trim_end_matches('0');
        if self.whole.len() + fraction.len() > 30 || fraction.len() > 18 {
            return Err(too_large());
        }
        let unscaled: u128 =
            format!("{}{fraction}", self.whole).parse().map_err(|_| too_large())?;
        let product = unscaled.checked_mul(u128::from(factor)).ok_or_else(too_large)?;
        let scale = 10u128.pow(fraction.len() as u32);
        if product % scale != 0 {
            let shown = format!("{}.{}{}", self.whole, self.fraction, self.unit);
            return Err(Fault::Bounds(format!("`{}` is no whole number", clipped(&shown))));
        }
        u64::try_from(product / scale).map_err(|_| too_large())
    }
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

fn size_factor(unit: &str) -> Option<u64> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        _ => return None,
    })
}

fn count_factor(unit: &str) -> Option<u64> {
    Some(match unit {
        "" => 1,
        "k" | "K" => 1000,
        "M" => 1_000_000,
        _ => return None,
    })
}

fn duration_ms(unit: &str) -> Option<u64> {
    Some(match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    })
}

/// A `Number` word read as a kind that has numbers.
fn number(text: &str, kind: &Kind) -> Result<SettingValue, Fault> {
    let Some(numeral) = Numeral::of(text) else { return Err(Fault::Kind(None)) };
    let hint = |text: String| Fault::Kind(Some(text));
    let digits = &text[..text.len() - numeral.unit.len()];
    match kind {
        Kind::Count { min, max } => {
            let factor = count_factor(numeral.unit).ok_or_else(|| match numeral.unit {
                "m" => hint(format!("`m` means minutes; millions are written `{digits}M`")),
                _ => Fault::Kind(None),
            })?;
            let count = numeral.times(factor)?;
            within(text, count, *min, *max)?;
            Ok(SettingValue::Count(count))
        }
        Kind::Number { min, max } if numeral.unit.is_empty() => {
            let number = numeral.plain().ok_or(Fault::Kind(None))?;
            within(text, number, *min, *max)?;
            Ok(SettingValue::Number(number))
        }
        Kind::Size => {
            let factor = size_factor(numeral.unit).ok_or_else(|| match numeral.unit {
                "" => hint(format!("a size has a unit: `{digits}MB`, `{digits}GB`")),
                _ => Fault::Kind(None),
            })?;
            Ok(SettingValue::Size(numeral.times(factor)?))
        }
        Kind::Duration => {
            let factor = duration_ms(numeral.unit).ok_or_else(|| match numeral.unit {
                "" => hint(format!("a duration has a unit: `{digits}s`, `{digits}m`")),
                "M" => hint(format!("minutes are written `{digits}m`")),
                _ => hint("units of time are ms, s, m, h, d".to_string()),
            })?;
            let duration = Duration::from_millis(numeral.times(factor)?);
            if duration > LONGEST {
                let longest = exact_duration(LONGEST);
                let shown = clipped(text);
                return Err(Fault::Bounds(format!("`{shown}` is too large: at most {longest}")));
            }
            Ok(SettingValue::Duration(duration))
        }
        Kind::Percent => match numeral.unit {
            "%" => {
                let percent = percentage(text, &numeral)?;
                Ok(SettingValue::Percent(percent))
            }
            "" => Err(hint(format!("write `{text}%`"))),
            _ => Err(Fault::Kind(None)),
        },
        Kind::Rate => match numeral.unit {
            "/s" if numeral.sign.is_none() => {
                let rate = numeral.plain().ok_or(Fault::Kind(None))?;
                within(text, rate, f64::MIN_POSITIVE, 1e9)?;
                Ok(SettingValue::Rate(rate))
            }
            "k/s" if numeral.sign.is_none() => {
                let rate = numeral.plain().ok_or(Fault::Kind(None))? * 1000.0;
                within(text, rate, f64::MIN_POSITIVE, 1e9)?;
                Ok(SettingValue::Rate(rate))
            }
            "" => Err(hint(format!("write `{text}/s`"))),
            _ => Err(Fault::Kind(None)),
        },
        Kind::Files => {
            let Some((files, size)) = text.split_once('x') else {
                return Err(Fault::Kind(None));
            };
            let SettingValue::Size(bytes_each) = number(size, &Kind::Size)? else {
                return Err(Fault::Kind(None));
            };
            let files: u32 = files.parse().map_err(|_| Fault::Kind(None))?;
            within(text, u64::from(files), 1, 1000)?;
            if u64::from(files).checked_mul(bytes_each).is_none() {
                return Err(Fault::Bounds(format!("`{}` is too large", clipped(text))));
            }
            Ok(SettingValue::Files(FileSet { files, bytes_each }))
        }
        Kind::Processors => processors(text),
        _ => Err(Fault::Kind(None)),
    }
}

/// A percentage without a sign, above 0, up to 100.
fn percentage(text: &str, numeral: &Numeral<'_>) -> Result<f64, Fault> {
    if numeral.sign.is_some() {
        return Err(Fault::Kind(Some("it has no sign".to_string())));
    }
    let percent = numeral.plain().ok_or(Fault::Kind(None))?;
    if percent <= 0.0 || percent > 100.0 {
        return Err(Fault::Bounds(format!("`{}` is not above 0% and up to 100%", clipped(text))));
    }
    Ok(percent)
}

/// The number of a word such as `12.5%` that is a percentage of something.
pub(super) fn share(word: &Word) -> Result<f64, Fault> {
    let text = word.text();
    match (&word.kind, Numeral::of(text)) {
        (WordKind::Number(_), Some(numeral)) if numeral.unit == "%" => percentage(text, &numeral),
        _ => Err(Fault::Kind(None)),
    }
}

fn within<N: PartialOrd + std::fmt::Display>(
    text: &str,
    value: N,
    min: N,
    max: N,
) -> Result<(), Fault> {
    let text = clipped(text);
    if value < min {
        Err(Fault::Bounds(format!("`{text}` is too small: at least {min}")))
    } else if value > max {
        Err(Fault::Bounds(format!("`{text}` is too large: at most {max}")))
    } else {
        Ok(())
    }
}

fn processors(text: &str) -> Result<SettingValue, Fault> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let read = |part: &str| part.parse::<u32>().map_err(|_| Fault::Kind(None));
    let (first, last) = (read(first)?, read(last)?);
    if first > last || last > 4095 {
        return Err(Fault::Bounds(format!("`{text}` names no processors")));
    }
    Ok(SettingValue::Word(text.to_string()))
}

/// What a number most likely is when nobody says its kind.
fn guess(text: &str) -> SettingValue {
    const ORDER: &[Kind] = &[
        Kind::Count { min: 0, max: u64::MAX },
        Kind::Number { min: f64::MIN, max: f64::MAX },
        Kind::Size,
        Kind::Duration,
        Kind::Rate,
        Kind::Files,
    ];
    let duration = || number(text, &Kind::Duration);
    let signed_percent = || {
        let numeral = Numeral::of(text)?;
        (numeral.unit == "%").then(|| numeral.plain()).flatten()
    };
    if let Some(percent) = signed_percent() {
        return SettingValue::Percent(percent);
    }
    if text.ends_with('m')
        && let Ok(value) = duration()
    {
        return value;
    }
    ORDER
        .iter()
        .find_map(|kind| number(text, kind).ok())
        .unwrap_or_else(|| SettingValue::Word(text.to_string()))
}

/// The value of a server option: numbers are numbers, the server's suffixes are sizes, all else is
/// passed on as it is.
fn option_value(text: &str) -> SettingValue {
    let as_it_is = || SettingValue::Word(text.to_string());
    let Some(numeral) = Numeral::of(text) else { return as_it_is() };
    match numeral.unit {
        "" if numeral.fraction.is_empty() && numeral.sign.is_none() => {
            numeral.times(1).map_or_else(|_| as_it_is(), SettingValue::Count)
        }
        "" => numeral
            .plain()
            .map(SettingValue::Number)
            .filter(|value| value.to_string() == text)
            .unwrap_or_else(as_it_is),
        unit => size_factor(unit)
            .and_then(|factor| numeral.times(factor).ok())
            .map_or_else(as_it_is, SettingValue::Size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{FileId, Span};

    fn word(text: &str) -> Word {
        Word { kind: unquoted(text), span: Span { file: FileId(0), start: 0, end: text.len() } }
    }

    fn read(text: &str, kind: Kind) -> Result<SettingValue, String> {
        literal(&word(text), &kind).map_err(|d| {
            d.help.iter().fold(d.message, |message, help| format!("{message} ({help})"))
        })
    }

    #[test]
    fn sizes_are_powers_of_1024_in_any_case() {
        for text in ["1.5GB", "1536M", "1536mib", "1572864K", "1610612736B", "1610612736b"] {
            assert_eq!(read(text, Kind::Size), Ok(SettingValue::Size(1536 << 20)), "{text}");
        }
        assert_eq!(
            read("64", Kind::Size).unwrap_err(),
            "expected a size such as `4GB`, found the count `64` (a size has a unit: `64MB`, `64GB`)"
        );
        assert_eq!(read("99999999T", Kind::Size).unwrap_err(), "`99999999T` is too large");
        assert_eq!(read("0.3B", Kind::Size).unwrap_err(), "`0.3B` is no whole number");
    }

    #[test]
    fn counts_are_powers_of_1000() {
        let count = Kind::Count { min: 1, max: 2_000_000 };
        assert_eq!(read("100k", count), Ok(SettingValue::Count(100_000)));
        assert_eq!(read("1.5M", count), Ok(SettingValue::Count(1_500_000)));
        assert_eq!(read("0", count).unwrap_err(), "`0` is too small: at least 1");
        assert_eq!(read("3M", count).unwrap_err(), "`3M` is too large: at most 2000000");
        let message = "expected a count such as `64` or `100k`, found the duration `2m` \
                       (`m` means minutes; millions are written `2M`)";
        assert_eq!(read("2m", count).unwrap_err(), message);
        let huge = "9".repeat(1000);
        assert!(read(&huge, Kind::POSITIVE).unwrap_err().ends_with("is too large"));
    }

    #[test]
    fn durations_rates_percentages_and_files() {
        let ms = |n| Ok(SettingValue::Duration(Duration::from_millis(n)));
        assert_eq!(read("1.5h", Kind::Duration), ms(5_400_000));
        assert_eq!(read("250ms", Kind::Duration), ms(250));
        assert_eq!(read("1d", Kind::Duration), ms(86_400_000));
        assert!(read("20", Kind::Duration).unwrap_err().contains("has a unit: `20s`"));
        assert_eq!(read("500/s", Kind::Rate), Ok(SettingValue::Rate(500.0)));
        assert_eq!(read("2k/s", Kind::Rate), Ok(SettingValue::Rate(2000.0)));
        assert_eq!(read("12.5%", Kind::Percent), Ok(SettingValue::Percent(12.5)));
        assert!(read("101%", Kind::Percent).is_err());
        assert!(read("-1%", Kind::Percent).is_err());
        assert_eq!(
            read("2x4GB", Kind::Files),
            Ok(SettingValue::Files(FileSet { files: 2, bytes_each: 4 << 30 }))
        );
        assert!(read("0x4GB", Kind::Files).is_err());
        assert_eq!(read("0..1", Kind::Processors), Ok(SettingValue::Word("0..1".into())));
        assert!(read("3..1", Kind::Processors).is_err());
    }

    #[test]
    fn words_are_suggested() {
        let kind = Kind::Words(&["keep", "drop"]);
        assert_eq!(read("DROP", kind), Ok(SettingValue::Word("drop".into())));
        assert_eq!(
            read("dorp", kind).unwrap_err(),
            "expected `keep` or `drop`, found `dorp` (did you mean `drop`?)"
        );
    }

    #[test]
    fn quotes_too_many_or_too_few_are_pointed_out() {
        let mut quoted = word("4GB");
        quoted.kind = WordKind::Quoted("4GB".into());
        let error = literal(&quoted, &Kind::Size).unwrap_err();
        assert_eq!(error.help, ["write it without quotes: `4GB`"]);
        assert!(read("a.sql", Kind::Text).unwrap_err().contains("write it in quotes: \"a.sql\""));
    }

    #[test]
    fn option_values_keep_what_the_server_must_see() {
        for (text, value) in [
            ("100", SettingValue::Count(100)),
            ("64m", SettingValue::Size(64 << 20)),
            ("0.75", SettingValue::Number(0.75)),
            ("0.750", SettingValue::Word("0.750".into())),
            ("-1", SettingValue::Number(-1.0)),
            ("10.0.0.1", SettingValue::Word("10.0.0.1".into())),
            ("ibdata1:10M", SettingValue::Word("ibdata1:10M".into())),
        ] {
            assert_eq!(read(text, Kind::OptionValue), Ok(value), "{text}");
        }
    }

    #[test]
    fn a_number_without_a_kind_is_guessed() {
        for (text, value) in [
            ("2m", SettingValue::Duration(Duration::from_secs(120))),
            ("2M", SettingValue::Count(2_000_000)),
            ("4G", SettingValue::Size(4 << 30)),
            ("+10%", SettingValue::Percent(10.0)),
            ("-0.5", SettingValue::Number(-0.5)),
            ("7/s", SettingValue::Rate(7.0)),
        ] {
            assert_eq!(read(text, Kind::Any), Ok(value), "{text}");
        }
    }
}
