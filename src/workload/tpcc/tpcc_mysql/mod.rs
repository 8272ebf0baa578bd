//! `mode tpcc_mysql`: the statements that tpcc-mysql sends, in their order and number, with the
//! deviations from the standard that can be seen in them. docs/workloads/tpcc.md lists them.
//!
//! That tool runs with autocommit off and never sends BEGIN. What it does with floats is done
//! with exact decimals here.

mod delivery;
mod new_order;
mod payment;
mod reads;

use super::input::{CustomerInput, Input};
use super::now::Now;
use super::sql::{int, known, middle, number};
use crate::target::session::{Access, Dialect, Param, Session, SqlError, StatementId};
use crate::workload::TransactionEnd;

/// The transactions with their statements prepared on one connection.
pub(super) struct Transactions {
    new_order: new_order::NewOrder,
    payment: payment::Payment,
    order_status: reads::OrderStatus,
    delivery: delivery::Delivery,
    stock_level: reads::StockLevel,
}

impl Transactions {
    /// Turns autocommit off and prepares every statement.
    pub(super) fn prepare(session: &mut dyn Session) -> Result<Self, SqlError> {
        if session.dialect() == Dialect::MySql {
            session.text("SET autocommit = 0")?;
        }
        Ok(Self {
            new_order: new_order::NewOrder::prepare(session)?,
            payment: payment::Payment::prepare(session)?,
            order_status: reads::OrderStatus::prepare(session)?,
            delivery: delivery::Delivery::prepare(session)?,
            stock_level: reads::StockLevel::prepare(session)?,
        })
    }

    /// One transaction.
    pub(super) fn attempt(
        &mut self,
        session: &mut dyn Session,
        input: &Input,
        now: &mut Now,
    ) -> Result<TransactionEnd, SqlError> {
        match input {
            Input::NewOrder(input) => return self.new_order.attempt(session, input, now.text()),
            Input::Payment(input) => self.payment.attempt(session, input, now.text())?,
            Input::OrderStatus(input) => self.order_status.attempt(session, input)?,
            Input::Delivery(input) => self.delivery.attempt(session, *input, now.text())?,
            Input::StockLevel(input) => self.stock_level.attempt(session, *input)?,
        }
        Ok(TransactionEnd::Committed)
    }
}

/// Begins where the first statement does not do so by itself.
fn begin(session: &mut dyn Session, access: Access) -> Result<(), SqlError> {
    match session.dialect() {
        Dialect::MySql => Ok(()),
        Dialect::Sqlite => session.begin(access),
    }
}

/// Customers of a name, as the tool looks them up: it counts them first, then reads them in order
/// of first name up to the one in the middle.
struct ByName {
    count: StatementId,
    list: StatementId,
}

impl ByName {
    fn prepare(session: &mut dyn Session, columns: &str) -> Result<Self, SqlError> {
        const NAME: &str = "FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ?";
        Ok(Self {
            count: session.prepare(&format!("SELECT COUNT(c_id) {NAME}"))?,
            list: session.prepare(&format!("SELECT {columns} {NAME} ORDER BY c_first"))?,
        })
    }

    /// The first column of the one in the middle, as a number where it is one.
    fn find(
        &self,
        session: &mut dyn Session,
        customer: &CustomerInput,
        name: &[u8],
    ) -> Result<Option<u32>, SqlError> {
        let params = [int(customer.warehouse), int(customer.district), Param::Bytes(name)];
        let mut count = None;
        session.execute_first(self.count, &params, &mut |row| count = number(row, 0))?;
        let wanted = middle(known("the count of a name", count)? as usize);
        let (mut at, mut found) = (0, None);
        session.execute_visit(self.list, &params, &mut |row| {
            at += 1;
            if at == wanted {
                found = number(row, 0);
            }
            at < wanted
        })?;
        Ok(found)
    }
}
