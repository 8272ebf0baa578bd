//! `workload sql` without a server: a schema of the user's on SQLite.

use enginecmp::journal::read;
use enginecmp::model::FailureKind;
use std::path::Path;
use std::process::Command;

const TABLES: &str = "CREATE TABLE accounts (
  id INT NOT NULL PRIMARY KEY,
  owner VARCHAR(30) NOT NULL,
  balance DECIMAL(10,2) NOT NULL,
  UNIQUE KEY owner (owner)
);
CREATE TABLE moves (
  id INT NOT NULL PRIMARY KEY AUTO_INCREMENT,
  account INT NOT NULL,
  cents INT NOT NULL,
  KEY account (account)
);
";

const SUITE: &str = r#"
suite "Accounts"
engine rowid { storage SQLite }
isolation serializable
schema { from "tables.sql" }
workload sql bank {
  generate accounts rows 500
  load csv "moves.csv" into moves
  draw account gaussian 1 to 500
  draw cents uniform 1 to 900
  transaction move weight 3 """
    SELECT id, owner FROM accounts WHERE id = :account FOR UPDATE INTO :id, :owner;
    INSERT INTO moves (account, cents) VALUES (:id, :cents);
    UPDATE accounts SET balance = balance + :cents WHERE owner = :owner
  """
  transaction forget weight 1 "DELETE FROM moves WHERE account = :account"
  clients 2
  measure 500ms
}
"#;

fn run(folder: &Path, suite: &str) -> (Option<i32>, String) {
    std::fs::write(folder.join("tables.sql"), TABLES).expect("it is written");
    std::fs::write(folder.join("moves.csv"), "account,cents\n1,100\n2,\"200\"\n1,300\n")
        .expect("it is written");
    std::fs::write(folder.join("suite.bench"), suite).expect("it is written");
    let output = Command::new(env!("CARGO_BIN_EXE_enginecmp"))
        .arg(folder.join("suite.bench"))
        .arg("--work")
        .arg(folder.join("work"))
        .arg("--out")
        .arg(folder.join("out"))
        .output()
        .expect("the binary starts");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn own_transactions_run_on_sqlite_and_rows_are_counted() {
    let folder = tempfile::tempdir().expect("a directory");
    let (code, said) = run(folder.path(), SUITE);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("gaussian 1 to 500"), "{said}");
    let journal = read(&folder.path().join("out")).expect("a journal");
    let dataset = journal.datasets().next().expect("it was loaded");
    assert_eq!((dataset.rows["accounts"], dataset.rows["moves"]), (500, 3));
    let repetitions = journal.repetitions();
    let record = &repetitions[0].record;
    let names: Vec<&str> = record.checks.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(names, ["rows of accounts", "rows of moves"]);
    assert!(record.checks.iter().all(|check| check.violations == 0));
    let types = &record.rounds[0].types;
    assert!(types.iter().all(|kind| kind.committed > 0), "{types:?}");
}

/// A statement that the server refuses fails the repetition in the server's words.
#[test]
fn a_statement_that_cannot_run_is_told_with_its_transaction() {
    let folder = tempfile::tempdir().expect("a directory");
    let suite = SUITE.replace("FROM accounts WHERE", "FROM accuonts WHERE");
    let (code, said) = run(folder.path(), &suite);
    assert_eq!(code, Some(125), "{said}");
    assert!(said.contains("move, statement 1: no such table: accuonts"), "{said}");
    let journal = read(&folder.path().join("out")).expect("a journal");
    let repetitions = journal.repetitions();
    let failure = repetitions[0].record.failure.as_ref().expect("it failed");
    assert_eq!(failure.kind, FailureKind::Sql);
}
