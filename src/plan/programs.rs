//! Outside programs of a plan: which it starts, where they cannot be had, what their rows are.

use super::suite::{Engine, WorkloadBlock};
use super::{Dataset, LoadPath, LoadSettings, Plan};
use crate::diagnostic::{Diagnostic, codes};
use crate::engine::Home;
use crate::model::{Finding, FindingCode};
use crate::workload::{Parameters, Workload};
use std::collections::BTreeSet;

impl Plan {
    /// What the suite starts beside servers, in words: `workload points`; empty for nothing.
    pub fn programs(&self) -> BTreeSet<String> {
        let clients = self
            .cells
            .iter()
            .filter(|cell| cell.workload.starts_programs())
            .map(|cell| format!("workload `{}`", cell.workload_name));
        let loaders = self.datasets.iter().filter_map(|dataset| match &dataset.load.path {
            LoadPath::External(loader) => Some(format!("`load` with `{}`", loader.program())),
            LoadPath::Bulk | LoadPath::Rows(_) => None,
        });
        clients.chain(loaders).collect()
    }
}

/// Whether an outside program could work for a cell; an error says why not.
pub(super) fn can_be_had(
    block: &WorkloadBlock,
    workload: &dyn Workload,
    parameters: &Parameters,
    load: &LoadSettings,
    engine: &Engine,
    wrong: &mut Vec<Diagnostic>,
) -> bool {
    let loader = match &load.path {
        LoadPath::External(loader) => Some(loader),
        LoadPath::Bulk | LoadPath::Rows(_) => None,
    };
    let error = if engine.spec.home == Home::InProcess
        && (workload.starts_programs() || loader.is_some())
    {
        Diagnostic::error(
            codes::ENGINE_CANNOT,
            engine.span,
            format!("no other program can reach {}", engine.spec.storage),
        )
        .label("it lives inside enginecmp's own process")
        .also(block.span, "starts a program of its own, or is loaded by one")
        .help("write a workload of enginecmp's own for it")
    } else if let Some(why) = loader.and_then(|loader| loader.refusal(block.kind, parameters)) {
        Diagnostic::error(
            codes::BAD_PARAMETER,
            block.span,
            format!("workload `{}` cannot be loaded like this", block.name),
        )
        .label(why)
        .help("leave `path external` out: `load { path bulk }`")
    } else {
        return true;
    };
    if !wrong.contains(&error) {
        wrong.push(error);
    }
    false
}

/// Rows that tools draw are not the same on two sides.
pub(super) fn findings(datasets: &[Dataset]) -> Vec<Finding> {
    let drawn: BTreeSet<String> = datasets
        .iter()
        .filter_map(|dataset| match &dataset.load.path {
            LoadPath::External(loader) => {
                Some(format!("{} is loaded by `{}`", dataset.engine, loader.program()))
            }
            LoadPath::Bulk | LoadPath::Rows(_) => None,
        })
        .collect();
    drawn.into_iter().map(|seen| Finding::new(FindingCode::RowsOfATool, seen)).collect()
}
