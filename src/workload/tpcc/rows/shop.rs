//! `item`, `warehouse` and `district`: small, or of no warehouse, each in one part.

use super::{address, item_data, tax};
use crate::model::Decimal;
use crate::target::session::{RowSink, RowSource};
use crate::workload::random::Stream;
use crate::workload::tpcc::scale::{DISTRICTS, Scale};

/// Rows of `item`.
pub(super) struct Items {
    scale: Scale,
    stream: Stream,
    next: u32,
}

impl Items {
    pub(super) fn new(scale: Scale, seed: u64) -> Self {
        Self {
            scale,
            stream: Stream::new(seed, "item", &[]).compressible(scale.compressible),
            next: 1,
        }
    }
}

impl RowSource for Items {
    fn next_row(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.next > self.scale.items {
            return false;
        }
        let stream = &mut self.stream;
        let mut buffer = [0; 50];
        sink.int(i64::from(self.next));
        sink.int(stream.between(1, 10_000));
        sink.text(stream.alphanumeric(&mut buffer, 14, 24));
        sink.decimal(Decimal::hundredths(stream.between(100, 10_000)));
        sink.text(item_data(stream, self.scale.mode, &mut buffer));
        sink.end_row();
        self.next += 1;
        true
    }

    fn expected(&self) -> u64 {
        u64::from(self.scale.items)
    }
}

/// Rows of `warehouse`.
pub(super) struct Warehouses {
    scale: Scale,
    seed: u64,
    next: u32,
}

impl Warehouses {
    pub(super) fn new(scale: Scale, seed: u64) -> Self {
        Self { scale, seed, next: 1 }
    }
}

impl RowSource for Warehouses {
    fn next_row(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.next > self.scale.warehouses {
            return false;
        }
        let mut stream = Stream::new(self.seed, "warehouse", &[u64::from(self.next)])
            .compressible(self.scale.compressible);
        let mut name = [0; 10];
        sink.int(i64::from(self.next));
        sink.text(stream.alphanumeric(&mut name, 6, 10));
        address(&mut stream, self.scale.mode, sink);
        sink.decimal(tax(&mut stream, self.scale.mode));
        sink.decimal(Decimal::hundredths(i64::from(DISTRICTS) * district_ytd(&self.scale)));
        sink.end_row();
        self.next += 1;
        true
    }

    fn expected(&self) -> u64 {
        u64::from(self.scale.warehouses)
    }
}

/// What a district has taken in when loaded, in hundredths: 10.00 from each customer, as
/// `history` has it (30,000.00 at full density).
fn district_ytd(scale: &Scale) -> i64 {
    i64::from(scale.customers) * super::FIRST_PAYMENT.unscaled
}

/// Rows of `district`.
pub(super) struct Districts {
    scale: Scale,
    seed: u64,
    stream: Stream,
    warehouse: u32,
    district: u32,
}

impl Districts {
    pub(super) fn new(scale: Scale, seed: u64) -> Self {
        let stream = Self::stream(&scale, seed, 1);
        Self { scale, seed, stream, warehouse: 1, district: 1 }
    }

    fn stream(scale: &Scale, seed: u64, warehouse: u32) -> Stream {
        Stream::new(seed, "district", &[u64::from(warehouse)]).compressible(scale.compressible)
    }
}

impl RowSource for Districts {
    fn next_row(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.district > DISTRICTS {
            self.warehouse += 1;
            self.district = 1;
            self.stream = Self::stream(&self.scale, self.seed, self.warehouse);
        }
        if self.warehouse > self.scale.warehouses {
            return false;
        }
        let stream = &mut self.stream;
        let mut name = [0; 10];
        sink.int(i64::from(self.district));
        sink.int(i64::from(self.warehouse));
        sink.text(stream.alphanumeric(&mut name, 6, 10));
        address(stream, self.scale.mode, sink);
        sink.decimal(tax(stream, self.scale.mode));
        sink.decimal(Decimal::hundredths(district_ytd(&self.scale)));
        sink.int(i64::from(self.scale.orders()) + 1);
        sink.end_row();
        self.district += 1;
        true
    }

    fn expected(&self) -> u64 {
        u64::from(self.scale.warehouses) * u64::from(DISTRICTS)
    }
}
