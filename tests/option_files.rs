//! `defaults_file`: option files of users, each with the option file that a private server gets of
//! it, or with what is wrong. A file added to the folder is a test.

use crate::support::golden::{assert_golden, fixture};
use enginecmp::diagnostic::{SourceMap, render};
use enginecmp::plan::{self, Arguments, Plan, Reader};
use enginecmp::target::managed::option_text;
use enginecmp::target::{TargetDescription, TargetKind};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The suite as a text, everything else as it lies in the folder.
struct Beside {
    suite: String,
}

impl Reader for Beside {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path.ends_with("suite.bench") {
            Ok(self.suite.clone().into_bytes())
        } else {
            fs::read(path)
        }
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        if path.ends_with("suite.bench") { Ok(path.to_path_buf()) } else { fs::canonicalize(path) }
    }
}

/// What the comment `# NAME: ` at the head of a file says.
fn said<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let text = text.trim_start_matches('\u{feff}');
    text.lines()
        .take_while(|line| line.starts_with('#'))
        .filter_map(|line| line.strip_prefix(&format!("# {name}: ")))
        .collect()
}

fn server(text: &str) -> TargetDescription {
    let (family, release) = said(text, "for")[0].split_once(' ').expect("family and release");
    let numbers: Vec<u32> =
        release.split('.').map(|number| number.parse().expect("a number")).collect();
    TargetDescription {
        name: "found".to_string(),
        kind: TargetKind::Managed,
        family: family.to_string(),
        version: format!("{release}.1"),
        release: (numbers[0], numbers[1]),
        binary: None,
        build: "0123456789abcdef".to_string(),
        engines: ["InnoDB", "ROCKSDB"].map(str::to_string).to_vec(),
    }
}

fn planned(name: &str, text: &str) -> Result<Plan, String> {
    let mut suite = format!("defaults_file \"{name}\"\nworkload tpcc {{ warehouses 1 }}\n");
    let lines = said(text, "suite");
    if !lines.iter().any(|line| line.starts_with("engine")) {
        let engine = said(text, "engine").first().copied().unwrap_or("InnoDB").to_string();
        writeln!(suite, "engine e {{ storage {engine}; cache 64MB }}").expect("text");
    }
    for line in lines {
        writeln!(suite, "{line}").expect("text");
    }
    let folder = fs::canonicalize(fixture("option_files")).expect("the folder");
    let mut sources = SourceMap::new();
    let path = folder.join("suite.bench");
    let reader = Beside { suite };
    plan::load(&path, &Arguments::default(), &mut sources, &reader)
        .and_then(|suite| plan::make(&suite, &[server(text)]))
        .map_err(|wrong| render(&wrong, &sources, false, 100))
}

/// Options in their order, each with its place, then the option file as the server reads it.
fn shown(plan: &Plan) -> String {
    let cell = &plan.cells[0];
    let mut out = String::new();
    for option in cell.options.iter() {
        // Those of enginecmp's own are the same in all cases.
        if let Some(place) = &option.line.place {
            let value = option.line.value.as_ref().map_or(String::new(), |v| format!(" = {v}"));
            writeln!(out, "{place}: {}{value}", option.line.name).expect("text");
        }
    }
    for finding in &plan.findings {
        if finding.code.code() == "F050" {
            writeln!(out, "{}: {}", finding.code.title(), finding.seen).expect("text");
        }
    }
    let lines: Vec<_> = cell.options.iter().map(|option| option.line.clone()).collect();
    writeln!(out, "\n{}", option_text(&lines).expect("an option file")).expect("text");
    out
}

#[test]
fn each_option_file_becomes_what_the_private_server_gets() {
    let folder = fs::canonicalize(fixture("option_files")).expect("the folder");
    let prefix = format!("{}/", folder.display());
    let mut names: Vec<String> = fs::read_dir(&folder)
        .expect("a readable folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".cnf"))
        .collect();
    names.sort();
    assert!(names.len() >= 15, "{names:?}");
    for name in names {
        let text = fs::read_to_string(folder.join(&name)).expect("an option file");
        let out = match planned(&name, &text) {
            Ok(plan) => shown(&plan),
            Err(wrong) => wrong,
        };
        let golden = name.replace(".cnf", ".out");
        assert_golden(&format!("option_files/{golden}"), &out.replace(&prefix, ""));
    }
}

/// What stands in a file of the user's never moves a private server.
#[test]
fn no_path_port_or_socket_of_the_file_reaches_the_server() {
    let text = fs::read_to_string(fixture("option_files/paths.cnf")).expect("an option file");
    let plan = planned("paths.cnf", &text).expect("a plan");
    for option in plan.cells[0].options.iter() {
        let value = option.line.value.as_deref().unwrap_or_default();
        assert!(!value.starts_with('/'), "{} = {value}", option.line.name);
        assert!(
            !["user", "port", "socket", "datadir", "pid_file"].contains(&&*option.line.name),
            "{}",
            option.line.name
        );
    }
}
