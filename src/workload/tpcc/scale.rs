//! How many rows: the specification's cardinalities (clause 1.2.1), scaled by density.

use super::Mode;
use crate::workload::compressible::Compressible;
use std::ops::RangeInclusive;

/// Districts of a warehouse; never scaled.
pub(super) const DISTRICTS: u32 = 10;
/// Lines of an order, on average and, over each pair of orders, exactly.
pub(super) const MEAN_LINES: u32 = 10;

/// Row counts of one dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scale {
    /// Flavour: some columns differ.
    pub(super) mode: Mode,
    /// Warehouses, 1 to 32,767.
    pub(super) warehouses: u32,
    /// Rows of `item`, and of `stock` for each warehouse.
    pub(super) items: u32,
    /// Customers of a district; as many orders, for each customer has one.
    pub(super) customers: u32,
    /// Orders of a district that are not delivered yet: those with the highest numbers.
    pub(super) new_orders: u32,
    /// How far random text shrinks, where that is stated.
    pub(super) compressible: Option<Compressible>,
    /// Different last names: `last_name(0)` to `last_name(names - 1)`, each loaded at least once
    /// in every district.
    pub(super) last_names: u32,
}

impl Scale {
    /// The counts at `density` percent, 100 for TPC-C.
    pub(super) fn new(mode: Mode, warehouses: u32, density: f64) -> Self {
        let scaled = |full: u32| ((f64::from(full) * density / 100.0).round() as u32).max(1);
        Self {
            mode,
            compressible: None,
            warehouses,
            items: scaled(100_000),
            customers: scaled(3000),
            new_orders: scaled(900),
            last_names: scaled(1000),
        }
    }

    /// Orders of a district when loaded.
    pub(super) fn orders(&self) -> u32 {
        self.customers
    }

    /// Orders of a district that are delivered when loaded.
    pub(super) fn delivered(&self) -> u32 {
        self.orders() - self.new_orders
    }

    /// Order lines of a district when loaded: exact, since each pair of orders has
    /// 2 x [`MEAN_LINES`].
    pub(super) fn order_lines(&self) -> u64 {
        u64::from(self.orders()) * u64::from(MEAN_LINES)
    }

    /// Rows of `table` in one of its parts; none for a table that TPC-C does not have.
    pub(super) fn rows_of_part(&self, table: &str) -> Option<u64> {
        let by_district = |rows: u64| rows * u64::from(DISTRICTS);
        Some(match table {
            "item" | "stock" => u64::from(self.items),
            "warehouse" => u64::from(self.warehouses),
            "district" => by_district(u64::from(self.warehouses)),
            "customer" | "history" => by_district(u64::from(self.customers)),
            "orders" => by_district(u64::from(self.orders())),
            "new_orders" => by_district(u64::from(self.new_orders)),
            "order_line" => by_district(self.order_lines()),
            _ => return None,
        })
    }

    /// Rows of `table` in all its parts.
    pub(super) fn rows(&self, table: &str) -> Option<u64> {
        let parts = if is_divided(table) { u64::from(self.warehouses) } else { 1 };
        Some(self.rows_of_part(table)? * parts)
    }

    /// Rows that `table` may have when another generator draws how many lines each order has
    /// (clause 2.4.1.3: 5 to 15); none for tables whose rows are not drawn.
    pub(super) fn rows_by_others(&self, table: &str) -> Option<RangeInclusive<u64>> {
        let orders = self.rows("orders").filter(|_| table == "order_line")?;
        Some(orders * 5..=orders * 15)
    }
}

/// Whether a table is loaded by warehouse. The others are small or, like `item`, belong to none.
pub(super) fn is_divided(table: &str) -> bool {
    !matches!(table, "item" | "warehouse" | "district")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_density_has_the_cardinalities_of_the_specification() {
        let scale = Scale::new(Mode::Spec, 3, 100.0);
        let rows = |table| scale.rows(table);
        assert_eq!(rows("item"), Some(100_000));
        assert_eq!(rows("warehouse"), Some(3));
        assert_eq!(rows("district"), Some(30));
        assert_eq!(rows("customer"), Some(90_000));
        assert_eq!(rows("history"), Some(90_000));
        assert_eq!(rows("orders"), Some(90_000));
        assert_eq!(rows("new_orders"), Some(27_000));
        assert_eq!(rows("order_line"), Some(900_000));
        assert_eq!(rows("stock"), Some(300_000));
        assert_eq!(rows("sbtest1"), None);
        assert_eq!(scale.rows_by_others("order_line"), Some(450_000..=1_350_000));
        assert_eq!(scale.rows_by_others("orders"), None);
        assert_eq!((scale.delivered(), scale.last_names), (2100, 1000));
    }

    #[test]
    fn the_smallest_density_still_has_work_to_do() {
        let scale = Scale::new(Mode::Spec, 1, 0.1);
        assert_eq!((scale.customers, scale.new_orders, scale.last_names), (3, 1, 1));
        assert_eq!((scale.items, scale.delivered()), (100, 2));
    }
}
