//! The outputs of other tools below `tests/fixtures/import`.

use super::golden::fixture;
use std::fs;
use std::path::Path;

/// Every output but those of pairs, as names below `tests/fixtures`, sorted.
pub(crate) fn outputs() -> Vec<String> {
    let mut found = Vec::new();
    below(&fixture("import"), "import", &mut found);
    found.retain(|name| !name.contains("/pairs/"));
    found.sort();
    found
}

fn below(folder: &Path, name: &str, found: &mut Vec<String>) {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("a readable folder").path();
        let own =
            path.file_name().map_or_else(String::new, |own| own.to_string_lossy().into_owned());
        let name = format!("{name}/{own}");
        if path.is_dir() {
            below(&path, &name, found);
        } else if own.ends_with(".txt") {
            found.push(name);
        }
    }
}

/// Files, labels and baseline of a case below `import/pairs`.
pub(crate) fn pairs(folder: &str) -> (Vec<String>, Vec<String>, Option<String>) {
    let case = fixture(&format!("import/pairs/{folder}/case"));
    let text =
        fs::read_to_string(&case).unwrap_or_else(|error| panic!("{}: {error}", case.display()));
    let of = |word: &str| text.lines().find_map(|line| line.strip_prefix(word).map(str::trim));
    let list = |text: Option<&str>, between: &[char]| -> Vec<String> {
        let parts = text.unwrap_or_default().split(between).map(str::trim);
        parts.filter(|part| !part.is_empty()).map(str::to_string).collect()
    };
    (list(of("files "), &[' ']), list(of("labels "), &[',']), of("baseline ").map(str::to_string))
}
