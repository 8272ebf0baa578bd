//! `compressible`: what generators make, measured by zlib.

use crate::support::oltp::oltp;
use crate::support::workload::{SEED, make};
use enginecmp::model::{Decimal, SettingValue};
use enginecmp::target::session::RowSink;
use enginecmp::workload::Workload;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write as _;

/// Takes the text of rows and nothing else.
struct Texts {
    zlib: ZlibEncoder<Vec<u8>>,
    whole: usize,
}

impl RowSink for Texts {
    fn null(&mut self) {}

    fn int(&mut self, _value: i64) {}

    fn decimal(&mut self, _value: Decimal) {}

    fn text(&mut self, value: &[u8]) {
        self.whole += value.len();
        self.zlib.write_all(value).expect("memory takes it");
    }

    fn datetime(&mut self, _value: &[u8]) {}

    fn end_row(&mut self) {}
}

/// By how many percent the text of a table's first part shrinks.
fn shrinks(workload: &dyn Workload, table: &str, part: u32) -> f64 {
    let zlib = ZlibEncoder::new(Vec::new(), Compression::default());
    let mut texts = Texts { zlib, whole: 0 };
    let mut rows = workload.rows(SEED, table, part);
    while rows.next_row(&mut texts) {}
    assert!(texts.whole > 20_000, "{table}: {} bytes", texts.whole);
    let left = texts.zlib.finish().expect("memory takes it").len();
    100.0 * (1.0 - left as f64 / texts.whole as f64)
}

#[test]
fn every_generator_makes_text_that_shrinks_as_asked() {
    for percent in [30.0, 50.0, 80.0] {
        let asked = ("compressible", SettingValue::Percent(percent));
        let within = |seen: f64, most: f64, what: &str| {
            assert!((seen - percent).abs() < most, "{what} at {percent} %: {seen}");
        };
        let near = |seen: f64, what: &str| within(seen, 5.0, what);
        let sbtest = oltp("oltp_read_write", std::slice::from_ref(&asked));
        near(shrinks(sbtest.as_ref(), "sbtest1", 0), "oltp");
        let purchases =
            make("insert_benchmark", &[("rows", SettingValue::Count(1000)), asked.clone()]);
        near(shrinks(purchases.as_ref(), "purchases1", 0), "insert_benchmark");
        let tpcc = make(
            "tpcc",
            &[
                ("warehouses", SettingValue::Count(1)),
                ("density", SettingValue::Percent(2.0)),
                asked,
            ],
        );
        near(shrinks(tpcc.as_ref(), "customer", 1), "customer");
        // Ten texts of 24 letters a row: zlib finds the constant part of one behind another.
        within(shrinks(tpcc.as_ref(), "stock", 1), 8.0, "stock");
    }
}

#[test]
fn without_it_text_is_as_the_benchmark_has_it() {
    let seen = shrinks(oltp("oltp_read_write", &[]).as_ref(), "sbtest1", 0);
    assert!((45.0..60.0).contains(&seen), "groups of digits: {seen}");
}
