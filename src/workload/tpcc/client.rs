//! Clients: each draws its next transaction and attempts it, as often as it is asked to.

use super::deck::{Hand, SharedDeck};
use super::input::{Input, Terminal};
use super::now::Now;
use super::scale::Scale;
use super::{Mode, NEW_ORDER, spec, tpcc_mysql};
use crate::target::session::{Session, SqlError};
use crate::workload::random::Stream;
use crate::workload::{Client, ClientFactory, TransactionEnd};
use std::sync::Arc;

/// Makes clients.
pub(super) struct Factory {
    scale: Scale,
    active: u32,
    deck: Arc<SharedDeck>,
}

impl Factory {
    pub(super) fn new(scale: Scale, active: u32) -> Self {
        Self { scale, active, deck: Arc::default() }
    }
}

impl ClientFactory for Factory {
    fn client(&self, client: usize, _clients: usize, seed: u64) -> Box<dyn Client> {
        let stream = |what| Stream::new(seed, what, &[client as u64]);
        let mut terminal = Terminal::new(self.scale, self.active, stream("terminal"));
        Box::new(TpccClient {
            mode: self.scale.mode,
            hand: Hand::new(self.scale.mode, &self.deck, stream("hand")),
            drawn: terminal.draw(NEW_ORDER),
            terminal,
            now: Now::new(),
            prepared: Prepared::Nothing,
        })
    }

    fn begin_repetition(&self, seed: u64) {
        self.deck.begin(seed);
    }
}

struct TpccClient {
    mode: Mode,
    hand: Hand,
    terminal: Terminal,
    drawn: Input,
    now: Now,
    prepared: Prepared,
}

/// Statements of the connection in use.
enum Prepared {
    Nothing,
    Spec(Box<spec::Transactions>),
    TpccMysql(Box<tpcc_mysql::Transactions>),
}

impl Client for TpccClient {
    fn prepare(&mut self, session: &mut dyn Session) -> Result<(), SqlError> {
        self.prepared = match self.mode {
            Mode::Spec => Prepared::Spec(Box::new(spec::Transactions::prepare(session)?)),
            Mode::TpccMysql => {
                Prepared::TpccMysql(Box::new(tpcc_mysql::Transactions::prepare(session)?))
            }
        };
        Ok(())
    }

    fn draw(&mut self) -> usize {
        let kind = self.hand.draw();
        self.drawn = self.terminal.draw(kind);
        kind
    }

    fn attempt(&mut self, session: &mut dyn Session) -> Result<TransactionEnd, SqlError> {
        let (drawn, now) = (&self.drawn, &mut self.now);
        match &mut self.prepared {
            Prepared::Nothing => {
                Err(SqlError::local("the connection was not prepared for TPC-C's transactions"))
            }
            Prepared::Spec(transactions) => transactions.attempt(session, drawn, now),
            Prepared::TpccMysql(transactions) => transactions.attempt(session, drawn, now),
        }
    }
}
