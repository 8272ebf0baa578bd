//! The plans of a workload's statements, by EXPLAIN after the measured phases: which statements one
//! client prepared, with the parameters of their first execution, and what the server says of them.

use crate::model::Decimal;
use crate::target::session::{
    Access, BulkOutcome, BulkTable, Dialect, Outcome, Param, RowSource, RowView, Session, SqlError,
    StatementId, Visit,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A parameter that outlives its execution.
#[derive(Clone, Debug)]
enum Kept {
    Null,
    Int(i64),
    Decimal(Decimal),
    Float(Decimal),
    Text(String),
    Bytes(Vec<u8>),
    DateTime(String),
    Double(f64),
}

impl Kept {
    fn of(param: &Param<'_>) -> Self {
        match param {
            Param::Null => Self::Null,
            Param::Int(value) => Self::Int(*value),
            Param::Decimal(value) => Self::Decimal(*value),
            Param::Float(value) => Self::Float(*value),
            Param::Text(text) => Self::Text((*text).to_string()),
            Param::Bytes(bytes) => Self::Bytes(bytes.to_vec()),
            Param::DateTime(text) => Self::DateTime((*text).to_string()),
            Param::Double(value) => Self::Double(*value),
        }
    }

    fn param(&self) -> Param<'_> {
        match self {
            Self::Null => Param::Null,
            Self::Int(value) => Param::Int(*value),
            Self::Decimal(value) => Param::Decimal(*value),
            Self::Float(value) => Param::Float(*value),
            Self::Text(text) => Param::Text(text),
            Self::Bytes(bytes) => Param::Bytes(bytes),
            Self::DateTime(text) => Param::DateTime(text),
            Self::Double(value) => Param::Double(*value),
        }
    }
}

/// Statements that were executed, each with the parameters of its first execution.
#[derive(Clone, Debug, Default)]
pub(super) struct Executed(Arc<Mutex<BTreeMap<String, Vec<Kept>>>>);

impl Executed {
    /// A session that notes what is executed on it.
    pub(super) fn noting(&self, session: Box<dyn Session>) -> Box<dyn Session> {
        Box::new(Noting { session, waiting: HashMap::new(), seen: self.clone() })
    }

    /// What the server plans for each statement that it can explain, by its text.
    pub(super) fn explained(&self, session: &mut dyn Session) -> BTreeMap<String, String> {
        let statements = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        statements
            .into_iter()
            .filter_map(|(sql, params)| {
                // Releases differ in what they explain; what one does not is left out.
                let plan = explain(session, &sql, &params).ok()?;
                (!plan.is_empty()).then_some((sql, plan))
            })
            .collect()
    }
}

/// Whether the family's servers explain such a statement (those of 5.5 only SELECT).
fn can_be_explained(sql: &str) -> bool {
    let first = sql.split_whitespace().next().unwrap_or_default();
    ["SELECT", "UPDATE", "DELETE"].iter().any(|word| first.eq_ignore_ascii_case(word))
}

/// The plan as one line: `district const PRIMARY, customer ref idx_customer`.
fn explain(session: &mut dyn Session, sql: &str, params: &[Kept]) -> Result<String, SqlError> {
    let params: Vec<Param<'_>> = params.iter().map(Kept::param).collect();
    let dialect = session.dialect();
    let statement = match dialect {
        // Releases of MySQL 9 draw a tree unless they are asked for the table; those before 5.6
        // know nothing but the table, and no word for it.
        Dialect::MySql => session
            .prepare(&format!("EXPLAIN FORMAT=TRADITIONAL {sql}"))
            .or_else(|_| session.prepare(&format!("EXPLAIN {sql}"))),
        Dialect::Sqlite => session.prepare(&format!("EXPLAIN QUERY PLAN {sql}")),
    }?;
    let mut steps = Vec::new();
    session.execute_visit(statement, &params, &mut |row| {
        steps.push(match dialect {
            Dialect::MySql => of_mysql(row),
            Dialect::Sqlite => text(row, 3),
        });
        true
    })?;
    Ok(steps.join(", "))
}

/// Table, access type and key. Since 5.7 the partitions stand between table and type.
fn of_mysql(row: &dyn RowView) -> String {
    let shift = usize::from(row.columns() >= 12);
    let parts = [text(row, 2), text(row, 3 + shift), text(row, 5 + shift)];
    let parts: Vec<&str> =
        parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}

fn text(row: &dyn RowView, column: usize) -> String {
    row.text(column).map(|text| String::from_utf8_lossy(&text).into_owned()).unwrap_or_default()
}

/// A session that notes what is executed on it. After the first execution of each statement it
/// costs a look into an empty map.
struct Noting {
    session: Box<dyn Session>,
    /// Prepared, and not executed yet.
    waiting: HashMap<StatementId, String>,
    seen: Executed,
}

impl Noting {
    fn note(&mut self, statement: StatementId, params: &[Param<'_>]) {
        if self.waiting.is_empty() {
            return;
        }
        if let Some(sql) = self.waiting.remove(&statement) {
            let kept = params.iter().map(Kept::of).collect();
            self.seen.0.lock().unwrap_or_else(PoisonError::into_inner).entry(sql).or_insert(kept);
        }
    }
}

impl Session for Noting {
    fn dialect(&self) -> Dialect {
        self.session.dialect()
    }

    fn prepare(&mut self, sql: &str) -> Result<StatementId, SqlError> {
        let statement = self.session.prepare(sql)?;
        if can_be_explained(sql) {
            self.waiting.insert(statement, sql.to_string());
        }
        Ok(statement)
    }

    fn execute(
        &mut self,
        statement: StatementId,
        params: &[Param<'_>],
    ) -> Result<Outcome, SqlError> {
        self.note(statement, params);
        self.session.execute(statement, params)
    }

    fn execute_visit(
        &mut self,
        statement: StatementId,
        params: &[Param<'_>],
        visit: &mut Visit<'_>,
    ) -> Result<Outcome, SqlError> {
        self.note(statement, params);
        self.session.execute_visit(statement, params, visit)
    }

    fn execute_first(
        &mut self,
        statement: StatementId,
        params: &[Param<'_>],
        visit: &mut dyn FnMut(&dyn RowView),
    ) -> Result<bool, SqlError> {
        self.note(statement, params);
        self.session.execute_first(statement, params, visit)
    }

    fn text(&mut self, sql: &str) -> Result<Outcome, SqlError> {
        self.session.text(sql)
    }

    fn text_visit(&mut self, sql: &str, visit: &mut Visit<'_>) -> Result<Outcome, SqlError> {
        self.session.text_visit(sql, visit)
    }

    fn begin(&mut self, access: Access) -> Result<(), SqlError> {
        self.session.begin(access)
    }

    fn commit(&mut self) -> Result<(), SqlError> {
        self.session.commit()
    }

    fn rollback(&mut self) -> Result<(), SqlError> {
        self.session.rollback()
    }

    fn bulk_load(
        &mut self,
        table: &BulkTable<'_>,
        rows: &mut dyn RowSource,
    ) -> Result<BulkOutcome, SqlError> {
        self.session.bulk_load(table, rows)
    }

    fn set_statement_limit(&mut self, limit: Option<Duration>) -> Result<(), SqlError> {
        self.session.set_statement_limit(limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_reads_or_changes_rows_by_a_plan_is_explained() {
        assert!(can_be_explained(" select 1"));
        assert!(can_be_explained("UPDATE t SET a=1"));
        assert!(!can_be_explained("INSERT INTO t VALUES (1)"));
        assert!(!can_be_explained(""));
    }
}
