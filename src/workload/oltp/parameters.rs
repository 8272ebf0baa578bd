//! Parameters of the OLTP workloads: names, defaults and what they mean. Defaults are sysbench's.

use crate::model::SettingValue;
use crate::workload::compressible::Compressible;
use crate::workload::distribution::{Distribution, Draw};
use crate::workload::{Parameter, ParameterError, ParameterKind, ParameterScope, Parameters};

/// Largest number of rows in a table: `id` is a signed INTEGER, and inserts need room above.
const MAX_ROWS: u64 = 2_000_000_000;

/// Which of sysbench's workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Test {
    /// `oltp_read_write`
    ReadWrite,
    /// `oltp_read_only`
    ReadOnly,
    /// `oltp_write_only`
    WriteOnly,
    /// `oltp_point_select`
    PointSelect,
    /// `oltp_update_index`
    UpdateIndex,
    /// `oltp_update_non_index`
    UpdateNonIndex,
    /// `oltp_insert`
    Insert,
    /// `oltp_delete`
    Delete,
    /// `bulk_insert`
    BulkInsert,
    /// `select_random_points`
    RandomPoints,
    /// `select_random_ranges`
    RandomRanges,
    /// `oltp_legacy`: 0.5's transaction, one table each, statements as text.
    Legacy,
    /// `oltp_complex`: 0.4's complex transaction.
    Complex,
}

/// What generated rows look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Data {
    /// Random k, groups of random digits in c and pad.
    V1,
    /// k is 0, c a blank, pad a constant.
    V04,
}

/// Resolved parameters.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) test: Test,
    pub(super) data: Data,
    pub(super) tables: u32,
    /// Rows of each table as `rows` says; `oltp_insert` without `auto_inc` loads none of them.
    pub(super) rows: u64,
    /// None for `bulk_insert`, which draws no keys.
    pub(super) distribution: Option<Distribution>,
    pub(super) auto_inc: bool,
    pub(super) secondary: bool,
    pub(super) create_secondary: bool,
    pub(super) skip_trx: bool,
    pub(super) range_selects: bool,
    pub(super) point_selects: u32,
    pub(super) simple_ranges: u32,
    pub(super) sum_ranges: u32,
    pub(super) order_ranges: u32,
    pub(super) distinct_ranges: u32,
    pub(super) range_size: u64,
    pub(super) index_updates: u32,
    pub(super) non_index_updates: u32,
    pub(super) delete_inserts: u32,
    pub(super) random_points: u32,
    pub(super) number_of_ranges: u32,
    pub(super) delta: u64,
    pub(super) batch: u32,
    pub(super) compressible: Option<Compressible>,
}

const fn count(
    name: &'static str,
    min: u64,
    max: u64,
    scope: ParameterScope,
    default: &'static str,
    doc: &'static str,
) -> Parameter {
    let kind = ParameterKind::Count { min, max };
    Parameter { name, kind, scope, default: Some(default), doc }
}

const fn times(name: &'static str, doc: &'static str) -> Parameter {
    count(name, 0, 1000, ParameterScope::Run, "1", doc)
}

const fn switch(
    name: &'static str,
    scope: ParameterScope,
    default: &'static str,
    doc: &'static str,
) -> Parameter {
    let kind = ParameterKind::Word(&["on", "off"]);
    Parameter { name, kind, scope, default: Some(default), doc }
}

const TABLES: Parameter =
    count("tables", 1, 10_000, ParameterScope::Data, "1", "Tables of the same shape.");
const ROWS: Parameter =
    count("rows", 1, MAX_ROWS, ParameterScope::Data, "10k", "Rows of each table.");
const DISTRIBUTION: Parameter = Parameter {
    name: "distribution",
    kind: ParameterKind::Word(Distribution::NAMES),
    scope: ParameterScope::Data,
    default: None,
    doc: "How keys are drawn, those of column k when it is loaded as well; must be said.",
};
const COMPRESSIBLE: Parameter = Parameter {
    name: "compressible",
    kind: ParameterKind::Percent,
    scope: ParameterScope::Data,
    default: None,
    doc: "How far generated text shrinks under zlib, 25% to 95%; groups of random digits, if not set.",
};
const AUTO_INC: Parameter = switch(
    "auto_inc",
    ParameterScope::Data,
    "on",
    "Whether the server numbers new rows; off, oltp_insert begins with empty tables.",
);
const SECONDARY: Parameter = switch(
    "secondary",
    ParameterScope::Data,
    "off",
    "A plain key on id in the place of the primary key.",
);
const CREATE_SECONDARY: Parameter =
    switch("create_secondary", ParameterScope::Data, "on", "An index on k, made after the rows.");
const SKIP_TRX: Parameter =
    switch("skip_trx", ParameterScope::Run, "off", "No BEGIN and COMMIT around the statements.");
const POINTS: Parameter =
    count("point_selects", 0, 1000, ParameterScope::Run, "10", "Selects by id in a transaction.");
const RANGES: Parameter =
    switch("range_selects", ParameterScope::Run, "on", "Whether there are selects of ranges.");
const SIMPLE: Parameter = times("simple_ranges", "Selects of a range of ids.");
const SUM: Parameter = times("sum_ranges", "Sums of k over a range.");
const ORDER: Parameter = times("order_ranges", "Ranges in order of c.");
const DISTINCT: Parameter = times("distinct_ranges", "Ranges of distinct c, in order.");
const SIZE: Parameter =
    count("range_size", 1, 1_000_000_000, ParameterScope::Run, "100", "Ids in a range.");
const INDEX_UPDATES: Parameter = times("index_updates", "Updates of k.");
const NON_INDEX_UPDATES: Parameter = times("non_index_updates", "Updates of c.");
const DELETE_INSERTS: Parameter = times("delete_inserts", "Rows deleted and inserted again.");

pub(super) static READ_WRITE: &[Parameter] = &[
    TABLES,
    ROWS,
    DISTRIBUTION,
    COMPRESSIBLE,
    AUTO_INC,
    SECONDARY,
    CREATE_SECONDARY,
    SKIP_TRX,
    POINTS,
    RANGES,
    SIMPLE,
    SUM,
    ORDER,
    DISTINCT,
    SIZE,
    INDEX_UPDATES,
    NON_INDEX_UPDATES,
    DELETE_INSERTS,
];

pub(super) static READ_ONLY: &[Parameter] = &[
    TABLES,
    ROWS,
    DISTRIBUTION,
    COMPRESSIBLE,
    AUTO_INC,
    SECONDARY,
    CREATE_SECONDARY,
    SKIP_TRX,
    POINTS,
    RANGES,
    SIMPLE,
    SUM,
    ORDER,
    DISTINCT,
    SIZE,
];

pub(super) static WRITE_ONLY: &[Parameter] = &[
    TABLES,
    ROWS,
    DISTRIBUTION,
    COMPRESSIBLE,
    AUTO_INC,
    SECONDARY,
    CREATE_SECONDARY,
    SKIP_TRX,
    INDEX_UPDATES,
    NON_INDEX_UPDATES,
    DELETE_INSERTS,
];

pub(super) static ONE_STATEMENT: &[Parameter] =
    &[TABLES, ROWS, DISTRIBUTION, COMPRESSIBLE, AUTO_INC, SECONDARY, CREATE_SECONDARY];

pub(super) static RANDOM_POINTS: &[Parameter] = &[
    ROWS,
    DISTRIBUTION,
    COMPRESSIBLE,
    AUTO_INC,
    SECONDARY,
    CREATE_SECONDARY,
    count("random_points", 1, 10_000, ParameterScope::Run, "10", "Values of k in a select."),
];

pub(super) static RANDOM_RANGES: &[Parameter] = &[
    ROWS,
    DISTRIBUTION,
    COMPRESSIBLE,
    AUTO_INC,
    SECONDARY,
    CREATE_SECONDARY,
    count("number_of_ranges", 1, 10_000, ParameterScope::Run, "10", "Ranges of k in a select."),
    count("delta", 0, 1_000_000_000, ParameterScope::Run, "5", "Width of each range."),
];

pub(super) static BULK_INSERT: &[Parameter] =
    &[TABLES, count("batch", 1, 100_000, ParameterScope::Run, "10k", "Rows in a statement.")];

pub(super) static LEGACY: &[Parameter] = &[
    TABLES,
    ROWS,
    DISTRIBUTION,
    COMPRESSIBLE,
    AUTO_INC,
    CREATE_SECONDARY,
    SKIP_TRX,
    POINTS,
    SIMPLE,
    SUM,
    ORDER,
    DISTINCT,
    SIZE,
    INDEX_UPDATES,
    NON_INDEX_UPDATES,
    DELETE_INSERTS,
];

pub(super) static COMPLEX: &[Parameter] = &[
    Parameter {
        name: "tables",
        kind: ParameterKind::Count { min: 1, max: 1 },
        scope: ParameterScope::Data,
        default: Some("1"),
        doc: "One: sysbench 0.4 knows one table.",
    },
    ROWS,
    DISTRIBUTION,
    COMPRESSIBLE,
    Parameter {
        name: "data",
        kind: ParameterKind::Word(&["sysbench_0_4", "sysbench_1_0"]),
        scope: ParameterScope::Data,
        default: Some("sysbench_0_4"),
        doc: "Rows as 0.4 makes them, all alike, or random ones as 1.0 makes them.",
    },
    SKIP_TRX,
    POINTS,
    SIMPLE,
    SUM,
    ORDER,
    DISTINCT,
    SIZE,
    INDEX_UPDATES,
    NON_INDEX_UPDATES,
    DELETE_INSERTS,
];

fn wrong(parameter: &'static str, message: impl Into<String>) -> ParameterError {
    ParameterError { parameter, message: message.into() }
}

/// Reads resolved parameters; those that a workload does not have are as sysbench has them.
struct From<'p>(&'p Parameters);

impl From<'_> {
    fn count(&self, name: &str, default: u64) -> u64 {
        match self.0.get(name) {
            Some(SettingValue::Count(count)) => *count,
            _ => default,
        }
    }

    fn small(&self, name: &str, default: u32) -> u32 {
        u32::try_from(self.count(name, u64::from(default))).unwrap_or(u32::MAX)
    }

    fn is_on(&self, name: &str, default: bool) -> bool {
        match self.0.get(name).and_then(SettingValue::as_str) {
            Some(word) => word == "on",
            None => default,
        }
    }
}

impl Settings {
    /// Reads them; an error names the parameter that is wrong.
    pub(super) fn new(test: Test, parameters: &Parameters) -> Result<Self, ParameterError> {
        let from = From(parameters);
        let rows = from.count("rows", 10_000);
        if !(1..=MAX_ROWS).contains(&rows) {
            return Err(wrong("rows", format!("rows is {rows}; it can be 1 to {MAX_ROWS}")));
        }
        let distribution = match parameters.get("distribution").and_then(SettingValue::as_str) {
            Some(name) => Some(Distribution::find(name).ok_or_else(|| {
                let names = Distribution::NAMES.join("`, `");
                wrong("distribution", format!("distribution must be one of `{names}`"))
            })?),
            None if test == Test::BulkInsert => None,
            None => {
                let why = "an OLTP workload must say how keys are drawn: `distribution uniform`";
                return Err(wrong("distribution", why));
            }
        };
        let compressible = match parameters.get("compressible") {
            Some(SettingValue::Percent(percent)) => Some(
                Compressible::new(*percent).map_err(|message| wrong("compressible", message))?,
            ),
            _ => None,
        };
        let old_rows = match parameters.get("data").and_then(SettingValue::as_str) {
            Some(word) => word == "sysbench_0_4",
            None => test == Test::Complex,
        };
        if old_rows && compressible.is_some() {
            return Err(wrong(
                "compressible",
                "rows of sysbench 0.4 are all alike; use `data sysbench_1_0`",
            ));
        }
        Ok(Self {
            test,
            data: if old_rows { Data::V04 } else { Data::V1 },
            tables: from.small("tables", 1),
            rows,
            distribution,
            auto_inc: from.is_on("auto_inc", true),
            secondary: from.is_on("secondary", false),
            create_secondary: from.is_on("create_secondary", true),
            skip_trx: from.is_on("skip_trx", false),
            range_selects: from.is_on("range_selects", true),
            point_selects: from.small("point_selects", 10),
            simple_ranges: from.small("simple_ranges", 1),
            sum_ranges: from.small("sum_ranges", 1),
            order_ranges: from.small("order_ranges", 1),
            distinct_ranges: from.small("distinct_ranges", 1),
            range_size: from.count("range_size", 100),
            index_updates: from.small("index_updates", 1),
            non_index_updates: from.small("non_index_updates", 1),
            delete_inserts: from.small("delete_inserts", 1),
            random_points: from.small("random_points", 10),
            number_of_ranges: from.small("number_of_ranges", 10),
            delta: from.count("delta", 5),
            batch: from.small("batch", 10_000),
            compressible,
        })
    }

    /// Rows of each table after the load.
    pub(super) fn loaded_rows(&self) -> u64 {
        match self.test {
            Test::BulkInsert => 0,
            Test::Insert if !self.auto_inc => 0,
            _ => self.rows,
        }
    }

    /// The name of table `number`, from 1.
    pub(super) fn table(&self, number: u32) -> String {
        match self.test {
            Test::Complex => "sbtest".to_string(),
            _ => format!("sbtest{number}"),
        }
    }

    /// The number of a table with this name.
    pub(super) fn number(&self, table: &str) -> Option<u32> {
        let number = table.strip_prefix("sbtest")?.parse().unwrap_or(1);
        ((1..=self.tables).contains(&number) && self.table(number) == table).then_some(number)
    }

    /// Draws keys over all rows; uniform where no keys are drawn.
    pub(super) fn draw(&self) -> Draw {
        Draw::new(self.distribution.unwrap_or(Distribution::Uniform), 1, self.rows)
    }
}
