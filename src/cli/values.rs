//! Values of the command line that are written as in a suite: durations.

use crate::diagnostic::{FileId, Span};
use crate::model::SettingValue;
use crate::syntax::literal::literal;
use crate::syntax::shapes::Kind;
use crate::syntax::tree::{Word, WordKind};
use std::time::Duration;

fn read(text: &str, kind: &Kind) -> Result<SettingValue, String> {
    let span = Span { file: FileId(0), start: 0, end: 0 };
    let word = Word { kind: WordKind::Number(text.to_string()), span };
    literal(&word, kind).map_err(|wrong| wrong.message)
}

/// A duration such as `8h` or `90m`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    match read(text, &Kind::Duration)? {
        SettingValue::Duration(duration) => Ok(duration),
        _ => Err(format!("`{text}` is no duration; write `8h` or `90m`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_suites_write_them() {
        assert_eq!(duration("8h"), Ok(Duration::from_secs(8 * 3600)));
        assert!(duration("8").is_err() && duration("8 apples").is_err());
    }
}
