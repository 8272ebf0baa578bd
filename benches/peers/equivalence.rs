//! Whether our clients get as much out of a server as the tools whose workloads they run:
//! `--equivalence WORKLOAD`.
//!
//! Both work on one server, each on tables of its own, and never at the same time: one is stopped
//! (SIGSTOP) while the other works for a second, in turn. Windows so short and so near each other
//! see the same machine, where runs minutes apart do not. What differs by more than 3 % is looked at
//! with server and clients on one processor: there nobody waits for another processor to wake up, and
//! the time of a transaction is the client's and the server's in turn, so the client's can be taken off.

use super::clients::{ROWS, TABLES};
use super::pairs::{interleaved, median};
use super::processes::{run, threads};
use super::server::Server;
use super::{Res, clients, loads, ours};
use enginecmp::target::mysql_session::MysqlSession;
use enginecmp::target::session::Session as _;
use rustix::process::{Pid, Signal, kill_process};
use std::cell::RefCell;
use std::fs::{self, File};
use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Percent that both may be apart.
const LIMIT: f64 = 3.0;

/// Both have worked so long before the first window.
const WARMUP: Duration = Duration::from_secs(3);

/// What of a window is not looked at: a client that was stopped begins with cold caches.
const LEAD: Duration = Duration::from_millis(100);

/// Nobody who works takes longer to his first transaction.
const PATIENCE: Duration = Duration::from_secs(120);

/// What is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// `tpcc`, or a workload of sysbench's.
    pub(crate) workload: String,
    /// Windows of each side.
    pub(crate) count: u32,
    /// Seconds of a window.
    pub(crate) seconds: f64,
    pub(crate) clients: u32,
    /// In place of the tool a second enginecmp: what differs then is not the clients'.
    pub(crate) itself: bool,
}

impl Wanted {
    /// As many as tell 2 % apart on a noisy virtual machine.
    pub(crate) fn of(workload: String) -> Self {
        Self { workload, count: 100, seconds: 1.0, clients: 1, itself: false }
    }
}

/// The process of a side. Ended when dropped.
struct Side {
    name: &'static str,
    child: Child,
}

impl Side {
    fn start(name: &'static str, command: &mut Command, server: &Server) -> Res<Self> {
        let said = File::create(server.folder().join(name))?;
        command.stdin(Stdio::null()).stdout(said.try_clone()?).stderr(said);
        let program = command.get_program().to_string_lossy().into_owned();
        let child = command.spawn().map_err(|error| format!("{program}: {error}"))?;
        Ok(Self { name, child })
    }

    fn send(&self, signal: Signal) -> Res<()> {
        Ok(kill_process(Pid::from_child(&self.child), signal)?)
    }

    /// Neither ends by itself while it is looked at; what it said is the error when one has.
    fn alive(&mut self, server: &Server) -> Res<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => {
                let said = fs::read_to_string(server.folder().join(self.name))?;
                Err(format!("{} ended with {status}:\n{said}", self.name).into())
            }
        }
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // A stopped process ends by this, too.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Microseconds a transaction.
#[derive(Clone, Copy, Debug)]
struct Cost {
    /// By the clock.
    wall: f64,
    /// Processor time of the server, all its threads.
    server: f64,
    /// Processor time of the client, all its threads.
    client: f64,
}

/// One figure of a window.
type Pick = fn(&Cost) -> f64;

/// What is read off before and after a window.
struct Reading {
    at: Instant,
    server: f64,
    client: f64,
    done: f64,
}

/// Seconds of processor time of all threads of a process.
fn on_processor(pid: u32) -> f64 {
    threads(pid).iter().map(|(_, time)| *time as f64 / 1e9).sum()
}

struct Bout<'a> {
    server: &'a Server,
    session: RefCell<MysqlSession>,
    wanted: &'a Wanted,
    /// What the server counts a transaction by.
    counter: &'static str,
}

impl Bout<'_> {
    fn done(&self) -> Res<f64> {
        let mut sum = 0.0;
        let query = format!("SHOW GLOBAL STATUS WHERE Variable_name IN ({})", self.counter);
        self.session.borrow_mut().text_visit(&query, &mut |row| {
            sum += row.int(1).unwrap_or(0) as f64;
            true
        })?;
        Ok(sum)
    }

    fn reading(&self, side: &Side) -> Res<Reading> {
        Ok(Reading {
            at: Instant::now(),
            server: on_processor(self.server.pid()),
            client: on_processor(side.child.id()),
            done: self.done()?,
        })
    }

    /// Waits until it completes transactions, and [`WARMUP`] more.
    fn at_work(&self, side: &mut Side) -> Res<()> {
        let began = Instant::now();
        let mut before = self.done()?;
        let mut busy = 0;
        // A load commits as well, by the statement: clients do it all the time.
        while busy < 5 {
            std::thread::sleep(Duration::from_millis(200));
            side.alive(self.server)?;
            if began.elapsed() > PATIENCE {
                return Err(format!("{} completes no transaction", side.name).into());
            }
            let now = self.done()?;
            busy = if now - before >= 10.0 { busy + 1 } else { 0 };
            before = now;
        }
        std::thread::sleep(WARMUP);
        Ok(())
    }

    fn window(&self, side: &mut Side) -> Res<Cost> {
        side.alive(self.server)?;
        side.send(Signal::CONT)?;
        std::thread::sleep(LEAD);
        let before = self.reading(side)?;
        std::thread::sleep(Duration::from_secs_f64(self.wanted.seconds));
        let after = self.reading(side)?;
        side.send(Signal::STOP)?;
        let done = after.done - before.done;
        if done < 1.0 {
            return Err(format!("{} completed nothing in a window", side.name).into());
        }
        let each = |seconds: f64| 1e6 * seconds / done;
        Ok(Cost {
            wall: each((after.at - before.at).as_secs_f64()),
            server: each(after.server - before.server),
            client: each(after.client - before.client),
        })
    }

    /// Windows in pairs: ours, theirs.
    fn pairs(&self, ours: &mut Side, theirs: &mut Side) -> Res<Vec<(Cost, Cost)>> {
        let count = self.wanted.count as usize;
        interleaved(count, || self.window(ours), || self.window(theirs))
    }
}

/// How much more one has than the other, percent, with its 95 % interval: the middle of the means of
/// any two log ratios, which a window that the machine disturbed does not move, and the interval of
/// Wilcoxon's signed ranks (J. L. Hodges and E. L. Lehmann, Annals of Mathematical Statistics 34, 1963).
fn apart(ratios: impl Iterator<Item = f64>) -> (f64, f64, f64) {
    let logs: Vec<f64> = ratios.map(f64::ln).collect();
    let mut means: Vec<f64> = Vec::new();
    for (index, log) in logs.iter().enumerate() {
        means.extend(logs[..=index].iter().map(|other| f64::midpoint(*log, *other)));
    }
    means.sort_by(f64::total_cmp);
    let n = logs.len() as f64;
    let deviation = (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt();
    let cut = (n * (n + 1.0) / 4.0 - 1.96 * deviation).max(0.0) as usize;
    let percent = |log: f64| 100.0 * log.exp_m1();
    (percent(median(&means)), percent(means[cut]), percent(means[means.len() - 1 - cut]))
}

/// Prints what pairs show; how much longer a transaction of the tool takes, with and without the
/// clients' processor time.
fn tell(out: &mut impl std::io::Write, pairs: &[(Cost, Cost)]) -> Res<(f64, f64)> {
    writeln!(out, "{:30} {:>10} {:>10}   the tool takes longer by", "median, us", "tool", "ours")?;
    let mut line = |what: &str, pick: Pick| -> Res<f64> {
        let (ours, theirs): (Vec<f64>, Vec<f64>) =
            pairs.iter().map(|(ours, theirs)| (pick(ours), pick(theirs))).unzip();
        let (more, low, high) = apart(theirs.iter().zip(&ours).map(|(theirs, ours)| theirs / ours));
        let (theirs, ours) = (median(&theirs), median(&ours));
        writeln!(
            out,
            "{what:30} {theirs:10.1} {ours:10.1}   {more:+.2} % [{low:+.2}, {high:+.2}]"
        )?;
        Ok(more)
    };
    let whole = line("time of a transaction", |cost| cost.wall)?;
    line("processor time of the server", |cost| cost.server)?;
    line("processor time of the client", |cost| cost.client)?;
    Ok((whole, line("time without the client's", |cost| cost.wall - cost.client)?))
}

/// Keeps all threads of a process on a processor.
fn keep_on(pid: u32, processor: usize) -> Res<()> {
    let mut set = rustix::thread::CpuSet::new();
    set.set(processor);
    for task in fs::read_dir(format!("/proc/{pid}/task"))? {
        let thread: i32 = task?.file_name().to_string_lossy().parse()?;
        rustix::thread::sched_setaffinity(Pid::from_raw(thread), &set)?;
    }
    Ok(())
}

/// What starts the tool on the database `theirs`, which it fills, and the suite that does the same.
fn sides(server: &Server, wanted: &Wanted) -> Res<(Command, String)> {
    // Never reached: everything ends by a signal.
    let seconds = 24 * 3600;
    let clients = wanted.clients;
    if wanted.workload == "tpcc" {
        let program = loads::tpcc_program("tpcc_start").ok_or(loads::NO_TPCC)?;
        // Data of the same kind, loaded by the same means.
        let rest = "warehouses 1; clients 1; measure 1s";
        ours::run(server.folder(), &loads::tpcc_suite(server, "theirs", "InnoDB", rest))?;
        let mut tool = clients::tpcc_start(server, &program, "theirs", 1, clients);
        tool.args(["-l", &seconds.to_string()]);
        let rest = format!("warehouses 1; clients {clients}; measure {seconds}s");
        return Ok((tool, loads::tpcc_suite(server, "ours", "InnoDB", &rest)));
    }
    let test = &wanted.workload;
    server.empty("theirs")?;
    run(clients::sysbench(server, test, TABLES, ROWS).arg("prepare"))?;
    let mut tool = clients::sysbench(server, test, TABLES, ROWS);
    tool.args(["--rand-type=uniform", &format!("--threads={clients}")]);
    tool.arg(format!("--time={seconds}")).arg("run");
    Ok((tool, clients::oltp_suite(server, test, clients, seconds)))
}

/// What the server counts transactions of a workload by: commits, or the one statement that each is.
fn counter(workload: &str) -> &'static str {
    match workload {
        "tpcc" | "oltp_read_write" | "oltp_read_only" | "oltp_write_only" => {
            "'Com_commit', 'Com_rollback'"
        }
        _ => "'Com_stmt_execute'",
    }
}

/// Measures, prints, and says whether both are as fast as each other or it is known why not.
pub(crate) fn measure(wanted: &Wanted) -> Res<bool> {
    let out = &mut std::io::stdout();
    let server = Server::start()?;
    let (mut tool, suite) = sides(&server, wanted)?;
    if wanted.itself {
        let suite = suite.replace("@localhost/ours?", "@localhost/theirs?");
        (tool, _) = ours::command(server.folder(), &suite)?;
    }
    let session = RefCell::new(server.session(None)?);
    let bout = Bout { server: &server, session, wanted, counter: counter(&wanted.workload) };
    let (mut command, _) = ours::command(server.folder(), &suite)?;
    let mut ours = Side::start("ours", &mut command, &server)?;
    bout.at_work(&mut ours)?;
    ours.send(Signal::STOP)?;
    let mut theirs = Side::start("theirs", &mut tool, &server)?;
    bout.at_work(&mut theirs)?;
    theirs.send(Signal::STOP)?;
    let Wanted { workload, count, seconds, clients, .. } = wanted;
    writeln!(out, "{workload}, {clients} clients, {count} windows of {seconds} s a side")?;
    let (difference, _) = tell(out, &bout.pairs(&mut ours, &mut theirs)?)?;
    if difference.abs() <= LIMIT {
        return Ok(true);
    }
    writeln!(out, "more than {LIMIT} % apart; again with server and clients on one processor")?;
    for pid in [server.pid(), ours.child.id(), theirs.child.id()] {
        keep_on(pid, 0)?;
    }
    let (together, without) = tell(out, &bout.pairs(&mut ours, &mut theirs)?)?;
    let cause = if together.abs() <= LIMIT {
        "within the limit: it is the waits for another processor that differ"
    } else if without.abs() <= LIMIT {
        "within the limit without the clients' processor time: it is the clients that differ"
    } else {
        return Ok(false);
    };
    writeln!(out, "{cause}")?;
    Ok(true)
}
