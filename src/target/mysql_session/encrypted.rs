//! Statements over an encrypted connection: the client library sends them and reads what comes back,
//! since the keys are its own. Rows are read one at a time and never kept.

use super::field::Seen;
use crate::model::Decimal;
use crate::target::session::{Outcome, Param, RowView, Visit};
use mysql::prelude::{Protocol, Queryable};
use mysql::{Conn, Params, QueryResult, Row, Statement, Value};
use std::borrow::Cow;

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
        Param::Float(number) => {
            number.to_f32().map_or_else(|| Value::Double(number.to_f64()), Value::Float)
        }
    }
}

/// A row that is being read.
struct MysqlRow<'a>(&'a Row);

impl MysqlRow<'_> {
    fn field(&self, column: usize) -> Option<Seen<'_>> {
        match self.0.as_ref(column)? {
            Value::NULL => None,
            Value::Bytes(bytes) => Some(Seen::Text(bytes)),
            other => Some(Seen::Binary(other.clone())),
        }
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
        self.field(column)?.int()
    }

    fn decimal(&self, column: usize, scale: u8) -> Option<Decimal> {
        self.field(column)?.decimal(scale)
    }

    fn text(&self, column: usize) -> Option<Cow<'_, [u8]>> {
        self.field(column)?.text(self.0.columns_ref()[column].column_type())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_go_as_exact_text() {
        let params = to_params(&[Param::Decimal(Decimal::hundredths(-105)), Param::Null]);
        assert_eq!(params, Params::Positional(vec![Value::Bytes(b"-1.05".to_vec()), Value::NULL]));
        assert_eq!(to_params(&[]), Params::Empty);
    }
}
