//! TPC-C (revision 5.11): the standard's five transactions over nine tables, without terminals,
//! keying and think times, and `mode tpcc_mysql`, which issues what tpcc-mysql issues.

mod check;
mod client;
mod deck;
mod input;
mod names;
mod now;
#[cfg(test)]
mod recording;
mod rows;
mod scale;
mod schema;
mod spec;
mod sql;
mod tpcc_mysql;

use super::compressible::Compressible;
use super::{
    CheckMoment, Checked, Drive, Parameter, ParameterError, ParameterKind, ParameterScope,
    Parameters, SourceScript, TableLoad, Think, Workload, WorkloadKind,
};
use crate::model::{Metric, SettingValue};
use crate::target::session::{Dialect, RowSource, Session, SqlError};
use scale::Scale;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

/// Raised whenever a generated row changes.
const DATA_VERSION: u32 = 1;
/// Raised whenever a transaction of the standard does something else.
const SPEC_VERSION: u32 = 1;
/// Raised whenever a transaction of `tpcc_mysql` does something else. 2: money goes as a float.
const TPCC_MYSQL_VERSION: u32 = 2;
/// Smallest density in percent: three customers a district.
const LEAST_DENSITY: f64 = 0.1;

/// Flavours of the workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The specification.
    Spec,
    /// What tpcc-mysql loads and sends, its deviations included.
    TpccMysql,
}

/// Transaction types, in the order of [`Workload::transaction_types`].
const TYPES: &[&str] = &["new_order", "payment", "order_status", "delivery", "stock_level"];
const NEW_ORDER: usize = 0;
const PAYMENT: usize = 1;
const ORDER_STATUS: usize = 2;
const DELIVERY: usize = 3;
const STOCK_LEVEL: usize = 4;

/// The registration.
pub static KIND: WorkloadKind = WorkloadKind {
    name: "tpcc",
    parameters: &[
        Parameter {
            name: "warehouses",
            kind: ParameterKind::Count { min: 1, max: 32_767 },
            scope: ParameterScope::Data,
            default: None,
            doc: "Warehouses that are loaded; about 100 MB each in InnoDB.",
        },
        Parameter {
            name: "active",
            kind: ParameterKind::Count { min: 1, max: 32_767 },
            scope: ParameterScope::Run,
            default: None,
            doc: "Warehouses that transactions use, from the first; all that are loaded, if not set.",
        },
        Parameter {
            name: "mode",
            kind: ParameterKind::Word(&["spec", "tpcc_mysql"]),
            scope: ParameterScope::Data,
            default: Some("spec"),
            doc: "The specification, or the statements, deck and data of tpcc-mysql.",
        },
        Parameter {
            name: "density",
            kind: ParameterKind::Percent,
            scope: ParameterScope::Data,
            default: Some("100%"),
            doc: "Scales customers, orders, items and stock for tests; below 100% it is not TPC-C.",
        },
        Parameter {
            name: "compressible",
            kind: ParameterKind::Percent,
            scope: ParameterScope::Data,
            default: None,
            doc: "How far random text shrinks under zlib, 25% to 95%; random letters, if not set.",
        },
    ],
    doc: "TPC-C: order entry, five transactions over nine tables.",
    wants_lasting_rows: true,
    data_version: DATA_VERSION,
    make: |parameters| Ok(Box::new(Tpcc::new(parameters)?)),
};

/// TPC-C with its parameters.
#[derive(Clone, Debug)]
struct Tpcc {
    scale: Scale,
    active: u32,
    density: f64,
}

fn wrong(parameter: &'static str, message: impl Into<String>) -> ParameterError {
    ParameterError { parameter, message: message.into() }
}

fn count(parameters: &Parameters, name: &'static str) -> Result<Option<u32>, ParameterError> {
    match parameters.get(name) {
        None => Ok(None),
        Some(SettingValue::Count(count)) => match u32::try_from(*count) {
            Ok(count @ 1..=32_767) => Ok(Some(count)),
            _ => Err(wrong(name, format!("{name} is {count}; it can be 1 to 32767"))),
        },
        Some(other) => Err(wrong(name, format!("{name} is {other}; it must be a count"))),
    }
}

impl Tpcc {
    fn new(parameters: &Parameters) -> Result<Self, ParameterError> {
        let warehouses = count(parameters, "warehouses")?
            .ok_or_else(|| wrong("warehouses", "warehouses is not set; write `warehouses 10`"))?;
        let active = count(parameters, "active")?.unwrap_or(warehouses);
        if active > warehouses {
            return Err(wrong(
                "active",
                format!("active is {active}, but only {warehouses} warehouses are loaded"),
            ));
        }
        let mode = match parameters.get("mode").map(|mode| mode.as_str()) {
            None | Some(Some("spec")) => Mode::Spec,
            Some(Some("tpcc_mysql")) => Mode::TpccMysql,
            Some(_) => return Err(wrong("mode", "mode must be `spec` or `tpcc_mysql`")),
        };
        let density = match parameters.get("density") {
            None => 100.0,
            Some(SettingValue::Percent(percent)) => *percent,
            Some(_) => return Err(wrong("density", "density must be a percentage")),
        };
        if !(LEAST_DENSITY..=100.0).contains(&density) {
            return Err(wrong(
                "density",
                format!("density is {density}%; it can be {LEAST_DENSITY}% to 100%"),
            ));
        }
        let compressible = match parameters.get("compressible") {
            Some(SettingValue::Percent(percent)) => {
                Some(Compressible::new(*percent).map_err(|why| wrong("compressible", why))?)
            }
            _ => None,
        };
        let scale = Scale { compressible, ..Scale::new(mode, warehouses, density) };
        Ok(Self { scale, active, density })
    }
}

impl Workload for Tpcc {
    fn source_ddl(&self) -> SourceScript {
        schema::script(self.scale.mode)
    }

    fn tables(&self) -> Vec<TableLoad> {
        schema::tables(&self.scale)
    }

    fn rows(&self, seed: u64, table: &str, part: u32) -> Box<dyn RowSource> {
        rows::source(self.scale, seed, table, part)
    }

    fn rows_by_others(&self, table: &str) -> Option<RangeInclusive<u64>> {
        self.scale.rows_by_others(table)
    }

    fn transaction_types(&self) -> &'static [&'static str] {
        TYPES
    }

    fn headline(&self) -> Metric {
        Metric::Tpmc
    }

    fn headline_type(&self) -> Option<usize> {
        Some(NEW_ORDER)
    }

    /// Clause 5.2.5.7: the least keying time and the least mean of the think time.
    fn think_times(&self) -> Option<Vec<Think>> {
        let seconds = [(18, 12), (3, 12), (2, 10), (2, 5), (2, 5)];
        let think = |(keying, mean)| Think {
            keying: Duration::from_secs(keying),
            mean: Duration::from_secs(mean),
        };
        Some(seconds.into_iter().map(think).collect())
    }

    fn drive(&self, _dialect: Dialect) -> Drive {
        Drive::Clients(Box::new(client::Factory::new(self.scale, self.active)))
    }

    fn growth_counters(
        &self,
        _loaded: Option<u64>,
        session: &mut dyn Session,
    ) -> Result<BTreeMap<String, i64>, SqlError> {
        check::counters(&self.scale, self.active, session)
    }

    fn check(
        &self,
        session: &mut dyn Session,
        moment: &CheckMoment,
    ) -> Result<Vec<Checked>, SqlError> {
        check::run(&self.scale, self.active, session, moment)
    }

    /// Clause 5.2.3.
    fn least_shares(&self) -> &'static [(&'static str, f64)] {
        &[("payment", 0.43), ("order_status", 0.04), ("delivery", 0.04), ("stock_level", 0.04)]
    }

    fn remarks(&self) -> Vec<String> {
        if self.density < 100.0 {
            vec![format!("not TPC-C (density {}%)", self.density)]
        } else {
            Vec::new()
        }
    }

    fn identity(&self) -> String {
        let (mode, version) = match self.scale.mode {
            Mode::Spec => ("tpcc", SPEC_VERSION),
            Mode::TpccMysql => ("tpcc tpcc_mysql", TPCC_MYSQL_VERSION),
        };
        let density = if self.density < 100.0 {
            format!(", density {}%", self.density)
        } else {
            String::new()
        };
        format!("{mode}, generator version {DATA_VERSION}, transactions version {version}{density}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(set: &[(&str, SettingValue)]) -> Parameters {
        set.iter().map(|(name, value)| ((*name).to_string(), value.clone())).collect()
    }

    fn refused(set: &[(&str, SettingValue)]) -> (&'static str, String) {
        let error = Tpcc::new(&parameters(set)).expect_err("it must be refused");
        (error.parameter, error.message)
    }

    use SettingValue::{Count, Percent, Word};

    #[test]
    fn active_follows_warehouses_and_cannot_exceed_them() {
        let tpcc = Tpcc::new(&parameters(&[("warehouses", Count(200))])).expect("enough");
        assert_eq!(tpcc.active, 200);
        let (parameter, message) = refused(&[("warehouses", Count(100)), ("active", Count(200))]);
        assert_eq!(parameter, "active");
        assert_eq!(message, "active is 200, but only 100 warehouses are loaded");
        assert_eq!(refused(&[]).1, "warehouses is not set; write `warehouses 10`");
        assert_eq!(refused(&[("warehouses", Count(0))]).0, "warehouses");
        assert_eq!(refused(&[("warehouses", Count(40_000))]).0, "warehouses");
    }

    #[test]
    fn a_lower_density_says_that_it_is_not_tpcc() {
        let with = |density| {
            Tpcc::new(&parameters(&[("warehouses", Count(1)), ("density", Percent(density))]))
        };
        let small = with(1.0).expect("a density for tests");
        assert_eq!(small.remarks(), ["not TPC-C (density 1%)"]);
        assert_eq!(
            small.identity(),
            "tpcc, generator version 1, transactions version 1, density 1%"
        );
        assert_eq!(with(100.0).expect("the whole").remarks(), Vec::<String>::new());
        for density in [0.0, 0.05, 101.0, f64::NAN] {
            assert_eq!(with(density).expect_err("out of range").parameter, "density");
        }
    }

    #[test]
    fn modes_differ_in_what_they_are() {
        let with = |mode: &str| {
            let mode = Word(mode.to_string());
            Tpcc::new(&parameters(&[("warehouses", Count(1)), ("mode", mode)]))
        };
        let tool = with("tpcc_mysql").expect("a mode");
        assert_eq!(tool.identity(), "tpcc tpcc_mysql, generator version 1, transactions version 2");
        assert_ne!(tool.source_ddl(), with("spec").expect("a mode").source_ddl());
        assert_eq!(with("sysbench").expect_err("no such mode").parameter, "mode");
    }

    #[test]
    fn defaults_of_the_registration_are_taken() {
        for parameter in KIND.parameters {
            let default = match (parameter.name, parameter.default) {
                ("mode", Some(word)) => Word(word.to_string()),
                ("density", Some("100%")) => Percent(100.0),
                (_, None) => continue,
                (name, other) => panic!("{name} {other:?}"),
            };
            let set = [("warehouses", Count(1)), (parameter.name, default)];
            assert!(Tpcc::new(&parameters(&set)).is_ok(), "{}", parameter.name);
        }
    }
}
