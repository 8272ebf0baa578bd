//! Golden files: what a command prints, kept beside its input.

use similar::TextDiff;
use std::fs;
use std::path::{Path, PathBuf};

/// A file below `tests/fixtures`.
pub(crate) fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(path)
}

/// Compares `actual` with the golden file `path` below `tests/fixtures`; `UPDATE_GOLDEN=1` writes
/// it anew.
///
/// # Panics
///
/// With a unified diff when they differ, or when there is no such file.
#[track_caller]
pub(crate) fn assert_golden(path: &str, actual: &str) {
    let file = fixture(path);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(file.parent().expect("a golden file lies in a folder"))
            .and_then(|()| fs::write(&file, actual))
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        return;
    }
    let expected = fs::read_to_string(&file).unwrap_or_else(|error| {
        panic!("{}: {error}\nrun the test with UPDATE_GOLDEN=1 to make it", file.display())
    });
    if expected != actual {
        let diff = TextDiff::from_lines(&expected, actual);
        panic!(
            "{} differs (UPDATE_GOLDEN=1 accepts it):\n{}",
            file.display(),
            diff.unified_diff().context_radius(3).header("expected", "actual")
        );
    }
}
