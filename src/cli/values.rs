//! Values of the command line that are written as in a suite: durations, sizes.

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

/// A size such as `50GB`, in bytes; `0` needs no unit.
pub(super) fn size(text: &str) -> Result<u64, String> {
    if text == "0" {
        return Ok(0);
    }
    match read(text, &Kind::Size)? {
        SettingValue::Size(bytes) => Ok(bytes),
        _ => Err(format!("`{text}` is no size; write `50GB`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_suites_write_them() {
        assert_eq!(duration("8h"), Ok(Duration::from_secs(8 * 3600)));
        assert!(duration("8").is_err() && duration("8 apples").is_err());
        assert_eq!((size("2GB"), size("0")), (Ok(2 << 30), Ok(0)));
        assert!(size("2").is_err() && size("GB").is_err() && size("99999999999TB").is_err());
    }
}
