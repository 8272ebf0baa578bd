//! Growth of what transactions add to, against what clients say they committed.

use super::int;
use crate::target::session::{Session, SqlError};
use crate::workload::Checked;
use crate::workload::tpcc::scale::{DISTRICTS, Scale};
use crate::workload::tpcc::{NEW_ORDER, PAYMENT, TYPES};
use std::collections::BTreeMap;

/// Sum of `d_next_o_id`: grows by one with each New-Order.
const ORDERS: &str = "orders";
/// Rows of `history`: one more with each Payment.
const HISTORY: &str = "history";

/// Both counters over the active warehouses, read.
pub(super) fn read(
    active: u32,
    session: &mut dyn Session,
) -> Result<BTreeMap<String, i64>, SqlError> {
    let history = one(session, &format!("SELECT COUNT(*) FROM history WHERE h_w_id <= {active}"))?;
    Ok(BTreeMap::from([
        (ORDERS.to_string(), orders(active, session)?),
        (HISTORY.to_string(), history),
    ]))
}

/// Both counters before clients start.
///
/// Counting `history` would read all of it into the caches of a server that shall be measured
/// cold. Each Payment raises the year-to-date sum of its warehouse; while those sums are as
/// loaded, nobody has paid, and the rows are those that the load was checked to have.
pub(in crate::workload::tpcc) fn counters(
    scale: &Scale,
    active: u32,
    session: &mut dyn Session,
) -> Result<BTreeMap<String, i64>, SqlError> {
    let mut taken = None;
    let sql = format!("SELECT SUM(w_ytd) FROM warehouse WHERE w_id <= {active}");
    session.text_visit(&sql, &mut |row| {
        taken = super::hundredths(row, 0);
        true
    })?;
    let rows = i64::from(active) * i64::from(DISTRICTS * scale.customers);
    if taken != Some(rows * super::super::rows::FIRST_PAYMENT.unscaled) {
        return read(active, session);
    }
    Ok(BTreeMap::from([
        (ORDERS.to_string(), orders(active, session)?),
        (HISTORY.to_string(), rows),
    ]))
}

fn orders(active: u32, session: &mut dyn Session) -> Result<i64, SqlError> {
    one(session, &format!("SELECT SUM(d_next_o_id) FROM district WHERE d_w_id <= {active}"))
}

fn one(session: &mut dyn Session, sql: &str) -> Result<i64, SqlError> {
    let mut value = 0;
    session.text_visit(sql, &mut |row| {
        value = int(row, 0);
        true
    })?;
    Ok(value)
}

/// Growth must equal what was committed; transactions whose end nobody saw may have added one
/// each.
pub(super) fn compare(
    committed: &[u64],
    before: &BTreeMap<String, i64>,
    after: &BTreeMap<String, i64>,
    uncertain: u64,
) -> Result<Vec<Checked>, SqlError> {
    let counters =
        [(ORDERS, NEW_ORDER, "sum of d_next_o_id"), (HISTORY, PAYMENT, "rows of history")];
    let mut results = Vec::new();
    for (name, kind, what) in counters {
        let (Some(&from), Some(&to)) = (before.get(name), after.get(name)) else {
            return Err(SqlError::local(format!(
                "the {what} was not read before the clients started, so its growth is unknown"
            )));
        };
        let grown = to.wrapping_sub(from);
        let committed = committed.get(kind).copied().unwrap_or(0);
        let (least, most) = (committed as i64, committed.saturating_add(uncertain) as i64);
        let off = if grown < least { grown.abs_diff(least) } else { (grown - most).max(0) as u64 };
        let unknown = if uncertain > 0 {
            format!(", and {uncertain} transactions of unknown end")
        } else {
            String::new()
        };
        let detail = if off == 0 {
            String::new()
        } else {
            format!("{what} grew by {grown}; {committed} {} committed{unknown}", TYPES[kind])
        };
        let name = format!("{name} growth");
        results.push(Checked { name, violations: off, tolerated: false, detail });
    }
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(orders: i64, history: i64, uncertain: u64) -> Vec<u64> {
        let map = |orders, history| {
            BTreeMap::from([(ORDERS.to_string(), orders), (HISTORY.to_string(), history)])
        };
        let after = map(100 + orders, 1000 + history);
        let checked = compare(&[10, 20, 0, 0, 0], &map(100, 1000), &after, uncertain);
        checked.expect("both were read").iter().map(|checked| checked.violations).collect()
    }

    #[test]
    fn growth_is_exact_when_every_end_is_known() {
        assert_eq!(grown(10, 20, 0), [0, 0]);
        assert_eq!(grown(9, 22, 0), [1, 2]);
    }

    #[test]
    fn growth_is_bounded_when_some_ends_are_unknown() {
        assert_eq!(grown(10, 22, 2), [0, 0]);
        assert_eq!(grown(13, 19, 2), [1, 1]);
    }

    #[test]
    fn a_counter_that_was_not_read_is_an_error() {
        let error = compare(&[0; 5], &BTreeMap::new(), &BTreeMap::new(), 0);
        assert!(error.expect_err("nothing was read").message.contains("d_next_o_id"));
    }
}
