//! The OLTP workloads, small.

use crate::support::workload::{make, word};
use enginecmp::model::SettingValue;
use enginecmp::workload::Workload;

/// Rows of each table: more than one stretch of ids would be too many for tests.
pub(crate) const ROWS: u64 = 1000;

/// Every kind that draws keys.
pub(crate) const KINDS: &[&str] = &[
    "oltp_read_write",
    "oltp_read_only",
    "oltp_write_only",
    "oltp_point_select",
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_insert",
    "oltp_delete",
    "select_random_points",
    "select_random_ranges",
    "oltp_legacy",
    "oltp_complex",
];

/// A kind with two tables, where it has several, and these parameters beside.
pub(crate) fn oltp(kind: &str, more: &[(&str, SettingValue)]) -> Box<dyn Workload> {
    let mut parameters =
        vec![("rows", SettingValue::Count(ROWS)), ("distribution", word("special_1_0"))];
    if !kind.starts_with("select") && kind != "oltp_complex" {
        parameters.push(("tables", SettingValue::Count(2)));
    }
    parameters.extend(more.iter().cloned());
    make(kind, &parameters)
}

/// The insert benchmark with two tables, a reader among the clients and rows in random order.
pub(crate) fn insert_benchmark(order: &str) -> Box<dyn Workload> {
    make(
        "insert_benchmark",
        &[
            ("tables", SettingValue::Count(2)),
            ("rows", SettingValue::Count(ROWS)),
            ("batch", SettingValue::Count(50)),
            ("readers", SettingValue::Count(1)),
            ("order", word(order)),
        ],
    )
}

/// `bulk_insert` with two tables and statements of a hundred rows.
pub(crate) fn bulk_insert() -> Box<dyn Workload> {
    make("bulk_insert", &[("tables", SettingValue::Count(2)), ("batch", SettingValue::Count(100))])
}
