//! Suites become plans: what a user sees of cells, datasets and options.

use crate::support::golden::{assert_golden, fixture};
use enginecmp::diagnostic::{SourceMap, render};
use enginecmp::model::FindingCode;
use enginecmp::plan::advice::advice;
use enginecmp::plan::{self, Arguments, Cell, DataSource, Disk, Plan, Reader, Suite, show};
use enginecmp::target::{TargetDescription, TargetKind, sqlite};
use std::io;
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
pub(crate) fn mariadb() -> TargetDescription {
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
    plan::make(suite, &[sqlite::describe(), mariadb()]).unwrap_or_else(|wrong| panic!("{wrong:#?}"))
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

/// One suite as a text.
struct Text(String);

impl Reader for Text {
    fn read(&self, _path: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_path_buf())
    }
}

fn of_text(text: &str, arguments: &Arguments) -> Plan {
    let mut sources = SourceMap::new();
    let reader = Text(text.to_string());
    let suite = plan::load(Path::new("suite.bench"), arguments, &mut sources, &reader)
        .unwrap_or_else(|wrong| panic!("{}", render(&wrong, &sources, false, 100)));
    make(&suite)
}

fn with_sets(sets: &[&str]) -> Arguments {
    Arguments { sets: sets.iter().map(ToString::to_string).collect(), ..Arguments::default() }
}

/// An option of a cell with the place it came from.
fn option(cell: &Cell, name: &str) -> Option<String> {
    let found = cell.options.iter().find(|option| option.line.name == name)?;
    let value = found.line.value.clone().unwrap_or_default();
    let place = found.line.place.as_ref().map_or("own".to_string(), ToString::to_string);
    Some(format!("{value} from {place}"))
}

#[test]
fn every_committed_suite_plans_cleanly_also_in_its_smoke_profile() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("suites are there") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            continue;
        }
        let suite = load(&path, &[]);
        assert!(suite.profile_names.contains(&"smoke".to_string()), "{}", path.display());
        assert!(!make(&suite).cells.is_empty());
        let smoke = make(&load(&path, &["smoke"]));
        assert!(!smoke.cells.is_empty() && smoke.profiles == ["smoke"]);
        seen += 1;
    }
    assert!(seen >= 6, "{seen} suites");
}

#[test]
fn a_nearer_level_replaces_a_farther_one() {
    let text = "option innodb_io_capacity = 100\n\
                server s { release \"mariadb 10.11\"\noption innodb_io_capacity = 200\n}\n\
                engine a { storage InnoDB }\n\
                engine b { extends a\noption innodb_io_capacity = 300\n}\n\
                engine c { extends b }\n\
                axis v { near { option innodb_io_capacity = 400 }; far { cache 64MB } }\n\
                workload tpcc { warehouses 1 }\n";
    let plan = of_text(text, &Arguments::default());
    let seen: Vec<String> = plan
        .cells
        .iter()
        .map(|cell| {
            let value = option(cell, "innodb_io_capacity").unwrap();
            format!("{} {} {value}", cell.engine, cell.settings["v"])
        })
        .collect();
    assert_eq!(
        seen,
        [
            "a near 400 from suite.bench:10:17",
            "a far 200 from suite.bench:3:1",
            "b near 400 from suite.bench:10:17",
            "b far 300 from suite.bench:7:1",
            "c near 400 from suite.bench:10:17",
            "c far 300 from suite.bench:7:1",
        ]
    );
    let set = of_text(text, &with_sets(&["innodb_io_capacity=500"]));
    for cell in &set.cells {
        assert_eq!(option(cell, "innodb_io_capacity").unwrap(), "500 from <--set>:1:1");
    }
}

#[test]
fn the_binary_log_is_on_or_off_as_the_suite_means_it() {
    let plan = of_text(
        "option log_bin = on, off, 0\nengine a { storage InnoDB }\nworkload tpcc { warehouses 1 }\n",
        &Arguments::default(),
    );
    let names: Vec<(bool, bool)> = plan
        .cells
        .iter()
        .map(|cell| (option(cell, "log_bin").is_some(), option(cell, "skip_log_bin").is_some()))
        .collect();
    // `0` means `off`: the same cell.
    assert_eq!(names, [(true, false), (false, true)]);
}

#[test]
fn what_is_set_on_the_running_server_is_not_in_the_option_file() {
    let plan = make(&load(&committed("durability"), &[]));
    let keys: Vec<String> = plan.cells.iter().map(|cell| cell.key.to_string()).collect();
    assert_eq!(keys.len(), 9);
    assert!(
        keys.contains(&"engine=innodb,innodb_flush_log_at_trx_commit=2,sync_binlog=100".into())
    );
    assert_eq!(plan.datasets.len(), 1);
    assert_eq!(plan.datasets[0].source, DataSource::Load);
    for cell in &plan.cells {
        assert_eq!(cell.point, 0, "all are compared with the durable one");
        assert_eq!(cell.set_global.len(), 2);
        assert_eq!(option(cell, "sync_binlog"), None);
    }
    let refused: Vec<&str> = plan.unsupported.iter().map(|one| one.what.as_str()).collect();
    assert!(!refused.iter().any(|what| what.starts_with("workload")), "{refused:?}");
}

#[test]
fn an_engine_that_forgets_its_rows_is_refused_with_the_reason() {
    let wrong = |workload: &str| {
        let text = format!("suite \"s\"\nengine m {{ storage MEMORY }}\n{workload}\n");
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("s.bench");
        std::fs::write(&file, text).expect("it is written");
        let mut sources = SourceMap::new();
        let suite = plan::load(&file, &Arguments::default(), &mut sources, &Disk)
            .unwrap_or_else(|wrong| panic!("{}", render(&wrong, &sources, false, 100)));
        plan::make(&suite, &[]).err().map(|wrong| render(&wrong, &sources, false, 100))
    };
    for (workload, why) in [
        ("workload tpcc { warehouses 1 }", "TPC-C is about transactions that last"),
        ("dataset each\nworkload tpcc { warehouses 1 }", "TPC-C is about transactions that last"),
        ("dataset each\nworkload tpcc { warehouses 1; mode tpcc_mysql }", "that last"),
        ("workload oltp_read_only { distribution uniform }", "write `dataset each`"),
    ] {
        let text = wrong(workload).expect("it is refused");
        assert!(text.contains("MEMORY keeps no rows when its server stops"), "{text}");
        assert!(text.contains(why), "{text}");
    }
    assert_eq!(wrong("dataset each\nworkload oltp_read_only { distribution uniform }"), None);
}

#[test]
fn engines_inside_the_process_are_not_multiplied_by_servers() {
    let plan = of_text(
        "defaults levelled\nserver x { release \"mariadb 10.11\" }\nserver y { release \"mysql 5.6\" }\n\
         engine a { storage InnoDB }\nengine s { storage SQLite }\n\
         workload tpcc { warehouses 1 }\ncompare server against x\n",
        &Arguments::default(),
    );
    let keys: Vec<String> = plan.cells.iter().map(|cell| cell.key.to_string()).collect();
    assert_eq!(keys, ["engine=a,server=x", "engine=a,server=y", "engine=s"]);
    let missing: Vec<bool> = plan.cells.iter().map(|cell| cell.unavailable.is_some()).collect();
    assert_eq!(missing, [false, true, false]);
    // One isolation level and one kind of I/O for all.
    assert!(plan.cells.iter().all(|cell| cell.isolation == "SERIALIZABLE"));
    assert_eq!(option(&plan.cells[0], "innodb_flush_method").unwrap(), "fsync from own");
}

#[test]
fn a_share_of_the_data_is_the_same_cache_for_all_sides() {
    let plan = of_text(
        "engine a { storage InnoDB }\nengine b { storage RocksDB }\ncache 10%, 50% of data\n\
         workload tpcc { warehouses 10 }\ncompare engine against a\n",
        &Arguments::default(),
    );
    let caches: Vec<String> = plan
        .cells
        .iter()
        .map(|cell| {
            let name = cell.spec.cache_option.unwrap();
            let line = cell.options.iter().find(|option| option.line.name == name).unwrap();
            line.line.value.clone().unwrap()
        })
        .collect();
    assert_eq!(caches[0], caches[1]);
    assert_eq!(caches[2], caches[3]);
    assert_ne!(caches[0], caches[2]);
    // Loaded at the largest.
    for dataset in &plan.datasets {
        let name = dataset.spec.cache_option.unwrap();
        let line = dataset.options.iter().find(|option| option.name == name).unwrap();
        assert_eq!(line.value.as_ref(), Some(&caches[2]));
    }
}

#[test]
fn log_files_that_an_old_server_cannot_change_come_with_a_dataset_of_their_own() {
    let text = "server old { release \"mysql 5.5\" }\nengine a { storage InnoDB }\n\
                redo 2x48MB, 2x96MB\nworkload tpcc { warehouses 1 }\n";
    let mut sources = SourceMap::new();
    let path = Path::new("suite.bench");
    let reader = Text(text.to_string());
    let suite = plan::load(path, &Arguments::default(), &mut sources, &reader)
        .unwrap_or_else(|wrong| panic!("{}", render(&wrong, &sources, false, 100)));
    let old = TargetDescription {
        family: "mysql".to_string(),
        version: "5.5.60".to_string(),
        release: (5, 5),
        ..mariadb()
    };
    let plan = plan::make(&suite, &[old]).unwrap_or_else(|wrong| panic!("{wrong:#?}"));
    let init: Vec<Vec<_>> = plan
        .datasets
        .iter()
        .map(|dataset| dataset.init_options.iter().map(|o| o.value.as_deref().unwrap()).collect())
        .collect();
    assert_eq!(init, [["50331648", "2"], ["100663296", "2"]]);
}

#[test]
fn a_share_of_the_memory_is_bytes_of_this_machine() {
    let text = "engine a { storage InnoDB }\nengine b { storage RocksDB }\ncache 10% of memory\n\
                workload tpcc { warehouses 1 }\ncompare engine against a\n";
    let arguments = Arguments { memory: Some(8 << 30), ..Arguments::default() };
    let plan = of_text(text, &arguments);
    // A tenth of 8 GiB is 819.2 MiB; whole MiB are taken.
    let caches: Vec<_> = plan
        .cells
        .iter()
        .map(|cell| option(cell, cell.spec.cache_option.expect("it has a cache")).unwrap())
        .collect();
    let expected = format!("{} from suite.bench:3:1", 820 << 20);
    assert_eq!(caches, [expected.clone(), expected]);
}

#[test]
fn a_redo_log_and_session_variables_reach_every_cell_of_their_axes() {
    let plan = of_text(
        "engine a { storage InnoDB }\nredo 2x48MB, 200MB\nsession sort_buffer_size = 1M, 2M\n\
         workload tpcc { warehouses 1 }\ncompare redo against 2x48MB\n",
        &Arguments::default(),
    );
    let seen: Vec<String> = plan
        .cells
        .iter()
        .map(|cell| {
            let session = &cell.set_session[0];
            let log = option(cell, "innodb_log_file_size").expect("it is in the option file");
            format!("{log} {}={}", session.name, session.value.as_deref().unwrap_or_default())
        })
        .collect();
    // MariaDB 10.11 has one file.
    assert_eq!(
        seen,
        [
            "100663296 from suite.bench:2:1 sort_buffer_size=1M",
            "209715200 from suite.bench:2:1 sort_buffer_size=1M",
            "100663296 from suite.bench:2:1 sort_buffer_size=2M",
            "209715200 from suite.bench:2:1 sort_buffer_size=2M",
        ]
    );
    assert!(plan.unsupported.is_empty(), "{:?}", plan.unsupported);
    assert_eq!(plan.datasets.len(), 1, "both are of the running server alone");
}

#[test]
fn options_of_scope_data_make_datasets_and_others_share_them() {
    let plan = of_text(
        "engine a { storage InnoDB }\noption innodb_page_size = 8K, 16K\n\
         option innodb_io_capacity = 100, 200\nworkload tpcc { warehouses 1; clients 1, 2 }\n",
        &Arguments::default(),
    );
    assert_eq!((plan.cells.len(), plan.datasets.len()), (8, 2));
    for (dataset, size) in plan.datasets.iter().zip(["8K", "16K"]) {
        let init: Vec<_> =
            dataset.init_options.iter().map(|o| (o.name.as_str(), o.value.as_deref())).collect();
        assert_eq!(init, [("innodb_page_size", Some(size))]);
        assert!(!dataset.options.iter().any(|option| option.name == "innodb_io_capacity"));
    }
}

#[test]
fn set_replaces_values_and_axes_of_whoever_has_them() {
    let text = "engine a { storage InnoDB }\nengine b { storage Aria }\n\
                workload tpcc { warehouses 2; clients 4, 8 }\n\
                workload tpcc big { warehouses 9; clients 16 }\ncompare engine against a\n";
    let keys = |sets: &[&str]| -> Vec<String> {
        of_text(text, &with_sets(sets)).cells.iter().map(|cell| cell.key.to_string()).collect()
    };
    assert_eq!(keys(&[]).len(), 6);
    assert_eq!(
        keys(&["clients=1", "big.warehouses=3,4", "engine=a"]),
        [
            "engine=a,warehouses=2,workload=tpcc",
            "engine=a,warehouses=3,workload=big",
            "engine=a,warehouses=4,workload=big",
        ]
    );
}

#[test]
fn a_baseline_that_only_leaves_out_costs_the_deltas_alone() {
    let text = "engine a { storage InnoDB }\nengine b { storage RocksDB }\n\
                workload tpcc { warehouses 2 }\ncompare engine against a\n\
                expect tpmc of b >= +5%\n";
    let only = Arguments { only: Some("engine = b".to_string()), ..Arguments::default() };
    let plan = of_text(text, &only);
    assert_eq!(plan.cells.len(), 1);
    assert!(plan.comparisons.is_empty());
    let told = plan.findings.iter().filter(|found| found.code == FindingCode::CannotTell);
    assert_eq!(told.count(), 2, "{:?}", plan.findings);
}

#[test]
fn ten_thousand_cells_plan() {
    let plan = of_text(
        "engine a { storage InnoDB }\nengine b { storage RocksDB }\n\
         option innodb_io_capacity = 100..5000 step 100\n\
         workload tpcc { warehouses 1..100 step 1 }\ncompare engine against a\n",
        &Arguments::default(),
    );
    assert_eq!((plan.cells.len(), plan.datasets.len()), (10_000, 200));
    assert_eq!(plan.cells.last().map(|cell| cell.point), Some(4999));
}

#[test]
fn a_plan_reads_well_and_its_json_has_every_documented_key() {
    let mut sources = SourceMap::new();
    let path = fixture("plan/small.bench");
    let reader = Text(std::fs::read_to_string(path).expect("the fixture is there"));
    let arguments = Arguments { processors: 2, ..Arguments::default() };
    let suite = plan::load(Path::new("small.bench"), &arguments, &mut sources, &reader)
        .unwrap_or_else(|wrong| panic!("{}", render(&wrong, &sources, false, 100)));
    let plan = make(&suite);
    let advice = advice(&plan, &|_| None);
    assert_golden("plan/small.txt", &show::text(&plan, &advice, 100));
    let json = show::json::json(&plan, &advice);
    assert_golden("plan/small.json", &json);
    let documented =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/plan-json.md"))
            .expect("the document is there");
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    for part in [&value, &value["cells"][0], &value["datasets"][0]] {
        for key in part.as_object().expect("an object").keys() {
            assert!(documented.contains(&format!("`{key}")), "docs/plan-json.md lacks `{key}`");
        }
    }
}

#[test]
fn what_a_plan_knows_against_its_figures_is_said_once() {
    let plan = of_text(
        "suite \"t\"\nengine a { storage Aria }\n\
         workload tpcc { mode tpcc_mysql; warehouses 1; density 10%; measure 3s }\nrepeat 1\n",
        &Arguments::default(),
    );
    let said: Vec<FindingCode> = plan.findings.iter().map(|finding| finding.code).collect();
    for code in [
        FindingCode::OneRepetition,
        FindingCode::TooShort,
        FindingCode::NotTpcc,
        FindingCode::KnownDeviations,
        FindingCode::NoTransactions,
    ] {
        assert_eq!(said.iter().filter(|one| **one == code).count(), 1, "{code:?}");
    }
}
