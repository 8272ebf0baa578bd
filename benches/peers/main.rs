//! What enginecmp costs, row by row, each against its peer in the same run:
//! `scripts/performance`, or `cargo bench --bench peers -- [OPTION...]`.
//!
//! ```text
//! --quick        less data and fewer pairs: to see that it works, not for figures
//! --only WORD    rows whose key has this word (repeatable); see `--list`
//! --write        puts the table into docs/performance.md
//! --list         keys of the rows
//! --build        measures the first release build too (minutes)
//! --equivalence WORKLOAD [--pairs N] [--seconds N] [--clients N] [--itself]
//!                none of the rows, but how fast both sides of a workload are; see equivalence.rs
//! ```
//!
//! Pairs are interleaved, each side first in turn. Processor time is compared where it can be:
//! other programs on the machine disturb it less than they do wall time. `ENGINECMP_TPCC_MYSQL`
//! names a folder with `tpcc_load` and `tpcc_start`, built by the user; rows that need them are
//! "not measured" without it.

mod build;
mod clients;
mod commands;
mod cost;
mod crowd;
mod equivalence;
mod generation;
mod loads;
mod ours;
mod pairs;
mod processes;
mod restarts;
#[path = "../support/rows.rs"]
mod rows;
mod server;
mod table;

use server::Server;
use std::error::Error;
use std::io::Write as _;
use table::Row;

/// A result whose error is told as it is.
type Res<T> = Result<T, Box<dyn Error>>;

/// What is asked for.
#[derive(Clone, Debug, Default)]
struct Asked {
    quick: bool,
    write: bool,
    list: bool,
    build: bool,
    only: Vec<String>,
    equivalence: Option<equivalence::Wanted>,
}

impl Asked {
    fn of(words: impl Iterator<Item = String>) -> Res<Self> {
        let mut asked = Self::default();
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} takes a value"));
            match word.as_str() {
                "--quick" => asked.quick = true,
                "--write" => asked.write = true,
                "--list" => asked.list = true,
                "--build" => asked.build = true,
                "--only" => asked.only.push(value()?),
                "--equivalence" => asked.equivalence = Some(equivalence::Wanted::of(value()?)),
                "--pairs" => asked.wanted()?.count = value()?.parse()?,
                "--seconds" => asked.wanted()?.seconds = value()?.parse()?,
                "--itself" => asked.wanted()?.itself = true,
                "--clients" => asked.wanted()?.clients = value()?.parse()?,
                // cargo says so to every benchmark.
                "--bench" => {}
                other => {
                    return Err(format!("`{other}` is no option; see the head of this file").into());
                }
            }
        }
        Ok(asked)
    }

    fn wanted(&mut self) -> Res<&mut equivalence::Wanted> {
        Ok(self.equivalence.as_mut().ok_or("that goes behind --equivalence WORKLOAD")?)
    }

    fn wants(&self, key: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|word| key.contains(word.as_str()))
    }
}

/// Measures some rows.
type Measure = fn(&Bench) -> Res<Vec<Row>>;

/// In the order of the table.
const ROWS: &[(&str, Measure)] = &[
    ("load-tpcc", loads::tpcc),
    ("load-sysbench", loads::sysbench),
    ("client-oltp_read_write", clients::read_write),
    ("client-oltp_point_select", clients::point_select),
    ("client-tpcc", clients::tpcc),
    ("cost-measuring", cost::measuring),
    ("cost-sampler", cost::sampler),
    ("generation", generation::rows),
    ("restarts", restarts::repetition),
    ("crowd", crowd::clients),
    ("commands-check", commands::check),
    ("commands-plan", commands::plan),
    ("commands-report", commands::report),
    ("build", build::size_and_time),
];

/// What every row has at hand.
struct Bench {
    asked: Asked,
    /// One server for all rows that do not start their own.
    server: Server,
}

impl Bench {
    /// One of two numbers: that of `--quick`, or the whole.
    fn either<T>(&self, quick: T, whole: T) -> T {
        if self.asked.quick { quick } else { whole }
    }
}

fn main() -> Res<()> {
    let asked = Asked::of(std::env::args().skip(1))?;
    let mut out = std::io::stdout();
    if asked.list {
        for (key, _) in ROWS {
            writeln!(out, "{key}")?;
        }
        return Ok(());
    }
    if let Some(wanted) = &asked.equivalence {
        let explained = equivalence::measure(wanted)?;
        return if explained { Ok(()) } else { Err("both differ, which is not explained".into()) };
    }
    let bench = Bench { server: Server::start()?, asked };
    let mut rows = Vec::new();
    for (key, measure) in ROWS.iter().filter(|(key, _)| bench.asked.wants(key)) {
        writeln!(std::io::stderr(), "measuring {key}")?;
        let made = measure(&bench).unwrap_or_else(|error| vec![Row::failed(key, &*error)]);
        for row in &made {
            writeln!(std::io::stderr(), "  {}", row.markdown())?;
        }
        rows.extend(made);
    }
    let text = table::text(&rows, &bench)?;
    write!(out, "{text}")?;
    if bench.asked.write {
        table::write(&text)?;
    }
    Ok(())
}
