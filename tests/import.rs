//! Outputs of other tools, read and compared. Golden files lie beside the outputs.

use crate::support::golden::{assert_golden, fixture};
use crate::support::outputs::{outputs, pairs};
use enginecmp::compare::{self, Comparison};
use enginecmp::import::{About, Imported, Input, describe, import};
use enginecmp::journal::Record;
use enginecmp::model::Metric;
use enginecmp::report::{self, Format, Output};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const ABOUT: About<'_> =
    About { id: "import", at: "2026-01-01T00:00:00Z", machine: None, labels: &[], baseline: None };

fn imported(name: &str) -> Imported {
    let output = fs::read(fixture(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    import(&[Input { file: name, output: &output }], &ABOUT)
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The headline of every run in an output.
fn headlines(name: &str) -> Vec<f64> {
    let runs = imported(&format!("import/{name}.txt")).runs;
    runs.iter().map(|labelled| labelled.run.headline_value().unwrap_or(f64::NAN)).collect()
}

#[test]
fn every_output_is_read_as_it_was_before() {
    let all = outputs();
    assert!(all.len() >= 50, "{} outputs", all.len());
    assert!(all.iter().filter(|name| name.contains("unedited/")).count() >= 10);
    for name in all {
        let output = fs::read(fixture(&name)).expect("it was just listed");
        let file = name.rsplit('/').next().unwrap_or(&name);
        let shown = match import(&[Input { file, output: &output }], &ABOUT) {
            Ok(imported) => imported.runs.iter().map(describe).collect::<Vec<_>>().join("\n"),
            Err(error) => format!("{error}\n"),
        };
        assert_golden(&name.replace(".txt", ".expected"), &shown);
    }
}

fn compared(folder: &str) -> (Imported, Comparison) {
    let (files, labels, baseline) = pairs(folder);
    let texts: Vec<(String, Vec<u8>)> = files
        .iter()
        .map(|file| {
            let path = fixture(&format!("import/pairs/{folder}/{file}"));
            (file.clone(), fs::read(path).expect("the case names it"))
        })
        .collect();
    let inputs: Vec<Input> = texts.iter().map(|(file, output)| Input { file, output }).collect();
    let about = About { labels: &labels, baseline: baseline.as_deref(), ..ABOUT };
    let imported = import(&inputs, &about).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let comparison = compare::compare(&imported.records);
    (imported, comparison)
}

fn table(comparison: &Comparison) -> String {
    report::render(comparison, Format::Table, Output { width: 120, color: false, whole: true })
}

#[test]
fn pairs_are_compared_as_they_were_before() {
    let mut folders: Vec<String> = fs::read_dir(fixture("import/pairs"))
        .expect("there are pairs")
        .map(|entry| entry.expect("a readable folder").file_name().to_string_lossy().into_owned())
        .collect();
    folders.sort();
    for folder in folders {
        let (_, comparison) = compared(&folder);
        assert_golden(&format!("import/pairs/{folder}/expected"), &table(&comparison));
    }
}

/// The delta of the one side that is no baseline, as a report prints it.
fn delta(comparison: &Comparison) -> Option<String> {
    let mut side = comparison.sections.iter().flat_map(|s| &s.points).flat_map(|p| &p.sides);
    let delta = side.find_map(|side| side.headline()?.against.delta())?;
    Some(format!("{:+.2} %", delta.relative * 100.0))
}

#[test]
fn the_published_pair_of_the_binary_log_comes_out_as_published() {
    let (imported, comparison) = compared("binary_log");
    let levels: Vec<String> = imported
        .runs
        .iter()
        .map(|labelled| format!("{:.3}", labelled.run.headline_value().expect("a result")))
        .collect();
    assert_eq!(levels, ["18524.949", "22805.301"]);
    assert_eq!(delta(&comparison).as_deref(), Some("-18.77 %"));
    assert!(table(&comparison).contains("latencies are client CPU time"));
    // Both series are there to be drawn: 20 minutes in intervals of 10 s.
    let series = imported.records.iter().filter_map(|record| match record {
        Record::Windows(windows) => Some((windows.window_ms, windows.types[0].count.len())),
        _ => None,
    });
    assert_eq!(series.collect::<Vec<_>>(), [(10_000, 120), (10_000, 120)]);
}

#[test]
fn unlike_things_share_no_delta() {
    for folder in
        ["unlike_measures", "unlike_releases", "unlike_warehouses", "unlike_distributions"]
    {
        assert_eq!(delta(&compared(folder).1), None, "{folder}");
    }
    assert_eq!(delta(&compared("one_refused").1), None);
    // Throughput of two eras compares, their latencies have different names and never meet.
    let (_, eras) = compared("unlike_eras");
    let sides: Vec<_> =
        eras.sections.iter().flat_map(|s| &s.points).flat_map(|p| &p.sides).collect();
    let with_delta: Vec<Metric> = sides
        .iter()
        .flat_map(|side| &side.series)
        .filter(|series| series.against.delta().is_some())
        .map(|series| series.metric.metric)
        .collect();
    assert_eq!(with_delta, [Metric::Tpmc]);
}

#[test]
fn three_runs_of_each_side_have_an_interval() {
    let shown = table(&compared("engines").1);
    assert!(shown.contains("-64.64%    [-75.5%, -49.0%]"), "{shown}");
}

#[test]
fn figures_are_those_of_the_tools_or_better() {
    // (output, TpmC or transactions a second): printed, or made right by hand.
    let cases: &[(&str, &[f64])] = &[
        ("unedited/tpcc_start_2008_12", &[13032.0]),
        ("unedited/tpcc_start_current", &[9543.0]),
        ("unedited/tpcc_start_three_runs", &[2202.0, 10854.0, 10224.0]),
        // 6 intervals of 1 s: 147 + 153 + 204 + 138 + 133 + 107 New-Orders.
        ("unedited/tpcc_start_stopped", &[8820.0]),
        ("unedited/sysbench_read_write", &[1233.44]),
        // 2448 up to the checkpoint and 3368 after it, in 6.0029 s.
        ("unedited/sysbench_checkpoint", &[968.865]),
        ("unedited/sysbench_rate", &[520.39]),
        ("sysbench/0.4_read_only", &[615.19]),
        ("sysbench/0.4_complex", &[1882.32]),
        // 89,045 by the threads, of which the shared counter has 89,044.
        ("tpcc_start/lost_update_one", &[17809.0]),
        ("pastes/wrapped_at_80_columns", &[18524.949]),
        ("pastes/mangled_by_a_web_page", &[18524.949]),
        ("go_tpc/2021", &[4328.1]),
        ("refused/all_transactions_failed", &[f64::NAN]),
    ];
    for (name, expected) in cases {
        let found = headlines(name);
        let alike = |(a, b): (&f64, &f64)| (a - b).abs() < 0.006 || (a.is_nan() && b.is_nan());
        let fits = found.len() == expected.len() && found.iter().zip(*expected).all(alike);
        assert!(fits, "{name}: {found:?} instead of {expected:?}");
    }
}

#[test]
fn pastes_say_what_the_text_itself_says() {
    let plain = imported("import/tpcc_start/loader_then_run.txt").runs.remove(0).run;
    for name in [
        "html_escaped",
        "json_string",
        "markdown_escaped",
        "terminal_colours",
        "utf16",
        "container_log",
    ] {
        let runs = imported(&format!("import/pastes/{name}.txt")).runs;
        let [labelled] = runs.as_slice() else { panic!("{name}: {} runs", runs.len()) };
        assert_eq!(labelled.run.windows.len(), plain.windows.len(), "{name}");
        assert_eq!(labelled.run.clients, plain.clients, "{name}");
        assert_eq!(labelled.run.refused, None, "{name}");
    }
}

#[test]
fn what_is_no_result_is_refused_with_the_reason() {
    for name in outputs().iter().filter(|name| name.contains("import/refused/")) {
        let output = fs::read(fixture(name)).expect("it was just listed");
        match import(&[Input { file: name, output: &output }], &ABOUT) {
            Ok(imported) => {
                assert!(imported.refused(), "{name}");
                for labelled in imported.runs {
                    assert!(labelled.run.metrics().is_empty(), "{name} has figures");
                }
            }
            Err(error) => assert!(name.contains("loader_only"), "{name}: {error}"),
        }
    }
}

fn enginecmp(
    folder: &Path,
    arguments: &[&str],
    input: Option<&Path>,
) -> (Option<i32>, String, String) {
    let stdin = input.map_or_else(Stdio::null, |path| {
        Stdio::from(fs::File::open(path).expect("the output is there"))
    });
    let output = Command::new(env!("CARGO_BIN_EXE_enginecmp"))
        .args(arguments)
        .env_clear()
        .env("HOME", folder)
        .env("COLUMNS", "120")
        .stdin(stdin)
        .output()
        .expect("enginecmp starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn an_import_is_kept_reported_again_and_compared() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| fixture(name).display().to_string();
    let out = |name: &str| folder.path().join(name).display().to_string();
    let (innodb, rocksdb) =
        (path("import/pairs/engines/innodb_1.txt"), path("import/pairs/engines/rocksdb_1.txt"));
    let arguments = [
        "import",
        &innodb,
        &rocksdb,
        "--label",
        "innodb,rocksdb",
        "--baseline",
        "rocksdb",
        "--out",
        &out("both"),
    ];
    let (code, table, said) = enginecmp(folder.path(), &arguments, None);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("innodb_1.txt:1-42: innodb: sysbench (1.0.20)"), "{said}");
    assert!(table.contains("+147.58%"), "{table}");
    let (_, again, _) = enginecmp(folder.path(), &["report", &out("both")], None);
    assert_eq!(again, table);
    // One label in each of two imports: the runs are compared.
    for (file, name) in [(&innodb, "one"), (&rocksdb, "two")] {
        let (code, _, said) =
            enginecmp(folder.path(), &["import", file, "--out", &out(name)], None);
        assert_eq!(code, Some(0), "{said}");
    }
    let (code, compared, said) =
        enginecmp(folder.path(), &["compare", &out("one"), &out("two")], None);
    assert_eq!(code, Some(0), "{said}");
    assert!(compared.contains("-59.61%"), "{compared}");
}

#[test]
fn wrong_use_and_no_result_are_told_by_the_exit_code() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| fixture(name).display().to_string();
    let good = path("import/unedited/sysbench_read_write.txt");
    let refused = path("import/unedited/tpcc_start_too_many_connections.txt");
    let (code, table, _) = enginecmp(folder.path(), &["import", &good, &refused], None);
    assert_eq!(code, Some(125));
    assert!(table.contains("Too many connections"), "{table}");
    let (code, _, said) = enginecmp(folder.path(), &["import", &good, "--label", "a,b,c"], None);
    assert_eq!(
        (code, said.contains("3 labels for 1 files with 1 runs")),
        (Some(2), true),
        "{said}"
    );
    let (code, _, said) = enginecmp(folder.path(), &["import", &good, "--baseline", "x"], None);
    assert_eq!((code, said.contains("no run is labelled `x`")), (Some(2), true), "{said}");
    let readme = path("import/README.md");
    let (code, _, said) = enginecmp(folder.path(), &["import", &readme], None);
    assert_eq!((code, said.contains("no run of tpcc_start")), (Some(2), true), "{said}");
    let (code, table, _) = enginecmp(folder.path(), &["import", "-"], Some(Path::new(&good)));
    assert_eq!(code, Some(0));
    assert!(table.contains("1,233.4"), "{table}");
}
