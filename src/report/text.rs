//! How figures are written in reports.

use crate::compare::view::{Against, Judged, Series, Verdict};
use crate::model::units::{grouped, human_bytes, human_seconds};
use crate::model::{Metric, Unit};

/// A figure in its unit, with as many digits as it can carry.
pub(super) fn figure(metric: Metric, value: f64) -> String {
    match metric.unit() {
        Unit::Seconds => human_seconds(value),
        Unit::Bytes => human_bytes(value),
        Unit::Count => grouped(value, 0),
        Unit::PerMinute | Unit::PerSecond | Unit::Ratio => grouped(value, decimals(value)),
    }
}

/// Digits after the point that leave five significant ones, at most three.
fn decimals(value: f64) -> usize {
    match value.abs() {
        v if v >= 10_000.0 => 0,
        v if v >= 1000.0 => 1,
        v if v >= 100.0 => 2,
        _ => 3,
    }
}

/// A delta: `+12.30%`, `-0.70%`.
pub(super) fn percent(relative: f64) -> String {
    let percent = relative * 100.0;
    // Never `-0.00%`.
    let percent = if percent.abs() < 0.005 { 0.0 } else { percent };
    if percent.abs() >= 1000.0 {
        format!("{}{}%", if percent > 0.0 { "+" } else { "" }, grouped(percent, 0))
    } else {
        format!("{percent:+.2}%")
    }
}

/// The delta with its mark, padded so that marks stand below each other; empty without one.
pub(super) fn delta(against: &Against) -> String {
    match against {
        Against::Baseline | Against::NoBaseline => String::new(),
        Against::Unequal(_) => "≠".to_string(),
        Against::Delta(delta) => format!("{} {}", percent(delta.relative), mark(&delta.judged)),
    }
}

/// `~` where the sides cannot be told apart; a space where they can, or nothing is said.
pub(super) fn mark(judged: &Judged) -> char {
    match judged {
        Judged::Verdict { verdict: Verdict::Same | Verdict::Undecided, .. } => '~',
        _ => ' ',
    }
}

/// The interval: `[+10.1%, +14.5%]`, or why there is none.
pub(super) fn interval(against: &Against) -> String {
    against.delta().map_or_else(String::new, |delta| ends(&delta.judged))
}

/// The interval of a judged delta.
pub(super) fn ends(judged: &Judged) -> String {
    match judged {
        Judged::Verdict { low, high, .. } => format!("[{}, {}]", end(*low), end(*high)),
        Judged::NoVerdict(why) => why.as_str().to_string(),
    }
}

fn end(relative: f64) -> String {
    let percent = relative * 100.0;
    if percent > 1e6 {
        ">+1,000,000%".to_string()
    } else if percent.abs() >= 1000.0 {
        format!("{}{}%", if percent > 0.0 { "+" } else { "" }, grouped(percent, 0))
    } else {
        // One more digit where a tenth would hide on which side of 0 it lies.
        let digits = if percent.abs() < 10.0 { 2 } else { 1 };
        format!("{percent:+.digits$}%")
    }
}

/// A ratio to a millionth: what lies beyond says nothing, and differs from machine to machine.
pub(super) fn rounded(ratio: f64) -> f64 {
    (ratio * 1e6).round() / 1e6
}

/// A share: `0.12%`, `0` for none at all.
pub(super) fn share(part: u64, whole: u64) -> String {
    match (part, whole) {
        (0, _) => "0".to_string(),
        (part, 0) => grouped(part as f64, 0),
        (part, whole) => {
            let percent = part as f64 / whole as f64 * 100.0;
            if percent < 0.01 { "<0.01%".to_string() } else { format!("{percent:.2}%") }
        }
    }
}

/// Text in which nothing is taken for HTML or XML, in content and in quoted attributes. Characters
/// that XML forbids become U+FFFD.
pub(super) fn escaped_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            '\u{0}'..='\u{1f}' | '\u{7f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// The level of a series.
pub(super) fn level(series: &Series) -> String {
    figure(series.metric.metric, series.level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_five_digits() {
        assert_eq!(figure(Metric::Tpmc, 18_524.949), "18,525");
        assert_eq!(figure(Metric::Tpmc, 1852.4949), "1,852.5");
        assert_eq!(figure(Metric::Tps, 42.123_45), "42.123");
        assert_eq!(figure(Metric::LoadTime, 4920.0), "1 h 22 min");
    }

    #[test]
    fn deltas_have_two_digits_and_never_a_negative_zero() {
        assert_eq!(percent(0.123), "+12.30%");
        assert_eq!(percent(-0.187_7), "-18.77%");
        assert_eq!(percent(-0.000_01), "+0.00%");
        assert_eq!(percent(12.5), "+1,250%");
    }

    #[test]
    fn markup_in_foreign_text_is_text() {
        assert_eq!(
            escaped_markup("<script>alert('x' & \"y\")</script>\u{1b}[31m"),
            "&lt;script&gt;alert(&#39;x&#39; &amp; &quot;y&quot;)&lt;/script&gt;\u{fffd}[31m"
        );
    }

    #[test]
    fn shares_do_not_hide_a_single_retry() {
        assert_eq!(share(0, 100), "0");
        assert_eq!(share(1, 1_000_000), "<0.01%");
        assert_eq!(share(12, 10_000), "0.12%");
    }
}
