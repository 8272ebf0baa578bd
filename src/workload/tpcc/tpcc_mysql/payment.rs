//! Payment as tpcc-mysql sends it: the balance is written as the client computed it, year-to-date
//! payment and count are left alone, and a customer of bad credit gets the old `c_data` back.

use super::{ByName, begin};
use crate::target::session::{Access, Param, Session, SqlError, StatementId};
use crate::workload::tpcc::input::PaymentInput;
use crate::workload::tpcc::sql::{append, hundredths, int, known, money_as_float, prepare_locking};

/// Payment, prepared.
pub(super) struct Payment {
    warehouse_takes: StatementId,
    warehouse: StatementId,
    district_takes: StatementId,
    district: StatementId,
    by_name: ByName,
    customer: StatementId,
    data: StatementId,
    pays_with_data: StatementId,
    pays: StatementId,
    history: StatementId,
    /// Reused for `h_data`.
    history_data: Vec<u8>,
    /// Reused for `c_data`.
    customer_data: Vec<u8>,
}

impl Payment {
    pub(super) fn prepare(session: &mut dyn Session) -> Result<Self, SqlError> {
        const KEY: &str = "WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
        Ok(Self {
            warehouse_takes: session
                .prepare("UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?")?,
            warehouse: session.prepare(
                "SELECT w_street_1, w_street_2, w_city, w_state, w_zip, w_name FROM warehouse \
                 WHERE w_id = ?",
            )?,
            district_takes: session
                .prepare("UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?")?,
            district: session.prepare(
                "SELECT d_street_1, d_street_2, d_city, d_state, d_zip, d_name FROM district \
                 WHERE d_w_id = ? AND d_id = ?",
            )?,
            by_name: ByName::prepare(session, "c_id")?,
            customer: prepare_locking(
                session,
                &format!(
                    "SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, \
                     c_zip, c_phone, c_credit, c_credit_lim, c_discount, c_balance, c_since \
                     FROM customer {KEY}"
                ),
            )?,
            data: session.prepare(&format!("SELECT c_data FROM customer {KEY}"))?,
            pays_with_data: session
                .prepare(&format!("UPDATE customer SET c_balance = ?, c_data = ? {KEY}"))?,
            pays: session.prepare(&format!("UPDATE customer SET c_balance = ? {KEY}"))?,
            history: session.prepare(
                "INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, \
                 h_amount, h_data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            )?,
            history_data: Vec::with_capacity(24),
            customer_data: Vec::with_capacity(500),
        })
    }

    pub(super) fn attempt(
        &mut self,
        session: &mut dyn Session,
        input: &PaymentInput,
        now: &str,
    ) -> Result<(), SqlError> {
        let (warehouse, district) = (int(input.warehouse), int(input.district));
        let amount = money_as_float(input.amount);
        begin(session, Access::ReadWrite)?;
        session.execute(self.warehouse_takes, &[amount, warehouse])?;
        self.history_data.clear();
        session.execute_first(self.warehouse, &[warehouse], &mut |row| {
            append(row, 5, &mut self.history_data);
        })?;
        session.execute(self.district_takes, &[amount, warehouse, district])?;
        session.execute_first(self.district, &[warehouse, district], &mut |row| {
            append(row, 5, &mut self.history_data);
        })?;
        let found = match &input.customer.name {
            Some(name) => self.by_name.find(session, &input.customer, name)?,
            None => None,
        };
        let key = [
            int(input.customer.warehouse),
            int(input.customer.district),
            int(found.unwrap_or(input.customer.id)),
        ];
        self.take_from(session, key, input.amount)?;
        session.execute(
            self.history,
            &[
                key[1],
                key[0],
                key[2],
                district,
                warehouse,
                Param::DateTime(now),
                amount,
                Param::Bytes(&self.history_data),
            ],
        )?;
        session.commit()
    }

    fn take_from(
        &mut self,
        session: &mut dyn Session,
        key: [Param<'_>; 3],
        amount: i64,
    ) -> Result<(), SqlError> {
        let mut found = None;
        session.execute_first(self.customer, &key, &mut |row| {
            found = row.text(9).map(|credit| *credit == *b"BC").zip(hundredths(row, 12));
        })?;
        let (bad_credit, balance) = known("payment: the customer", found)?;
        let balance = money_as_float(balance - amount);
        let [warehouse, district, id] = key;
        if bad_credit {
            self.customer_data.clear();
            session.execute_first(self.data, &key, &mut |row| {
                append(row, 0, &mut self.customer_data);
            })?;
            let data = Param::Bytes(&self.customer_data);
            session.execute(self.pays_with_data, &[balance, data, warehouse, district, id])?;
        } else {
            session.execute(self.pays, &[balance, warehouse, district, id])?;
        }
        Ok(())
    }
}
