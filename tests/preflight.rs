//! What is looked for before anything is loaded.

use crate::support::bench::{self, run, script};
use enginecmp::diagnostic::SourceMap;
use enginecmp::model::FailureKind;
use enginecmp::plan::{self, Arguments, Plan, Reader};
use enginecmp::target::{TargetDescription, TargetKind};
use std::io;
use std::path::{Path, PathBuf};

struct Text(String);

impl Reader for Text {
    fn read(&self, _path: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_path_buf())
    }
}

fn server(engines: &[&str]) -> TargetDescription {
    TargetDescription {
        name: "found".to_string(),
        kind: TargetKind::Managed,
        family: "mariadb".to_string(),
        version: "10.1.48-MariaDB".to_string(),
        release: (10, 1),
        binary: Some(PathBuf::from("/usr/sbin/mariadbd")),
        build: "0123456789abcdef".to_string(),
        engines: engines.iter().map(ToString::to_string).collect(),
    }
}

fn planned(text: &str) -> Result<Plan, String> {
    let mut sources = SourceMap::new();
    let reader = Text(text.to_string());
    plan::load(Path::new("many.bench"), &Arguments::default(), &mut sources, &reader)
        .and_then(|suite| plan::make(&suite, &[server(&["InnoDB", "TokuDB"])]))
        .map_err(|wrong| enginecmp::diagnostic::render(&wrong, &sources, false, 100))
}

/// The value of an option of the first cell, and why it is there.
fn option(plan: &Plan, name: &str) -> Option<(String, String)> {
    let found = plan.cells[0].options.iter().find(|option| option.line.name == name)?;
    Some((found.line.value.clone()?, found.reason.clone()?))
}

#[test]
fn limits_of_our_own_servers_are_raised_as_far_as_the_clients_need_them() {
    let of = |clients: u32| {
        planned(&format!(
            "engine a {{ storage InnoDB }}\n\
             workload tpcc {{ warehouses 1; clients {clients} }}\n"
        ))
        .expect("a plan")
    };
    let many = of(2000);
    assert_eq!(
        option(&many, "max_connections"),
        Some(("2008".to_string(), "room for 2000 clients".to_string()))
    );
    let (tables, why) = option(&many, "table_open_cache").expect("it is set");
    assert_eq!(
        (tables.as_str(), why.as_str()),
        ("6000", "room for 2000 clients with 3 tables each")
    );
    let few = of(16);
    assert_eq!(option(&few, "max_connections").map(|of| of.0), Some("1024".to_string()));
    assert_eq!(option(&few, "table_open_cache"), None, "the default has room");
}

#[test]
fn a_limit_of_the_suite_that_is_too_low_is_refused_at_its_line() {
    let wrong = planned(
        "option max_connections = 20\n\
         engine a { storage InnoDB }\n\
         workload tpcc { warehouses 1; clients 64 }\n",
    )
    .err()
    .expect("it is refused");
    assert!(wrong.contains("E0320"), "{wrong}");
    assert!(wrong.contains("`max_connections = 20` is too low for 64 clients"), "{wrong}");
    assert!(wrong.contains("many.bench:1:") && wrong.contains("at least 72"), "{wrong}");
}

#[test]
fn tokudb_does_not_refuse_rows_on_a_disk_that_is_nearly_full() {
    let plan = planned("engine t { storage TokuDB }\nworkload tpcc { warehouses 1 }\n");
    let (value, why) = option(&plan.expect("a plan"), "tokudb_fs_reserve_percent").expect("set");
    assert_eq!(value, "1");
    assert!(why.contains("5 % of the disk"), "{why}");
}

#[test]
fn a_server_without_room_is_told_before_the_load_with_the_values_to_set() {
    let mut plan = bench::plan(&["InnoDB"]);
    plan.cells[0].clients = 300;
    plan.datasets[0].source = plan::DataSource::Load;
    let mut small = script();
    for (name, value) in [("max_connections", "151"), ("max_prepared_stmt_count", "16382")] {
        small.variables.insert(name.to_string(), value.to_string());
    }
    let ran = run(&plan, small);
    let views = ran.journal.repetitions();
    let failure = views[0].record.failure.as_ref().expect("it has no room");
    assert_eq!(failure.kind, FailureKind::OptionNotTaken);
    assert_eq!(
        failure.message,
        "max_connections is 151, and 300 clients need 308; max_prepared_stmt_count is 16382, and \
         300 clients that prepare 64 statements each need 19200"
    );
    assert_eq!(
        failure.next_step.as_deref(),
        Some("SET GLOBAL max_connections = 308, max_prepared_stmt_count = 19200")
    );
    assert!(!ran.trace.iter().any(|line| line.contains("LOAD")), "{:?}", ran.trace);
}

#[test]
fn a_disk_that_is_too_small_costs_all_cells_before_anything_starts() {
    let mut plan = bench::plan(&["InnoDB", "RocksDB"]);
    for dataset in &mut plan.datasets {
        dataset.estimated_bytes = 1 << 60;
    }
    let ran = run(&plan, script());
    assert_eq!(ran.outcome.lost_cells, 2);
    assert!(ran.trace.is_empty(), "{:?}", ran.trace);
    let failed: Vec<_> = ran.journal.failures().collect();
    assert_eq!((failed.len(), failed[0].cells.len()), (1, 2));
    let message = &failed[0].failure.message;
    assert!(message.contains("are free on the disk of the work directory"), "{message}");
}
