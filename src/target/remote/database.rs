//! The database that enginecmp makes on a running server. A table in it says who made it; without
//! that table nothing is dropped.

use super::{Reach, text};
use crate::model::{Failure, FailureKind, Phase};
use crate::target::HeldDataset;
use crate::target::session::{Session, SqlError};

/// The table by which a database is known as made by enginecmp.
pub const OWNER_TABLE: &str = "enginecmp_owner";

/// What stands in a database's way.
enum State {
    Absent,
    Ours,
    Foreign { tables: u64 },
}

/// Drops the database if enginecmp made it (or `--overwrite` names it) and makes it again.
pub(super) fn make_empty(reach: &Reach) -> Result<(), Failure> {
    let name = &reach.dsn.database;
    let told = |error: SqlError| reach.failed(Phase::Initialise, &error);
    let mut session = reach.connect(None).map_err(told)?;
    match state(&mut session, name).map_err(told)? {
        State::Foreign { tables } if reach.overwrite.as_deref() != Some(name.as_str()) => {
            return Err(Failure::new(
                Phase::Initialise,
                FailureKind::ServerMissing,
                format!(
                    "{}: enginecmp did not make the database `{name}` ({tables} tables), so it \
                     does not drop it",
                    reach.dsn
                ),
            )
            .next_step(format!(
                "Name another database in the DSN; enginecmp makes it. To lose everything in \
                 `{name}`, say `--overwrite {name}`."
            )));
        }
        State::Absent | State::Ours | State::Foreign { .. } => {}
    }
    // The name is of letters, digits, `_`, `$` and `-`: see `Dsn::parse`.
    for sql in [
        format!("DROP DATABASE IF EXISTS `{name}`"),
        format!("CREATE DATABASE `{name}`"),
        format!(
            "CREATE TABLE `{name}`.`{OWNER_TABLE}` (what VARCHAR(20) NOT NULL, value TEXT NOT NULL, \
             PRIMARY KEY (what))"
        ),
        format!(
            "INSERT INTO `{name}`.`{OWNER_TABLE}` VALUES \
             ('made_by', 'enginecmp made this database and drops it when it loads again')"
        ),
    ] {
        session.text(&sql).map_err(told)?;
    }
    Ok(())
}

/// The row of the owner's table that tells what was loaded.
const DATASET: &str = "dataset";

/// Writes down what the database holds. The row is written when the load is whole, and goes with
/// the database when it is dropped.
pub(super) fn hold(reach: &Reach, dataset: &HeldDataset) -> Result<(), Failure> {
    let told = |error: SqlError| reach.failed(Phase::Load, &error);
    let text =
        serde_json::to_string(dataset).map_err(|error| told(SqlError::local(error.to_string())))?;
    let quoted = text.replace('\\', "\\\\").replace('\'', "''");
    let name = &reach.dsn.database;
    let mut session = reach.connect(None).map_err(told)?;
    session
        .text(&format!("REPLACE INTO `{name}`.`{OWNER_TABLE}` VALUES ('{DATASET}', '{quoted}')"))
        .map_err(told)?;
    Ok(())
}

/// What the database holds; none when no whole load says so.
pub(super) fn held(reach: &Reach) -> Result<Option<HeldDataset>, Failure> {
    let name = &reach.dsn.database;
    let told = |error: SqlError| reach.failed(Phase::Load, &error);
    let mut session = reach.connect(None).map_err(told)?;
    if !matches!(state(&mut session, name).map_err(told)?, State::Ours) {
        return Ok(None);
    }
    let mut written = None;
    session
        .text_visit(
            &format!("SELECT value FROM `{name}`.`{OWNER_TABLE}` WHERE what = '{DATASET}'"),
            &mut |row| {
                written = Some(text(row, 0));
                true
            },
        )
        .map_err(told)?;
    // A row that cannot be read is of another release: nothing is known then.
    Ok(written.and_then(|written| serde_json::from_slice(written.as_bytes()).ok()))
}

fn state(session: &mut dyn Session, name: &str) -> Result<State, SqlError> {
    let mut exists = false;
    // SHOW DATABASES LIKE would take `_` for any character.
    session.text_visit("SHOW DATABASES", &mut |row| {
        exists |= text(row, 0).eq_ignore_ascii_case(name);
        true
    })?;
    if !exists {
        return Ok(State::Absent);
    }
    let (mut tables, mut ours) = (0, false);
    session.text_visit(&format!("SHOW TABLES IN `{name}`"), &mut |row| {
        tables += 1;
        ours |= text(row, 0) == OWNER_TABLE;
        true
    })?;
    Ok(if ours { State::Ours } else { State::Foreign { tables } })
}
