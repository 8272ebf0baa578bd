//! `enginecmp doctor` on this machine: the installed server is really started.

use std::process::Command;

#[test]
fn the_installed_server_is_started_and_its_engines_are_listed() {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_enginecmp"))
        .args(["doctor", "--servers"])
        .arg(home.path())
        .env("HOME", home.path())
        .env("COLUMNS", "200")
        .env("TMPDIR", "/tmp")
        .output()
        .unwrap();
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{page}{}", String::from_utf8_lossy(&output.stderr));
    let server = page.lines().find(|line| line.contains("  ok       mariadb "));
    let server = server.unwrap_or_else(|| panic!("apt-get install mariadb-server: {page}"));
    assert!(server.contains("mariadbd, started in "), "{server}");
    assert!(server.contains("InnoDB, ROCKSDB, Aria"), "mariadb-plugin-rocksdb: {server}");
    let engine = page.lines().find(|line| line.contains("ok       ROCKSDB  mariadb"));
    assert!(engine.is_some(), "{page}");
    assert!(page.contains("ok       SQLite   "), "{page}");
}
