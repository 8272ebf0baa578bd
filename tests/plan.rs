//! Suites become plans: what a user sees of cells, datasets and options.

use enginecmp::diagnostic::{SourceMap, render};
use enginecmp::plan::{self, Arguments, Disk, Plan, Suite};
use enginecmp::target::{TargetDescription, TargetKind};
use std::path::{Path, PathBuf};

fn committed(suite: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("suites").join(format!("{suite}.bench"))
}

fn load(path: &Path, profiles: &[&str]) -> Suite {
    let mut sources = SourceMap::new();
    let arguments = Arguments {
        profiles: profiles.iter().map(ToString::to_string).collect(),
        processors: 2,
        ..Arguments::default()
    };
    plan::load(path, &arguments, &mut sources, &Disk)
        .unwrap_or_else(|wrong| panic!("{}", render(&wrong, &sources, false, 100)))
}

/// A MariaDB as Debian 12 packages it, with its RocksDB plugin, as discovery describes it.
fn mariadb() -> TargetDescription {
    TargetDescription {
        name: "found".to_string(),
        kind: TargetKind::Managed,
        family: "mariadb".to_string(),
        version: "10.11.19-MariaDB".to_string(),
        release: (10, 11),
        binary: Some(PathBuf::from("/usr/sbin/mariadbd")),
        build: "0123456789abcdef".to_string(),
        engines: ["InnoDB", "ROCKSDB", "Aria", "MyISAM", "MEMORY"].map(str::to_string).to_vec(),
    }
}

fn make(suite: &Suite) -> Plan {
    plan::make(suite, &[mariadb()]).unwrap_or_else(|wrong| panic!("{wrong:#?}"))
}

/// Each cell as the values of these settings, in order of rows.
fn rows(plan: &Plan, settings: &[&str]) -> Vec<String> {
    plan.cells
        .iter()
        .map(|cell| {
            let value = |name: &&str| cell.settings[*name].to_string();
            let values: Vec<String> = settings.iter().map(value).collect();
            format!("{} {}", cell.point, values.join(" "))
        })
        .collect()
}

#[test]
fn the_toku_suite_has_exactly_the_published_points() {
    let plan = make(&load(&committed("toku_vs_innodb"), &[]));
    assert_eq!(plan.title, "TokuDB against InnoDB, TPC-C");
    let settings = ["engine", "warehouses", "active", "cache", "os_cache", "clients"];
    assert_eq!(
        rows(&plan, &settings),
        [
            "0 innodb 100 100 4GB keep 32",
            "0 toku 100 100 4GB keep 32",
            "1 innodb 100 100 4GB keep 64",
            "1 toku 100 100 4GB keep 64",
            "2 innodb 200 100 10GB drop 64",
            "2 toku 200 100 10GB drop 64",
            "3 innodb 200 200 10GB drop 64",
            "3 toku 200 200 10GB drop 64",
            "4 innodb 400 400 10GB drop 64",
            "4 toku 400 400 10GB drop 64",
            "5 innodb 400 200 10GB drop 64",
            "5 toku 400 200 10GB drop 64",
            "6 toku 400 200 8GB drop 64",
            "7 toku 400 200 4GB drop 64",
            "8 toku 400 200 1GB drop 64",
            "9 toku_fast 200 200 8GB drop 32",
            "10 toku_fast 200 200 8GB drop 64",
            "11 toku_plain 100 100 8GB keep 32",
        ]
    );
    for cell in &plan.cells {
        assert_eq!(cell.isolation, "READ COMMITTED");
        assert_eq!((cell.warmup.as_secs(), cell.measure.as_secs(), cell.rounds), (120, 1200, 2));
        assert_eq!(cell.unavailable.is_some(), cell.engine != "innodb", "{}", cell.key);
    }
    assert_eq!(plan.repeat, 3);
    // Warehouses and the row format make datasets; cache, clients and the page cache share them.
    let engines: Vec<_> = plan.datasets.iter().map(|dataset| dataset.engine.as_str()).collect();
    assert_eq!(
        engines,
        ["innodb", "toku", "innodb", "toku", "innodb", "toku", "toku_fast", "toku_plain"]
    );
}

#[test]
fn points_that_a_profile_makes_equal_are_one() {
    let plan = make(&load(&committed("toku_vs_innodb"), &["smoke"]));
    let settings = ["engine", "warehouses", "active", "cache", "os_cache", "clients"];
    assert_eq!(
        rows(&plan, &settings),
        [
            "0 innodb 1 1 256MB keep 2",
            "0 toku 1 1 256MB keep 2",
            "0 toku_plain 1 1 256MB keep 2",
            "1 innodb 1 1 256MB drop 2",
            "1 toku 1 1 256MB drop 2",
            "1 toku_fast 1 1 256MB drop 2",
        ]
    );
    let cell = &plan.cells[0];
    assert_eq!((cell.warmup.as_secs(), cell.measure.as_secs(), cell.rounds), (1, 3, 1));
    assert_eq!(plan.repeat, 2);
}
