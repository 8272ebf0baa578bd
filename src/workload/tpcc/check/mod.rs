//! The mandatory check: the twelve consistency conditions (clause 3.3.2), rows whose parent is
//! missing, exact counts after a load, and growth after a repetition.
//!
//! Everything is read with short queries that walk a table once in primary-key order, and is
//! compared here ([`warehouse`]). Written as joins in SQL, the same conditions read the large
//! tables several times over and build temporary tables on the server.

mod growth;
mod tally;
mod warehouse;

use super::Mode;
use super::scale::{DISTRICTS, Scale};
use super::sql::hundredths;
use crate::target::session::{RowView, Session, SqlError};
use crate::workload::{CheckMoment, Checked};
use tally::{Key, Tallies, exact};
use warehouse::{Books, District, Lines, NOTHING};

pub(super) use growth::counters;

/// Warehouses whose customers' payments are summed in one walk over `history`: some 60 MB.
const WAREHOUSES_A_WALK: u32 = 256;

/// Checks everything that applies.
pub(super) fn run(
    scale: &Scale,
    active: u32,
    session: &mut dyn Session,
    moment: &CheckMoment,
) -> Result<Vec<Checked>, SqlError> {
    let mut results = match moment {
        CheckMoment::AfterLoad { by_others } => {
            let check = Check::new(*scale, scale.warehouses, true, session);
            Check { by_others: *by_others, ..check }.run()?
        }
        CheckMoment::AfterRepetition { .. } => Check::new(*scale, active, false, session).run()?,
    };
    if let CheckMoment::AfterRepetition { committed, before, uncertain } = moment {
        let after = growth::read(active, session)?;
        results.extend(growth::compare(committed, before, &after, *uncertain)?);
    }
    Ok(results)
}

struct Check<'s> {
    scale: Scale,
    /// The last warehouse that is looked at: transactions touch none behind the active ones.
    last: u32,
    after_load: bool,
    by_others: bool,
    session: &'s mut dyn Session,
    tallies: Tallies,
    exact: Vec<Checked>,
}

/// A warehouse's own row and its districts.
#[derive(Clone, Copy)]
struct Ground {
    ytd: i64,
    districts: [District; DISTRICTS as usize],
}

/// Rows by table, in the order of [`Books::counts`].
type Counts = [u64; 4];

/// A column as a number; [`NOTHING`] for NULL.
fn int(row: &dyn RowView, column: usize) -> i64 {
    row.int(column).unwrap_or(NOTHING)
}

/// A column of money in hundredths; [`NOTHING`] for NULL.
fn money(row: &dyn RowView, column: usize) -> i64 {
    hundredths(row, column).unwrap_or(NOTHING)
}

impl<'s> Check<'s> {
    fn new(scale: Scale, last: u32, after_load: bool, session: &'s mut dyn Session) -> Self {
        let (tallies, exact) = (Tallies::default(), Vec::new());
        Self { scale, last, after_load, by_others: false, session, tallies, exact }
    }

    fn run(mut self) -> Result<Vec<Checked>, SqlError> {
        // Payment of tpcc-mysql does not keep c_ytd_payment and its Delivery can deliver twice.
        let deviating: &[usize] = match self.scale.mode {
            Mode::TpccMysql if !self.after_load => &[10, 12],
            _ => &[],
        };
        let mut grounds = self.read_grounds()?;
        self.read_payments(&mut grounds)?;
        if self.after_load {
            self.read_goods()?;
        }
        let mut counts = Counts::default();
        let mut first = 1;
        while first <= self.last {
            let last = self.last.min(first + WAREHOUSES_A_WALK - 1);
            let paid = if deviating.is_empty() {
                Some(self.read_payments_by_customer(first, last)?)
            } else {
                None
            };
            let customers = (DISTRICTS * self.scale.customers) as usize;
            for warehouse in first..=last {
                let at = (warehouse - first) as usize * customers;
                let paid = paid.as_deref().map(|paid| &paid[at..at + customers]);
                let ground = &grounds[warehouse as usize - 1];
                self.check_warehouse(warehouse, ground, paid, &mut counts)?;
            }
            first = last + 1;
        }
        if self.after_load {
            self.compare_counts(counts)?;
        }
        let mut results = self.tallies.results(self.after_load, deviating);
        results.append(&mut self.exact);
        Ok(results)
    }

    /// Visits every row.
    fn visit(&mut self, sql: &str, visit: &mut dyn FnMut(&dyn RowView)) -> Result<(), SqlError> {
        let done = self.session.text_visit(sql, &mut |row| {
            visit(row);
            true
        });
        done.map(drop)
    }

    /// The index of a warehouse that is looked at.
    fn index(&self, warehouse: i64) -> Option<usize> {
        (1..=i64::from(self.last)).contains(&warehouse).then_some(warehouse as usize - 1)
    }

    fn expect_rows(&mut self, table: &str, seen: u64) {
        let name = format!("rows of {table}");
        self.exact.push(match self.scale.rows_by_others(table).filter(|_| self.by_others) {
            Some(bounds) => {
                Checked::within(&name, seen as i64, *bounds.start() as i64, *bounds.end() as i64)
            }
            None => exact(name, seen, self.scale.rows(table).unwrap_or(0)),
        });
    }

    /// `warehouse` and `district`.
    fn read_grounds(&mut self) -> Result<Vec<Ground>, SqlError> {
        let district = District { ytd: NOTHING, next_order: NOTHING, paid: 0 };
        let nothing = Ground { ytd: NOTHING, districts: [district; DISTRICTS as usize] };
        let mut grounds = vec![nothing; self.last as usize];
        let place = |warehouse: i64| {
            (1..=i64::from(self.last)).contains(&warehouse).then_some(warehouse as usize - 1)
        };
        let (last, after_load) = (self.last, self.after_load);
        let (mut warehouses, mut districts) = (0, 0);
        let mut strays = Vec::new();
        let within = |column: &str| {
            if after_load { String::new() } else { format!(" WHERE {column} <= {last}") }
        };
        let sql = format!("SELECT w_id, w_ytd FROM warehouse{}", within("w_id"));
        self.session.text_visit(&sql, &mut |row| {
            warehouses += 1;
            if let Some(at) = place(int(row, 0)) {
                grounds[at].ytd = money(row, 1);
            }
            true
        })?;
        let sql =
            format!("SELECT d_w_id, d_id, d_ytd, d_next_o_id FROM district{}", within("d_w_id"));
        self.session.text_visit(&sql, &mut |row| {
            districts += 1;
            let (warehouse, number) = (int(row, 0), int(row, 1));
            let known = (1..=i64::from(DISTRICTS)).contains(&number);
            match place(warehouse) {
                Some(at) if known => {
                    let district = &mut grounds[at].districts[number as usize - 1];
                    district.ytd = money(row, 2);
                    district.next_order = int(row, 3);
                }
                _ => strays.push(warehouse),
            }
            true
        })?;
        for warehouse in strays {
            self.tallies
                .key(Key::District1)
                .add(1, || format!("a district of warehouse {warehouse}"));
        }
        if self.after_load {
            self.expect_rows("warehouse", warehouses);
            self.expect_rows("district", districts);
        }
        Ok(grounds)
    }

    /// Sums of `history` by district, and the parents of its rows.
    fn read_payments(&mut self, grounds: &mut [Ground]) -> Result<(), SqlError> {
        let Scale { warehouses, customers, .. } = self.scale;
        let within =
            if self.after_load { String::new() } else { format!("WHERE h_w_id <= {} ", self.last) };
        let sql = format!(
            "SELECT h_w_id, h_d_id, COUNT(*), SUM(h_amount), SUM(CASE \
             WHEN h_c_w_id BETWEEN 1 AND {warehouses} AND h_c_d_id BETWEEN 1 AND {DISTRICTS} \
             AND h_c_id BETWEEN 1 AND {customers} THEN 0 ELSE 1 END) \
             FROM history {within}GROUP BY h_w_id, h_d_id"
        );
        let mut found = Vec::new();
        self.visit(&sql, &mut |row| {
            let place = (int(row, 0), int(row, 1));
            found.push((place, int(row, 2), money(row, 3), int(row, 4)));
        })?;
        let mut rows = 0;
        for ((warehouse, district), count, paid, orphans) in found {
            rows += count as u64;
            let known = (1..=i64::from(DISTRICTS)).contains(&district);
            match self.index(warehouse) {
                Some(at) if known => grounds[at].districts[district as usize - 1].paid = paid,
                _ => self.tallies.key(Key::History2).add(count as u64, || {
                    format!("payments in warehouse {warehouse}, district {district}")
                }),
            }
            self.tallies.key(Key::History1).add(orphans as u64, || {
                format!(
                    "warehouse {warehouse}, district {district}: a payment of an unknown customer"
                )
            });
        }
        if self.after_load {
            self.expect_rows("history", rows);
        }
        Ok(())
    }

    /// What each customer of these warehouses has paid, hundredths, in key order.
    fn read_payments_by_customer(&mut self, first: u32, last: u32) -> Result<Vec<i64>, SqlError> {
        let customers = i64::from(self.scale.customers);
        let of_warehouse = i64::from(DISTRICTS) * customers;
        let mut paid = vec![0; (i64::from(last - first + 1) * of_warehouse) as usize];
        let sql = format!(
            "SELECT h_c_w_id, h_c_d_id, h_c_id, h_amount FROM history \
             WHERE h_c_w_id BETWEEN {first} AND {last}"
        );
        self.visit(&sql, &mut |row| {
            let (warehouse, district, customer) = (int(row, 0), int(row, 1), int(row, 2));
            let known = (1..=i64::from(DISTRICTS)).contains(&district)
                && (1..=customers).contains(&customer);
            if known {
                let at = (warehouse - i64::from(first)) * of_warehouse
                    + (district - 1) * customers
                    + customer
                    - 1;
                let sum: &mut i64 = &mut paid[at as usize];
                *sum = sum.wrapping_add(money(row, 3));
            }
        })?;
        Ok(paid)
    }

    /// `item` and `stock`, which transactions neither extend nor shorten.
    fn read_goods(&mut self) -> Result<(), SqlError> {
        let items = i64::from(self.scale.items);
        let mut found = (0, NOTHING, NOTHING);
        self.visit("SELECT COUNT(*), MIN(i_id), MAX(i_id) FROM item", &mut |row| {
            found = (int(row, 0), int(row, 1), int(row, 2));
        })?;
        self.expect_rows("item", found.0 as u64);
        let complete = found == (items, 1, items);
        let mut groups = Vec::new();
        self.visit(
            "SELECT s_w_id, COUNT(*), MIN(s_i_id), MAX(s_i_id) FROM stock GROUP BY s_w_id",
            &mut |row| groups.push((int(row, 0), int(row, 1), int(row, 2), int(row, 3))),
        )?;
        let mut rows = 0;
        for (warehouse, count, least, greatest) in groups {
            rows += count as u64;
            let orphans = if self.index(warehouse).is_some() { 0 } else { count as u64 };
            self.tallies
                .key(Key::Stock1)
                .add(orphans, || format!("stock of warehouse {warehouse}"));
            self.tallies
                .key(Key::Stock2)
                .require(complete && least >= 1 && greatest <= items, || {
                    format!("warehouse {warehouse}: stock of items {least} to {greatest}")
                });
        }
        self.expect_rows("stock", rows);
        Ok(())
    }

    fn check_warehouse(
        &mut self,
        warehouse: u32,
        ground: &Ground,
        paid: Option<&[i64]>,
        counts: &mut Counts,
    ) -> Result<(), SqlError> {
        let Scale { warehouses, items, .. } = self.scale;
        let mut books = Books::new(self.scale, warehouse, paid.is_some());
        let mut tallies = std::mem::take(&mut self.tallies);
        let sql = format!(
            "SELECT o_d_id, o_id, o_c_id, o_carrier_id, o_ol_cnt FROM orders \
             WHERE o_w_id = {warehouse} ORDER BY o_d_id, o_id"
        );
        self.visit(&sql, &mut |row| {
            let key = (int(row, 0), int(row, 1));
            books.order(key, int(row, 2), !row.is_null(3), int(row, 4), &mut tallies);
        })?;
        let sql = format!(
            "SELECT no_d_id, no_o_id FROM new_orders \
             WHERE no_w_id = {warehouse} ORDER BY no_d_id, no_o_id"
        );
        self.visit(&sql, &mut |row| books.queued((int(row, 0), int(row, 1)), &mut tallies))?;
        let sql = format!(
            "SELECT ol_d_id, ol_o_id, COUNT(*), COUNT(ol_delivery_d), \
             SUM(CASE WHEN ol_delivery_d IS NULL THEN 0 ELSE ol_amount END), \
             SUM(CASE WHEN ol_supply_w_id BETWEEN 1 AND {warehouses} \
             AND ol_i_id BETWEEN 1 AND {items} THEN 0 ELSE 1 END) \
             FROM order_line WHERE ol_w_id = {warehouse} GROUP BY ol_d_id, ol_o_id"
        );
        self.visit(&sql, &mut |row| {
            let lines = Lines {
                count: int(row, 2),
                delivered: int(row, 3),
                amount: money(row, 4),
                without_stock: int(row, 5),
            };
            books.lines_of((int(row, 0), int(row, 1)), lines, &mut tallies);
        })?;
        if paid.is_some() {
            let sql = format!(
                "SELECT c_d_id, c_id, c_balance, c_ytd_payment FROM customer \
                 WHERE c_w_id = {warehouse} ORDER BY c_d_id, c_id"
            );
            self.visit(&sql, &mut |row| {
                let key = (int(row, 0), int(row, 1));
                books.customer(key, money(row, 2), money(row, 3), &mut tallies);
            })?;
        }
        for (sum, count) in counts.iter_mut().zip(books.counts()) {
            *sum += count;
        }
        books.compare(ground.ytd, &ground.districts, paid, &mut tallies);
        self.tallies = tallies;
        Ok(())
    }

    /// Rows seen in the warehouses that there are, and rows of warehouses that there are not.
    fn compare_counts(&mut self, counts: Counts) -> Result<(), SqlError> {
        let tables = [
            ("orders", "o_w_id", Key::Orders1),
            ("new_orders", "no_w_id", Key::NewOrders1),
            ("order_line", "ol_w_id", Key::OrderLine1),
            ("customer", "c_w_id", Key::Customer1),
        ];
        for ((table, column, key), seen) in tables.into_iter().zip(counts) {
            let sql = format!(
                "SELECT COUNT(*) FROM {table} WHERE {column} < 1 OR {column} > {}",
                self.last
            );
            let mut strays = 0;
            self.visit(&sql, &mut |row| strays = int(row, 0) as u64)?;
            self.tallies.key(key).add(strays, || format!("rows of {table} belong to no warehouse"));
            self.expect_rows(table, seen + strays);
        }
        Ok(())
    }
}
