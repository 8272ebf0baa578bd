//! The five transactions as the specification defines them (clause 2), with row locks wherever
//! two clients could else deliver an order twice or lose an update.

mod delivery;
mod new_order;
mod payment;
mod reads;

use super::input::Input;
use super::now::Now;
use crate::target::session::{Session, SqlError};
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
    /// Prepares every statement.
    pub(super) fn prepare(session: &mut dyn Session) -> Result<Self, SqlError> {
        Ok(Self {
            new_order: new_order::NewOrder::prepare(session)?,
            payment: payment::Payment::prepare(session)?,
            order_status: reads::OrderStatus::prepare(session)?,
            delivery: delivery::Delivery::prepare(session)?,
            stock_level: reads::StockLevel::prepare(session)?,
        })
    }

    /// One transaction, from BEGIN to COMMIT.
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
