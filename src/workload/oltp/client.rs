//! One client: draws a transaction and sends its statements, prepared or as text.

use super::settings::{Settings, Test};
use super::statements::{Query, Step};
use super::transaction::Drawer;
use crate::target::session::{Access, Dialect, ErrorClass, Param, Session, SqlError, StatementId};
use crate::workload::random::Stream;
use crate::workload::{Client, ClientFactory, TransactionEnd};
use std::fmt::Write as _;

/// A row with this key is there already (the MySQL family).
const DUPLICATE_KEY: u16 = 1062;
/// The server cannot prepare this statement (the MySQL family).
const NOT_PREPARED: u16 = 1295;

/// Makes clients.
pub(super) struct Factory {
    pub(super) settings: Settings,
}

impl ClientFactory for Factory {
    fn client(&self, client: usize, clients: usize, seed: u64) -> Box<dyn Client> {
        let settings = self.settings.clone();
        if settings.test == Test::BulkInsert {
            return Box::new(Bulk::new(&settings, client, clients));
        }
        let stream = Stream::new(seed, "oltp client", &[client as u64]);
        Box::new(Oltp {
            drawer: Drawer::new(&settings, client, clients, stream),
            tables: (1..=settings.tables).map(|number| settings.table(number)).collect(),
            steps: Vec::new(),
            prepared: Prepared::default(),
            settings,
        })
    }

    fn begin_repetition(&self, _seed: u64) {}
}

struct Oltp {
    settings: Settings,
    drawer: Drawer,
    /// Names, in order.
    tables: Vec<String>,
    steps: Vec<Step>,
    prepared: Prepared,
}

/// Statements of the connection in use.
#[derive(Default)]
struct Prepared {
    /// None where the server does not prepare it, or it is not used.
    begin: Option<StatementId>,
    commit: Option<StatementId>,
    /// By table.
    queries: Vec<[Option<StatementId>; Query::COUNT]>,
}

impl Oltp {
    /// Prepares a statement that some releases take as text alone.
    fn control(session: &mut dyn Session, sql: &str) -> Result<Option<StatementId>, SqlError> {
        match session.prepare(sql) {
            Ok(statement) => Ok(Some(statement)),
            Err(error) if error.errno == NOT_PREPARED => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn begin(&self, session: &mut dyn Session) -> Result<(), SqlError> {
        if session.dialect() == Dialect::Sqlite {
            let reads = self.settings.requests().writes == 0;
            let access = if reads { Access::ReadOnly } else { Access::ReadWrite };
            return session.begin(access);
        }
        match self.prepared.begin {
            Some(statement) => session.execute(statement, &[]).map(drop),
            None => session.text("BEGIN").map(drop),
        }
    }

    fn commit(&self, session: &mut dyn Session) -> Result<(), SqlError> {
        match self.prepared.commit {
            Some(statement) => session.execute(statement, &[]).map(drop),
            None => session.commit(),
        }
    }

    fn send(&self, session: &mut dyn Session, step: &Step) -> Result<u64, SqlError> {
        if self.settings.as_text() {
            let table = &self.tables[step.table as usize - 1];
            // SQLite numbers a row whose id is NULL, the MySQL family one whose id is 0 as well.
            let text = match (step.query, step.id, session.dialect()) {
                (Query::Insert, None, Dialect::MySql) => {
                    Step { id: Some(0), ..step.clone() }.text(table)
                }
                _ => step.text(table),
            };
            return session.text(&text).map(|outcome| outcome.rows);
        }
        let statement = self
            .prepared
            .queries
            .get(step.table as usize - 1)
            .and_then(|queries| queries[step.query as usize])
            .ok_or_else(|| SqlError::local("the connection was not prepared for this workload"))?;
        let mut params: Vec<Param<'_>> = Vec::with_capacity(4);
        step.params(&mut params);
        session.execute(statement, &params).map(|outcome| outcome.rows)
    }
}

/// Without transactions two clients can put the same row back: what the later one meets is no
/// fault of the data, and its transaction is tried again. With them it cannot come up.
fn collided(mut error: SqlError) -> SqlError {
    if error.errno == DUPLICATE_KEY {
        error.class = ErrorClass::Deadlock;
    }
    error
}

impl Client for Oltp {
    fn prepare(&mut self, session: &mut dyn Session) -> Result<(), SqlError> {
        self.prepared = Prepared::default();
        if self.settings.as_text() {
            return Ok(());
        }
        if self.settings.in_transaction() && session.dialect() == Dialect::MySql {
            self.prepared.begin = Self::control(session, "BEGIN")?;
            self.prepared.commit = Self::control(session, "COMMIT")?;
        }
        let values = match self.settings.test {
            Test::RandomRanges => self.settings.number_of_ranges,
            _ => self.settings.random_points,
        };
        let groups = self.settings.groups();
        for table in &self.tables {
            let mut queries = [None; Query::COUNT];
            for query in groups.iter().flat_map(|group| group.queries) {
                let slot = &mut queries[*query as usize];
                if slot.is_none() {
                    *slot = Some(session.prepare(&query.sql(table, values as usize))?);
                }
            }
            self.prepared.queries.push(queries);
        }
        Ok(())
    }

    fn draw(&mut self) -> usize {
        self.drawer.draw(&mut self.steps);
        0
    }

    fn attempt(&mut self, session: &mut dyn Session) -> Result<TransactionEnd, SqlError> {
        let whole = self.settings.in_transaction();
        if whole {
            self.begin(session)?;
        }
        for step in &self.steps {
            let rows = self.send(session, step).map_err(|error| match step.query {
                Query::Insert if self.settings.test != Test::Insert => collided(error),
                _ => error,
            })?;
            // Nothing is ever deleted where nothing writes: a read without a row reads nothing.
            if step.query == Query::Point && rows != 1 && !self.settings.deletes() {
                return Err(SqlError::local(format!(
                    "id {} of {} gave {rows} rows, it must give one",
                    step.id.unwrap_or_default(),
                    self.tables[step.table as usize - 1]
                )));
            }
        }
        if whole {
            self.commit(session)?;
        }
        Ok(TransactionEnd::Committed)
    }
}

/// A client of `bulk_insert`: rows with rising numbers into a table of its own.
struct Bulk {
    table: String,
    batch: u64,
    next: u64,
    /// Clients that share the table, and which of them this is.
    step: u64,
    text: String,
}

impl Bulk {
    fn new(settings: &Settings, client: usize, clients: usize) -> Self {
        let (client, clients) = (client as u64, clients as u64);
        let tables = u64::from(settings.tables);
        Self {
            table: settings.table((client % tables) as u32 + 1),
            batch: u64::from(settings.batch),
            next: client / tables + 1,
            step: clients.div_ceil(tables).max(1),
            text: String::new(),
        }
    }
}

impl Client for Bulk {
    fn prepare(&mut self, _session: &mut dyn Session) -> Result<(), SqlError> {
        Ok(())
    }

    fn draw(&mut self) -> usize {
        self.text.clear();
        let _ = write!(self.text, "INSERT INTO {} VALUES", self.table);
        for row in 0..self.batch {
            let comma = if row == 0 { ' ' } else { ',' };
            let _ = write!(self.text, "{comma}({0},{0})", self.next);
            self.next += self.step;
        }
        0
    }

    fn attempt(&mut self, session: &mut dyn Session) -> Result<TransactionEnd, SqlError> {
        let outcome = session.text(&self.text)?;
        if outcome.affected != self.batch {
            return Err(SqlError::local(format!(
                "{} rows were sent to {}, and {} arrived",
                self.batch, self.table, outcome.affected
            )));
        }
        Ok(TransactionEnd::Committed)
    }
}
