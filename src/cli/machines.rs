//! Runs of unlike machines stand beside each other only where the user says so.

use super::CliError;
use crate::journal::changes;
use crate::journal::record::MachineRecord;

/// A run, or one that is about to begin, by what people call it and with its machine as far as it
/// is known.
#[derive(Clone, Copy)]
pub(super) struct Made<'a> {
    pub(super) by: &'a str,
    pub(super) on: Option<&'a MachineRecord>,
}

/// Refuses to compare what was measured on unlike machines, unless `mixed`. A machine that is not
/// known (of an imported run) is left to the comparison, which gives such runs no delta.
pub(super) fn alike(one: Made, other: Made, mixed: bool) -> Result<(), CliError> {
    let (Some(own), Some(its)) = (one.on, other.on) else { return Ok(()) };
    let unlike = changes::unlike(own, its);
    if mixed || unlike.is_empty() {
        return Ok(());
    }
    Err(CliError::new(format!(
        "{} and {} come from unlike machines: {}",
        one.by,
        other.by,
        unlike.join("; ")
    ))
    .help(
        "compare runs of one machine, or say `--mixed` to have both in one table: what differs may \
         then be the machines",
    ))
}
