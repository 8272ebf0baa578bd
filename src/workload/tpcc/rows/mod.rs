//! Rows of the nine tables (clause 4.3.3), one source a part, in primary-key order.
//!
//! Everything is drawn from streams named after the table and seeded with the warehouse, so a
//! row never depends on threads, on other tables' progress or on how many warehouses there are.
//! No row allocates.

mod customer;
mod orders;
mod shop;
mod stock;

use super::Mode;
use super::names::LastName;
use super::scale::Scale;
use crate::model::Decimal;
use crate::target::session::{RowSink, RowSource};
use crate::workload::random::Stream;

pub(super) use customer::FIRST_PAYMENT;

/// The moment at which all data was "loaded": a clock would make rows differ.
pub(super) const LOADED_AT: &[u8] = b"2024-01-01 00:00:00";

/// The source of one part of a table; one without rows for a table or part that does not exist.
pub(super) fn source(scale: Scale, seed: u64, table: &str, part: u32) -> Box<dyn RowSource> {
    let warehouse = (1..=scale.warehouses).contains(&part);
    match table {
        "item" if part == 0 => Box::new(shop::Items::new(scale, seed)),
        "warehouse" if part == 0 => Box::new(shop::Warehouses::new(scale, seed)),
        "district" if part == 0 => Box::new(shop::Districts::new(scale, seed)),
        "customer" if warehouse => Box::new(customer::Customers::new(scale, seed, part)),
        "history" if warehouse => Box::new(customer::History::new(scale, seed, part)),
        "stock" if warehouse => Box::new(stock::Stock::new(scale, seed, part)),
        "orders" if warehouse => Box::new(orders::Orders::new(scale, seed, part)),
        "new_orders" if warehouse => Box::new(orders::NewOrders::new(scale, part)),
        "order_line" if warehouse => Box::new(orders::OrderLines::new(scale, seed, part)),
        _ => Box::new(Nothing),
    }
}

struct Nothing;

impl RowSource for Nothing {
    fn next_row(&mut self, _: &mut dyn RowSink) -> bool {
        false
    }

    fn expected(&self) -> u64 {
        0
    }
}

/// Two street lines, city, state and zip code (clause 4.3.2.7).
fn address(stream: &mut Stream, mode: Mode, sink: &mut dyn RowSink) {
    let mut buffer = [0; 20];
    for _ in 0..3 {
        sink.text(stream.alphanumeric(&mut buffer, 10, 20));
    }
    let mut state = [0; 2];
    for letter in &mut state {
        *letter = b'A' + stream.below(26) as u8;
    }
    sink.text(&state);
    // Four random digits and 11111; tpcc-mysql draws all nine.
    let mut zip = *b"000011111";
    let random = match mode {
        Mode::Spec => 4,
        Mode::TpccMysql => 9,
    };
    stream.fill_digits(&mut zip[..random]);
    sink.text(&zip);
}

/// A tax rate of 0 to 0.2000; tpcc-mysql has 0.10 to 0.20.
fn tax(stream: &mut Stream, mode: Mode) -> Decimal {
    match mode {
        Mode::Spec => Decimal { unscaled: stream.between(0, 2000), scale: 4 },
        Mode::TpccMysql => Decimal::hundredths(stream.between(10, 20)),
    }
}

/// 26 to 50 letters and digits, of which one row in ten holds ORIGINAL somewhere (`i_data`,
/// `s_data`); tpcc-mysql writes it small.
fn item_data<'b>(stream: &mut Stream, mode: Mode, buffer: &'b mut [u8; 50]) -> &'b [u8] {
    let length = stream.alphanumeric(buffer, 26, 50).len();
    if stream.percent(10) {
        let word = original(mode);
        let at = stream.below((length - word.len() + 1) as u64) as usize;
        buffer[at..at + word.len()].copy_from_slice(word);
    }
    &buffer[..length]
}

/// The word that marks brand goods.
pub(super) fn original(mode: Mode) -> &'static [u8; 8] {
    match mode {
        Mode::Spec => b"ORIGINAL",
        Mode::TpccMysql => b"original",
    }
}

/// The last name of customer `c_id` of a district: the first ones have every name once, so that
/// each drawn name is found (clause 4.3.3.1).
fn last_name(stream: &mut Stream, scale: &Scale, c_id: u32) -> LastName {
    if c_id <= scale.last_names {
        LastName::new(c_id - 1)
    } else {
        LastName::new(super::names::load_names(scale).draw(stream) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::TableChecksum;
    use crate::workload::checksum::ChecksumSink;
    use crate::workload::tpcc::{DATA_VERSION, schema};

    fn checksum(scale: Scale, seed: u64, table: &str, part: u32) -> TableChecksum {
        let mut sink = ChecksumSink::default();
        let mut rows = source(scale, seed, table, part);
        while rows.next_row(&mut sink) {}
        assert!(!rows.next_row(&mut sink), "an exhausted source stays exhausted");
        assert_eq!(sink.checksum.rows, rows.expected(), "{table} {part}");
        sink.checksum
    }

    #[test]
    fn rows_depend_on_seed_table_and_warehouse_and_nothing_else() {
        let small = Scale::new(Mode::Spec, 2, 1.0);
        let large = Scale::new(Mode::Spec, 5, 1.0);
        for table in ["customer", "history", "stock", "orders", "new_orders", "order_line"] {
            let one = checksum(small, 1, table, 2);
            assert_eq!(one, checksum(large, 1, table, 2), "{table}");
            assert_ne!(one.sum, checksum(small, 1, table, 1).sum, "{table}");
            if table != "new_orders" {
                assert_ne!(one.sum, checksum(small, 2, table, 2).sum, "{table}");
            }
        }
        assert_eq!(checksum(small, 1, "item", 0), checksum(large, 1, "item", 0));
        assert_ne!(checksum(small, 1, "item", 0), checksum(small, 2, "item", 0));
    }

    #[test]
    fn rows_never_change_without_a_new_data_version() {
        let scale = Scale::new(Mode::Spec, 1, 1.0);
        let tool = Scale { mode: Mode::TpccMysql, ..scale };
        let all = |scale: Scale| {
            let tables = schema::tables(&scale);
            let parts = tables.iter().flat_map(|table| {
                table.parts.iter().map(|part| checksum(scale, 1, &table.table, part.part))
            });
            parts.fold(TableChecksum::default(), TableChecksum::and).to_string()
        };
        assert_eq!((DATA_VERSION, all(scale).as_str()), (1, "71be021fc932a0858a6f7700972b4e4b"));
        assert_eq!((DATA_VERSION, all(tool).as_str()), (1, "532172f79d560049d2801f726d5522c1"));
    }

    #[test]
    fn a_part_has_as_many_rows_as_the_table_says_at_any_density() {
        for density in [0.1, 0.5, 1.0, 3.3] {
            for mode in [Mode::Spec, Mode::TpccMysql] {
                let scale = Scale::new(mode, 2, density);
                for table in schema::tables(&scale) {
                    for part in &table.parts {
                        let sum = checksum(scale, 1, &table.table, part.part);
                        assert_eq!(sum.rows, part.rows, "{} at {density} %", table.table);
                    }
                }
            }
        }
    }

    #[test]
    fn a_part_that_does_not_exist_has_no_rows() {
        let scale = Scale::new(Mode::Spec, 2, 1.0);
        for (table, part) in [("stock", 0), ("stock", 3), ("item", 1), ("sbtest1", 0)] {
            assert_eq!(checksum(scale, 1, table, part).rows, 0, "{table} {part}");
        }
    }

    /// Collects rows as text.
    #[derive(Default)]
    struct TextSink {
        rows: Vec<Vec<String>>,
        row: Vec<String>,
    }

    impl RowSink for TextSink {
        fn null(&mut self) {
            self.row.push("NULL".to_string());
        }
        fn int(&mut self, value: i64) {
            self.row.push(value.to_string());
        }
        fn decimal(&mut self, value: Decimal) {
            self.row.push(value.to_string());
        }
        fn text(&mut self, value: &[u8]) {
            self.row.push(String::from_utf8(value.to_vec()).expect("text is ASCII"));
        }
        fn datetime(&mut self, value: &[u8]) {
            self.text(value);
        }
        fn end_row(&mut self) {
            self.rows.push(std::mem::take(&mut self.row));
        }
    }

    fn rows(scale: Scale, table: &str, part: u32) -> Vec<Vec<String>> {
        let mut sink = TextSink::default();
        let mut source = source(scale, 1, table, part);
        while source.next_row(&mut sink) {}
        sink.rows
    }

    #[test]
    fn rows_have_the_fields_of_their_columns_in_key_order() {
        let scale = Scale::new(Mode::Spec, 2, 1.0);
        let keys: &[(&str, &[usize])] = &[
            ("item", &[0]),
            ("warehouse", &[0]),
            ("district", &[1, 0]),
            ("customer", &[2, 1, 0]),
            ("stock", &[1, 0]),
            ("orders", &[2, 1, 0]),
            ("new_orders", &[2, 1, 0]),
            ("order_line", &[2, 1, 0, 3]),
        ];
        for table in schema::tables(&scale) {
            for part in &table.parts {
                let rows = rows(scale, &table.table, part.part);
                assert!(rows.iter().all(|row| row.len() == table.columns.len()));
                if let Some((_, key)) = keys.iter().find(|(name, _)| *name == table.table) {
                    let ordered = rows.is_sorted_by_key(|row| {
                        key.iter().map(|&at| row[at].parse().unwrap_or(0)).collect::<Vec<i64>>()
                    });
                    assert!(ordered, "{}", table.table);
                }
            }
        }
    }

    #[test]
    fn shares_of_the_standard_are_kept() {
        let scale = Scale::new(Mode::Spec, 1, 20.0);
        let share = |rows: &[Vec<String>], test: &dyn Fn(&Vec<String>) -> bool| {
            rows.iter().filter(|row| test(row)).count() as f64 / rows.len() as f64
        };
        let stock = rows(scale, "stock", 1);
        let brand = share(&stock, &|row| row[16].contains("ORIGINAL"));
        assert!((0.09..0.11).contains(&brand), "{brand}");
        assert!(stock.iter().all(|row| (26..=50).contains(&row[16].len())));
        let customers = rows(scale, "customer", 1);
        let bad = share(&customers, &|row| row[13] == "BC");
        assert!((0.08..0.12).contains(&bad), "{bad}");
        assert!(customers.iter().all(|row| row[10].ends_with("11111") && row[10].len() == 9));
        let lines = rows(scale, "order_line", 1);
        let free = share(&lines, &|row| row[8] == "0.00");
        assert!((0.69..0.71).contains(&free), "{free}");
        let orders = rows(scale, "orders", 1);
        for count in 5..=15 {
            let of_count = share(&orders, &|row| row[6] == count.to_string());
            assert!((0.07..0.115).contains(&of_count), "{count} lines: {of_count}");
        }
        let tool = Scale { mode: Mode::TpccMysql, ..scale };
        let bad = share(&rows(tool, "customer", 1), &|row| row[13] == "BC");
        assert!((0.45..0.55).contains(&bad), "{bad}");
    }

    #[test]
    fn every_name_that_can_be_drawn_exists_in_every_district() {
        let scale = Scale::new(Mode::Spec, 1, 1.0);
        let customers = rows(scale, "customer", 1);
        for district in 1..=10 {
            for number in 0..scale.last_names {
                let name = String::from_utf8(LastName::new(number).to_vec()).expect("ASCII");
                let found =
                    customers.iter().any(|row| row[1] == district.to_string() && row[5] == name);
                assert!(found, "district {district} lacks {name}");
            }
        }
    }
}
