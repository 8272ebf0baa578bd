//! Rows that come in by scripts of the user's, statement after statement.

use super::super::watch::{interrupted, sql_failure};
use super::LoadSpec;
use crate::model::{Failure, FailureKind, Phase};
use crate::target::session::Session;
use crate::workload::sql::{Script, Step};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Rows in one transaction, about: engines hold a lock or an undo record for each.
const ROWS: u64 = 10_000;

/// What scripts brought in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::run) struct ScriptRows {
    /// By table, how many rows it has by what its statements said; none where they did not say.
    pub(in crate::run) tables: BTreeMap<String, Option<i64>>,
    /// How long it took.
    pub(in crate::run) elapsed: Duration,
    /// Scripts that were run.
    pub(in crate::run) scripts: usize,
}

impl ScriptRows {
    /// Rows that came in.
    pub(in crate::run) fn rows(&self) -> u64 {
        self.tables.values().flatten().map(|rows| u64::try_from(*rows).unwrap_or(0)).sum()
    }
}

/// Runs the scripts of the workload on one session.
pub(in crate::run) fn run_scripts(
    spec: &LoadSpec<'_>,
    control: &mut dyn Session,
) -> Result<ScriptRows, Failure> {
    let clock = spec.running.clock(super::super::pool::CONTROL);
    let began = clock.now();
    let mut found = ScriptRows::default();
    for path in spec.dataset.workload.scripts() {
        run(spec, control, &path, &mut found)?;
        found.scripts += 1;
    }
    found.elapsed = clock.now().saturating_sub(began);
    Ok(found)
}

fn run(
    spec: &LoadSpec<'_>,
    control: &mut dyn Session,
    path: &Path,
    found: &mut ScriptRows,
) -> Result<(), Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let wrong = |kind: FailureKind, text: String| Failure::new(Phase::Load, kind, text);
    let mut script =
        Script::open(path).map_err(|why| wrong(FailureKind::Io, format!("{name}: {why}")))?;
    let failed =
        |doing: &str, error| sql_failure(Phase::Load, spec.running, spec.interrupt, doing, &error);
    let mut open = 0;
    control.text("BEGIN").map_err(|error| failed(&name, error))?;
    while let Some((line, step)) =
        script.step().map_err(|why| wrong(FailureKind::Tool, format!("{name}: {why}")))?
    {
        if spec.interrupt.is_raised() {
            return Err(interrupted(Phase::Load));
        }
        let (text, counted) = match step {
            Step::PassedOver => continue,
            Step::Send(text) => (text, None),
            Step::Rows { text, table, sign } => (text, Some((table, sign))),
        };
        let outcome =
            control.text(&text).map_err(|error| failed(&format!("{name}:{line}"), error))?;
        if outcome.warnings > 0 {
            return Err(wrong(
                FailureKind::Check,
                format!("{name}:{line}: {} warnings", outcome.warnings),
            )
            .next_step(
                "the rows do not fit the table as it was made; compare its DDL with theirs",
            ));
        }
        if let Some((table, sign)) = counted {
            let rows = i64::try_from(outcome.affected).unwrap_or(i64::MAX);
            let sum = found.tables.entry(table.to_lowercase()).or_insert(Some(0));
            *sum = sum.filter(|_| sign != 0).map(|sum| sum + sign * rows);
        }
        open += outcome.affected.max(1);
        if open >= ROWS {
            open = 0;
            control.text("COMMIT").map_err(|error| failed(&name, error))?;
            control.text("BEGIN").map_err(|error| failed(&name, error))?;
        }
    }
    control.text("COMMIT").map(drop).map_err(|error| failed(&name, error))
}
