//! Servers of every release, as far as they are known without being there: option files with either
//! kind of defaults, DDL, the commands that make a data directory, and what becomes of options.
//! Releases 5.6, 9.7, 10.5, 10.11 and 11.8 are run as well, the others checked as text alone.

use crate::support::golden::{assert_golden, fixture};
use enginecmp::diagnostic::{SourceMap, render};
use enginecmp::plan::{self, Arguments, Disk, Plan};
use enginecmp::target::families::{self, Family, Fate, fate, rows::Initialise};
use enginecmp::target::version::numbers;
use enginecmp::target::{TargetDescription, TargetKind};
use std::fmt::Write as _;

/// Family, version, and whether this release had TokuDB.
const RELEASES: &[(&str, &str, bool)] = &[
    ("mysql", "5.1.73", false),
    ("mysql", "5.5.62", false),
    ("mysql", "5.6.24", false),
    ("mysql", "5.7.44", false),
    ("mysql", "8.0.29", false),
    ("mysql", "8.0.40", false),
    ("mysql", "8.4.3", false),
    ("mysql", "9.7.4", false),
    ("percona", "5.1.73-14.12", false),
    ("percona", "5.5.62-38.14", false),
    ("percona", "5.6.51-91.0", true),
    ("percona", "5.7.44-48", true),
    ("percona", "8.0.26-17", true),
    ("percona", "8.4.3-3", false),
    ("mariadb", "5.5.68-MariaDB", true),
    ("mariadb", "10.0.38-MariaDB", true),
    ("mariadb", "10.2.44-MariaDB", true),
    ("mariadb", "10.4.34-MariaDB", true),
    ("mariadb", "10.5.23-MariaDB", true),
    ("mariadb", "10.11.19-MariaDB", false),
    ("mariadb", "11.4.5-MariaDB", false),
    ("mariadb", "11.8.9-MariaDB", false),
    ("tokutek", "5.5.41-MariaDB-tokudb-7.5.7", true),
];

fn server(family: &str, version: &str, tokudb: bool) -> TargetDescription {
    let (major, minor, _) = numbers(version).expect("a version");
    let mut engines = vec!["InnoDB".to_string()];
    engines.extend(tokudb.then(|| "TokuDB".to_string()));
    TargetDescription {
        name: "found".into(),
        kind: TargetKind::Managed,
        family: family.into(),
        version: version.into(),
        release: (major, minor),
        binary: None,
        build: "0123456789abcdef".into(),
        engines,
    }
}

/// A suite on this server alone: its text is what the golden files differ by.
fn planned(server: &TargetDescription, defaults: &str) -> Plan {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("release.bench");
    let toku = server.engines.len() > 1;
    let engines = if toku { "engine toku { storage TokuDB; compression zlib }\n" } else { "" };
    let text = format!(
        "defaults {defaults}\nengine innodb {{ storage InnoDB; redo 2x512MB }}\n{engines}\
         cache 1GB\nio direct\nschema {{ strip foreign_keys }}\n\
         workload tpcc {{ warehouses 10 }}\n"
    );
    std::fs::write(&path, text).expect("written");
    let mut sources = SourceMap::new();
    let suite = plan::load(&path, &Arguments::default(), &mut sources, &Disk)
        .unwrap_or_else(|wrong| panic!("{}", render(&wrong, &sources, false, 100)));
    plan::make(&suite, std::slice::from_ref(server)).unwrap_or_else(|wrong| panic!("{wrong:#?}"))
}

/// The command that makes an empty data directory, and what is fed to it.
fn commands(server: &TargetDescription) -> String {
    let family = families::find(&server.family).expect("a family");
    match Family::row(family.initialise, server.release).expect("a row for every release") {
        Initialise::Insecure => "mysqld --no-defaults --initialize-insecure\n".to_string(),
        Initialise::Bootstrap { arguments, first, scripts, last } => {
            let mut text = String::from("mysqld --no-defaults --bootstrap");
            for argument in arguments {
                write!(text, " {argument}").expect("memory");
            }
            text.push_str("\n<< ");
            text.push_str(&first.trim_end().replace('\n', "\n<< "));
            for script in scripts {
                let needed = if script.needed { "" } else { "  (where it is there)" };
                write!(text, "\n<  {}{needed}", script.names.join(" or ")).expect("memory");
            }
            for line in last.lines() {
                write!(text, "\n<< {line}").expect("memory");
            }
            text.push('\n');
            text
        }
    }
}

/// All that is known of a release.
fn page(server: &TargetDescription) -> String {
    let mut page = format!("an empty data directory\n{}", commands(server));
    for defaults in ["shipped", "levelled"] {
        let plan = planned(server, defaults);
        for cell in &plan.cells {
            writeln!(page, "\noptions of {}, defaults {defaults}", cell.engine).expect("memory");
            for option in cell.options.iter() {
                match &option.line.value {
                    Some(value) => writeln!(page, "{}={value}", option.line.name),
                    None => writeln!(page, "{}", option.line.name),
                }
                .expect("memory");
            }
        }
        if defaults == "levelled" {
            for dataset in &plan.datasets {
                let ddl = dataset.schema.tables.iter().find(|ddl| ddl.contains("warehouse"));
                let ddl = ddl.expect("TPC-C has warehouses");
                writeln!(page, "\nDDL of {}\n{ddl}", dataset.engine).expect("memory");
            }
        }
    }
    page
}

#[test]
fn every_release_has_its_option_file_its_ddl_and_its_commands() {
    for (family, version, tokudb) in RELEASES {
        let number = version.split('-').next().expect("a version");
        let page = page(&server(family, version, *tokudb));
        assert_golden(&format!("releases/{family}-{number}.txt"), &page);
    }
}

/// What was seen of the option in the data table must agree with what the families say of it.
#[test]
fn options_fare_as_they_did_on_real_servers() {
    let table = std::fs::read_to_string(fixture("releases/options.tsv")).expect("the table");
    let servers = [
        server("mysql", "5.6.24", false),
        server("mysql", "9.7.4", false),
        server("mariadb", "10.5.23", false),
        server("mariadb", "10.11.19", false),
        server("mariadb", "11.8.9", false),
    ];
    let mut wrong = Vec::new();
    let mut lines = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split('\t');
        let option = fields.next().expect("an option");
        let seen: Vec<&str> = fields.collect();
        assert_eq!(seen.len(), servers.len(), "{line}");
        lines += 1;
        // Options that hang on another are told by the server itself.
        let name = option.split(['=', ' ']).next().expect("a name").replace('-', "_");
        for (server, seen) in servers.iter().zip(seen) {
            let said = fate(server, &name);
            let agrees = match (seen, &said) {
                // It would be refused, so it must not be written as it stands. Where it is there, it
                // is neither refused nor, where it works, left out.
                ("no", Fate::Renamed(_) | Fate::LeftOut(_) | Fate::Refused(_))
                | ("ok" | "value", Fate::Taken | Fate::Renamed(_)) => true,
                ("warn", fate) => !matches!(fate, Fate::Refused(_)),
                _ => name.starts_with("loose_"),
            };
            if !agrees {
                wrong.push(format!(
                    "{option} on {} {}: {seen}, {said:?}",
                    server.family, server.version
                ));
            }
        }
    }
    assert_eq!(lines, 259);
    assert!(wrong.is_empty(), "{} disagree\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_comparison_of_servers_says_with_which_defaults() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("two.bench");
    let text = |defaults: &str| {
        format!(
            "{defaults}server a {{ release \"mysql 5.6\" }}\nserver b {{ release \"mysql 9\" }}\n\
             engine innodb {{ storage InnoDB }}\nworkload tpcc {{ warehouses 1 }}\n\
             compare server against a\n"
        )
    };
    let load = |defaults: &str, set: &[&str]| {
        std::fs::write(&path, text(defaults)).expect("written");
        let mut sources = SourceMap::new();
        let arguments = Arguments {
            sets: set.iter().map(ToString::to_string).collect(),
            ..Arguments::default()
        };
        plan::load(&path, &arguments, &mut sources, &Disk)
            .map_err(|wrong| render(&wrong, &sources, false, 100))
    };
    let said = load("", &[]).unwrap_err();
    assert!(said.contains("E0307") && said.contains("defaults levelled"), "{said}");
    assert!(load("defaults shipped\n", &[]).is_ok());
    let found = [server("mysql", "5.6.24", false), server("mysql", "9.7.4", false)];
    let option = |plan: &Plan, name: &str| {
        plan.cells[1].options.iter().find(|o| o.line.name == name).map(|o| o.line.value.clone())
    };
    let levelled = plan::make(&load("defaults levelled\n", &[]).unwrap(), &found).unwrap();
    assert_eq!(option(&levelled, "performance_schema"), Some(Some("OFF".into())));
    assert_eq!(levelled.cells[0].settings["defaults"].to_string(), "levelled");
    let set = load("defaults levelled\n", &["defaults=shipped"]).unwrap();
    let shipped = plan::make(&set, &found).unwrap();
    assert_eq!(option(&shipped, "performance_schema"), None);
    assert_eq!(option(&shipped, "skip_log_bin"), None);
    assert_eq!(shipped.cells[0].settings["defaults"].to_string(), "shipped");
}

#[test]
fn a_start_that_contradicts_its_suite_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("start.bench");
    let planned = |lines: &str, warmup: &str| {
        let text = format!(
            "{lines}\nengine innodb {{ storage InnoDB }}\n\
             workload tpcc {{ warehouses 1; warmup {warmup} }}\n"
        );
        std::fs::write(&path, text).expect("written");
        let mut sources = SourceMap::new();
        let suite = plan::load(&path, &Arguments::default(), &mut sources, &Disk)
            .unwrap_or_else(|wrong| panic!("{}", render(&wrong, &sources, false, 100)));
        plan::make(&suite, &[server("mariadb", "10.11.19-MariaDB", false)])
            .map_err(|wrong| render(&wrong, &sources, false, 100))
    };
    let said = planned("start cold\nos_cache keep", "1s").err().expect("unlike");
    assert!(said.contains("say unlike things") && said.contains("`os_cache` is stated"), "{said}");
    let said = planned("start warm\nos_cache drop", "1s").err().expect("unlike");
    assert!(said.contains("say unlike things"), "{said}");
    let said = planned("start hot", "0s").err().expect("nothing warms");
    assert!(said.contains("warmup 2m"), "{said}");
    let cold = planned("start cold", "30s").expect("cold");
    assert!(cold.cells[0].warmup.is_zero(), "a cold start has no warm-up");
    assert_eq!(cold.cells[0].settings["os_cache"].to_string(), "drop");
}
