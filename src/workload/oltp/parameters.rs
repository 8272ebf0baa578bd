//! Parameters of the OLTP workloads: names, defaults and what they mean. Defaults are sysbench's.

use super::settings::MAX_ROWS;
use crate::workload::distribution::Distribution;
use crate::workload::{Parameter, ParameterKind, ParameterScope};

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
const fn of_curve(name: &'static str, kind: ParameterKind, doc: &'static str) -> Parameter {
    Parameter { name, kind, scope: ParameterScope::Data, default: None, doc }
}

const SPEC_PCT: Parameter = of_curve(
    "rand_spec_pct",
    ParameterKind::Count { min: 1, max: 100 },
    "Percent of the keys in the hot block of `special`; 1, if not set.",
);
const SPEC_RES: Parameter = of_curve(
    "rand_spec_res",
    ParameterKind::Count { min: 1, max: 100 },
    "Percent of the draws that fall into it; 75, if not set.",
);
const SPEC_ITER: Parameter = of_curve(
    "rand_spec_iter",
    ParameterKind::Count { min: 1, max: 20 },
    "Uniform draws whose mean makes a bell, of `gaussian` too; 12, if not set.",
);
const PARETO_H: Parameter = of_curve(
    "rand_pareto_h",
    ParameterKind::Number { min: 0.001, max: 0.999 },
    "h of `pareto`: 1 - h of the draws fall into the share h of the keys; 0.2, if not set.",
);
const ZIPFIAN_EXP: Parameter = of_curve(
    "rand_zipfian_exp",
    ParameterKind::Number { min: 0.01, max: 5.0 },
    "Exponent of `zipfian`; 0.8, if not set.",
);
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
    SPEC_PCT,
    SPEC_RES,
    SPEC_ITER,
    PARETO_H,
    ZIPFIAN_EXP,
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
    SPEC_PCT,
    SPEC_RES,
    SPEC_ITER,
    PARETO_H,
    ZIPFIAN_EXP,
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
    SPEC_PCT,
    SPEC_RES,
    SPEC_ITER,
    PARETO_H,
    ZIPFIAN_EXP,
    COMPRESSIBLE,
    AUTO_INC,
    SECONDARY,
    CREATE_SECONDARY,
    SKIP_TRX,
    INDEX_UPDATES,
    NON_INDEX_UPDATES,
    DELETE_INSERTS,
];

pub(super) static ONE_STATEMENT: &[Parameter] = &[
    TABLES,
    ROWS,
    DISTRIBUTION,
    SPEC_PCT,
    SPEC_RES,
    SPEC_ITER,
    PARETO_H,
    ZIPFIAN_EXP,
    COMPRESSIBLE,
    AUTO_INC,
    SECONDARY,
    CREATE_SECONDARY,
];

pub(super) static RANDOM_POINTS: &[Parameter] = &[
    ROWS,
    DISTRIBUTION,
    SPEC_PCT,
    SPEC_RES,
    SPEC_ITER,
    PARETO_H,
    ZIPFIAN_EXP,
    COMPRESSIBLE,
    AUTO_INC,
    SECONDARY,
    CREATE_SECONDARY,
    count("random_points", 1, 10_000, ParameterScope::Run, "10", "Values of k in a select."),
];

pub(super) static RANDOM_RANGES: &[Parameter] = &[
    ROWS,
    DISTRIBUTION,
    SPEC_PCT,
    SPEC_RES,
    SPEC_ITER,
    PARETO_H,
    ZIPFIAN_EXP,
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
    SPEC_PCT,
    SPEC_RES,
    SPEC_ITER,
    PARETO_H,
    ZIPFIAN_EXP,
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
    SPEC_PCT,
    SPEC_RES,
    SPEC_ITER,
    PARETO_H,
    ZIPFIAN_EXP,
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
