//! The database that enginecmp makes on a running server. A table in it says who made it; without
//! that table nothing is dropped.

use super::{Reach, text};
use crate::model::{Failure, FailureKind, Phase};
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
            "CREATE TABLE `{name}`.`{OWNER_TABLE}` (made_by VARCHAR(100) NOT NULL, \
             PRIMARY KEY (made_by))"
        ),
        format!(
            "INSERT INTO `{name}`.`{OWNER_TABLE}` VALUES \
             ('enginecmp made this database and drops it in each repetition')"
        ),
    ] {
        session.text(&sql).map_err(told)?;
    }
    Ok(())
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
