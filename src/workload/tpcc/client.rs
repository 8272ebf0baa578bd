//! Clients.

use crate::target::session::{Session, SqlError};
use crate::workload::{Client, ClientFactory, TransactionEnd};

/// Makes clients.
pub(super) struct Factory;

struct NoTransactions;

impl ClientFactory for Factory {
    fn client(&self, _client: usize, _clients: usize, _seed: u64) -> Box<dyn Client> {
        Box::new(NoTransactions)
    }

    fn begin_repetition(&self, _seed: u64) {}
}

impl Client for NoTransactions {
    fn prepare(&mut self, _session: &mut dyn Session) -> Result<(), SqlError> {
        Err(SqlError::local("the transactions of TPC-C cannot be run yet"))
    }

    fn draw(&mut self) -> usize {
        0
    }

    fn attempt(&mut self, _session: &mut dyn Session) -> Result<TransactionEnd, SqlError> {
        Err(SqlError::local("the transactions of TPC-C cannot be run yet"))
    }
}
