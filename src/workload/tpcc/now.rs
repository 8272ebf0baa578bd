//! The present second as SQL writes it.

use jiff::Timestamp;
use jiff::tz::Offset;

/// Writes the time of day, UTC, anew only when the second has changed.
pub(super) struct Now {
    second: i64,
    text: String,
}

impl Now {
    pub(super) fn new() -> Self {
        Self { second: i64::MIN, text: String::with_capacity(19) }
    }

    /// `YYYY-MM-DD hh:mm:ss`.
    pub(super) fn text(&mut self) -> &str {
        let now = Timestamp::now();
        if now.as_second() != self.second {
            self.second = now.as_second();
            self.text.clear();
            write(now, &mut self.text);
        }
        &self.text
    }
}

fn write(at: Timestamp, out: &mut String) {
    use std::fmt::Write as _;
    let at = Offset::UTC.to_datetime(at);
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}",
        at.year(),
        at.month(),
        at.day(),
        at.hour(),
        at.minute(),
        at.second()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_written_as_sql_reads_them() {
        let mut text = String::new();
        write(Timestamp::from_second(1_709_262_245).expect("in range"), &mut text);
        assert_eq!(text, "2024-03-01 03:04:05");
        assert_eq!(Now::new().text().len(), 19);
    }
}
