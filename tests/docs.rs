//! Documentation that cannot drift: paths that pages name exist.

use regex::Regex;
use std::fs;
use std::path::Path;

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn paths_named_in_the_guides_exist() {
    let paths = Regex::new(r"`((?:src|tests|grammar|suites|scripts|docs|benches)/[\w./-]*)`")
        .expect("a valid pattern");
    for name in ["docs/extending.md", "CONTRIBUTING.md"] {
        let text = page(name);
        let named: Vec<&str> = paths
            .captures_iter(&text)
            .map(|found| found.get(1).expect("group 1").as_str())
            .collect();
        assert!(!named.is_empty(), "{name} names no path: is the pattern still right?");
        for path in named {
            let full = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
            assert!(full.exists(), "{name} names {path}, which does not exist");
        }
    }
}
