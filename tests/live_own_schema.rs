//! A schema of the user's own with transactions of the user's own, InnoDB against MyRocks on a real
//! MariaDB, under an option file of the user's.

use crate::support::managed::{Bench, binary};
use enginecmp::journal::read;
use enginecmp::model::{Metric, MetricId};
use std::path::Path;
use std::process::Command;

/// The committed suite with its files, shortened, and an option file.
fn suite(folder: &Path) {
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites");
    let text = std::fs::read_to_string(committed.join("own_schema.bench")).expect("a suite");
    std::fs::write(folder.join("suite.bench"), format!("defaults_file \"my.cnf\"\n{text}"))
        .expect("it is written");
    std::fs::create_dir(folder.join("own_schema")).expect("a folder");
    for entry in std::fs::read_dir(committed.join("own_schema")).expect("its files") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name");
        std::fs::copy(&path, folder.join("own_schema").join(name)).expect("it is copied");
    }
    let options = "[client]\nport = 3306\n[mysqld]\nport = 3306\nsocket = /run/mysqld/mysqld.sock\n\
                   datadir = /var/lib/mysql\ncharacter-set-server = utf8mb4\nskip-name-resolve\n\
                   performance-schema-instrument = 'wait/%=OFF'\ntable_open_cache = 1234\n\
                   loose-no_such_option = 1\n[mariadb-10.11]\nsync_binlog = 7\n";
    std::fs::write(folder.join("my.cnf"), options).expect("it is written");
}

#[test]
fn a_schema_of_the_users_runs_on_both_engines_with_the_same_rows() {
    binary();
    let bench = Bench::new();
    suite(bench.path());
    let out = bench.path().join("out");
    let run = Command::new(env!("CARGO_BIN_EXE_enginecmp"))
        .arg(bench.path().join("suite.bench"))
        .args(["--profile", "smoke", "--set", "measure=2s", "--set", "repeat=1", "--work"])
        .arg(bench.path().join("work"))
        .arg("--out")
        .arg(&out)
        .output()
        .expect("the binary starts");
    let said = String::from_utf8_lossy(&run.stderr);
    let table = String::from_utf8_lossy(&run.stdout);
    assert_eq!(run.status.code(), Some(0), "{said}\n{table}");
    // The distribution of every parameter stands in the report.
    assert!(table.contains("zipfian 1 to 20000"), "{table}");
    assert!(table.contains("uniform from orders.id"), "{table}");

    // Each type of transaction has figures of its own.
    assert!(table.contains("Transactions a second, by type"), "{table}");

    let journal = read(&out).expect("a journal");
    let datasets: Vec<_> = journal.datasets().collect();
    assert_eq!(datasets.len(), 2);
    for dataset in &datasets {
        assert_eq!(dataset.rows["customers"], 20_000);
        assert_eq!((dataset.rows["articles"], dataset.rows["orders"]), (200, 3));
        assert_eq!(dataset.rows["order_lines"], 4);
        assert_eq!(dataset.checksums.len(), 4);
        assert_eq!(dataset.checksums, datasets[0].checksums, "both sides have the same rows");
        let engine = if dataset.engine == "rocks" { "ENGINE=ROCKSDB" } else { "ENGINE=InnoDB" };
        for (table, ddl) in &dataset.ddl {
            assert!(ddl.contains(engine), "{table}: {ddl}");
            assert!(!ddl.contains("FULLTEXT") && !ddl.contains("FOREIGN KEY"), "{ddl}");
        }
        // The index that the foreign key implied is there, and the partitions are.
        assert!(dataset.ddl["orders"].contains("KEY `fk_customer` (`customer_id`)"));
        assert!(dataset.ddl["order_lines"].contains("PARTITION BY HASH"));
    }
    let repetitions = journal.repetitions();
    assert_eq!(repetitions.len(), 2);
    for view in &repetitions {
        let record = &view.record;
        assert!(record.failure.is_none(), "{:#?}", record.failure);
        let checked: Vec<&str> = record.checks.iter().map(|check| check.name.as_str()).collect();
        assert_eq!(
            checked,
            ["rows of customers", "rows of articles", "rows of orders", "rows of order_lines"]
        );
        assert!(record.checks.iter().all(|check| check.violations == 0), "{:?}", record.checks);
        for kind in ["place", "history", "look"] {
            let id = MetricId::of(Metric::P95, kind);
            assert!(record.metrics.iter().any(|metric| metric.id == id), "{kind}");
        }
    }
}
