//! Processor time that a transaction costs the client, with the same statements.

use super::loads::{NO_TPCC, tpcc_program, tpcc_suite};
use super::pairs::{Pairs, interleaved, median};
use super::processes::{Working, run, run_watched};
use super::server::Server;
use super::table::Row;
use super::{Bench, Res, ours};
use enginecmp::tools;
use std::path::Path;
use std::process::Command;

/// Connections that work.
pub(crate) const CLIENTS: u32 = 2;
pub(crate) const TABLES: u32 = 4;
pub(crate) const ROWS: u32 = 10_000;

/// Many short pairs: the kernel places threads anew in each, and a stray one does not decide.
const PAIRS: usize = 7;
/// Seconds of each side.
const SECONDS: u32 = 4;

/// sysbench on the database `theirs`.
pub(crate) fn sysbench(server: &Server, test: &str, tables: u32, rows: u32) -> Command {
    let mut command = Command::new("sysbench");
    command
        .arg(test)
        .args(["--db-driver=mysql", "--mysql-user=root", "--mysql-db=theirs"])
        .arg(format!("--mysql-socket={}", server.socket().display()))
        .arg(format!("--tables={tables}"))
        .arg(format!("--table-size={rows}"));
    command
}

/// Microseconds a transaction.
#[derive(Clone, Copy, Debug)]
struct Cost {
    user: f64,
    total: f64,
}

impl Cost {
    /// What was used in the time that it was watched, by the transactions of that time.
    fn of(working: &Working, transactions: f64, seconds: f64) -> Self {
        let each = 1e6 / (transactions / seconds * working.seconds);
        Self { user: working.cpu.user * each, total: working.cpu.total() * each }
    }
}

/// What one run of enginecmp costs a transaction while its clients work.
fn of_ours(bench: &Bench, suite: &str) -> Res<Cost> {
    let ran = ours::run(bench.server.folder(), suite)?;
    let working = ran.working.ok_or("no client was seen at work")?;
    Ok(Cost::of(&working, ran.transactions()?, ran.measured()))
}

/// What a run of a tool costs that lasts so many seconds.
fn of_theirs(command: &mut Command, seconds: u32) -> Res<Cost> {
    let (output, working) = run_watched(command, CLIENTS as usize)?;
    Ok(Cost::of(&working, completed(&output)?, f64::from(seconds)))
}

/// Completed transactions in the output of a tool.
fn completed(output: &str) -> Res<f64> {
    let runs = tools::read(output.as_bytes());
    let run = runs.first().ok_or("the tool printed no result")?;
    let sum: u64 = run.types.iter().map(|of| of.completed).sum();
    if sum == 0 { Err("the tool completed nothing".into()) } else { Ok(sum as f64) }
}

fn compared(pairs: Vec<(Cost, Cost)>, pick: fn(Cost) -> f64) -> Pairs {
    let (ours, theirs) = pairs.into_iter().map(|(ours, theirs)| (pick(ours), pick(theirs))).unzip();
    Pairs { ours, theirs }
}

fn row(what: &str, goal: f64, tool: &str, pairs: &Pairs) -> Row {
    Row::new(
        what,
        &format!("at most {goal} x {tool}"),
        format!("{:.2} x ({})", pairs.ratio(), pairs.each()),
        format!("{:.1} us against {:.1} us", median(&pairs.ours), median(&pairs.theirs)),
        pairs.ratio() <= goal,
    )
}

pub(crate) fn read_write(bench: &Bench) -> Res<Vec<Row>> {
    oltp(bench, "oltp_read_write")
}

pub(crate) fn point_select(bench: &Bench) -> Res<Vec<Row>> {
    oltp(bench, "oltp_point_select")
}

/// tpcc_start on a database, without the time that it measures (`-l`).
pub(crate) fn tpcc_start(
    server: &Server,
    program: &Path,
    database: &str,
    warehouses: u32,
    clients: u32,
) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(server.folder())
        .args(["-h", "localhost", "-d", database, "-u", "root", "-p", "", "-S"])
        .arg(server.socket())
        .args(["-w", &warehouses.to_string(), "-c", &clients.to_string()])
        .args(["-r", "0", "-i", "1"]);
    command
}

/// The suite that does what sysbench does.
pub(crate) fn oltp_suite(server: &Server, test: &str, clients: u32, seconds: u32) -> String {
    format!(
        "suite \"Clients\"\n{}engine e {{ storage InnoDB }}\nsettle none\n\
         schema {{ charset latin1 }}\n\
         workload {test} {{ tables {TABLES}; rows {ROWS}; distribution uniform; clients {clients}; \
         measure {seconds}s }}\n",
        server.block("ours")
    )
}

fn oltp(bench: &Bench, test: &str) -> Res<Vec<Row>> {
    let seconds = bench.either(2, SECONDS);
    let suite = oltp_suite(&bench.server, test, CLIENTS, seconds);
    bench.server.empty("theirs")?;
    run(sysbench(&bench.server, test, TABLES, ROWS).arg("prepare"))?;
    let pairs = interleaved(
        bench.either(1, PAIRS),
        || of_ours(bench, &suite),
        || {
            let mut command = sysbench(&bench.server, test, TABLES, ROWS);
            command.args(["--rand-type=uniform", &format!("--threads={CLIENTS}")]);
            of_theirs(command.arg(format!("--time={seconds}")).arg("run"), seconds)
        },
    )?;
    Ok(vec![
        row(
            &format!("client CPU a transaction, {test}, total"),
            0.95,
            "sysbench's",
            &compared(pairs.clone(), |cost| cost.total),
        ),
        row(
            &format!("client CPU a transaction, {test}, user time"),
            0.7,
            "sysbench's",
            &compared(pairs, |cost| cost.user),
        ),
    ])
}

pub(crate) fn tpcc(bench: &Bench) -> Res<Vec<Row>> {
    let what = "client CPU a TPC-C transaction, mode tpcc_mysql";
    let Some(program) = tpcc_program("tpcc_start") else {
        return Ok(vec![Row::missing(what, "at most 0.7 x tpcc_start's", NO_TPCC)]);
    };
    let (warehouses, seconds) = (bench.either(1, 2), bench.either(2, SECONDS));
    let rest = format!("warehouses {warehouses}; clients {CLIENTS}; measure {seconds}s");
    let suite = tpcc_suite(&bench.server, "ours", "InnoDB", &rest);
    // The tool works on data of the same kind, loaded by the same means.
    let rest = format!("warehouses {warehouses}; clients 1; measure 1s");
    ours::run(bench.server.folder(), &tpcc_suite(&bench.server, "peer", "InnoDB", &rest))?;
    let pairs = interleaved(
        bench.either(1, PAIRS),
        || of_ours(bench, &suite),
        || {
            let mut command = tpcc_start(&bench.server, &program, "peer", warehouses, CLIENTS);
            of_theirs(command.args(["-l", &seconds.to_string()]), seconds)
        },
    )?;
    bench.server.empty("peer")?;
    Ok(vec![row(what, 0.7, "tpcc_start's", &compared(pairs, |cost| cost.total))])
}
