//! One connection to a fake server. It understands just enough SQL to keep tables and count rows.

use super::running::Shared;
use super::script::{Effect, Value};
use super::state::{Loaded, Table};
use crate::host::clock::FakeClock;
use crate::model::Decimal;
use crate::target::session::{
    Access, BulkOutcome, BulkTable, Dialect, Outcome, Param, RowSink, RowSource, RowView, Session,
    SqlError, StatementId, Visit,
};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

pub(super) struct FakeSession {
    client: usize,
    shared: Arc<Shared>,
    clock: Arc<FakeClock>,
    prepared: Vec<String>,
    /// Occurrences so far by fault or timed fragment: (whether a fault, its index).
    seen: HashMap<(bool, usize), u64>,
    in_transaction: bool,
    /// Rows that the open transaction added, by table.
    pending: HashMap<String, i64>,
    /// Variables of this session that differ from the server's.
    variables: HashMap<String, String>,
}

impl FakeSession {
    pub(super) fn new(client: usize, shared: Arc<Shared>, clock: Arc<FakeClock>) -> Self {
        Self {
            client,
            shared,
            clock,
            prepared: Vec::new(),
            seen: HashMap::new(),
            in_transaction: false,
            pending: HashMap::new(),
            variables: HashMap::new(),
        }
    }

    fn count(&mut self, fault: bool, index: usize) -> u64 {
        let count = self.seen.entry((fault, index)).or_insert(0);
        *count += 1;
        *count
    }

    /// Lets the statement's time pass and whatever is scripted happen.
    fn arrive(&mut self, sql: &str, prepared: bool) -> Result<(), SqlError> {
        let script = Arc::clone(&self.shared.script);
        if self.shared.dead().is_some() {
            return Err(error(2006, "Server has gone away"));
        }
        let timed = script.times.iter().enumerate().find(|(_, (part, _))| sql.contains(part));
        if let Some((index, (_, times))) = timed
            && !times.is_empty()
        {
            let turn = (self.count(false, index) - 1) as usize % times.len();
            self.clock.advance(times[turn]);
        } else if prepared {
            self.clock.advance(script.other_time);
        }
        for (index, fault) in script.faults.iter().enumerate() {
            let at_statement = matches!(fault.effect, Effect::Error { .. } | Effect::Death(_));
            if !at_statement
                || !fault.concerns(self.client, self.shared.start)
                || !sql.contains(&fault.fragment)
            {
                continue;
            }
            let count = self.count(true, index);
            if !fault.strikes(count) {
                continue;
            }
            match &fault.effect {
                Effect::Error { errno, message } => {
                    if *errno == 1213 {
                        self.end_transaction(false);
                    }
                    return Err(error(*errno, message));
                }
                Effect::Death(last_words) => {
                    self.shared.die(last_words);
                    self.shared.trace.say(format!("start {} died", self.shared.start));
                    return Err(error(2013, "Lost connection to server during query"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn end_transaction(&mut self, commit: bool) {
        let mut state = self.shared.state.lock().expect("no code panics while it holds the state");
        for (table, rows) in self.pending.drain() {
            if let Some(table) = state.tables.get_mut(&table) {
                let keeps = self
                    .shared
                    .script
                    .without_transactions
                    .iter()
                    .any(|engine| engine.eq_ignore_ascii_case(&table.storage));
                if commit || keeps {
                    table.rows += rows;
                }
            }
        }
        self.in_transaction = false;
    }

    fn add_rows(&mut self, table: &str, rows: i64) {
        *self.pending.entry(table.to_lowercase()).or_insert(0) += rows;
        if !self.in_transaction {
            self.end_transaction(true);
        }
    }

    /// Does what the statement says, and gives its rows.
    fn perform(
        &mut self,
        sql: &str,
        prepared: bool,
    ) -> Result<(Outcome, Vec<Vec<Value>>), SqlError> {
        self.arrive(sql, prepared)?;
        if let Some((_, rows)) = self.shared.script.rows.iter().find(|(part, _)| sql.contains(part))
        {
            return Ok((given(rows.len()), rows.clone()));
        }
        let words: Vec<&str> = sql.split_whitespace().collect();
        let word =
            |at: usize| words.get(at).map_or_else(String::new, |word| word.to_ascii_uppercase());
        let name = |at: usize| {
            words.get(at).map_or_else(String::new, |word| {
                let word = word.split('(').next().unwrap_or_default();
                let word = word.rsplit('.').next().unwrap_or_default();
                word.trim_matches(|c: char| "`;,'\"".contains(c)).to_lowercase()
            })
        };
        match (word(0).as_str(), word(1).as_str()) {
            ("CREATE", "TABLE") => {
                self.create_table(&name(2), sql)?;
                Ok((Outcome::default(), Vec::new()))
            }
            ("INSERT", _) => {
                self.add_rows(&name(2), 1);
                Ok((changed(1), Vec::new()))
            }
            ("DELETE", _) => {
                self.add_rows(&name(2), -1);
                Ok((changed(1), Vec::new()))
            }
            ("UPDATE", _) => Ok((changed(1), Vec::new())),
            ("SET", "GLOBAL") => {
                let (option, value) = assignment(sql, "GLOBAL");
                self.shared.trace.say(format!("set global {option} = {value}"));
                self.shared
                    .globals
                    .lock()
                    .expect("no code panics while it holds this")
                    .insert(option, value);
                Ok((Outcome::default(), Vec::new()))
            }
            ("SET", "SESSION") if sql.contains('=') => {
                let (name, value) = assignment(sql, "SESSION");
                self.shared.trace.say(format!("client {} sets {name} = {value}", self.client));
                self.variables.insert(name, value);
                Ok((Outcome::default(), Vec::new()))
            }
            ("SHOW", "CREATE") => {
                let ddl = self.table(&name(3))?.ddl;
                let row = vec![Value::Text(name(3)), Value::Text(ddl)];
                Ok((given(1), vec![row]))
            }
            ("SHOW", _) if sql.to_ascii_uppercase().contains("VARIABLES") => {
                let mut rows = self.globals_like(sql);
                if word(1) == "SESSION" {
                    let asked = sql.split('\'').nth(1).unwrap_or_default().to_lowercase();
                    if let Some(value) = self.variables.get(&asked) {
                        rows = vec![vec![Value::Text(asked), Value::Text(value.clone())]];
                    }
                }
                Ok((given(rows.len()), rows))
            }
            ("SELECT", _) => self.select(sql),
            _ => Ok((Outcome::default(), Vec::new())),
        }
    }

    fn create_table(&mut self, name: &str, sql: &str) -> Result<(), SqlError> {
        let after = |key: &str| {
            let upper = sql.to_ascii_uppercase();
            let at = upper.rfind(key)? + key.len();
            let rest = sql[at..].trim_start_matches([' ', '=']);
            Some(rest.split(|c: char| c.is_whitespace() || c == ';').next()?.to_string())
        };
        let asked = after("ENGINE").unwrap_or_else(|| "InnoDB".to_string());
        let script = &self.shared.script;
        if !script.engines.iter().any(|engine| engine.eq_ignore_ascii_case(&asked)) {
            return Err(error(1286, &format!("Unknown storage engine '{asked}'")));
        }
        let storage = script.substitutes.get(&asked).cloned().unwrap_or(asked);
        let row_format = after("ROW_FORMAT").unwrap_or_else(|| "Dynamic".to_string());
        let table =
            Table { storage, row_format, ddl: sql.to_string(), rows: 0, loaded: Loaded::default() };
        let mut state = self.shared.state.lock().expect("no code panics while it holds the state");
        state.tables.insert(name.to_string(), table);
        Ok(())
    }

    fn table(&self, name: &str) -> Result<Table, SqlError> {
        let state = self.shared.state.lock().expect("no code panics while it holds the state");
        state
            .tables
            .get(name)
            .cloned()
            .ok_or_else(|| error(1146, &format!("Table '{name}' doesn't exist")))
    }

    fn globals_like(&self, sql: &str) -> Vec<Vec<Value>> {
        let pattern = sql.split('\'').nth(1).map(str::to_lowercase);
        let globals = self.shared.globals.lock().expect("no code panics while it holds this");
        globals
            .iter()
            .filter(|(name, _)| pattern.as_ref().is_none_or(|pattern| pattern == *name))
            .map(|(name, value)| vec![Value::Text(name.clone()), Value::Text(value.clone())])
            .collect()
    }

    fn select(&self, sql: &str) -> Result<(Outcome, Vec<Vec<Value>>), SqlError> {
        let upper = sql.to_ascii_uppercase();
        let list = upper.find(" FROM ").map_or(&upper[6..], |from| &upper[6..from]);
        if upper.contains("INFORMATION_SCHEMA.TABLES") {
            let state = self.shared.state.lock().expect("no code panics while it holds the state");
            let rows: Vec<Vec<Value>> = state
                .tables
                .iter()
                .map(|(name, table)| {
                    list.split(',').map(|column| of_table(column.trim(), name, table)).collect()
                })
                .collect();
            return Ok((given(rows.len()), rows));
        }
        let from = upper.find(" FROM ").map_or("", |from| &sql[from + 6..]);
        let name = from
            .split(|c: char| c.is_whitespace() || c == ';')
            .next()
            .unwrap_or_default()
            .rsplit('.')
            .next()
            .unwrap_or_default()
            .trim_matches('`')
            .to_lowercase();
        if list.contains("COUNT(*)") {
            return Ok((given(1), vec![vec![Value::Int(self.table(&name)?.rows)]]));
        }
        if let Some(rows) = self.table(&name).ok().and_then(|table| table.loaded.columns(list)) {
            return Ok((given(rows.len()), rows));
        }
        if let Some(variable) = list.trim().strip_prefix("@@GLOBAL.") {
            let globals = self.shared.globals.lock().expect("no code panics while it holds this");
            let value = globals.get(&variable.trim_end_matches(';').to_lowercase());
            let value = value.map_or(Value::Null, |value| Value::Text(value.clone()));
            return Ok((given(1), vec![vec![value]]));
        }
        Ok((Outcome::default(), Vec::new()))
    }
}

fn error(errno: u16, message: &str) -> SqlError {
    SqlError {
        class: SqlError::class_of(errno),
        errno,
        sqlstate: if errno == 1213 { "40001" } else { "HY000" }.to_string(),
        ..SqlError::local(message)
    }
}

fn given(rows: usize) -> Outcome {
    Outcome { rows: rows as u64, ..Outcome::default() }
}

fn changed(rows: u64) -> Outcome {
    Outcome { affected: rows, ..Outcome::default() }
}

/// Name and value of `SET GLOBAL name = value`.
fn assignment(sql: &str, scope: &str) -> (String, String) {
    let at = sql.to_ascii_uppercase().find(scope).map_or(0, |at| at + scope.len());
    let (name, value) = sql[at..].split_once('=').unwrap_or((&sql[at..], ""));
    (name.trim().to_lowercase(), value.trim().trim_matches(|c| c == ';' || c == '\'').to_string())
}

/// A column of `information_schema.TABLES`.
fn of_table(column: &str, name: &str, table: &Table) -> Value {
    match column {
        "TABLE_NAME" => Value::Text(name.to_string()),
        "ENGINE" => Value::Text(table.storage.clone()),
        "ROW_FORMAT" => Value::Text(table.row_format.clone()),
        "TABLE_ROWS" => Value::Int(table.rows),
        "DATA_LENGTH" | "INDEX_LENGTH" => Value::Int(table.rows * 16),
        _ => Value::Null,
    }
}

struct Row<'a>(&'a [Value]);

impl RowView for Row<'_> {
    fn columns(&self) -> usize {
        self.0.len()
    }

    fn is_null(&self, column: usize) -> bool {
        self.0.get(column).is_none_or(|value| *value == Value::Null)
    }

    fn int(&self, column: usize) -> Option<i64> {
        match self.0.get(column)? {
            Value::Int(number) => Some(*number),
            Value::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    fn decimal(&self, column: usize, scale: u8) -> Option<Decimal> {
        Decimal::parse(&self.text(column)?, scale)
    }

    fn text(&self, column: usize) -> Option<Cow<'_, [u8]>> {
        match self.0.get(column)? {
            Value::Null => None,
            Value::Int(number) => Some(number.to_string().into_bytes().into()),
            Value::Decimal(number) => Some(number.to_string().into_bytes().into()),
            Value::Text(text) => Some(text.as_bytes().into()),
        }
    }
}

fn visit_all(rows: &[Vec<Value>], visit: &mut Visit<'_>) {
    for row in rows {
        if !visit(&Row(row)) {
            break;
        }
    }
}

/// Takes rows as they come in.
#[derive(Default)]
struct Taking {
    row: Vec<Value>,
    rows: Vec<Vec<Value>>,
    bytes: u64,
}

impl RowSink for Taking {
    fn null(&mut self) {
        self.bytes += 2;
        self.row.push(Value::Null);
    }

    fn int(&mut self, value: i64) {
        self.bytes += 8;
        self.row.push(Value::Int(value));
    }

    fn decimal(&mut self, value: Decimal) {
        self.bytes += 8;
        self.row.push(Value::Decimal(value));
    }

    fn text(&mut self, value: &[u8]) {
        self.bytes += value.len() as u64;
        self.row.push(Value::Text(String::from_utf8_lossy(value).into_owned()));
    }

    fn datetime(&mut self, value: &[u8]) {
        self.text(value);
    }

    fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }
}

impl Session for FakeSession {
    fn dialect(&self) -> Dialect {
        Dialect::MySql
    }

    fn prepare(&mut self, sql: &str) -> Result<StatementId, SqlError> {
        self.prepared.push(sql.to_string());
        Ok(StatementId(self.prepared.len() - 1))
    }

    fn execute(
        &mut self,
        statement: StatementId,
        _params: &[Param<'_>],
    ) -> Result<Outcome, SqlError> {
        let sql = self.prepared[statement.0].clone();
        Ok(self.perform(&sql, true)?.0)
    }

    fn execute_visit(
        &mut self,
        statement: StatementId,
        _params: &[Param<'_>],
        visit: &mut Visit<'_>,
    ) -> Result<Outcome, SqlError> {
        let sql = self.prepared[statement.0].clone();
        let (outcome, rows) = self.perform(&sql, true)?;
        visit_all(&rows, visit);
        Ok(outcome)
    }

    fn text(&mut self, sql: &str) -> Result<Outcome, SqlError> {
        Ok(self.perform(sql, false)?.0)
    }

    fn text_visit(&mut self, sql: &str, visit: &mut Visit<'_>) -> Result<Outcome, SqlError> {
        let (outcome, rows) = self.perform(sql, false)?;
        visit_all(&rows, visit);
        Ok(outcome)
    }

    fn begin(&mut self, _access: Access) -> Result<(), SqlError> {
        self.arrive("BEGIN", false)?;
        self.end_transaction(true);
        self.in_transaction = true;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), SqlError> {
        self.arrive("COMMIT", false)?;
        self.end_transaction(true);
        Ok(())
    }

    fn rollback(&mut self) -> Result<(), SqlError> {
        self.arrive("ROLLBACK", false)?;
        self.end_transaction(false);
        Ok(())
    }

    fn bulk_load(
        &mut self,
        table: &BulkTable<'_>,
        rows: &mut dyn RowSource,
    ) -> Result<BulkOutcome, SqlError> {
        let text = format!("LOAD {}", table.table);
        self.arrive(&text, false)?;
        let mut sink = Taking::default();
        while rows.next_row(&mut sink) {
            self.clock.advance(self.shared.script.time_per_row);
        }
        let sent = sink.rows.len() as u64;
        let mut outcome =
            BulkOutcome { sent, taken: sent, bytes: sink.bytes, ..BulkOutcome::default() };
        let script = Arc::clone(&self.shared.script);
        for (index, fault) in script.faults.iter().enumerate() {
            if !matches!(fault.effect, Effect::LostRows(_) | Effect::Warning(_) | Effect::CutValue)
                || !fault.concerns(self.client, self.shared.start)
                || !text.contains(&fault.fragment)
            {
                continue;
            }
            let count = self.count(true, index);
            if fault.strikes(count) {
                match &fault.effect {
                    Effect::CutValue => {
                        match sink.rows.first_mut().and_then(|row| row.first_mut()) {
                            Some(Value::Int(number)) => *number /= 10,
                            Some(Value::Text(text)) => drop(text.pop()),
                            _ => {}
                        }
                    }
                    Effect::LostRows(lost) => outcome.taken = outcome.taken.saturating_sub(*lost),
                    Effect::Warning(text) => {
                        outcome.warnings += 1;
                        outcome.warning_texts.push(text.clone());
                    }
                    _ => {}
                }
            }
        }
        {
            let mut state =
                self.shared.state.lock().expect("no code panics while it holds the state");
            if let Some(kept) = state.tables.get_mut(&table.table.to_lowercase()) {
                kept.loaded.columns = table.columns.iter().map(ToString::to_string).collect();
                kept.loaded.rows.append(&mut sink.rows);
            }
        }
        self.add_rows(table.table, outcome.taken as i64);
        self.end_transaction(true);
        Ok(outcome)
    }

    fn set_statement_limit(&mut self, _limit: Option<Duration>) -> Result<(), SqlError> {
        Ok(())
    }
}
