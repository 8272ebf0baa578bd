//! Which room may use which. This table is the rule.

use std::fs;
use std::path::{Path, PathBuf};

/// Room, and the rooms or paths that it may use directly. Nothing is implied.
const MAY_USE: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("stats", &["model"]),
    ("host", &["model"]),
    ("diagnostic", &["model"]),
    ("tools", &["model", "diagnostic"]),
    ("engine", &["model"]),
    ("syntax", &["model", "diagnostic"]),
    ("schema", &["model", "diagnostic", "engine"]),
    ("target", &["model", "diagnostic", "engine", "host"]),
    ("workload", &["model", "engine", "tools", "target::session"]),
    ("journal", &["model"]),
    ("plan", &["model", "diagnostic", "syntax", "schema", "engine", "stats", "target", "workload"]),
    (
        "run",
        &["model", "plan", "target", "workload", "journal", "stats", "host", "tools", "engine"],
    ),
    ("import", &["model", "diagnostic", "tools", "journal"]),
    ("compare", &["model", "journal", "stats"]),
    ("report", &["model", "diagnostic", "compare", "journal", "tools"]),
    (
        "cli",
        &[
            "model",
            "stats",
            "host",
            "diagnostic",
            "tools",
            "engine",
            "syntax",
            "schema",
            "target",
            "workload",
            "journal",
            "plan",
            "run",
            "import",
            "compare",
            "report",
        ],
    ),
];

/// Of `target`, a plan may use what describes servers, never what starts or talks to them.
const PLAN_MAY_NOT_USE: &[&str] = &["target::session", "target::managed", "target::fake"];

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The paths after `crate::` in a line: `a::b::c`, and each head of `{a::b, c}`.
fn crate_paths(text: &str) -> Vec<(usize, String)> {
    let mut paths = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let line = text[..at].matches('\n').count() + 1;
        let rest = &text[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut head = String::new();
            for c in group.chars() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => paths.push((line, std::mem::take(&mut head))),
                    c if depth == 0 && !c.is_whitespace() => head.push(c),
                    _ => {}
                }
            }
            if !head.is_empty() {
                paths.push((line, head));
            }
        } else {
            let head: String = rest
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_' || *c == ':')
                .collect();
            paths.push((line, head.trim_end_matches(':').to_string()));
        }
    }
    paths
}

fn is_within(path: &str, allowed: &str) -> bool {
    path == allowed || path.strip_prefix(allowed).is_some_and(|rest| rest.starts_with("::"))
}

#[test]
fn rooms_use_only_what_the_table_allows() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for (room, allowed) in MAY_USE {
        let mut files = Vec::new();
        rust_files(&source.join(room), &mut files);
        for file in files {
            let text = fs::read_to_string(&file).expect("source files are readable text");
            for (line, path) in crate_paths(&text) {
                let own = is_within(&path, room);
                let fits = own || allowed.iter().any(|room| is_within(&path, room));
                let barred = *room == "plan"
                    && PLAN_MAY_NOT_USE.iter().any(|barred| is_within(&path, barred));
                if !fits || barred {
                    let shown = file.strip_prefix(&source).unwrap_or(&file).display().to_string();
                    wrong.push(format!("src/{shown}:{line}: {room} may not use crate::{path}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_room_is_in_the_table() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in fs::read_dir(source).expect("src is readable") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            let room = path.file_name().expect("a name").to_string_lossy().into_owned();
            assert!(MAY_USE.iter().any(|(known, _)| *known == room), "no row for src/{room}");
        }
    }
}

#[test]
fn paths_are_read_out_of_single_and_grouped_uses() {
    let text =
        "use crate::model::{Place, units};\nuse crate::{plan::Plan, target};\ncrate::run::go()";
    let heads: Vec<_> = crate_paths(text);
    assert_eq!(
        heads,
        vec![
            (1, "model".to_string()),
            (2, "plan::Plan".to_string()),
            (2, "target".to_string()),
            (3, "run::go".to_string()),
        ]
    );
}
