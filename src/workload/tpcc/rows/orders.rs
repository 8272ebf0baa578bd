//! `orders`, `new_orders` and `order_line`.

use super::LOADED_AT;
use crate::model::Decimal;
use crate::target::session::{RowSink, RowSource};
use crate::workload::random::Stream;
use crate::workload::tpcc::Mode;
use crate::workload::tpcc::scale::{DISTRICTS, MEAN_LINES, Scale};

/// How many lines each order of a warehouse has: the one thing that two tables must agree on.
///
/// Orders come in pairs of x and 20 - x lines with x uniform from 5 to 15: each order's count is
/// uniform, and a table's size is exact without drawing.
struct LineCounts {
    stream: Stream,
    orders: u32,
    owed: Option<u32>,
}

impl LineCounts {
    fn new(scale: &Scale, seed: u64, warehouse: u32) -> Self {
        let stream = Stream::new(seed, "line counts", &[u64::from(warehouse)]);
        Self { stream, orders: scale.orders(), owed: None }
    }

    /// Lines of order `order`; asked in order, from 1, district by district.
    fn next(&mut self, order: u32) -> u32 {
        if let Some(lines) = self.owed.take() {
            return lines;
        }
        if order == self.orders {
            return MEAN_LINES;
        }
        let lines = self.stream.between(5, 15) as u32;
        self.owed = Some(2 * MEAN_LINES - lines);
        lines
    }
}

/// Rows of `orders` of one warehouse.
pub(super) struct Orders {
    scale: Scale,
    warehouse: u32,
    stream: Stream,
    lines: LineCounts,
    /// The customers in the order in which they ordered, shuffled anew for each district.
    customers: Vec<u32>,
    district: u32,
    order: u32,
}

impl Orders {
    pub(super) fn new(scale: Scale, seed: u64, warehouse: u32) -> Self {
        Self {
            scale,
            warehouse,
            stream: Stream::new(seed, "orders", &[u64::from(warehouse)]),
            lines: LineCounts::new(&scale, seed, warehouse),
            customers: (1..=scale.customers).collect(),
            district: 0,
            order: scale.orders(),
        }
    }
}

impl RowSource for Orders {
    fn next_row(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.order == self.scale.orders() {
            if self.district == DISTRICTS {
                return false;
            }
            self.district += 1;
            self.order = 0;
            self.stream.shuffle(&mut self.customers);
        }
        let customer = self.customers[self.order as usize];
        self.order += 1;
        sink.int(i64::from(self.order));
        sink.int(i64::from(self.district));
        sink.int(i64::from(self.warehouse));
        sink.int(i64::from(customer));
        sink.datetime(LOADED_AT);
        if self.order <= self.scale.delivered() {
            sink.int(self.stream.between(1, 10));
        } else {
            sink.null();
        }
        sink.int(i64::from(self.lines.next(self.order)));
        sink.int(1);
        sink.end_row();
        true
    }

    fn expected(&self) -> u64 {
        u64::from(self.scale.orders()) * u64::from(DISTRICTS)
    }
}

/// Rows of `new_orders` of one warehouse: nothing in them is random.
pub(super) struct NewOrders {
    scale: Scale,
    warehouse: u32,
    district: u32,
    order: u32,
}

impl NewOrders {
    pub(super) fn new(scale: Scale, warehouse: u32) -> Self {
        Self { scale, warehouse, district: 1, order: scale.delivered() }
    }
}

impl RowSource for NewOrders {
    fn next_row(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.order == self.scale.orders() {
            self.order = self.scale.delivered();
            self.district += 1;
        }
        if self.district > DISTRICTS {
            return false;
        }
        self.order += 1;
        sink.int(i64::from(self.order));
        sink.int(i64::from(self.district));
        sink.int(i64::from(self.warehouse));
        sink.end_row();
        true
    }

    fn expected(&self) -> u64 {
        u64::from(self.scale.new_orders) * u64::from(DISTRICTS)
    }
}

/// Rows of `order_line` of one warehouse.
pub(super) struct OrderLines {
    scale: Scale,
    warehouse: u32,
    stream: Stream,
    counts: LineCounts,
    district: u32,
    order: u32,
    line: u32,
    lines: u32,
}

impl OrderLines {
    pub(super) fn new(scale: Scale, seed: u64, warehouse: u32) -> Self {
        Self {
            scale,
            warehouse,
            stream: Stream::new(seed, "order_line", &[u64::from(warehouse)])
                .compressible(scale.compressible),
            counts: LineCounts::new(&scale, seed, warehouse),
            district: 1,
            order: 0,
            line: 0,
            lines: 0,
        }
    }
}

impl RowSource for OrderLines {
    fn next_row(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.line == self.lines {
            if self.order == self.scale.orders() {
                self.district += 1;
                self.order = 0;
            }
            if self.district > DISTRICTS {
                return false;
            }
            self.order += 1;
            self.line = 0;
            self.lines = self.counts.next(self.order);
        }
        self.line += 1;
        let stream = &mut self.stream;
        let delivered = self.order <= self.scale.delivered();
        sink.int(i64::from(self.order));
        sink.int(i64::from(self.district));
        sink.int(i64::from(self.warehouse));
        sink.int(i64::from(self.line));
        sink.int(stream.between(1, i64::from(self.scale.items)));
        sink.int(i64::from(self.warehouse));
        if delivered {
            sink.datetime(LOADED_AT);
        } else {
            sink.null();
        }
        sink.int(5);
        let amount = match self.scale.mode {
            _ if delivered => 0,
            Mode::Spec => stream.between(1, 999_999),
            Mode::TpccMysql => stream.between(10, 10_000),
        };
        sink.decimal(Decimal::hundredths(amount));
        let mut info = [0; 24];
        stream.fill_alphanumeric(&mut info);
        sink.text(&info);
        sink.end_row();
        true
    }

    fn expected(&self) -> u64 {
        self.scale.order_lines() * u64::from(DISTRICTS)
    }
}
