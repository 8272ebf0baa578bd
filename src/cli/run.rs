//! `enginecmp run SUITE.bench`, the main job: load, measure, check, print the table.

use super::progress::Progress;
use super::report::{format_parser, print, read_journal};
use super::servers::{Overwrite, Servers};
use super::suite::{self, ServerPlaces, Shaping, WorkPlace, io_error};
use super::{CliError, Context, Exit};
use crate::compare::{self, NamedRun, Options};
use crate::diagnostic::SourceMap;
use crate::host::work_dir::{Cleaned, WorkDir};
use crate::journal::Writer;
use crate::plan::{self, Plan};
use crate::report::Format;
use crate::run::{self, Interrupt, RunError, RunSettings};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The suite
    suite: PathBuf,
    #[command(flatten)]
    shaping: Shaping,
    #[command(flatten)]
    places: ServerPlaces,
    #[command(flatten)]
    work: WorkPlace,
    /// The directory of this run [default: bench-reports/SUITE/MACHINE/DATE-ID]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// An earlier run: its deltas are shown as well, and `expect ... since baseline` is judged by it
    #[arg(long, value_name = "RUN")]
    against: Option<PathBuf>,
    /// What to print
    #[arg(long, default_value = "table", value_parser = format_parser())]
    format: Format,
    /// A name for this machine, instead of its CPU, cores and memory
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    /// The user that servers run as when enginecmp is root
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Keep datasets in the work directory for later runs
    #[arg(long)]
    keep_datasets: bool,
    /// Drop the database of this name on a server named by DSN, though enginecmp did not make it
    #[arg(long, value_name = "NAME")]
    overwrite: Option<String>,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Exit, CliError> {
    let mut sources = SourceMap::new();
    let suite = match suite::load(&arguments.suite, &arguments.shaping, &mut sources, context) {
        Ok(suite) => suite,
        Err(exit) => return Ok(exit),
    };
    let servers = Servers::find(
        &suite,
        arguments.places.directory(context),
        Some(&Overwrite(arguments.overwrite.clone())),
        context,
    );
    let mut plan = match plan::make(&suite, &servers.descriptions) {
        Ok(plan) => plan,
        Err(diagnostics) => return Ok(suite::tell(&diagnostics, &sources, context)),
    };
    servers.explain(&mut plan);
    if let Some(refused) = refusal(&plan) {
        return Err(refused);
    }
    let earlier = arguments.against.as_deref().map(|run| read_journal(run, context)).transpose()?;
    let work_directory = arguments.work.directory(context);
    let (work, cleaned) =
        WorkDir::open(&work_directory).map_err(|error| CliError::new(error.to_string()))?;
    tell_cleaned(&cleaned, context);
    let machine = run::describe_machine(work.root(), arguments.machine.as_deref())
        .map_err(|error| io_error("describe the machine for", work.root(), &error))?;
    let id = run_id()?;
    let out = arguments.out.clone().unwrap_or_else(|| {
        Path::new("bench-reports").join(&plan.suite_name).join(&machine.name).join(&id)
    });
    DirBuilder::new()
        .recursive(true)
        .mode(0o755)
        .create(&out)
        .map_err(|error| io_error("make", &out, &error))?;
    let mut journal = Writer::create(&out).map_err(|error| CliError::new(error.to_string()))?;
    let interrupt = Interrupt::new();
    let raised = interrupt.clone();
    ctrlc::set_handler(move || raised.raise())
        .map_err(|error| CliError::new(format!("cannot watch for signals: {error}")))?;
    let settings = RunSettings {
        id,
        work: &work,
        machine,
        interrupt,
        keep_datasets: arguments.keep_datasets,
        done: None,
    };
    let targets = servers.targets(&plan, &work, arguments.user.clone(), context);
    let progress = Progress::new(context.stderr_is_terminal());
    let outcome = run::execute(&plan, &targets, &settings, &mut journal, &progress)
        .map_err(|error| not_kept(&error))?;
    drop(progress);
    let read = read_journal(&out, context)?;
    let options = Options {
        against: earlier.as_ref().map(|run| NamedRun { name: &run.run.id, records: &run.records }),
        ..Options::default()
    };
    let comparison = compare::compare_with(&read.records, &options);
    print(&comparison, arguments.format, context)?;
    context.err(&format!("\njournal: {}\n", journal.path().display()));
    Ok(if outcome.interrupted {
        Exit::Interrupted
    } else if comparison.failed() {
        Exit::Failed
    } else if outcome.is_whole() {
        Exit::Good
    } else {
        Exit::NotMeasured
    })
}

/// What this version cannot execute, by name and place; nothing was started.
fn refusal(plan: &Plan) -> Option<CliError> {
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
fn run_id() -> Result<String, CliError> {
    let now = jiff::Timestamp::now();
    let mut random = [0_u8; 2];
    rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())
        .map_err(|error| CliError::new(format!("cannot draw a name for the run: {error}")))?;
    Ok(format!("{}-{:02x}{:02x}", now.strftime("%Y%m%dT%H%M%SZ"), random[0], random[1]))
}
