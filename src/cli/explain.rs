//! `enginecmp explain CODE`.

use super::{CliError, Context, Exit};
use crate::model::FindingCode;

/// Arguments of `explain`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The code, such as F006; without one, all codes are listed
    code: Option<String>,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Exit, CliError> {
    let Some(asked) = &arguments.code else {
        let list: String = FindingCode::ALL
            .iter()
            .map(|code| format!("{}  {}\n", code.code(), code.title()))
            .collect();
        context.out(&list)?;
        return Ok(Exit::Good);
    };
    let code = FindingCode::ALL
        .iter()
        .find(|code| code.code().eq_ignore_ascii_case(asked))
        .ok_or_else(|| {
            CliError::new(format!("no code {asked}"))
                .help("`enginecmp explain` without a code lists them all")
        })?;
    context.out(&format!("{} {}\n\n{}\n", code.code(), code.title(), code.explanation()))?;
    Ok(Exit::Good)
}
