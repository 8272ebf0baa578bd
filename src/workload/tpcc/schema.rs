//! The nine tables as data, their script, their secondary indexes and foreign keys.
//!
//! Names are those of tpcc-mysql (`orders`, `new_orders`), in both modes, so that probes and
//! published queries run on either. No engine, row format or character set is stated: transforms
//! add them, the same for every side.

use super::Mode;
use super::scale::{Scale, is_divided};
use crate::workload::{Column, ColumnKind, SourceScript, TableLoad, TablePart};
use std::fmt::{self, Write as _};

/// SQL types that the tables use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Decimal(u8, u8),
    Char(u8),
    VarChar(u16),
    Text,
    DateTime,
}

impl Type {
    fn kind(self) -> ColumnKind {
        match self {
            Self::TinyInt | Self::SmallInt | Self::Int | Self::BigInt => ColumnKind::Int,
            Self::Decimal(_, scale) => ColumnKind::Decimal(scale),
            Self::Char(_) | Self::VarChar(_) | Self::Text => ColumnKind::Text,
            Self::DateTime => ColumnKind::DateTime,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TinyInt => f.write_str("tinyint"),
            Self::SmallInt => f.write_str("smallint"),
            Self::Int => f.write_str("int"),
            Self::BigInt => f.write_str("bigint"),
            Self::Decimal(digits, scale) => write!(f, "decimal({digits},{scale})"),
            Self::Char(length) => write!(f, "char({length})"),
            Self::VarChar(length) => write!(f, "varchar({length})"),
            Self::Text => f.write_str("text"),
            Self::DateTime => f.write_str("datetime"),
        }
    }
}

struct Shape {
    name: &'static str,
    specified: Type,
    /// What tpcc-mysql has instead.
    tpcc_mysql: Option<Type>,
    not_null: bool,
}

impl Shape {
    fn of(&self, mode: Mode) -> Type {
        match mode {
            Mode::Spec => self.specified,
            Mode::TpccMysql => self.tpcc_mysql.unwrap_or(self.specified),
        }
    }
}

const fn key(name: &'static str, specified: Type) -> Shape {
    Shape { name, specified, tpcc_mysql: None, not_null: true }
}

const fn col(name: &'static str, specified: Type) -> Shape {
    Shape { name, specified, tpcc_mysql: None, not_null: false }
}

const fn differs(name: &'static str, specified: Type, tpcc_mysql: Type) -> Shape {
    Shape { name, specified, tpcc_mysql: Some(tpcc_mysql), not_null: false }
}

struct TableShape {
    name: &'static str,
    columns: &'static [Shape],
    /// Empty for `history`, which has none.
    primary_key: &'static str,
}

use Type::{BigInt, Char, DateTime, Decimal, Int, SmallInt, Text, TinyInt, VarChar};

/// Parents stand before their children, so that the script runs with foreign keys in force.
static TABLES: &[TableShape] = &[
    TableShape {
        name: "item",
        columns: &[
            key("i_id", Int),
            col("i_im_id", Int),
            col("i_name", VarChar(24)),
            col("i_price", Decimal(5, 2)),
            col("i_data", VarChar(50)),
        ],
        primary_key: "i_id",
    },
    TableShape {
        name: "warehouse",
        columns: &[
            key("w_id", SmallInt),
            col("w_name", VarChar(10)),
            col("w_street_1", VarChar(20)),
            col("w_street_2", VarChar(20)),
            col("w_city", VarChar(20)),
            col("w_state", Char(2)),
            col("w_zip", Char(9)),
            differs("w_tax", Decimal(4, 4), Decimal(4, 2)),
            col("w_ytd", Decimal(12, 2)),
        ],
        primary_key: "w_id",
    },
    TableShape {
        name: "district",
        columns: &[
            key("d_id", TinyInt),
            key("d_w_id", SmallInt),
            col("d_name", VarChar(10)),
            col("d_street_1", VarChar(20)),
            col("d_street_2", VarChar(20)),
            col("d_city", VarChar(20)),
            col("d_state", Char(2)),
            col("d_zip", Char(9)),
            differs("d_tax", Decimal(4, 4), Decimal(4, 2)),
            col("d_ytd", Decimal(12, 2)),
            col("d_next_o_id", Int),
        ],
        primary_key: "d_w_id, d_id",
    },
    TableShape {
        name: "customer",
        columns: &[
            key("c_id", Int),
            key("c_d_id", TinyInt),
            key("c_w_id", SmallInt),
            col("c_first", VarChar(16)),
            col("c_middle", Char(2)),
            col("c_last", VarChar(16)),
            col("c_street_1", VarChar(20)),
            col("c_street_2", VarChar(20)),
            col("c_city", VarChar(20)),
            col("c_state", Char(2)),
            col("c_zip", Char(9)),
            col("c_phone", Char(16)),
            col("c_since", DateTime),
            col("c_credit", Char(2)),
            differs("c_credit_lim", Decimal(12, 2), BigInt),
            differs("c_discount", Decimal(4, 4), Decimal(4, 2)),
            col("c_balance", Decimal(12, 2)),
            col("c_ytd_payment", Decimal(12, 2)),
            col("c_payment_cnt", SmallInt),
            col("c_delivery_cnt", SmallInt),
            differs("c_data", VarChar(500), Text),
        ],
        primary_key: "c_w_id, c_d_id, c_id",
    },
    TableShape {
        name: "stock",
        columns: &[
            key("s_i_id", Int),
            key("s_w_id", SmallInt),
            col("s_quantity", SmallInt),
            col("s_dist_01", Char(24)),
            col("s_dist_02", Char(24)),
            col("s_dist_03", Char(24)),
            col("s_dist_04", Char(24)),
            col("s_dist_05", Char(24)),
            col("s_dist_06", Char(24)),
            col("s_dist_07", Char(24)),
            col("s_dist_08", Char(24)),
            col("s_dist_09", Char(24)),
            col("s_dist_10", Char(24)),
            col("s_ytd", Decimal(8, 0)),
            col("s_order_cnt", SmallInt),
            col("s_remote_cnt", SmallInt),
            col("s_data", VarChar(50)),
        ],
        primary_key: "s_w_id, s_i_id",
    },
    TableShape {
        name: "orders",
        columns: &[
            key("o_id", Int),
            key("o_d_id", TinyInt),
            key("o_w_id", SmallInt),
            col("o_c_id", Int),
            col("o_entry_d", DateTime),
            col("o_carrier_id", TinyInt),
            col("o_ol_cnt", TinyInt),
            col("o_all_local", TinyInt),
        ],
        primary_key: "o_w_id, o_d_id, o_id",
    },
    TableShape {
        name: "new_orders",
        columns: &[key("no_o_id", Int), key("no_d_id", TinyInt), key("no_w_id", SmallInt)],
        primary_key: "no_w_id, no_d_id, no_o_id",
    },
    TableShape {
        name: "order_line",
        columns: &[
            key("ol_o_id", Int),
            key("ol_d_id", TinyInt),
            key("ol_w_id", SmallInt),
            key("ol_number", TinyInt),
            col("ol_i_id", Int),
            col("ol_supply_w_id", SmallInt),
            col("ol_delivery_d", DateTime),
            col("ol_quantity", TinyInt),
            col("ol_amount", Decimal(6, 2)),
            col("ol_dist_info", Char(24)),
        ],
        primary_key: "ol_w_id, ol_d_id, ol_o_id, ol_number",
    },
    TableShape {
        name: "history",
        columns: &[
            col("h_c_id", Int),
            col("h_c_d_id", TinyInt),
            col("h_c_w_id", SmallInt),
            col("h_d_id", TinyInt),
            col("h_w_id", SmallInt),
            col("h_date", DateTime),
            col("h_amount", Decimal(6, 2)),
            col("h_data", VarChar(24)),
        ],
        primary_key: "",
    },
];

/// Name, table, columns. The first two serve transactions, the last two foreign keys.
static INDEXES: &[(&str, &str, &str)] = &[
    ("idx_customer", "customer", "c_w_id, c_d_id, c_last, c_first"),
    ("idx_orders", "orders", "o_w_id, o_d_id, o_c_id, o_id"),
    ("fkey_stock_2", "stock", "s_i_id"),
    ("fkey_order_line_2", "order_line", "ol_supply_w_id, ol_i_id"),
];

/// Name, child with its columns, parent with its columns.
static FOREIGN_KEYS: &[(&str, &str, &str, &str, &str)] = &[
    ("fkey_district_1", "district", "d_w_id", "warehouse", "w_id"),
    ("fkey_customer_1", "customer", "c_w_id, c_d_id", "district", "d_w_id, d_id"),
    ("fkey_history_1", "history", "h_c_w_id, h_c_d_id, h_c_id", "customer", "c_w_id, c_d_id, c_id"),
    ("fkey_history_2", "history", "h_w_id, h_d_id", "district", "d_w_id, d_id"),
    (
        "fkey_new_orders_1",
        "new_orders",
        "no_w_id, no_d_id, no_o_id",
        "orders",
        "o_w_id, o_d_id, o_id",
    ),
    ("fkey_orders_1", "orders", "o_w_id, o_d_id, o_c_id", "customer", "c_w_id, c_d_id, c_id"),
    (
        "fkey_order_line_1",
        "order_line",
        "ol_w_id, ol_d_id, ol_o_id",
        "orders",
        "o_w_id, o_d_id, o_id",
    ),
    ("fkey_order_line_2", "order_line", "ol_supply_w_id, ol_i_id", "stock", "s_w_id, s_i_id"),
    ("fkey_stock_1", "stock", "s_w_id", "warehouse", "w_id"),
    ("fkey_stock_2", "stock", "s_i_id", "item", "i_id"),
];

/// The script of a mode.
pub(super) fn script(mode: Mode) -> SourceScript {
    let mut script =
        SourceScript { tables: String::new(), indexes: String::new(), foreign_keys: String::new() };
    let written = "a string takes everything";
    for table in TABLES {
        let mut lines: Vec<String> = table
            .columns
            .iter()
            .map(|column| {
                let not_null = if column.not_null { " not null" } else { "" };
                format!("  {} {}{not_null}", column.name, column.of(mode))
            })
            .collect();
        if !table.primary_key.is_empty() {
            lines.push(format!("  primary key ({})", table.primary_key));
        }
        writeln!(script.tables, "create table {} (\n{}\n);\n", table.name, lines.join(",\n"))
            .expect(written);
    }
    for (name, table, columns) in INDEXES {
        writeln!(script.indexes, "create index {name} on {table} ({columns});").expect(written);
    }
    for (name, child, columns, parent, parent_columns) in FOREIGN_KEYS {
        writeln!(
            script.foreign_keys,
            "alter table {child} add constraint {name} foreign key ({columns}) \
             references {parent} ({parent_columns});"
        )
        .expect(written);
    }
    script
}

/// What is loaded, parents first.
pub(super) fn tables(scale: &Scale) -> Vec<TableLoad> {
    TABLES
        .iter()
        .map(|table| {
            let rows = scale.rows_of_part(table.name).expect("every table has a size");
            let parts = if is_divided(table.name) { 1..=scale.warehouses } else { 0..=0 };
            TableLoad {
                table: table.name.to_string(),
                columns: table
                    .columns
                    .iter()
                    .map(|column| Column {
                        name: column.name.to_string(),
                        kind: column.of(scale.mode).kind(),
                    })
                    .collect(),
                parts: parts.map(|part| TablePart { part, rows }).collect(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_differ_in_the_types_that_tpcc_mysql_chose() {
        let (spec, tool) = (script(Mode::Spec).tables, script(Mode::TpccMysql).tables);
        for (column, specified, chosen) in [
            ("w_tax", "decimal(4,4)", "decimal(4,2)"),
            ("d_tax", "decimal(4,4)", "decimal(4,2)"),
            ("c_discount", "decimal(4,4)", "decimal(4,2)"),
            ("c_credit_lim", "decimal(12,2)", "bigint"),
            ("c_data", "varchar(500)", "text"),
        ] {
            assert!(spec.contains(&format!("  {column} {specified}")), "{column}");
            assert!(tool.contains(&format!("  {column} {chosen}")), "{column}");
        }
        let differing = spec.lines().zip(tool.lines()).filter(|(one, other)| one != other).count();
        assert_eq!(differing, 5);
        assert_eq!(script(Mode::Spec).indexes, script(Mode::TpccMysql).indexes);
        assert_eq!(script(Mode::Spec).indexes.lines().count(), 4);
        assert_eq!(script(Mode::Spec).foreign_keys.lines().count(), 10);
    }

    #[test]
    fn no_engine_and_no_charset_are_stated() {
        let script = script(Mode::Spec);
        let all = [script.tables, script.indexes, script.foreign_keys].concat().to_lowercase();
        assert!(!all.contains("engine") && !all.contains("charset"));
    }

    #[test]
    fn every_index_and_key_names_columns_of_its_table() {
        let has = |table: &str, columns: &str| {
            let shape = TABLES.iter().find(|shape| shape.name == table);
            let shape = shape.unwrap_or_else(|| panic!("{table}"));
            for column in columns.split(", ") {
                assert!(shape.columns.iter().any(|own| own.name == column), "{table}.{column}");
            }
        };
        for table in TABLES.iter().filter(|table| !table.primary_key.is_empty()) {
            has(table.name, table.primary_key);
        }
        for (_, table, columns) in INDEXES {
            has(table, columns);
        }
        for (_, child, columns, parent, parent_columns) in FOREIGN_KEYS {
            has(child, columns);
            has(parent, parent_columns);
        }
    }

    #[test]
    fn parts_add_up_to_the_table() {
        let scale = Scale::new(Mode::Spec, 3, 1.0);
        for table in tables(&scale) {
            let rows: u64 = table.parts.iter().map(|part| part.rows).sum();
            assert_eq!(Some(rows), scale.rows(&table.table), "{}", table.table);
        }
    }
}
