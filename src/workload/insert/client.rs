//! Clients: writers insert rows, readers ask by index. Who does what depends on the client's
//! number; how fast, on the pace that the factory states.

use super::rows::{CUSTOMERS, LONGEST_NOTE, PRICES, Purchase};
use super::{INSERT, Order, QUERY, Settings};
use crate::target::session::{Param, Session, SqlError, StatementId};
use crate::workload::random::Stream;
use crate::workload::{Client, ClientFactory, TransactionEnd};
use std::fmt::Write as _;

/// Queries that a reader prepares for each table: one for each index.
pub(super) const INDEXES: usize = 3;

/// Rows that a query gives at most.
const ROWS_OF_A_QUERY: u32 = 10;

/// Makes clients.
pub(super) struct Factory {
    pub(super) settings: Settings,
}

impl Factory {
    fn writers(&self, clients: usize) -> usize {
        clients.saturating_sub(self.settings.readers as usize)
    }
}

impl ClientFactory for Factory {
    fn client(&self, client: usize, clients: usize, seed: u64) -> Box<dyn Client> {
        let settings = self.settings.clone();
        let stream =
            Stream::new(seed, "purchases", &[client as u64]).compressible(settings.compressible);
        if client < self.writers(clients) {
            return Box::new(Writer {
                number: client as u64,
                of: self.writers(clients) as u64,
                stream,
                inserted: 0,
                text: String::new(),
                settings,
            });
        }
        Box::new(Reader { settings, stream, statements: Vec::new(), drawn: None })
    }

    fn begin_repetition(&self, _seed: u64) {}

    fn rate(&self, client: usize, clients: usize) -> Option<f64> {
        let writers = self.writers(clients);
        if client < writers {
            let rows = self.settings.write_rate? / writers as f64;
            Some(rows / f64::from(self.settings.batch))
        } else {
            Some(self.settings.read_rate? / (clients - writers) as f64)
        }
    }
}

/// Inserts batches of rows.
struct Writer {
    settings: Settings,
    /// Which of the writers this is, from 0.
    number: u64,
    /// Writers in all.
    of: u64,
    stream: Stream,
    /// Rows so far.
    inserted: u64,
    text: String,
}

impl Writer {
    /// A key that no other writer uses, above those that are loaded.
    fn key(&mut self) -> i64 {
        let number = self.inserted * self.of + self.number;
        self.inserted += 1;
        match self.settings.order {
            Order::Key => (self.settings.rows + 1 + number) as i64,
            // An odd factor maps the numbers below 2^40 onto each other: every page of the
            // primary key is hit alike.
            Order::Random => {
                const SPACE: u64 = (1 << 40) - 1;
                let scattered = number.wrapping_mul(0x9e_3779_b97f) & SPACE;
                (self.settings.rows + 1 + scattered) as i64
            }
        }
    }
}

impl Client for Writer {
    fn prepare(&mut self, _session: &mut dyn Session) -> Result<(), SqlError> {
        Ok(())
    }

    fn draw(&mut self) -> usize {
        let table = self.stream.below(u64::from(self.settings.tables)) as u32 + 1;
        self.text.clear();
        let _ = write!(self.text, "INSERT INTO {} VALUES ", Settings::table(table));
        let mut note = [0; LONGEST_NOTE];
        let note = &mut note[..self.settings.note];
        for row in 0..self.settings.batch {
            let id = self.key();
            let bought = Purchase::draw(&mut self.stream);
            self.stream.fill_alphanumeric(note);
            let comma = if row == 0 { "" } else { ", " };
            let _ = write!(
                self.text,
                "{comma}({id}, {}, {}, {}, {}, '{}')",
                bought.register,
                bought.customer,
                bought.product,
                bought.price,
                String::from_utf8_lossy(note)
            );
        }
        INSERT
    }

    fn attempt(&mut self, session: &mut dyn Session) -> Result<TransactionEnd, SqlError> {
        let outcome = session.text(&self.text)?;
        if outcome.affected != u64::from(self.settings.batch) {
            return Err(SqlError::local(format!(
                "{} rows were sent and {} arrived",
                self.settings.batch, outcome.affected
            )));
        }
        Ok(TransactionEnd::Committed)
    }
}

/// Asks for a few rows in the order of one of the three indexes.
struct Reader {
    settings: Settings,
    stream: Stream,
    /// By table, one for each index.
    statements: Vec<[StatementId; INDEXES]>,
    drawn: Option<Asked>,
}

/// A query with its values.
#[derive(Clone, Copy)]
struct Asked {
    table: usize,
    index: usize,
    values: [i64; 2],
}

impl Client for Reader {
    fn prepare(&mut self, session: &mut dyn Session) -> Result<(), SqlError> {
        self.statements.clear();
        for number in 1..=self.settings.tables {
            let table = Settings::table(number);
            // Each is answered from its index alone, beginning at a random place of it.
            let mut prepare = |columns: &str, place: &str, order: &str| {
                session.prepare(&format!(
                    "SELECT {columns} FROM {table} WHERE {place} ORDER BY {order} \
                     LIMIT {ROWS_OF_A_QUERY}"
                ))
            };
            self.statements.push([
                prepare("price, customer", "price >= ? AND customer >= ?", "price, customer")?,
                prepare(
                    "register, price, customer",
                    "register >= ? AND price >= ?",
                    "register, price, customer",
                )?,
                prepare(
                    "product, customer",
                    "product >= ? AND customer >= ?",
                    "product, customer",
                )?,
            ]);
        }
        Ok(())
    }

    fn draw(&mut self) -> usize {
        let table = self.stream.below(u64::from(self.settings.tables)) as usize;
        let index = self.stream.below(INDEXES as u64) as usize;
        let bought = Purchase::draw(&mut self.stream);
        let second = |count: u64, stream: &mut Stream| stream.below(count / 2) as i64 + 1;
        let values = match index {
            0 => [bought.price, second(CUSTOMERS, &mut self.stream)],
            1 => [bought.register, second(PRICES, &mut self.stream)],
            _ => [bought.product, second(CUSTOMERS, &mut self.stream)],
        };
        self.drawn = Some(Asked { table, index, values });
        QUERY
    }

    fn attempt(&mut self, session: &mut dyn Session) -> Result<TransactionEnd, SqlError> {
        let statement = self
            .drawn
            .and_then(|asked| Some((self.statements.get(asked.table)?[asked.index], asked)));
        let Some((statement, asked)) = statement else {
            return Err(SqlError::local("the connection was not prepared for this workload"));
        };
        session.execute(statement, &asked.values.map(Param::Int))?;
        Ok(TransactionEnd::Committed)
    }
}
