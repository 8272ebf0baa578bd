//! What the program is made of: licences, versions and sources, as `deny.toml` allows them.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("deny.toml");
    fs::read_to_string(path).expect("it is there")
}

/// Packages whose terms are in a file only, with what the page says that these are.
fn clarified() -> BTreeMap<String, String> {
    let page = page();
    let value = |block: &str, name: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(&format!("{name} = ")))?;
        Some(line.trim_matches('"').to_string())
    };
    let blocks = page.split("[[licenses.clarify]]\n").skip(1);
    blocks
        .map(|block| (value(block, "crate"), value(block, "expression")))
        .map(|(name, terms)| (name.expect("a package"), terms.expect("its terms")))
        .collect()
}

/// The strings of a list in `deny.toml`.
fn list(name: &str) -> BTreeSet<String> {
    let text = page();
    let from = text.find(&format!("\n{name} = [")).unwrap_or_else(|| panic!("no list {name}"));
    let until = from + text[from..].find(']').expect("the list ends");
    let lines = text[from..until].lines().filter(|line| !line.trim_start().starts_with('#'));
    let quoted = lines.flat_map(|line| line.split('"').skip(1).step_by(2));
    quoted.map(str::to_string).collect()
}

/// Every package that the program is built from on this machine, tests included.
fn packages() -> Vec<Value> {
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap_or_else(|error| panic!("{program}: {error}"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let told = run("rustc", &["-vV"]);
    let host = told.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host");
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    let metadata = run(
        &cargo,
        &["metadata", "--locked", "--offline", "--format-version=1", "--filter-platform", host],
    );
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let used: BTreeSet<&str> = metadata["resolve"]["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .filter_map(|node| node["id"].as_str())
        .collect();
    let all = metadata["packages"].as_array().expect("packages");
    all.iter()
        .filter(|one| used.contains(one["id"].as_str().unwrap_or_default()))
        .cloned()
        .collect()
}

fn text<'p>(package: &'p Value, name: &str) -> &'p str {
    package[name].as_str().unwrap_or_default()
}

/// Whether an expression of SPDX can be satisfied by what is allowed.
fn satisfied(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let fits = either(&words, &mut at, allowed);
    assert_eq!(at, words.len(), "`{expression}` is not understood");
    fits
}

/// `A OR B`, which binds weaker than AND.
fn either(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let mut fits = both(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        fits |= both(words, at, allowed);
    }
    fits
}

fn both(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let mut fits = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        fits &= one(words, at, allowed);
    }
    fits
}

fn one(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let word = words.get(*at).copied().unwrap_or_default();
    *at += 1;
    if word == "(" {
        let fits = either(words, at, allowed);
        assert_eq!(words.get(*at), Some(&")"), "a bracket is open");
        *at += 1;
        return fits;
    }
    // An exception only permits more.
    if words.get(*at) == Some(&"WITH") {
        *at += 2;
    }
    allowed.contains(word)
}

#[test]
fn every_package_is_licensed_sourced_and_there_once_as_allowed() {
    let (allowed, denied, twice) = (list("allow"), list("deny"), list("skip"));
    assert!(allowed.contains("MIT") && denied.contains("openssl-sys"), "the lists are read");
    let clarified = clarified();
    let packages = packages();
    assert!(packages.len() > 50, "{}", packages.len());
    let mut wrong = Vec::new();
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in &packages {
        let (name, version) = (text(package, "name"), text(package, "version"));
        versions.entry(name).or_default().insert(version);
        let licence = match text(package, "license") {
            "" => clarified.get(name).map_or("", String::as_str),
            stated => stated,
        };
        if licence.is_empty() || !satisfied(licence, &allowed) {
            wrong.push(format!("{name} {version}: licence `{licence}`"));
        }
        // The program itself has no source.
        let source = text(package, "source");
        if !source.is_empty() && !source.starts_with("registry+") {
            wrong.push(format!("{name} {version}: comes from {source}"));
        }
        if denied.contains(name) {
            wrong.push(format!("{name} is not wanted"));
        }
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            if source.is_empty() && text(dependency, "req") == "*" {
                wrong.push(format!("{}: any version", text(dependency, "name")));
            }
        }
    }
    for (name, versions) in &versions {
        if versions.len() > 1 && !twice.contains(*name) {
            wrong.push(format!("{name} is there as {versions:?}"));
        }
    }
    let needless: Vec<_> = twice
        .iter()
        .filter(|name| versions.get(name.as_str()).is_none_or(|versions| versions.len() < 2))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(needless.is_empty(), "skipped in deny.toml without need: {needless:?}");
}

#[test]
fn expressions_of_licences_are_understood() {
    let allowed = ["MIT", "Unicode-3.0"].map(str::to_string).into();
    for (expression, fits) in [
        ("MIT", true),
        ("MIT OR Apache-2.0", true),
        ("MIT/Apache-2.0", true),
        ("Apache-2.0", false),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("MIT AND Apache-2.0", false),
        ("Apache-2.0 WITH LLVM-exception OR MIT", true),
        ("GPL-2.0 OR Apache-2.0 AND MIT", false),
    ] {
        assert_eq!(satisfied(expression, &allowed), fits, "{expression}");
    }
}
