//! Counts of violations, by the name that reports show.

use crate::workload::Checked;

/// Violations of one condition, with the first example.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    violations: u64,
    example: String,
}

impl Tally {
    /// Counts `count` violations; `example` is asked only for the first.
    pub(super) fn add(&mut self, count: u64, example: impl FnOnce() -> String) {
        if count > 0 {
            if self.violations == 0 {
                self.example = example();
            }
            self.violations += count;
        }
    }

    /// Counts a violation unless `holds`.
    pub(super) fn require(&mut self, holds: bool, example: impl FnOnce() -> String) {
        self.add(u64::from(!holds), example);
    }

    fn result(&self, name: String) -> Checked {
        Checked {
            name,
            violations: self.violations,
            tolerated: false,
            detail: self.example.clone(),
        }
    }
}

/// Foreign keys, as the schema names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    District1,
    Customer1,
    History1,
    History2,
    NewOrders1,
    Orders1,
    OrderLine1,
    OrderLine2,
    Stock1,
    Stock2,
}

impl Key {
    const ALL: [(Self, &'static str); 10] = [
        (Self::District1, "fkey_district_1"),
        (Self::Customer1, "fkey_customer_1"),
        (Self::History1, "fkey_history_1"),
        (Self::History2, "fkey_history_2"),
        (Self::NewOrders1, "fkey_new_orders_1"),
        (Self::Orders1, "fkey_orders_1"),
        (Self::OrderLine1, "fkey_order_line_1"),
        (Self::OrderLine2, "fkey_order_line_2"),
        (Self::Stock1, "fkey_stock_1"),
        (Self::Stock2, "fkey_stock_2"),
    ];

    /// Whether transactions insert rows that have the key.
    fn grows(self) -> bool {
        use Key::{History1, History2, NewOrders1, OrderLine1, OrderLine2, Orders1};
        matches!(self, History1 | History2 | NewOrders1 | Orders1 | OrderLine1 | OrderLine2)
    }
}

/// What a check has found so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Tallies {
    conditions: [Tally; 12],
    keys: [Tally; 10],
}

impl Tallies {
    /// The tally of consistency condition 3.3.2.`number`, 1 to 12.
    pub(super) fn condition(&mut self, number: usize) -> &mut Tally {
        &mut self.conditions[number - 1]
    }

    /// The tally of rows whose parent is missing.
    pub(super) fn key(&mut self, key: Key) -> &mut Tally {
        &mut self.keys[key as usize]
    }

    /// The conditions and keys that were looked at. Those of `deviating` do not hold by design
    /// of the mode and were not. After a repetition condition 11 does not apply, and keys of rows
    /// that no transaction inserts were not looked at.
    pub(super) fn results(&self, after_load: bool, deviating: &[usize]) -> Vec<Checked> {
        let mut results = Vec::new();
        for (tally, number) in self.conditions.iter().zip(1..) {
            let name = format!("condition 3.3.2.{number}");
            if deviating.contains(&number) {
                let detail = "not checked: a known deviation of mode tpcc_mysql".to_string();
                results.push(Checked { name, violations: 0, tolerated: true, detail });
            } else if after_load || number != 11 {
                results.push(tally.result(name));
            }
        }
        for (key, name) in Key::ALL {
            if after_load || key.grows() {
                results.push(self.keys[key as usize].result(format!("foreign key {name}")));
            }
        }
        results
    }
}

/// The result of comparing a number of rows with what it must be.
pub(super) fn exact(name: String, seen: u64, expected: u64) -> Checked {
    Checked {
        name,
        violations: seen.abs_diff(expected),
        tolerated: false,
        detail: if seen == expected {
            String::new()
        } else {
            format!("{seen} rows, {expected} expected")
        },
    }
}
