//! Delivery (clause 2.7): one order of each district, all in one database transaction.
//!
//! The oldest undelivered order is read with a lock, and each statement must change as many rows
//! as the order has: two clients never deliver the same order. Every read that leads to a write
//! is a locking one as well, since a snapshot may be older than the order that the lock found.

use crate::target::session::{Access, Param, Session, SqlError, StatementId};
use crate::workload::tpcc::input::DeliveryInput;
use crate::workload::tpcc::scale::DISTRICTS;
use crate::workload::tpcc::sql::{changed, hundredths, int, known, money, number, prepare_locking};

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
        const ORDER: &str = "WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?";
        const LINES: &str = "WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?";
        Ok(Self {
            oldest: prepare_locking(
                session,
                "SELECT no_o_id FROM new_orders WHERE no_w_id = ? AND no_d_id = ? \
                 ORDER BY no_o_id LIMIT 1",
            )?,
            dequeue: session.prepare(
                "DELETE FROM new_orders WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?",
            )?,
            order: prepare_locking(
                session,
                &format!("SELECT o_c_id, o_ol_cnt FROM orders {ORDER}"),
            )?,
            carry: session.prepare(&format!("UPDATE orders SET o_carrier_id = ? {ORDER}"))?,
            deliver: session
                .prepare(&format!("UPDATE order_line SET ol_delivery_d = ? {LINES}"))?,
            amount: session.prepare(&format!("SELECT SUM(ol_amount) FROM order_line {LINES}"))?,
            charge: session.prepare(
                "UPDATE customer SET c_balance = c_balance + ?, \
                 c_delivery_cnt = c_delivery_cnt + 1 \
                 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
            )?,
        })
    }

    pub(super) fn attempt(
        &self,
        session: &mut dyn Session,
        input: DeliveryInput,
        now: &str,
    ) -> Result<(), SqlError> {
        session.begin(Access::ReadWrite)?;
        for district in 1..=DISTRICTS {
            self.deliver_oldest(session, input, district, now)?;
        }
        session.commit()
    }

    /// Delivers the oldest order of a district; a district without one is skipped.
    fn deliver_oldest(
        &self,
        session: &mut dyn Session,
        input: DeliveryInput,
        district: u32,
        now: &str,
    ) -> Result<(), SqlError> {
        let (warehouse, district) = (int(input.warehouse), int(district));
        let mut oldest = None;
        let there = session.execute_first(self.oldest, &[warehouse, district], &mut |row| {
            oldest = number(row, 0);
        })?;
        if !there {
            return Ok(());
        }
        let order = int(known("delivery: the oldest order", oldest)?);
        let key = [warehouse, district, order];
        let outcome = session.execute(self.dequeue, &key)?;
        changed("delivery: DELETE FROM new_orders", outcome, 1)?;
        let mut found = None;
        session.execute_first(self.order, &key, &mut |row| {
            found = number(row, 0).zip(number(row, 1));
        })?;
        let (customer, lines) = known("delivery: the order", found)?;
        let outcome =
            session.execute(self.carry, &[int(input.carrier), warehouse, district, order])?;
        changed("delivery: UPDATE orders", outcome, 1)?;
        let outcome =
            session.execute(self.deliver, &[Param::DateTime(now), warehouse, district, order])?;
        changed("delivery: UPDATE order_line", outcome, u64::from(lines))?;
        let mut amount = None;
        session.execute_first(self.amount, &key, &mut |row| amount = hundredths(row, 0))?;
        let amount = money(known("delivery: the order's amount", amount)?);
        let outcome =
            session.execute(self.charge, &[amount, warehouse, district, int(customer)])?;
        changed("delivery: UPDATE customer", outcome, 1)
    }
}
