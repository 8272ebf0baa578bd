//! Resolved parameters of the OLTP workloads.

use crate::model::SettingValue;
use crate::workload::compressible::Compressible;
use crate::workload::distribution::{Curve, Distribution, Draw};
use crate::workload::{ParameterError, Parameters};

/// Largest number of rows in a table: `id` is a signed INTEGER, and inserts need room above.
pub(super) const MAX_ROWS: u64 = 2_000_000_000;

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
    pub(super) curve: Curve,
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

/// Parameters of curves, each with the distributions that have it.
const OF_CURVES: &[(&str, &[Distribution])] = &[
    ("rand_spec_pct", &[Distribution::Special04, Distribution::Special10]),
    ("rand_spec_res", &[Distribution::Special04, Distribution::Special10]),
    ("rand_spec_iter", &[Distribution::Gaussian, Distribution::Special04, Distribution::Special10]),
    ("rand_pareto_h", &[Distribution::Pareto]),
    ("rand_zipfian_exp", &[Distribution::Zipfian]),
];

impl From<'_> {
    fn number(&self, name: &str, default: f64) -> f64 {
        match self.0.get(name) {
            Some(SettingValue::Number(number)) => *number,
            Some(SettingValue::Count(count)) => *count as f64,
            _ => default,
        }
    }

    /// The curve of a distribution. A parameter of another distribution would do nothing.
    fn curve(&self, distribution: Option<Distribution>) -> Result<Curve, ParameterError> {
        for (name, having) in OF_CURVES {
            let has = distribution.is_some_and(|distribution| having.contains(&distribution));
            if self.0.contains_key(*name) && !has {
                let names: Vec<&str> = having.iter().map(|known| known.name()).collect();
                return Err(wrong(
                    name,
                    format!("only `distribution {}` has it", names.join("`, `")),
                ));
            }
        }
        let usual = Curve::default();
        Ok(Curve {
            bell_draws: self.small("rand_spec_iter", usual.bell_draws),
            hot_keys: self.count("rand_spec_pct", usual.hot_keys),
            hot_draws: self.count("rand_spec_res", usual.hot_draws),
            pareto_h: self.number("rand_pareto_h", usual.pareto_h),
            zipf_exponent: self.number("rand_zipfian_exp", usual.zipf_exponent),
        })
    }
}

impl Settings {
    /// What its curve has that sysbench's does not have by default, for headings and identity:
    /// ` rand_zipfian_exp 1.1`.
    pub(super) fn curve_in_words(&self) -> String {
        let (usual, own) = (Curve::default(), self.curve);
        let pairs = [
            ("rand_spec_pct", own.hot_keys as f64, usual.hot_keys as f64),
            ("rand_spec_res", own.hot_draws as f64, usual.hot_draws as f64),
            ("rand_spec_iter", f64::from(own.bell_draws), f64::from(usual.bell_draws)),
            ("rand_pareto_h", own.pareto_h, usual.pareto_h),
            ("rand_zipfian_exp", own.zipf_exponent, usual.zipf_exponent),
        ];
        pairs
            .into_iter()
            .filter(|(_, own, usual)| (own - usual).abs() > 1e-12)
            .fold(String::new(), |words, (name, own, _)| format!("{words} {name} {own}"))
    }

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
        let curve = from.curve(distribution)?;
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
            curve,
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
        let distribution = self.distribution.unwrap_or(Distribution::Uniform);
        Draw::of_curve(distribution, self.curve, 1, self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(distribution: &str, given: &[(&str, SettingValue)]) -> Result<Settings, ParameterError> {
        let word = SettingValue::Word(distribution.to_string());
        let all = [("distribution", word)].into_iter().chain(given.iter().cloned());
        let parameters = all.map(|(name, value)| (name.to_string(), value)).collect();
        Settings::new(Test::PointSelect, &parameters)
    }

    #[test]
    fn a_curve_is_named_where_it_is_not_the_usual_one() {
        let usual = of("zipfian", &[]).expect("it fits");
        assert_eq!(usual.curve_in_words(), "");
        let steep = of("zipfian", &[("rand_zipfian_exp", SettingValue::Number(1.1))]);
        let steep = steep.expect("it fits");
        assert_eq!(steep.curve_in_words(), " rand_zipfian_exp 1.1");
        assert!(steep.draw().working_set(0.5) < usual.draw().working_set(0.5));
    }

    #[test]
    fn a_curve_of_another_distribution_is_refused() {
        let wrong = of("uniform", &[("rand_pareto_h", SettingValue::Number(0.3))]);
        let wrong = wrong.expect_err("uniform has no h");
        assert_eq!(wrong.parameter, "rand_pareto_h");
        assert!(wrong.message.contains("pareto"), "{}", wrong.message);
    }
}
