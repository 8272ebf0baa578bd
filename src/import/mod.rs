//! Results of other tools, made into journals.
//!
//! [`import`] takes the outputs of tools, gives each run in them its label, and makes the records
//! of one journal: cells for what was measured, repetitions for runs of one label with the same
//! parameters, failures for runs that are no result, findings for what was repaired, tagged or left
//! out. From there on an import is a run like any other.

mod cells;
mod describe;
mod labels;
mod records;
mod windows;

pub use describe::describe;
pub use labels::{ImportError, Labelled};

use crate::journal::Record;
use crate::tools;

/// The output of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Its file's name, for messages and labels.
    pub file: &'a str,
    /// What the tool printed.
    pub output: &'a [u8],
}

/// What is said of an import beside its inputs.
#[derive(Clone, Debug, Default)]
pub struct About<'a> {
    /// Identity of the run that it becomes.
    pub id: &'a str,
    /// When it was imported, RFC 3339.
    pub at: &'a str,
    /// The machine that was measured on, where the user says.
    pub machine: Option<&'a str>,
    /// Labels: one for each input, or one for each run in them; none takes the files' names.
    pub labels: &'a [String],
    /// The label that others are compared with; the first without.
    pub baseline: Option<&'a str>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Every run, in order.
    pub runs: Vec<Labelled>,
    /// The journal.
    pub records: Vec<Record>,
}

impl Imported {
    /// Whether some run is no result.
    pub fn refused(&self) -> bool {
        self.runs.iter().any(|labelled| labelled.run.refused.is_some())
    }
}

/// Reads the outputs and makes the records of a journal.
///
/// # Errors
///
/// When an input holds no run, when labels and runs do not match, or when no run has the label of
/// the baseline.
pub fn import(inputs: &[Input], about: &About) -> Result<Imported, ImportError> {
    let read: Vec<_> = inputs.iter().map(|input| tools::read(input.output)).collect();
    let runs = labels::labelled(inputs, read, about.labels)?;
    let baseline = labels::baseline(&runs, about.baseline)?;
    let cells = cells::cells(&runs);
    let records = records::records(&runs, &cells, &baseline, about);
    Ok(Imported { runs, records })
}
