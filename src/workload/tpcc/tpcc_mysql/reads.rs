//! Order-Status and Stock-Level as tpcc-mysql sends them: by name, the order is looked up for a
//! number drawn beside the name, and the stock of each recent item is asked for by itself.

use super::{ByName, begin};
use crate::target::session::{Access, Session, SqlError, StatementId};
use crate::workload::tpcc::input::{CustomerInput, StockLevelInput};
use crate::workload::tpcc::sql::{int, known, number};

/// Order-Status, prepared.
pub(super) struct OrderStatus {
    by_name: ByName,
    by_id: StatementId,
    order: StatementId,
    lines: StatementId,
}

impl OrderStatus {
    pub(super) fn prepare(session: &mut dyn Session) -> Result<Self, SqlError> {
        const CUSTOMER: &str = "c_balance, c_first, c_middle, c_last";
        const OF_CUSTOMER: &str = "o_w_id = ? AND o_d_id = ? AND o_c_id = ?";
        Ok(Self {
            by_name: ByName::prepare(session, CUSTOMER)?,
            by_id: session.prepare(&format!(
                "SELECT {CUSTOMER} FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?"
            ))?,
            order: session.prepare(&format!(
                "SELECT o_id, o_entry_d, COALESCE(o_carrier_id, 0) FROM orders \
                 WHERE {OF_CUSTOMER} \
                 AND o_id = (SELECT MAX(o_id) FROM orders WHERE {OF_CUSTOMER})"
            ))?,
            lines: session.prepare(
                "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d \
                 FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
            )?,
        })
    }

    pub(super) fn attempt(
        &mut self,
        session: &mut dyn Session,
        input: &CustomerInput,
    ) -> Result<(), SqlError> {
        let key = [int(input.warehouse), int(input.district), int(input.id)];
        begin(session, Access::ReadOnly)?;
        match &input.name {
            Some(name) => {
                self.by_name.find(session, input, name)?;
            }
            None => {
                session.execute(self.by_id, &key)?;
            }
        }
        let [warehouse, district, id] = key;
        let mut order = None;
        session.execute_first(
            self.order,
            &[warehouse, district, id, warehouse, district, id],
            &mut |row| order = number(row, 0),
        )?;
        let order = int(known("order_status: the customer's last order", order)?);
        session.execute(self.lines, &[warehouse, district, order])?;
        session.commit()
    }
}

/// Stock-Level, prepared.
pub(super) struct StockLevel {
    district: StatementId,
    items: StatementId,
    low: StatementId,
    /// Items of recent orders; reused.
    recent: Vec<u32>,
}

impl StockLevel {
    pub(super) fn prepare(session: &mut dyn Session) -> Result<Self, SqlError> {
        Ok(Self {
            district: session
                .prepare("SELECT d_next_o_id FROM district WHERE d_id = ? AND d_w_id = ?")?,
            items: session.prepare(
                "SELECT DISTINCT ol_i_id FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? \
                 AND ol_o_id < ? AND ol_o_id >= (? - 20)",
            )?,
            low: session.prepare(
                "SELECT COUNT(*) FROM stock WHERE s_w_id = ? AND s_i_id = ? AND s_quantity < ?",
            )?,
            recent: Vec::new(),
        })
    }

    pub(super) fn attempt(
        &mut self,
        session: &mut dyn Session,
        input: StockLevelInput,
    ) -> Result<(), SqlError> {
        let (warehouse, district) = (int(input.warehouse), int(input.district));
        begin(session, Access::ReadOnly)?;
        let mut next = None;
        session.execute_first(self.district, &[district, warehouse], &mut |row| {
            next = number(row, 0);
        })?;
        let next = int(known("stock_level: the district", next)?);
        self.recent.clear();
        session.execute_visit(self.items, &[warehouse, district, next, next], &mut |row| {
            self.recent.extend(number(row, 0));
            true
        })?;
        for &item in &self.recent {
            session.execute(self.low, &[warehouse, int(item), int(input.threshold)])?;
        }
        session.commit()
    }
}
