//! Payment (clause 2.5).

use super::super::input::{CustomerInput, PaymentInput};
use crate::target::session::{Access, Param, Session, SqlError, StatementId};
use crate::workload::tpcc::sql::{
    append, changed, int, known, middle, money, number, prepare_locking,
};
use std::io::Write as _;

/// `c_data` holds no more.
const DATA_LIMIT: usize = 500;

/// Payment, prepared.
pub(super) struct Payment {
    warehouse_takes: StatementId,
    warehouse: StatementId,
    district_takes: StatementId,
    district: StatementId,
    by_name: StatementId,
    customer: StatementId,
    data: StatementId,
    pays: StatementId,
    pays_with_data: StatementId,
    history: StatementId,
    /// Customers of one name, in order of first name; reused.
    found: Vec<u32>,
    /// Reused for `h_data`.
    history_data: Vec<u8>,
    /// Reused for `c_data`.
    customer_data: Vec<u8>,
}

const CUSTOMER_KEY: &str = "WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";

impl Payment {
    pub(super) fn prepare(session: &mut dyn Session) -> Result<Self, SqlError> {
        Ok(Self {
            warehouse_takes: session
                .prepare("UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?")?,
            warehouse: session.prepare(
                "SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip FROM warehouse \
                 WHERE w_id = ?",
            )?,
            district_takes: session
                .prepare("UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?")?,
            district: session.prepare(
                "SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip FROM district \
                 WHERE d_w_id = ? AND d_id = ?",
            )?,
            by_name: session.prepare(
                "SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? \
                 ORDER BY c_first",
            )?,
            customer: prepare_locking(
                session,
                &format!(
                    "SELECT c_credit, c_balance, c_first, c_middle, c_last, c_street_1, \
                     c_street_2, c_city, c_state, c_zip, c_phone, c_since, c_credit_lim, \
                     c_discount FROM customer {CUSTOMER_KEY}"
                ),
            )?,
            data: prepare_locking(session, &format!("SELECT c_data FROM customer {CUSTOMER_KEY}"))?,
            pays: session.prepare(&format!(
                "UPDATE customer SET c_balance = c_balance - ?, \
                 c_ytd_payment = c_ytd_payment + ?, c_payment_cnt = c_payment_cnt + 1 \
                 {CUSTOMER_KEY}"
            ))?,
            pays_with_data: session.prepare(&format!(
                "UPDATE customer SET c_balance = c_balance - ?, \
                 c_ytd_payment = c_ytd_payment + ?, c_payment_cnt = c_payment_cnt + 1, \
                 c_data = ? {CUSTOMER_KEY}"
            ))?,
            history: session.prepare(
                "INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, \
                 h_amount, h_data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            )?,
            found: Vec::new(),
            history_data: Vec::with_capacity(24),
            customer_data: Vec::with_capacity(2 * DATA_LIMIT),
        })
    }

    pub(super) fn attempt(
        &mut self,
        session: &mut dyn Session,
        input: &PaymentInput,
        now: &str,
    ) -> Result<(), SqlError> {
        let (warehouse, district) = (int(input.warehouse), int(input.district));
        let amount = money(input.amount);
        session.begin(Access::ReadWrite)?;
        let outcome = session.execute(self.warehouse_takes, &[amount, warehouse])?;
        changed("payment: UPDATE warehouse", outcome, 1)?;
        // H_DATA: both names, four spaces between them.
        self.history_data.clear();
        session.execute_first(self.warehouse, &[warehouse], &mut |row| {
            append(row, 0, &mut self.history_data);
        })?;
        let outcome = session.execute(self.district_takes, &[amount, warehouse, district])?;
        changed("payment: UPDATE district", outcome, 1)?;
        self.history_data.extend_from_slice(b"    ");
        session.execute_first(self.district, &[warehouse, district], &mut |row| {
            append(row, 0, &mut self.history_data);
        })?;
        let customer = self.identify(session, &input.customer)?;
        let key = [int(input.customer.warehouse), int(input.customer.district), int(customer)];
        self.take_from(session, input, customer, key)?;
        let outcome = session.execute(
            self.history,
            &[
                key[2],
                key[1],
                key[0],
                district,
                warehouse,
                Param::DateTime(now),
                amount,
                Param::Bytes(&self.history_data),
            ],
        )?;
        changed("payment: INSERT INTO history", outcome, 1)?;
        session.commit()
    }

    /// The number of the customer.
    fn identify(
        &mut self,
        session: &mut dyn Session,
        customer: &CustomerInput,
    ) -> Result<u32, SqlError> {
        let Some(name) = customer.name else { return Ok(customer.id) };
        self.found.clear();
        session.execute_visit(
            self.by_name,
            &[int(customer.warehouse), int(customer.district), Param::Bytes(&name)],
            &mut |row| {
                self.found.extend(number(row, 0));
                true
            },
        )?;
        let at = middle(self.found.len()).checked_sub(1);
        known("payment: the customers of a name", at.and_then(|at| self.found.get(at).copied()))
    }

    fn take_from(
        &mut self,
        session: &mut dyn Session,
        input: &PaymentInput,
        customer: u32,
        key: [Param<'_>; 3],
    ) -> Result<(), SqlError> {
        let amount = money(input.amount);
        let mut bad_credit = None;
        session.execute_first(self.customer, &key, &mut |row| {
            bad_credit = row.text(0).map(|credit| *credit == *b"BC");
        })?;
        let outcome = if known("payment: the customer", bad_credit)? {
            self.remember(session, input, customer, key)?;
            let [warehouse, district, id] = key;
            let data = Param::Bytes(&self.customer_data);
            session
                .execute(self.pays_with_data, &[amount, amount, data, warehouse, district, id])?
        } else {
            session.execute(self.pays, &[amount, amount, key[0], key[1], key[2]])?
        };
        changed("payment: UPDATE customer", outcome, 1)
    }

    /// Puts the payment in front of what `c_data` says, and cuts it (clause 2.5.2.2).
    fn remember(
        &mut self,
        session: &mut dyn Session,
        input: &PaymentInput,
        customer: u32,
        key: [Param<'_>; 3],
    ) -> Result<(), SqlError> {
        self.customer_data.clear();
        // Writing to a vector cannot fail.
        let _ = write!(
            self.customer_data,
            "{customer} {} {} {} {} ",
            input.customer.district, input.customer.warehouse, input.district, input.warehouse,
        );
        crate::model::Decimal::hundredths(input.amount).write_to(&mut self.customer_data);
        self.customer_data.push(b' ');
        session.execute_first(self.data, &key, &mut |row| {
            append(row, 0, &mut self.customer_data);
        })?;
        self.customer_data.truncate(DATA_LIMIT);
        Ok(())
    }
}
