//! The reports below `bench-reports` are what their journals say.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Largest journal worth having in git, bytes.
const LARGEST: u64 = 4 << 20;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("bench-reports")
}

/// Every file below `folder` that git would have.
fn committed(folder: &Path) -> Vec<PathBuf> {
    let output = Command::new("git")
        // Whoever runs the tests need not own the clone.
        .args([
            "-c",
            "safe.directory=*",
            "-C",
            &folder.display().to_string(),
            "ls-files",
            "-z",
            ".",
        ])
        .output()
        .expect("git starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).expect("names in UTF-8");
    names.split_terminator('\0').map(PathBuf::from).collect()
}

#[test]
fn every_report_and_the_index_are_made_again_from_the_journals() {
    let copy = tempfile::tempdir().expect("a temporary folder");
    let files = committed(&folder());
    for file in &files {
        let to = copy.path().join(file);
        fs::create_dir_all(to.parent().expect("below the copy")).expect("the copy is writable");
        fs::copy(folder().join(file), to).expect("the copy is writable");
    }
    let journals = files.iter().filter(|file| file.ends_with("journal.jsonl")).count();
    assert!(journals > 0, "no report is committed");
    let output = Command::new(env!("CARGO_BIN_EXE_enginecmp"))
        .args(["report", "--again", ".", "--index", "."])
        .env_clear()
        .env("HOME", copy.path())
        .current_dir(copy.path())
        .output()
        .expect("enginecmp starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    for file in &files {
        assert!(
            fs::read(folder().join(file)).ok() == fs::read(copy.path().join(file)).ok(),
            "{} is stale: `enginecmp report --again --index` makes it again\n{said}",
            file.display()
        );
    }
    for journal in files.iter().filter(|file| file.ends_with("journal.jsonl")) {
        let beside = folder().join(journal).with_file_name("report.txt");
        assert!(beside.is_file(), "{} has no table beside it", journal.display());
    }
}

#[test]
fn committed_journals_are_small_and_name_no_place_of_the_machine() {
    for file in committed(&folder()) {
        let path = folder().join(&file);
        let size = fs::metadata(&path).expect("it is there").len();
        assert!(size <= LARGEST, "{}: {size} bytes", file.display());
        let text = String::from_utf8_lossy(&fs::read(&path).expect("it is there")).into_owned();
        for place in ["/root/", "/home/", "/tmp/", "/mnt/"] {
            assert!(!text.contains(place), "{} names {place}", file.display());
        }
    }
}
