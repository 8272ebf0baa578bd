//! What holds after a repetition of any transactions: as many rows as the statements said.

use super::Definition;
use super::client::Shared;
use crate::target::session::{Session, SqlError};
use crate::workload::Checked;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// Rows of each table that can be counted.
pub(super) fn counts(
    definition: &Definition,
    session: &mut dyn Session,
) -> Result<BTreeMap<String, i64>, SqlError> {
    let mut counts = BTreeMap::new();
    for table in &definition.countable {
        session.text_visit(&format!("SELECT COUNT(*) FROM {table}"), &mut |row| {
            counts.insert(table.clone(), row.int(0).unwrap_or_default());
            true
        })?;
    }
    Ok(counts)
}

/// Whether each table grew by as many rows as committed transactions said.
pub(super) fn grown(
    definition: &Definition,
    shared: &Shared,
    session: &mut dyn Session,
    before: &BTreeMap<String, i64>,
    uncertain: u64,
) -> Result<Vec<Checked>, SqlError> {
    let after = counts(definition, session)?;
    let checks = definition.countable.iter().zip(&shared.growth).map(|(table, growth)| {
        let of = |counts: &BTreeMap<String, i64>| counts.get(table).copied().unwrap_or_default();
        let (was, said, is) = (of(before), growth.load(Ordering::Relaxed), of(&after));
        let apart = (is - was - said).unsigned_abs();
        Checked {
            name: format!("rows of {table}"),
            // A transaction of unknown outcome may have changed any number of them.
            violations: if uncertain > 0 { 0 } else { apart },
            tolerated: false,
            detail: if apart == 0 {
                String::new()
            } else {
                format!("{was} before, {said:+} by committed statements, {is} after")
            },
        }
    });
    Ok(checks.collect())
}
