//! What integration tests share.

pub(crate) mod bench;
pub(crate) mod case;
pub(crate) mod certificates;
pub(crate) mod conditions;
pub(crate) mod disturbed;
pub(crate) mod fuzz;
pub(crate) mod golden;
pub(crate) mod inside;
pub(crate) mod live;
pub(crate) mod lockstep;
pub(crate) mod managed;
pub(crate) mod mariadb;
pub(crate) mod oltp;
pub(crate) mod outputs;
pub(crate) mod scenario;
pub(crate) mod schema_case;
pub(crate) mod shop;
pub(crate) mod simulation;
pub(crate) mod sqlite;
pub(crate) mod tools;
pub(crate) mod workload;
