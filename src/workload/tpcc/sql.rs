//! What all transactions need of SQL: row locks by dialect, parameters, and counts and values
//! that must be as expected.

use crate::model::Decimal;
use crate::target::session::{Dialect, Outcome, Param, RowView, Session, SqlError, StatementId};

/// Prepares a query whose rows will be written, locking them. SQLite has no row locks: its
/// session takes the write lock when the transaction begins.
pub(super) fn prepare_locking(
    session: &mut dyn Session,
    sql: &str,
) -> Result<StatementId, SqlError> {
    match session.dialect() {
        Dialect::MySql => session.prepare(&format!("{sql} FOR UPDATE")),
        Dialect::Sqlite => session.prepare(sql),
    }
}

/// An integer parameter.
pub(super) fn int(value: u32) -> Param<'static> {
    Param::Int(i64::from(value))
}

/// A parameter of money in hundredths.
pub(super) fn money(hundredths: i64) -> Param<'static> {
    Param::Decimal(Decimal::hundredths(hundredths))
}

/// The same as a float: tpcc_start sends money so, which costs the server about 3 % of its time.
pub(super) fn money_as_float(hundredths: i64) -> Param<'static> {
    Param::Float(Decimal::hundredths(hundredths))
}

/// Fails when a statement changed another number of rows than it must: the transaction would
/// commit something that is not TPC-C.
pub(super) fn changed(what: &str, outcome: Outcome, expected: u64) -> Result<(), SqlError> {
    if outcome.affected == expected {
        return Ok(());
    }
    Err(SqlError::local(format!(
        "{what} changed {} rows, it must change {expected}",
        outcome.affected
    )))
}

/// A value that must be there.
pub(super) fn known<T>(what: &str, value: Option<T>) -> Result<T, SqlError> {
    value.ok_or_else(|| SqlError::local(format!("{what} found no row, or a value that is NULL")))
}

/// A column that holds a small number, such as an order's or a customer's.
pub(super) fn number(row: &dyn RowView, column: usize) -> Option<u32> {
    u32::try_from(row.int(column)?).ok()
}

/// A column of money, in hundredths.
pub(super) fn hundredths(row: &dyn RowView, column: usize) -> Option<i64> {
    row.decimal(column, 2).map(|amount| amount.unscaled)
}

/// Whether a column holds `word` somewhere.
pub(super) fn holds(row: &dyn RowView, column: usize, word: &[u8]) -> bool {
    row.text(column).is_some_and(|text| text.windows(word.len()).any(|part| part == word))
}

/// Puts the text of a column at the end of `out`.
pub(super) fn append(row: &dyn RowView, column: usize, out: &mut Vec<u8>) {
    if let Some(text) = row.text(column) {
        out.extend_from_slice(&text);
    }
}

/// `numerator / denominator`, halves away from zero. The denominator is positive.
pub(super) fn rounded(numerator: i128, denominator: i128) -> i64 {
    let half = denominator / 2 * numerator.signum();
    ((numerator + half) / denominator) as i64
}

/// The customer in the middle, counted from 1: of n customers of one name, number n/2 rounded up
/// (clause 2.5.2.2).
pub(super) fn middle(count: usize) -> usize {
    count.div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_rounded_to_the_nearest_hundredth() {
        assert_eq!(rounded(149, 100), 1);
        assert_eq!(rounded(150, 100), 2);
        assert_eq!(rounded(-150, 100), -2);
        assert_eq!(rounded(-149, 100), -1);
    }

    #[test]
    fn the_middle_is_rounded_up() {
        assert_eq!([1, 2, 3, 4, 5].map(middle), [1, 1, 2, 2, 3]);
    }

    #[test]
    fn a_wrong_count_says_which_statement_and_how_many() {
        let outcome = Outcome { affected: 0, ..Outcome::default() };
        let error =
            changed("delivery: DELETE FROM new_orders", outcome, 1).expect_err("0 is not 1");
        assert_eq!(
            error.message,
            "delivery: DELETE FROM new_orders changed 0 rows, it must change 1"
        );
        assert!(!error.can_retry());
    }
}
