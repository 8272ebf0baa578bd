//! Documentation that cannot drift: suites in it are suites, paths and links lead somewhere.

use enginecmp::diagnostic::{SourceMap, render};
use enginecmp::plan::{self, Arguments, Disk};
use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every page of the documentation.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> =
        ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(|name| root().join(name)).into();
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("docs are readable") {
            let path = entry.expect("docs are readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

fn text(page: &Path) -> String {
    fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()))
}

#[test]
fn paths_named_in_the_guides_exist() {
    let paths = Regex::new(r"`((?:src|tests|grammar|suites|scripts|docs|benches)/[\w./-]*)`")
        .expect("a valid pattern");
    for name in ["docs/extending.md", "CONTRIBUTING.md"] {
        let text = text(&root().join(name));
        let named: Vec<&str> = paths
            .captures_iter(&text)
            .map(|found| found.get(1).expect("group 1").as_str())
            .collect();
        assert!(!named.is_empty(), "{name} names no path: is the pattern still right?");
        for path in named {
            assert!(root().join(path).exists(), "{name} names {path}, which does not exist");
        }
    }
}

#[test]
fn links_between_pages_lead_somewhere() {
    let links = Regex::new(r"\]\(([^)#]+)(?:#[^)]*)?\)").expect("a valid pattern");
    let mut seen = 0;
    for page in pages() {
        for found in links.captures_iter(&text(&page)) {
            let link = found.get(1).expect("group 1").as_str();
            if link.contains("://") {
                continue;
            }
            seen += 1;
            let target = page.parent().expect("a page lies in a folder").join(link);
            assert!(target.exists(), "{} links to {link}, which is not there", page.display());
        }
    }
    assert!(seen > 10, "{seen} links: is the pattern still right?");
}

#[test]
fn the_suite_of_the_readme_is_one() {
    let readme = text(&root().join("README.md"));
    let block = readme
        .split("```bench\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .expect("the README shows a suite");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("readme.bench");
    fs::write(&path, block).expect("the folder is writable");
    let mut sources = SourceMap::new();
    if let Err(wrong) = plan::load(&path, &Arguments::default(), &mut sources, &Disk) {
        panic!("{}", render(&wrong, &sources, false, 100));
    }
}

/// What the page on faults says of each is what the tests do.
#[test]
fn every_fault_names_a_test_that_does_what_the_page_says() {
    let page = text(&root().join("docs/reliability.md"));
    let rows: Vec<Vec<&str>> = page
        .lines()
        .skip_while(|line| !line.starts_with("| fault |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();
    assert!(rows.len() > 20, "{} rows: is the table still there?", rows.len());
    for row in rows {
        let [fault, _, how, test] = row[..] else { panic!("{row:?}") };
        let name = test.split('`').nth(1).unwrap_or_else(|| panic!("{fault}: no test"));
        let (module, test) = name.rsplit_once("::").unwrap_or_else(|| panic!("{name}"));
        let file = if module.ends_with(".rs") {
            root().join(module)
        } else {
            root().join("tests").join(format!("{module}.rs"))
        };
        let code = text(&file);
        let declared = format!("fn {test}()");
        let before = code.split(&declared).next().filter(|before| before.len() < code.len());
        let before = before.unwrap_or_else(|| panic!("{fault}: no {declared} in {name}"));
        assert!(before.trim_end().ends_with("#[test]"), "{fault}: {name} is not run");
        // Servers and disks are real in the live tests alone; the others are about journal files, or
        // about servers of the imagination.
        let live = module.starts_with("live_");
        match how {
            "real" => {
                assert!(
                    live || ["journal", "resume"].contains(&module),
                    "{fault}: {name} is faked"
                );
            }
            "fake" => assert!(!live && code.contains("fake::"), "{fault}: {name} is not faked"),
            "unit" => assert!(!live, "{fault}: {name} is a live test"),
            other => panic!("{fault}: how is {other:?}?"),
        }
    }
}
