//! Generated rows of the user's tables: by the types of columns, or as the suite says.

use super::draw::{Drawn, Source, Value};
use super::table::{ColumnType, Table, TableColumn};
use crate::model::Decimal;
use crate::target::session::{RowSink, RowSource};
use crate::workload::random::Stream;
use crate::workload::{Column, TablePart};

/// Rows of one part: loaders take parts at once.
const PART: u64 = 100_000;
/// Texts are made no longer than this where the suite says nothing, characters.
const LONGEST: u64 = 40;
/// Dates are drawn from so many days.
const DAYS: u64 = 1461;
/// 2020-01-01 as days after 1970-01-01.
const FIRST_DAY: i64 = 18_262;

/// `generate TABLE rows N`, with the columns that the suite speaks of.
#[derive(Clone, Debug, PartialEq)]
pub struct Generate {
    /// The table.
    pub table: Table,
    /// How many rows.
    pub rows: u64,
    /// Columns that the suite speaks of.
    pub columns: Vec<(String, Drawn)>,
}

/// How a column is filled.
#[derive(Clone)]
enum Fill {
    /// First + row % count.
    Sequence(u64, u64),
    Drawn(Source),
    /// Letters, then the row's number, so that no two are equal.
    UniqueText(u64),
    Money(i64),
    Day,
    Moment,
}

impl Generate {
    fn stated(&self, column: &str) -> Option<&Drawn> {
        let mut all = self.columns.iter();
        all.find(|(name, _)| name.eq_ignore_ascii_case(column)).map(|(_, drawn)| drawn)
    }

    /// The columns that rows hold, with how they are filled. An error names a column that must be
    /// stated.
    fn fills(&self) -> Result<Vec<(&TableColumn, Fill)>, String> {
        let mut fills = Vec::new();
        for column in self.table.columns.iter().filter(|column| !column.generated) {
            let fill = match self.stated(&column.name) {
                Some(Drawn::Sequential(low, high)) => {
                    Some(Fill::Sequence(*low, high.saturating_sub(*low) + 1))
                }
                Some(drawn) => Some(Fill::Drawn(Source::new(drawn))),
                None => self.by_type(column),
            };
            match fill {
                Some(fill) => fills.push((column, fill)),
                None if column.optional => {}
                None => return Err(column.name.clone()),
            }
        }
        Ok(fills)
    }

    fn by_type(&self, column: &TableColumn) -> Option<Fill> {
        let in_key = self.table.key.iter().any(|key| key.eq_ignore_ascii_case(&column.name));
        let drawn = |drawn: Drawn| Some(Fill::Drawn(Source::new(&drawn)));
        let uniform = super::Distribution::Uniform;
        match &column.column_type {
            ColumnType::Int { .. } if in_key || column.unique => {
                Some(Fill::Sequence(1, u64::MAX >> 1))
            }
            ColumnType::Int { max } => drawn(Drawn::Range(uniform, 1, self.rows.clamp(1, *max))),
            ColumnType::Decimal { digits, .. } => {
                Some(Fill::Money(10i64.pow(u32::from(*digits.min(&9)))))
            }
            ColumnType::Text { longest } if in_key || column.unique => {
                Some(Fill::UniqueText(*longest.min(&LONGEST)))
            }
            ColumnType::Text { longest } => {
                let high = *longest.min(&LONGEST);
                drawn(Drawn::Text(high.div_ceil(2), high))
            }
            ColumnType::Date => Some(Fill::Day),
            ColumnType::DateTime => Some(Fill::Moment),
            ColumnType::Other(_) => None,
        }
    }

    /// What is wrong with it; the column that it is about, and why.
    pub fn problem(&self) -> Option<(String, String)> {
        for (name, drawn) in &self.columns {
            let Some(column) = self.table.column(name) else { continue };
            let number = matches!(drawn, Drawn::Range(..) | Drawn::Sequential(..));
            if number && matches!(column.column_type, ColumnType::Date | ColumnType::DateTime) {
                return Some((name.clone(), "it holds dates; name some with `of`".to_string()));
            }
            if column.generated {
                return Some((name.clone(), "the server works it out itself".to_string()));
            }
        }
        let column = self.fills().err()?;
        let kind = match self.table.column(&column).map(|column| &column.column_type) {
            Some(ColumnType::Other(kind)) => kind.clone(),
            _ => String::new(),
        };
        Some((column, format!("nothing is known about values of type {kind}; name some with `of`")))
    }

    /// The columns that rows hold.
    pub(super) fn loaded(&self) -> Vec<Column> {
        let fills = self.fills().unwrap_or_default();
        fills.iter().map(|(column, _)| column.loaded()).collect()
    }

    /// Its parts.
    pub(super) fn parts(&self) -> Vec<TablePart> {
        (0..self.rows.div_ceil(PART))
            .map(|part| TablePart {
                part: u32::try_from(part).unwrap_or(u32::MAX),
                rows: PART.min(self.rows - part * PART),
            })
            .collect()
    }

    /// Whether rows come in the order of the primary key.
    pub(super) fn in_key_order(&self) -> bool {
        let Some(first) = self.table.key.first() else { return false };
        let fills = self.fills().unwrap_or_default();
        fills.iter().any(|(column, fill)| {
            column.name.eq_ignore_ascii_case(first)
                && matches!(fill, Fill::Sequence(_, count) if *count >= self.rows)
        })
    }

    /// The rows of a part.
    pub(super) fn source(&self, seed: u64, part: u32) -> Box<dyn RowSource> {
        let fills = self.fills().unwrap_or_default();
        let first = u64::from(part) * PART;
        Box::new(Generated {
            stream: Stream::new(seed, &format!("generate {}", self.table.name), &[part.into()]),
            fills: fills
                .into_iter()
                .map(|(column, fill)| (column.column_type.clone(), fill))
                .collect(),
            row: first,
            end: self.rows.min(first + PART),
            expected: self.rows.saturating_sub(first).min(PART),
        })
    }
}

struct Generated {
    stream: Stream,
    fills: Vec<(ColumnType, Fill)>,
    row: u64,
    end: u64,
    expected: u64,
}

impl RowSource for Generated {
    fn next_row(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.row >= self.end {
            return false;
        }
        for (kind, fill) in &self.fills {
            fill_field(kind, fill, self.row, &mut self.stream, sink);
        }
        sink.end_row();
        self.row += 1;
        true
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}

fn fill_field(
    kind: &ColumnType,
    fill: &Fill,
    row: u64,
    stream: &mut Stream,
    sink: &mut dyn RowSink,
) {
    match fill {
        Fill::Sequence(first, count) => number(kind, (first + row % count) as i64, sink),
        Fill::Drawn(source) => match source.draw(stream) {
            Value::Null => sink.null(),
            Value::Int(drawn) => number(kind, drawn, sink),
            Value::Text(text) => texts(kind, &text, sink),
        },
        Fill::UniqueText(longest) => {
            let number = format!("{row:x}");
            let letters = (*longest as usize).saturating_sub(number.len()).min(16);
            let mut text = vec![0; letters];
            stream.fill_alphanumeric(&mut text);
            text.extend_from_slice(number.as_bytes());
            sink.text(&text);
        }
        Fill::Money(below) => {
            let scale = if let ColumnType::Decimal { scale, .. } = kind { *scale } else { 0 };
            sink.decimal(Decimal { unscaled: stream.below(*below as u64) as i64, scale });
        }
        Fill::Day => sink.text(&day(stream.below(DAYS))),
        Fill::Moment => {
            let mut text = day(stream.below(DAYS));
            let second = stream.below(86_400);
            let (hour, minute) = (second / 3600, second / 60 % 60);
            text.extend_from_slice(format!(" {hour:02}:{minute:02}:{:02}", second % 60).as_bytes());
            sink.datetime(&text);
        }
    }
}

fn number(kind: &ColumnType, number: i64, sink: &mut dyn RowSink) {
    match kind {
        ColumnType::Decimal { scale, .. } => {
            let unscaled = number.saturating_mul(10i64.pow(u32::from(*scale)));
            sink.decimal(Decimal { unscaled, scale: *scale });
        }
        ColumnType::Int { .. } => sink.int(number),
        _ => sink.text(number.to_string().as_bytes()),
    }
}

fn texts(kind: &ColumnType, text: &[u8], sink: &mut dyn RowSink) {
    if let ColumnType::Decimal { scale, .. } = kind
        && let Some(number) = Decimal::parse(text, *scale)
    {
        return sink.decimal(number);
    }
    sink.text(text);
}

/// A day after the first one, `YYYY-MM-DD` (Hinnant, "chrono-compatible low-level date algorithms").
fn day(after: u64) -> Vec<u8> {
    let days = FIRST_DAY + after as i64 + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::checksum::ChecksumSink;
    use crate::workload::distribution::Distribution;

    fn column(name: &str, column_type: ColumnType) -> TableColumn {
        TableColumn {
            name: name.to_string(),
            column_type,
            optional: false,
            generated: false,
            unique: false,
        }
    }

    fn orders(rows: u64) -> Generate {
        Generate {
            table: Table {
                name: "orders".to_string(),
                columns: vec![
                    column("id", ColumnType::Int { max: 1 << 31 }),
                    column("customer", ColumnType::Int { max: 1 << 31 }),
                    column("total", ColumnType::Decimal { digits: 10, scale: 2 }),
                    column("at", ColumnType::DateTime),
                    column("note", ColumnType::Text { longest: 20 }),
                ],
                key: vec!["id".to_string()],
            },
            rows,
            columns: vec![("customer".to_string(), Drawn::Range(Distribution::Zipfian, 1, 10))],
        }
    }

    fn checksum(generate: &Generate, seed: u64) -> crate::workload::TableChecksum {
        let mut sink = ChecksumSink::default();
        for part in generate.parts() {
            let mut source = generate.source(seed, part.part);
            let mut rows = 0;
            while source.next_row(&mut sink) {
                rows += 1;
            }
            assert_eq!((rows, source.expected()), (part.rows, part.rows));
        }
        sink.checksum
    }

    #[test]
    fn rows_are_the_same_for_a_seed_and_others_for_another() {
        let generate = orders(PART + 10);
        assert_eq!(generate.parts().len(), 2);
        assert!(generate.in_key_order());
        let first = checksum(&generate, 1);
        assert_eq!(first.rows, PART + 10);
        assert_eq!(first, checksum(&generate, 1));
        assert_ne!(first, checksum(&generate, 2));
    }

    #[test]
    fn columns_that_nothing_is_known_about_must_be_stated() {
        let mut generate = orders(5);
        generate.table.columns.push(column("state", ColumnType::Other("ENUM".to_string())));
        let (name, why) = generate.problem().unwrap();
        assert_eq!(name, "state");
        assert!(why.contains("ENUM"), "{why}");
        generate.columns.push((
            "state".to_string(),
            Drawn::OneOf(Distribution::Uniform, vec!["new".to_string()]),
        ));
        assert_eq!(generate.problem(), None);
        generate.columns.push(("at".to_string(), Drawn::Sequential(1, 5)));
        assert!(generate.problem().unwrap().1.contains("dates"));
    }

    #[test]
    fn days_follow_the_calendar() {
        let text = |after| String::from_utf8(day(after)).unwrap();
        assert_eq!(text(0), "2020-01-01");
        assert_eq!(text(59), "2020-02-29");
        assert_eq!(text(60), "2020-03-01");
        assert_eq!(text(DAYS), "2024-01-01");
    }
}
