//! Statements over an encrypted connection: the client library sends them and reads what comes back,
//! since the keys are its own. Rows are read one at a time and never kept.

use crate::model::Decimal;
use crate::target::session::{Outcome, Param, RowView, Visit};
use mysql::consts::ColumnType;
use mysql::prelude::{Protocol, Queryable};
use mysql::{Conn, Params, QueryResult, Row, Statement, Value};
use std::borrow::Cow;
use std::io::Write;

/// Sends a statement as text and reads the whole reply.
pub(super) fn query(
    connection: &mut Conn,
    sql: &str,
    visit: Option<&mut Visit<'_>>,
) -> Result<Outcome, mysql::Error> {
    let outcome = connection.query_iter(sql).and_then(|result| read_through(result, visit))?;
    Ok(with_warnings(outcome, connection))
}

/// Executes a prepared statement and reads the whole reply.
pub(super) fn execute(
    connection: &mut Conn,
    statement: &Statement,
    params: &[Param<'_>],
    visit: Option<&mut Visit<'_>>,
) -> Result<Outcome, mysql::Error> {
    let outcome = connection
        .exec_iter(statement, to_params(params))
        .and_then(|result| read_through(result, visit))?;
    Ok(with_warnings(outcome, connection))
}

/// Warnings of a result set come with its end, after the rows.
fn with_warnings(outcome: Outcome, connection: &Conn) -> Outcome {
    Outcome { warnings: outcome.warnings.max(connection.warnings()), ..outcome }
}

/// Reads every row of every result set; `visit` sees them until it says that it has enough.
fn read_through<T: Protocol>(
    mut result: QueryResult<'_, '_, '_, T>,
    mut visit: Option<&mut Visit<'_>>,
) -> Result<Outcome, mysql::Error> {
    let mut outcome = Outcome::default();
    while let Some(set) = result.iter() {
        outcome.affected += set.affected_rows();
        outcome.warnings = outcome.warnings.max(set.warnings());
        for row in set {
            let row = row?;
            outcome.rows += 1;
            if let Some(visitor) = visit.as_mut()
                && !visitor(&MysqlRow(&row))
            {
                visit = None;
            }
        }
    }
    Ok(outcome)
}

/// Parameters in the client library's form. Decimals and times go as text: the server reads them
/// exactly.
fn to_params(params: &[Param<'_>]) -> Params {
    if params.is_empty() {
        return Params::Empty;
    }
    Params::Positional(params.iter().map(to_value).collect())
}

fn to_value(param: &Param<'_>) -> Value {
    match *param {
        Param::Null => Value::NULL,
        Param::Int(number) => Value::Int(number),
        Param::Decimal(number) => {
            let mut text = Vec::with_capacity(24);
            number.write_to(&mut text);
            Value::Bytes(text)
        }
        Param::Text(text) | Param::DateTime(text) => Value::Bytes(text.as_bytes().to_vec()),
        Param::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
        Param::Double(number) => Value::Double(number),
    }
}

/// A row that is being read.
struct MysqlRow<'a>(&'a Row);

impl MysqlRow<'_> {
    fn is_date_only(&self, column: usize) -> bool {
        self.0
            .columns_ref()
            .get(column)
            .is_some_and(|column| column.column_type() == ColumnType::MYSQL_TYPE_DATE)
    }
}

impl RowView for MysqlRow<'_> {
    fn columns(&self) -> usize {
        self.0.len()
    }

    fn is_null(&self, column: usize) -> bool {
        matches!(self.0.as_ref(column), None | Some(Value::NULL))
    }

    fn int(&self, column: usize) -> Option<i64> {
        match self.0.as_ref(column)? {
            Value::Int(number) => Some(*number),
            Value::UInt(number) => i64::try_from(*number).ok(),
            // The server sums integers as DECIMAL, which travels as text.
            Value::Bytes(text) => Decimal::parse(text, 0).map(|number| number.unscaled),
            Value::Float(number) => whole(f64::from(*number)),
            Value::Double(number) => whole(*number),
            Value::NULL | Value::Date(..) | Value::Time(..) => None,
        }
    }

    fn decimal(&self, column: usize, scale: u8) -> Option<Decimal> {
        match self.0.as_ref(column)? {
            Value::NULL | Value::Date(..) | Value::Time(..) => None,
            Value::Bytes(text) => Decimal::parse(text, scale),
            other => Decimal::parse(&written(other, false)?, scale),
        }
    }

    fn text(&self, column: usize) -> Option<Cow<'_, [u8]>> {
        match self.0.as_ref(column)? {
            Value::Bytes(bytes) => Some(Cow::Borrowed(bytes)),
            other => written(other, self.is_date_only(column)).map(Cow::Owned),
        }
    }
}

fn whole(number: f64) -> Option<i64> {
    // 2^53: beyond it a double no longer holds every integer.
    (number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0).then_some(number as i64)
}

/// A binary value written as the server's text protocol would write it.
fn written(value: &Value, date_only: bool) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(24);
    let done = match *value {
        Value::NULL | Value::Bytes(_) => return None,
        Value::Int(number) => write!(out, "{number}"),
        Value::UInt(number) => write!(out, "{number}"),
        Value::Float(number) => write!(out, "{number}"),
        Value::Double(number) => write!(out, "{number}"),
        Value::Date(year, month, day, ..) if date_only => {
            write!(out, "{year:04}-{month:02}-{day:02}")
        }
        Value::Date(year, month, day, hour, minute, second, micros) => {
            write!(out, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
                .and_then(|()| fraction(&mut out, micros))
        }
        Value::Time(negative, days, hours, minutes, seconds, micros) => {
            let sign = if negative { "-" } else { "" };
            let hours = u64::from(days) * 24 + u64::from(hours);
            write!(out, "{sign}{hours:02}:{minutes:02}:{seconds:02}")
                .and_then(|()| fraction(&mut out, micros))
        }
    };
    done.ok().map(|()| out)
}

fn fraction(out: &mut Vec<u8>, micros: u32) -> std::io::Result<()> {
    if micros == 0 { Ok(()) } else { write!(out, ".{micros:06}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_the_text_protocol_writes_them() {
        let text = |value, date_only| {
            written(&value, date_only).map(|bytes| String::from_utf8(bytes).unwrap())
        };
        assert_eq!(text(Value::Int(-5), false).unwrap(), "-5");
        assert_eq!(text(Value::UInt(u64::MAX), false).unwrap(), "18446744073709551615");
        let midnight = Value::Date(2024, 2, 9, 0, 0, 0, 0);
        assert_eq!(text(midnight.clone(), false).unwrap(), "2024-02-09 00:00:00");
        assert_eq!(text(midnight, true).unwrap(), "2024-02-09");
        assert_eq!(text(Value::Time(true, 1, 2, 3, 4, 5), false).unwrap(), "-26:03:04.000005");
        assert_eq!(text(Value::NULL, false), None);
    }

    #[test]
    fn decimals_go_as_exact_text() {
        let params = to_params(&[Param::Decimal(Decimal::hundredths(-105)), Param::Null]);
        assert_eq!(params, Params::Positional(vec![Value::Bytes(b"-1.05".to_vec()), Value::NULL]));
        assert_eq!(to_params(&[]), Params::Empty);
    }
}
