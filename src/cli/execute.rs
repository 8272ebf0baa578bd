//! Executing a plan from the command line: the work directory, the journal, signals, progress.

use super::machines::{self, Made};
use super::progress::Progress;
use super::report::read_journal;
use super::servers::{Overwrite, Servers};
use super::suite::{self, Shaping, WorkPlace, io_error};
use super::{CliError, Context, Exit, data, resume, values};
use crate::compare::Calibration;
use crate::diagnostic::SourceMap;
use crate::host::guard::Guard;
use crate::host::machine::Machine;
use crate::host::work_dir::{Cleaned, WorkDir};
use crate::journal::{Journal, Writer};
use crate::plan::{self, Plan};
use crate::run::{self, Interrupt, RunError, RunOutcome, RunSettings};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Arguments that say where a run goes and as whom.
#[derive(Debug, clap::Args)]
pub(super) struct Execution {
    #[command(flatten)]
    work: WorkPlace,
    /// The directory of this run [default: bench-reports/SUITE/MACHINE/DATE-ID]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// A name for this machine, instead of its CPU, cores and memory
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    /// The user that servers run as when enginecmp is root
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Keep datasets in the work directory for later runs, up to this size in all: the ones that
    /// were used longest ago are dropped first [SIZE: half of the disk]
    #[arg(long, value_name = "SIZE", num_args = 0..=1, require_equals = true,
        value_parser = values::size)]
    #[allow(clippy::option_option)] // not said, said without a size, said with one
    keep_datasets: Option<Option<u64>>,
    /// Go on with the run in this directory where it ended; one that never began is begun there
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    resume: Option<PathBuf>,
    /// With --resume: make failed repetitions again, too
    #[arg(long, requires = "resume")]
    retry_failed: bool,
    /// Begin no lap that would end later than this after the start: 8h
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    budget: Option<Duration>,
    /// Let figures of unlike machines stand in one run or comparison
    #[arg(long)]
    pub(super) mixed: bool,
}

/// A run that was made.
pub(super) struct Executed {
    /// How it went.
    pub(super) outcome: RunOutcome,
    /// Its journal, read again.
    pub(super) journal: Journal,
}

impl Execution {
    /// The name of this machine.
    pub(super) fn machine(&self) -> Result<String, CliError> {
        self.machine.clone().map_or_else(this_machine, Ok)
    }
}

/// The name of this machine where the user gives none.
pub(super) fn this_machine() -> Result<String, CliError> {
    Machine::here()
        .map(|machine| machine.folder_name())
        .map_err(|error| CliError::new(format!("cannot describe this machine: {error}")))
}

/// What is known before a run.
#[derive(Default)]
pub(super) struct Known<'a> {
    /// This machine's noise.
    pub(super) calibration: Option<Calibration>,
    /// The run that it will be compared with.
    pub(super) earlier: Option<&'a Journal>,
}

/// Executes a plan.
pub(super) fn execute(
    plan: &Plan,
    servers: &Servers,
    how: &Execution,
    known: Known<'_>,
    context: &Context,
) -> Result<Executed, CliError> {
    let (work, cleaned) = WorkDir::open(&how.work.directory(context))
        .map_err(|error| CliError::new(error.to_string()))?;
    if how.user.is_some() {
        work.let_others_through().map_err(|error| io_error("open", work.root(), &error))?;
    }
    tell_cleaned(&cleaned, context);
    let machine = run::describe_machine(work.root(), how.machine.as_deref())
        .map_err(|error| io_error("describe the machine for", work.root(), &error))?;
    if let Some(earlier) = known.earlier {
        let before = Made { by: &earlier.run.id, on: earlier.machine() };
        let now = Made { by: "this run", on: Some(&machine) };
        machines::alike(before, now, how.mixed)?;
    }
    let taken = match &how.resume {
        Some(directory) => {
            let how = resume::How { retry_failed: how.retry_failed, mixed: how.mixed };
            resume::take_up(directory, plan, &machine, how, context)?
        }
        None => None,
    };
    let (id, mut journal, done) = if let Some(taken) = taken {
        (taken.id, taken.writer, Some(taken.done))
    } else {
        let (id, journal) = begin(plan, how, &machine.name)?;
        (id, journal, None)
    };
    let out = journal.path().to_path_buf();
    let interrupt = Interrupt::new();
    let raised = interrupt.clone();
    ctrlc::set_handler(move || raised.raise())
        .map_err(|error| CliError::new(format!("cannot watch for signals: {error}")))?;
    let settings = RunSettings {
        id,
        work: &work,
        machine,
        guard: Guard::this_program(),
        interrupt,
        keep_datasets: how.keep_datasets.is_some(),
        done,
        budget: how.budget,
        patience: run::PATIENCE,
        calibration: known.calibration.map(|calibration| calibration.0),
    };
    let targets = servers.targets(plan, &work, how.user.clone(), &settings.interrupt, context);
    let progress = Progress::new(context.stderr_is_terminal());
    let outcome = run::execute(plan, &targets, &settings, &mut journal, &progress)
        .map_err(|error| not_kept(&error))?;
    drop(progress);
    if let Some(budget) = how.keep_datasets {
        data::keep_within(&work, budget, context)?;
    }
    Ok(Executed { outcome, journal: read_journal(&out, context)? })
}

/// A new run with an empty journal.
fn begin(plan: &Plan, how: &Execution, machine: &str) -> Result<(String, Writer), CliError> {
    let id = run_id()?;
    let out = how.out.as_ref().or(how.resume.as_ref()).cloned().unwrap_or_else(|| {
        Path::new("bench-reports").join(&plan.suite_name).join(machine).join(&id)
    });
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&out)
        .map_err(|error| io_error("make", &out, &error))?;
    let journal = Writer::create(&out).map_err(|error| CliError::new(error.to_string()))?;
    Ok((id, journal))
}

/// Reads a suite, finds its servers and plans it; nothing is started. The exit code where the suite
/// is wrong, which has been told then.
pub(super) fn prepare(
    suite: &Path,
    shaping: &Shaping,
    servers: &Path,
    overwrite: Option<&str>,
    context: &Context,
) -> Result<Result<(Plan, Servers), Exit>, CliError> {
    let mut sources = SourceMap::new();
    let suite = match suite::load(suite, shaping, &mut sources, context) {
        Ok(suite) => suite,
        Err(exit) => return Ok(Err(exit)),
    };
    let overwrite = Overwrite(overwrite.map(str::to_string));
    let servers = Servers::find(&suite, servers.to_path_buf(), Some(&overwrite), context);
    let mut plan = match plan::make(&suite, &servers.descriptions) {
        Ok(plan) => plan,
        Err(diagnostics) => return Ok(Err(suite::tell(&diagnostics, &sources, context))),
    };
    servers.explain(&mut plan);
    match refusal(&plan, shaping.allow_external()) {
        Some(refused) => Err(refused),
        None => Ok(Ok((plan, servers))),
    }
}

/// What this version cannot execute, or may not, by name and place; nothing was started.
fn refusal(plan: &Plan, allow_external: bool) -> Option<CliError> {
    if let Some(message) = programs(plan).filter(|_| !allow_external) {
        return Some(
            CliError::new(message)
                .help("read what the suite starts, then allow it with `--allow-external`"),
        );
    }
    let first = plan.unsupported.first()?;
    let all: Vec<String> = plan
        .unsupported
        .iter()
        .map(|one| format!("{}: `{}` is not supported in this version", one.place, one.what))
        .collect();
    Some(CliError::new(all.join("\n")).help(format!(
        "take `{}` out, or plan the suite with `enginecmp plan`, which understands it",
        first.what
    )))
}

/// What the suite starts beside servers; none where it starts nothing.
fn programs(plan: &Plan) -> Option<String> {
    let programs: Vec<String> = plan.programs().into_iter().collect();
    let mut all = Vec::new();
    if !programs.is_empty() {
        all.push(format!("the suite starts programs of its own: {}", programs.join(", ")));
    }
    all.extend(
        plan.collectors
            .iter()
            .map(|one| format!("{}: the suite starts `{}`", one.place, one.command)),
    );
    (!all.is_empty()).then(|| all.join("\n"))
}

fn not_kept(error: &RunError) -> CliError {
    CliError::new(error.to_string()).exit(Exit::NotMeasured)
}

fn tell_cleaned(cleaned: &Cleaned, context: &Context) {
    if cleaned.runs > 0 {
        context.err(&format!(
            "removed what {} run{} that {} killed had left behind\n",
            cleaned.runs,
            if cleaned.runs == 1 { "" } else { "s" },
            if cleaned.runs == 1 { "was" } else { "were" },
        ));
    }
    for left in &cleaned.left {
        context.err(&format!("warning: {left}\n"));
    }
}

/// `20261130T204500Z-7f3a`: sorts by time, and two runs of one second differ.
pub(super) fn run_id() -> Result<String, CliError> {
    let now = jiff::Timestamp::now();
    let mut random = [0_u8; 2];
    rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())
        .map_err(|error| CliError::new(format!("cannot draw a name for the run: {error}")))?;
    Ok(format!("{}-{:02x}{:02x}", now.strftime("%Y%m%dT%H%M%SZ"), random[0], random[1]))
}
