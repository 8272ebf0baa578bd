//! What a terminal would enter: the inputs of a transaction, drawn before it is timed.
//!
//! There are no terminals with a home warehouse: each transaction draws its warehouse uniformly
//! from the active ones, and remote warehouses from the same.

use super::names::{self, LastName};
use super::scale::{DISTRICTS, Scale};
use super::{DELIVERY, Mode, NEW_ORDER, ORDER_STATUS, PAYMENT, STOCK_LEVEL};
use crate::workload::random::{NuRand, Stream};

/// Most lines of an order.
pub(super) const MOST_LINES: usize = 15;

/// One line of an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// Item; one more than there are for the line that rolls back.
    pub(super) item: u32,
    /// Warehouse that supplies it.
    pub(super) supply: u32,
    /// 1 to 10.
    pub(super) quantity: u32,
}

/// Inputs of New-Order (clause 2.4.1).
#[derive(Clone, Debug)]
pub(super) struct NewOrderInput {
    pub(super) warehouse: u32,
    pub(super) district: u32,
    pub(super) customer: u32,
    /// `o_all_local`.
    pub(super) all_local: bool,
    lines: [Line; MOST_LINES],
    count: usize,
}

impl NewOrderInput {
    /// The lines in the order in which they were entered.
    pub(super) fn lines(&self) -> &[Line] {
        &self.lines[..self.count]
    }
}

/// Whom a transaction is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct CustomerInput {
    pub(super) warehouse: u32,
    pub(super) district: u32,
    /// Their number; by name, a number that tpcc-mysql draws all the same.
    pub(super) id: u32,
    /// Their last name, in 60 of 100.
    pub(super) name: Option<LastName>,
}

/// Inputs of Payment (clause 2.5.1).
#[derive(Clone, Copy, Debug)]
pub(super) struct PaymentInput {
    pub(super) warehouse: u32,
    pub(super) district: u32,
    pub(super) customer: CustomerInput,
    /// 1.00 to 5000.00, in hundredths.
    pub(super) amount: i64,
}

/// Inputs of Delivery (clause 2.7.1).
#[derive(Clone, Copy, Debug)]
pub(super) struct DeliveryInput {
    pub(super) warehouse: u32,
    pub(super) carrier: u32,
}

/// Inputs of Stock-Level (clause 2.8.1).
#[derive(Clone, Copy, Debug)]
pub(super) struct StockLevelInput {
    pub(super) warehouse: u32,
    pub(super) district: u32,
    pub(super) threshold: u32,
}

/// Inputs of any transaction.
#[derive(Clone, Debug)]
pub(super) enum Input {
    NewOrder(NewOrderInput),
    Payment(PaymentInput),
    OrderStatus(CustomerInput),
    Delivery(DeliveryInput),
    StockLevel(StockLevelInput),
}

/// Draws inputs.
pub(super) struct Terminal {
    scale: Scale,
    active: u32,
    stream: Stream,
    names: NuRand,
    customers: NuRand,
    items: NuRand,
}

impl Terminal {
    pub(super) fn new(scale: Scale, active: u32, stream: Stream) -> Self {
        Self {
            scale,
            active,
            stream,
            names: names::run_names(&scale),
            customers: names::customers(&scale),
            items: names::items(&scale),
        }
    }

    /// Inputs of a transaction of this type.
    pub(super) fn draw(&mut self, kind: usize) -> Input {
        let warehouse = self.number(1, self.active);
        match kind {
            NEW_ORDER => Input::NewOrder(self.new_order(warehouse)),
            PAYMENT => Input::Payment(self.payment(warehouse)),
            ORDER_STATUS => {
                let district = self.district();
                Input::OrderStatus(self.customer(warehouse, district))
            }
            DELIVERY => Input::Delivery(DeliveryInput { warehouse, carrier: self.number(1, 10) }),
            STOCK_LEVEL.. => Input::StockLevel(StockLevelInput {
                warehouse,
                district: self.district(),
                threshold: self.number(10, 20),
            }),
        }
    }

    fn number(&mut self, low: u32, high: u32) -> u32 {
        self.stream.between(i64::from(low), i64::from(high)) as u32
    }

    fn district(&mut self) -> u32 {
        self.number(1, DISTRICTS)
    }

    /// An active warehouse other than `home`; `home` when it is the only one.
    fn other_warehouse(&mut self, home: u32) -> u32 {
        if self.active == 1 {
            return home;
        }
        let other = self.number(1, self.active - 1);
        if other < home { other } else { other + 1 }
    }

    fn new_order(&mut self, warehouse: u32) -> NewOrderInput {
        let mut input = NewOrderInput {
            warehouse,
            district: self.district(),
            customer: self.customers.draw(&mut self.stream) as u32,
            all_local: true,
            lines: [Line::default(); MOST_LINES],
            count: self.number(5, MOST_LINES as u32) as usize,
        };
        let rolls_back = self.stream.percent(1);
        for at in 0..input.count {
            let item = self.items.draw(&mut self.stream) as u32;
            let unused = rolls_back && at + 1 == input.count;
            let remote = self.stream.percent(1);
            let supply = if remote { self.other_warehouse(warehouse) } else { warehouse };
            // tpcc-mysql calls a line remote even where there is one warehouse alone.
            input.all_local &= match self.scale.mode {
                Mode::Spec => supply == warehouse,
                Mode::TpccMysql => !remote,
            };
            input.lines[at] = Line {
                item: if unused { self.scale.items + 1 } else { item },
                supply,
                quantity: self.number(1, 10),
            };
        }
        input
    }

    fn payment(&mut self, warehouse: u32) -> PaymentInput {
        let district = self.district();
        let amount = match self.scale.mode {
            Mode::Spec => self.stream.between(100, 500_000),
            Mode::TpccMysql => self.stream.between(1, 5000) * 100,
        };
        let customer = if self.stream.percent(85) {
            self.customer(warehouse, district)
        } else {
            let (other, district) = (self.other_warehouse(warehouse), self.district());
            self.customer(other, district)
        };
        PaymentInput { warehouse, district, customer, amount }
    }

    fn customer(&mut self, warehouse: u32, district: u32) -> CustomerInput {
        let id = self.customers.draw(&mut self.stream) as u32;
        let by_name = self.stream.percent(60);
        let name = by_name.then(|| LastName::new(self.names.draw(&mut self.stream) as u32));
        CustomerInput { warehouse, district, id, name }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terminal(mode: Mode, warehouses: u32, active: u32) -> Terminal {
        Terminal::new(Scale::new(mode, warehouses, 100.0), active, Stream::new(1, "terminal", &[]))
    }

    fn new_orders(terminal: &mut Terminal, count: usize) -> Vec<NewOrderInput> {
        (0..count)
            .map(|_| match terminal.draw(NEW_ORDER) {
                Input::NewOrder(input) => input,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    fn payments(terminal: &mut Terminal, count: usize) -> Vec<PaymentInput> {
        (0..count)
            .map(|_| match terminal.draw(PAYMENT) {
                Input::Payment(input) => input,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    fn share<T>(all: &[T], test: impl Fn(&T) -> bool) -> f64 {
        all.iter().filter(|one| test(one)).count() as f64 / all.len() as f64
    }

    #[test]
    fn shares_of_new_order_are_those_of_the_standard() {
        let mut terminal = terminal(Mode::Spec, 4, 4);
        let orders = new_orders(&mut terminal, 40_000);
        let lines: Vec<(u32, Line)> = orders
            .iter()
            .flat_map(|order| order.lines().iter().map(|line| (order.warehouse, *line)))
            .collect();
        let remote = share(&lines, |(home, line)| line.supply != *home);
        assert!((0.009..0.011).contains(&remote), "{remote}");
        let unused = share(&orders, |order| order.lines().iter().any(|line| line.item > 100_000));
        assert!((0.008..0.012).contains(&unused), "{unused}");
        for order in &orders {
            let (last, before) = order.lines().split_last().expect("five lines at least");
            assert!(before.iter().all(|line| (1..=100_000).contains(&line.item)));
            assert!((1..=100_001).contains(&last.item));
            assert!((5..=15).contains(&order.lines().len()));
            assert!((1..=10).contains(&order.district) && (1..=3000).contains(&order.customer));
            let local = order.lines().iter().all(|line| line.supply == order.warehouse);
            assert_eq!(order.all_local, local);
        }
        let mean = lines.len() as f64 / orders.len() as f64;
        assert!((9.95..10.05).contains(&mean), "{mean}");
    }

    #[test]
    fn shares_of_payment_are_those_of_the_standard() {
        let mut terminal = terminal(Mode::Spec, 4, 4);
        let payments = payments(&mut terminal, 40_000);
        let remote = share(&payments, |payment| payment.customer.warehouse != payment.warehouse);
        assert!((0.14..0.16).contains(&remote), "{remote}");
        let by_name = share(&payments, |payment| payment.customer.name.is_some());
        assert!((0.59..0.61).contains(&by_name), "{by_name}");
        assert!(payments.iter().all(|payment| (100..=500_000).contains(&payment.amount)));
        assert!(payments.iter().any(|payment| payment.amount % 100 != 0));
        let whole = self::payments(&mut self::terminal(Mode::TpccMysql, 4, 4), 1000);
        assert!(whole.iter().all(|payment| payment.amount % 100 == 0));
    }

    #[test]
    fn only_active_warehouses_are_drawn_each_as_often() {
        let mut terminal = terminal(Mode::Spec, 8, 3);
        let mut home = [0u32; 9];
        let mut remote = [0u32; 9];
        for order in new_orders(&mut terminal, 30_000) {
            home[order.warehouse as usize] += 1;
            for line in order.lines().iter().filter(|line| line.supply != order.warehouse) {
                remote[line.supply as usize] += 1;
            }
        }
        for payment in payments(&mut terminal, 30_000) {
            home[payment.warehouse as usize] += 1;
            remote[payment.customer.warehouse as usize] +=
                u32::from(payment.customer.warehouse != payment.warehouse);
        }
        for counts in [home, remote] {
            let sum: u32 = counts.iter().sum();
            assert_eq!(counts[1..=3].iter().sum::<u32>(), sum, "{counts:?}");
            let third = sum / 3;
            assert!(counts[1..=3].iter().all(|&n| n.abs_diff(third) < third / 20), "{counts:?}");
        }
    }

    #[test]
    fn one_warehouse_has_no_other_to_draw_from() {
        let spec = new_orders(&mut terminal(Mode::Spec, 1, 1), 5000);
        assert!(spec.iter().all(|order| order.all_local));
        let tool = new_orders(&mut terminal(Mode::TpccMysql, 1, 1), 5000);
        let local = share(&tool, |order| order.all_local);
        // Ten lines of which each is called remote once in a hundred.
        assert!((0.88..0.93).contains(&local), "{local}");
        assert!(tool.iter().all(|order| order.lines().iter().all(|line| line.supply == 1)));
    }
}
