//! Kinds of workloads that suites may name, that are planned and checked, and that this version
//! cannot drive: `run` refuses them by name before anything starts.

use super::{
    CheckMoment, Checked, Drive, Parameter, ParameterError, ParameterKind, ParameterScope,
    Parameters, Program, SourceScript, TableLoad, TablePart, Workload, WorkloadKind,
};
use crate::model::{Metric, SettingValue};
use crate::target::session::{Dialect, RowSink, RowSource, Session, SqlError};
use std::collections::BTreeMap;

const fn parameter(
    name: &'static str,
    kind: ParameterKind,
    scope: ParameterScope,
    default: Option<&'static str>,
    doc: &'static str,
) -> Parameter {
    Parameter { name, kind, scope, default, doc }
}

/// Parameters that all of sysbench's OLTP workloads have.
static OLTP: &[Parameter] = &[
    parameter(
        "tables",
        ParameterKind::Count { min: 1, max: 10_000 },
        ParameterScope::Data,
        Some("1"),
        "Tables of the same shape.",
    ),
    parameter(
        "rows",
        ParameterKind::Count { min: 1, max: u64::MAX >> 16 },
        ParameterScope::Data,
        Some("10k"),
        "Rows of each table.",
    ),
    parameter(
        "compressible",
        ParameterKind::Percent,
        ParameterScope::Data,
        None,
        "How far generated text shrinks under zlib.",
    ),
    parameter(
        "distribution",
        ParameterKind::Word(&[
            "uniform",
            "gaussian",
            "special_0_4",
            "special_1_0",
            "pareto",
            "zipfian",
        ]),
        ParameterScope::Run,
        None,
        "How keys are drawn.",
    ),
];

macro_rules! later {
    ($($constant:ident = $name:literal, $parameters:expr, $doc:literal;)*) => {
        $(
            #[doc = $doc]
            pub static $constant: WorkloadKind = WorkloadKind {
                name: $name,
                parameters: $parameters,
                doc: $doc,
                data_version: 0,
                make: |parameters| make($name, parameters),
            };
        )*
        /// Every kind that a later version executes.
        pub static KINDS: &[&WorkloadKind] = &[$(&$constant,)*];
    };
}

later! {
    OLTP_READ_WRITE = "oltp_read_write", OLTP, "sysbench 1.0's read-write transaction.";
    OLTP_READ_ONLY = "oltp_read_only", OLTP, "Its reads alone.";
    OLTP_WRITE_ONLY = "oltp_write_only", OLTP, "Its writes alone.";
    OLTP_POINT_SELECT = "oltp_point_select", OLTP, "One select by primary key.";
    OLTP_UPDATE_INDEX = "oltp_update_index", OLTP, "One update of an indexed column.";
    OLTP_UPDATE_NON_INDEX = "oltp_update_non_index", OLTP, "One update of a column without index.";
    OLTP_INSERT = "oltp_insert", OLTP, "One insert.";
    OLTP_DELETE = "oltp_delete", OLTP, "One delete.";
    BULK_INSERT = "bulk_insert", OLTP, "Multi-row inserts.";
    SELECT_RANDOM_POINTS = "select_random_points", OLTP, "Selects of several random keys.";
    SELECT_RANDOM_RANGES = "select_random_ranges", OLTP, "Selects of several random ranges.";
    OLTP_LEGACY = "oltp_legacy", OLTP, "sysbench 0.5's transaction: one table each, text statements.";
    OLTP_COMPLEX = "oltp_complex", OLTP, "sysbench 0.4's complex transaction.";
    INSERT = "insert", OLTP, "Inserts into tables whose indexes outgrow the cache.";
    SQL = "sql", &[], "Transactions of the user's own over the user's own schema.";
    EXTERNAL = "external", &[], "An outside tool as the client.";
}

/// Whether a kind is among them.
pub fn contains(kind: &WorkloadKind) -> bool {
    KINDS.iter().any(|later| later.name == kind.name)
}

/// A workload with a size and a name, for plans and estimates.
struct Later {
    name: &'static str,
    tables: u64,
    rows: u64,
    distribution: Option<String>,
}

fn make(name: &'static str, parameters: &Parameters) -> Result<Box<dyn Workload>, ParameterError> {
    let count = |name: &str| match parameters.get(name) {
        Some(SettingValue::Count(count)) => *count,
        _ => 0,
    };
    let distribution = parameters.get("distribution").map(ToString::to_string);
    if name.starts_with("oltp_") && distribution.is_none() {
        return Err(ParameterError {
            parameter: "distribution",
            message: "an OLTP workload must say how keys are drawn: `distribution uniform`"
                .to_string(),
        });
    }
    Ok(Box::new(Later { name, tables: count("tables"), rows: count("rows"), distribution }))
}

impl Later {
    fn refused(&self) -> SqlError {
        SqlError::local(format!("workload {} is not supported in this version", self.name))
    }
}

/// No rows.
struct Nothing;

impl RowSource for Nothing {
    fn next_row(&mut self, _sink: &mut dyn RowSink) -> bool {
        false
    }

    fn expected(&self) -> u64 {
        0
    }
}

impl Workload for Later {
    fn source_ddl(&self) -> SourceScript {
        SourceScript { tables: String::new(), indexes: String::new(), foreign_keys: String::new() }
    }

    fn tables(&self) -> Vec<TableLoad> {
        (1..=self.tables)
            .map(|table| TableLoad {
                table: format!("sbtest{table}"),
                columns: Vec::new(),
                parts: vec![TablePart { part: 0, rows: self.rows }],
            })
            .collect()
    }

    fn rows(&self, _seed: u64, _table: &str, _part: u32) -> Box<dyn RowSource> {
        Box::new(Nothing)
    }

    fn transaction_types(&self) -> &'static [&'static str] {
        &["transaction"]
    }

    fn headline(&self) -> Metric {
        Metric::Tps
    }

    fn headline_type(&self) -> Option<usize> {
        None
    }

    fn drive(&self, _dialect: Dialect) -> Drive {
        Drive::Program(Program { argv: Vec::new(), directory: None, format: self.name.to_string() })
    }

    fn growth_counters(
        &self,
        _session: &mut dyn Session,
    ) -> Result<BTreeMap<String, i64>, SqlError> {
        Err(self.refused())
    }

    fn check(
        &self,
        _session: &mut dyn Session,
        _moment: &CheckMoment,
    ) -> Result<Vec<Checked>, SqlError> {
        Err(self.refused())
    }

    fn remarks(&self) -> Vec<String> {
        self.distribution.iter().map(|drawn| format!("distribution {drawn}")).collect()
    }

    fn identity(&self) -> String {
        let drawn = self.distribution.as_deref().unwrap_or("none");
        format!("{}, distribution {drawn}", self.name)
    }
}
