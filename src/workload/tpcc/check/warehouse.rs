//! The books of one warehouse, and the consistency conditions (clause 3.3.2) over them.
//!
//! Facts are put in table by table, each read once and in primary-key order, and compared here in
//! exact numbers: the cost is one pass over each table, on every engine and in every dialect.

use super::tally::{Key, Tallies};
use crate::model::Decimal;
use crate::workload::tpcc::scale::{DISTRICTS, Scale};

/// Stands for NULL and for what is not there; equal to no number that a table can hold.
pub(super) const NOTHING: i64 = i64::MIN;

/// A district's own row, and what other tables say of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct District {
    /// `d_ytd`, hundredths.
    pub(super) ytd: i64,
    /// `d_next_o_id`.
    pub(super) next_order: i64,
    /// Sum of its payments, hundredths.
    pub(super) paid: i64,
}

/// An order and what other tables say of it.
#[derive(Clone, Copy, Debug)]
struct Order {
    district: i64,
    number: i64,
    customer: i64,
    has_carrier: bool,
    /// `o_ol_cnt`.
    count: i64,
    queued: bool,
    lines: Lines,
}

/// The lines of an order, counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lines {
    /// Lines.
    pub(super) count: i64,
    /// Lines with a delivery date.
    pub(super) delivered: i64,
    /// Sum of the amounts of those, hundredths.
    pub(super) amount: i64,
    /// Lines whose stock row cannot exist.
    pub(super) without_stock: i64,
}

/// A customer's balance as it stands and as it must be.
#[derive(Clone, Copy, Debug)]
struct Account {
    balance: i64,
    ytd_payment: i64,
    delivered: i64,
}

/// The queue of undelivered orders of a district.
#[derive(Clone, Copy, Debug, Default)]
struct Queue {
    oldest: i64,
    newest: i64,
    count: i64,
}

/// The books of one warehouse.
pub(super) struct Books {
    scale: Scale,
    warehouse: u32,
    /// By district, then number.
    orders: Vec<Order>,
    queues: [Queue; DISTRICTS as usize],
    /// Lines of each district, those without an order included.
    lines: [i64; DISTRICTS as usize],
    /// Of each customer, by district, then number; empty when conditions 10 and 12 are left out.
    accounts: Vec<Account>,
    customers: u64,
}

/// Money for people.
fn money(hundredths: i64) -> String {
    if hundredths == NOTHING {
        "NULL".to_string()
    } else {
        Decimal::hundredths(hundredths).to_string()
    }
}

/// Whether both are there and equal.
fn equal(one: i64, other: i64) -> bool {
    one != NOTHING && one == other
}

/// The sum; [`NOTHING`] when something is missing, since no sum of amounts comes near it.
fn sum(mut numbers: impl Iterator<Item = i64>) -> i64 {
    numbers
        .try_fold(
            0,
            |sum: i64, number| {
                if number == NOTHING { None } else { sum.checked_add(number) }
            },
        )
        .unwrap_or(NOTHING)
}

impl Books {
    pub(super) fn new(scale: Scale, warehouse: u32, with_accounts: bool) -> Self {
        let accounts = if with_accounts { DISTRICTS * scale.customers } else { 0 };
        Self {
            scale,
            warehouse,
            orders: Vec::with_capacity((DISTRICTS * scale.orders()) as usize),
            queues: Default::default(),
            lines: Default::default(),
            accounts: vec![
                Account { balance: NOTHING, ytd_payment: NOTHING, delivered: 0 };
                accounts as usize
            ],
            customers: 0,
        }
    }

    fn at(&self, district: i64) -> String {
        format!("warehouse {}, district {district}", self.warehouse)
    }

    /// The place of a district in arrays by district.
    fn place(district: i64) -> Option<usize> {
        (1..=i64::from(DISTRICTS)).contains(&district).then_some(district as usize - 1)
    }

    /// The orders of a district.
    fn orders_of(&self, district: i64) -> &[Order] {
        let start = self.orders.partition_point(|order| order.district < district);
        let end = self.orders.partition_point(|order| order.district <= district);
        &self.orders[start..end]
    }

    fn find(&mut self, district: i64, number: i64) -> Option<&mut Order> {
        let at = self
            .orders
            .binary_search_by_key(&(district, number), |order| (order.district, order.number))
            .ok()?;
        Some(&mut self.orders[at])
    }

    /// A row of `orders`; they come in key order, before the rows that belong to them.
    pub(super) fn order(
        &mut self,
        (district, number): (i64, i64),
        customer: i64,
        has_carrier: bool,
        count: i64,
        tallies: &mut Tallies,
    ) {
        let known = Self::place(district).is_some()
            && (1..=i64::from(self.scale.customers)).contains(&customer);
        tallies.key(Key::Orders1).require(known, || {
            format!("{}: order {number} is of customer {customer}", self.at(district))
        });
        let lines = Lines::default();
        let queued = false;
        self.orders.push(Order { district, number, customer, has_carrier, count, queued, lines });
    }

    /// A row of `new_orders`, in key order.
    pub(super) fn queued(&mut self, (district, number): (i64, i64), tallies: &mut Tallies) {
        if let Some(place) = Self::place(district) {
            let queue = &mut self.queues[place];
            if queue.count == 0 {
                queue.oldest = number;
            }
            queue.newest = number;
            queue.count += 1;
        }
        let order = self.find(district, number).map(|order| order.queued = true);
        tallies.key(Key::NewOrders1).require(order.is_some(), || {
            format!("{}: order {number} is queued and does not exist", self.at(district))
        });
    }

    /// The rows of `order_line` of one order.
    pub(super) fn lines_of(
        &mut self,
        (district, number): (i64, i64),
        lines: Lines,
        tallies: &mut Tallies,
    ) {
        if let Some(place) = Self::place(district) {
            self.lines[place] += lines.count;
        }
        let order = self.find(district, number).map(|order| order.lines = lines);
        let orphans = if order.is_some() { 0 } else { lines.count as u64 };
        tallies.key(Key::OrderLine1).add(orphans, || {
            format!("{}: lines of order {number}, which does not exist", self.at(district))
        });
        tallies.key(Key::OrderLine2).add(lines.without_stock as u64, || {
            format!("{}: order {number} has a line of an unknown item", self.at(district))
        });
    }

    fn account(&mut self, district: i64, customer: i64) -> Option<&mut Account> {
        let place = Self::place(district)?;
        let customers = i64::from(self.scale.customers);
        let number = (1..=customers).contains(&customer).then_some(customer as usize - 1)?;
        self.accounts.get_mut(place * customers as usize + number)
    }

    /// A row of `customer`.
    pub(super) fn customer(
        &mut self,
        (district, customer): (i64, i64),
        balance: i64,
        ytd_payment: i64,
        tallies: &mut Tallies,
    ) {
        self.customers += 1;
        let account = self.account(district, customer).map(|account| {
            account.balance = balance;
            account.ytd_payment = ytd_payment;
        });
        tallies
            .key(Key::Customer1)
            .require(account.is_some(), || format!("{}: customer {customer}", self.at(district)));
    }

    /// Rows of `orders`, `new_orders`, `order_line` and `customer` that were put in.
    pub(super) fn counts(&self) -> [u64; 4] {
        let queued: i64 = self.queues.iter().map(|queue| queue.count).sum();
        let lines: i64 = self.lines.iter().sum();
        [self.orders.len() as u64, queued as u64, lines as u64, self.customers]
    }

    /// Compares everything. `ytd` is `w_ytd`; `paid` gives what a customer has paid in all, by
    /// place in the order of customers.
    pub(super) fn compare(
        mut self,
        ytd: i64,
        districts: &[District; DISTRICTS as usize],
        paid: Option<&[i64]>,
        tallies: &mut Tallies,
    ) {
        self.compare_money(ytd, districts, tallies);
        for (district, place) in districts.iter().zip(0..) {
            self.compare_district(place, *district, tallies);
        }
        for order in &self.orders {
            self.compare_order(order, tallies);
        }
        if let Some(paid) = paid {
            self.compare_accounts(paid, tallies);
        }
    }

    /// Conditions 1, 8 and 9: what was taken in.
    fn compare_money(
        &self,
        ytd: i64,
        districts: &[District; DISTRICTS as usize],
        tallies: &mut Tallies,
    ) {
        let warehouse = self.warehouse;
        let taken = sum(districts.iter().map(|district| district.ytd));
        tallies.condition(1).require(equal(ytd, taken), || {
            format!("warehouse {warehouse}: w_ytd {}, sum of d_ytd {}", money(ytd), money(taken))
        });
        let paid = sum(districts.iter().map(|district| district.paid));
        tallies.condition(8).require(equal(ytd, paid), || {
            format!("warehouse {warehouse}: w_ytd {}, payments {}", money(ytd), money(paid))
        });
        for (district, number) in districts.iter().zip(1..) {
            tallies.condition(9).require(equal(district.ytd, district.paid), || {
                format!(
                    "{}: d_ytd {}, payments {}",
                    self.at(number),
                    money(district.ytd),
                    money(district.paid)
                )
            });
        }
    }

    /// Conditions 2, 3, 4 and 11: numbers of orders of a district.
    fn compare_district(&self, place: usize, district: District, tallies: &mut Tallies) {
        let number = place as i64 + 1;
        let orders = self.orders_of(number);
        let newest = orders.last().map_or(0, |order| order.number);
        let queue = self.queues[place];
        let last = district.next_order.wrapping_sub(1);
        let numbered = newest == last && (queue.count == 0 || queue.newest == last);
        tallies.condition(2).require(numbered, || {
            format!(
                "{}: d_next_o_id {}, newest order {newest}, newest queued {}",
                self.at(number),
                district.next_order,
                queue.newest
            )
        });
        let gapless =
            queue.count == 0 || queue.newest.wrapping_sub(queue.oldest) + 1 == queue.count;
        tallies.condition(3).require(gapless, || {
            format!(
                "{}: orders {} to {} are queued, in {} rows",
                self.at(number),
                queue.oldest,
                queue.newest,
                queue.count
            )
        });
        let lines = sum(orders.iter().map(|order| order.count));
        tallies.condition(4).require(lines == self.lines[place], || {
            format!("{}: sum of o_ol_cnt {lines}, lines {}", self.at(number), self.lines[place])
        });
        let delivered = orders.len() as i64 - queue.count;
        tallies.condition(11).require(delivered == i64::from(self.scale.delivered()), || {
            format!("{}: {} orders, {} queued", self.at(number), orders.len(), queue.count)
        });
    }

    /// Conditions 5, 6 and 7: an order, its place in the queue and its lines.
    fn compare_order(&self, order: &Order, tallies: &mut Tallies) {
        let at = || format!("{}, order {}", self.at(order.district), order.number);
        tallies.condition(5).require(order.has_carrier != order.queued, || {
            let carrier = if order.has_carrier { "a carrier" } else { "no carrier" };
            let queue = if order.queued { "is queued" } else { "is not queued" };
            format!("{}: has {carrier} and {queue}", at())
        });
        let Lines { count, delivered, .. } = order.lines;
        tallies.condition(6).require(order.count == count, || {
            format!("{}: o_ol_cnt {}, lines {count}", at(), order.count)
        });
        let wrong = if order.has_carrier { count - delivered } else { delivered };
        tallies
            .condition(7)
            .add(wrong as u64, || format!("{}: {delivered} of {count} lines are delivered", at()));
    }

    /// Conditions 10 and 12: what customers owe.
    fn compare_accounts(&mut self, paid: &[i64], tallies: &mut Tallies) {
        for at in 0..self.orders.len() {
            let Order { district, customer, lines, .. } = self.orders[at];
            if let Some(account) = self.account(district, customer) {
                account.delivered = account.delivered.wrapping_add(lines.amount);
            }
        }
        for (place, account) in self.accounts.iter().enumerate() {
            let at = || {
                let customers = self.scale.customers as usize;
                let district = self.at((place / customers) as i64 + 1);
                format!("{district}, customer {}", place % customers + 1)
            };
            let paid = paid.get(place).copied().unwrap_or(0);
            let owed = account.delivered.wrapping_sub(paid);
            tallies.condition(10).require(account.balance == owed, || {
                format!(
                    "{}: c_balance {}, delivered {}, paid {}",
                    at(),
                    money(account.balance),
                    money(account.delivered),
                    money(paid)
                )
            });
            let bought = sum([account.balance, account.ytd_payment].into_iter());
            tallies.condition(12).require(bought == account.delivered, || {
                format!(
                    "{}: c_balance {} and c_ytd_payment {}, delivered {}",
                    at(),
                    money(account.balance),
                    money(account.ytd_payment),
                    money(account.delivered)
                )
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::session::RowSink;
    use crate::workload::tpcc::Mode;
    use crate::workload::tpcc::rows::source;

    /// Rows as numbers; texts are 0, NULL is none.
    #[derive(Default)]
    struct Numbers {
        rows: Vec<Vec<Option<i64>>>,
        row: Vec<Option<i64>>,
    }

    impl RowSink for Numbers {
        fn null(&mut self) {
            self.row.push(None);
        }
        fn int(&mut self, value: i64) {
            self.row.push(Some(value));
        }
        fn decimal(&mut self, value: Decimal) {
            self.row.push(Some(value.unscaled));
        }
        fn text(&mut self, _: &[u8]) {
            self.row.push(Some(0));
        }
        fn datetime(&mut self, _: &[u8]) {
            self.row.push(Some(0));
        }
        fn end_row(&mut self) {
            self.rows.push(std::mem::take(&mut self.row));
        }
    }

    /// The generated rows of warehouse 2, by table.
    struct Tables {
        scale: Scale,
        ytd: i64,
        districts: [District; DISTRICTS as usize],
        paid: Vec<i64>,
        orders: Vec<Vec<Option<i64>>>,
        queue: Vec<Vec<Option<i64>>>,
        lines: Vec<Vec<Option<i64>>>,
        customers: Vec<Vec<Option<i64>>>,
    }

    fn tables(mode: Mode) -> Tables {
        let scale = Scale::new(mode, 3, 1.0);
        let rows = |table, part| {
            let mut sink = Numbers::default();
            let mut rows = source(scale, 1, table, part);
            while rows.next_row(&mut sink) {}
            sink.rows
        };
        let known = |value: Option<i64>| value.expect("not NULL");
        let mut districts =
            [District { ytd: NOTHING, next_order: NOTHING, paid: 0 }; DISTRICTS as usize];
        for row in rows("district", 0).iter().filter(|row| row[1] == Some(2)) {
            let district = &mut districts[known(row[0]) as usize - 1];
            (district.ytd, district.next_order) = (known(row[9]), known(row[10]));
        }
        let mut paid = vec![0; (DISTRICTS * scale.customers) as usize];
        for row in rows("history", 2) {
            let (customer, district, amount) = (known(row[0]), known(row[1]), known(row[6]));
            paid[((district - 1) * i64::from(scale.customers) + customer - 1) as usize] += amount;
            districts[known(row[3]) as usize - 1].paid += amount;
        }
        Tables {
            scale,
            ytd: known(rows("warehouse", 0)[1][8]),
            districts,
            paid,
            orders: rows("orders", 2),
            queue: rows("new_orders", 2),
            lines: rows("order_line", 2),
            customers: rows("customer", 2),
        }
    }

    impl Tables {
        /// Names of what is violated.
        fn violations(&self) -> Vec<String> {
            let mut tallies = Tallies::default();
            let mut books = Books::new(self.scale, 2, true);
            let known = |value: Option<i64>| value.unwrap_or(NOTHING);
            let key = |row: &[Option<i64>]| (known(row[1]), known(row[0]));
            for row in &self.orders {
                let (customer, carrier, count) = (known(row[3]), row[5].is_some(), known(row[6]));
                books.order(key(row), customer, carrier, count, &mut tallies);
            }
            for row in &self.queue {
                books.queued(key(row), &mut tallies);
            }
            for rows in self.lines.chunk_by(|one, other| key(one) == key(other)) {
                let mut lines = Lines::default();
                for row in rows {
                    lines.count += 1;
                    if row[6].is_some() {
                        lines.delivered += 1;
                        lines.amount += known(row[8]);
                    }
                }
                books.lines_of(key(&rows[0]), lines, &mut tallies);
            }
            for row in &self.customers {
                books.customer(key(row), known(row[16]), known(row[17]), &mut tallies);
            }
            books.compare(self.ytd, &self.districts, Some(&self.paid), &mut tallies);
            let results = tallies.results(true, &[]);
            assert_eq!(results.len(), 22, "twelve conditions and ten keys");
            results
                .into_iter()
                .filter(|checked| checked.violations > 0)
                .map(|checked| {
                    assert!(!checked.detail.is_empty(), "{}", checked.name);
                    checked.name.replace("condition 3.3.2.", "")
                })
                .collect()
        }
    }

    #[test]
    fn generated_rows_keep_every_condition() {
        for mode in [Mode::Spec, Mode::TpccMysql] {
            assert_eq!(tables(mode).violations(), Vec::<String>::new(), "{mode:?}");
        }
    }

    /// What is violated after `plant` altered the rows.
    fn planted(plant: impl FnOnce(&mut Tables)) -> Vec<String> {
        let mut tables = tables(Mode::Spec);
        plant(&mut tables);
        tables.violations()
    }

    #[test]
    fn every_condition_notices_what_breaks_it() {
        assert_eq!(planted(|t| t.ytd += 1), ["1", "8"]);
        assert_eq!(planted(|t| t.districts[3].ytd += 1), ["1", "9"]);
        assert_eq!(planted(|t| t.districts[3].next_order += 1), ["2"]);
        assert_eq!(planted(|t| t.districts[3].next_order = NOTHING), ["2"]);
        // The newest of a district's queue, then one in its middle.
        assert_eq!(planted(|t| drop(t.queue.remove(8))), ["2", "5", "11"]);
        assert_eq!(planted(|t| drop(t.queue.remove(4))), ["3", "5", "11"]);
        assert_eq!(planted(|t| t.orders[0][6] = Some(16)), ["4", "6"]);
        assert_eq!(planted(|t| t.orders[0][5] = None), ["5", "7"]);
        assert_eq!(planted(|t| drop(t.lines.remove(0))), ["4", "6"]);
        assert_eq!(planted(|t| t.lines[0][6] = None), ["7"]);
        assert_eq!(planted(|t| t.lines[0][8] = Some(1)), ["10", "12"]);
        assert_eq!(planted(|t| t.customers[0][16] = Some(0)), ["10", "12"]);
        assert_eq!(planted(|t| t.customers[0][17] = Some(0)), ["12"]);
        assert_eq!(planted(|t| t.customers[0][17] = None), ["12"]);
        assert_eq!(planted(|t| t.paid[0] += 1), ["10"]);
        assert_eq!(planted(|t| t.districts[0].paid += 1), ["8", "9"]);
    }

    #[test]
    fn rows_without_a_parent_are_found() {
        let orphan = |t: &mut Tables| t.queue.push(vec![Some(31), Some(10), Some(2)]);
        assert_eq!(planted(orphan), ["2", "11", "foreign key fkey_new_orders_1"]);
        assert_eq!(planted(|t| t.orders[0][3] = None), ["foreign key fkey_orders_1"]);
        let customer = |t: &mut Tables| t.customers[0][1] = Some(11);
        assert_eq!(planted(customer), ["10", "12", "foreign key fkey_customer_1"]);
        let order = |t: &mut Tables| drop(t.orders.remove(0));
        assert_eq!(planted(order), ["4", "11", "foreign key fkey_order_line_1"]);
    }
}
