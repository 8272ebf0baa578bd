//! `schema { from ... }`: scripts of the user's become the tables of each side.

use crate::support::golden::{assert_golden, fixture};
use enginecmp::diagnostic::{SourceMap, render};
use enginecmp::plan::{self, Arguments, Disk, Plan};
use enginecmp::target::{TargetDescription, TargetKind};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

fn mariadb() -> TargetDescription {
    TargetDescription {
        name: "found".to_string(),
        kind: TargetKind::Managed,
        family: "mariadb".to_string(),
        version: "10.11.19-MariaDB".to_string(),
        release: (10, 11),
        binary: None,
        build: "0123456789abcdef".to_string(),
        engines: ["InnoDB", "ROCKSDB", "Aria"].map(str::to_string).to_vec(),
    }
}

fn plan(path: &Path) -> Plan {
    let mut sources = SourceMap::new();
    let made = plan::load(path, &Arguments::default(), &mut sources, &Disk)
        .and_then(|suite| plan::make(&suite, &[mariadb()]));
    made.unwrap_or_else(|wrong| panic!("{}", render(&wrong, &sources, false, 100)))
}

#[test]
fn scripts_become_the_tables_of_each_side() {
    let plan = plan(&fixture("own_schema/shop.bench"));
    let mut shown = String::new();
    for dataset in &plan.datasets {
        let schema = &dataset.schema;
        writeln!(shown, "-- {}\n{}", dataset.engine, schema.script).expect("text");
        for note in &schema.notes {
            writeln!(shown, "-- {note}").expect("text");
        }
        for table in &schema.expected {
            writeln!(shown, "-- expects {} in {}", table.table, table.storage).expect("text");
        }
        shown.push('\n');
    }
    assert_golden("own_schema/shop.out", &shown);
}

#[test]
fn a_change_of_a_script_is_another_dataset() {
    let folder = tempfile::tempdir().expect("a directory");
    let recipes = |text: &str| -> Vec<String> {
        std::fs::write(folder.path().join("t.sql"), text).expect("a script");
        let suite = "engine a { storage InnoDB }\nschema { from \"t.sql\" }\n\
                     workload tpcc { warehouses 1 }\n";
        std::fs::write(folder.path().join("s.bench"), suite).expect("a suite");
        let plan = plan(&folder.path().join("s.bench"));
        plan.datasets.iter().map(|dataset| dataset.recipe.0.clone()).collect()
    };
    let first = recipes("CREATE TABLE t (id INT PRIMARY KEY);");
    assert_eq!(first, recipes("CREATE TABLE t (id INT PRIMARY KEY) ENGINE=MyISAM;"));
    assert_ne!(first, recipes("CREATE TABLE t (id BIGINT PRIMARY KEY);"));
}

#[test]
fn the_command_shows_the_difference_file_by_file() {
    let output = Command::new(env!("CARGO_BIN_EXE_enginecmp"))
        .args(["schema", "shop.bench", "--format", "diff"])
        .current_dir(fixture("own_schema"))
        .output()
        .expect("the binary starts");
    assert_eq!(output.status.code(), Some(0));
    assert_golden("own_schema/shop.diff", &String::from_utf8_lossy(&output.stdout));
}
