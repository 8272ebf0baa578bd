//! Choices that are made once for all sides when the suite says nothing, each with its reason.

use crate::engine::{EngineSpec, ForeignKeys};

/// What holds for every cell of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fair {
    /// `direct` or `buffered`, and why.
    pub(super) io: (&'static str, String),
    /// Isolation level as SQL writes it, and why.
    pub(super) isolation: (String, String),
    /// Why foreign keys are left out; none when they stay.
    pub(super) strip_foreign_keys: Option<String>,
}

const LEVELS: [&str; 4] = ["SERIALIZABLE", "REPEATABLE READ", "READ COMMITTED", "READ UNCOMMITTED"];

/// Chooses for these engines, the ones whose cells are in the plan.
pub(super) fn choose(engines: &[&EngineSpec]) -> Fair {
    Fair {
        io: io(engines),
        isolation: isolation(engines),
        strip_foreign_keys: strip_foreign_keys(engines),
    }
}

fn names(engines: &[&EngineSpec], which: impl Fn(&EngineSpec) -> bool) -> String {
    let names: Vec<&str> =
        engines.iter().filter(|spec| which(spec)).map(|spec| spec.storage).collect();
    names.join(", ")
}

/// Past the page cache where every side can: else one side has a second cache that the other
/// lacks.
fn io(engines: &[&EngineSpec]) -> (&'static str, String) {
    let buffered = names(engines, |spec| !spec.can_direct_io);
    if buffered.is_empty() {
        ("direct", "every engine here can pass by the page cache".to_string())
    } else {
        ("buffered", format!("{buffered} cannot pass by the page cache, so no side does"))
    }
}

/// REPEATABLE READ, the default of the family's servers, where every side offers all levels. An
/// engine that lacks some (MyRocks has no gap locks) does not do the same at the levels it has, so
/// READ COMMITTED is taken then; failing that, the strictest level that all have.
fn isolation(engines: &[&EngineSpec]) -> (String, String) {
    let able: Vec<&EngineSpec> =
        engines.iter().copied().filter(|spec| !spec.isolation.is_empty()).collect();
    let has = |spec: &EngineSpec, level: &str| spec.isolation.contains(&level);
    let all = |level: &str| able.iter().all(|spec| has(spec, level));
    if LEVELS.iter().all(|level| all(level)) {
        return (
            "REPEATABLE READ".to_string(),
            "every engine here offers every level; this is the servers' default".to_string(),
        );
    }
    let limited = names(&able, |spec| !LEVELS.iter().all(|level| has(spec, level)));
    if all("READ COMMITTED") {
        return (
            "READ COMMITTED".to_string(),
            format!("the same for all sides: {limited} does not offer every level in full"),
        );
    }
    match LEVELS.iter().find(|level| all(level)) {
        Some(level) => (
            (*level).to_string(),
            format!("the strictest level that all sides have, {limited} among them"),
        ),
        None => (
            "READ COMMITTED".to_string(),
            format!("the engines here have no level in common ({limited})"),
        ),
    }
}

fn strip_foreign_keys(engines: &[&EngineSpec]) -> Option<String> {
    let without = names(engines, |spec| spec.foreign_keys != ForeignKeys::Enforced);
    (!without.is_empty())
        .then(|| format!("{without} has no foreign keys, so no side has them; their indexes stay"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> Fair {
        let engines: Vec<_> = names.iter().map(|name| EngineSpec::find(name).unwrap()).collect();
        choose(&engines)
    }

    #[test]
    fn what_one_side_cannot_do_no_side_does() {
        let alone = of(&["InnoDB"]);
        assert_eq!((alone.io.0, alone.isolation.0.as_str()), ("direct", "REPEATABLE READ"));
        assert_eq!(alone.strip_foreign_keys, None);
        let myrocks = of(&["InnoDB", "RocksDB"]);
        assert_eq!((myrocks.io.0, myrocks.isolation.0.as_str()), ("direct", "READ COMMITTED"));
        assert!(myrocks.strip_foreign_keys.unwrap().contains("ROCKSDB"));
        let aria = of(&["InnoDB", "Aria"]);
        assert_eq!((aria.io.0, aria.isolation.0.as_str()), ("buffered", "REPEATABLE READ"));
        let sqlite = of(&["InnoDB", "SQLite"]);
        assert_eq!(sqlite.isolation.0, "SERIALIZABLE");
        assert_eq!(of(&["RocksDB", "SQLite"]).isolation.0, "READ COMMITTED");
    }
}
