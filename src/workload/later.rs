//! Kinds of workloads that suites may name, that are planned and checked, and that this version
//! cannot drive: `run` refuses them by name before anything starts.

use super::{
    CheckMoment, Checked, Drive, Program, SourceScript, TableLoad, Workload, WorkloadKind,
};
use crate::model::Metric;
use crate::target::session::{Dialect, RowSink, RowSource, Session, SqlError};
use std::collections::BTreeMap;

macro_rules! later {
    ($($constant:ident = $name:literal, $parameters:expr, $doc:literal;)*) => {
        $(
            #[doc = $doc]
            pub static $constant: WorkloadKind = WorkloadKind {
                name: $name,
                parameters: $parameters,
                doc: $doc,
                data_version: 0,
                make: |_| Ok(Box::new(Later { name: $name })),
            };
        )*
        /// Every kind that a later version executes.
        pub static KINDS: &[&WorkloadKind] = &[$(&$constant,)*];
    };
}

later! {
    EXTERNAL = "external", &[], "An outside tool as the client.";
}

/// Whether a kind is among them.
pub fn contains(kind: &WorkloadKind) -> bool {
    KINDS.iter().any(|later| later.name == kind.name)
}

/// A workload with a name, for plans.
struct Later {
    name: &'static str,
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
        Vec::new()
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
        _loaded: Option<u64>,
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
        Vec::new()
    }

    fn identity(&self) -> String {
        self.name.to_string()
    }
}
