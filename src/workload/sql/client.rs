//! Clients: each draws a transaction by weight and its parameters, and attempts it.

use super::Definition;
use super::draw::{Drawn, Source, Value};
use super::statement::{Slot, Statement, Transaction};
use super::text::Effect;
use crate::target::session::{Access, Param, Session, SqlError, StatementId};
use crate::workload::random::Stream;
use crate::workload::{Client, ClientFactory, TransactionEnd};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Most values that are read of a column; a larger one wants a range.
const MOST_VALUES: usize = 1_000_000;

/// What all clients of a repetition share.
pub(super) struct Shared {
    pub(super) definition: Arc<Definition>,
    sources: Vec<Source>,
    /// Values of columns, by draw, once they were read.
    columns: Mutex<BTreeMap<usize, Arc<Vec<Value>>>>,
    /// By countable table, how many rows committed transactions added.
    pub(super) growth: Vec<AtomicI64>,
}

impl Shared {
    pub(super) fn new(definition: Arc<Definition>) -> Self {
        Self {
            sources: definition.draws.iter().map(|(_, drawn)| Source::new(drawn)).collect(),
            growth: definition.countable.iter().map(|_| AtomicI64::new(0)).collect(),
            columns: Mutex::default(),
            definition,
        }
    }

    fn begin(&self) {
        self.sources.iter().for_each(Source::restart);
        self.growth.iter().for_each(|growth| growth.store(0, Ordering::Relaxed));
        self.columns.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The sources, columns read by whoever comes first.
    fn sources(&self, session: &mut dyn Session) -> Result<Vec<Source>, SqlError> {
        let mut columns = self.columns.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sources = Vec::with_capacity(self.sources.len());
        for (at, source) in self.sources.iter().enumerate() {
            let Drawn::Column(_, table, column) = &self.definition.draws[at].1 else {
                sources.push(source.clone());
                continue;
            };
            let values = if let Some(values) = columns.get(&at) {
                Arc::clone(values)
            } else {
                let values = Arc::new(values_of(session, table, column)?);
                columns.insert(at, Arc::clone(&values));
                values
            };
            sources.push(source.over(values));
        }
        Ok(sources)
    }
}

/// The values of a column in their order: the same on every engine.
fn values_of(session: &mut dyn Session, table: &str, column: &str) -> Result<Vec<Value>, SqlError> {
    let query = format!(
        "SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY {column} \
         LIMIT {}",
        MOST_VALUES + 1
    );
    let mut values = Vec::new();
    session.text_visit(&query, &mut |row| {
        values.extend(row.text(0).map(|text| Value::Text(text.into_owned())));
        true
    })?;
    match values.len() {
        0 => Err(SqlError::local(format!("{table}.{column} holds no value to draw from"))),
        more if more > MOST_VALUES => Err(SqlError::local(format!(
            "{table}.{column} holds more than {MOST_VALUES} values; draw from a range instead"
        ))),
        _ => Ok(values),
    }
}

/// Makes clients.
pub(super) struct Factory {
    pub(super) shared: Arc<Shared>,
}

impl ClientFactory for Factory {
    fn client(&self, client: usize, _clients: usize, seed: u64) -> Box<dyn Client> {
        let definition = &self.shared.definition;
        Box::new(SqlClient {
            stream: Stream::new(seed, "sql", &[client as u64]),
            drawn: 0,
            values: vec![Value::Null; definition.draws.len()],
            sources: self.shared.sources.clone(),
            prepared: Vec::new(),
            shared: Arc::clone(&self.shared),
        })
    }

    fn begin_repetition(&self, _seed: u64) {
        self.shared.begin();
    }
}

struct SqlClient {
    shared: Arc<Shared>,
    stream: Stream,
    drawn: usize,
    /// By draw, the value of the transaction drawn last.
    values: Vec<Value>,
    sources: Vec<Source>,
    prepared: Vec<Vec<StatementId>>,
}

impl Client for SqlClient {
    fn prepare(&mut self, session: &mut dyn Session) -> Result<(), SqlError> {
        let dialect = session.dialect();
        let shared = Arc::clone(&self.shared);
        self.sources = shared.sources(session)?;
        self.prepared.clear();
        for (name, transaction) in shared.definition.transactions() {
            let mut ids = Vec::with_capacity(transaction.statements.len());
            for (number, statement) in transaction.statements.iter().enumerate() {
                let id = session.prepare(&statement.text_for(dialect)).map_err(|error| {
                    let message = format!("{name}, statement {}: {}", number + 1, error.message);
                    SqlError { message, ..error }
                })?;
                ids.push(id);
            }
            self.prepared.push(ids);
        }
        Ok(())
    }

    fn draw(&mut self) -> usize {
        let definition = &self.shared.definition;
        let mut at = self.stream.below(definition.total_weight);
        self.drawn = definition
            .transactions
            .iter()
            .position(|one| {
                let here = at < one.weight;
                at = at.saturating_sub(one.weight);
                here
            })
            .unwrap_or_default();
        for &draw in &definition.transactions[self.drawn].draws {
            self.values[draw] = self.sources[draw].draw(&mut self.stream);
        }
        self.drawn
    }

    fn attempt(&mut self, session: &mut dyn Session) -> Result<TransactionEnd, SqlError> {
        let one = &self.shared.definition.transactions[self.drawn];
        let Some(ids) = self.prepared.get(self.drawn) else {
            return Err(SqlError::local("the connection was not prepared for the transactions"));
        };
        let transaction = &one.transaction;
        // One statement is a transaction by itself.
        let several = transaction.statements.len() > 1;
        if several {
            let reads = transaction.statements.iter().all(|statement| statement.reads);
            session.begin(if reads { Access::ReadOnly } else { Access::ReadWrite })?;
        }
        let grown =
            statements(session, transaction, ids, &self.values).map_err(|(at, error)| {
                let message = format!("statement {}: {}", at + 1, error.message);
                SqlError { message, ..error }
            })?;
        if several {
            session.commit()?;
        }
        for (statement, rows) in grown {
            if let Some(table) = one.counts[statement] {
                self.shared.growth[table].fetch_add(rows, Ordering::Relaxed);
            }
        }
        Ok(TransactionEnd::Committed)
    }
}

/// Rows that statements added, by the statement's number.
type Grown = Vec<(usize, i64)>;

fn statements(
    session: &mut dyn Session,
    transaction: &Transaction,
    ids: &[StatementId],
    drawn: &[Value],
) -> Result<Grown, (usize, SqlError)> {
    let mut variables = vec![Value::Null; transaction.variables];
    let mut grown = Vec::new();
    for (at, (statement, &id)) in transaction.statements.iter().zip(ids).enumerate() {
        let affected = one(session, statement, id, drawn, &mut variables);
        let affected = i64::try_from(affected.map_err(|error| (at, error))?).unwrap_or(i64::MAX);
        match statement.effect {
            Effect::Adds(_) => grown.push((at, affected)),
            Effect::Removes(_) => grown.push((at, -affected)),
            _ => {}
        }
    }
    Ok(grown)
}

/// Executes a statement and takes its first row where it asks for it; gives the affected rows.
fn one(
    session: &mut dyn Session,
    statement: &Statement,
    id: StatementId,
    drawn: &[Value],
    variables: &mut [Value],
) -> Result<u64, SqlError> {
    let mut taken: Option<Vec<Value>> = None;
    let outcome = {
        let params: Vec<Param<'_>> = statement
            .slots
            .iter()
            .map(|slot| match slot {
                Slot::Draw(at) => drawn[*at].param(),
                Slot::Variable(at) => variables[*at].param(),
            })
            .collect();
        if statement.into.is_empty() {
            session.execute(id, &params)?
        } else {
            session.execute_visit(id, &params, &mut |row| {
                if taken.is_none() {
                    let columns = 0..row.columns();
                    let value = |column| row.text(column).map(Cow::into_owned);
                    taken = Some(
                        columns
                            .map(|column| value(column).map_or(Value::Null, Value::Text))
                            .collect(),
                    );
                }
                true
            })?
        }
    };
    if !statement.into.is_empty() {
        // No row leaves NULL, as an outer join would.
        let values = taken.unwrap_or_else(|| vec![Value::Null; statement.into.len()]);
        if values.len() != statement.into.len() {
            return Err(SqlError::local(format!(
                "it gives {} columns, and INTO names {} variables",
                values.len(),
                statement.into.len()
            )));
        }
        for (&variable, value) in statement.into.iter().zip(values) {
            variables[variable] = value;
        }
    }
    Ok(outcome.affected)
}
