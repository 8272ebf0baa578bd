//! Outside tools as clients and loaders: started, watched, read.

use super::collectors::Collectors;
use super::load::Loaded;
use super::measure::Figures;
use super::places::Instance;
use super::program::{ProgramEnd, run_program};
use super::repetition::{Env, Made, Step};
use super::watch::interrupted;
use crate::host::guard::GuardedSpec;
use crate::journal::record::{Round, TypeTotals, WindowColumns, WindowsRecord};
use crate::model::{Failure, FailureKind, MetricId, MetricValue, Phase};
use crate::plan::{Cell, Dataset};
use crate::target::Running;
use crate::target::mysql_session::Address;
use crate::tools::{self, Statistic, Tool, ToolRun};
use crate::workload::Program;
use crate::workload::external::{Loader, Reach, filled};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a tool may take beside the time that it was told: connecting, waiting for what is in
/// hand.
const BESIDE: Duration = Duration::from_secs(120);

/// Longest load by a tool.
const LONGEST_LOAD: Duration = Duration::from_secs(48 * 3600);

/// Lines of output that a failure shows.
const TAIL: usize = 12;

/// What tools wrote, whole: what it was (`load`, `warmup`, a round) and the text.
pub(super) type Outputs = Vec<(String, String)>;

/// How a tool reaches the server, and what it shall do.
struct Call<'a> {
    running: &'a dyn Running,
    database: &'a str,
    storage: &'a str,
    clients: u32,
    threads: u32,
    warehouses: String,
    warmup: Duration,
    time: Duration,
    limit: Duration,
    phase: Phase,
}

/// Host, port and socket of a server, as tools take them: empty where it is reached otherwise.
fn address(address: &Address) -> [(&'static str, String); 4] {
    let local = || "localhost".to_string();
    let (socket, host, port, server) = match address {
        Address::Socket(path) => {
            (path.display().to_string(), String::new(), String::new(), local())
        }
        // Clients of the family take this name for the socket.
        Address::Tcp { host, port } if *host == local() => {
            let host = "127.0.0.1".to_string();
            (String::new(), host.clone(), port.to_string(), host)
        }
        Address::Tcp { host, port } => {
            (String::new(), host.clone(), port.to_string(), host.clone())
        }
    };
    [("socket", socket), ("host", host), ("port", port), ("server", server)]
}

/// Starts the tool and waits for its end.
fn call(env: Env<'_>, argv: &[String], call: &Call<'_>) -> Result<ProgramEnd, Failure> {
    let failed = |message: String| Failure::new(call.phase, FailureKind::Tool, message);
    let place = Instance::new(env.settings.work, "tool", call.phase)?;
    let reach = call.running.reach().ok_or_else(|| {
        failed("no other program can reach what lives inside this process".to_string())
    })?;
    let option_file = place.folder().join("tool.cnf");
    // The password is in no argument vector: those are for everyone to see.
    let secret = reach.password.as_ref().map(|password| format!("mysql-password={password}\n"));
    if secret.is_some() && !argv.iter().any(|word| word.contains("{option_file}")) {
        return Err(failed("the tool cannot be given a password without showing it".to_string())
            .next_step(
                "use an account without a password, or name `{option_file}` in `argument`",
            ));
    }
    write_private(&option_file, secret.as_deref().unwrap_or("# no password\n"))
        .map_err(|error| failed(format!("cannot write {}: {error}", option_file.display())))?;
    let seconds = |time: Duration| time.as_secs_f64().ceil() as u64;
    let mut known = Reach::from(address(&reach.address));
    let socket = known["socket"].clone();
    known.extend([
        ("user", reach.user.clone()),
        ("database", call.database.to_string()),
        ("engine", call.storage.to_string()),
        ("clients", call.clients.to_string()),
        ("threads", call.threads.to_string()),
        ("warehouses", call.warehouses.clone()),
        ("warmup", seconds(call.warmup).to_string()),
        ("seconds", seconds(call.time).max(1).to_string()),
        ("option_file", option_file.display().to_string()),
    ]);
    let argv = filled(argv, &known);
    let mut environment = Vec::new();
    if !socket.is_empty() {
        // Clients of the family that have no option for a socket look here.
        environment.push(("MYSQL_UNIX_PORT".to_string(), socket.into()));
    }
    let (program, arguments) =
        argv.split_first().ok_or_else(|| failed("the tool has no name".to_string()))?;
    let spec = GuardedSpec {
        program: program.into(),
        arguments: arguments.iter().map(Into::into).collect(),
        environment,
        output: place.folder().join("output"),
        ..GuardedSpec::default()
    };
    let settings = env.settings;
    let end = run_program(&settings.guard, &spec, call.limit, &settings.interrupt, &mut || {})
        .map_err(|error| {
            failed(format!("cannot start the tool: {error}"))
                .next_step(format!("install {program}, or put it on the PATH"))
        })?;
    if settings.interrupt.is_raised() {
        return Err(interrupted(call.phase));
    }
    Ok(end)
}

fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?
        .write_all(text.as_bytes())
}

/// Loads by tools.
pub(super) struct Load<'a> {
    pub(super) env: Env<'a>,
    pub(super) running: &'a dyn Running,
    pub(super) dataset: &'a Dataset,
}

impl Load<'_> {
    /// `load { path external TOOL }`: the rows come into tables that are there. How many is counted
    /// later: what a tool says of its own work is no proof.
    pub(super) fn rows(&self, loader: &Loader, outputs: &mut Outputs) -> Result<Loaded, Failure> {
        let elapsed =
            self.start("load", &loader.argv(), &|output| loader.complaint(output), outputs)?;
        Ok(Loaded {
            path: loader.describe(),
            threads: loader.connections(self.dataset.load.threads),
            elapsed,
            client_cpu: None,
            rows: 0,
            bytes: 0,
        })
    }

    /// The data that a tool as client brings itself: tables and rows.
    pub(super) fn own_data(
        &self,
        argv: &[String],
        outputs: &mut Outputs,
    ) -> Result<Duration, Failure> {
        self.start("prepare", argv, &|_| None, outputs)
    }

    fn start(
        &self,
        what: &str,
        argv: &[String],
        complaint: &dyn Fn(&str) -> Option<String>,
        outputs: &mut Outputs,
    ) -> Result<Duration, Failure> {
        let Self { env, running, dataset } = *self;
        let warehouses = dataset.ingredients.iter().find(|(name, _)| name == "warehouses");
        let began = Instant::now();
        let end = call(
            env,
            argv,
            &Call {
                running,
                database: &dataset.database,
                storage: dataset.spec.storage,
                clients: 1,
                threads: dataset.load.threads,
                warehouses: warehouses.map(|(_, count)| count.clone()).unwrap_or_default(),
                warmup: Duration::ZERO,
                time: Duration::ZERO,
                limit: LONGEST_LOAD,
                phase: Phase::Load,
            },
        )?;
        let took = began.elapsed();
        outputs.push((what.to_string(), end.output.clone()));
        let failed = |message: String| {
            Failure::new(Phase::Load, FailureKind::Tool, message).log_tail(end.tail(TAIL))
        };
        if !end.succeeded() {
            return Err(failed(format!("loading by the tool ended with {}", end.how())));
        }
        match complaint(&end.output) {
            Some(why) => Err(failed(format!("loading by the tool failed: {why}"))),
            None => Ok(took),
        }
    }
}

/// Measures a cell with the tool: warm-up, then every round.
pub(super) fn measure(
    step: &Step<'_>,
    running: &dyn Running,
    program: &Program,
    collectors: &mut Collectors<'_>,
    made: &mut Made,
) -> Result<Figures, Failure> {
    let cell = step.cell;
    let by_itself = program.argv.iter().any(|word| word.contains("{warmup}"));
    let warehouses = cell.parameters.get("warehouses").map(ToString::to_string);
    let of = |phase, warmup: Duration, time: Duration| Call {
        running,
        database: &step.dataset.database,
        storage: cell.spec.storage,
        clients: cell.clients,
        threads: step.dataset.load.threads,
        warehouses: warehouses.clone().unwrap_or_default(),
        warmup,
        time,
        limit: warmup + time * 2 + BESIDE,
        phase,
    };
    if !by_itself && !cell.warmup.is_zero() {
        step.env.phase(Phase::WarmUp);
        let end = call(step.env, &program.argv, &of(Phase::WarmUp, Duration::ZERO, cell.warmup))?;
        made.outputs.push(("warmup".to_string(), end.output));
    }
    // A tool that warms up by itself does not say when it begins to measure.
    collectors.start();
    let mut figures = Figures::default();
    let mut runs = Vec::new();
    for round in 1..=cell.rounds {
        step.env.phase(Phase::Measure);
        let warmup = if by_itself && round == 1 { cell.warmup } else { Duration::ZERO };
        let end = call(step.env, &program.argv, &of(Phase::Measure, warmup, cell.measure))?;
        made.outputs.push((round.to_string(), end.output.clone()));
        let run = read(&end, &program.format)?;
        figures.windows.extend(windows(step, round, &run));
        figures.completed += run.types.iter().map(|of| of.completed).sum::<u64>();
        figures.rounds.push(Round {
            round,
            duration_ns: (run.measured_s.unwrap_or(cell.measure.as_secs_f64()) * 1e9) as u64,
            types: run.types.iter().map(totals).collect(),
            metrics: run.metrics(),
        });
        figures.length += cell.measure;
        runs.push(run);
    }
    figures.metrics = together(&runs);
    let shown = MetricId::whole(cell.headline());
    figures.headline = figures.metrics.iter().find(|value| value.id == shown).cloned();
    if figures.headline.is_none() {
        let message = format!("the tool's output has no {}", cell.headline().heading());
        return Err(Failure::new(Phase::Measure, FailureKind::Tool, message));
    }
    Ok(figures)
}

/// The one run in a tool's output. Words of success without work are a failure.
fn read(end: &ProgramEnd, format: &str) -> Result<ToolRun, Failure> {
    let failed = |message: String| {
        Failure::new(Phase::Measure, FailureKind::Tool, message).log_tail(end.tail(TAIL))
    };
    let fits = |tool: Tool| match format {
        "sysbench" => matches!(tool, Tool::Sysbench | Tool::SysbenchTpcc),
        "tpcc_start" => tool == Tool::TpccStart,
        _ => tool == Tool::GoTpc,
    };
    let run = tools::read(end.output.as_bytes()).into_iter().rev().find(|run| fits(run.tool));
    // The tool's own words say more than its exit status.
    if let Some(refused) = run.as_ref().and_then(|run| run.refused.as_ref()) {
        return Err(failed(format!("no result: {}", refused.reason)));
    }
    if !end.succeeded() {
        return Err(failed(format!("the tool ended with {}", end.how())));
    }
    let run = run.ok_or_else(|| failed(format!("its output holds no result of {format}")))?;
    if let Some(line) = end.output.lines().find(|line| line.contains("error at thread_main")) {
        return Err(failed(format!("a client gave up: {line}")));
    }
    if run.types.iter().map(|of| of.completed).sum::<u64>() == 0 {
        return Err(failed("the tool completed no transaction".to_string()));
    }
    Ok(run)
}

fn totals(of: &tools::TypeCounts) -> TypeTotals {
    TypeTotals { name: of.name.clone(), committed: of.completed, ..TypeTotals::default() }
}

/// The tool's intervals, where they are seconds.
fn windows(step: &Step<'_>, round: u32, run: &ToolRun) -> Option<WindowsRecord> {
    if (run.window_s - 1.0).abs() > 0.01 {
        return None;
    }
    let names = run.windows.iter().flat_map(|window| &window.types).map(|of| of.name.as_str());
    let mut columns: Vec<WindowColumns> = Vec::new();
    for name in names {
        if !columns.iter().any(|known| known.name == name) {
            columns.push(WindowColumns { name: name.to_string(), ..WindowColumns::default() });
        }
    }
    for window in &run.windows {
        for column in &mut columns {
            let of = window.types.iter().find(|of| of.name == column.name);
            let latency = |statistic: Statistic| {
                of.and_then(|of| of.latencies.iter().find(|(known, _)| *known == statistic))
                    .map_or(0, |(_, seconds)| (seconds * 1e6) as u64)
            };
            column.count.push(of.map_or(0, |of| of.count));
            column.p95_us.push(latency(Statistic::percentile(95.0)));
            column.p99_us.push(latency(Statistic::percentile(99.0)));
            column.max_us.push(latency(Statistic::Max));
        }
    }
    Some(WindowsRecord {
        cell: step.cell.key.clone(),
        repetition: step.slot.repetition,
        phase: Phase::Measure,
        round,
        counted: true,
        window_ms: 1000,
        types: columns,
    })
}

/// The figures of all rounds: of several the means of what is a rate. Percentiles of several runs
/// of a tool cannot be put together.
fn together(runs: &[ToolRun]) -> Vec<MetricValue> {
    let Some((first, rest)) = runs.split_first() else { return Vec::new() };
    if rest.is_empty() {
        return first.metrics();
    }
    let rates = |run: &ToolRun| -> Vec<MetricValue> {
        run.headline.iter().chain(&run.rates).cloned().collect()
    };
    rates(first)
        .into_iter()
        .filter_map(|figure| {
            let values: Option<Vec<f64>> = runs
                .iter()
                .map(|run| rates(run).iter().find(|other| other.id == figure.id).map(|o| o.value))
                .collect();
            let values = values?;
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            Some(MetricValue { id: figure.id, value: mean })
        })
        .collect()
}

/// What cannot be had of an outside tool: it has a pace, an end and sessions of its own.
pub(super) fn refused(cell: &Cell, running: &dyn Running) -> Option<Failure> {
    let refused = |message: String, step: &str| {
        Some(Failure::new(Phase::WarmUp, FailureKind::Tool, message).next_step(step))
    };
    let not_for_it = [
        ("`rate` and `think`", cell.pace != crate::plan::Pace::Closed),
        ("`requests`", cell.requests.is_some()),
        ("`steady`", cell.steady.is_some()),
        ("`count last`", cell.count_last.is_some()),
        ("`session`", !cell.set_session.is_empty()),
    ];
    if let Some((what, _)) = not_for_it.iter().find(|(_, given)| *given) {
        let message = format!(
            "an outside tool has a pace, an end and sessions of its own: {what} cannot reach it"
        );
        return refused(message, "give it its own option by `argument`");
    }
    // Servers that enginecmp starts have it in their option file.
    let runs = ["transaction_isolation", "tx_isolation"]
        .iter()
        .find_map(|name| running.variables().get(*name))
        .map(|level| level.replace('-', " "));
    let runs = runs.filter(|runs| !runs.eq_ignore_ascii_case(&cell.isolation))?;
    let message = format!(
        "the sessions of an outside tool are at the server's own isolation, {runs}, and the suite \
         asks for {}",
        cell.isolation
    );
    let step = format!(
        "SET GLOBAL TRANSACTION ISOLATION LEVEL {} on the server, or write its level as `isolation`",
        cell.isolation
    );
    refused(message, &step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Metric;

    fn ended(code: i32, output: &str) -> ProgramEnd {
        ProgramEnd {
            ended: Some(crate::host::guard::Ended::Exit(code)),
            output: output.to_string(),
        }
    }

    const GOOD: &str = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nRunning the test with following options:\nNumber of threads: 2\n\nThreads started!\n\n[ 1s ] thds: 2 tps: 53.96 qps: 1079.12 (r/w/o: 755.38/215.82/107.91) lat (ms,95%): 2.97 err/s: 0.00 reconn/s: 0.00\nSQL statistics:\n    queries performed:\n        read:                            2044\n        write:                           584\n        other:                           292\n        total:                           2920\n    transactions:                        146    (48.34 per sec.)\n    queries:                             2920   (966.84 per sec.)\n    ignored errors:                      0      (0.00 per sec.)\n    reconnects:                          0      (0.00 per sec.)\n\nGeneral statistics:\n    total time:                          3.0198s\n    total number of events:              146\n\nLatency (ms):\n         min:                                    0.86\n         avg:                                    2.50\n         max:                                   65.59\n         95th percentile:                        4.65\n         sum:                                  365.54\n\nThreads fairness:\n    events (avg/stddev):           73.0000/2.00\n    execution time (avg/stddev):   0.1828/0.00\n\n";

    #[test]
    fn words_of_success_without_work_are_a_failure() {
        let run = read(&ended(0, GOOD), "sysbench").expect("a result");
        assert_eq!(run.headline.map(|figure| figure.id), Some(MetricId::whole(Metric::Tps)));
        let idle = GOOD
            .replace("146    (48.34", "0      (0.00")
            .replace("events:              146", "events:              0");
        assert!(read(&ended(0, &idle), "sysbench").is_err());
        assert!(read(&ended(0, GOOD), "tpcc_start").is_err(), "another format");
        assert!(read(&ended(1, GOOD), "sysbench").is_err(), "its exit status");
        assert!(read(&ended(0, "done, all well\n"), "sysbench").is_err());
    }
}
