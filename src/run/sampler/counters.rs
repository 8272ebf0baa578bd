//! Reads the counters of a running server by the engine table.

use crate::engine::EngineSpec;
use crate::engine::counters::{Counter, SERVER, Source};
use crate::model::Signal;
use crate::target::session::{Session, SqlError};
use std::collections::{BTreeMap, HashMap};

/// Status variables of a server, names in lower case.
type Status = HashMap<String, String>;

/// The counters that a running server has, each with the place it is read from.
#[derive(Debug)]
pub(super) struct ServerCounters {
    chosen: Vec<(Signal, Source)>,
    /// Of those whose place is made of global variables.
    fixed: BTreeMap<Signal, u64>,
}

impl ServerCounters {
    /// Looks for each counter of the engine and the server in its places, in order.
    pub(super) fn choose(
        session: &mut dyn Session,
        spec: &EngineSpec,
        variables: &BTreeMap<String, String>,
    ) -> Result<Self, SqlError> {
        let status = status(session)?;
        let mut found = Self { chosen: Vec::new(), fixed: BTreeMap::new() };
        for Counter { signal, sources } in spec.counters.iter().chain(SERVER) {
            for source in *sources {
                if let Source::Variables { product, percent } = source {
                    if let Some(value) = of_variables(variables, product, *percent) {
                        found.fixed.insert(*signal, value);
                        break;
                    }
                } else if let Some(source) = tried(*source, &status, session)? {
                    found.chosen.push((*signal, source));
                    break;
                }
            }
        }
        Ok(found)
    }

    /// What they are now.
    pub(super) fn read(
        &self,
        session: &mut dyn Session,
    ) -> Result<BTreeMap<Signal, u64>, SqlError> {
        let status = status(session)?;
        let mut values = self.fixed.clone();
        for (signal, source) in &self.chosen {
            if let Some(value) = value(*source, &status, session)? {
                values.insert(*signal, value);
            }
        }
        Ok(values)
    }
}

/// All status variables. One statement for all of them costs a server less than one for each.
fn status(session: &mut dyn Session) -> Result<Status, SqlError> {
    let mut status = Status::new();
    session.text_visit("SHOW GLOBAL STATUS", &mut |row| {
        let text =
            |column| row.text(column).map(|text| String::from_utf8_lossy(&text).into_owned());
        if let (Some(name), Some(value)) = (text(0), text(1)) {
            status.insert(name.to_ascii_lowercase(), value);
        }
        true
    })?;
    Ok(status)
}

/// The source, if the server has it. A statement that it refuses is no source.
fn tried(
    source: Source,
    status: &Status,
    session: &mut dyn Session,
) -> Result<Option<Source>, SqlError> {
    match value(source, status, session) {
        Ok(found) => Ok(found.map(|_| source)),
        Err(error) if error.class == crate::target::session::ErrorClass::ConnectionLost => {
            Err(error)
        }
        Err(_) => Ok(None),
    }
}

fn value(
    source: Source,
    status: &Status,
    session: &mut dyn Session,
) -> Result<Option<u64>, SqlError> {
    let text = |name: &str| status.get(&name.to_ascii_lowercase());
    let number = |name: &str| text(name).and_then(|value| value.parse::<u64>().ok());
    Ok(match source {
        Source::Status(name) => number(name),
        Source::Sum(names) => {
            let first = names.first().and_then(|name| number(name));
            first.map(|_| names.iter().filter_map(|name| number(name)).sum())
        }
        Source::Difference(larger, smaller) => {
            number(larger).zip(number(smaller)).map(|(a, b)| a.saturating_sub(b))
        }
        Source::Differ(one, other) => text(one).zip(text(other)).map(|(a, b)| u64::from(a != b)),
        Source::FileNumber(name) => text(name).and_then(|value| digits_at_end(value)),
        Source::Query(query) => first_value(session, query)?.as_deref().and_then(digits_at_end),
        Source::ReportDifference { engine, from, less } => {
            let mut report = String::new();
            session.text_visit(&format!("SHOW ENGINE {engine} STATUS"), &mut |row| {
                if let Some(text) = row.text(2) {
                    report = String::from_utf8_lossy(&text).into_owned();
                }
                true
            })?;
            number_after(&report, from)
                .zip(number_after(&report, less))
                .map(|(a, b)| a.saturating_sub(b))
        }
        // They do not change while the server runs.
        Source::Variables { .. } => None,
    })
}

fn first_value(session: &mut dyn Session, query: &str) -> Result<Option<String>, SqlError> {
    let mut first = None;
    session.text_visit(query, &mut |row| {
        first = row.text(0).map(|text| String::from_utf8_lossy(&text).into_owned());
        false
    })?;
    Ok(first)
}

/// `bin.000012` and `12.0` are 12: digits before a fraction, at the end of a name.
fn digits_at_end(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        return (number >= 0.0).then_some(number as u64);
    }
    let digits = text.len() - text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    text[text.len() - digits..].parse().ok()
}

/// The number that follows `words` in a report.
fn number_after(report: &str, words: &str) -> Option<u64> {
    let rest = report.split_once(words)?.1.trim_start();
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn of_variables(
    variables: &BTreeMap<String, String>,
    product: &[&str],
    percent: u64,
) -> Option<u64> {
    product
        .iter()
        .try_fold(percent, |sum, name| {
            variables.get(*name)?.parse::<u64>().ok().and_then(|value| sum.checked_mul(value))
        })
        .map(|hundredths| hundredths / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_names_and_reports() {
        assert_eq!(digits_at_end("bin.000012"), Some(12));
        assert_eq!(digits_at_end("7"), Some(7));
        assert_eq!(digits_at_end("3.0"), Some(3));
        assert_eq!(digits_at_end(""), None);
        let report = "LOG\n---\nLog sequence number 1626007\nLast checkpoint at  1625000\n";
        assert_eq!(number_after(report, "Last checkpoint at"), Some(1_625_000));
        assert_eq!(number_after(report, "Log sequence number"), Some(1_626_007));
        assert_eq!(number_after(report, "nothing"), None);
    }

    #[test]
    fn capacity_is_made_of_variables_where_the_release_tells_none() {
        let variables: BTreeMap<String, String> =
            [("innodb_log_file_size", "50331648"), ("innodb_log_files_in_group", "2")]
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .into();
        let names = ["innodb_log_file_size", "innodb_log_files_in_group"];
        assert_eq!(of_variables(&variables, &names, 81), Some(81_537_269));
        assert_eq!(of_variables(&variables, &["other"], 81), None);
    }
}
