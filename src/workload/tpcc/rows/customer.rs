//! `customer` and the first payment of each in `history`.

use super::{LOADED_AT, address, last_name};
use crate::model::Decimal;
use crate::target::session::{RowSink, RowSource};
use crate::workload::random::Stream;
use crate::workload::tpcc::Mode;
use crate::workload::tpcc::scale::{DISTRICTS, Scale};

/// What each customer has paid when loaded.
pub(in crate::workload::tpcc) const FIRST_PAYMENT: Decimal = Decimal::hundredths(1000);

/// Walks over the customers of a warehouse, district by district.
struct Walk {
    customers: u32,
    district: u32,
    customer: u32,
}

impl Walk {
    fn new(scale: &Scale) -> Self {
        Self { customers: scale.customers, district: 1, customer: 0 }
    }

    /// The next district and customer.
    fn step(&mut self) -> Option<(u32, u32)> {
        if self.customer == self.customers {
            self.customer = 0;
            self.district += 1;
        }
        if self.district > DISTRICTS {
            return None;
        }
        self.customer += 1;
        Some((self.district, self.customer))
    }

    fn expected(&self) -> u64 {
        u64::from(self.customers) * u64::from(DISTRICTS)
    }
}

/// Rows of `customer` of one warehouse.
pub(super) struct Customers {
    scale: Scale,
    warehouse: u32,
    stream: Stream,
    walk: Walk,
    /// Reused for `c_data`.
    data: [u8; 500],
}

impl Customers {
    pub(super) fn new(scale: Scale, seed: u64, warehouse: u32) -> Self {
        Self {
            scale,
            warehouse,
            stream: Stream::new(seed, "customer", &[u64::from(warehouse)])
                .compressible(scale.compressible),
            walk: Walk::new(&scale),
            data: [0; 500],
        }
    }
}

impl RowSource for Customers {
    fn next_row(&mut self, sink: &mut dyn RowSink) -> bool {
        let Some((district, customer)) = self.walk.step() else { return false };
        let stream = &mut self.stream;
        let mut buffer = [0; 16];
        sink.int(i64::from(customer));
        sink.int(i64::from(district));
        sink.int(i64::from(self.warehouse));
        sink.text(stream.alphanumeric(&mut buffer, 8, 16));
        sink.text(b"OE");
        sink.text(&last_name(stream, &self.scale, customer));
        address(stream, self.scale.mode, sink);
        stream.fill_digits(&mut buffer);
        sink.text(&buffer);
        sink.datetime(LOADED_AT);
        match self.scale.mode {
            Mode::Spec => {
                sink.text(credit(stream, 10));
                sink.decimal(Decimal::hundredths(5_000_000));
                sink.decimal(Decimal { unscaled: stream.between(0, 5000), scale: 4 });
            }
            Mode::TpccMysql => {
                sink.text(credit(stream, 50));
                sink.int(50_000);
                sink.decimal(Decimal::hundredths(stream.between(0, 50)));
            }
        }
        sink.decimal(Decimal::hundredths(-FIRST_PAYMENT.unscaled));
        sink.decimal(FIRST_PAYMENT);
        sink.int(1);
        sink.int(0);
        sink.text(stream.alphanumeric(&mut self.data, 300, 500));
        sink.end_row();
        true
    }

    fn expected(&self) -> u64 {
        self.walk.expected()
    }
}

/// Bad credit for `bad` customers in a hundred: 10 by the standard, 50 in tpcc-mysql.
fn credit(stream: &mut Stream, bad: u64) -> &'static [u8] {
    if stream.percent(bad) { b"BC" } else { b"GC" }
}

/// Rows of `history` of one warehouse.
pub(super) struct History {
    warehouse: u32,
    stream: Stream,
    walk: Walk,
}

impl History {
    pub(super) fn new(scale: Scale, seed: u64, warehouse: u32) -> Self {
        Self {
            warehouse,
            stream: Stream::new(seed, "history", &[u64::from(warehouse)]),
            walk: Walk::new(&scale),
        }
    }
}

impl RowSource for History {
    fn next_row(&mut self, sink: &mut dyn RowSink) -> bool {
        let Some((district, customer)) = self.walk.step() else { return false };
        let mut buffer = [0; 24];
        sink.int(i64::from(customer));
        sink.int(i64::from(district));
        sink.int(i64::from(self.warehouse));
        sink.int(i64::from(district));
        sink.int(i64::from(self.warehouse));
        sink.datetime(LOADED_AT);
        sink.decimal(FIRST_PAYMENT);
        sink.text(self.stream.alphanumeric(&mut buffer, 12, 24));
        sink.end_row();
        true
    }

    fn expected(&self) -> u64 {
        self.walk.expected()
    }
}
