//! `stock`.

use super::item_data;
use crate::model::Decimal;
use crate::target::session::{RowSink, RowSource};
use crate::workload::random::Stream;
use crate::workload::tpcc::scale::{DISTRICTS, Scale};

/// Rows of `stock` of one warehouse.
pub(super) struct Stock {
    scale: Scale,
    warehouse: u32,
    stream: Stream,
    next: u32,
}

impl Stock {
    pub(super) fn new(scale: Scale, seed: u64, warehouse: u32) -> Self {
        let stream =
            Stream::new(seed, "stock", &[u64::from(warehouse)]).compressible(scale.compressible);
        Self { scale, warehouse, stream, next: 1 }
    }
}

impl RowSource for Stock {
    fn next_row(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.next > self.scale.items {
            return false;
        }
        let stream = &mut self.stream;
        let mut buffer = [0; 50];
        sink.int(i64::from(self.next));
        sink.int(i64::from(self.warehouse));
        sink.int(stream.between(10, 100));
        for _ in 0..DISTRICTS {
            stream.fill_alphanumeric(&mut buffer[..24]);
            sink.text(&buffer[..24]);
        }
        sink.decimal(Decimal { unscaled: 0, scale: 0 });
        sink.int(0);
        sink.int(0);
        sink.text(item_data(stream, self.scale.mode, &mut buffer));
        sink.end_row();
        self.next += 1;
        true
    }

    fn expected(&self) -> u64 {
        u64::from(self.scale.items)
    }
}
