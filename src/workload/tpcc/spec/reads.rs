//! The two transactions that only read: Order-Status (clause 2.6) and Stock-Level (clause 2.8).

use crate::target::session::{Access, Param, Session, SqlError, StatementId};
use crate::workload::tpcc::input::{CustomerInput, StockLevelInput};
use crate::workload::tpcc::sql::{int, known, middle, number};

/// Orders that Stock-Level looks back at.
const RECENT_ORDERS: u32 = 20;

/// Order-Status, prepared.
pub(super) struct OrderStatus {
    by_name: StatementId,
    by_id: StatementId,
    order: StatementId,
    lines: StatementId,
    /// Customers of one name, in order of first name; reused.
    found: Vec<u32>,
}

impl OrderStatus {
    pub(super) fn prepare(session: &mut dyn Session) -> Result<Self, SqlError> {
        Ok(Self {
            by_name: session.prepare(
                "SELECT c_id, c_balance, c_first, c_middle, c_last FROM customer \
                 WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? ORDER BY c_first",
            )?,
            by_id: session.prepare(
                "SELECT c_id, c_balance, c_first, c_middle, c_last FROM customer \
                 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
            )?,
            order: session.prepare(
                "SELECT o_id, o_entry_d, o_carrier_id FROM orders \
                 WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? ORDER BY o_id DESC LIMIT 1",
            )?,
            lines: session.prepare(
                "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d \
                 FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
            )?,
            found: Vec::new(),
        })
    }

    pub(super) fn attempt(
        &mut self,
        session: &mut dyn Session,
        input: &CustomerInput,
    ) -> Result<(), SqlError> {
        let (warehouse, district) = (int(input.warehouse), int(input.district));
        session.begin(Access::ReadOnly)?;
        self.found.clear();
        let (statement, who) = match &input.name {
            Some(name) => (self.by_name, Param::Bytes(name)),
            None => (self.by_id, int(input.id)),
        };
        session.execute_visit(statement, &[warehouse, district, who], &mut |row| {
            self.found.extend(number(row, 0));
            true
        })?;
        let at = middle(self.found.len()).checked_sub(1);
        let customer = at.and_then(|at| self.found.get(at).copied());
        let customer = int(known("order_status: the customer", customer)?);
        let mut order = None;
        session.execute_first(self.order, &[warehouse, district, customer], &mut |row| {
            order = number(row, 0);
        })?;
        let order = int(known("order_status: the customer's last order", order)?);
        let outcome = session.execute(self.lines, &[warehouse, district, order])?;
        known("order_status: the order's lines", (outcome.rows > 0).then_some(()))?;
        session.commit()
    }
}

/// Stock-Level, prepared.
pub(super) struct StockLevel {
    district: StatementId,
    low: StatementId,
}

impl StockLevel {
    pub(super) fn prepare(session: &mut dyn Session) -> Result<Self, SqlError> {
        Ok(Self {
            district: session
                .prepare("SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?")?,
            low: session.prepare(
                "SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock \
                 WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? AND ol_o_id >= ? \
                 AND s_w_id = ? AND s_i_id = ol_i_id AND s_quantity < ?",
            )?,
        })
    }

    pub(super) fn attempt(
        &self,
        session: &mut dyn Session,
        input: StockLevelInput,
    ) -> Result<(), SqlError> {
        let (warehouse, district) = (int(input.warehouse), int(input.district));
        session.begin(Access::ReadOnly)?;
        let mut next = None;
        session.execute_first(self.district, &[warehouse, district], &mut |row| {
            next = number(row, 0);
        })?;
        let next = known("stock_level: the district", next)?;
        let mut low = None;
        session.execute_first(
            self.low,
            &[
                warehouse,
                district,
                int(next),
                int(next.saturating_sub(RECENT_ORDERS)),
                warehouse,
                int(input.threshold),
            ],
            &mut |row| low = row.int(0),
        )?;
        known("stock_level: the count", low)?;
        session.commit()
    }
}
