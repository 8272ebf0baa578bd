//! sysbench's OLTP workloads: the tables, statements, defaults and distributions of 1.0, the
//! transaction of 0.5 and the complex one of 0.4. Everything here is made from what sysbench sends
//! and documents; docs/workloads/oltp.md states it.

mod check;
mod client;
mod parameters;
mod rows;
mod schema;
mod settings;
mod statements;
mod transaction;

use super::{
    CheckMoment, Checked, Drive, ParameterError, Parameters, SourceScript, TableLoad, Workload,
    WorkloadKind,
};
use crate::model::Metric;
use crate::target::session::{Dialect, RowSource, Session, SqlError};
use settings::{Data, Settings, Test};
use std::collections::BTreeMap;

/// Raised whenever a generated row changes.
const DATA_VERSION: u32 = 1;
/// Raised whenever a transaction does something else.
const SEMANTICS_VERSION: u32 = 1;

/// One type: a transaction is a transaction.
const TYPES: &[&str] = &["transaction"];

macro_rules! kinds {
    ($($constant:ident = $name:literal, $test:ident, $parameters:ident, $doc:literal;)*) => {
        $(
            #[doc = $doc]
            pub static $constant: WorkloadKind = WorkloadKind {
                name: $name,
                parameters: parameters::$parameters,
                doc: $doc,
                wants_lasting_rows: false,
                data_version: DATA_VERSION,
                make: |parameters| make($name, Test::$test, parameters),
            };
        )*
    };
}

kinds! {
    READ_WRITE = "oltp_read_write", ReadWrite, READ_WRITE, "sysbench 1.0's read-write transaction: 14 reads, 4 writes.";
    READ_ONLY = "oltp_read_only", ReadOnly, READ_ONLY, "Its reads alone.";
    WRITE_ONLY = "oltp_write_only", WriteOnly, WRITE_ONLY, "Its writes alone.";
    POINT_SELECT = "oltp_point_select", PointSelect, ONE_STATEMENT, "One select by primary key.";
    UPDATE_INDEX = "oltp_update_index", UpdateIndex, ONE_STATEMENT, "One update of an indexed column.";
    UPDATE_NON_INDEX = "oltp_update_non_index", UpdateNonIndex, ONE_STATEMENT, "One update of a column without index.";
    INSERT = "oltp_insert", Insert, ONE_STATEMENT, "One insert, as text.";
    DELETE = "oltp_delete", Delete, ONE_STATEMENT, "One delete by primary key.";
    BULK_INSERT = "bulk_insert", BulkInsert, BULK_INSERT, "Multi-row inserts of rising numbers.";
    SELECT_RANDOM_POINTS = "select_random_points", RandomPoints, RANDOM_POINTS, "Selects of several values of an indexed column.";
    SELECT_RANDOM_RANGES = "select_random_ranges", RandomRanges, RANDOM_RANGES, "Counts of several ranges of an indexed column.";
    LEGACY = "oltp_legacy", Legacy, LEGACY, "sysbench 0.5's transaction: one table each, statements as text.";
    COMPLEX = "oltp_complex", Complex, COMPLEX, "sysbench 0.4's complex transaction: 14 reads, 5 writes.";
}

fn make(
    name: &'static str,
    test: Test,
    parameters: &Parameters,
) -> Result<Box<dyn Workload>, ParameterError> {
    Ok(Box::new(Oltp { name, settings: Settings::new(test, parameters)? }))
}

/// A workload with its parameters.
#[derive(Clone, Debug)]
struct Oltp {
    name: &'static str,
    settings: Settings,
}

/// A count in groups of three digits.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl Workload for Oltp {
    fn source_ddl(&self) -> SourceScript {
        schema::script(&self.settings)
    }

    fn tables(&self) -> Vec<TableLoad> {
        schema::tables(&self.settings)
    }

    fn rows(&self, seed: u64, table: &str, part: u32) -> Box<dyn RowSource> {
        rows::source(&self.settings, seed, table, part)
    }

    fn transaction_types(&self) -> &'static [&'static str] {
        TYPES
    }

    fn prepared_statements(&self) -> u64 {
        u64::from(self.settings.tables) * statements::Query::COUNT as u64 + 2
    }

    fn headline(&self) -> Metric {
        match self.settings.test {
            Test::BulkInsert => Metric::RowsPerSecond,
            _ => Metric::Tps,
        }
    }

    fn headline_type(&self) -> Option<usize> {
        None
    }

    fn counts_for(&self) -> Vec<(Metric, Vec<u64>)> {
        let requests = self.settings.requests();
        let mut counts = vec![
            (Metric::ReadWriteRequests, vec![requests.reads + requests.writes]),
            (Metric::OtherOperations, vec![requests.other]),
        ];
        match self.settings.test {
            Test::BulkInsert => {
                counts.push((Metric::RowsPerSecond, vec![u64::from(self.settings.batch)]));
            }
            Test::Insert => counts.push((Metric::RowsPerSecond, vec![1])),
            _ => {}
        }
        counts
    }

    fn drift(&self) -> Option<&'static str> {
        match self.settings.test {
            Test::Delete => Some("each transaction of oltp_delete takes a row away"),
            Test::Insert => Some("each transaction of oltp_insert adds a row"),
            Test::BulkInsert => Some("each transaction of bulk_insert adds rows"),
            _ => None,
        }
    }

    fn drive(&self, _dialect: Dialect) -> Drive {
        Drive::Clients(Box::new(client::Factory { settings: self.settings.clone() }))
    }

    fn growth_counters(
        &self,
        loaded: Option<u64>,
        session: &mut dyn Session,
    ) -> Result<BTreeMap<String, i64>, SqlError> {
        check::counters(&self.settings, loaded, session)
    }

    fn check(
        &self,
        session: &mut dyn Session,
        moment: &CheckMoment,
    ) -> Result<Vec<Checked>, SqlError> {
        check::run(&self.settings, session, moment)
    }

    fn remarks(&self) -> Vec<String> {
        // Its name is part of the identity, which stands before.
        if self.settings.distribution.is_none() {
            return Vec::new();
        }
        let draw = self.settings.draw();
        let rows = self.settings.rows;
        let [most, nearly_all] = [0.75, 0.9].map(|share| grouped(draw.working_set(share)));
        let each = if self.settings.tables > 1 { " of each table" } else { "" };
        let mut remarks = vec![format!(
            "75 % of the accesses go to {most} of {} rows{each}, 90 % to {nearly_all}",
            grouped(rows)
        )];
        if self.settings.data == Data::V04 {
            remarks.push("rows of sysbench 0.4: all alike, they compress to nothing".to_string());
        }
        remarks
    }

    fn identity(&self) -> String {
        let drawn = self.settings.distribution.map_or_else(String::new, |distribution| {
            format!(", distribution {}{}", distribution.name(), self.settings.curve_in_words())
        });
        format!(
            "{}{drawn}, generator version {DATA_VERSION}, transactions version {SEMANTICS_VERSION}",
            self.name
        )
    }
}
