//! Starting, preparing and ending the server of one step.

use super::places::Instance;
use super::pool::{CONTROL, set_up};
use super::watch::sql_failure;
use crate::host::interrupt::Interrupt;
use crate::model::{Failure, FailureKind, Phase, Place};
use crate::plan::Cell;
use crate::target::session::{Dialect, Session};
use crate::target::{OptionLine, Running, StartSpec, StopReport, Target};
use std::time::Duration;

/// How long a server may take until it answers. Data directories were shut down cleanly, so there
/// is nothing to recover.
const READY_WITHIN: Duration = Duration::from_secs(300);

/// How long a server may take to stop; a large cache of dirty pages takes its time.
const STOP_WITHIN: Duration = Duration::from_secs(1800);

/// Starts a server on the data of an instance.
pub(super) fn start(
    target: &dyn Target,
    instance: &Instance,
    options: Vec<OptionLine>,
    storage: &str,
    interrupt: &Interrupt,
) -> Result<Box<dyn Running>, Failure> {
    target.start(&StartSpec {
        data_dir: instance.data_dir(),
        options,
        engines: vec![storage.to_string()],
        ready_within: READY_WITHIN,
        stop_within: STOP_WITHIN,
        interrupt: interrupt.clone(),
    })
}

/// Ends a server whose data nobody needs any more: at once, and whatever it says.
pub(super) fn abandon(running: Box<dyn Running>) {
    running.kill();
    // Its failure to stop is a consequence of what was reported already.
    let _ = running.stop();
}

/// Stops a server cleanly. One that had to be killed is a failure with its last log lines.
pub(super) fn stop(running: Box<dyn Running>) -> Result<StopReport, Failure> {
    let report = running.stop()?;
    if report.killed {
        return Err(Failure::new(
            Phase::Stop,
            FailureKind::Timeout,
            format!(
                "the server did not stop within {:.0} s and was killed",
                report.elapsed.as_secs_f64()
            ),
        )
        .log_tail(report.log_tail));
    }
    Ok(report)
}

/// The connection of enginecmp itself.
pub(super) fn control(
    running: &dyn Running,
    interrupt: &Interrupt,
    phase: Phase,
) -> Result<Box<dyn Session>, Failure> {
    running
        .connect(CONTROL)
        .map_err(|error| sql_failure(phase, running, interrupt, "connecting", &error))
}

/// What every fresh session is told first, whoever uses it.
pub(super) fn use_database(dialect: Dialect, database: &str) -> Vec<String> {
    match dialect {
        Dialect::MySql => vec![format!("USE `{database}`")],
        Dialect::Sqlite => Vec::new(),
    }
}

/// What every client's session is told first: database, isolation, the cell's session settings.
pub(super) fn session_setup(dialect: Dialect, database: &str, cell: &Cell) -> Vec<String> {
    let mut statements = use_database(dialect, database);
    if dialect == Dialect::MySql {
        statements.push(format!("SET SESSION TRANSACTION ISOLATION LEVEL {}", cell.isolation));
        statements.extend(cell.set_session.iter().map(|line| assignment("SESSION", line)));
    }
    statements
}

fn assignment(scope: &str, line: &OptionLine) -> String {
    format!("SET {scope} {} = {}", line.name, literal(line.value.as_deref().unwrap_or("ON")))
}

/// A value as SQL takes it: numbers (sizes in bytes) and words bare, anything else quoted.
fn literal(value: &str) -> String {
    if let Some(bytes) = size(value) {
        return bytes.to_string();
    }
    let bare = value.parse::<f64>().is_ok()
        || ["ON", "OFF", "TRUE", "FALSE", "DEFAULT"]
            .iter()
            .any(|word| word.eq_ignore_ascii_case(value));
    if bare {
        value.to_string()
    } else {
        format!("'{}'", value.replace('\\', "\\\\").replace('\'', "''"))
    }
}

/// `256M` in bytes: option files take it, SQL does not.
fn size(value: &str) -> Option<u64> {
    let (digits, unit) = value.split_at_checked(value.len().checked_sub(1)?)?;
    let shift = match unit.to_ascii_uppercase().as_str() {
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// Sets the cell's global variables on the running server and reads each back.
pub(super) fn set_globals(
    running: &dyn Running,
    control: &mut dyn Session,
    lines: &[OptionLine],
    interrupt: &Interrupt,
) -> Result<Vec<(String, String)>, Failure> {
    let mut taken = Vec::new();
    for line in lines {
        let statement = assignment("GLOBAL", line);
        control.text(&statement).map_err(|error| {
            let doing = format!("`{statement}`");
            let failure = sql_failure(Phase::Start, running, interrupt, &doing, &error);
            asked_at(failure, line.place.as_ref())
        })?;
        taken.push(read_back(running, control, "GLOBAL", line, interrupt)?);
    }
    Ok(taken)
}

/// Tells `control` what every client's session is told, and reads the cell's session variables
/// back from it: servers cut a value that is out of range with a mere warning.
pub(super) fn set_session(
    running: &dyn Running,
    control: &mut dyn Session,
    setup: &[String],
    lines: &[OptionLine],
    interrupt: &Interrupt,
) -> Result<Vec<(String, String)>, Failure> {
    set_up(control, setup).map_err(|(statement, error)| {
        let doing = format!("`{statement}`");
        let failure = sql_failure(Phase::Start, running, interrupt, &doing, &error);
        let asked = lines.iter().find(|line| assignment("SESSION", line) == statement);
        asked_at(failure, asked.and_then(|line| line.place.as_ref()))
    })?;
    match control.dialect() {
        Dialect::MySql => lines
            .iter()
            .map(|line| read_back(running, control, "SESSION", line, interrupt))
            .collect(),
        Dialect::Sqlite => Ok(Vec::new()),
    }
}

/// The variable of `line` as the server has it; a failure where that is not what was asked.
fn read_back(
    running: &dyn Running,
    control: &mut dyn Session,
    scope: &str,
    line: &OptionLine,
    interrupt: &Interrupt,
) -> Result<(String, String), Failure> {
    let query = format!("SHOW {scope} VARIABLES LIKE '{}'", line.name);
    let mut actual = None;
    control
        .text_visit(&query, &mut |row| {
            actual = row.text(1).map(|text| String::from_utf8_lossy(&text).into_owned());
            true
        })
        .map_err(|error| {
            let doing = format!("`{query}`");
            let failure = sql_failure(Phase::Start, running, interrupt, &doing, &error);
            asked_at(failure, line.place.as_ref())
        })?;
    let asked = line.value.as_deref().unwrap_or("ON");
    let actual = actual.unwrap_or_default();
    if alike(asked, &actual) {
        return Ok((line.name.to_lowercase(), actual));
    }
    let failure = Failure::new(
        Phase::Start,
        FailureKind::OptionNotTaken,
        format!("{}: asked {asked}, runs {actual}", line.name),
    );
    Err(asked_at(failure, line.place.as_ref()))
}

/// Whether a variable's value is what was asked for, however either is written.
fn alike(asked: &str, actual: &str) -> bool {
    let plain = |value: &str| {
        let value = value.trim().trim_matches(['\'', '"']).to_lowercase();
        match value.as_str() {
            "on" | "true" | "yes" => "1".to_string(),
            "off" | "false" | "no" => "0".to_string(),
            other => size(other).map_or_else(|| other.to_string(), |bytes| bytes.to_string()),
        }
    };
    let (asked, actual) = (plain(asked), plain(actual));
    asked == actual
        || matches!((asked.parse::<f64>(), actual.parse::<f64>()), (Ok(a), Ok(b)) if a == b)
}

/// The failure with the suite line that asked, unless it has one.
pub(super) fn asked_at(mut failure: Failure, place: Option<&Place>) -> Failure {
    if failure.place.is_none() {
        failure.place = place.cloned();
    }
    failure
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_sql_takes_them() {
        for (value, sql) in [
            ("1", "1"),
            ("0.5", "0.5"),
            ("on", "on"),
            ("256M", "268435456"),
            ("ROW", "'ROW'"),
            ("it's", "'it''s'"),
        ] {
            assert_eq!(literal(value), sql);
        }
    }

    #[test]
    fn values_are_alike_however_they_are_written() {
        for (asked, actual) in
            [("1", "ON"), ("off", "OFF"), ("256M", "268435456"), ("0.50", "0.5"), ("row", "ROW")]
        {
            assert!(alike(asked, actual), "{asked} {actual}");
        }
        assert!(!alike("8", "1"));
        assert!(!alike("2", "ON"));
    }
}
