//! Transactions of the user's own over the user's own schema: rows from scripts, from CSV files or
//! generated, parameters drawn from stated distributions, values passed from one statement to the
//! next.

mod check;
mod client;
mod csv;
mod draw;
mod rows;
mod script;
mod statement;
mod table;
mod text;

pub use csv::{Scanned, hash, scan};
pub use draw::{Drawn, LONGEST_TEXT};
pub use rows::Generate;
pub use script::{Script, Step};
pub use statement::TextError;
pub use table::{ColumnType, Table, TableColumn};

use super::distribution::Distribution;
use super::{
    CheckMoment, Checked, Column, Drive, ParameterError, SourceScript, TableLoad, TablePart,
    Workload, WorkloadKind,
};
use crate::model::Metric;
use crate::target::session::{Dialect, RowSource, Session, SqlError};
use client::{Factory, Shared};
use statement::{Slot, Transaction};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use text::Effect;

/// Raised whenever a generated row changes.
const DATA_VERSION: u32 = 1;

/// The registration. What it does stands in the suite, so it is made of a [`Definition`].
pub static KIND: WorkloadKind = WorkloadKind {
    name: "sql",
    parameters: &[],
    doc: "Transactions of the user's own over the user's own schema.",
    wants_lasting_rows: false,
    data_version: DATA_VERSION,
    make: |_| {
        Err(ParameterError {
            parameter: "sql",
            message: "a `workload sql` block says what it is".to_string(),
        })
    },
};

/// A CSV file that is loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct CsvLoad {
    /// As the suite writes it.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// The table.
    pub table: Table,
    /// What it holds.
    pub scanned: Scanned,
}

/// A script that brings rows in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptLoad {
    /// As the suite writes it.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// Hash of its text.
    pub hash: String,
}

/// Rows of the user's tables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Data {
    /// Every table of the schema.
    pub tables: Vec<Table>,
    /// Triggers or cascading keys change rows that no statement names.
    pub side_effects: bool,
    /// Generated tables.
    pub generated: Vec<Generate>,
    /// CSV files.
    pub csv: Vec<CsvLoad>,
    /// Scripts, in order.
    pub scripts: Vec<ScriptLoad>,
}

/// A transaction with its share of the mix.
#[derive(Debug)]
struct Weighted {
    name: String,
    weight: u64,
    transaction: Transaction,
    /// The draws that it uses.
    draws: Vec<usize>,
    /// By statement, the countable table that it adds to or takes from.
    counts: Vec<Option<usize>>,
}

/// What a `workload sql` block says.
#[derive(Debug)]
pub struct Definition {
    draws: Vec<(String, Drawn)>,
    transactions: Vec<Weighted>,
    total_weight: u64,
    data: Data,
    /// Tables whose number of rows follows from what statements say.
    countable: Vec<String>,
    /// Hash of the texts and weights of the transactions.
    hash: String,
}

/// What is wrong in a transaction: its index, and where in its text.
pub type Wrong = (usize, TextError);

impl Definition {
    /// Puts a workload together: parameters, then (name, weight, text) of each transaction.
    pub fn new(
        draws: Vec<(String, Drawn)>,
        transactions: &[(String, u64, String)],
        data: Data,
    ) -> Result<Self, Vec<Wrong>> {
        let names: Vec<String> = draws.iter().map(|(name, _)| name.clone()).collect();
        let (mut read, mut wrong) = (Vec::new(), Vec::new());
        for (index, (_, _, text)) in transactions.iter().enumerate() {
            match statement::read(text, &names) {
                Ok(transaction) => read.push(transaction),
                Err(errors) => wrong.extend(errors.into_iter().map(|error| (index, error))),
            }
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let countable = countable(&read, &data);
        let mut whole = String::new();
        let transactions: Vec<Weighted> = transactions
            .iter()
            .zip(read)
            .map(|((name, weight, text), transaction)| {
                let _ = writeln!(whole, "{name} {weight} {}:{text}", text.len());
                let mut draws: Vec<usize> = transaction
                    .statements
                    .iter()
                    .flat_map(|statement| &statement.slots)
                    .filter_map(|slot| match slot {
                        Slot::Draw(draw) => Some(*draw),
                        Slot::Variable(_) => None,
                    })
                    .collect();
                draws.sort_unstable();
                draws.dedup();
                let counts = transaction
                    .statements
                    .iter()
                    .map(|statement| match &statement.effect {
                        Effect::Adds(table) | Effect::Removes(table) => {
                            countable.iter().position(|known| known.eq_ignore_ascii_case(table))
                        }
                        _ => None,
                    })
                    .collect();
                Weighted { name: name.clone(), weight: *weight, transaction, draws, counts }
            })
            .collect();
        Ok(Self {
            total_weight: transactions.iter().map(|one| one.weight).sum::<u64>().max(1),
            hash: csv::hash(whole.as_bytes()).unwrap_or_default(),
            draws,
            transactions,
            data,
            countable,
        })
    }

    fn transactions(&self) -> impl Iterator<Item = (&str, &Transaction)> {
        self.transactions.iter().map(|one| (one.name.as_str(), &one.transaction))
    }
}

/// Tables that statements only insert into and delete from, so that affected rows say how many
/// there are.
fn countable(transactions: &[Transaction], data: &Data) -> Vec<String> {
    let effects = || transactions.iter().flat_map(|one| &one.statements).map(|one| &one.effect);
    if data.side_effects || effects().any(|effect| *effect == Effect::Unknown) {
        return Vec::new();
    }
    data.tables
        .iter()
        .map(|table| &table.name)
        .filter(|table| {
            !effects().any(|effect| {
                matches!(effect, Effect::Blurs(blurred) if blurred.eq_ignore_ascii_case(table))
            })
        })
        .cloned()
        .collect()
}

/// The workload.
pub struct Sql {
    definition: Arc<Definition>,
    shared: Arc<Shared>,
    names: &'static [&'static str],
}

impl Sql {
    /// The workload of a definition.
    pub fn new(definition: Arc<Definition>) -> Self {
        let names = definition.transactions.iter().map(|one| one.name.as_str()).collect();
        Self {
            names: interned(names),
            shared: Arc::new(Shared::new(Arc::clone(&definition))),
            definition,
        }
    }

    fn data(&self) -> &Data {
        &self.definition.data
    }
}

/// Names of transaction types live as long as the process, as those of built-in workloads do; each
/// list is kept once.
fn interned(names: Vec<&str>) -> &'static [&'static str] {
    static KNOWN: Mutex<Vec<&'static [&'static str]>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.iter().find(|list| **list == names) {
        return found;
    }
    let list: Vec<&'static str> = names.into_iter().map(|name| &*name.to_string().leak()).collect();
    let list: &'static [&'static str] = list.leak();
    known.push(list);
    list
}

impl Workload for Sql {
    fn source_ddl(&self) -> SourceScript {
        SourceScript { tables: String::new(), indexes: String::new(), foreign_keys: String::new() }
    }

    fn tables(&self) -> Vec<TableLoad> {
        let data = self.data();
        data.tables
            .iter()
            .map(|table| {
                let same = |other: &Table| other.name == table.name;
                let (columns, parts): (Vec<Column>, Vec<TablePart>) =
                    if let Some(generate) = data.generated.iter().find(|one| same(&one.table)) {
                        (generate.loaded(), generate.parts())
                    } else if let Some(csv) = data.csv.iter().find(|one| same(&one.table)) {
                        let column = |name: &String| csv.table.column(name);
                        let columns = csv.scanned.columns.iter().filter_map(column);
                        let part = TablePart { part: 0, rows: csv.scanned.rows };
                        (columns.map(TableColumn::loaded).collect(), vec![part])
                    } else {
                        (Vec::new(), Vec::new())
                    };
                TableLoad { table: table.name.clone(), columns, parts }
            })
            .collect()
    }

    fn rows(&self, seed: u64, table: &str, part: u32) -> Box<dyn RowSource> {
        let data = self.data();
        if let Some(generate) = data.generated.iter().find(|one| one.table.name == table) {
            return generate.source(seed, part);
        }
        match data.csv.iter().find(|one| one.table.name == table) {
            Some(csv) => {
                let column = |name: &String| csv.table.column(name);
                let types = csv.scanned.columns.iter().filter_map(column);
                let types = types.map(|column| column.column_type.clone()).collect();
                Box::new(csv::CsvSource::open(&csv.path, types, csv.scanned.rows))
            }
            None => Box::new(NoRows),
        }
    }

    fn transaction_types(&self) -> &'static [&'static str] {
        self.names
    }

    fn headline(&self) -> Metric {
        Metric::Tps
    }

    fn headline_type(&self) -> Option<usize> {
        None
    }

    fn drive(&self, _dialect: Dialect) -> Drive {
        Drive::Clients(Box::new(Factory { shared: Arc::clone(&self.shared) }))
    }

    fn growth_counters(
        &self,
        _loaded: Option<u64>,
        session: &mut dyn Session,
    ) -> Result<BTreeMap<String, i64>, SqlError> {
        check::counts(&self.definition, session)
    }

    fn check(
        &self,
        session: &mut dyn Session,
        moment: &CheckMoment,
    ) -> Result<Vec<Checked>, SqlError> {
        match moment {
            // Counts and checksums are compared by whoever loads.
            CheckMoment::AfterLoad { .. } => Ok(Vec::new()),
            CheckMoment::AfterRepetition { before, uncertain, .. } => {
                check::grown(&self.definition, &self.shared, session, before, *uncertain)
            }
        }
    }

    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    fn identity(&self) -> String {
        let mix: Vec<String> = self
            .definition
            .transactions
            .iter()
            .map(|one| format!("{} {}", one.name, one.weight))
            .collect();
        let draws: Vec<String> =
            self.definition.draws.iter().map(|(name, drawn)| format!("{name} {drawn}")).collect();
        let drawn =
            if draws.is_empty() { String::new() } else { format!(", {}", draws.join(", ")) };
        let hash = self.definition.hash.get(..8).unwrap_or_default();
        format!("sql, text {hash}, mix {}{drawn}", mix.join(" "))
    }

    fn scripts(&self) -> Vec<PathBuf> {
        self.data().scripts.iter().map(|script| script.path.clone()).collect()
    }

    fn in_key_order(&self) -> bool {
        self.data().csv.is_empty() && self.data().generated.iter().all(Generate::in_key_order)
    }

    fn data_ingredients(&self) -> Vec<(String, String)> {
        let data = self.data();
        let mut list = Vec::new();
        for generate in &data.generated {
            let columns: Vec<String> =
                generate.columns.iter().map(|(name, drawn)| format!("{name} {drawn:?}")).collect();
            let said = format!("{} rows {}", generate.rows, columns.join(", "));
            list.push((format!("generate {}", generate.table.name), said));
        }
        for csv in &data.csv {
            list.push((format!("csv into {}", csv.table.name), csv.scanned.hash.clone()));
        }
        for script in &data.scripts {
            list.push((format!("script {}", script.name), script.hash.clone()));
        }
        list
    }

    /// Columns that have a default are not sent, scripts add rows, and a server may write a value
    /// of the user's columns in another way than it got it.
    fn reads_back_as_sent(&self) -> bool {
        false
    }

    fn checksums(&self) -> Vec<(String, Vec<Column>)> {
        self.data()
            .tables
            .iter()
            .map(|table| {
                let columns = table.columns.iter().map(TableColumn::loaded).collect();
                (table.name.clone(), columns)
            })
            .collect()
    }
}

struct NoRows;

impl RowSource for NoRows {
    fn next_row(&mut self, _sink: &mut dyn crate::target::session::RowSink) -> bool {
        false
    }

    fn expected(&self) -> u64 {
        0
    }
}
