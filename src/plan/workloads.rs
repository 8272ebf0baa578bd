//! Workloads with the parameters of each combination, made once for equal ones.

use super::expand::Combination;
use super::suite::{Suite, WorkloadBlock};
use crate::diagnostic::{Diagnostic, Span, codes};
use crate::model::SettingValue;
use crate::workload::sql::Sql;
use crate::workload::{ParameterError, ParameterScope, Parameters, Workload, WorkloadKind};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// The parameters that a combination gives its workload.
fn parameters<'c>(
    kind: &'static WorkloadKind,
    combination: &'c Combination,
) -> impl Iterator<Item = (&'static str, &'c SettingValue)> {
    kind.parameters
        .iter()
        .filter_map(|parameter| Some((parameter.name, combination.settings.get(parameter.name)?)))
}

/// Those of them that the loaded data depend on.
pub(super) fn data_parameters(kind: &WorkloadKind, parameters: &Parameters) -> Parameters {
    kind.parameters
        .iter()
        .filter(|parameter| parameter.scope == ParameterScope::Data)
        .filter_map(|parameter| {
            Some((parameter.name.to_string(), parameters.get(parameter.name)?.clone()))
        })
        .collect()
}

/// A workload with the parameters that it was made of.
#[derive(Clone)]
pub(super) struct Made {
    /// The workload: one and the same for equal parameters.
    pub(super) workload: Arc<dyn Workload>,
    /// Its parameters.
    pub(super) parameters: Arc<Parameters>,
}

impl Made {
    /// Tells workloads apart that live.
    pub(super) fn id(&self) -> usize {
        Arc::as_ptr(&self.workload).cast::<()>() as usize
    }
}

/// Workloads that were made.
#[derive(Default)]
struct Known {
    /// By kind and parameters, as text.
    made: HashMap<String, Made>,
    /// By block, by the settings that its cells share, and by parameters that axes choose: what is
    /// looked for first.
    chosen: HashMap<(usize, usize, String), Made>,
}

impl Known {
    /// The workload of a combination, made when it is first asked for.
    fn get(&mut self, suite: &Suite, combination: &Combination) -> Result<Made, ParameterError> {
        let block = &suite.workloads[combination.workload];
        let settings = &combination.settings;
        let mut own = String::new();
        for (name, value) in settings.own() {
            if block.kind.parameters.iter().any(|parameter| parameter.name == name) {
                let _ = write!(own, ";{name}={value:?}");
            }
        }
        let key = (combination.workload, settings.base_id(), own);
        if let Some(made) = self.chosen.get(&key) {
            return Ok(made.clone());
        }
        let made = get(&mut self.made, block, combination)?;
        self.chosen.insert(key, made.clone());
        Ok(made)
    }
}

/// The workload of a combination among those of equal parameters.
fn get(
    known: &mut HashMap<String, Made>,
    block: &WorkloadBlock,
    combination: &Combination,
) -> Result<Made, ParameterError> {
    let kind = block.kind;
    let mut text = kind.name.to_string();
    if block.sql.is_some() {
        let _ = write!(text, " {}", block.name);
    }
    for (name, value) in parameters(kind, combination) {
        let _ = write!(text, ";{name}={value:?}");
    }
    if let Some(made) = known.get(&text) {
        return Ok(made.clone());
    }
    let parameters: Parameters = parameters(kind, combination)
        .map(|(name, value)| (name.to_string(), value.clone()))
        .collect();
    let workload: Arc<dyn Workload> = match &block.sql {
        Some(definition) => Arc::new(Sql::new(Arc::clone(definition))),
        None => Arc::from((kind.make)(&parameters)?),
    };
    let made = Made { workload, parameters: Arc::new(parameters) };
    known.insert(text, made.clone());
    Ok(made)
}

/// Makes the workload of every combination. An error stands at the parameter that it names.
pub(super) fn make_all(
    suite: &Suite,
    combinations: &[Combination],
) -> Result<Vec<Made>, Vec<Diagnostic>> {
    let mut known = Known::default();
    let mut workloads = Vec::with_capacity(combinations.len());
    let mut wrong: Vec<Diagnostic> = Vec::new();
    let mut seen: Vec<(Span, String)> = Vec::new();
    for combination in combinations {
        let block = &suite.workloads[combination.workload];
        match known.get(suite, combination) {
            Ok(workload) => workloads.push(workload),
            Err(error) => {
                let stated = combination.setting(error.parameter);
                let span = stated.map_or(block.span, |resolved| resolved.value.span);
                if seen.contains(&(span, error.message.clone())) {
                    continue;
                }
                seen.push((span, error.message.clone()));
                let mut diagnostic = Diagnostic::error(
                    codes::BAD_PARAMETER,
                    span,
                    format!("`{}` of workload `{}` does not fit", error.parameter, block.name),
                )
                .label(&error.message);
                if stated.is_some() && span != block.span {
                    diagnostic = diagnostic.also(block.span, "of this workload");
                }
                wrong.push(diagnostic);
            }
        }
    }
    if wrong.is_empty() { Ok(workloads) } else { Err(wrong) }
}
