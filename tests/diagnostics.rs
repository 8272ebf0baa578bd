//! Broken suites, each with what is printed about it. A suite added to one of the folders is a
//! test; `UPDATE_GOLDEN=1` writes its text.

use crate::support::case::enginecmp;
use crate::support::golden::{assert_golden, fixture};
use enginecmp::diagnostic::{Diagnostic, SourceMap, codes, render};
use enginecmp::plan::{self, Arguments, Reader};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Folders of broken suites below `tests/fixtures/errors`, and the codes that they show.
const STAGES: &[(&str, &[&str])] =
    &[("syntax", &["E01"]), ("resolve", &["E02"]), ("expand", &["E03", "E04"])];

/// Suites by file name: those of one folder, or one text.
struct Folder {
    folder: PathBuf,
    text: Option<Vec<u8>>,
}

impl Reader for Folder {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match &self.text {
            Some(text) => Ok(text.clone()),
            None => fs::read(self.folder.join(path)),
        }
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        match &self.text {
            Some(_) => Ok(self.folder.join(path)),
            None => fs::canonicalize(self.folder.join(path)),
        }
    }
}

/// The broken suites of one stage.
fn suites(stage: &str) -> Vec<String> {
    let folder = fixture(&format!("errors/{stage}"));
    let mut found: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "bench"))
        .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
        .collect();
    found.sort();
    assert!(!found.is_empty(), "no suites in {}", folder.display());
    found
}

/// What the first line of a suite says that the command line shall be: `# with: --set a=1`.
fn arguments(text: &str) -> Arguments {
    let line = text.lines().next().and_then(|line| line.strip_prefix("# with: "));
    let mut arguments = Arguments::default();
    for option in line.unwrap_or_default().split("--").filter(|option| !option.is_empty()) {
        match option.trim().split_once(' ') {
            Some(("profile", name)) => arguments.profiles.push(name.to_string()),
            Some(("set", set)) => arguments.sets.push(set.to_string()),
            Some(("only", condition)) => arguments.only = Some(condition.to_string()),
            _ => panic!("unknown option {option}"),
        }
    }
    arguments
}

fn check(folder: Folder, name: &str) -> (SourceMap, Vec<Diagnostic>) {
    let mut sources = SourceMap::new();
    let text = folder.read(Path::new(name)).unwrap_or_default();
    let arguments = arguments(&String::from_utf8_lossy(&text));
    let found = match plan::load(Path::new(name), &arguments, &mut sources, &folder) {
        Ok(suite) => plan::make(&suite, &[]).err(),
        Err(found) => Some(found),
    };
    (sources, found.unwrap_or_default())
}

fn check_text(text: &[u8]) -> (SourceMap, Vec<Diagnostic>) {
    check(Folder { folder: PathBuf::new(), text: Some(text.to_vec()) }, "suite.bench")
}

#[test]
fn broken_suites_are_explained_and_every_code_has_one() {
    for (stage, prefixes) in STAGES {
        let shown_here = |code: &&str| prefixes.iter().any(|prefix| code.starts_with(prefix));
        let mut missing: BTreeSet<_> =
            codes::all().map(|entry| entry.code).filter(shown_here).collect();
        for name in suites(stage) {
            let folder = Folder { folder: fixture(&format!("errors/{stage}")), text: None };
            let (sources, found) = check(folder, &name);
            assert!(!found.is_empty(), "{stage}/{name} is not wrong");
            for diagnostic in &found {
                missing.remove(diagnostic.code);
            }
            let shown = render(&found, &sources, false, 100);
            let golden = name.replace(".bench", ".stderr");
            assert_golden(&format!("errors/{stage}/{golden}"), &shown);
        }
        // Too large to be kept as a file, and not there; the next tests show them.
        missing.remove(codes::TOO_LARGE);
        missing.remove(codes::UNREADABLE);
        assert!(missing.is_empty(), "no suite in errors/{stage} shows {missing:?}");
    }
}

#[test]
fn a_line_of_ten_megabytes_is_refused_in_a_few_lines() {
    let (sources, found) = check_text(&b"clients 1, ".repeat(1 << 20));
    let codes: Vec<_> = found.iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(codes, [codes::TOO_LARGE]);
    assert_golden("errors/ten_megabytes.stderr", &render(&found, &sources, false, 100));
}

#[test]
fn a_suite_that_is_not_there_is_an_error_without_source_lines() {
    let (sources, found) = check(Folder { folder: fixture("errors"), text: None }, "gone.bench");
    assert_golden("errors/not_there.stderr", &render(&found, &sources, false, 100));
}

#[test]
fn the_wrong_example_of_every_syntax_code_is_wrong_and_the_right_one_is_not() {
    for entry in codes::all().filter(|entry| entry.code.starts_with("E01")) {
        let shows = |found: &[Diagnostic]| found.iter().any(|d| d.code == entry.code);
        if entry.code != codes::TOO_LARGE {
            let (_, found) = check_text(entry.wrong.as_bytes());
            assert!(shows(&found), "{}: {found:?}", entry.code);
        }
        let (_, found) = check_text(entry.right.as_bytes());
        assert!(!found.iter().any(|d| d.code.starts_with("E01")), "{}: {found:?}", entry.code);
    }
}

#[test]
fn explain_knows_every_code_and_suggests_a_near_one() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = enginecmp(here, &["explain"]).stdout;
    for entry in codes::all() {
        assert!(list.contains(&format!("{}  {}", entry.code, entry.title)), "{}", entry.code);
    }
    let text = enginecmp(here, &["explain", "e0123"]);
    assert_eq!(text.code, 0);
    assert_golden("errors/explain_E0123.txt", &text.stdout);
    assert!(enginecmp(here, &["explain", "F006"]).stdout.starts_with("F006 retries above 1 %"));
    let unknown = enginecmp(here, &["explain", "E9123"]);
    assert_eq!(unknown.code, 2);
    assert_eq!(unknown.stderr, "error: no code `E9123`\n  help: did you mean `E0123`?\n");
}
