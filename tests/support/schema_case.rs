//! Cases of DDL transforms: a script with the arguments it is transformed by.

use super::golden::fixture;
use enginecmp::engine::EngineSpec;
use enginecmp::schema::{Rewrite, Transform};
use std::fs;
use std::path::Path;

/// A script below `tests/fixtures/schema`. Its first line, or a file `.args` beside it, says by
/// what it is transformed: `-- args: --storage RocksDB --strip foreign_keys`.
pub(crate) struct SchemaCase {
    /// Path below `tests/fixtures/schema`, without `.sql`.
    pub(crate) name: String,
    pub(crate) script: String,
    pub(crate) transform: Transform,
    /// Whether the transformed script runs on MariaDB; those that do not are written for another
    /// server or another tool.
    pub(crate) live: bool,
}

/// Every case, in order.
pub(crate) fn schema_cases() -> Vec<SchemaCase> {
    let root = fixture("schema");
    let mut cases = Vec::new();
    let mut folders: Vec<_> = fs::read_dir(&root)
        .expect("the folder of cases")
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    folders.sort();
    for folder in folders.iter().filter(|path| path.is_dir()) {
        let mut files: Vec<_> = fs::read_dir(folder)
            .expect("a readable folder")
            .map(|entry| entry.expect("a readable folder").path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "sql"))
            .collect();
        files.sort();
        cases.extend(files.iter().map(|file| read(&root, file)));
    }
    cases
}

fn read(root: &Path, file: &Path) -> SchemaCase {
    let script = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let beside = file.with_extension("args");
    let arguments = fs::read_to_string(&beside).unwrap_or_else(|_| {
        let first = script.lines().next().unwrap_or_default();
        let arguments = first.strip_prefix("-- args:");
        arguments.unwrap_or_else(|| panic!("{}: no `-- args:` line", file.display())).to_string()
    });
    let relative = file.strip_prefix(root).expect("below the root").with_extension("");
    let name = relative.to_str().expect("a plain name").to_string();
    let mut transform = Transform { family: "mariadb".to_string(), ..Transform::default() };
    let mut live = true;
    let words = words(&arguments);
    let mut words = words.iter().map(String::as_str);
    let missing = || panic!("{name}: an argument lacks its value");
    while let Some(word) = words.next() {
        let value = words.next().unwrap_or_else(missing);
        match word {
            "--storage" => transform.storage = Some(EngineSpec::find(value).expect("an engine")),
            "--family" => transform.family = value.to_string(),
            "--release" => {
                let (major, minor) = value.split_once('.').expect("a release");
                transform.release = Some((major.parse().unwrap(), minor.parse().unwrap()));
            }
            "--row-format" => transform.row_format = Some(value.to_string()),
            "--compression" => transform.compression = Some(value.to_string()),
            "--charset" => {
                let (charset, collation) = value.split_once(':').expect("CHARSET:COLLATION");
                transform.charset = Some((charset.to_string(), collation.to_string()));
            }
            "--strip" => match value {
                "foreign_keys" => transform.strip_foreign_keys = true,
                "secondary_indexes" => transform.strip_secondary_indexes = true,
                "fulltext" => transform.strip_fulltext = true,
                "spatial" => transform.strip_spatial = true,
                other => panic!("{name}: --strip {other}"),
            },
            "--keep" => transform.keep_foreign_key_indexes = true,
            "--add" => transform.add_primary_key = true,
            "--rewrite" => {
                let with = words.next().unwrap_or_else(missing);
                let tables = words.clone().next().filter(|word| !word.starts_with("--"));
                if tables.is_some() {
                    words.next();
                }
                transform.rewrites.push(Rewrite::new(value, with, tables).expect("a pattern"));
            }
            "--live" => live = value != "no",
            other => panic!("{name}: {other}"),
        }
    }
    SchemaCase { name, script, transform, live }
}

/// Splits at white space, but for text in double quotes.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut quoted = false;
    let mut word: Option<String> = None;
    for character in text.trim().chars() {
        match character {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            c if c.is_whitespace() && !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
