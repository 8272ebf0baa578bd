//! Workloads with the parameters of each combination, made once for equal ones.

use super::expand::Combination;
use super::suite::{Suite, WorkloadBlock};
use crate::diagnostic::{Diagnostic, Span, codes};
use crate::workload::sql::Sql;
use crate::workload::{ParameterScope, Parameters, Workload, WorkloadKind};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// The parameters that a combination gives its workload.
pub(super) fn parameters(suite: &Suite, combination: &Combination) -> Parameters {
    suite.workloads[combination.workload]
        .kind
        .parameters
        .iter()
        .filter_map(|parameter| {
            let value = combination.settings.get(parameter.name)?;
            Some((parameter.name.to_string(), value.clone()))
        })
        .collect()
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

/// Workloads by kind and parameters, as text.
#[derive(Default)]
pub(super) struct Made {
    workloads: BTreeMap<String, Arc<dyn Workload>>,
}

impl Made {
    /// The workload of a block with these parameters, made when it is first asked for.
    pub(super) fn get(
        &mut self,
        block: &WorkloadBlock,
        parameters: &Parameters,
    ) -> Result<Arc<dyn Workload>, crate::workload::ParameterError> {
        let kind = block.kind;
        let mut text = kind.name.to_string();
        if block.sql.is_some() {
            let _ = write!(text, " {}", block.name);
        }
        for (name, value) in parameters {
            let _ = write!(text, ";{name}={value:?}");
        }
        if let Some(made) = self.workloads.get(&text) {
            return Ok(Arc::clone(made));
        }
        let made: Arc<dyn Workload> = match &block.sql {
            Some(definition) => Arc::new(Sql::new(Arc::clone(definition))),
            None => Arc::from((kind.make)(parameters)?),
        };
        self.workloads.insert(text, Arc::clone(&made));
        Ok(made)
    }
}

/// Makes the workload of every combination. An error stands at the parameter that it names.
pub(super) fn make_all(
    suite: &Suite,
    combinations: &[Combination],
    made: &mut Made,
) -> Result<Vec<Arc<dyn Workload>>, Vec<Diagnostic>> {
    let mut workloads = Vec::with_capacity(combinations.len());
    let mut wrong: Vec<Diagnostic> = Vec::new();
    let mut seen: Vec<(Span, String)> = Vec::new();
    for combination in combinations {
        let block = &suite.workloads[combination.workload];
        match made.get(block, &parameters(suite, combination)) {
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
