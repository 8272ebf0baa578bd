//! Which run is called how.

use super::Input;
use crate::tools::ToolRun;

/// A run with its label.
#[derive(Clone, Debug)]
pub struct Labelled {
    /// What it is called.
    pub label: String,
    /// The file it was read from.
    pub file: String,
    /// The run.
    pub run: ToolRun,
}

/// Why outputs cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// No run was found in an input.
    #[error("{file}: no run of tpcc_start, sysbench, sysbench-tpcc or go-tpc in it")]
    NoRun {
        /// The input.
        file: String,
    },
    /// Labels do not match.
    #[error(
        "{labels} labels for {files} files with {runs} runs: give one for each file, or one for each run"
    )]
    LabelCount {
        /// How many were given.
        labels: usize,
        /// How many inputs there are.
        files: usize,
        /// How many runs are in them.
        runs: usize,
    },
    /// No run has the baseline's label.
    #[error("no run is labelled `{baseline}`; there are {known}")]
    NoBaseline {
        /// The label that was asked for.
        baseline: String,
        /// Those there are.
        known: String,
    },
}

/// Gives each run its label. Runs of one file that differ in nothing but their order are repetitions
/// only when the file was given a label; without, each gets a number.
pub(super) fn labelled(
    inputs: &[Input],
    read: Vec<Vec<ToolRun>>,
    labels: &[String],
) -> Result<Vec<Labelled>, ImportError> {
    for (input, runs) in inputs.iter().zip(&read) {
        if runs.is_empty() {
            return Err(ImportError::NoRun { file: input.file.to_string() });
        }
    }
    let (files, count) = (inputs.len(), read.iter().map(Vec::len).sum::<usize>());
    if !labels.is_empty() && labels.len() != files && labels.len() != count {
        return Err(ImportError::LabelCount { labels: labels.len(), files, runs: count });
    }
    let mut labelled = Vec::with_capacity(count);
    for (at, (input, runs)) in inputs.iter().zip(read).enumerate() {
        let many = runs.len() > 1;
        let alike = runs
            .iter()
            .enumerate()
            .any(|(at, run)| runs[..at].iter().any(|other| parameters(other) == parameters(run)));
        for (number, run) in runs.into_iter().enumerate() {
            let label = if labels.len() == files {
                labels.get(at).cloned()
            } else {
                labels.get(labelled.len()).cloned()
            };
            let label = label.unwrap_or_else(|| {
                let stem = stem(input.file);
                if many && alike { format!("{stem} {}", number + 1) } else { stem.to_string() }
            });
            labelled.push(Labelled { label, file: input.file.to_string(), run });
        }
    }
    Ok(labelled)
}

/// What tells the runs of one label apart.
fn parameters(run: &ToolRun) -> (&str, Option<u32>, Option<u32>) {
    (&run.workload, run.clients, run.warehouses)
}

/// A file's name without folders and ending.
fn stem(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// The label that others are compared with.
pub(super) fn baseline(runs: &[Labelled], asked: Option<&str>) -> Result<String, ImportError> {
    let Some(asked) = asked else {
        return Ok(runs.first().map_or_else(String::new, |labelled| labelled.label.clone()));
    };
    let known = runs.iter().find(|labelled| labelled.label.eq_ignore_ascii_case(asked));
    known.map(|labelled| labelled.label.clone()).ok_or_else(|| {
        let mut known: Vec<&str> = Vec::new();
        for labelled in runs {
            if !known.contains(&labelled.label.as_str()) {
                known.push(&labelled.label);
            }
        }
        ImportError::NoBaseline { baseline: asked.to_string(), known: known.join(", ") }
    })
}
