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
