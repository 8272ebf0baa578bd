//! New-Order as tpcc-mysql sends it: all ten `s_dist` columns read, lines sorted by warehouse and
//! item, nothing but the quantity of a stock row changed, taxes and discount within the amount.

use super::begin;
use crate::model::Decimal;
use crate::target::session::{Access, Param, Session, SqlError, StatementId};
use crate::workload::TransactionEnd;
use crate::workload::tpcc::Mode;
use crate::workload::tpcc::input::{Line, MOST_LINES, NewOrderInput};
use crate::workload::tpcc::rows::original;
use crate::workload::tpcc::sql::{
    append, holds, hundredths, int, known, money_as_float, number, prepare_locking, rounded,
};
use std::hint::black_box;

/// New-Order, prepared.
pub(super) struct NewOrder {
    customer: StatementId,
    district: StatementId,
    advance: StatementId,
    order: StatementId,
    queue: StatementId,
    item: StatementId,
    stock: StatementId,
    take: StatementId,
    line: StatementId,
    /// Reused for `ol_dist_info`.
    info: Vec<u8>,
}

/// Rates of the order, in hundredths.
struct Rates {
    discount: Decimal,
    warehouse_tax: Decimal,
    district_tax: Decimal,
}

impl NewOrder {
    pub(super) fn prepare(session: &mut dyn Session) -> Result<Self, SqlError> {
        Ok(Self {
            customer: session.prepare(
                "SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse \
                 WHERE w_id = ? AND c_w_id = w_id AND c_d_id = ? AND c_id = ?",
            )?,
            district: prepare_locking(
                session,
                "SELECT d_next_o_id, d_tax FROM district WHERE d_id = ? AND d_w_id = ?",
            )?,
            advance: session
                .prepare("UPDATE district SET d_next_o_id = ? + 1 WHERE d_id = ? AND d_w_id = ?")?,
            order: session.prepare(
                "INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, \
                 o_all_local) VALUES (?, ?, ?, ?, ?, ?, ?)",
            )?,
            queue: session
                .prepare("INSERT INTO new_orders (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)")?,
            item: session.prepare("SELECT i_price, i_name, i_data FROM item WHERE i_id = ?")?,
            stock: prepare_locking(
                session,
                "SELECT s_quantity, s_data, s_dist_01, s_dist_02, s_dist_03, s_dist_04, \
                 s_dist_05, s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10 \
                 FROM stock WHERE s_i_id = ? AND s_w_id = ?",
            )?,
            take: session
                .prepare("UPDATE stock SET s_quantity = ? WHERE s_i_id = ? AND s_w_id = ?")?,
            line: session.prepare(
                "INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, \
                 ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info) \
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?,
            info: Vec::with_capacity(24),
        })
    }

    pub(super) fn attempt(
        &mut self,
        session: &mut dyn Session,
        input: &NewOrderInput,
        now: &str,
    ) -> Result<TransactionEnd, SqlError> {
        let (warehouse, district) = (int(input.warehouse), int(input.district));
        begin(session, Access::ReadWrite)?;
        let mut found = None;
        session.execute_first(
            self.customer,
            &[warehouse, district, int(input.customer)],
            &mut |row| found = row.decimal(0, 2).zip(row.decimal(3, 2)),
        )?;
        let (discount, warehouse_tax) = known("new_order: the customer", found)?;
        let mut found = None;
        session.execute_first(self.district, &[district, warehouse], &mut |row| {
            found = number(row, 0).zip(row.decimal(1, 2));
        })?;
        let (order, district_tax) = known("new_order: the district", found)?;
        let rates = Rates { discount, warehouse_tax, district_tax };
        session.execute(self.advance, &[int(order), district, warehouse])?;
        session.execute(
            self.order,
            &[
                int(order),
                district,
                warehouse,
                int(input.customer),
                Param::DateTime(now),
                int(input.lines().len() as u32),
                int(u32::from(input.all_local)),
            ],
        )?;
        session.execute(self.queue, &[int(order), district, warehouse])?;
        let mut sorted = [Line::default(); MOST_LINES];
        let sorted = &mut sorted[..input.lines().len()];
        sorted.copy_from_slice(input.lines());
        sorted.sort_by_key(|line| (line.supply, line.item));
        for (line, number) in sorted.iter().zip(1..) {
            if !self.enter_line(session, input, (order, number), *line, &rates)? {
                session.rollback()?;
                return Ok(TransactionEnd::RolledBack);
            }
        }
        session.commit()?;
        Ok(TransactionEnd::Committed)
    }

    /// Enters one line; false when there is no such item.
    fn enter_line(
        &mut self,
        session: &mut dyn Session,
        input: &NewOrderInput,
        (order, line_number): (u32, u32),
        line: Line,
        rates: &Rates,
    ) -> Result<bool, SqlError> {
        let (supply, item) = (int(line.supply), int(line.item));
        let mut price = None;
        let mut brand = false;
        let there = session.execute_first(self.item, &[item], &mut |row| {
            price = hundredths(row, 0);
            brand = holds(row, 2, original(Mode::TpccMysql));
        })?;
        if !there {
            return Ok(false);
        }
        let price = known("new_order: the item's price", price)?;
        let mut quantity = None;
        self.info.clear();
        session.execute_first(self.stock, &[item, supply], &mut |row| {
            quantity = row.int(0);
            brand &= holds(row, 1, original(Mode::TpccMysql));
            append(row, input.district as usize + 1, &mut self.info);
        })?;
        black_box(brand);
        let quantity = known("new_order: the stock", quantity)?;
        let ordered = i64::from(line.quantity);
        let left = if quantity > ordered { quantity - ordered } else { quantity - ordered + 91 };
        session.execute(self.take, &[Param::Int(left), item, supply])?;
        session.execute(
            self.line,
            &[
                int(order),
                int(input.district),
                int(input.warehouse),
                int(line_number),
                item,
                supply,
                int(line.quantity),
                money_as_float(amount(ordered, price, rates)),
                Param::Bytes(&self.info),
            ],
        )?;
        Ok(true)
    }
}

/// Quantity x price x (1 + both taxes) x (1 - discount), hundredths.
fn amount(quantity: i64, price: i64, rates: &Rates) -> i64 {
    const ONE: i64 = 100;
    let taxed = ONE + rates.warehouse_tax.unscaled + rates.district_tax.unscaled;
    let numerator = i128::from(quantity * price)
        * i128::from(taxed)
        * i128::from(ONE - rates.discount.unscaled);
    rounded(numerator, i128::from(ONE * ONE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_amount_of_a_line_has_taxes_and_discount_in_it() {
        let rates = Rates {
            discount: Decimal::hundredths(50),
            warehouse_tax: Decimal::hundredths(10),
            district_tax: Decimal::hundredths(20),
        };
        assert_eq!(amount(2, 1000, &rates), 1300);
        assert_eq!(amount(1, 101, &rates), 66);
    }
}
