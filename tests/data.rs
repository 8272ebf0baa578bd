//! `enginecmp data`: what is kept, whether it is as it was kept, and dropping it.

use crate::support::golden::assert_golden;
use enginecmp::host::work_dir::WorkDir;
use enginecmp::model::RecipeId;
use enginecmp::target::store::Store;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

/// A work directory with two datasets and one that no load finished.
fn filled() -> tempfile::TempDir {
    let top = tempfile::tempdir().expect("a temporary directory");
    let (work, _) = WorkDir::open(top.path()).expect("a work directory");
    let store = Store::new(work.datasets());
    let of = |name: &str, storage: &str, warehouses: &str, day: u64| {
        let data = top.path().join("loaded");
        fs::create_dir_all(data.join("tpcc")).expect("it is ours");
        fs::write(data.join("tpcc/stock.ibd"), vec![7; 40_000]).expect("it is ours");
        fs::write(data.join("ibdata1"), vec![8; 8000]).expect("it is ours");
        let ingredients: Vec<(String, String)> = [
            ("data", "tpcc version 3"),
            ("seed", "42"),
            ("warehouses", warehouses),
            ("storage", storage),
            ("server", "mariadb 10.11.6-MariaDB"),
            ("load", "bulk, 2 threads, indexes after"),
        ]
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .to_vec();
        let recipe = RecipeId(name.repeat(4));
        store
            .save(&recipe, &data, &ingredients, serde_json::Value::Null, &|| true)
            .expect("it is kept");
        let used = SystemTime::UNIX_EPOCH + Duration::from_secs(1_769_000_000 + day * 86_400);
        let marker = work.datasets().join(&recipe.0).join("dataset.json");
        File::open(marker).and_then(|marker| marker.set_modified(used)).expect("it is ours");
    };
    of("0a1b2c3d", "InnoDB", "100", 1);
    of("4e5f6071", "ROCKSDB", "2", 2);
    fs::create_dir_all(work.datasets().join("99887766554433221100/data")).expect("it is ours");
    top
}

fn data(work: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_enginecmp"))
        .arg("data")
        .args(arguments)
        .arg("--work")
        .arg(work)
        .output()
        .expect("the binary starts")
}

/// What is printed; nothing is said beside it.
fn printed(output: &Output) -> String {
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn what_is_kept_is_listed_for_people_and_programs() {
    let work = filled();
    let output = data(work.path(), &["list"]);
    assert_eq!(output.status.code(), Some(0));
    assert_golden("data/list.txt", &printed(&output));
    assert_golden("data/list.json", &printed(&data(work.path(), &["list", "--format", "json"])));
    let nowhere = work.path().join("nowhere");
    assert_eq!(printed(&data(&nowhere, &["list"])), "0 datasets, 0 B\n");
    assert!(!nowhere.exists(), "looking makes nothing");
    // Looking disturbs no run.
    let _open = WorkDir::open(work.path()).expect("nobody has it");
    assert_eq!(data(work.path(), &["list"]).status.code(), Some(0));
    let refused = data(work.path(), &["verify"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains(&format!("process {}", std::process::id())), "{said}");
}

#[test]
fn what_was_altered_is_told_by_name() {
    let work = filled();
    let output = data(work.path(), &["verify"]);
    assert_eq!(output.status.code(), Some(0));
    assert_golden("data/verify.txt", &printed(&output));
    let stored = work.path().join("datasets").join("0a1b2c3d".repeat(4)).join("data");
    let mut bytes = fs::read(stored.join("tpcc/stock.ibd")).expect("it was kept");
    bytes[20_000] ^= 1;
    fs::write(stored.join("tpcc/stock.ibd"), bytes).expect("it is ours");
    fs::write(stored.join("ibdata1"), "short").expect("it is ours");
    let output = data(work.path(), &["verify"]);
    assert_eq!(output.status.code(), Some(1));
    assert_golden("data/verify_altered.txt", &printed(&output));
    assert_eq!(data(work.path(), &["verify", "4e5f"]).status.code(), Some(0));
}

#[test]
fn what_is_named_too_old_or_half_made_is_dropped() {
    let work = filled();
    let unknown = data(work.path(), &["prune", "4e5f", "beef"]);
    assert_eq!(unknown.status.code(), Some(2));
    let said = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(said.contains("no dataset's name begins with `beef`"), "{said}");
    assert_golden("data/prune.txt", &printed(&data(work.path(), &["prune"])));
    assert_golden("data/prune_named.txt", &printed(&data(work.path(), &["prune", "4e5f"])));
    drop(work);
    let work = filled();
    assert_golden("data/prune_keep.txt", &printed(&data(work.path(), &["prune", "--keep", "60K"])));
    assert_golden("data/prune_all.txt", &printed(&data(work.path(), &["prune", "--keep", "0"])));
    let left = fs::read_dir(work.path().join("datasets")).expect("it is there").count();
    assert_eq!(left, 0);
}
