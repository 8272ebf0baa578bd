//! New-Order (clause 2.4).

use crate::model::Decimal;
use crate::target::session::{Access, Param, Session, SqlError, StatementId};
use crate::workload::TransactionEnd;
use crate::workload::tpcc::Mode;
use crate::workload::tpcc::input::{Line, NewOrderInput};
use crate::workload::tpcc::rows::original;
use crate::workload::tpcc::sql::{
    append, changed, holds, hundredths, int, known, money, number, prepare_locking, rounded,
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

/// Rates of the order, each times 10,000.
struct Rates {
    discount: i64,
    warehouse_tax: i64,
    district_tax: i64,
}

impl NewOrder {
    pub(super) fn prepare(session: &mut dyn Session) -> Result<Self, SqlError> {
        Ok(Self {
            customer: session.prepare(
                "SELECT c_discount, w_tax, c_last, c_credit FROM warehouse, customer \
                 WHERE w_id = ? AND c_w_id = ? AND c_d_id = ? AND c_id = ?",
            )?,
            district: prepare_locking(
                session,
                "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = ? AND d_id = ?",
            )?,
            advance: session.prepare(
                "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = ? AND d_id = ?",
            )?,
            order: session.prepare(
                "INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, \
                 o_ol_cnt, o_all_local) VALUES (?, ?, ?, ?, ?, NULL, ?, ?)",
            )?,
            queue: session
                .prepare("INSERT INTO new_orders (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)")?,
            item: session.prepare("SELECT i_price, i_name, i_data FROM item WHERE i_id = ?")?,
            // One of ten columns, chosen by the district: fewer bytes than all, fewer prepared
            // statements than one for each.
            stock: prepare_locking(
                session,
                "SELECT s_quantity, s_data, CASE ? WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 \
                 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05 \
                 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08 \
                 WHEN 9 THEN s_dist_09 ELSE s_dist_10 END \
                 FROM stock WHERE s_w_id = ? AND s_i_id = ?",
            )?,
            take: session.prepare(
                "UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?, \
                 s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + ? \
                 WHERE s_w_id = ? AND s_i_id = ?",
            )?,
            line: session.prepare(
                "INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, \
                 ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) \
                 VALUES (?, ?, ?, ?, ?, ?, NULL, ?, ?, ?)",
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
        session.begin(Access::ReadWrite)?;
        let mut found = None;
        session.execute_first(
            self.customer,
            &[warehouse, warehouse, district, int(input.customer)],
            &mut |row| found = row.decimal(0, 4).zip(row.decimal(1, 4)),
        )?;
        let (discount, warehouse_tax) = known("new_order: the customer", found)?;
        let mut found = None;
        session.execute_first(self.district, &[warehouse, district], &mut |row| {
            found = number(row, 0).zip(row.decimal(1, 4));
        })?;
        let (order, district_tax) = known("new_order: the district", found)?;
        let rates = Rates {
            discount: discount.unscaled,
            warehouse_tax: warehouse_tax.unscaled,
            district_tax: district_tax.unscaled,
        };
        let outcome = session.execute(self.advance, &[warehouse, district])?;
        changed("new_order: UPDATE district", outcome, 1)?;
        let lines = input.lines();
        let outcome = session.execute(
            self.order,
            &[
                int(order),
                district,
                warehouse,
                int(input.customer),
                Param::DateTime(now),
                int(lines.len() as u32),
                int(u32::from(input.all_local)),
            ],
        )?;
        changed("new_order: INSERT INTO orders", outcome, 1)?;
        let outcome = session.execute(self.queue, &[int(order), district, warehouse])?;
        changed("new_order: INSERT INTO new_orders", outcome, 1)?;
        let mut sum = 0;
        for (line, number) in lines.iter().zip(1..) {
            let Some(amount) = self.enter_line(session, input, order, number, *line)? else {
                // The last item is unused in one order of a hundred (clause 2.4.1.4).
                session.rollback()?;
                return Ok(TransactionEnd::RolledBack);
            };
            sum += amount;
        }
        session.commit()?;
        // The terminal would show it (clause 2.4.3.3).
        black_box(total(sum, &rates));
        Ok(TransactionEnd::Committed)
    }

    /// Enters one line and gives its amount in hundredths; none when there is no such item.
    fn enter_line(
        &mut self,
        session: &mut dyn Session,
        input: &NewOrderInput,
        order: u32,
        line_number: u32,
        line: Line,
    ) -> Result<Option<i64>, SqlError> {
        let (warehouse, district) = (int(input.warehouse), int(input.district));
        let (supply, item) = (int(line.supply), int(line.item));
        let mut price = None;
        let mut brand = false;
        let there = session.execute_first(self.item, &[item], &mut |row| {
            price = hundredths(row, 0);
            brand = holds(row, 2, original(Mode::Spec));
        })?;
        if !there {
            return Ok(None);
        }
        let price = known("new_order: the item's price", price)?;
        let mut quantity = None;
        self.info.clear();
        session.execute_first(self.stock, &[district, supply, item], &mut |row| {
            quantity = row.int(0);
            brand &= holds(row, 1, original(Mode::Spec));
            append(row, 2, &mut self.info);
        })?;
        let quantity = known("new_order: the stock", quantity)?;
        let ordered = i64::from(line.quantity);
        let left =
            if quantity >= ordered + 10 { quantity - ordered } else { quantity - ordered + 91 };
        let outcome = session.execute(
            self.take,
            &[
                Param::Int(left),
                Param::Decimal(Decimal { unscaled: ordered, scale: 0 }),
                int(u32::from(line.supply != input.warehouse)),
                supply,
                item,
            ],
        )?;
        changed("new_order: UPDATE stock", outcome, 1)?;
        let amount = ordered * price;
        let outcome = session.execute(
            self.line,
            &[
                int(order),
                district,
                warehouse,
                int(line_number),
                item,
                supply,
                int(line.quantity),
                money(amount),
                Param::Bytes(&self.info),
            ],
        )?;
        changed("new_order: INSERT INTO order_line", outcome, 1)?;
        black_box(brand);
        Ok(Some(amount))
    }
}

/// sum(OL_AMOUNT) x (1 - C_DISCOUNT) x (1 + W_TAX + D_TAX).
fn total(sum: i64, rates: &Rates) -> i64 {
    const ONE: i64 = 10_000;
    let numerator = i128::from(sum)
        * i128::from(ONE - rates.discount)
        * i128::from(ONE + rates.warehouse_tax + rates.district_tax);
    rounded(numerator, i128::from(ONE * ONE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_takes_the_discount_and_adds_both_taxes() {
        let rates = Rates { discount: 5000, warehouse_tax: 1000, district_tax: 2000 };
        assert_eq!(total(10_000, &rates), 6500);
        let nothing = Rates { discount: 0, warehouse_tax: 0, district_tax: 0 };
        assert_eq!(total(12_345, &nothing), 12_345);
    }
}
