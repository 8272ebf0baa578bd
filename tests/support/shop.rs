//! A small workload for the fake target: a shop with accounts and orders.
//!
//! Each client goes round: order, order, payment. Every tenth order of a client is rolled back as
//! intended. With the usual script an order takes 10 ms and a payment 20 ms.

use enginecmp::model::Metric;
use enginecmp::target::session::{
    Access, Dialect, RowSink, RowSource, Session, SqlError, StatementId,
};
use enginecmp::workload::{
    CheckMoment, Checked, Client, ClientFactory, Column, ColumnKind, Drive, Parameters,
    SourceScript, TableLoad, TablePart, TransactionEnd, Workload, WorkloadKind,
};
use std::collections::BTreeMap;

/// The kind, as a dataset refers to it.
pub(crate) static KIND: WorkloadKind = WorkloadKind {
    name: "shop",
    parameters: &[],
    doc: "accounts and orders",
    wants_lasting_rows: false,
    data_version: 1,
    make: |_: &Parameters| Ok(Box::new(Shop)),
};

pub(crate) struct Shop;

struct Numbers(u64);

impl RowSource for Numbers {
    fn next_row(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.0 == 0 {
            return false;
        }
        self.0 -= 1;
        sink.int(self.0 as i64);
        sink.end_row();
        true
    }

    fn expected(&self) -> u64 {
        self.0
    }
}

fn count(session: &mut dyn Session, table: &str) -> Result<i64, SqlError> {
    let mut count = 0;
    session.text_visit(&format!("SELECT COUNT(*) FROM {table}"), &mut |row| {
        count = row.int(0).unwrap_or_default();
        true
    })?;
    Ok(count)
}

impl Workload for Shop {
    fn source_ddl(&self) -> SourceScript {
        SourceScript {
            tables: "CREATE TABLE accounts (a INT); CREATE TABLE orders (o INT)".to_string(),
            indexes: String::new(),
            foreign_keys: String::new(),
        }
    }

    fn tables(&self) -> Vec<TableLoad> {
        let column = |name: &str| Column { name: name.to_string(), kind: ColumnKind::Int };
        vec![
            TableLoad {
                table: "accounts".to_string(),
                columns: vec![column("a")],
                parts: vec![TablePart { part: 1, rows: 50 }, TablePart { part: 2, rows: 50 }],
            },
            TableLoad {
                table: "orders".to_string(),
                columns: vec![column("o")],
                parts: vec![TablePart { part: 0, rows: 10 }],
            },
        ]
    }

    fn rows(&self, _seed: u64, table: &str, _part: u32) -> Box<dyn RowSource> {
        Box::new(Numbers(if table == "accounts" { 50 } else { 10 }))
    }

    fn transaction_types(&self) -> &'static [&'static str] {
        &["order", "payment"]
    }

    fn headline(&self) -> Metric {
        Metric::Tpmc
    }

    fn headline_type(&self) -> Option<usize> {
        Some(0)
    }

    fn drive(&self, _dialect: Dialect) -> Drive {
        Drive::Clients(Box::new(Customers))
    }

    fn growth_counters(
        &self,
        _loaded: Option<u64>,
        session: &mut dyn Session,
    ) -> Result<BTreeMap<String, i64>, SqlError> {
        Ok(BTreeMap::from([("orders".to_string(), count(session, "orders")?)]))
    }

    fn check(
        &self,
        session: &mut dyn Session,
        moment: &CheckMoment,
    ) -> Result<Vec<Checked>, SqlError> {
        let mut broken = 0;
        session.text_visit("SELECT broken FROM accounts", &mut |_| {
            broken += 1;
            true
        })?;
        let checked = |name: &str, violations: u64, detail: String| Checked {
            name: name.to_string(),
            violations,
            tolerated: false,
            detail,
        };
        let mut all = vec![checked("accounts balance", broken, String::new())];
        if let CheckMoment::AfterRepetition { committed, before, .. } = moment {
            let grown = count(session, "orders")? - before["orders"];
            let detail = format!("{grown} rows for {} committed", committed[0]);
            all.push(checked("orders growth", grown.abs_diff(committed[0] as i64), detail));
        }
        Ok(all)
    }

    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    fn identity(&self) -> String {
        "shop".to_string()
    }
}

struct Customers;

impl ClientFactory for Customers {
    fn client(&self, _client: usize, _clients: usize, _seed: u64) -> Box<dyn Client> {
        Box::new(Customer { round: 0, orders: 0, kind: 0, statements: None })
    }

    fn begin_repetition(&self, _seed: u64) {}
}

struct Customer {
    round: u64,
    orders: u64,
    kind: usize,
    statements: Option<(StatementId, StatementId)>,
}

impl Client for Customer {
    fn prepare(&mut self, session: &mut dyn Session) -> Result<(), SqlError> {
        let order = session.prepare("INSERT INTO orders VALUES (1)")?;
        let payment = session.prepare("UPDATE accounts SET a = a - 1")?;
        self.statements = Some((order, payment));
        Ok(())
    }

    fn draw(&mut self) -> usize {
        self.kind = usize::from(self.round % 3 == 2);
        self.round += 1;
        self.orders += u64::from(self.kind == 0);
        self.kind
    }

    fn attempt(&mut self, session: &mut dyn Session) -> Result<TransactionEnd, SqlError> {
        let (order, payment) = self.statements.expect("it was prepared");
        session.begin(Access::ReadWrite)?;
        session.execute(if self.kind == 0 { order } else { payment }, &[])?;
        if self.kind == 0 && self.orders.is_multiple_of(10) {
            session.rollback()?;
            return Ok(TransactionEnd::RolledBack);
        }
        session.commit()?;
        Ok(TransactionEnd::Committed)
    }
}
