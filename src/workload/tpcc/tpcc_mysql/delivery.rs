//! Delivery as tpcc-mysql sends it: a commit after each district, the oldest order read without a
//! lock, and no look at whether the DELETE found it: two clients can deliver the same order.

use super::begin;
use crate::target::session::{Access, Param, Session, SqlError, StatementId};
use crate::workload::tpcc::input::DeliveryInput;
use crate::workload::tpcc::scale::DISTRICTS;
use crate::workload::tpcc::sql::{hundredths, int, known, money_as_float, number};

/// Delivery, prepared.
pub(super) struct Delivery {
    oldest: StatementId,
    dequeue: StatementId,
    order: StatementId,
    carry: StatementId,
    deliver: StatementId,
    amount: StatementId,
    charge: StatementId,
}

impl Delivery {
    pub(super) fn prepare(session: &mut dyn Session) -> Result<Self, SqlError> {
        const ORDER: &str = "WHERE o_id = ? AND o_d_id = ? AND o_w_id = ?";
        const LINES: &str = "WHERE ol_o_id = ? AND ol_d_id = ? AND ol_w_id = ?";
        Ok(Self {
            oldest: session.prepare(
                "SELECT COALESCE(MIN(no_o_id), 0) FROM new_orders \
                 WHERE no_d_id = ? AND no_w_id = ?",
            )?,
            dequeue: session.prepare(
                "DELETE FROM new_orders WHERE no_o_id = ? AND no_d_id = ? AND no_w_id = ?",
            )?,
            order: session.prepare(&format!("SELECT o_c_id FROM orders {ORDER}"))?,
            carry: session.prepare(&format!("UPDATE orders SET o_carrier_id = ? {ORDER}"))?,
            deliver: session
                .prepare(&format!("UPDATE order_line SET ol_delivery_d = ? {LINES}"))?,
            amount: session.prepare(&format!("SELECT SUM(ol_amount) FROM order_line {LINES}"))?,
            charge: session.prepare(
                "UPDATE customer SET c_balance = c_balance + ?, \
                 c_delivery_cnt = c_delivery_cnt + 1 \
                 WHERE c_id = ? AND c_d_id = ? AND c_w_id = ?",
            )?,
        })
    }

    pub(super) fn attempt(
        &self,
        session: &mut dyn Session,
        input: DeliveryInput,
        now: &str,
    ) -> Result<(), SqlError> {
        let warehouse = int(input.warehouse);
        for district in (1..=DISTRICTS).map(int) {
            begin(session, Access::ReadWrite)?;
            let mut oldest = None;
            session.execute_first(self.oldest, &[district, warehouse], &mut |row| {
                oldest = number(row, 0);
            })?;
            match known("delivery: the oldest order", oldest)? {
                0 => end_empty(session)?,
                order => self.deliver(session, [int(order), district, warehouse], input, now)?,
            }
        }
        Ok(())
    }

    fn deliver(
        &self,
        session: &mut dyn Session,
        key: [Param<'_>; 3],
        input: DeliveryInput,
        now: &str,
    ) -> Result<(), SqlError> {
        let [order, district, warehouse] = key;
        session.execute(self.dequeue, &key)?;
        let mut customer = None;
        session.execute_first(self.order, &key, &mut |row| customer = number(row, 0))?;
        let customer = int(known("delivery: the order", customer)?);
        session.execute(self.carry, &[int(input.carrier), order, district, warehouse])?;
        session.execute(self.deliver, &[Param::DateTime(now), order, district, warehouse])?;
        let mut amount = None;
        session.execute_first(self.amount, &key, &mut |row| amount = hundredths(row, 0))?;
        let amount = money_as_float(known("delivery: the order's amount", amount)?);
        session.execute(self.charge, &[amount, customer, district, warehouse])?;
        session.commit()
    }
}

/// The tool goes on to the next district without a commit where nothing waits; a session that
/// must say BEGIN has to end what it began.
fn end_empty(session: &mut dyn Session) -> Result<(), SqlError> {
    match session.dialect() {
        crate::target::session::Dialect::MySql => Ok(()),
        crate::target::session::Dialect::Sqlite => session.commit(),
    }
}
