//! The insert benchmark: writers fill tables with three secondary indexes until those outgrow the
//! cache, readers ask beside them. Where write-optimised engines earn their keep.

mod client;
mod rows;

use super::compressible::Compressible;
use super::{
    CheckMoment, Checked, Column, ColumnKind, Drive, Parameter, ParameterError, ParameterKind,
    ParameterScope, Parameters, SourceScript, TableLoad, TablePart, Workload, WorkloadKind,
};
use crate::model::{Metric, SettingValue};
use crate::target::session::{Dialect, RowSource, Session, SqlError};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Raised whenever a generated row changes.
const DATA_VERSION: u32 = 1;
/// Raised whenever a transaction does something else.
const SEMANTICS_VERSION: u32 = 1;

/// Transaction types: a statement that inserts a batch, and a query.
const TYPES: &[&str] = &["insert", "query"];
const INSERT: usize = 0;
const QUERY: usize = 1;

const fn count(
    name: &'static str,
    (min, max): (u64, u64),
    scope: ParameterScope,
    default: &'static str,
    doc: &'static str,
) -> Parameter {
    let kind = ParameterKind::Count { min, max };
    Parameter { name, kind, scope, default: Some(default), doc }
}

const fn rate(name: &'static str, doc: &'static str) -> Parameter {
    let scope = ParameterScope::Run;
    Parameter { name, kind: ParameterKind::Rate, scope, default: None, doc }
}

/// The registration.
pub static KIND: WorkloadKind = WorkloadKind {
    name: "insert_benchmark",
    parameters: &[
        count("tables", (1, 10_000), ParameterScope::Data, "1", "Tables of the same shape."),
        count(
            "rows",
            (0, 1 << 40),
            ParameterScope::Data,
            "0",
            "Rows of each table before the clients start.",
        ),
        count(
            "note_bytes",
            (1, rows::LONGEST_NOTE as u64),
            ParameterScope::Data,
            "100",
            "Letters in the text of a row.",
        ),
        Parameter {
            name: "compressible",
            kind: ParameterKind::Percent,
            scope: ParameterScope::Data,
            default: None,
            doc: "How far generated text shrinks under zlib, 25% to 95%; random letters, if not set.",
        },
        Parameter {
            name: "order",
            kind: ParameterKind::Word(&["key", "random"]),
            scope: ParameterScope::Run,
            default: Some("key"),
            doc: "New rows come in the order of the primary key, or all over it.",
        },
        count("batch", (1, 10_000), ParameterScope::Run, "100", "Rows in a statement."),
        count("readers", (0, 100_000), ParameterScope::Run, "0", "So many of the clients ask."),
        rate(
            "write_rate",
            "Rows a second of all writers together; as fast as they can, if not set.",
        ),
        rate(
            "read_rate",
            "Queries a second of all readers together; as fast as they can, if not set.",
        ),
    ],
    doc: "Inserts into tables with three indexes that outgrow the cache, and queries beside them.",
    wants_lasting_rows: false,
    data_version: DATA_VERSION,
    make: |parameters| Ok(Box::new(InsertBenchmark { settings: Settings::new(parameters)? })),
};

/// The order of the keys of new rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Rising.
    Key,
    /// All over.
    Random,
}

/// Resolved parameters.
#[derive(Clone, Debug)]
struct Settings {
    tables: u32,
    rows: u64,
    note: usize,
    compressible: Option<Compressible>,
    order: Order,
    batch: u32,
    readers: u32,
    /// Rows a second.
    write_rate: Option<f64>,
    /// Queries a second.
    read_rate: Option<f64>,
}

impl Settings {
    fn new(parameters: &Parameters) -> Result<Self, ParameterError> {
        let count = |name: &str, default: u64| match parameters.get(name) {
            Some(SettingValue::Count(count)) => *count,
            _ => default,
        };
        let small = |name: &str, default| u32::try_from(count(name, default)).unwrap_or(u32::MAX);
        let rate = |name: &str| match parameters.get(name) {
            Some(SettingValue::Rate(rate)) => Some(*rate),
            _ => None,
        };
        let compressible = match parameters.get("compressible") {
            Some(SettingValue::Percent(percent)) => {
                let wrong = |message| ParameterError { parameter: "compressible", message };
                Some(Compressible::new(*percent).map_err(wrong)?)
            }
            _ => None,
        };
        let readers = small("readers", 0);
        if readers == 0 && parameters.contains_key("read_rate") {
            return Err(ParameterError {
                parameter: "read_rate",
                message: "no client reads; write `readers 1` as well".to_string(),
            });
        }
        Ok(Self {
            tables: small("tables", 1),
            rows: count("rows", 0),
            note: count("note_bytes", 100).min(rows::LONGEST_NOTE as u64) as usize,
            compressible,
            order: match parameters.get("order").and_then(SettingValue::as_str) {
                Some("random") => Order::Random,
                _ => Order::Key,
            },
            batch: small("batch", 100),
            readers,
            write_rate: rate("write_rate"),
            read_rate: rate("read_rate"),
        })
    }

    fn table(number: u32) -> String {
        format!("purchases{number}")
    }

    fn number(&self, table: &str) -> Option<u32> {
        let number = table.strip_prefix("purchases")?.parse().ok()?;
        ((1..=self.tables).contains(&number) && Self::table(number) == table).then_some(number)
    }
}

struct InsertBenchmark {
    settings: Settings,
}

/// The rows of all tables and their sum of prices say whether one is lost or came twice.
const ROWS: &str = "rows";

impl InsertBenchmark {
    fn rows_now(&self, session: &mut dyn Session) -> Result<i64, SqlError> {
        let mut rows = 0;
        for number in 1..=self.settings.tables {
            let sql = format!("SELECT COUNT(*) FROM {}", Settings::table(number));
            session.text_visit(&sql, &mut |row| {
                rows += row.int(0).unwrap_or(0);
                true
            })?;
        }
        Ok(rows)
    }

    /// Rows that an index does not lead to, or leads to twice.
    fn astray(&self, session: &mut dyn Session) -> Result<u64, SqlError> {
        let mysql = session.dialect() == Dialect::MySql;
        let mut astray = 0;
        for number in 1..=self.settings.tables {
            let table = Settings::table(number);
            let mut counts = Vec::new();
            for index in ["price_customer", "register_price", "product_customer"] {
                let index = format!("{index}_{number}");
                let how = if mysql {
                    format!("FORCE INDEX ({index})")
                } else {
                    format!("INDEXED BY {index}")
                };
                // The condition holds for every row and belongs to the index.
                let column = index.split('_').next().unwrap_or_default().to_string();
                let sql = format!("SELECT COUNT(*) FROM {table} {how} WHERE {column} > 0");
                session.text_visit(&sql, &mut |row| {
                    counts.push(row.int(0).unwrap_or(0));
                    true
                })?;
            }
            let (least, most) = (counts.iter().min(), counts.iter().max());
            astray += most.zip(least).map_or(0, |(most, least)| most.abs_diff(*least));
        }
        Ok(astray)
    }
}

impl Workload for InsertBenchmark {
    fn source_ddl(&self) -> SourceScript {
        let mut script = SourceScript {
            tables: String::new(),
            indexes: String::new(),
            foreign_keys: String::new(),
        };
        for number in 1..=self.settings.tables {
            let table = Settings::table(number);
            let _ = writeln!(
                script.tables,
                "CREATE TABLE {table} (\n  \
                 id bigint NOT NULL,\n  \
                 register int NOT NULL,\n  \
                 customer int NOT NULL,\n  \
                 product int NOT NULL,\n  \
                 price int NOT NULL,\n  \
                 note varchar({}) NOT NULL,\n  \
                 PRIMARY KEY (id)\n);",
                rows::LONGEST_NOTE
            );
            let _ = writeln!(
                script.indexes,
                "CREATE INDEX price_customer_{number} ON {table} (price, customer);\n\
                 CREATE INDEX register_price_{number} ON {table} (register, price, customer);\n\
                 CREATE INDEX product_customer_{number} ON {table} (product, customer);"
            );
        }
        script
    }

    fn tables(&self) -> Vec<TableLoad> {
        let column = |name: &str, kind| Column { name: name.to_string(), kind };
        let mut columns = ["id", "register", "customer", "product", "price"]
            .map(|name| column(name, ColumnKind::Int))
            .to_vec();
        columns.push(column("note", ColumnKind::Text));
        let parts = TablePart::stretches(self.settings.rows, rows::ROWS_A_PART);
        (1..=self.settings.tables)
            .map(|number| TableLoad {
                table: Settings::table(number),
                columns: columns.clone(),
                parts: parts.clone(),
            })
            .collect()
    }

    fn rows(&self, seed: u64, table: &str, part: u32) -> Box<dyn RowSource> {
        rows::source(&self.settings, seed, table, part)
    }

    fn transaction_types(&self) -> &'static [&'static str] {
        TYPES
    }

    fn prepared_statements(&self) -> u64 {
        u64::from(self.settings.tables) * client::INDEXES as u64
    }

    /// Rows a second; queries a second where the writers keep to a rate.
    fn headline(&self) -> Metric {
        match self.settings.write_rate {
            Some(_) if self.settings.readers > 0 => Metric::QueriesPerSecond,
            _ => Metric::RowsPerSecond,
        }
    }

    fn headline_type(&self) -> Option<usize> {
        Some(match self.headline() {
            Metric::QueriesPerSecond => QUERY,
            _ => INSERT,
        })
    }

    fn counts_for(&self) -> Vec<(Metric, Vec<u64>)> {
        vec![
            (Metric::RowsPerSecond, vec![u64::from(self.settings.batch), 0]),
            (Metric::QueriesPerSecond, vec![0, 1]),
        ]
    }

    fn drift(&self) -> Option<&'static str> {
        Some("insert_benchmark adds rows, and its indexes grow")
    }

    fn drive(&self, _dialect: Dialect) -> Drive {
        Drive::Clients(Box::new(client::Factory { settings: self.settings.clone() }))
    }

    fn growth_counters(
        &self,
        loaded: Option<u64>,
        session: &mut dyn Session,
    ) -> Result<BTreeMap<String, i64>, SqlError> {
        let rows = match loaded {
            Some(_) => (u64::from(self.settings.tables) * self.settings.rows) as i64,
            None => self.rows_now(session)?,
        };
        Ok(BTreeMap::from([(ROWS.to_string(), rows)]))
    }

    fn check(
        &self,
        session: &mut dyn Session,
        moment: &CheckMoment,
    ) -> Result<Vec<Checked>, SqlError> {
        let loaded = (u64::from(self.settings.tables) * self.settings.rows) as i64;
        let batch = i64::from(self.settings.batch);
        let (least, most) = match moment {
            CheckMoment::AfterLoad { .. } => (loaded, loaded),
            CheckMoment::AfterRepetition { committed, before, uncertain } => {
                let from = before.get(ROWS).copied().unwrap_or(loaded);
                let inserted = committed.get(INSERT).copied().unwrap_or(0) as i64;
                let least = from + inserted * batch;
                (least, least + *uncertain as i64 * batch)
            }
        };
        let rows = self.rows_now(session)?;
        let mut results = vec![Checked::within(ROWS, rows, least, most)];
        let astray = self.astray(session)?;
        results.push(Checked {
            name: "rows astray".to_string(),
            violations: astray,
            tolerated: false,
            detail: if astray == 0 { String::new() } else { "indexes disagree".to_string() },
        });
        Ok(results)
    }

    fn remarks(&self) -> Vec<String> {
        let order = match self.settings.order {
            Order::Key => "in key order",
            Order::Random => "in random order",
        };
        let rate = |rate: Option<f64>, what: &str| match rate {
            Some(rate) => format!("at {rate} {what}/s"),
            None => "as fast as they can".to_string(),
        };
        let mut remarks = vec![format!(
            "rows {order}, {} a statement, writers {}",
            self.settings.batch,
            rate(self.settings.write_rate, "rows")
        )];
        if self.settings.readers > 0 {
            let asks = rate(self.settings.read_rate, "queries");
            remarks.push(format!("{} of the clients read, {asks}", self.settings.readers));
        }
        remarks
    }

    fn identity(&self) -> String {
        format!(
            "insert_benchmark, generator version {DATA_VERSION}, transactions version {SEMANTICS_VERSION}"
        )
    }
}
