//! `enginecmp import FILE...`: outputs of other tools side by side.

use super::execute::run_id;
use super::report::{format_parser, print};
use super::{CliError, Context, Exit};
use crate::compare;
use crate::import::{self, About, Imported, Input};
use crate::journal::Writer;
use crate::report::Format;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Arguments of `import`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// What tpcc_start, sysbench, sysbench-tpcc or go-tpc printed; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Names for the files, or for each run in them; runs of one name are repetitions
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    label: Vec<String>,
    /// The label that the others are compared with [default: the first]
    #[arg(long, value_name = "LABEL")]
    baseline: Option<String>,
    /// Keep the journal in this directory, for `report` and `compare`
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The machine that was measured on; runs of unlike machines are not compared
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    /// What to write
    #[arg(long, default_value = "table", value_parser = format_parser())]
    format: Format,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Exit, CliError> {
    let outputs: Vec<(String, Vec<u8>)> =
        arguments.files.iter().map(|file| read(file)).collect::<Result<_, _>>()?;
    let inputs: Vec<Input> = outputs.iter().map(|(file, output)| Input { file, output }).collect();
    let (id, at) = (run_id()?, jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
    let labels: Vec<String> =
        arguments.label.iter().map(|label| label.trim().to_string()).collect();
    let about = About {
        id: &id,
        at: &at,
        machine: arguments.machine.as_deref(),
        labels: &labels,
        baseline: arguments.baseline.as_deref(),
    };
    let imported =
        import::import(&inputs, &about).map_err(|error| CliError::new(error.to_string()))?;
    for labelled in &imported.runs {
        context.err(&import::describe(labelled));
    }
    context.err("\n");
    print(&compare::compare(&imported.records), arguments.format, context)?;
    if let Some(out) = &arguments.out {
        let journal = keep(&imported, out)?;
        context.err(&format!("\njournal: {}\n", journal.display()));
    }
    Ok(if imported.refused() { Exit::NotMeasured } else { Exit::Good })
}

/// A file's name as messages show it, and what is in it.
fn read(file: &Path) -> Result<(String, Vec<u8>), CliError> {
    let mut output = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().read_to_end(&mut output).map(|_| ())
    } else {
        fs::read(file).map(|bytes| output = bytes)
    };
    read.map_err(|error| CliError::new(format!("cannot read {}: {error}", file.display())))?;
    let name = file.file_name().map_or_else(|| "-".into(), |name| name.to_string_lossy());
    Ok((name.into_owned(), output))
}

fn keep(imported: &Imported, out: &Path) -> Result<PathBuf, CliError> {
    let failed = |error: crate::journal::JournalError| CliError::new(error.to_string());
    let mut journal = Writer::create(out).map_err(failed)?;
    for record in &imported.records {
        journal.write(record).map_err(failed)?;
    }
    journal.sync().map_err(failed)?;
    Ok(journal.path().to_path_buf())
}
